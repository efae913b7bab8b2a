//! Powers of two that divide values: what counts in sixteens and is below 100 is at most 96. Proves nothing itself.
//!
//! Powers of two divide what wraps, too: all that is asked of a value is its lowest bits.

use super::facts::Facts;
use crate::ir::{InstKind, ValueId};
use crate::op::Op;

/// How many operations deep a value is followed.
const DEPTH: usize = 6;
/// The highest power that is told apart.
const MOST: u32 = 31;

impl Facts<'_> {
    /// How many of an integer's lowest bits are certainly zero.
    pub(super) fn low_zeros(&self, value: ValueId) -> u32 {
        self.low_zeros_within(value, DEPTH).min(MOST)
    }

    fn low_zeros_within(&self, value: ValueId, depth: usize) -> u32 {
        if let Some((_, zeros)) = self.twos.iter().find(|(param, _)| *param == value) {
            return *zeros;
        }
        let Some(depth) = depth.checked_sub(1) else { return 0 };
        let of = |value: ValueId| self.low_zeros_within(value, depth);
        match self.definition(value) {
            Some(InstKind::Const(_)) => {
                let range = self.range(value);
                if range.lo == range.hi { range.lo.trailing_zeros().min(MOST) } else { 0 }
            }
            Some(InstKind::Op(op, operands)) => match op {
                Op::Add | Op::Sub | Op::Or | Op::Xor => of(operands[0]).min(of(operands[1])),
                Op::Mul => (of(operands[0]) + of(operands[1])).min(MOST),
                Op::And => of(operands[0]).max(of(operands[1])),
                Op::Select => of(operands[1]).min(of(operands[2])),
                Op::Shl => {
                    let (by, bits) = (self.range(operands[1]), self.integer(value).map_or(0, |scalar| scalar.bits()));
                    // A distance that is too large is masked.
                    match u32::try_from(by.lo) {
                        Ok(distance) if by.lo == by.hi && distance < bits => (of(operands[0]) + distance).min(MOST),
                        _ => 0,
                    }
                }
                Op::Cast if self.integer(operands[0]).is_some() => of(operands[0]),
                _ => 0,
            },
            _ => 0,
        }
    }

    /// Whether a value is what a mask leaves of a multiple of a larger power of two: nothing.
    pub(super) fn is_masked_away(&self, value: ValueId) -> bool {
        let Some(InstKind::Op(Op::And, operands)) = self.definition(value) else { return false };
        [(operands[0], operands[1]), (operands[1], operands[0])].into_iter().any(|(value, mask)| {
            let mask = self.range(mask);
            mask.lo >= 0 && mask.hi < 1 << self.low_zeros(value)
        })
    }

    /// Notes what a loop's parameter is a multiple of, given its first value and those it goes on with.
    pub(super) fn note_counter(&mut self, param: ValueId, first: ValueId, next: impl Iterator<Item = ValueId>) {
        if self.integer(param).is_none() || self.twos.iter().any(|(known, _)| *known == param) {
            return;
        }
        let mut zeros = self.low_zeros(first);
        for next in next.filter(|next| *next != param) {
            let step = match self.definition(next) {
                Some(InstKind::Op(Op::Add | Op::Sub, operands)) if operands[0] == param => operands[1],
                Some(InstKind::Op(Op::Add, operands)) if operands[1] == param => operands[0],
                _ => return,
            };
            zeros = zeros.min(self.low_zeros(step));
        }
        if zeros > 0 {
            self.twos.push((param, zeros));
        }
    }
}
