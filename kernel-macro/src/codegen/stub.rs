//! What stands in for an item with errors: the same name and signature, nothing that could fail again.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::FnArg;

use crate::ast::{Item, ScalarName, TypeExpr, TypeKind};

/// The function with an empty body.
pub(crate) fn fn_stub(item: &syn::ItemFn) -> TokenStream {
    let (attrs, vis) = (&item.attrs, &item.vis);
    let mut signature = item.sig.clone();
    signature.inputs = signature.inputs.into_iter().filter(|input| matches!(input, FnArg::Typed(_))).collect();
    let message = format!("`{}` has errors", signature.ident);
    quote! {
        #(#attrs)*
        #[allow(unused_variables, unused_mut, dead_code, clippy::all)]
        #vis #signature { ::core::panic!(#message) }
    }
}

/// The const with a value that surely is one; as written when its type is in doubt.
pub(crate) fn const_stub(item: &syn::ItemConst, parsed: &Item, krate: &TokenStream) -> TokenStream {
    let Item::Const(constant) = parsed else { return item.to_token_stream() };
    if !has_zero(&constant.ty) {
        return item.to_token_stream();
    }
    let (attrs, vis, name, ty) = (&item.attrs, &item.vis, &item.ident, &item.ty);
    quote! {
        #(#attrs)*
        #[allow(dead_code)]
        #vis const #name: #ty = <#ty as #krate::__private::data::Value>::ZERO;
    }
}

fn has_zero(ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeKind::Path(path) => path.as_name().is_some_and(|name| ScalarName::from_name(&name.to_string()).is_some()),
        _ => false,
    }
}
