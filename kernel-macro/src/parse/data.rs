//! Structs and enums that kernels compute with but that never lie in buffers: `#[device] struct` and `#[device] enum`.

use proc_macro2::{Ident, Span};
use quote::ToTokens;

use super::Parser;
use super::module::derives_of;
use super::ty::ungroup;
use crate::ast::{Alias, Enum, Shape, SpanRange, Struct, TypeExpr, TypeKind, Variant};
use crate::diag::{Diagnostics, code};

/// Parses a struct of any shape.
pub(crate) fn parse_device_struct(item: &syn::ItemStruct, diags: &mut Diagnostics) -> Struct {
    let mut parser = Parser::new(diags);
    let generics = parser.generics(&item.generics);
    parser.holds_slices = true;
    parser.lends = true;
    let (shape, fields) = parser.members_of(&item.fields);
    Struct { name: item.ident.clone(), generics, fields, shape, derives: derives_of(&item.attrs) }
}

/// Parses an enum.
pub(crate) fn parse_enum(item: &syn::ItemEnum, diags: &mut Diagnostics) -> Enum {
    let mut parser = Parser::new(diags);
    let generics = parser.generics(&item.generics);
    let before = parser.diags.len();
    let unsigned = item.attrs.iter().any(is_unsigned_repr);
    let variants = item.variants.iter().map(|variant| {
        let (shape, fields) = parser.members_of(&variant.fields);
        let discriminant = variant.discriminant.as_ref().map(|(_, value)| parser.expr(value));
        let is_default = variant.attrs.iter().any(|attr| attr.path().is_ident("default"));
        Variant { name: variant.ident.clone(), fields, shape, discriminant, is_default }
    });
    let variants: Vec<_> = variants.collect();
    parser.refuse_data_lifetimes(&item.generics, before);
    if variants.is_empty() {
        parser
            .diags
            .error(
                code::BAD_STRUCT,
                SpanRange::token(item.ident.span()),
                format!("the enum `{}` has no variants", item.ident),
            )
            .note("there is no value of such a type")
            .help("add a variant");
    }
    let derives = derives_of(&item.attrs);
    Enum { name: item.ident.clone(), generics, variants, unsigned, expr_count: parser.exprs, derives }
}

/// Parses another name of a type.
pub(crate) fn parse_alias(item: &syn::ItemType, diags: &mut Diagnostics) -> Alias {
    let mut parser = Parser::new(diags);
    let generics = parser.generics(&item.generics);
    let before = parser.diags.len();
    let ty = parser.ty(&item.ty);
    parser.refuse_data_lifetimes(&item.generics, before);
    Alias { name: item.ident.clone(), generics, ty, expr_count: parser.exprs }
}

impl Parser<'_> {
    /// How the members are written, and the members; those of a tuple are called `_0`, `_1`, ….
    pub(super) fn members_of(&mut self, fields: &syn::Fields) -> (Shape, Vec<(Ident, TypeExpr)>) {
        let shape = match fields {
            syn::Fields::Named(_) => Shape::Named,
            syn::Fields::Unnamed(_) => Shape::Tuple,
            syn::Fields::Unit => Shape::Unit,
        };
        let members = fields.iter().enumerate().map(|(position, field)| {
            let name = field.ident.clone().unwrap_or_else(|| Ident::new(&format!("_{position}"), Span::call_site()));
            (name, self.member_ty(&field.ty))
        });
        (shape, members.collect())
    }

    fn member_ty(&mut self, ty: &syn::Type) -> TypeExpr {
        if let Some(text) = Self::text_ty(ty, false) {
            return text;
        }
        let syn::Type::Reference(reference) = ungroup(ty) else { return self.ty(ty) };
        if let (syn::Type::Slice(slice), true) = (ungroup(&reference.elem), self.holds_slices) {
            let kind =
                TypeKind::Slice { mutable: reference.mutability.is_some(), element: Box::new(self.ty(&slice.elem)) };
            return TypeExpr { kind, span: SpanRange::of(ty), tokens: ty.to_token_stream() };
        }
        if self.holds_slices && reference.mutability.is_none() {
            return self.lent_ty(ty);
        }
        let help = match ungroup(&reference.elem) {
            syn::Type::Slice(_) => {
                "store its position and length, `first: u32, len: u32`, and pass the slice beside the value; or hold it in a `#[device] struct`"
            }
            syn::Type::Array(_) if self.holds_slices => "hold a slice, `&'a mut [T]`, or the array itself",
            _ if self.holds_slices => {
                "pass it to the methods, `fn step(&mut self, random: &mut Random)`; or hold the value itself, or a slice"
            }
            _ => "hold the value itself, or its index and pass the slice beside",
        };
        let note = match self.holds_slices {
            true => {
                "devices have no pointers to store: a `#[device] struct` holds values, slices, and `&` references, which are values"
            }
            false => "devices have no pointers to store",
        };
        let message = "a reference in a struct or enum is not supported in kernels";
        self.error(code::UNSUPPORTED_SYNTAX, SpanRange::of(ty), message).note(note).help(help);
        TypeExpr { kind: TypeKind::Error, span: SpanRange::of(ty), tokens: ty.to_token_stream() }
    }

    /// Reports the lifetimes of a type, unless what has them was reported: `before`: how many errors there were without it.
    pub(super) fn refuse_data_lifetimes(&mut self, generics: &syn::Generics, before: usize) {
        if self.diags.len() == before {
            self.refuse_lifetimes(generics, "leave them out: a type of kernels holds no references");
        }
    }
}

/// `#[repr(u32)]`
fn is_unsigned_repr(attr: &syn::Attribute) -> bool {
    let mut found = false;
    if attr.path().is_ident("repr") {
        // rustc reports attributes that syn cannot read here.
        let _ = attr.parse_nested_meta(|meta| {
            found |= meta.path.is_ident("u32");
            Ok(())
        });
    }
    found
}
