//! `Shared<T>` and `Atomic<T>`: types with an argument, and the one call that makes shared memory.

use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type};

use super::Parser;
use crate::ast::{ExprKind, SpanRange, TypeKind};
use crate::diag::code;

/// The type that is shared or atomic, of `Shared<T>` and `Atomic<T>`.
pub(super) fn parallel_type(path: &syn::Path) -> Option<(&syn::Ident, Option<&Type>)> {
    let last = path.segments.last()?;
    (last.ident == "Shared" || last.ident == "Atomic").then(|| (&last.ident, argument(&last.arguments)))
}

/// The only argument in angle brackets, if it is a type.
fn argument(arguments: &PathArguments) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return None };
    match (arguments.args.first(), arguments.args.len()) {
        (Some(GenericArgument::Type(ty)), 1) => Some(ty),
        _ => None,
    }
}

impl Parser<'_> {
    /// `Shared<T>` or `Atomic<T>` as a type.
    pub(super) fn parallel_type(&mut self, path: &syn::Path) -> TypeKind {
        let Some((name, argument)) = parallel_type(path) else { return TypeKind::Error };
        let is_shared = name == "Shared";
        let Some(ty) = argument else {
            let help = if is_shared { "write `Shared<[f32; 256]>`" } else { "write `Atomic<u32>`" };
            let message = format!("`{name}` needs the type that it holds");
            self.error(code::UNKNOWN_TYPE, SpanRange::of(path), message).help(help);
            return TypeKind::Error;
        };
        let ty = Box::new(self.ty(ty));
        if is_shared { TypeKind::Shared(ty) } else { TypeKind::Atomic(ty) }
    }

    /// `Shared::<T>::new()`; `None` for other calls.
    pub(super) fn new_shared(&mut self, call: &syn::ExprCall) -> Option<ExprKind> {
        let syn::Expr::Path(path) = &*call.func else { return None };
        let mut segments = path.path.segments.iter().rev();
        let (last, owner) = (segments.next()?, segments.next()?);
        if path.qself.is_some() || owner.ident != "Shared" {
            return None;
        }
        if last.ident != "new" {
            self.error(code::SHARED_USE, SpanRange::of(path), format!("no function `{}` on type `Shared`", last.ident))
                .help("shared memory is made by `let tile = Shared::<[f32; 256]>::new();` and begins as zeros");
            return Some(ExprKind::Error);
        }
        if let Some(first) = call.args.first() {
            self.error(code::WRONG_ARGUMENTS, SpanRange::of(first), "`Shared::new` takes no arguments")
                .note("shared memory is zero when a workgroup begins")
                .help("write the first values, then call `barrier()`");
            return Some(ExprKind::Error);
        }
        let ty = argument(&owner.arguments).map(|ty| Box::new(self.ty(ty)));
        Some(ExprKind::NewShared { ty, callee: path.to_token_stream() })
    }
}
