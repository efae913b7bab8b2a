//! The stub of an item with errors: the same name and signature, and nothing that could fail again.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::FnArg;

use super::dispatch::type_name;
use super::generics::params_and_args;
use crate::ast::{Fn, Item, ScalarName, TypeExpr, TypeKind};
use crate::emit::tokens::{Tokens, tokens};

/// The function with an empty body.
pub(crate) fn fn_stub(item: &syn::ItemFn) -> TokenStream {
    if keeps_body(&item.sig) {
        return item.to_token_stream();
    }
    let mut item = item.clone();
    let inputs = item.sig.inputs.into_iter().filter_map(|input| match input {
        // Without names, of which two may be the same, and without attributes, none of which rustc knows.
        FnArg::Typed(mut param) => {
            param.attrs.clear();
            *param.pat = syn::Pat::Verbatim(tokens!(_).into());
            Some(FnArg::Typed(param))
        }
        FnArg::Receiver(_) => None,
    });
    item.sig.inputs = inputs.collect();
    method_stub(&item)
}

/// The same with its parameters, which may be `self`.
pub(crate) fn method_stub(item: &syn::ItemFn) -> TokenStream {
    let syn::ItemFn { attrs, vis, sig, .. } = item;
    if keeps_body(sig) {
        return item.to_token_stream();
    }
    let message = format!("`{}` has errors", sig.ident);
    let tokens = tokens! {
        #(#attrs)*
        #[allow(unused_variables, unused_mut, dead_code, clippy::all)]
        #vis #sig { ::core::panic!(#message) }
    };
    tokens.into()
}

/// The `Kernel` implementation of a kernel's dispatch type, so that what asks for a kernel has no errors of its own.
pub(crate) fn kernel_stub(function: &Fn, krate: &TokenStream) -> TokenStream {
    let name = type_name(&function.name);
    let (_, args) = params_and_args(function);
    let params = function.generics.source.params.iter().filter_map(|param| match param {
        syn::GenericParam::Lifetime(_) => None,
        syn::GenericParam::Type(param) => {
            let name = &param.ident;
            Some(tokens!(#name: 'static))
        }
        syn::GenericParam::Const(param) => {
            let (name, ty) = (&param.ident, param.ty.to_token_stream());
            Some(tokens!(const #name: #ty))
        }
    });
    let params: Vec<_> = params.collect();
    let params = (!params.is_empty()).then(|| tokens!(<#(#params),*>));
    let cfgs = function.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let private: &TokenStream = &tokens!(#krate::__private).into();
    let tokens: Tokens = tokens! {
        #(#cfgs)*
        // SAFETY: it never runs, because the crate does not compile.
        unsafe impl #params #private::kernel::Kernel for #name #args {
            const DESCRIPTOR: &'static #private::descriptor::KernelDescriptor = #private::launch::NO_DESCRIPTOR;
            fn host(_: &#private::twin::HostArgs<'_>, _: #private::twin::HostGroup<'_>) {}
        }
    };
    tokens.into()
}

/// The const with a value that surely is one; as written when its type is in doubt.
pub(crate) fn const_stub(item: &syn::ItemConst, parsed: &Item, krate: &TokenStream) -> TokenStream {
    let Item::Const(constant) = parsed else { return item.to_token_stream() };
    if !has_zero(&constant.ty) {
        return item.to_token_stream();
    }
    let (attrs, vis, name, ty) = (&item.attrs, &item.vis, &item.ident, &item.ty);
    let tokens = tokens! {
        #(#attrs)*
        #[allow(dead_code)]
        #vis const #name: #ty = <#ty as #krate::__private::data::Value>::ZEROED;
    };
    tokens.into()
}

fn has_zero(ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeKind::Path(path) => path.as_name().is_some_and(|name| ScalarName::from_name(&name.to_string()).is_some()),
        _ => false,
    }
}

/// Whether a function keeps its body: one that a const calls, as without a value there would be a second error; and one that gives
/// `impl Trait`, or something with one in it, as its own body alone says which type that is.
fn keeps_body(signature: &syn::Signature) -> bool {
    fn names_some(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(word) => word == "impl",
            TokenTree::Group(group) => names_some(group.stream()),
            _ => false,
        })
    }
    signature.constness.is_some() || names_some(signature.output.to_token_stream())
}
