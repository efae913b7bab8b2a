//! `tune` and `dispatch_tuned` of a kernel whose attribute lists values of its const parameters.

use proc_macro2::TokenStream;

use super::dispatch::{self, cfgs, dispatch_param, launch_args, push, type_name};
use crate::ast::Fn;
use crate::attribute::KernelAttr;
use crate::emit::tokens::{Tokens, tokens};

/// A call of the facade's macro that writes both functions; `None` where nothing is listed.
pub(super) fn tuning(function: &Fn, attr: &KernelAttr, private: &TokenStream) -> Option<Tokens> {
    let candidates = attr.candidates(&function.generics.source);
    let first = arguments(candidates.first()?);
    let (vis, name) = (&function.vis, type_name(&function.name));
    let params = dispatch::arguments(function).map(|param| dispatch_param(param, private));
    let pushes = dispatch::arguments(function).map(push);
    let cfgs = cfgs(&function.attrs);
    let all = candidates.iter().map(|candidate| {
        let candidate = arguments(candidate);
        tokens!([#candidate])
    });
    let (safety, launch) =
        (function.is_unsafe.then(|| tokens!(unsafe)), launch_args(function, &tokens!(Self), private));
    Some(tokens! {
        #private::tuning! { [#safety] { #launch } #vis #name (#(#params),*) (#(#pushes)*) [#(#cfgs)*] [#first] #(#all)* }
    })
}

/// `64, true`
fn arguments(candidate: &[&TokenStream]) -> Tokens {
    let values = candidate.iter();
    tokens!(#(#values),*)
}
