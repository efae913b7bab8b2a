//! Structs with slices in what runs on the host. There a slice is a `Slice` or `SliceMut`, so the struct has a twin: a struct of the same
//! fields, whose methods are the forms for the twin. Beside the author's methods stand those without `self`, which paths lead to.

use proc_macro2::{Ident, Span, TokenStream};

use super::{Renderer, numbered};
use crate::ast::{Expr, Fn, Item, Path, Pattern};
use crate::emit::tokens::{Tokens, tokens};
use crate::program::held::{HELD_NEW, held_type, owner_is_held};
use crate::program::{ItemId, Program};
use crate::typed::{Ty, TypedFn};

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
        let (path, new) = (super::expr::path_tokens(path), Ident::new(HELD_NEW, Span::call_site()));
        tokens!(#path::#new)
    }
}
