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

    /// `a * b + c`, rounded once or twice.
    fn fused(&mut self, a: ValueId, b: ValueId, c: ValueId) -> ValueId {
        self.b.op(Op::NearMulAdd, &[a, b, c])
    }

    /// The sum `1 + x` as a power of two and a fraction `1 + f` within 0.707 ..= 1.414, to which comes what rounding the sum lost: its
    /// logarithm is `f + f^2 q(f)`, with a Chebyshev fit of `q`.
    pub(super) fn ln_1p(&mut self, x: ValueId) -> ValueId {
        const COEFFICIENTS: [f64; 9] = [
            -7.823_271e-2,
            0.130_047_96,
            -0.132_088_2,
            0.141_634_76,
            -0.166_111_48,
            0.200_030_15,
            -0.250_015_23,
            0.333_333_08,
            -0.499_999_88,
        ];
        let (one, infinity) = (self.f32(1.0), self.f32(f32::INFINITY));
        let sum = self.b.op(Op::Add, &[one, x]);
        let bits = self.bitcast(sum, Scalar::U32);
        let (root, mask) = (self.u32(0x3f35_04f3), self.u32(0xff80_0000));
        let above = self.b.op(Op::Sub, &[bits, root]);
        let exponent = self.b.op(Op::And, &[above, mask]);
        let fraction = self.b.op(Op::Sub, &[bits, exponent]);
        let fraction = self.bitcast(fraction, Scalar::F32);
        let rounded = self.b.op(Op::Sub, &[sum, one]);
        let lost = self.b.op(Op::Sub, &[x, rounded]);
        // Of large numbers nothing is lost, whatever the scale.
        let exponent = self.cast(exponent, Scalar::I32);
        let (most, unit) = (self.i32(126 << 23), self.i32(127 << 23));
        let limited = self.b.op(Op::Min, &[exponent, most]);
        let scale = self.b.op(Op::Sub, &[unit, limited]);
        let scale = self.bitcast(scale, Scalar::F32);
        let f = self.b.op(Op::Sub, &[fraction, one]);
        let f = self.fused(lost, scale, f);
        let tail = self.polynomial(f, COEFFICIENTS.into_iter());
        let tail = self.b.op(Op::Mul, &[tail, f]);
        let logarithm = self.fused(tail, f, f);
        let (exponent, ln_2) = (self.cast(exponent, Scalar::F32), self.f32(std::f32::consts::LN_2 / 8_388_608.0));
        let logarithm = self.fused(exponent, ln_2, logarithm);
        // Larger bits are those of negative numbers, infinity and NaN.
        let end = self.u32(f32::INFINITY.to_bits());
        let is_usual = self.b.op(Op::Lt, &[bits, end]);
        let other = self.fused(sum, infinity, infinity);
        let result = self.select(is_usual, logarithm, other);
        let (is_zero, lowest) = (self.compare_to_zero(Op::Eq, sum), self.f32(f32::NEG_INFINITY));
        let result = self.select(is_zero, lowest, result);
        self.b.op(Op::Copysign, &[result, x])
    }

    /// Of `n ln 2 + r` the power is `2^n e^r`, so that this is `2^n (e^r - 1) + 2^n - 1`.
    pub(super) fn exp_m1(&mut self, x: ValueId) -> ValueId {
        const COEFFICIENTS: [f64; 6] =
            [1.989_098_1e-4, 1.393_364_2e-3, 8.333_310_5e-3, 4.166_646_7e-2, 0.166_666_67, 0.5];
        // Below, the result is -1; above, infinity.
        let near = self.between(x, -30.0, 90.0);
        let log2_e = self.f32(std::f32::consts::LOG2_E);
        let turns = self.b.op(Op::Mul, &[near, log2_e]);
        let n = self.b.op(Op::RoundTiesEven, &[turns]);
        // ln 2 in two parts, the first with so few digits that its multiples are exact.
        let rest = self.less_product(near, n, 0.693_145_751_953_125);
        let rest = self.less_product(rest, n, 1.428_606_8e-6);
        let tail = self.polynomial(rest, COEFFICIENTS.into_iter());
        let tail = self.b.op(Op::Mul, &[tail, rest]);
        let less = self.fused(tail, rest, rest);
        // 2^128 is infinite, so 2^127 is doubled at the end.
        let (most, one, two, half) = (self.f32(127.0), self.f32(1.0), self.f32(2.0), self.f32(0.5));
        let is_last = self.b.op(Op::Gt, &[n, most]);
        let n = self.select(is_last, most, n);
        let n = self.cast(n, Scalar::I32);
        let (bias, digits) = (self.i32(127), self.u32(23));
        let exponent = self.b.op(Op::Add, &[n, bias]);
        let exponent = self.cast(exponent, Scalar::U32);
        let scale = self.b.op(Op::Shl, &[exponent, digits]);
        let scale = self.bitcast(scale, Scalar::F32);
        let (doubled, unit) = (self.select(is_last, two, one), self.select(is_last, half, one));
        let rest = self.b.op(Op::Sub, &[scale, unit]);
        let result = self.fused(less, scale, rest);
        let result = self.b.op(Op::Mul, &[result, doubled]);
        let (limit, infinity) = (self.f32(89.0), self.f32(f32::INFINITY));
        let is_above = self.b.op(Op::Gt, &[x, limit]);
        let result = self.select(is_above, infinity, result);
        let is_nan = self.b.op(Op::IsNan, &[x]);
        let result = self.select(is_nan, x, result);
        self.b.op(Op::Copysign, &[result, x])
    }

    /// By the inverse root, which begins with a third of the bits and takes two steps of Halley's method, without a division; and a step that
    /// takes back what they rounded. Small numbers are scaled up first, so that what is left over is no subnormal number.
    pub(super) fn cbrt(&mut self, x: ValueId) -> ValueId {
        let size = self.b.op(Op::Abs, &[x]);
        let (limit, up, down, one) = (
            self.f32(f32::from_bits(49 << 23)),
            self.f32((1_u64 << 48) as f32),
            self.f32(1.0 / 65_536.0),
            self.f32(1.0),
        );
        let is_small = self.b.op(Op::Lt, &[size, limit]);
        let (factor, back) = (self.select(is_small, up, one), self.select(is_small, down, one));
        let scaled = self.b.op(Op::Mul, &[size, factor]);
        // Within 4 %.
        let (bits, three, whole) = (self.bitcast(scaled, Scalar::U32), self.u32(3), self.u32(0x54a2_fa8c));
        let third = self.b.op(Op::Div, &[bits, three]);
        let inverse = self.b.op(Op::Sub, &[whole, third]);
        let mut inverse = self.bitcast(inverse, Scalar::F32);
        let (third, second) = (self.f32(1.0 / 3.0), self.f32(2.0 / 9.0));
        for _ in 0..2 {
            // 1 - a z^3 = e, and the inverse root is z (1 + e / 3 + 2 e^2 / 9 + ...).
            let (square, product) = (self.b.op(Op::Mul, &[inverse, inverse]), self.b.op(Op::Mul, &[scaled, inverse]));
            let negated = self.b.op(Op::Neg, &[product]);
            let error = self.fused(negated, square, one);
            let factor = self.fused(error, second, third);
            let step = self.b.op(Op::Mul, &[inverse, error]);
            inverse = self.fused(step, factor, inverse);
        }
        let root = self.b.op(Op::Mul, &[scaled, inverse]);
        let root = self.b.op(Op::Mul, &[root, inverse]);
        let square = self.b.op(Op::Mul, &[root, root]);
        let negated = self.b.op(Op::Neg, &[square]);
        let rest = self.fused(negated, root, scaled);
        let slope = self.b.op(Op::Mul, &[inverse, inverse]);
        let slope = self.b.op(Op::Mul, &[slope, third]);
        let root = self.fused(rest, slope, root);
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

    /// `ln(1 + r)` of `r = x + x^2 / (1 + sqrt(1 + x^2))`, and of large numbers `ln(2 x)`.
    pub(super) fn asinh(&mut self, x: ValueId) -> ValueId {
        let (one, size) = (self.f32(1.0), self.b.op(Op::Abs, &[x]));
        let square = self.b.op(Op::Mul, &[size, size]);
        let root = self.b.op(Op::Add, &[square, one]);
        let root = self.b.op(Op::Sqrt, &[root]);
        let below = self.b.op(Op::Add, &[root, one]);
        let quotient = self.b.op(Op::Div, &[square, below]);
        let argument = self.b.op(Op::Add, &[size, quotient]);
        let result = self.ln_1p_or_doubled(size, argument);
        self.b.op(Op::Copysign, &[result, x])
    }

    /// `ln(1 + r)` of `r = t + sqrt(t^2 + 2 t)` with `t = x - 1`, and of large numbers `ln(2 x)`.
    pub(super) fn acosh(&mut self, x: ValueId) -> ValueId {
        let (one, two, nan) = (self.f32(1.0), self.f32(2.0), self.f32(f32::NAN));
        let less = self.b.op(Op::Sub, &[x, one]);
        let more = self.b.op(Op::Add, &[less, two]);
        let product = self.b.op(Op::Mul, &[less, more]);
        let root = self.b.op(Op::Sqrt, &[product]);
        let argument = self.b.op(Op::Add, &[less, root]);
        let result = self.ln_1p_or_doubled(x, argument);
        let is_outside = self.b.op(Op::Lt, &[x, one]);
        self.select(is_outside, nan, result)
    }

    /// `ln(1 + argument)`, or of a large `x`, whose square may be infinite, `ln(2 x)`: infinity where Rust's own function overflows.
    fn ln_1p_or_doubled(&mut self, x: ValueId, argument: ValueId) -> ValueId {
        let limit = self.f32(1.0e18);
        let (is_large, doubled) = (self.b.op(Op::Gt, &[x, limit]), self.b.op(Op::Add, &[x, x]));
        let argument = self.select(is_large, doubled, argument);
        self.ln_1p(argument)
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
