//! Binary operators on evaluated operands; `&&` and `||` are control flow and stand in `expr`.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::division::Division;
use super::function::FnCx;
use crate::ast::{BinaryOp, Expr};
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
        if let (BinaryOp::Eq | BinaryOp::Ne, crate::ast::ExprKind::Binary(_, left, ..)) = (op, &expr.kind)
            && matches!(self.ty_of(left), Ty::Struct(_) | Ty::Tuple(_) | Ty::Array(..))
        {
            let equal = self.all_equal(&self.ty_of(left).clone(), a, b);
            return Some(if op == BinaryOp::Eq { equal } else { self.op(Op::Not, &[equal]) });
        }
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

    /// Whether all members of two values are equal.
    fn all_equal(&mut self, ty: &Ty, a: ValueId, b: ValueId) -> ValueId {
        let members: Vec<Ty> = match ty {
            Ty::Array(element, len) => vec![(**element).clone(); *len as usize],
            Ty::Struct(_) | Ty::Tuple(_) => self.shared.types.members(ty).to_vec(),
            _ => return self.equal(Op::Eq, Op::All, a, b),
        };
        let (mut position, mut all) = (0, self.bool(true));
        for member in members {
            if self.ty(&member).is_none() {
                continue;
            }
            let (x, y) = (self.b.extract(a, &[position]), self.b.extract(b, &[position]));
            position += 1;
            let equal = self.all_equal(&member, x, y);
            all = self.op(Op::And, &[all, equal]);
        }
        all
    }

    /// Vectors are equal when all lanes are, and unequal when any is.
    fn equal(&mut self, op: Op, joined: Op, a: ValueId, b: ValueId) -> ValueId {
        let lanes = self.b.op(op, &[a, b]);
        if self.shape(a).1 == 1 { lanes } else { self.b.op(joined, &[lanes]) }
    }
}
