//! Modules without `#[device]` in a `#[device] mod`: names of theirs that kernels do not know.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;

use crate::ast::SpanRange;
use crate::diag::{Diagnostics, code};
use crate::parse::SourceItems;

/// Reports the first use of each item of such a module.
pub(super) fn refuse_unmarked_inner(device: &SourceItems, host: &[syn::Item], diags: &mut Diagnostics) {
    for item in host {
        let syn::Item::Mod(syn::ItemMod { attrs, ident, content: Some((_, items)), .. }) = item else { continue };
        if is_marked(attrs) {
            continue;
        }
        let unmarked = items.iter().filter_map(unmarked_name);
        for name in unmarked {
            let found = device.0.iter().find_map(|item| named_at(item.to_token_stream(), ident, name));
            if let Some(span) = found {
                diags
                    .error(code::UNKNOWN_NAME, SpanRange::token(span), format!("`{ident}::{name}` has no `#[device]`"))
                    .note(format!(
                        "kernels know the items of a `#[device] mod`, and not those of the `mod {ident}` in it"
                    ))
                    .help(format!("write `#[gridwise::device]` before `{name}`, or before `mod {ident}`"));
            }
        }
    }
}

/// The name of a function, const or enum without the attribute.
fn unmarked_name(item: &syn::Item) -> Option<&Ident> {
    let (attrs, name) = match item {
        syn::Item::Fn(item) => (&item.attrs, &item.sig.ident),
        syn::Item::Const(item) => (&item.attrs, &item.ident),
        syn::Item::Enum(item) => (&item.attrs, &item.ident),
        _ => return None,
    };
    (!is_marked(attrs)).then_some(name)
}

fn is_marked(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().segments.last().is_some_and(|last| last.ident == "device"))
}

/// The place of `module::name` in tokens.
fn named_at(tokens: TokenStream, module: &Ident, name: &Ident) -> Option<Span> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is_colon = |tree: Option<&TokenTree>| matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    trees.iter().enumerate().find_map(|(at, tree)| match tree {
        TokenTree::Group(group) => named_at(group.stream(), module, name),
        TokenTree::Ident(word) if word == module && is_colon(trees.get(at + 1)) && is_colon(trees.get(at + 2)) => {
            match trees.get(at + 3) {
                Some(TokenTree::Ident(member)) if member == name => Some(member.span()),
                _ => None,
            }
        }
        _ => None,
    })
}
