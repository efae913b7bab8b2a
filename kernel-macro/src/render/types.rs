//! Types as tokens.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::Renderer;
use crate::ast::ScalarName;
use crate::typed::Ty;

impl Renderer<'_> {
    /// A type's tokens, with `_` for what has no name in this scope.
    pub(super) fn ty(&self, ty: &Ty) -> TokenStream {
        match ty {
            Ty::Unit => quote!(()),
            Ty::Scalar(scalar) => {
                let name = Ident::new(scalar.name(), Span::call_site());
                quote!(::core::primitive::#name)
            }
            // glam's `Vec4` compares to `BVec4A` on some targets: left to rustc.
            Ty::Vector(ScalarName::Bool, _) => quote!(_),
            Ty::Vector(scalar, len) => {
                let (glam, name) = (&self.glam, vector_name(*scalar, *len));
                quote!(#glam::#name)
            }
            Ty::Array(element, len) => {
                let (element, len) = (self.ty(element), Literal::usize_suffixed(*len as usize));
                quote!([#element; #len])
            }
            Ty::Tuple(members) => {
                let members = members.iter().map(|member| self.ty(member));
                quote!((#(#members,)*))
            }
            Ty::Struct(id) => {
                let written = self.item.uses.iter().find(|(_, used)| *used == id).map(|(path, _)| path);
                written.and_then(|path| path.parse().ok()).unwrap_or_else(|| quote!(_))
            }
            Ty::Buffer { .. } | Ty::Never | Ty::Error => quote!(_),
        }
    }
}

/// glam's name of a vector type.
pub(super) fn vector_name(scalar: ScalarName, len: u8) -> Ident {
    let prefix = match scalar {
        ScalarName::F32 => "",
        ScalarName::I32 => "I",
        ScalarName::U32 | ScalarName::Usize => "U",
        ScalarName::Bool => "B",
    };
    Ident::new(&format!("{prefix}Vec{len}"), Span::call_site())
}
