//! Facts that a `select` gives: differences that do not wrap, and Euclidean remainders. They must not learn anything.

use super::Facts;
use crate::ir::{InstKind, ValueId};
use crate::op::Op;
use crate::passes::ranges::Range;

impl Facts<'_> {
    /// The operands of a difference which does not wrap where a `select` takes it: `select x < n, 0, x - n`, `select x == 0, n, x - 1`.
    pub(in crate::passes) fn less_when_chosen(
        &self,
        condition: ValueId,
        truth: bool,
        arm: ValueId,
    ) -> Option<(ValueId, ValueId)> {
        let Some(InstKind::Op(Op::Sub, parts)) = self.definition(arm) else { return None };
        let Some(InstKind::Op(op, compared)) = self.definition(condition) else { return None };
        let ([whole, taken], [a, b]) = ([parts[0], parts[1]], [*compared.first()?, *compared.get(1)?]);
        if self.range(whole).lo < 0 || self.range(taken).lo < 0 {
            return None;
        }
        let most = self.range(taken).hi;
        let is_at_least = match (op, truth) {
            (Op::Lt, false) | (Op::Ge, true) => a == whole && (b == taken || most <= self.range(b).lo),
            (Op::Gt, true) | (Op::Le, false) => a == whole && (b == taken || most <= self.range(b).lo + 1),
            (Op::Eq, false) | (Op::Ne, true) => a == whole && self.range(b) == Range::new(0, 0) && most <= 1,
            _ => false,
        };
        is_at_least.then_some((whole, taken))
    }

    /// The divisor of a Euclidean remainder, if it is positive: `select r < 0, r + abs(d), r` of `r = a % d`. The remainder is not
    /// negative, and below the divisor.
    pub(in crate::passes) fn euclidean(&self, value: ValueId) -> Option<ValueId> {
        let Some(InstKind::Op(Op::Select, chosen)) = self.definition(value) else { return None };
        let [is_negative, sum, rest] = [chosen[0], chosen[1], chosen[2]];
        let (
            Some(InstKind::Op(Op::Lt, compared)),
            Some(InstKind::Op(Op::Add, parts)),
            Some(InstKind::Op(Op::Rem, divided)),
        ) = (self.definition(is_negative), self.definition(sum), self.definition(rest))
        else {
            return None;
        };
        if compared[0] != rest || parts[0] != rest || self.range(compared[1]) != Range::new(0, 0) {
            return None;
        }
        let size = match self.definition(parts[1]) {
            Some(InstKind::Op(Op::Abs, of)) => of[0],
            _ => parts[1],
        };
        if size != divided[1] {
            return None;
        }
        // `select may_not_divide, 1, d`
        let divisor = match self.definition(size) {
            Some(InstKind::Op(Op::Select, chosen)) if self.range(chosen[1]) == Range::new(1, 1) => chosen[2],
            _ => size,
        };
        (self.range(divisor).lo >= 1).then_some(divisor)
    }
}
