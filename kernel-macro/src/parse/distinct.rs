//! `&Distinct<u32>` as the type of a kernel's parameter: a slice whose elements all differ.

use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type};

use super::Parser;
use super::ty::ungroup;
use crate::ast::{SpanRange, TypeKind};
use crate::diag::code;

/// The element of `&Distinct<T>`, and whether the reference is `&mut`.
pub(super) fn distinct_element(ty: &Type) -> Option<(&Type, bool)> {
    wrapped_element(ty, "Distinct")
}

/// The element of a reference to such a type, `&Name<T>`, and whether the reference is `&mut`.
pub(super) fn wrapped_element<'t>(ty: &'t Type, name: &str) -> Option<(&'t Type, bool)> {
    let Type::Reference(reference) = ungroup(ty) else { return None };
    let Type::Path(path) = ungroup(&reference.elem) else { return None };
    let last = path.path.segments.last().filter(|last| path.qself.is_none() && last.ident == name)?;
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    match (args.args.first(), args.args.len()) {
        (Some(GenericArgument::Type(element)), 1) => Some((element, reference.mutability.is_some())),
        _ => None,
    }
}

impl Parser<'_> {
    /// The slice that a kernel's parameter of type `&Distinct<T>` is in the kernel; `None` for other types.
    pub(super) fn distinct_param(&mut self, ty: &Type) -> Option<TypeKind> {
        let (element, mutable) = distinct_element(ty)?;
        if let Type::Reference(reference) = ungroup(ty)
            && let Some(lifetime) = &reference.lifetime
        {
            self.unsupported(lifetime, "this lifetime is", "remove the lifetime");
        }
        if mutable {
            self.error(code::PARAMETER_TYPE, SpanRange::of(ty), "numbers that were found to differ are only read")
                .note("a write could make two of them equal")
                .help(format!("write `&Distinct<{}>`", element.to_token_stream()));
        }
        Some(TypeKind::Slice { mutable: false, element: Box::new(self.ty(element)) })
    }
}
