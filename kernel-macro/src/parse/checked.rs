//! `&Distinct<u32>` and `&Offsets<u32>` as types of a kernel's parameter: slices whose elements were checked before the launch.

use gridwise_ir::ir::Checked;
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type};

use super::Parser;
use super::ty::ungroup;
use crate::ast::{SpanRange, TypeKind};
use crate::diag::code;

/// The property that `&Distinct<T>` or `&Offsets<T>` promises, the element, and whether the reference is `&mut`.
pub(super) fn checked_element(ty: &Type) -> Option<(Checked, &Type, bool)> {
    [Checked::Distinct, Checked::Offsets].into_iter().find_map(|checked| {
        let (element, mutable) = wrapped_element(ty, checked.name())?;
        Some((checked, element, mutable))
    })
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
    /// The slice that a kernel's parameter of type `&Distinct<T>` or `&Offsets<T>` is in the kernel; `None` for other types.
    pub(super) fn checked_param(&mut self, ty: &Type) -> Option<(Checked, TypeKind)> {
        let (checked, element, mutable) = checked_element(ty)?;
        if let Type::Reference(reference) = ungroup(ty)
            && let Some(lifetime) = &reference.lifetime
        {
            self.unsupported(lifetime, "this lifetime is", "remove the lifetime");
        }
        if mutable {
            let (what, why) = match checked {
                Checked::Distinct => ("numbers that were found to differ", "a write could make two of them equal"),
                Checked::Offsets => ("numbers that were found to ascend", "a write could make two rows overlap"),
            };
            self.error(code::PARAMETER_TYPE, SpanRange::of(ty), format!("{what} are only read"))
                .note(why)
                .help(format!("write `&{}<{}>`", checked.name(), element.to_token_stream()));
        }
        Some((checked, TypeKind::Slice { mutable: false, element: Box::new(self.ty(element)) }))
    }
}
