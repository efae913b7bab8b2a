//! Types as tokens.

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};

use quote::format_ident;

use super::expr::path_tokens;
use super::{Mode, Renderer};
use crate::ast::{Enum, Fn, GenericKind, Item, Path, ScalarName, Struct, TypeExpr, TypeKind};
use crate::emit::tokens::{Put as _, Tokens, Word, Writer, tokens, tokens_at};
use crate::infer::role_name;
use crate::program::ItemId;
use crate::typed::{Len, Ty};

impl Renderer<'_> {
    /// A type's tokens, with `_` for what has no name in this scope.
    pub(super) fn ty(&self, ty: &Ty) -> Tokens {
        match ty {
            Ty::Unit => tokens!(()),
            Ty::Scalar(ScalarName::Text) => tokens!(&'static ::core::primitive::str),
            Ty::Scalar(scalar) => {
                if self.is_original() && !scalar.is_half() {
                    let name = Word(scalar.name());
                    return tokens!(#name);
                }
                // Whatever `f32` may mean in this scope: the twin holds the author's types against it.
                self.uses_names();
                Tokens::from(TokenTree::from(scalar_name(*scalar)))
            }
            // glam's `Vec4` compares to `BVec4A` on some targets: left to rustc.
            Ty::Vector(ScalarName::Bool, _) => tokens!(_),
            Ty::Vector(scalar, len) => {
                let (twin, name) = (self.twin(), vector_name(*scalar, *len));
                tokens!(#twin::glam::#name)
            }
            Ty::Matrix(_) | Ty::Quat => {
                let twin = self.twin();
                let name = match ty {
                    Ty::Matrix(size) => format_ident!("Mat{size}"),
                    _ => format_ident!("Quat"),
                };
                tokens!(#twin::glam::#name)
            }
            // `[T; _]` is for newer compilers than the oldest that is supported.
            Ty::Array(_, Len::Param(_) | Len::Unknown) => tokens!(_),
            Ty::Array(element, len) => {
                let (element, len) = (self.ty(element), self.len(*len));
                tokens!([#element; #len])
            }
            Ty::Tuple(members) => {
                let members = members.iter().map(|member| self.ty(member));
                tokens!((#(#members,)*))
            }
            // Its twin has no name here.
            ty if self.is_held(ty) => tokens!(_),
            Ty::Struct(id, args) | Ty::Enum(id, args) => {
                let written = self.item.uses.iter().find(|(_, used)| *used == id).map(|(path, _)| path);
                let Some(written) = written.and_then(|path| path.parse::<TokenStream>().ok()) else {
                    return tokens!(_);
                };
                let Some(args) = args else { return written.into() };
                let args = self.generic_args(*id, args);
                tokens!(#written<#args>)
            }
            Ty::Option(value) => {
                let value = self.ty(value);
                tokens!(::core::option::Option<#value>)
            }
            Ty::Result(value, error) => {
                let (value, error) = (self.ty(value), self.ty(error));
                tokens!(::core::result::Result<#value, #error>)
            }
            Ty::Ordering => tokens!(::core::cmp::Ordering),
            Ty::ConversionError(error) => {
                let (module, name) = (Word(error.module()), Word(error.name()));
                tokens!(::core::#module::#name)
            }
            Ty::Range(value, inclusive) => {
                let (name, value) = (Word(if *inclusive { "RangeInclusive" } else { "Range" }), self.ty(value));
                tokens!(::core::ops::#name<#value>)
            }
            Ty::Atomic(scalar) => {
                let (twin, scalar) = (self.twin(), self.ty(&Ty::Scalar(*scalar)));
                tokens!(#twin::Atomic<#scalar>)
            }
            Ty::Coop(ty) => {
                let (twin, element, role) = (self.twin(), self.ty(&Ty::Scalar(ty.scalar)), Word(role_name(ty.role)));
                let (rows, columns) = (self.len(Len::Known(ty.rows)), self.len(Len::Known(ty.columns)));
                tokens!(#twin::CoopMatrix<#element, #twin::#role, #rows, #columns>)
            }
            Ty::Buffer { .. }
            | Ty::Image(_)
            | Ty::Shared(_)
            | Ty::Const(_)
            | Ty::Chosen(_)
            | Ty::Param(_)
            | Ty::Closure(..)
            | Ty::Iterator(_)
            | Ty::Never
            | Ty::Error => tokens!(_),
        }
    }
}

impl Renderer<'_> {
    /// Assertions that types which count as built-in ones by their names are these: a macro cannot ask what a name stands for.
    pub(super) fn assumed_types(&self, function: &Fn) -> Tokens {
        let mut writer = Writer::new();
        for path in function.assumed.iter().filter(|_| self.keeps_names()) {
            let Some(name) = path.last().filter(|name| is_linear(&name.to_string())) else { continue };
            let (twin, path) = (self.twin(), path_tokens(&Path::plain(false, path.clone())));
            tokens_at!(name.span()=> const _: fn(#path) -> #twin::glam::#name = |own| own;).put(&mut writer);
        }
        writer.finish()
    }

    /// Whether a written type is `T::Name` where `T` is another name of a known type, of which Rust takes no `Name`.
    pub(super) fn is_projection(&self, ty: &TypeExpr) -> bool {
        let (Mode::Twin, Item::Fn(function)) = (self.mode, &self.item.item) else { return false };
        let path = match &ty.kind {
            TypeKind::Path(path) => path,
            TypeKind::Projection { .. } => return !function.generics.params.is_empty(),
            _ => return false,
        };
        let [first, _, ..] = path.segments.as_slice() else { return false };
        function.generics.source.type_params().any(|param| param.ident == *first)
    }

    /// The arguments of a generic struct or enum.
    fn generic_args(&self, item: ItemId, args: &[Ty]) -> Tokens {
        let generics = match &self.program.items[item].item {
            Item::Struct(Struct { generics, .. }) | Item::Enum(Enum { generics, .. }) => &generics.params,
            _ => return tokens!(_),
        };
        let args = args.iter().zip(generics).map(|(arg, param)| match (arg, &param.kind) {
            (Ty::Const(value), GenericKind::Const(ty)) if ty.tokens.to_string() == "bool" => {
                let value = Ident::new(if *value == 0 { "false" } else { "true" }, Span::call_site());
                tokens!(#value)
            }
            (Ty::Const(value), GenericKind::Const(ty)) if ty.tokens.to_string() == "char" => {
                let value = u32::try_from(*value).ok().and_then(char::from_u32).unwrap_or_default();
                Tokens::from(TokenTree::from(Literal::character(value)))
            }
            (Ty::Const(value), _) => {
                let value = Literal::i128_unsuffixed(*value);
                tokens!({ #value })
            }
            (Ty::Chosen(number), _) => self.len(Len::Chosen(*number)),
            (ty, _) => self.ty(ty),
        });
        let args: Vec<_> = args.collect();
        tokens!(#(#args),*)
    }

    /// The length of an array.
    pub(super) fn len(&self, len: Len) -> Tokens {
        match len {
            Len::Known(len) => Tokens::from(TokenTree::from(self.suffixed(len.into(), "usize"))),
            Len::Param(_) | Len::Unknown => tokens!(_),
            Len::Chosen(number) => match self.program.chosen.get(number as usize) {
                Some(chosen) => {
                    let name = &chosen.name;
                    tokens!(#name)
                }
                None => tokens!(_),
            },
        }
    }
}

/// `__f32`
fn scalar_name(scalar: ScalarName) -> Ident {
    let mut text = String::with_capacity(8);
    text.push_str("__");
    text.push_str(scalar.name());
    Ident::new(&text, Span::call_site())
}

/// Whether kernels have a type of glam's of this name.
fn is_linear(name: &str) -> bool {
    let vector = name.trim_start_matches(['I', 'U', 'B']);
    matches!(vector, "Vec2" | "Vec3" | "Vec4" | "Mat2" | "Mat3" | "Mat4" | "Quat")
}

/// glam's name of a vector type.
pub(super) fn vector_name(scalar: ScalarName, len: u8) -> Ident {
    let prefix = match scalar {
        ScalarName::I32 => "I",
        ScalarName::U32 | ScalarName::Usize => "U",
        ScalarName::Bool => "B",
        _ => "",
    };
    Ident::new(&format!("{prefix}Vec{len}"), Span::call_site())
}
