//! Intervals of integers, and how ops carry them. Wrapping gives the whole interval of the type.

use crate::op::Op;
use crate::types::Scalar;

/// The values an integer may have, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) lo: i128,
    pub(super) hi: i128,
}

impl Range {
    /// Holds the values of every type.
    pub(super) const ANY: Self = Self { lo: i64::MIN as i128, hi: u64::MAX as i128 };

    pub(super) fn new(lo: i128, hi: i128) -> Self {
        Self { lo, hi }
    }

    /// All values of a type.
    pub(super) fn full(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Bool => Self::new(0, 1),
            _ if scalar.is_unsigned() => Self::new(0, scalar.mask().into()),
            _ if scalar.is_signed() => {
                let end = i128::from(scalar.mask() >> 1);
                Self::new(-end - 1, end)
            }
            _ => Self::ANY,
        }
    }

    pub(super) fn is_within(self, outer: Self) -> bool {
        self.lo >= outer.lo && self.hi <= outer.hi
    }

    /// The values in both; `self` when there are none, which happens only in code that never runs.
    pub(super) fn meet(self, other: Self) -> Self {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        if lo <= hi { Self { lo, hi } } else { self }
    }

    /// The values in either, and those between.
    pub(super) fn join(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The interval if the type, of which all values are given, can hold it, else all values of the type.
    fn or_wrapped(self, full: Self) -> Self {
        if self.is_within(full) { self } else { full }
    }

    /// The interval of sums that all wrap around once, as where a step back is added as a large number.
    fn less_a_wrap(self, full: Self) -> Self {
        let by = full.hi - full.lo + 1;
        if self.lo > full.hi { Self::new(self.lo - by, self.hi - by) } else { self }
    }

    fn is_positive(self) -> bool {
        self.lo > 0
    }

    fn is_natural(self) -> bool {
        self.lo >= 0
    }
}

/// The values an op may give for operands in these intervals; `result` is the type of the result, an integer.
pub(super) fn of_op(op: Op, result: Scalar, operands: &[Range]) -> Range {
    let full = Range::full(result);
    let a = operands.first().copied().unwrap_or(Range::ANY);
    let b = operands.get(1).copied().unwrap_or(Range::ANY);
    match op {
        Op::Add => Range::new(a.lo + b.lo, a.hi + b.hi).less_a_wrap(full).or_wrapped(full),
        Op::Sub => Range::new(a.lo - b.hi, a.hi - b.lo).or_wrapped(full),
        Op::Mul if a.is_natural() && b.is_natural() => {
            Range::new(a.lo.saturating_mul(b.lo), a.hi.saturating_mul(b.hi)).or_wrapped(full)
        }
        Op::Mul => {
            let products = [a.lo, a.hi].map(|x| [b.lo, b.hi].map(|y| x.saturating_mul(y)));
            let ends = products.as_flattened();
            let (lo, hi) = ends.iter().fold((i128::MAX, i128::MIN), |(lo, hi), end| (lo.min(*end), hi.max(*end)));
            Range::new(lo, hi).or_wrapped(full)
        }
        Op::Neg => Range::new(-a.hi, -a.lo).or_wrapped(full),
        Op::Div if a.is_natural() && b.is_natural() => Range::new(a.lo / b.hi.max(1), a.hi / b.lo.max(1)),
        Op::Rem if a.is_natural() && b.is_natural() => {
            if a.hi < b.lo {
                a
            } else {
                Range::new(0, a.hi.min(b.hi.max(1) - 1))
            }
        }
        Op::Rem if b.is_positive() => Range::new(1 - b.hi, b.hi - 1),
        Op::And if a.is_natural() && b.is_natural() => Range::new(0, a.hi.min(b.hi)),
        Op::And if a.is_natural() => Range::new(0, a.hi),
        Op::And if b.is_natural() => Range::new(0, b.hi),
        Op::Or if a.is_natural() && b.is_natural() => Range::new(a.lo.max(b.lo), ones(a.hi | b.hi)),
        Op::Xor if a.is_natural() && b.is_natural() => Range::new(0, ones(a.hi | b.hi)),
        Op::Shl if a.is_natural() && b.lo == b.hi && (0..result.bits().into()).contains(&b.lo) => {
            Range::new(a.lo << b.lo, a.hi << b.lo).or_wrapped(full)
        }
        Op::Shr if b.lo == b.hi && (0..result.bits().into()).contains(&b.lo) => Range::new(a.lo >> b.lo, a.hi >> b.lo),
        Op::Shr if a.is_natural() => Range::new(0, a.hi),
        Op::Min => Range::new(a.lo.min(b.lo), a.hi.min(b.hi)),
        Op::Max => Range::new(a.lo.max(b.lo), a.hi.max(b.hi)),
        Op::Abs if a.is_natural() => a,
        Op::Abs if a.lo > full.lo => Range::new(0, a.hi.max(-a.lo)),
        Op::Cast | Op::Bitcast => a.or_wrapped(full),
        Op::Select => b.join(operands.get(2).copied().unwrap_or(full)),
        Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros => Range::new(0, 64),
        _ => full,
    }
}

/// The smallest number of the form 2^n - 1 that is not below `value`.
fn ones(value: i128) -> i128 {
    ((value as u128 + 1).next_power_of_two() - 1) as i128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_may_wrap_are_unknown() {
        let one = Range::new(1, 1);
        assert_eq!(of_op(Op::Add, Scalar::U32, &[Range::new(0, 9), one]), Range::new(1, 10));
        assert_eq!(of_op(Op::Add, Scalar::U32, &[Range::full(Scalar::U32), one]), Range::full(Scalar::U32));
        assert_eq!(of_op(Op::Sub, Scalar::U32, &[Range::new(0, 9), one]), Range::full(Scalar::U32));
        assert_eq!(of_op(Op::Mul, Scalar::U32, &[Range::ANY, Range::ANY]), Range::full(Scalar::U32));
    }

    #[test]
    fn ranges_hold_what_ops_give() {
        use crate::ir::Constant::{I32, U32};
        let ops = [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem, Op::And, Op::Or, Op::Xor, Op::Min, Op::Max];
        let values = [0u32, 1, 2, 5, 31, 32, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];
        for op in ops.into_iter().chain([Op::Shl, Op::Shr]) {
            for (a, b, c) in values.iter().flat_map(|a| values.iter().flat_map(move |b| [(*a, *b, 3), (*a, *b, *a)])) {
                let range = |x: i128, y: i128| Range::new(x.min(y), x.max(y));
                if let Some(U32(found)) = super::super::eval::evaluate(op, &[U32(a), U32(b)], Scalar::U32) {
                    let found_range = of_op(op, Scalar::U32, &[range(a.into(), c.into()), range(b.into(), b.into())]);
                    assert!(range(found.into(), found.into()).is_within(found_range), "{op:?} {a} {b}");
                }
                if matches!(op, Op::Shl | Op::Shr) {
                    continue;
                }
                let (x, y, z) = (a as i32, b as i32, c as i32);
                if let Some(I32(found)) = super::super::eval::evaluate(op, &[I32(x), I32(y)], Scalar::I32) {
                    let found_range = of_op(op, Scalar::I32, &[range(x.into(), z.into()), range(y.into(), y.into())]);
                    assert!(range(found.into(), found.into()).is_within(found_range), "{op:?} {x} {y}");
                }
            }
        }
    }
}
