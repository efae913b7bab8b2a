//! `x.sort();` and its like: an insertion sort, which is stable and needs no memory. Only as a statement, of a place that may
//! be named several times, or of a part of one. A struct may have a method of such a name, too: which of the two it is, inference knows.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Expr as Syn;

use super::Parser;
use super::assign::is_named;
use crate::ast::{OptionPlaceLet, ScalarName, Statement};

impl Parser<'_> {
    /// The loops that a call is which sorts; `None` for any other expression.
    pub(super) fn sorting(&mut self, expr: &Syn) -> Option<Statement> {
        let Syn::MethodCall(call) = expr else { return None };
        if call.turbofish.is_some() {
            return None;
        }
        let (whole, span) = (&*call.receiver, call.method.span());
        let [next, at, part] =
            ["__next", "__at", "__part"].map(|name| Ident::new(name, Span::mixed_site().located_at(span)));
        let (place, of, named) = match whole {
            Syn::Index(index) if matches!(*index.index, Syn::Range(_)) && is_named(&index.expr) => {
                (&*index.expr, quote!(#part), quote_spanned!(span=> let #part = &mut #whole;))
            }
            place if is_named(place) => (place, quote!(#place), TokenStream::new()),
            _ => return None,
        };
        let goes_behind = order(call, &of, &at)?;
        let loops = syn::parse2::<Syn>(quote_spanned!(span=> {
            #named
            let mut #next = 1usize;
            while #next < #of.len() {
                let mut #at = #next;
                while #at > 0usize && #goes_behind {
                    #of.swap(#at - 1usize, #at);
                    #at -= 1usize;
                }
                #next += 1usize;
            }
        }))
        .ok()?;
        let written = Statement::Expr { expr: self.expr(expr), semicolon: true };
        let receiver = self.expr(place);
        let element = Statement::Expr { expr: self.expr(&loops), semicolon: true };
        Some(Statement::OptionPlace(Box::new(OptionPlaceLet { id: self.next_expr(), receiver, written, element })))
    }
}

/// Whether the element before `at` goes behind the one there.
fn order(call: &syn::ExprMethodCall, of: &TokenStream, at: &Ident) -> Option<TokenStream> {
    let span = call.method.span();
    let args: Vec<&Syn> = call.args.iter().collect();
    let both = quote_spanned!(span=> [#of[#at - 1usize], #of[#at]]);
    Some(match (call.method.to_string().as_str(), args.as_slice()) {
        ("sort" | "sort_unstable", []) => quote_spanned!(span=> #of[#at - 1usize].cmp(&#of[#at]).is_gt()),
        ("sort_by" | "sort_unstable_by", [Syn::Closure(closure)]) => {
            let is_plain = closure.capture.is_none() && closure.asyncness.is_none() && !jumps(&closure.body);
            let params: Vec<_> = closure.inputs.iter().collect();
            let ([a, b], true) = (params.as_slice(), is_plain) else { return None };
            let body = &closure.body;
            quote_spanned!(span=> !#both.is_sorted_by(|#a, #b| (#body).is_le()))
        }
        ("sort_by" | "sort_unstable_by", [Syn::Path(path)]) => {
            let [a, b] = ["__a", "__b"].map(|name| Ident::new(name, Span::mixed_site().located_at(span)));
            let last = path.path.segments.last().map(|last| &last.ident);
            // Of a module it is a function of the author's own.
            let is_type = |name: &Ident| {
                ScalarName::from_name(&name.to_string()).is_some() || name.to_string().starts_with(char::is_uppercase)
            };
            let is_method = path.path.segments.iter().rev().nth(1).is_some_and(|of| is_type(&of.ident));
            let order = match last.filter(|last| is_method && (*last == "cmp" || *last == "total_cmp")) {
                Some(method) => quote_spanned!(span=> #a.#method(#b)),
                None => quote_spanned!(span=> #path(#a, #b)),
            };
            quote_spanned!(span=> !#both.is_sorted_by(|#a, #b| #order.is_le()))
        }
        ("sort_by_key" | "sort_unstable_by_key" | "sort_by_cached_key", [key]) => {
            quote_spanned!(span=> !#both.is_sorted_by_key(#key))
        }
        _ => return None,
    })
}

/// Whether something may leave a closure early: its value is another one in the loops.
pub(super) fn jumps(body: &Syn) -> bool {
    fn has_return(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            proc_macro2::TokenTree::Ident(word) => word == "return",
            proc_macro2::TokenTree::Group(group) => has_return(group.stream()),
            proc_macro2::TokenTree::Punct(punct) => punct.as_char() == '?',
            proc_macro2::TokenTree::Literal(_) => false,
        })
    }
    has_return(quote::ToTokens::to_token_stream(body))
}
