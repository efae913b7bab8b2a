//! Iterators that functions of `std::iter` make: `successors`, `from_fn`, `repeat`, `repeat_n`, `repeat_with`. Each is the chain that gives
//! the same elements, in the same order of evaluation. Named in full, as `std::iter::repeat`, which no name in scope can hide.

use proc_macro2::{Ident, Span};
use quote::quote_spanned;
use syn::spanned::Spanned as _;
use syn::{Expr, ExprCall, Pat};

use super::Parser;
use crate::ast::ExprKind;

impl Parser<'_> {
    /// The chain of a call of such a function; `None` for other calls.
    pub(super) fn made_iterator(&mut self, call: &ExprCall) -> Option<ExprKind> {
        let Expr::Path(path) = &*call.func else { return None };
        let args: Vec<_> = call.args.iter().collect();
        let chain = match (function_of_iter(&path.path)?.as_str(), args.as_slice()) {
            ("successors", [first, next]) => successors(call, first, next)?,
            ("from_fn", [next]) => {
                let body = called(next, None)?;
                quote_spanned!(call.span()=> (0u32..).map_while(|_| #body))
            }
            ("repeat_with", [make]) => {
                let body = called(make, None)?;
                quote_spanned!(call.span()=> (0u32..).map(|_| #body))
            }
            ("repeat", [value]) => quote_spanned!(call.span()=> [#value].into_iter().cycle()),
            ("repeat_n", [value, count]) => quote_spanned!(call.span()=> [#value].into_iter().cycle().take(#count)),
            _ => return None,
        };
        let chain = syn::parse2(chain).ok()?;
        Some(self.expr(&chain).kind)
    }
}

/// `successors(first, next)`: the state is the element to give, if there is one.
fn successors(call: &ExprCall, first: &Expr, next: &Expr) -> Option<proc_macro2::TokenStream> {
    let span = call.span();
    let [state, given] = ["__state", "__given"].map(|name| Ident::new(name, Span::mixed_site().located_at(span)));
    let next = called(next, Some(&given))?;
    // A `?` in the body leaves the closure of `and_then`, as it leaves the author's.
    Some(quote_spanned! {span=>
        (0u32..).scan(#first, |#state, _| {
            let #given = #state.take()?;
            *#state = Some(()).and_then(|_| #next);
            Some(#given)
        })
    })
}

/// A call of a function, or the body of a closure where it stands: with a reference to the variable as its argument, if there is one.
fn called(function: &Expr, arg: Option<&Ident>) -> Option<proc_macro2::TokenStream> {
    match function {
        Expr::Paren(inner) => called(&inner.expr, arg),
        Expr::Closure(closure) => {
            let (body, span) = (&closure.body, function.span());
            let params: Vec<&Pat> = closure.inputs.iter().collect();
            match (params.as_slice(), arg) {
                ([], None) => Some(quote_spanned!(span=> { #body })),
                ([param], Some(arg)) => Some(quote_spanned!(span=> { let #param = &#arg; #body })),
                _ => None,
            }
        }
        Expr::Path(path) => {
            let arg = arg.map(|arg| quote_spanned!(function.span()=> &#arg));
            Some(quote_spanned!(function.span()=> #path(#arg)))
        }
        _ => None,
    }
}

/// The name of a function of `std::iter` that is named in full.
fn function_of_iter(path: &syn::Path) -> Option<String> {
    let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let [root, module, name] = names.as_slice() else { return None };
    let is_plain = path.segments.iter().all(|segment| segment.arguments.is_none());
    (is_plain && (root == "std" || root == "core") && module == "iter").then(|| name.clone())
}
