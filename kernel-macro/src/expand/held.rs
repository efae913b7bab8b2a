//! The twin of a struct with slices, which what runs on the host has in its place, and the twin's `impl`.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::parse_quote;

use crate::ast::{Item, TypeKind, without_references};
use crate::emit::render::method_twin;
use crate::krate::facade_path;
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
        let written = field.ty.to_token_stream();
        // References to values are these.
        let written = match definition.fields.get(position) {
            Some((_, ty)) if matches!(ty.kind, TypeKind::Slice { .. }) => written,
            _ => without_references(written),
        };
        let ty = held_type(program, &program.items[id], &written, false, &twin_path);
        field.ty = parse_quote!(#ty);
        names.push(format_ident!("__field{position}"));
        types.push(ty);
    }
    let members: Vec<_> = twin.fields.members().collect();
    let unused = item.generics.lifetimes().map(|param| {
        let lifetime = &param.lifetime;
        quote!(&#lifetime ())
    });
    let unused: TokenStream = quote!(::core::marker::PhantomData<(#(#unused,)*)>);
    let rest: syn::Member = match &mut twin.fields {
        syn::Fields::Named(fields) if definition.refers() => {
            fields.named.push(parse_quote!(__lifetimes: #unused));
            parse_quote!(__lifetimes)
        }
        syn::Fields::Unnamed(fields) if definition.refers() => {
            fields.unnamed.push(parse_quote!(#unused));
            syn::Member::from(members.len())
        }
        _ => syn::Member::from(0),
    };
    let rest = definition.refers().then(|| quote!(#rest: ::core::marker::PhantomData));
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
            #vis fn #new(#(#names: #types),*) -> #name #args { #name { #(#members: #names,)* #rest } }
        }
        #[allow(warnings, clippy::all)]
        impl #params #name #args #clauses {
            #[doc(hidden)]
            #[inline]
            #vis fn #new(#(#names: #types),*) -> #name #args { #name { #(#members: #names,)* #rest } }
        }
    }
}

/// The `impl` of the twin of a struct with slices.
pub(super) fn held_impl(program: &Program, id: ItemId, item: &syn::ItemImpl, functions: &TokenStream) -> TokenStream {
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
    let types = held_types(program, id, item);
    let functions = with_types(functions.clone(), &types);
    let iterator = held_iterator(item, &path, &types);
    quote! {
        #[allow(warnings, clippy::all)]
        impl #generics #path #clauses { #(#consts)* #functions }
        #iterator
    }
}

/// The associated types of an `impl` as what runs on the host has them.
fn held_types(program: &Program, id: ItemId, item: &syn::ItemImpl) -> Vec<(syn::Ident, TokenStream)> {
    let krate = facade_path();
    let twin = quote!(#krate::__private::twin);
    let types = item.items.iter().filter_map(|member| match member {
        syn::ImplItem::Type(alias) => {
            let written = without_references(alias.ty.to_token_stream());
            Some((alias.ident.clone(), held_type(program, &program.items[id], &written, true, &twin)))
        }
        _ => None,
    });
    types.collect()
}

/// Tokens with a type in place of each `Self::Name` that stands for it: outside of the `impl` of the trait nobody knows the name.
fn with_types(tokens: TokenStream, types: &[(syn::Ident, TokenStream)]) -> TokenStream {
    if types.is_empty() {
        return tokens;
    }
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is_colon = |tree: Option<&TokenTree>| matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    let (mut made, mut at) = (TokenStream::new(), 0);
    while let Some(tree) = trees.get(at) {
        let is_own = matches!(tree, TokenTree::Ident(name) if name == "Self");
        let member = match trees.get(at + 3) {
            Some(TokenTree::Ident(member)) if is_own && is_colon(trees.get(at + 1)) && is_colon(trees.get(at + 2)) => {
                types.iter().find(|(name, _)| name == member)
            }
            _ => None,
        };
        match (member, tree) {
            (Some((_, ty)), _) => made.extend(ty.clone()),
            (None, TokenTree::Group(group)) => {
                let mut own = Group::new(group.delimiter(), with_types(group.stream(), types));
                own.set_span(group.span());
                made.extend([TokenTree::Group(own)]);
            }
            (None, tree) => made.extend([tree.clone()]),
        }
        at += if member.is_some() { 4 } else { 1 };
    }
    made
}

/// The `impl Iterator` of the twin of a struct with slices.
fn held_iterator(
    item: &syn::ItemImpl,
    path: &syn::TypePath,
    types: &[(syn::Ident, TokenStream)],
) -> Option<TokenStream> {
    let (of, _) = item.trait_.as_ref()?;
    if of.segments.last().is_none_or(|last| last.ident != "Iterator") {
        return None;
    }
    let (_, element) = types.iter().find(|(name, _)| name == "Item")?;
    let (krate, next) = (facade_path(), method_twin(&format_ident!("next")));
    let names = item.generics.type_params().map(|param| &param.ident);
    let bounds = names.map(|name| -> syn::WherePredicate { parse_quote!(#name: #krate::GpuData) });
    let mut generics = item.generics.clone();
    generics.make_where_clause().predicates.extend(bounds);
    let clauses = &generics.where_clause;
    Some(quote! {
        #[allow(warnings, clippy::all)]
        impl #generics ::core::iter::Iterator for #path #clauses {
            type Item = #element;
            #[inline]
            fn next(&mut self) -> ::core::option::Option<Self::Item> { self.#next() }
        }
    })
}
