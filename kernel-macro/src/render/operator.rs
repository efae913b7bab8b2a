//! Binary operators: integers wrap, division and shifts are checked, `usize` is 32 bits.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use super::Renderer;
use super::types::vector_name;
use crate::ast::{BinaryOp, Expr, ScalarName};
use crate::typed::Ty;

/// An operand already rendered.
pub(super) struct Operand<'t> {
    pub(super) tokens: TokenStream,
    pub(super) ty: &'t Ty,
}

impl Renderer<'_> {
    pub(super) fn binary_expr(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        op_span: Span,
        whole: &Expr,
    ) -> TokenStream {
        let (left_ty, right_ty) = (self.expr_ty(left), self.expr_ty(right));
        let left = Operand { tokens: self.expr(left), ty: left_ty };
        let right = Operand { tokens: self.expr(right), ty: right_ty };
        self.binary(op, left, right, op_span, whole)
    }

    /// `left op right`; `whole` is what a trap names.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: Operand<'_>,
        right: Operand<'_>,
        op_span: Span,
        whole: &Expr,
    ) -> TokenStream {
        let symbol: TokenStream = op.symbol().parse().expect("an operator");
        let symbol = symbol.into_iter().map(|mut token| {
            token.set_span(op_span);
            token
        });
        let symbol: TokenStream = symbol.collect();
        let verbatim = {
            let (left, right) = (&left.tokens, &right.tokens);
            quote_spanned!(op_span=> #left #symbol #right)
        };
        if self.is_original() {
            return verbatim;
        }
        match (op, scalar_of(left.ty)) {
            (BinaryOp::Shl | BinaryOp::Shr, Some(scalar)) => self.shift(op, scalar, left, right),
            (BinaryOp::Div | BinaryOp::Rem, Some(ScalarName::I32 | ScalarName::U32 | ScalarName::Usize)) => {
                let function = if op == BinaryOp::Div { quote!(div) } else { quote!(rem) };
                let sites = self.division_sites(op == BinaryOp::Rem, whole);
                let (left, right) = self.same_shape(left, right);
                let (twin, sink) = (&self.twin, self.sink());
                quote!(#twin::#function(#sink, #sites, #left, #right))
            }
            (
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul,
                Some(scalar @ (ScalarName::I32 | ScalarName::U32 | ScalarName::Usize)),
            ) => {
                let method = match op {
                    BinaryOp::Add => quote!(wrapping_add),
                    BinaryOp::Sub => quote!(wrapping_sub),
                    _ => quote!(wrapping_mul),
                };
                let (left, right) = self.same_shape(left, right);
                self.narrow(scalar, quote!(#left.#method(#right)))
            }
            _ => verbatim,
        }
    }

    fn shift(&self, op: BinaryOp, scalar: ScalarName, left: Operand<'_>, right: Operand<'_>) -> TokenStream {
        let method = if op == BinaryOp::Shl { quote!(wrapping_shl) } else { quote!(wrapping_shr) };
        let (left, right) = (left.tokens, right.tokens);
        let shifted = quote!(#left.#method(#right as ::core::primitive::u32 & 31));
        self.narrow(scalar, shifted)
    }

    /// Results of `usize` arithmetic, cut to the device's 32 bits.
    fn narrow(&self, scalar: ScalarName, value: TokenStream) -> TokenStream {
        let twin = &self.twin;
        if scalar == ScalarName::Usize { quote!(#twin::wrap32(#value)) } else { value }
    }

    /// Both operands, a scalar beside a vector repeated in all lanes.
    fn same_shape(&self, left: Operand<'_>, right: Operand<'_>) -> (TokenStream, TokenStream) {
        let glam = &self.glam;
        let splat = |tokens: TokenStream, scalar: ScalarName, len: u8| {
            let name = vector_name(scalar, len);
            quote!(#glam::#name::splat(#tokens))
        };
        match (left.ty, right.ty) {
            (Ty::Vector(scalar, len), Ty::Scalar(_)) => (left.tokens, splat(right.tokens, *scalar, *len)),
            (Ty::Scalar(_), Ty::Vector(scalar, len)) => (splat(left.tokens, *scalar, *len), right.tokens),
            _ => (left.tokens, right.tokens),
        }
    }
}

fn scalar_of(ty: &Ty) -> Option<ScalarName> {
    match ty {
        Ty::Scalar(scalar) | Ty::Vector(scalar, _) => Some(*scalar),
        _ => None,
    }
}
