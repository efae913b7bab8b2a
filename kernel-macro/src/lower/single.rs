//! Methods of floats made of others: neighbours by their bits, and functions of `f32` as the standard library composes them.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::function::FnCx;

impl FnCx<'_, '_, '_> {
    /// The bits without the sign, those of the least normal number, and those of infinity.
    fn magnitude(&mut self, x: ValueId) -> [ValueId; 3] {
        let scalar = self.shape(x).0;
        let digits = match scalar {
            Scalar::F16 => 10,
            Scalar::Bf16 => 7,
            Scalar::F32 => 23,
            _ => 52,
        };
        let word = scalar.unsigned();
        let (bits, mask) = (self.bitcast(x, word), self.bits(word, scalar.mask() >> 1));
        let size = self.b.op(Op::And, &[bits, mask]);
        let least = self.bits(word, 1 << digits);
        [size, least, self.bits(word, (scalar.mask() >> 1 >> digits) << digits)]
    }

    pub(super) fn is_normal(&mut self, x: ValueId) -> ValueId {
        let [size, least, infinity] = self.magnitude(x);
        let (above, below) = (self.b.op(Op::Ge, &[size, least]), self.b.op(Op::Lt, &[size, infinity]));
        self.b.op(Op::And, &[above, below])
    }

    pub(super) fn is_subnormal(&mut self, x: ValueId) -> ValueId {
        let [size, least, _] = self.magnitude(x);
        let (above, below) = (self.compare_to_zero(Op::Ne, size), self.b.op(Op::Lt, &[size, least]));
        self.b.op(Op::And, &[above, below])
    }

    /// The next larger or smaller float: one more or less in the bits, by sign; around zero the least of the other sign.
    pub(super) fn next_float(&mut self, x: ValueId, up: bool) -> ValueId {
        let scalar = self.shape(x).0;
        let word = scalar.unsigned();
        let [size, _, infinity] = self.magnitude(x);
        let bits = self.bitcast(x, word);
        let sign = scalar.mask() ^ scalar.mask() >> 1;
        let (one, minus_one) = (self.int_like(bits, 1), self.int_like(bits, -1));
        let is_positive = self.b.op(Op::Eq, &[bits, size]);
        let step = if up { self.select(is_positive, one, minus_one) } else { self.select(is_positive, minus_one, one) };
        let moved = self.b.op(Op::Add, &[bits, step]);
        let least = self.bits(word, if up { 1 } else { sign | 1 });
        let is_zero = self.compare_to_zero(Op::Eq, size);
        let moved = self.select(is_zero, least, moved);
        // NaN, and the infinity on the way, stay.
        let last = if up { infinity } else { self.bits(word, u64::MAX) };
        let is_last = if up {
            self.b.op(Op::Eq, &[bits, last])
        } else {
            let sign = self.bits(word, sign);
            let lowest = self.b.op(Op::Or, &[infinity, sign]);
            self.b.op(Op::Eq, &[bits, lowest])
        };
        let is_nan = self.b.op(Op::Gt, &[size, infinity]);
        let stays = self.b.op(Op::Or, &[is_last, is_nan]);
        let result = self.select(stays, bits, moved);
        self.bitcast(result, scalar)
    }

    /// The rounding error of `1 + x` is taken back out of the logarithm.
    pub(super) fn ln_1p(&mut self, x: ValueId) -> ValueId {
        let one = self.f32(1.0);
        let sum = self.b.op(Op::Add, &[one, x]);
        let logarithm = self.b.op(Op::Ln, &[sum]);
        let rounded = self.b.op(Op::Sub, &[sum, one]);
        let ratio = self.b.op(Op::Div, &[x, rounded]);
        let corrected = self.b.op(Op::Mul, &[logarithm, ratio]);
        let is_infinite = self.b.op(Op::IsInf, &[sum]);
        let corrected = self.select(is_infinite, logarithm, corrected);
        let is_tiny = self.b.op(Op::Eq, &[sum, one]);
        self.select(is_tiny, x, corrected)
    }

    /// The rounding error of `e^x` is taken back out by its logarithm.
    pub(super) fn exp_m1(&mut self, x: ValueId) -> ValueId {
        let (one, minus_one) = (self.f32(1.0), self.f32(-1.0));
        let power = self.b.op(Op::Exp, &[x]);
        let less = self.b.op(Op::Sub, &[power, one]);
        let logarithm = self.b.op(Op::Ln, &[power]);
        let ratio = self.b.op(Op::Div, &[x, logarithm]);
        let corrected = self.b.op(Op::Mul, &[less, ratio]);
        let is_infinite = self.b.op(Op::IsInf, &[power]);
        let is_low = self.b.op(Op::Eq, &[less, minus_one]);
        let is_end = self.b.op(Op::Or, &[is_infinite, is_low]);
        let corrected = self.select(is_end, less, corrected);
        let is_tiny = self.b.op(Op::Eq, &[power, one]);
        self.select(is_tiny, x, corrected)
    }

    /// By the third of the binary logarithm, and a step of Newton's; subnormal numbers are scaled up first.
    pub(super) fn cbrt(&mut self, x: ValueId) -> ValueId {
        let size = self.b.op(Op::Abs, &[x]);
        let (limit, up, down, one) =
            (self.f32(f32::MIN_POSITIVE), self.f32(16_777_216.0), self.f32(1.0 / 256.0), self.f32(1.0));
        let is_small = self.b.op(Op::Lt, &[size, limit]);
        let (factor, back) = (self.select(is_small, up, one), self.select(is_small, down, one));
        let scaled = self.b.op(Op::Mul, &[size, factor]);
        let logarithm = self.b.op(Op::Log2, &[scaled]);
        let third = self.f32(1.0 / 3.0);
        let third = self.b.op(Op::Mul, &[logarithm, third]);
        let root = self.b.op(Op::Exp2, &[third]);
        let square = self.b.op(Op::Mul, &[root, root]);
        let quotient = self.b.op(Op::Div, &[scaled, square]);
        let error = self.b.op(Op::Sub, &[quotient, root]);
        let third = self.f32(1.0 / 3.0);
        let step = self.b.op(Op::Mul, &[error, third]);
        let root = self.b.op(Op::Add, &[root, step]);
        let root = self.b.op(Op::Mul, &[root, back]);
        let root = self.b.op(Op::Copysign, &[root, x]);
        // Zeros, infinities and NaN are their own roots.
        let zero = self.f32(0.0);
        let is_zero = self.b.op(Op::Eq, &[x, zero]);
        let is_finite = self.is_finite(x);
        let is_odd = self.op(Op::Not, &[is_finite]);
        let stays = self.b.op(Op::Or, &[is_zero, is_odd]);
        self.select(stays, x, root)
    }

    pub(super) fn asinh(&mut self, x: ValueId) -> ValueId {
        let (one, size) = (self.f32(1.0), self.b.op(Op::Abs, &[x]));
        let inverse = self.b.op(Op::Div, &[one, size]);
        let hypotenuse = self.hypot(one, inverse);
        let sum = self.b.op(Op::Add, &[hypotenuse, inverse]);
        let quotient = self.b.op(Op::Div, &[size, sum]);
        let argument = self.b.op(Op::Add, &[size, quotient]);
        let result = self.ln_1p(argument);
        self.b.op(Op::Copysign, &[result, x])
    }

    pub(super) fn acosh(&mut self, x: ValueId) -> ValueId {
        let (one, nan) = (self.f32(1.0), self.f32(f32::NAN));
        let (less, more) = (self.b.op(Op::Sub, &[x, one]), self.b.op(Op::Add, &[x, one]));
        let (less, more) = (self.b.op(Op::Sqrt, &[less]), self.b.op(Op::Sqrt, &[more]));
        let product = self.b.op(Op::Mul, &[less, more]);
        let sum = self.b.op(Op::Add, &[x, product]);
        let result = self.b.op(Op::Ln, &[sum]);
        let is_outside = self.b.op(Op::Lt, &[x, one]);
        self.select(is_outside, nan, result)
    }

    pub(super) fn atanh(&mut self, x: ValueId) -> ValueId {
        let (one, two, half) = (self.f32(1.0), self.f32(2.0), self.f32(0.5));
        let size = self.b.op(Op::Abs, &[x]);
        let (double, rest) = (self.b.op(Op::Mul, &[two, size]), self.b.op(Op::Sub, &[one, size]));
        let quotient = self.b.op(Op::Div, &[double, rest]);
        let logarithm = self.ln_1p(quotient);
        let result = self.b.op(Op::Mul, &[half, logarithm]);
        self.b.op(Op::Copysign, &[result, x])
    }
}
