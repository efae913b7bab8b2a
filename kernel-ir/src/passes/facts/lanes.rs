//! Facts about lanes of vectors, which ops compute lane by lane, and about bits that a number certainly has.

use super::Facts;
use crate::ir::{Constant, InstKind, ValueId};
use crate::op::Op;
use crate::passes::ranges::{self, Range};
use crate::types::{Scalar, Type};

/// How many ops lead to a lane, at most.
const STEPS: usize = 3;

impl Facts<'_> {
    /// The interval of a lane of a vector of integers, by the ops that made the vector.
    pub(super) fn lane(&self, vector: ValueId, lane: u32) -> Range {
        self.lane_within(vector, lane, STEPS)
    }

    fn lane_within(&self, value: ValueId, lane: u32, depth: usize) -> Range {
        let scalar = match *self.types.get(self.function.values[value].ty) {
            Type::Vector(scalar, _) if scalar.is_int() => scalar,
            // An operand that all lanes share.
            Type::Scalar(scalar) if scalar.is_int() => return self.range(value),
            _ => return Range::ANY,
        };
        let full = Range::full(scalar);
        let Some(depth) = depth.checked_sub(1) else { return full };
        match self.definition(value) {
            Some(InstKind::Const(Constant::Zero)) => Range::new(0, 0),
            Some(InstKind::Compose(members)) => members.get(lane as usize).map_or(full, |member| self.range(*member)),
            Some(InstKind::Op(op, operands)) if operands.len() <= 3 => {
                let mut found = [Range::ANY; 3];
                for (range, operand) in found.iter_mut().zip(operands) {
                    *range = self.lane_within(*operand, lane, depth);
                }
                ranges::of_op(*op, scalar, &found[..operands.len()])
            }
            _ => full,
        }
    }

    /// Whether a number is certainly not zero because of a bit that `|` has set: `b | 1`.
    pub(super) fn has_a_bit(&self, value: ValueId) -> bool {
        match self.definition(self.stripped(value)) {
            Some(InstKind::Op(Op::Or, operands)) => operands.iter().any(|operand| is_set(self.range(*operand))),
            Some(InstKind::Extract(vector, path)) if path.len() == 1 => self.lane_has_a_bit(*vector, path[0]),
            _ => false,
        }
    }

    fn lane_has_a_bit(&self, vector: ValueId, lane: u32) -> bool {
        match self.definition(vector) {
            Some(InstKind::Op(Op::Or, operands)) => operands.iter().any(|operand| is_set(self.lane(*operand, lane))),
            _ => false,
        }
    }

    /// Whether a comparison of vectors certainly holds in no lane.
    pub(super) fn never_in_a_lane(&self, condition: ValueId) -> bool {
        match *self.types.get(self.function.values[condition].ty) {
            Type::Vector(Scalar::Bool, count) => (0..count.into()).all(|lane| self.never_in_lane(condition, lane)),
            _ => false,
        }
    }

    fn never_in_lane(&self, condition: ValueId, lane: u32) -> bool {
        match self.definition(condition) {
            Some(InstKind::Op(Op::And, parts)) => parts.iter().any(|part| self.never_in_lane(*part, lane)),
            Some(InstKind::Op(Op::Or, parts)) => parts.iter().all(|part| self.never_in_lane(*part, lane)),
            Some(InstKind::Op(Op::Eq, operands)) => {
                let (a, b) = (self.lane(operands[0], lane), self.lane(operands[1], lane));
                let is_zero = (b.lo, b.hi) == (0, 0);
                a.hi < b.lo || b.hi < a.lo || is_zero && self.lane_has_a_bit(operands[0], lane)
            }
            _ => false,
        }
    }
}

/// Whether zero is not in an interval.
fn is_set(range: Range) -> bool {
    range.lo > 0 || range.hi < 0
}
