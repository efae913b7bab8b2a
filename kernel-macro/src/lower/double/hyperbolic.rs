//! Hyperbolic functions of `f64` and their inverses, `exp_m1` and `ln_1p`.
//!
//! With `a = 2^n (1 + p)` for `e^x`, `e^x - 1` is `2^n (p + (1 - 2^-n))`, whose parts are exact or small. The inverses go by
//! `ln_1p`, where the rounding error of `1 + x` is an addend of the logarithm.

use std::f64::consts::LN_2;

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;

use super::{LN_2_HIGH, LN_2_LOW, Parts};
use crate::lower::function::FnCx;

/// From here on `√(x² + 1)` is `x`.
const LARGE: f64 = (1u64 << 28) as f64;

impl FnCx<'_, '_, '_> {
    pub(super) fn double_exp_m1(&mut self, x: ValueId) -> ValueId {
        let near = self.between(x, -50.0, 710.0);
        let (rest, n) = self.less_turns(near);
        let p = self.power_less_one(rest);
        // Beyond, the power is too small to be seen.
        let limit = self.i32(100);
        let opposite = self.b.op(Op::Min, &[n, limit]);
        let opposite = self.b.op(Op::Neg, &[opposite]);
        let (power, one) = (self.power_of_two(opposite), self.double(1.0));
        let missing = self.minus(one, power);
        let sum = self.plus(p, missing);
        let result = self.scaled_power(x, sum, n);
        // Also of zeros.
        self.b.op(Op::Copysign, &[result, x])
    }

    /// Half of `e^a` for the size of the operand, with `p` and `n`.
    fn half_power(&mut self, size: ValueId) -> (ValueId, ValueId, ValueId) {
        let near = self.between(size, 0.0, 712.0);
        let (rest, n) = self.less_turns(near);
        let p = self.power_less_one(rest);
        let (one, unit) = (self.double(1.0), self.i32(1));
        let (sum, less) = (self.plus(p, one), self.minus(n, unit));
        (self.scaled_power(size, sum, less), p, n)
    }

    pub(in crate::lower) fn double_sinh(&mut self, x: ValueId) -> ValueId {
        let size = self.b.op(Op::Abs, &[x]);
        let (half, p, n) = self.half_power(size);
        let (one, quarter, middle) = (self.double(1.0), self.double(0.25), self.double(0.5));
        let other = self.over(quarter, half);
        let far = self.minus(half, other);
        let sum = self.plus(p, one);
        let other = self.over(p, sum);
        let twice = self.plus(p, other);
        let near = self.times(twice, middle);
        let is_near = self.compare_to_zero(Op::Eq, n);
        let is_nan = self.b.op(Op::IsNan, &[x]);
        let result = self.select(is_near, near, far);
        let result = self.select(is_nan, x, result);
        self.b.op(Op::Copysign, &[result, x])
    }

    pub(in crate::lower) fn double_cosh(&mut self, x: ValueId) -> ValueId {
        let size = self.b.op(Op::Abs, &[x]);
        let (half, ..) = self.half_power(size);
        let quarter = self.double(0.25);
        let other = self.over(quarter, half);
        self.plus(half, other)
    }

    pub(super) fn double_tanh(&mut self, x: ValueId) -> ValueId {
        let size = self.b.op(Op::Abs, &[x]);
        // From there on it is 1.
        let near = self.between(size, 0.0, 22.0);
        let twice = self.plus(near, near);
        let power = self.double_exp_m1(twice);
        let two = self.double(2.0);
        let sum = self.plus(power, two);
        let result = self.over(power, sum);
        let is_nan = self.b.op(Op::IsNan, &[x]);
        let result = self.select(is_nan, x, result);
        self.b.op(Op::Copysign, &[result, x])
    }

    pub(super) fn double_ln_1p(&mut self, x: ValueId) -> ValueId {
        let (one, zero) = (self.double(1.0), self.double(0.0));
        let sum = self.plus(one, x);
        let back = self.minus(sum, one);
        let (own, other) = (self.minus(sum, back), self.minus(x, back));
        let own = self.minus(one, own);
        let error = self.plus(own, other);
        let error = self.over(error, sum);
        let Parts { fraction, exponent } = self.parts_of(sum);
        let low = self.double(LN_2_LOW);
        let low = self.times(exponent, low);
        let low = self.plus(low, error);
        let logarithm = self.ln_near_one(fraction, Some(low));
        let high = self.double(LN_2_HIGH);
        let high = self.times(exponent, high);
        let logarithm = self.plus(high, logarithm);
        let result = self.with_ends(sum, logarithm);
        let is_zero = self.b.op(Op::Eq, &[x, zero]);
        self.select(is_zero, x, result)
    }

    /// `ln(1 + argument)`, or of a large number the logarithm of its double; infinity where Rust's own function overflows.
    fn inverse(&mut self, size: ValueId, argument: ValueId) -> ValueId {
        let (large, one, ln_2, zero) = (self.double(LARGE), self.double(1.0), self.double(LN_2), self.double(0.0));
        let is_large = self.b.op(Op::Gt, &[size, large]);
        let less = self.minus(size, one);
        let argument = self.select(is_large, less, argument);
        let logarithm = self.double_ln_1p(argument);
        let more = self.select(is_large, ln_2, zero);
        let result = self.plus(logarithm, more);
        let (limit, infinity) = (self.double(f64::MAX / 2.0), self.double(f64::INFINITY));
        let overflows = self.b.op(Op::Gt, &[size, limit]);
        self.select(overflows, infinity, result)
    }

    pub(super) fn double_asinh(&mut self, x: ValueId) -> ValueId {
        let (one, size) = (self.double(1.0), self.b.op(Op::Abs, &[x]));
        let square = self.times(size, size);
        let sum = self.plus(square, one);
        let root = self.b.op(Op::Sqrt, &[sum]);
        let below = self.plus(root, one);
        let more = self.over(square, below);
        let argument = self.plus(size, more);
        let result = self.inverse(size, argument);
        self.b.op(Op::Copysign, &[result, x])
    }

    pub(super) fn double_acosh(&mut self, x: ValueId) -> ValueId {
        let (one, nan) = (self.double(1.0), self.double(f64::NAN));
        let less = self.minus(x, one);
        let (twice, square) = (self.plus(less, less), self.times(less, less));
        let sum = self.plus(twice, square);
        let root = self.b.op(Op::Sqrt, &[sum]);
        let argument = self.plus(less, root);
        let result = self.inverse(x, argument);
        let is_outside = self.b.op(Op::Lt, &[x, one]);
        self.select(is_outside, nan, result)
    }

    pub(super) fn double_atanh(&mut self, x: ValueId) -> ValueId {
        let (one, half, size) = (self.double(1.0), self.double(0.5), self.b.op(Op::Abs, &[x]));
        let (twice, rest) = (self.plus(size, size), self.minus(one, size));
        let product = self.times(twice, size);
        let more = self.over(product, rest);
        let (near, far) = (self.plus(twice, more), self.over(twice, rest));
        let is_near = self.b.op(Op::Lt, &[size, half]);
        let argument = self.select(is_near, near, far);
        let logarithm = self.double_ln_1p(argument);
        let result = self.times(half, logarithm);
        self.b.op(Op::Copysign, &[result, x])
    }
}
