//! Methods of the integers that are more than an op, for all widths. Overflow wraps, as in a release build.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;

use super::division::Division;
use super::function::FnCx;
use crate::ast::Expr;

impl FnCx<'_, '_, '_> {
    pub(super) fn is_signed(&self, value: ValueId) -> bool {
        self.shape(value).0.is_signed()
    }

    pub(super) fn wrapping_neg(&mut self, x: ValueId) -> ValueId {
        if self.is_signed(x) {
            return self.op(Op::Neg, &[x]);
        }
        let zero = self.int_like(x, 0);
        self.op(Op::Sub, &[zero, x])
    }

    pub(super) fn saturating_add(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let sum = self.b.op(Op::Add, &[a, b]);
        if !self.is_signed(a) {
            let wrapped = self.b.op(Op::Lt, &[sum, a]);
            let max = self.max_like(a);
            return self.select(wrapped, max, sum);
        }
        // It overflowed when the sum's sign differs from that of both operands.
        let (x, y) = (self.b.op(Op::Xor, &[a, sum]), self.b.op(Op::Xor, &[b, sum]));
        self.saturate(a, x, y, sum)
    }

    pub(super) fn saturating_sub(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let difference = self.b.op(Op::Sub, &[a, b]);
        if !self.is_signed(a) {
            let wrapped = self.b.op(Op::Lt, &[a, b]);
            let zero = self.int_like(a, 0);
            return self.select(wrapped, zero, difference);
        }
        // It overflowed when the operands' signs differ and the difference does not have the first one's.
        let (x, y) = (self.b.op(Op::Xor, &[a, b]), self.b.op(Op::Xor, &[a, difference]));
        self.saturate(a, x, y, difference)
    }

    /// `result`, or the limit on the side of `a` when both `x` and `y` have the sign bit.
    fn saturate(&mut self, a: ValueId, x: ValueId, y: ValueId, result: ValueId) -> ValueId {
        let both = self.b.op(Op::And, &[x, y]);
        let overflowed = self.compare_to_zero(Op::Lt, both);
        let is_negative = self.compare_to_zero(Op::Lt, a);
        let (min, max) = (self.min_like(a), self.max_like(a));
        let limit = self.select(is_negative, min, max);
        self.select(overflowed, limit, result)
    }

    pub(super) fn rotate_left(&mut self, x: ValueId, amount: ValueId) -> ValueId {
        self.rotate(x, amount, Op::Shl, Op::Shr)
    }

    pub(super) fn rotate_right(&mut self, x: ValueId, amount: ValueId) -> ValueId {
        self.rotate(x, amount, Op::Shr, Op::Shl)
    }

    /// Both shifts take their amount modulo the width, so that `-amount` is what the first leaves over.
    fn rotate(&mut self, x: ValueId, amount: ValueId, there: Op, back: Op) -> ValueId {
        let scalar = self.shape(x).0;
        let bits = self.cast(x, scalar.unsigned());
        let zero = self.u32(0);
        let rest = self.op(Op::Sub, &[zero, amount]);
        let (a, b) = (self.b.op(there, &[bits, amount]), self.b.op(back, &[bits, rest]));
        let rotated = self.b.op(Op::Or, &[a, b]);
        self.cast(rotated, scalar)
    }

    pub(super) fn count_zeros(&mut self, x: ValueId) -> ValueId {
        let ones = self.b.op(Op::CountOnes, &[x]);
        let all = self.u32(self.shape(x).0.bits());
        self.b.op(Op::Sub, &[all, ones])
    }

    /// Swaps neighbouring bytes, then neighbouring pairs of bytes, and so on up to the halves.
    pub(super) fn swap_bytes(&mut self, x: ValueId) -> ValueId {
        let scalar = self.shape(x).0;
        let mut bits = self.cast(x, scalar.unsigned());
        let mut width = 8;
        while width < scalar.bits() {
            let by = self.u32(width);
            let (mut up, mut down) = (self.b.op(Op::Shl, &[bits, by]), self.b.op(Op::Shr, &[bits, by]));
            if 2 * width < scalar.bits() {
                // The lower one of each two neighbours.
                let low = u64::MAX / ((1 << width) + 1);
                let (low, high) = (self.bits(scalar.unsigned(), low), self.bits(scalar.unsigned(), low << width));
                (up, down) = (self.b.op(Op::And, &[up, high]), self.b.op(Op::And, &[down, low]));
            }
            bits = self.b.op(Op::Or, &[up, down]);
            width *= 2;
        }
        self.cast(bits, scalar)
    }

    pub(super) fn abs_diff(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let (larger, smaller) = (self.b.op(Op::Max, &[a, b]), self.b.op(Op::Min, &[a, b]));
        let unsigned = self.shape(a).0.unsigned();
        let (larger, smaller) = (self.cast(larger, unsigned), self.cast(smaller, unsigned));
        self.b.op(Op::Sub, &[larger, smaller])
    }

    pub(super) fn unsigned_abs(&mut self, x: ValueId) -> ValueId {
        let magnitude = self.b.op(Op::Abs, &[x]);
        self.cast(magnitude, self.shape(x).0.unsigned())
    }

    pub(super) fn signum_int(&mut self, x: ValueId) -> ValueId {
        let (one, zero, minus_one) = (self.int_like(x, 1), self.int_like(x, 0), self.int_like(x, -1));
        let is_positive = self.b.op(Op::Gt, &[x, zero]);
        let is_negative = self.b.op(Op::Lt, &[x, zero]);
        let below = self.select(is_negative, minus_one, zero);
        self.select(is_positive, one, below)
    }

    /// Repeated squaring; modulo a power of two the order of the products does not matter.
    pub(super) fn pow(&mut self, x: ValueId, exponent: ValueId) -> ValueId {
        let one = self.int_like(x, 1);
        match self.known_scalar(exponent) {
            Some(exponent) => self.power_by(x, exponent as u32).unwrap_or(one),
            None => self.power_loop(x, exponent, one),
        }
    }

    pub(super) fn rem_euclid(&mut self, expr: &Expr, a: ValueId, b: ValueId) -> ValueId {
        let divisor = self.guard_divisor(expr, Division::Remainder, a, b);
        let remainder = self.b.op(Op::Rem, &[a, divisor]);
        if !self.is_signed(a) {
            return remainder;
        }
        let magnitude = self.b.op(Op::Abs, &[divisor]);
        let raised = self.b.op(Op::Add, &[remainder, magnitude]);
        let is_negative = self.compare_to_zero(Op::Lt, remainder);
        self.select(is_negative, raised, remainder)
    }

    pub(super) fn div_euclid(&mut self, expr: &Expr, a: ValueId, b: ValueId) -> ValueId {
        let (quotient, remainder) = self.divide_both(expr, Division::Quotient, a, b);
        if !self.is_signed(a) {
            return quotient;
        }
        let (one, minus_one) = (self.int_like(a, 1), self.int_like(a, -1));
        let is_positive = self.compare_to_zero(Op::Gt, b);
        let step = self.select(is_positive, minus_one, one);
        let adjusted = self.b.op(Op::Add, &[quotient, step]);
        let is_negative = self.compare_to_zero(Op::Lt, remainder);
        self.select(is_negative, adjusted, quotient)
    }

    pub(super) fn div_ceil(&mut self, expr: &Expr, a: ValueId, b: ValueId) -> ValueId {
        let (quotient, remainder) = self.divide_both(expr, Division::Quotient, a, b);
        let one = self.int_like(a, 1);
        let more = self.b.op(Op::Add, &[quotient, one]);
        let has_rest = self.compare_to_zero(Op::Ne, remainder);
        self.select(has_rest, more, quotient)
    }

    pub(super) fn is_power_of_two(&mut self, x: ValueId) -> ValueId {
        let ones = self.b.op(Op::CountOnes, &[x]);
        let one = self.u32(1);
        self.b.op(Op::Eq, &[ones, one])
    }

    pub(super) fn next_multiple_of(&mut self, expr: &Expr, a: ValueId, b: ValueId) -> ValueId {
        let divisor = self.guard_divisor(expr, Division::Remainder, a, b);
        let remainder = self.b.op(Op::Rem, &[a, divisor]);
        let rest = self.b.op(Op::Sub, &[divisor, remainder]);
        let next = self.b.op(Op::Add, &[a, rest]);
        let is_multiple = self.compare_to_zero(Op::Eq, remainder);
        self.select(is_multiple, a, next)
    }
}
