//! Operators in generic functions on operands of unknown type: the twin's support decides at run time, and rustc checks the
//! operator as it was written.

use proc_macro2::{Ident, Span};
use quote::format_ident;

use super::operator::{Operand, symbol, verbatim};
use super::{Renderer, local};
use crate::ast::{BinaryOp, Expr, UnaryOp};
use crate::emit::tokens::{Tokens, tokens, tokens_at};

impl Renderer<'_> {
    /// `left op right` where the type of an operand is unknown.
    pub(super) fn unknown_binary(
        &self,
        op: BinaryOp,
        left: Operand<'_>,
        right: Operand<'_>,
        op_span: Span,
        whole: &Expr,
    ) -> Tokens {
        let Some(function) = function_of(op) else { return verbatim(op, left, right, op_span) };
        let (twin, sites) = (self.twin(), self.sites_of(op, whole));
        let (a, b, symbol) = (local("__left"), local("__right"), symbol(op.symbol(), op_span));
        let (left, right) = (left.tokens, right.tokens);
        let native = tokens_at!(op_span=> |#a, #b| #a #symbol #b);
        tokens!(#twin::generic::#function(#sites #left, #right, #native))
    }

    /// `place op= value` where the type of an operand is unknown.
    pub(super) fn unknown_assign(
        &self,
        op: BinaryOp,
        place: Tokens,
        value: Tokens,
        op_span: Span,
        whole: &Expr,
    ) -> Tokens {
        let symbol = symbol(&format!("{}=", op.symbol()), op_span);
        let Some(function) = function_of(op) else { return tokens_at!(op_span=> #place #symbol #value) };
        let function = format_ident!("{function}_assign");
        let (twin, sites) = (self.twin(), self.sites_of(op, whole));
        let (a, b) = (local("__left"), local("__right"));
        let native = tokens_at!(op_span=> |#a, #b| *#a #symbol #b);
        tokens!(#twin::generic::#function(#sites &mut #place, #value, #native))
    }

    /// `op operand` where the operand's type is unknown.
    pub(super) fn unknown_unary(&self, op: UnaryOp, operand: Tokens) -> Tokens {
        let (twin, a) = (self.twin(), local("__operand"));
        match op {
            UnaryOp::Neg => tokens!(#twin::generic::neg(#operand, |#a| -#a)),
            UnaryOp::Deref => tokens!(*#operand),
            UnaryOp::Not => tokens!(#twin::generic::not(#operand, |#a| !#a)),
        }
    }

    fn sites_of(&self, op: BinaryOp, whole: &Expr) -> Option<Tokens> {
        matches!(op, BinaryOp::Div | BinaryOp::Rem).then(|| {
            let sites = self.division_sites(op == BinaryOp::Rem, whole);
            tokens!(#sites,)
        })
    }
}

/// The support function of an operator that means something else on integers than rustc's code for the host.
fn function_of(op: BinaryOp) -> Option<Ident> {
    let name = match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::Div => "div",
        BinaryOp::Rem => "rem",
        BinaryOp::Shl => "shl",
        BinaryOp::Shr => "shr",
        _ => return None,
    };
    Some(Ident::new(name, Span::call_site()))
}
