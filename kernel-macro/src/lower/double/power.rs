//! Powers and cube roots of `f64`.
//!
//! A power is `e^(y ln x)`, where an error of the logarithm is multiplied by up to 700: it is computed as a sum of two numbers.
//! Products are split exactly (T. J. Dekker, *A floating-point technique for extending the available precision*, 1971).

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::{LN_2_HIGH, LN_2_LOW, Parts};
use crate::lower::function::FnCx;

/// A number as the sum of two, the second one far smaller.
#[derive(Clone, Copy)]
struct Pair {
    high: ValueId,
    low: ValueId,
}

/// 2^27 + 1: splits 53 digits in two halves.
const SPLITTER: f64 = 134_217_729.0;
/// Larger exponents give zero, one or infinity like this one.
const LARGE_EXPONENT: f64 = (1u64 << 63) as f64;
/// Added to a third of the upper word of a number, this gives its root within 5 %.
const ROOT_BIAS: u32 = 0x2a9f_7893;

impl FnCx<'_, '_, '_> {
    pub(in crate::lower) fn double_powf(&mut self, x: ValueId, y: ValueId) -> ValueId {
        let size = self.b.op(Op::Abs, &[x]);
        let Pair { high, low } = self.precise_ln(size);
        let near_y = self.between(y, -LARGE_EXPONENT, LARGE_EXPONENT);
        let Pair { high: product, low: error } = self.exact_product(near_y, high);
        let more = self.times(near_y, low);
        let error = self.plus(error, more);
        let near = self.between(product, -750.0, 712.0);
        let (is_inside, zero) = (self.b.op(Op::Eq, &[near, product]), self.double(0.0));
        let error = self.select(is_inside, error, zero);
        let (rest, n) = self.less_turns(near);
        let rest = self.plus(rest, error);
        let (power, one) = (self.power_less_one(rest), self.double(1.0));
        let power = self.plus(power, one);
        let power = self.scaled_power(near, power, n);
        self.power_with_ends(x, size, y, power)
    }

    /// A power's value where an operand is zero, negative, infinite or NaN.
    fn power_with_ends(&mut self, x: ValueId, size: ValueId, y: ValueId, power: ValueId) -> ValueId {
        let (zero, one, half) = (self.double(0.0), self.double(1.0), self.double(0.5));
        let (infinity, nan) = (self.double(f64::INFINITY), self.double(f64::NAN));
        let both = |cx: &mut Self, a: ValueId, b: ValueId| cx.b.op(Op::And, &[a, b]);
        let either = |cx: &mut Self, a: ValueId, b: ValueId| cx.b.op(Op::Or, &[a, b]);
        // Zeros and infinities.
        let (is_zero, is_infinite) = (self.b.op(Op::Eq, &[size, zero]), self.b.op(Op::Eq, &[size, infinity]));
        let y_size = self.b.op(Op::Abs, &[y]);
        let y_is_infinite = self.b.op(Op::Eq, &[y_size, infinity]);
        let is_end = either(self, is_zero, is_infinite);
        let is_end = either(self, is_end, y_is_infinite);
        let (is_large, is_positive) = (self.b.op(Op::Gt, &[size, one]), self.b.op(Op::Gt, &[y, zero]));
        let shrinks = self.b.op(Op::Xor, &[is_large, is_positive]);
        let end = self.select(shrinks, zero, infinity);
        let is_one = self.b.op(Op::Eq, &[size, one]);
        let end = self.select(is_one, one, end);
        let power = self.select(is_end, end, power);
        // Signs.
        let whole = self.b.op(Op::Trunc, &[y]);
        let is_whole = self.b.op(Op::Eq, &[whole, y]);
        let halved = self.times(y, half);
        let half_whole = self.b.op(Op::Trunc, &[halved]);
        let is_uneven = self.b.op(Op::Ne, &[half_whole, halved]);
        let is_odd = both(self, is_whole, is_uneven);
        let has_sign = self.sign_test(x, Op::Lt);
        let flips = both(self, is_odd, has_sign);
        let opposite = self.b.op(Op::Neg, &[power]);
        let power = self.select(flips, opposite, power);
        let is_negative = self.b.op(Op::Lt, &[x, zero]);
        let is_finite = self.b.op(Op::Lt, &[size, infinity]);
        let is_broken = self.b.op(Op::Ne, &[whole, y]);
        let has_none = both(self, is_negative, is_finite);
        let has_none = both(self, has_none, is_broken);
        let (x_is_nan, y_is_nan) = (self.b.op(Op::IsNan, &[x]), self.b.op(Op::IsNan, &[y]));
        let has_none = either(self, has_none, x_is_nan);
        let has_none = either(self, has_none, y_is_nan);
        let power = self.select(has_none, nan, power);
        // Whatever the other operand is.
        let (is_nothing, is_unit) = (self.b.op(Op::Eq, &[y, zero]), self.b.op(Op::Eq, &[x, one]));
        let is_one = either(self, is_nothing, is_unit);
        self.select(is_one, one, power)
    }

    /// The logarithm of a positive finite number: with `s = f / (2 + f)` it is `2 (s + s³/3 + s⁵/5 + …)`, the first two terms
    /// as pairs.
    fn precise_ln(&mut self, x: ValueId) -> Pair {
        let Parts { fraction: f, exponent } = self.parts_of(x);
        let (two, three) = (self.double(2.0), self.double(3.0));
        let below = self.plus(f, two);
        let below_low = self.minus(below, two);
        let below_low = self.minus(f, below_low);
        let s = self.over(f, below);
        let s = {
            let product = self.exact_product(s, below);
            let rest = self.minus(f, product.high);
            let rest = self.minus(rest, product.low);
            let more = self.times(s, below_low);
            let rest = self.minus(rest, more);
            Pair { high: s, low: self.over(rest, below) }
        };
        let square = self.pair_product(s, s);
        let cube = self.pair_product(s, square);
        let third = self.over(cube.high, three);
        let third = {
            let product = self.exact_product(third, three);
            let rest = self.minus(cube.high, product.high);
            let rest = self.minus(rest, product.low);
            let rest = self.plus(rest, cube.low);
            Pair { high: third, low: self.over(rest, three) }
        };
        let series = self.polynomial(square.high, (2..=12).rev().map(|k| 1.0 / f64::from(2 * k + 1)));
        let series = self.times(series, square.high);
        let series = self.times(series, square.high);
        let series = self.times(series, s.high);
        let sum = self.ordered_sum(s.high, third.high);
        let low = self.plus(s.low, third.low);
        let low = self.plus(low, series);
        let low = self.plus(sum.low, low);
        let (high, low) = (self.times(two, sum.high), self.times(two, low));
        let near = self.ordered_sum(high, low);
        let (ln_high, ln_low) = (self.double(LN_2_HIGH), self.double(LN_2_LOW));
        let (far, far_low) = (self.times(exponent, ln_high), self.times(exponent, ln_low));
        let sum = self.exact_sum(far, near.high);
        let low = self.plus(near.low, far_low);
        let low = self.plus(sum.low, low);
        self.ordered_sum(sum.high, low)
    }

    fn exact_sum(&mut self, a: ValueId, b: ValueId) -> Pair {
        let high = self.plus(a, b);
        let back = self.minus(high, a);
        let (own, other) = (self.minus(high, back), self.minus(b, back));
        let own = self.minus(a, own);
        Pair { high, low: self.plus(own, other) }
    }

    /// The exact sum of two numbers of which the first is the larger.
    fn ordered_sum(&mut self, a: ValueId, b: ValueId) -> Pair {
        let high = self.plus(a, b);
        let back = self.minus(high, a);
        Pair { high, low: self.minus(b, back) }
    }

    fn halves(&mut self, a: ValueId) -> Pair {
        let splitter = self.double(SPLITTER);
        let scaled = self.times(a, splitter);
        let rest = self.minus(scaled, a);
        let high = self.minus(scaled, rest);
        Pair { high, low: self.minus(a, high) }
    }

    fn exact_product(&mut self, a: ValueId, b: ValueId) -> Pair {
        let high = self.times(a, b);
        let (a, b) = (self.halves(a), self.halves(b));
        let mut low = self.times(a.high, b.high);
        low = self.minus(low, high);
        for (a, b) in [(a.high, b.low), (a.low, b.high), (a.low, b.low)] {
            let part = self.times(a, b);
            low = self.plus(low, part);
        }
        Pair { high, low }
    }

    fn pair_product(&mut self, a: Pair, b: Pair) -> Pair {
        let product = self.exact_product(a.high, b.high);
        let (first, second) = (self.times(a.high, b.low), self.times(a.low, b.high));
        let more = self.plus(first, second);
        Pair { high: product.high, low: self.plus(product.low, more) }
    }

    /// Three steps from a third of the exponent, each with three times as many digits, and one that takes back what they
    /// rounded; numbers near the ends are brought to the middle first.
    pub(super) fn double_cbrt(&mut self, x: ValueId) -> ValueId {
        let size = self.b.op(Op::Abs, &[x]);
        let (least, most) = (self.double(f64::MIN_POSITIVE), self.double(2f64.powi(900)));
        let (is_small, is_large) = (self.b.op(Op::Lt, &[size, least]), self.b.op(Op::Gt, &[size, most]));
        let choice = |cx: &mut Self, small: i32, large: i32| {
            let (small, large, one) = (cx.double(2f64.powi(small)), cx.double(2f64.powi(large)), cx.double(1.0));
            let other = cx.select(is_large, large, one);
            cx.select(is_small, small, other)
        };
        let (factor, back) = (choice(self, 54, -600), choice(self, -18, 200));
        let scaled = self.times(size, factor);
        let bits = self.bitcast(scaled, Scalar::U64);
        let (word, three, bias) = (self.u32(32), self.u32(3), self.u32(ROOT_BIAS));
        let upper = self.b.op(Op::Shr, &[bits, word]);
        let upper = self.cast(upper, Scalar::U32);
        let third = self.b.op(Op::Div, &[upper, three]);
        let upper = self.plus(third, bias);
        let upper = self.cast(upper, Scalar::U64);
        let bits = self.b.op(Op::Shl, &[upper, word]);
        let mut root = self.bitcast(bits, Scalar::F64);
        for _ in 0..3 {
            let square = self.times(root, root);
            let cube = self.times(square, root);
            let (twice, twice_cube) = (self.plus(scaled, scaled), self.plus(cube, cube));
            let (above, below) = (self.plus(cube, twice), self.plus(twice_cube, scaled));
            let ratio = self.over(above, below);
            root = self.times(root, ratio);
        }
        let square = self.times(root, root);
        let quotient = self.over(scaled, square);
        let (error, three) = (self.minus(quotient, root), self.double(3.0));
        let step = self.over(error, three);
        root = self.plus(root, step);
        root = self.times(root, back);
        root = self.b.op(Op::Copysign, &[root, x]);
        let zero = self.double(0.0);
        let (is_zero, is_finite) = (self.b.op(Op::Eq, &[x, zero]), self.is_finite(x));
        let root = self.select(is_zero, x, root);
        self.select(is_finite, root, x)
    }
}
