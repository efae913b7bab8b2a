//! `x.fill_with(f);`, `x.copy_within(a..b, to);` and `x.swap_with_slice(y);`: the loops that they are. Only as statements, of a place that may
//! be named several times, or of a part of one. A struct may have a method of such a name, too: which of the two it is, inference knows.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Expr as Syn;

use super::Parser;
use super::assign::is_named;
use super::sort::jumps;
use crate::ast::{OptionPlaceLet, Statement};

impl Parser<'_> {
    /// The loops that a call is; `None` for any other expression.
    pub(super) fn slice_statement(&mut self, expr: &Syn) -> Option<Statement> {
        let Syn::MethodCall(call) = expr else { return None };
        if call.turbofish.is_some() {
            return None;
        }
        let (span, whole) = (call.method.span(), &*call.receiver);
        let part = hidden("__part", span);
        let (place, of, named) = match whole {
            Syn::Index(index) if matches!(*index.index, Syn::Range(_)) && is_named(&index.expr) => {
                (&*index.expr, quote!(#part), quote_spanned!(span=> let #part = &mut #whole;))
            }
            place if is_named(place) => (place, quote!(#place), TokenStream::new()),
            _ => return None,
        };
        let loops = match call.method.to_string().as_str() {
            "fill_with" => filled(call, &of)?,
            "copy_within" => copied(call, &of)?,
            "swap_with_slice" => swapped(call, &of)?,
            _ => return None,
        };
        let loops = syn::parse2::<Syn>(quote_spanned!(span=> { #named #loops })).ok()?;
        let written = Statement::Expr { expr: self.expr(&with_start(call)), semicolon: true };
        let receiver = self.expr(place);
        let element = Statement::Expr { expr: self.expr(&loops), semicolon: true };
        Some(Statement::OptionPlace(Box::new(OptionPlaceLet { id: self.next_expr(), receiver, written, element })))
    }
}

/// The call with a start for its range, without which a range is no value here.
fn with_start(call: &syn::ExprMethodCall) -> Syn {
    let mut call = call.clone();
    if let Some(Syn::Range(range)) = call.args.first_mut()
        && range.start.is_none()
    {
        range.start = Some(syn::parse_quote!(0usize));
    }
    Syn::MethodCall(call)
}

fn hidden(name: &str, span: Span) -> Ident {
    Ident::new(name, Span::mixed_site().located_at(span))
}

/// A value for each element, in order.
fn filled(call: &syn::ExprMethodCall, of: &TokenStream) -> Option<TokenStream> {
    let span = call.method.span();
    let element = hidden("__element", span);
    let value = match call.args.first()? {
        Syn::Closure(closure) if closure.capture.is_none() && closure.inputs.is_empty() && !jumps(&closure.body) => {
            let body = &closure.body;
            quote!(#body)
        }
        Syn::Path(path) => quote_spanned!(span=> #path()),
        _ => return None,
    };
    (call.args.len() == 1).then(|| quote_spanned!(span=> for #element in #of.iter_mut() { *#element = #value; }))
}

/// The elements of a range, from the end where they would come to lie on others of them.
fn copied(call: &syn::ExprMethodCall, of: &TokenStream) -> Option<TokenStream> {
    let span = call.method.span();
    let [Syn::Range(range), to] = call.args.iter().collect::<Vec<_>>()[..] else { return None };
    let [first, end, target, count, at] =
        ["__first", "__end", "__target", "__count", "__at"].map(|name| hidden(name, span));
    let start = range.start.as_ref().map_or_else(|| quote_spanned!(span=> 0usize), |start| quote!(#start));
    let stop = match (&range.end, range.limits) {
        (Some(end), syn::RangeLimits::HalfOpen(_)) => quote!(#end),
        (Some(end), syn::RangeLimits::Closed(_)) => quote_spanned!(span=> (#end) + 1usize),
        (None, _) => quote_spanned!(span=> #of.len()),
    };
    Some(quote_spanned! {span=>
        let #first: usize = #start;
        let #end: usize = #stop;
        let #target: usize = #to;
        assert!(#first <= #end && #end <= #of.len(), "the range of `copy_within` is out of bounds");
        let #count = #end - #first;
        assert!(#target <= #of.len() - #count, "dest is out of bounds");
        let mut #at = 0usize;
        if #target <= #first {
            while #at < #count {
                #of[#target + #at] = #of[#first + #at];
                #at += 1usize;
            }
        } else {
            while #at < #count {
                #at += 1usize;
                #of[#target + (#count - #at)] = #of[#first + (#count - #at)];
            }
        }
    })
}

/// The elements of two slices, exchanged.
fn swapped(call: &syn::ExprMethodCall, of: &TokenStream) -> Option<TokenStream> {
    let span = call.method.span();
    let [other, at] = ["__other", "__at"].map(|name| hidden(name, span));
    let [arg] = call.args.iter().collect::<Vec<_>>()[..] else { return None };
    let (other, named) = match arg {
        Syn::Path(_) => (quote!(#arg), None),
        Syn::Reference(reference) if reference.mutability.is_some() => {
            let named = quote_spanned!(span=> let #other = #arg;);
            (quote!(#other), Some(named))
        }
        _ => return None,
    };
    Some(quote_spanned! {span=>
        #named
        assert!(#of.len() == #other.len(), "destination and source slices have different lengths");
        let mut #at = 0usize;
        while #at < #of.len() {
            core::mem::swap(&mut #of[#at], &mut #other[#at]);
            #at += 1usize;
        }
    })
}
