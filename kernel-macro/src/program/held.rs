//! Structs with slices, as what runs on the host has them: a struct of the same fields, whose slices are those that invocations share. Here
//! are the names and types of these; `expand/held.rs` writes the structs, and `emit/render/held.rs` what functions do with them.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::parse_quote;

use super::{ItemId, Program, ProgramItem, TypedItem};
use crate::ast::{Item, TypeKind};
use crate::typed::Ty;

/// The function that makes a twin of its fields.
pub(crate) const HELD_NEW: &str = "__from_fields";

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
    let holds = |ty: &Ty| program.has_held(ty);
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
        TypeKind::Path(path) => names_held(program, entry, &path.text()),
        _ => false,
    }
}

fn names_held(program: &Program, entry: &ProgramItem, path: &str) -> bool {
    let Some(item) = entry.uses.get(path) else { return false };
    match &program.items[*item].typed {
        TypedItem::Alias(ty) => program.has_held(ty),
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
