//! Binary operators on evaluated operands; `&&` and `||` are control flow and stand in `expr`.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::division::Division;
use super::function::FnCx;
use crate::ast::{BinaryOp, Expr, ExprKind};
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
        let (a, b) = (a?, b?);
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return Some(self.shift(op, a, b));
        }
        if let (BinaryOp::Eq | BinaryOp::Ne, ExprKind::Binary(_, left, right, _)) = (op, &expr.kind) {
            let ty = match self.ty_of(left) {
                Ty::Never => self.ty_of(right),
                ty => ty,
            };
            if !matches!(ty, Ty::Scalar(_) | Ty::Vector(..)) {
                let equal = self.equal_values(ty, a, b);
                let equal = equal.unwrap_or_else(|| self.bool(true));
                return Some(if op == BinaryOp::Eq { equal } else { self.b.op(Op::Not, &[equal]) });
            }
        }
        if let ExprKind::Binary(_, left, right, _) | ExprKind::AssignOp(_, left, right, _) = &expr.kind {
            let (left, right) = (self.ty_of(left).clone(), self.ty_of(right).clone());
            if is_linear(&left) || is_linear(&right) {
                return Some(self.linear_operator(op, (&left, a), (&right, b)));
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
    /// Whether two values are equal, member by member; `None` when they surely are.
    fn equal_values(&mut self, ty: &Ty, a: ValueId, b: ValueId) -> Option<ValueId> {
        let mut tests = Vec::new();
        match ty {
            Ty::Scalar(_) | Ty::Vector(..) | Ty::Quat => tests.push(self.equal(Op::Eq, Op::All, a, b)),
            Ty::Matrix(size) => {
                for index in 0..u32::from(*size) {
                    let (a, b) = (self.b.extract(a, &[index]), self.b.extract(b, &[index]));
                    tests.push(self.equal(Op::Eq, Op::All, a, b));
                }
            }
            Ty::Array(element, len) => {
                for index in 0..len.known()? {
                    let (a, b) = (self.b.extract(a, &[index]), self.b.extract(b, &[index]));
                    tests.extend(self.equal_values(element, a, b));
                }
            }
            Ty::Tuple(_) | Ty::Struct(_) => {
                let members = self.shared.types.members(ty).to_vec();
                let mut position = 0;
                for member in &members {
                    if self.ty(member).is_some() {
                        let (a, b) = (self.b.extract(a, &[position]), self.b.extract(b, &[position]));
                        tests.extend(self.equal_values(member, a, b));
                        position += 1;
                    }
                }
            }
            _ => {
                let (tag, other) = (self.tag_of(ty, a)?, self.tag_of(ty, b)?);
                tests.push(self.b.op(Op::Eq, &[tag, other]));
                let variants = self.shared.program.variants_of(ty)?;
                for (variant, members) in (0u32..).zip(&variants) {
                    let mut equal = Vec::new();
                    for (index, member) in (0u32..).zip(members) {
                        let parts =
                            (self.variant_member(ty, a, variant, index), self.variant_member(ty, b, variant, index));
                        if let (Some(a), Some(b)) = parts {
                            equal.extend(self.equal_values(member, a, b));
                        }
                    }
                    if let Some(equal) = equal.into_iter().reduce(|x, y| self.b.op(Op::And, &[x, y])) {
                        let number = self.u32(variant);
                        let is_other = self.b.op(Op::Ne, &[tag, number]);
                        tests.push(self.b.op(Op::Or, &[is_other, equal]));
                    }
                }
            }
        }
        tests.into_iter().reduce(|x, y| self.b.op(Op::And, &[x, y]))
    }

    fn equal(&mut self, op: Op, joined: Op, a: ValueId, b: ValueId) -> ValueId {
        let lanes = self.b.op(op, &[a, b]);
        if self.shape(a).1 == 1 { lanes } else { self.b.op(joined, &[lanes]) }
    }
}

/// Whether a type is a matrix or a quaternion.
fn is_linear(ty: &Ty) -> bool {
    matches!(ty, Ty::Matrix(_) | Ty::Quat)
}
