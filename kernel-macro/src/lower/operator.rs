//! Binary operators on evaluated operands; `&&` and `||` are control flow and stand in `expr`.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::division::Division;
use super::function::FnCx;
use crate::ast::{BinaryOp, Expr};

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
    fn equal(&mut self, op: Op, joined: Op, a: ValueId, b: ValueId) -> ValueId {
        let lanes = self.b.op(op, &[a, b]);
        if self.shape(a).1 == 1 { lanes } else { self.b.op(joined, &[lanes]) }
    }
}
