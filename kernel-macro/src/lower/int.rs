//! Methods of `i32`, `u32` and `usize` that are more than an op. Overflow wraps, as in a release build.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::division::Division;
use super::function::FnCx;
use crate::ast::Expr;

impl FnCx<'_, '_, '_> {
    fn is_signed(&self, value: ValueId) -> bool {
        self.shape(value).0 == Scalar::I32
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
            let max = self.int_like(a, u32::MAX);
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
        let (min, max) = (self.i32(i32::MIN), self.i32(i32::MAX));
        let limit = self.select(is_negative, min, max);
        self.select(overflowed, limit, result)
    }

    pub(super) fn rotate_left(&mut self, x: ValueId, amount: ValueId) -> ValueId {
        self.rotate(x, amount, Op::Shl, Op::Shr)
    }

    pub(super) fn rotate_right(&mut self, x: ValueId, amount: ValueId) -> ValueId {
        self.rotate(x, amount, Op::Shr, Op::Shl)
    }

    /// Both shifts take their amount modulo 32, so that `-amount` is what the first leaves over.
    fn rotate(&mut self, x: ValueId, amount: ValueId, there: Op, back: Op) -> ValueId {
        let scalar = self.shape(x).0;
        let bits = self.bitcast(x, Scalar::U32);
        let zero = self.u32(0);
        let rest = self.op(Op::Sub, &[zero, amount]);
        let (a, b) = (self.b.op(there, &[bits, amount]), self.b.op(back, &[bits, rest]));
        let rotated = self.b.op(Op::Or, &[a, b]);
        self.bitcast(rotated, scalar)
    }

    pub(super) fn count_zeros(&mut self, x: ValueId) -> ValueId {
        let ones = self.b.op(Op::CountOnes, &[x]);
        let all = self.u32(32);
        self.b.op(Op::Sub, &[all, ones])
    }

    pub(super) fn swap_bytes(&mut self, x: ValueId) -> ValueId {
        let scalar = self.shape(x).0;
        let bits = self.bitcast(x, Scalar::U32);
        let (near, far) = (self.u32(8), self.u32(24));
        let (low, high) = (self.u32(0xff00), self.u32(0x00ff_0000));
        let byte0 = self.b.op(Op::Shl, &[bits, far]);
        let byte1 = self.b.op(Op::Shl, &[bits, near]);
        let byte1 = self.b.op(Op::And, &[byte1, high]);
        let byte2 = self.b.op(Op::Shr, &[bits, near]);
        let byte2 = self.b.op(Op::And, &[byte2, low]);
        let byte3 = self.b.op(Op::Shr, &[bits, far]);
        let (outer, inner) = (self.b.op(Op::Or, &[byte0, byte3]), self.b.op(Op::Or, &[byte1, byte2]));
        let swapped = self.b.op(Op::Or, &[outer, inner]);
        self.bitcast(swapped, scalar)
    }

    pub(super) fn abs_diff(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let (larger, smaller) = (self.b.op(Op::Max, &[a, b]), self.b.op(Op::Min, &[a, b]));
        let (larger, smaller) = (self.bitcast(larger, Scalar::U32), self.bitcast(smaller, Scalar::U32));
        self.b.op(Op::Sub, &[larger, smaller])
    }

    pub(super) fn unsigned_abs(&mut self, x: ValueId) -> ValueId {
        let magnitude = self.b.op(Op::Abs, &[x]);
        self.bitcast(magnitude, Scalar::U32)
    }

    pub(super) fn signum_int(&mut self, x: ValueId) -> ValueId {
        let (one, zero, minus_one) = (self.int_like(x, 1), self.int_like(x, 0), self.int_like(x, u32::MAX));
        let is_positive = self.b.op(Op::Gt, &[x, zero]);
        let is_negative = self.b.op(Op::Lt, &[x, zero]);
        let below = self.select(is_negative, minus_one, zero);
        self.select(is_positive, one, below)
    }

    /// Repeated squaring; modulo 2^32 the order of the products does not matter.
    pub(super) fn pow(&mut self, x: ValueId, exponent: ValueId) -> ValueId {
        let one = self.int_like(x, 1);
        match self.known_scalar(exponent) {
            Some(exponent) => self.power_by(x, exponent).unwrap_or(one),
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
        let (one, minus_one) = (self.int_like(a, 1), self.int_like(a, u32::MAX));
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
