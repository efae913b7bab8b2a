//! Binary operators on evaluated operands; `&&` and `||` are control flow and stand in `expr`.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::division::Division;
use super::function::FnCx;
use crate::ast::{BinaryOp, Expr};
use crate::typed::Ty;

impl FnCx<'_, '_, '_> {
    /// A binary operator; each operand comes with its type. `None` when an operand did not come out.
    pub(super) fn binary(
        &mut self,
        expr: &Expr,
        op: BinaryOp,
        (a, a_ty): (Option<ValueId>, &Ty),
        (b, b_ty): (Option<ValueId>, &Ty),
    ) -> Option<ValueId> {
        if self.b.is_terminated() {
            return None;
        }
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            let equal = self.equal(op == BinaryOp::Eq, a, b, a_ty)?;
            return Some(equal);
        }
        let (a, b) = (a?, b?);
        if let Ty::Scalar(crate::ast::ScalarName::Bool) = (a_ty, b_ty).0
            && let Some(value) = self.bool_order(op, a, b)
        {
            return Some(value);
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
            BinaryOp::Eq => Op::Eq,
            BinaryOp::Ne => Op::Ne,
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

    /// `false < true`.
    fn bool_order(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> Option<ValueId> {
        let (negated, other, op) = match op {
            BinaryOp::Lt => (a, b, Op::And),
            BinaryOp::Le => (a, b, Op::Or),
            BinaryOp::Gt => (b, a, Op::And),
            BinaryOp::Ge => (b, a, Op::Or),
            _ => return None,
        };
        let negated = self.b.op(Op::Not, &[negated]);
        Some(self.b.op(op, &[negated, other]))
    }

    /// Equality (or its opposite) of values of one type, member by member for composites.
    fn equal(&mut self, wanted: bool, a: Option<ValueId>, b: Option<ValueId>, ty: &Ty) -> Option<ValueId> {
        if self.ty(ty).is_none() {
            return Some(self.bool(wanted));
        }
        let (a, b) = (a?, b?);
        let op = if wanted { Op::Eq } else { Op::Ne };
        let count = match ty {
            Ty::Vector(..) => {
                let lanes = self.b.op(op, &[a, b]);
                return Some(self.b.op(if wanted { Op::All } else { Op::Any }, &[lanes]));
            }
            Ty::Array(_, len) => *len,
            Ty::Tuple(_) | Ty::Struct(_) => self.shared.types.members(ty).len() as u32,
            _ => return Some(self.b.op(op, &[a, b])),
        };
        let mut result = None;
        for index in 0..count {
            let member_ty = self.member_ty(ty, index);
            if self.ty(&member_ty).is_none() {
                continue;
            }
            let position = self.shared.types.position(self.b.types_mut(), ty, index);
            let (x, y) = (self.b.extract(a, &[position]), self.b.extract(b, &[position]));
            let member = self.equal(wanted, Some(x), Some(y), &member_ty)?;
            let joined = if wanted { Op::And } else { Op::Or };
            result = Some(result.map_or(member, |before| self.b.op(joined, &[before, member])));
        }
        result
    }
}
