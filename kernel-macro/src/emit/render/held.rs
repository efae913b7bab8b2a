//! Structs with slices in what runs on the host. There a slice is a `Slice` or `SliceMut`, so the struct has a twin: a struct of the same
//! fields, whose methods are the forms for the twin. Beside the author's methods stand those without `self`, which paths lead to.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;

use super::{Renderer, local, numbered};
use crate::ast::{Expr, ExprKind, Fn, Item, Path, Pattern, Shape, UnaryOp};
use crate::emit::tokens::{Plain, Tokens, tokens};
use crate::program::held::{HELD_NEW, held_type, owner_is_held};
use crate::program::{ItemId, Program};
use crate::typed::{Ty, TypedFn};

/// The type parameters of a function and its `impl` that stand in types with slices or references, and whether slices are of them: values
/// of these are what the host shares, and what others refer to is copied.
pub(super) fn held_params(program: &Program, item: ItemId, function: &Fn, typed: &TypedFn) -> Vec<(Ident, bool)> {
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
        let holds = |ty: &Ty| program.has_held(ty);
        let types = function.params.iter().zip(&typed.params).filter(|(_, ty)| holds(ty)).map(|(it, _)| &it.ty);
        let result = function.result.as_ref().filter(|_| typed.result.as_ref().is_some_and(holds));
        let is_named = types.chain(result).any(|ty| super::function::names_any(&ty.tokens, &[param.ident.to_string()]));
        if is_named && !names.contains(&param.ident) {
            names.push(param.ident.clone());
        }
    }
    let mut shared = Vec::new();
    let owner_ty = match owner {
        Some(Item::Impl(owner)) => Some(&owner.self_ty.tokens),
        _ => None,
    };
    let written = function.params.iter().map(|param| &param.ty).chain(&function.result).map(|ty| &ty.tokens);
    for tokens in written.chain(owner_ty) {
        if let Ok(ty) = syn::parse2::<syn::Type>(tokens.clone()) {
            add_shared(program, item, &ty, &mut shared);
        }
    }
    let is_shared = |name: &Ident| shared.iter().any(|of| super::function::names_any(of, &[name.to_string()]));
    names.into_iter().map(|name| (name.clone(), is_shared(&name))).collect()
}

/// Adds the arguments of structs that are in the elements of the slices that they hold.
fn add_shared(program: &Program, item: ItemId, ty: &syn::Type, shared: &mut Vec<TokenStream>) {
    match ty {
        syn::Type::Reference(to) => add_shared(program, item, &to.elem, shared),
        syn::Type::Paren(of) => add_shared(program, item, &of.elem, shared),
        syn::Type::Group(of) => add_shared(program, item, &of.elem, shared),
        syn::Type::Array(of) => add_shared(program, item, &of.elem, shared),
        syn::Type::Slice(of) => add_shared(program, item, &of.elem, shared),
        syn::Type::Tuple(of) => of.elems.iter().for_each(|elem| add_shared(program, item, elem, shared)),
        syn::Type::Path(of) => {
            let names: Vec<String> = of.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let own = program.items[item].uses.get(&names.join("::"));
            let is_alias = own.is_some_and(|own| matches!(program.items[*own].item, Item::Alias(_)));
            let held = own.and_then(|own| program.held_slices.get(own)).map_or(&[][..], Vec::as_slice);
            let Some(syn::PathArguments::AngleBracketed(args)) = of.path.segments.last().map(|last| &last.arguments)
            else {
                return;
            };
            let args = args.args.iter().filter(|arg| !matches!(arg, syn::GenericArgument::Lifetime(_)));
            for (position, arg) in (0..).zip(args) {
                let syn::GenericArgument::Type(arg) = arg else { continue };
                // Of an alias nothing is known here.
                if is_alias || held.iter().any(|slice| slice.names_param(position)) {
                    shared.push(arg.to_token_stream());
                }
                add_shared(program, item, arg, shared);
            }
        }
        _ => {}
    }
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
            found |= self.program.has_held(self.typed.binding(binding));
        });
        found && !self.is_original()
    }

    /// A struct with slices of its fields, which are evaluated as they are written; those that are left out are the base's.
    pub(super) fn held_literal(
        &mut self,
        expr: &Expr,
        path: &Path,
        fields: &[(Ident, Expr)],
        base: Option<&Expr>,
    ) -> Tokens {
        let positions = self.typed.structs.get(&expr.id).cloned().unwrap_or_default();
        let mut lets = Vec::new();
        for ((_, value), position) in fields.iter().zip(&positions) {
            let (name, value) = (numbered(&format!("__field{position}")), self.bare(value));
            lets.push(tokens!(let #name = #value;));
        }
        if let Some(base) = base {
            let is_place = is_place(base);
            let mut value = self.bare(base);
            if !is_place {
                let name = local("__base");
                lets.push(tokens!(let #name = #value;));
                value = tokens!(#name);
            }
            for (position, member) in (0..).zip(self.held_members(self.expr_ty(expr))) {
                if !positions.contains(&position) {
                    let name = numbered(&format!("__field{position}"));
                    let of = value.copy();
                    lets.push(tokens!(let #name = (#of).#member;));
                }
            }
        }
        let count = self.held_members(self.expr_ty(expr)).len();
        let names: Vec<_> = (0..count).map(|position| numbered(&format!("__field{position}"))).collect();
        let made = self.held_new(path);
        tokens!({ #(#lets)* #made(#(#names),*) })
    }

    /// `let View { data, width } = view;` in what runs on the host, where the struct has another name.
    pub(super) fn held_let(&mut self, pattern: &Pattern, value: Option<&Expr>) -> Option<Tokens> {
        let value = value.filter(|value| self.is_held(self.expr_ty(value)))?;
        let members = self.held_members(self.expr_ty(value));
        let named: Vec<(usize, &Pattern)> = match pattern {
            Pattern::Struct { id, fields, .. } => {
                let positions = self.typed.structs.get(id)?;
                positions.iter().map(|position| *position as usize).zip(fields.iter().map(|it| &it.pattern)).collect()
            }
            Pattern::TupleStruct { members: patterns, .. } => crate::ast::spread(patterns, members.len())?,
            _ => return None,
        };
        let name = local("__held");
        // Of a place only what the pattern names is moved.
        let of = match is_place(value) {
            true => self.bare(value),
            false => tokens!(#name),
        };
        let (mut patterns, mut parts) = (Vec::new(), Vec::new());
        for (position, pattern) in named {
            if let Pattern::Binding { .. } = pattern {
                patterns.push(self.pattern(pattern));
                let member = members.get(position)?.copy();
                let of = of.copy();
                parts.push(tokens!((#of).#member));
            }
        }
        if is_place(value) {
            return Some(tokens!(let (#(#patterns,)*) = (#(#parts,)*);));
        }
        let value = self.argument(value);
        Some(tokens!(let (#(#patterns,)*) = match #value { #name => (#(#parts,)*) };))
    }

    /// The names of the members of a struct with slices.
    fn held_members(&self, ty: &Ty) -> Vec<Tokens> {
        let Ty::Struct(item, _) = ty else { return Vec::new() };
        let Item::Struct(definition) = &self.program.items[*item].item else { return Vec::new() };
        let is_tuple = definition.shape == Shape::Tuple;
        let members = (0..).zip(&definition.fields).map(|(position, (name, _))| match is_tuple {
            true => {
                let position = Plain(position);
                tokens!(#position)
            }
            false => tokens!(#name),
        });
        members.collect()
    }

    /// The function that makes a twin of its fields.
    pub(super) fn held_new(&self, path: &Path) -> Tokens {
        let (path, new) = (super::expr::path_tokens(path), Ident::new(HELD_NEW, Span::call_site()));
        tokens!(#path::#new)
    }
}

/// Whether an expression names a place, and so may be written several times.
fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Path(_) => true,
        ExprKind::Paren(inner, ..) | ExprKind::Unary(UnaryOp::Deref, inner) | ExprKind::Field { base: inner, .. } => {
            is_place(inner)
        }
        _ => false,
    }
}
