//! Functions of traits that take slices or give iterators, as the twin calls them. Those with a body are rendered; these stand for the others.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::without_references;
use crate::emit::render::{method_twin, names_any};
use crate::parse::elements_given;

/// The declaration in a trait beside a function without a body that takes slices; nothing for all others. An
/// implementation that the device does not see has no form of its own, and never runs it.
pub(super) fn twin_declaration(item: &syn::ItemTrait, function: &syn::TraitItemFn, krate: &TokenStream) -> TokenStream {
    let mut names = vec!["Self".to_owned()];
    for generics in [&item.generics, &function.sig.generics] {
        names.extend(generics.type_params().map(|param| param.ident.to_string()));
    }
    let mut signature = function.sig.clone();
    let mut bounds: Vec<syn::WherePredicate> = Vec::new();
    let mut has_own_form = false;
    for input in &mut signature.inputs {
        let syn::FnArg::Typed(typed) = input else { continue };
        let Some((mutable, element)) = slice(&typed.ty) else { continue };
        has_own_form = true;
        if names_any(&quote!(#element), &names) {
            bounds.push(syn::parse_quote!(#element: #krate::GpuData));
        }
        let name = if mutable { quote!(SliceMut) } else { quote!(Slice) };
        *typed.ty = syn::parse_quote!(#krate::__private::twin::#name<'_, #element>);
    }
    let (mut has_self, mut gives_iterator) = (false, false);
    if let syn::ReturnType::Type(_, ty) = &mut signature.output {
        let lifetime = match &**ty {
            syn::Type::Reference(reference) => reference.lifetime.clone(),
            _ => None,
        };
        if let Some(values) = elements_given(ty).map(|element| without_references(quote!(#element))) {
            has_own_form = true;
            gives_iterator = true;
            **ty = syn::parse_quote!(impl ::core::iter::Iterator<Item = #values>);
        } else if let Some((mutable, element)) = slice(ty) {
            has_own_form = true;
            let name = if mutable { quote!(SliceMut) } else { quote!(Slice) };
            let lifetime = lifetime.unwrap_or_else(|| syn::parse_quote!('_));
            **ty = syn::parse_quote!(#krate::__private::twin::#name<#lifetime, #element>);
        } else if let values = without_references(quote!(#ty))
            && values.to_string() != quote!(#ty).to_string()
            && let Ok(values) = syn::parse2(values)
        {
            has_own_form = true;
            has_self = names_any(&quote!(#ty), &["Self".to_owned()]);
            **ty = values;
        }
    }
    if has_self {
        bounds.push(syn::parse_quote!(Self: ::core::marker::Sized));
    }
    if !has_own_form {
        return TokenStream::new();
    }
    if !bounds.is_empty() {
        signature.generics.make_where_clause().predicates.extend(bounds);
    }
    signature.ident = method_twin(&signature.ident);
    // A function that never returns gives no iterator.
    let end = gives_iterator.then(|| quote!(::core::iter::empty()));
    quote! {
        #[doc(hidden)]
        #[allow(warnings, clippy::all)]
        #signature {
            ::core::unreachable!("only a `#[device]` implementation runs");
            #end
        }
    }
}

/// The type of the elements of `&[T]` and `&mut [T]`, and whether they are written.
fn slice(ty: &syn::Type) -> Option<(bool, syn::Type)> {
    match ty {
        syn::Type::Group(group) => slice(&group.elem),
        syn::Type::Paren(paren) => slice(&paren.elem),
        syn::Type::Reference(reference) => elements(&reference.elem).map(|of| (reference.mutability.is_some(), of)),
        _ => None,
    }
}

fn elements(ty: &syn::Type) -> Option<syn::Type> {
    match ty {
        syn::Type::Group(group) => elements(&group.elem),
        syn::Type::Paren(paren) => elements(&paren.elem),
        syn::Type::Slice(slice) => Some((*slice.elem).clone()),
        _ => None,
    }
}
