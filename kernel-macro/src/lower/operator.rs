//! Binary operators on evaluated operands; `&&` and `||` are control flow and stand in `expr`.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::coop::is_coop;
use super::division::Division;
use super::function::FnCx;
use crate::ast::{BinaryOp, Expr, ExprKind};
use crate::builtin::overflow::{Arithmetic, Overflow};
use crate::typed::Ty;

impl FnCx<'_, '_, '_> {
    /// A binary operator. `None` when control did not come out of an operand.
    pub(super) fn binary(
        &mut self,
        expr: &Expr,
        op: BinaryOp,
        a: Option<ValueId>,
        b: Option<ValueId>,
    ) -> Option<ValueId> {
        if self.b.is_terminated() {
            return None;
        }
        if let (true, ExprKind::Binary(_, left, right, _)) = (is_comparison(op), &expr.kind) {
            let ty = match self.ty_of(left) {
                Ty::Never => self.ty_of(right),
                ty => ty,
            };
            let is_equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
            let is_bool = *ty == Ty::BOOL && !is_equality;
            if is_bool || !matches!(ty, Ty::Scalar(_) | Ty::Vector(..)) {
                return self.compare_values(op, ty, a, b);
            }
        }
        let (a, mut b) = (a?, b?);
        if let ExprKind::Binary(_, left, right, _) | ExprKind::AssignOp(_, left, right, _) = &expr.kind
            && self.shared.program.is_wrapping(self.ty_of(left))
        {
            let (ty, right) = (self.ty_of(left).clone(), self.ty_of(right).clone());
            return self.wrapped(expr, op, (&ty, a), (&right, b));
        }
        if is_comparison(op) && self.is_wide_operand(expr) {
            return Some(self.compare_numbers(op, a, b));
        }
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            b = self.amount(b);
        }
        if self.is_wide_operand(expr) {
            return Some(match op {
                BinaryOp::Shl | BinaryOp::Shr => self.wide_shift(op == BinaryOp::Shl, a, b),
                _ => self.wide_binary(expr, op, a, b),
            });
        }
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return Some(self.shift(op, a, b));
        }
        if let ExprKind::Binary(_, left, right, _) | ExprKind::AssignOp(_, left, right, _) = &expr.kind {
            let (left, right) = (self.ty_of(left).clone(), self.ty_of(right).clone());
            if is_linear(&left) || is_linear(&right) {
                return Some(self.linear_operator(op, (&left, a), (&right, b)));
            }
            if is_coop(&left) {
                return Some(self.coop_operator(expr, op, a, b));
            }
        }
        let count = self.shape(a).1.max(self.shape(b).1);
        let (a, b) = (self.widen(a, count), self.widen(b, count));
        let op = match op {
            BinaryOp::Div => return Some(self.divide(expr, Division::Quotient, a, b)),
            BinaryOp::Rem => return Some(self.remainder(expr, a, b)),
            BinaryOp::Add => Op::Add,
            BinaryOp::Sub => Op::Sub,
            BinaryOp::Mul => Op::Mul,
            BinaryOp::BitAnd | BinaryOp::And => Op::And,
            BinaryOp::BitOr | BinaryOp::Or => Op::Or,
            BinaryOp::BitXor => Op::Xor,
            BinaryOp::Shl => Op::Shl,
            BinaryOp::Shr => Op::Shr,
            BinaryOp::Eq => return Some(self.equal(Op::Eq, Op::All, a, b)),
            BinaryOp::Ne => return Some(self.equal(Op::Ne, Op::Any, a, b)),
            BinaryOp::Lt => Op::Lt,
            BinaryOp::Le => Op::Le,
            BinaryOp::Gt => Op::Gt,
            BinaryOp::Ge => Op::Ge,
        };
        Some(self.op(op, &[a, b]))
    }

    /// An operator of `core::num::Wrapping`: that of its member. What is assigned may be the member itself, and shifts are by a number.
    fn wrapped(
        &mut self,
        expr: &Expr,
        op: BinaryOp,
        (ty, a): (&Ty, ValueId),
        (right, b): (&Ty, ValueId),
    ) -> Option<ValueId> {
        let a = self.b.extract(a, &[0]);
        let b = if self.shared.program.is_wrapping(right) { self.b.extract(b, &[0]) } else { b };
        let value = match op {
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, a, b),
            BinaryOp::Add => self.op(Op::Add, &[a, b]),
            BinaryOp::Sub => self.op(Op::Sub, &[a, b]),
            BinaryOp::Mul => self.op(Op::Mul, &[a, b]),
            BinaryOp::Div => self.arithmetic(expr, (Overflow::Wrapping, Arithmetic::Div), a, b),
            BinaryOp::Rem => self.arithmetic(expr, (Overflow::Wrapping, Arithmetic::Rem), a, b),
            BinaryOp::BitAnd => self.op(Op::And, &[a, b]),
            BinaryOp::BitOr => self.op(Op::Or, &[a, b]),
            _ => self.op(Op::Xor, &[a, b]),
        };
        let ty = self.ty(ty)?;
        Some(self.compose(ty, &[value]))
    }

    /// `-x` and `!x` of `core::num::Wrapping`.
    pub(super) fn wrapped_unary(&mut self, op: Op, ty: &Ty, value: ValueId) -> Option<ValueId> {
        let member = self.b.extract(value, &[0]);
        let value = match op {
            // Also of unsigned numbers, which have no `-` themselves.
            Op::Neg => {
                let zero = self.int_like(member, 0);
                self.op(Op::Sub, &[zero, member])
            }
            op => self.op(op, &[member]),
        };
        let ty = self.ty(ty)?;
        Some(self.compose(ty, &[value]))
    }

    /// Whether the left operand of an operator is an integer of 128 bits.
    fn is_wide_operand(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Binary(_, left, _, _) | ExprKind::AssignOp(_, left, _, _) => {
                matches!(self.ty_of(left), Ty::Scalar(scalar) if scalar.is_wide())
            }
            _ => false,
        }
    }

    /// A scalar beside a vector counts for each lane.
    fn widen(&mut self, value: ValueId, count: u8) -> ValueId {
        if self.shape(value).1 == count { value } else { self.splat(value, count) }
    }

    /// The amount may have any integer type, and is taken modulo 32: two's complement keeps that for negative ones.
    fn shift(&mut self, op: BinaryOp, value: ValueId, amount: ValueId) -> ValueId {
        let amount = self.cast(amount, Scalar::U32);
        let amount = self.widen(amount, self.shape(value).1);
        let op = if op == BinaryOp::Shl { Op::Shl } else { Op::Shr };
        self.b.op(op, &[value, amount])
    }

    /// Vectors are equal when all lanes are, and unequal when any is.
    pub(super) fn equal(&mut self, op: Op, joined: Op, a: ValueId, b: ValueId) -> ValueId {
        if self.is_wide(a) {
            return self.compare_op(op, a, b);
        }
        let lanes = self.b.op(op, &[a, b]);
        if self.shape(a).1 == 1 { lanes } else { self.b.op(joined, &[lanes]) }
    }
}

/// Whether an operator compares.
const fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

/// Whether a type is a matrix or a quaternion.
fn is_linear(ty: &Ty) -> bool {
    matches!(ty, Ty::Matrix(_) | Ty::Quat)
}
