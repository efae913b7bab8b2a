//! Functions inside the functions of a `#[device] mod` whose names something else in the module has, too: with other names they may move.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;

/// A body in which a name stands for something else; `None` where a token of that name may be a field, a method or a part of a path.
pub(super) fn renamed(body: &syn::Block, from: &Ident, to: &Ident) -> Option<syn::Block> {
    syn::parse2(in_tokens(body.to_token_stream(), from, to)?).ok()
}

fn in_tokens(tokens: TokenStream, from: &Ident, to: &Ident) -> Option<TokenStream> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let punct = |at: Option<usize>, wanted: char| {
        let tree = at.and_then(|at| trees.get(at));
        matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
    };
    let mut made = TokenStream::new();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Ident(name) if name == from => {
                let is_member = punct(at.checked_sub(1), '.') && !punct(at.checked_sub(2), '.');
                let is_field = punct(Some(at + 1), ':') && !punct(Some(at + 2), ':');
                if is_member || is_field || punct(at.checked_sub(1), ':') || punct(Some(at + 1), '!') {
                    return None;
                }
                let mut to = to.clone();
                to.set_span(name.span());
                made.extend([TokenTree::Ident(to)]);
            }
            TokenTree::Group(group) => {
                // `Point { x, y }` names fields by variables.
                let inner = in_tokens(group.stream(), from, to)?;
                let is_shorthand = group.delimiter() == Delimiter::Brace && names_field(group.stream(), from);
                if is_shorthand {
                    return None;
                }
                let mut own = Group::new(group.delimiter(), inner);
                own.set_span(group.span());
                made.extend([TokenTree::Group(own)]);
            }
            // A format string may name it.
            TokenTree::Literal(literal) if literal.to_string().contains(&format!("{{{from}")) => return None,
            other => made.extend([other.clone()]),
        }
    }
    Some(made)
}

/// Whether a name stands alone between commas, as a field does that is named like a variable.
fn names_field(tokens: TokenStream, name: &Ident) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let parts = trees.split(|tree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ','));
    let is_it = |part: &[TokenTree]| matches!(part, [TokenTree::Ident(own)] if own == name);
    parts.filter(|part| !part.is_empty()).any(is_it) && trees.len() > 1
}
