//! Modules without `#[device]` in a `#[device] mod`: they have it, too, if the module names something in them and no item of theirs is
//! marked. Of others the items without the attribute are refused.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;

use crate::ast::SpanRange;
use crate::diag::{Diagnostics, code};
use crate::krate::facade_path;
use crate::parse::SourceItems;

/// Marks the inner modules that the items of the module name, or other such modules do.
pub(super) fn mark_inner(device: &SourceItems, host: &mut [syn::Item]) {
    let imports = host.iter().filter(|item| matches!(item, syn::Item::Use(_))).map(ToTokens::to_token_stream);
    let mut naming: Vec<TokenStream> = device.0.iter().map(ToTokens::to_token_stream).chain(imports).collect();
    loop {
        let next = host.iter_mut().find_map(|item| match item {
            syn::Item::Mod(inner) if may_be_marked(inner) && naming.iter().any(|at| names_module(at, &inner.ident)) => {
                Some(inner)
            }
            _ => None,
        });
        let Some(inner) = next else { return };
        let krate = facade_path();
        inner.attrs.push(syn::parse_quote!(#[#krate::device]));
        naming.push(inner.to_token_stream());
    }
}

/// Reports inner modules that name items of the module around them, which names the inner ones: neither can be read first.
pub(super) fn refuse_circles(device: &SourceItems, host: &[syn::Item], diags: &mut Diagnostics) {
    let names: Vec<&Ident> = device.0.iter().filter_map(|item| item.name().map(|(name, _)| name)).collect();
    for item in host {
        let syn::Item::Mod(inner @ syn::ItemMod { ident, content: Some((_, items)), .. }) = item else { continue };
        let is_named = device.0.iter().any(|item| names_module(&item.to_token_stream(), ident));
        if !is_named || !is_marked(&inner.attrs) {
            continue;
        }
        let found = items.iter().find_map(|item| {
            names
                .iter()
                .find_map(|name| named_at(item.to_token_stream(), &Ident::new("super", Span::call_site()), name))
        });
        if let Some(span) = found {
            diags
                .error(code::UNKNOWN_NAME, SpanRange::token(span), format!("`mod {ident}` and the module around it name each other"))
                .note("kernels read one module after the other")
                .help(format!(
                    "write what `{ident}` names into a `mod` of its own beside it, and name it there, `super::name::…`; or take `{ident}` out of the module"
                ));
        }
    }
}

/// Whether an inner module has neither attributes of its own, nor items that tell what is for kernels.
fn may_be_marked(inner: &syn::ItemMod) -> bool {
    let Some((_, items)) = &inner.content else { return false };
    let is_plain = |attr: &syn::Attribute| attr.path().is_ident("doc") || attr.path().is_ident("allow");
    inner.attrs.iter().all(is_plain) && !items.iter().any(|item| attrs_of(item).is_some_and(is_marked))
}

fn attrs_of(item: &syn::Item) -> Option<&[syn::Attribute]> {
    Some(match item {
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        _ => return None,
    })
}

/// Whether tokens have `module::`, or import the module by its name.
fn names_module(tokens: &TokenStream, module: &Ident) -> bool {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is_colon = |tree: Option<&TokenTree>| matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    let imports = matches!(trees.first(), Some(TokenTree::Ident(word)) if word == "use");
    trees.iter().enumerate().any(|(at, tree)| match tree {
        TokenTree::Group(group) => names_module(&group.stream(), module),
        TokenTree::Ident(word) => {
            word == module && (imports || is_colon(trees.get(at + 1)) && is_colon(trees.get(at + 2)))
                || is_import_of(&trees[at..], module)
        }
        _ => false,
    })
}

/// Whether tokens begin with an import, without groups, that ends with the module's name: `use super::module;`.
fn is_import_of(trees: &[TokenTree], module: &Ident) -> bool {
    let [TokenTree::Ident(word), path @ ..] = trees else { return false };
    let is_end = |tree: &TokenTree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ';');
    let path = path.split(is_end).next().unwrap_or_default();
    word == "use" && matches!(path.last(), Some(TokenTree::Ident(last)) if last == module)
}

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
