//! Structs with slices in what runs on the host. There a slice is a `Slice` or `SliceMut`, so the struct has a twin: a struct of the same
//! fields, whose methods are the forms for the twin. Beside the author's methods stand those without `self`, which paths lead to.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::parse_quote;

use super::{Renderer, numbered};
use crate::ast::{Expr, Fn, Item, Path, Pattern};
use crate::emit::tokens::{Tokens, tokens};
use crate::program::{ItemId, Program, ProgramItem, TypedItem};
use crate::typed::{Ty, TypedFn};

/// The function that makes a twin of its fields.
pub(super) const HELD_NEW: &str = "__from_fields";

/// The name of the twin of a struct.
pub(crate) fn held_name(name: &Ident) -> Ident {
    format_ident!("__Twin{}", name, span = name.span())
}

/// Whether a function has its own form for what runs on the host.
pub(crate) fn has_twin(program: &Program, item: ItemId) -> bool {
    let Item::Fn(function) = &program.items[item].item else { return false };
    function.has_twin() || touches_held(program, item)
}

/// Whether structs with slices are part of a function, or it belongs to one.
pub(crate) fn touches_held(program: &Program, item: ItemId) -> bool {
    if program.held_slices.is_empty() {
        return false;
    }
    let (TypedItem::Fn(typed) | TypedItem::Generic(typed)) = &program.items[item].typed else { return false };
    let holds = |ty: &Ty| !program.held_origins(ty).is_empty();
    owner_is_held(program, item)
        || typed.params.iter().chain(&typed.result).any(holds)
        || typed.exprs.iter().chain(&typed.bindings).any(holds)
}

/// Whether a function belongs to a struct with slices.
pub(crate) fn owner_is_held(program: &Program, item: ItemId) -> bool {
    program.items[item].owner.is_some_and(|owner| is_held_impl(program, owner))
}

/// Whether an `impl` is of a struct with slices.
pub(crate) fn is_held_impl(program: &Program, item: ItemId) -> bool {
    let entry = &program.items[item];
    let Item::Impl(implementation) = &entry.item else { return false };
    match &implementation.self_ty.kind {
        crate::ast::TypeKind::Path(path) => names_held(program, entry, &path.text()),
        _ => false,
    }
}

fn names_held(program: &Program, entry: &ProgramItem, path: &str) -> bool {
    let Some(item) = entry.uses.get(path) else { return false };
    match &program.items[*item].typed {
        TypedItem::Alias(ty) => !program.held_origins(ty).is_empty(),
        _ => program.held_slices.contains_key(item),
    }
}

/// A type as what runs on the host has it. `of_original`: where `Self` is the author's struct.
pub(crate) fn held_type(
    program: &Program,
    entry: &ProgramItem,
    written: &TokenStream,
    of_original: bool,
    twin: &TokenStream,
) -> TokenStream {
    let Ok(mut ty) = syn::parse2::<syn::Type>(written.clone()) else { return written.clone() };
    let is_held = |path: &str| match path {
        "Self" => of_original,
        path => names_held(program, entry, path),
    };
    to_twin(&mut ty, &is_held, twin);
    ty.into_token_stream()
}

fn to_twin(ty: &mut syn::Type, is_held: &impl std::ops::Fn(&str) -> bool, twin: &TokenStream) {
    match ty {
        syn::Type::Reference(reference) => {
            if let syn::Type::Slice(slice) = &*reference.elem {
                let element = &slice.elem;
                let lifetime = reference.lifetime.clone().unwrap_or_else(|| parse_quote!('_));
                let name = if reference.mutability.is_some() { quote!(SliceMut) } else { quote!(Slice) };
                *ty = parse_quote!(#twin::#name<#lifetime, #element>);
                return;
            }
            to_twin(&mut reference.elem, is_held, twin);
        }
        syn::Type::Paren(inner) => to_twin(&mut inner.elem, is_held, twin),
        syn::Type::Group(inner) => to_twin(&mut inner.elem, is_held, twin),
        syn::Type::Array(array) => to_twin(&mut array.elem, is_held, twin),
        syn::Type::Tuple(tuple) => tuple.elems.iter_mut().for_each(|elem| to_twin(elem, is_held, twin)),
        syn::Type::Path(path) if path.qself.is_none() => {
            let mut has_types = false;
            for segment in &mut path.path.segments {
                let syn::PathArguments::AngleBracketed(args) = &mut segment.arguments else { continue };
                for arg in &mut args.args {
                    if let syn::GenericArgument::Type(arg) = arg {
                        has_types = true;
                        to_twin(arg, is_held, twin);
                    }
                }
            }
            let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let mut text = names.join("::");
            if path.path.leading_colon.is_some() {
                text.insert_str(0, "::");
            }
            if !is_held(&text) {
                return;
            }
            // Of a type with arguments, rustc must find these by that of a value.
            match path.path.segments.last_mut() {
                Some(last) if has_types => last.ident = held_name(&last.ident),
                _ => {
                    let path = &*path;
                    *ty = parse_quote!(<#path as #twin::Held>::Twin);
                }
            }
        }
        _ => {}
    }
}

/// The twin of a struct with slices.
pub(crate) fn held_struct(program: &Program, id: ItemId, item: &syn::ItemStruct, krate: &TokenStream) -> TokenStream {
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
        names.push(numbered(&format!("__field{position}")));
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

/// The type parameters of a function and its `impl` that stand in types with slices: values of them are what the host shares.
pub(super) fn held_params(program: &Program, item: ItemId, function: &Fn, typed: &TypedFn) -> Vec<Ident> {
    let owner = program.items[item].owner.map(|owner| &program.items[owner].item);
    let mut names: Vec<Ident> = Vec::new();
    let of_owner = match owner {
        Some(Item::Impl(owner)) => Some((&owner.generics.source, owner_is_held(program, item))),
        _ => None,
    };
    if let Some((generics, true)) = of_owner {
        names.extend(generics.type_params().map(|param| param.ident.clone()));
    }
    let all = function.generics.source.type_params().chain(of_owner.iter().flat_map(|(it, _)| it.type_params()));
    for param in all {
        let holds = |ty: &Ty| !program.held_origins(ty).is_empty();
        let types = function.params.iter().zip(&typed.params).filter(|(_, ty)| holds(ty)).map(|(it, _)| &it.ty);
        let result = function.result.as_ref().filter(|_| typed.result.as_ref().is_some_and(holds));
        let is_named = types.chain(result).any(|ty| super::function::names_any(&ty.tokens, &[param.ident.to_string()]));
        if is_named && !names.contains(&param.ident) {
            names.push(param.ident.clone());
        }
    }
    names
}

impl Renderer<'_> {
    /// Whether a type is a struct with slices, in what runs on the host.
    pub(super) fn is_held(&self, ty: &Ty) -> bool {
        !self.is_original() && matches!(ty, Ty::Struct(item, _) if self.program.held_slices.contains_key(item))
    }

    /// A type as the author wrote it, as what runs on the host has it.
    pub(super) fn held_written(&self, written: &TokenStream) -> Tokens {
        let twin = self.twin();
        let twin = TokenStream::from(tokens!(#twin));
        held_type(self.program, self.item, written, self.of_original, &twin).into()
    }

    /// Whether a pattern names structs with slices, in what runs on the host.
    pub(super) fn binds_held(&self, pattern: &Pattern) -> bool {
        let mut found = false;
        pattern.for_each_binding(&mut |_, binding| {
            found |= !self.program.held_origins(self.typed.binding(binding)).is_empty();
        });
        found && !self.is_original()
    }

    /// A struct with slices of its fields, which are evaluated as they are written.
    pub(super) fn held_literal(&mut self, expr: &Expr, path: &Path, fields: &[(Ident, Expr)]) -> Tokens {
        let positions = self.typed.structs.get(&expr.id).cloned().unwrap_or_default();
        let mut lets = Vec::new();
        for ((_, value), position) in fields.iter().zip(&positions) {
            let (name, value) = (numbered(&format!("__field{position}")), self.bare(value));
            lets.push(tokens!(let #name = #value;));
        }
        let names: Vec<_> = (0..positions.len()).map(|position| numbered(&format!("__field{position}"))).collect();
        let made = self.held_new(path);
        tokens!({ #(#lets)* #made(#(#names),*) })
    }

    /// The function that makes a twin of its fields.
    pub(super) fn held_new(&self, path: &Path) -> Tokens {
        let (path, new) = (super::expr::path_tokens(path), format_ident!("{HELD_NEW}"));
        tokens!(#path::#new)
    }
}
