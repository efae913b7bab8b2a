//! The twin of a struct with slices, which what runs on the host has in its place, and the twin's `impl`.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::parse_quote;

use crate::ast::Item;
use crate::program::held::{HELD_NEW, held_name, held_type};
use crate::program::{ItemId, Program};

/// The twin of a struct with slices.
pub(super) fn held_struct(program: &Program, id: ItemId, item: &syn::ItemStruct, krate: &TokenStream) -> TokenStream {
    let Item::Struct(definition) = &program.items[id].item else { return TokenStream::new() };
    let mut twin = item.clone();
    let name = held_name(&item.ident);
    twin.ident = name.clone();
    let derives = definition.derives;
    let derived: Vec<_> = [(derives.clone, quote!(::core::clone::Clone)), (derives.copy, quote!(::core::marker::Copy))]
        .into_iter()
        .filter_map(|(is_derived, path)| is_derived.then_some(path))
        .collect();
    twin.attrs = vec![
        parse_quote!(#[doc(hidden)]),
        parse_quote!(#[allow(warnings, clippy::all)]),
        parse_quote!(#[derive(#(#derived),*)]),
    ];
    let (mut names, mut types) = (Vec::new(), Vec::new());
    let twin_path = quote!(#krate::__private::twin);
    for (position, field) in twin.fields.iter_mut().enumerate() {
        field.attrs.clear();
        let ty = held_type(program, &program.items[id], &field.ty.to_token_stream(), false, &twin_path);
        field.ty = parse_quote!(#ty);
        names.push(format_ident!("__field{position}"));
        types.push(ty);
    }
    let members: Vec<_> = twin.fields.members().collect();
    let (vis, original, new) = (&item.vis, &item.ident, format_ident!("{HELD_NEW}"));
    let (params, args, clauses) = item.generics.split_for_impl();
    quote! {
        #twin
        #[automatically_derived]
        impl #params #krate::__private::twin::Held for #original #args #clauses {
            type Twin = #name #args;
        }
        #[allow(warnings, clippy::all)]
        impl #params #original #args #clauses {
            #[doc(hidden)]
            #[inline]
            #vis fn #new(#(#names: #types),*) -> #name #args { #name { #(#members: #names),* } }
        }
        #[allow(warnings, clippy::all)]
        impl #params #name #args #clauses {
            #[doc(hidden)]
            #[inline]
            #vis fn #new(#(#names: #types),*) -> #name #args { #name { #(#members: #names),* } }
        }
    }
}

/// The `impl` of the twin of a struct with slices.
pub(super) fn held_impl(item: &syn::ItemImpl, functions: &TokenStream) -> TokenStream {
    let syn::Type::Path(mut path) = (*item.self_ty).clone() else { return TokenStream::new() };
    if let Some(last) = path.path.segments.last_mut() {
        last.ident = held_name(&last.ident);
    }
    let consts = item.items.iter().filter_map(|member| match member {
        syn::ImplItem::Const(constant) => {
            let mut constant = constant.clone();
            constant.attrs.clear();
            Some(constant)
        }
        _ => None,
    });
    let (generics, clauses) = (&item.generics, &item.generics.where_clause);
    quote! {
        #[allow(warnings, clippy::all)]
        impl #generics #path #clauses { #(#consts)* #functions }
    }
}
