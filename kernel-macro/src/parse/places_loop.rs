//! `for v in [&mut a, &mut b] { … }`: the body once for each place, since none of them is a value. So do rows with such a reference,
//! `for (v, by) in [(&mut a, 1), (&mut b, 2)]`.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprForLoop, Pat};

use super::unwrapped::is_plain;

/// How often a body is written at most.
const MOST: usize = 16;

/// The blocks that such a loop is; `None` for any other loop, and where something leaves a round early.
pub(super) fn written_places(looping: &ExprForLoop) -> Option<Expr> {
    let Expr::Array(array) = &*looping.expr else { return None };
    let is_known = !array.elems.is_empty() && array.elems.len() <= MOST && array.elems.iter().any(has_place);
    if !is_known || looping.label.is_some() || leaves(looping.body.to_token_stream()) {
        return None;
    }
    let mut rounds = Vec::new();
    for element in &array.elems {
        let mut lets = TokenStream::new();
        name(&looping.pat, element, &mut lets)?;
        let body = &looping.body;
        rounds.push(quote!({ #lets #body }));
    }
    let span = looping.for_token.span();
    syn::parse2(quote_spanned!(span=> { #(#rounds)* })).ok()
}

fn has_place(element: &Expr) -> bool {
    match element {
        Expr::Reference(reference) => reference.mutability.is_some(),
        Expr::Tuple(members) => members.elems.iter().any(has_place),
        _ => false,
    }
}

/// Names the parts of an element; `None` where another form than a name takes one.
fn name(pattern: &Pat, element: &Expr, lets: &mut TokenStream) -> Option<()> {
    match (pattern, element) {
        (Pat::Tuple(names), Expr::Tuple(members)) if names.elems.len() == members.elems.len() => {
            names.elems.iter().zip(&members.elems).try_for_each(|(pattern, member)| name(pattern, member, lets))
        }
        (Pat::Ident(_) | Pat::Wild(_), Expr::Reference(reference)) if is_plain(&reference.expr) => {
            lets.extend(quote!(let #pattern = #element;));
            Some(())
        }
        (Pat::Ident(_) | Pat::Wild(_), element) if is_plain(element) => {
            lets.extend(quote!(let #pattern = #element;));
            Some(())
        }
        _ => None,
    }
}

/// Whether a loop's body may leave a round or the loop.
fn leaves(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(word) => word == "break" || word == "continue",
        TokenTree::Group(group) => leaves(group.stream()),
        _ => false,
    })
}
