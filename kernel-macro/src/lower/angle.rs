//! Sine, cosine and tangent of `f64`, of any magnitude.
//!
//! The operand times 2/π is taken exactly modulo 4, from those digits of 2/π that matter (M. Payne and R. Hanek, *Radian
//! reduction for trigonometric functions*, SIGNUM Newsletter 18, 1983); the rest is a Taylor series within a quarter turn.
//! Sine and cosine are within 3 units in the last place, the tangent within 7.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4};

use gridwise_ir::ir::{BlockId, Place, Step, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::{Scalar, Type};

use super::function::FnCx;

/// The binary digits of 2/π after 64 zeros.
const TWO_OVER_PI: [u64; 20] = [
    0x0000_0000_0000_0000,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
];
/// Exponent of the lowest bit of the smallest number that needs a reduction.
const LOWEST: i32 = -53;
/// Bias of the exponent of that bit.
const BIAS: i32 = 1075;
const DIGITS: u32 = 52;
/// Of smaller numbers the quarter turns, fewer than 2^20, times the first parts of a quarter are exact.
const MOST_BY_PARTS: f64 = 1_000_000.0;
/// A quarter turn: three parts of 33 digits, and what is left.
const HALF_PI_PARTS: [f64; 4] = [
    f64::from_bits(0x3ff9_21fb_5440_0000),
    f64::from_bits(0x3dd0_b461_1a60_0000),
    f64::from_bits(0x3ba3_198a_2e00_0000),
    f64::from_bits(0x397b_839a_2520_49c1),
];

impl FnCx<'_, '_, '_> {
    pub(super) fn sin(&mut self, x: ValueId) -> ValueId {
        if self.shape(x).0 != Scalar::F64 {
            return self.b.op(Op::Sin, &[x]);
        }
        let (sin, _) = self.sin_cos_of_double(x);
        sin
    }

    pub(super) fn cos(&mut self, x: ValueId) -> ValueId {
        if self.shape(x).0 != Scalar::F64 {
            return self.b.op(Op::Cos, &[x]);
        }
        let (_, cos) = self.sin_cos_of_double(x);
        cos
    }

    pub(super) fn tan(&mut self, x: ValueId) -> ValueId {
        if self.shape(x).0 != Scalar::F64 {
            return self.b.op(Op::Tan, &[x]);
        }
        let (sin, cos) = self.sin_cos_of_double(x);
        self.b.op(Op::Div, &[sin, cos])
    }

    /// Sine and cosine; infinities have none.
    pub(super) fn sin_cos_of_double(&mut self, x: ValueId) -> (ValueId, ValueId) {
        let (quarters, rest) = self.quarters_of(x);
        let (sin, cos) = (self.sin_near_zero(rest), self.cos_near_zero(rest));
        let (one, two) = (self.u32(1), self.u32(2));
        let odd = self.b.op(Op::And, &[quarters, one]);
        let is_odd = self.compare_to_zero(Op::Ne, odd);
        let (first, second) = (self.select(is_odd, cos, sin), self.select(is_odd, sin, cos));
        let half = self.b.op(Op::And, &[quarters, two]);
        let is_beyond = self.compare_to_zero(Op::Ne, half);
        let is_negative = self.sign_test(x, Op::Lt);
        let flips = self.b.op(Op::Xor, &[is_beyond, is_negative]);
        let next = self.b.op(Op::Add, &[quarters, one]);
        let half = self.b.op(Op::And, &[next, two]);
        let is_left = self.compare_to_zero(Op::Ne, half);
        let (sin, cos) = (self.negated_if(flips, first), self.negated_if(is_left, second));
        let (is_finite, nan) = (self.is_finite(x), self.float_like(x, f64::NAN));
        (self.select(is_finite, sin, nan), self.select(is_finite, cos, nan))
    }

    fn negated_if(&mut self, condition: ValueId, x: ValueId) -> ValueId {
        let opposite = self.b.op(Op::Neg, &[x]);
        self.select(condition, opposite, x)
    }

    /// The nearest number of quarter turns to a number's size, modulo 4, and what is left of the size.
    fn quarters_of(&mut self, x: ValueId) -> (ValueId, ValueId) {
        let (size, most) = (self.b.op(Op::Abs, &[x]), self.float_like(x, MOST_BY_PARTS));
        let is_near = self.b.op(Op::Lt, &[size, most]);
        let types = [self.b.types_mut().scalar(Scalar::U32), self.b.types_mut().scalar(Scalar::F64)];
        let near = self.yielding(|cx| cx.quarters_by_parts(size).into());
        let far = self.yielding(|cx| cx.quarters_of_others(size).into());
        let results = self.b.push_if(is_near, near, far, &types);
        (results[0], results[1])
    }

    fn yielding(&mut self, fill: impl FnOnce(&mut Self) -> [ValueId; 2]) -> BlockId {
        let block = self.b.new_block();
        let parent = self.b.switch_to(block);
        let values = fill(self);
        self.b.yield_(&values);
        self.b.switch_to(parent);
        block
    }

    /// The same of a number of which few quarter turns are taken.
    fn quarters_by_parts(&mut self, size: ValueId) -> (ValueId, ValueId) {
        let inverse = self.float_like(size, FRAC_2_PI);
        let turns = self.b.op(Op::Mul, &[size, inverse]);
        let (turns, whole) = self.nearest(turns);
        let rest = HALF_PI_PARTS.into_iter().fold(size, |rest, part| self.less_product(rest, turns, part));
        (self.cast(whole, Scalar::U32), rest)
    }

    /// The same of any number.
    fn quarters_of_others(&mut self, size: ValueId) -> (ValueId, ValueId) {
        let bits = self.bitcast(size, Scalar::U64);
        let (digits, mask, top) =
            (self.u32(DIGITS), self.bits(Scalar::U64, (1 << DIGITS) - 1), self.bits(Scalar::U64, 1 << DIGITS));
        let exponent = self.b.op(Op::Shr, &[bits, digits]);
        let exponent = self.cast(exponent, Scalar::I32);
        let (bias, lowest) = (self.i32(BIAS), self.i32(LOWEST));
        let exponent = self.b.op(Op::Sub, &[exponent, bias]);
        let exponent = self.b.op(Op::Max, &[exponent, lowest]);
        let fraction = self.b.op(Op::And, &[bits, mask]);
        let fraction = self.b.op(Op::Or, &[fraction, top]);
        // Digits whose product is a multiple of four turns are left out.
        let first = self.i32(62);
        let first = self.b.op(Op::Add, &[exponent, first]);
        let first = self.cast(first, Scalar::U32);
        let window = self.window(first);
        let product = self.low_product(fraction, window);
        let (quarters, turns) = self.signed_rest(product);
        let quarter = self.float_like(size, FRAC_PI_2);
        let rest = self.b.op(Op::Mul, &[turns, quarter]);
        let (limit, none) = (self.float_like(size, FRAC_PI_4), self.u32(0));
        let is_small = self.b.op(Op::Lt, &[size, limit]);
        (self.select(is_small, none, quarters), self.select(is_small, size, rest))
    }

    /// 192 digits of the table from one on, highest first.
    fn window(&mut self, first: ValueId) -> [ValueId; 3] {
        let words: Vec<_> = TWO_OVER_PI.iter().map(|word| self.bits(Scalar::U64, *word)).collect();
        let word = self.b.types_mut().scalar(Scalar::U64);
        let ty = self.b.types_mut().intern(Type::Array(word, (TWO_OVER_PI.len() as u32).into()));
        let table = self.compose(ty, &words);
        let local = self.spill(table, "two_over_pi");
        let (six, mask, one, last) = (self.u32(6), self.u32(63), self.u32(1), self.u32(63));
        let index = self.b.op(Op::Shr, &[first, six]);
        // It is at most 16: this tells the passes.
        let limit = self.u32(TWO_OVER_PI.len() as u32 - 4);
        let index = self.b.op(Op::Min, &[index, limit]);
        let by = self.b.op(Op::And, &[first, mask]);
        let back = self.b.op(Op::Sub, &[last, by]);
        let loaded = [0, 1, 2, 3].map(|step| {
            let step = self.u32(step);
            let value = self.b.op(Op::Add, &[index, step]);
            let mut place = Place::local(local);
            place.path.push(Step::Index { value, check: None });
            self.b.load(place)
        });
        [0, 1, 2].map(|at| {
            let high = self.b.op(Op::Shl, &[loaded[at], by]);
            // A shift by 64 would be one by nothing, so it takes two steps.
            let low = self.b.op(Op::Shr, &[loaded[at + 1], one]);
            let low = self.b.op(Op::Shr, &[low, back]);
            self.b.op(Op::Or, &[high, low])
        })
    }

    /// The lower 192 bits of a product, highest word first.
    fn low_product(&mut self, factor: ValueId, [high, middle, low]: [ValueId; 3]) -> [ValueId; 3] {
        let (bottom, carried) = (self.b.op(Op::Mul, &[factor, low]), self.b.op(Op::MulHigh, &[factor, low]));
        let (own, above) = (self.b.op(Op::Mul, &[factor, middle]), self.b.op(Op::MulHigh, &[factor, middle]));
        let second = self.b.op(Op::Add, &[own, carried]);
        let carries = self.b.op(Op::Lt, &[second, own]);
        let (one, zero) = (self.int_like(own, 1), self.int_like(own, 0));
        let carry = self.select(carries, one, zero);
        let top = self.b.op(Op::Mul, &[factor, high]);
        let top = self.b.op(Op::Add, &[top, above]);
        [self.b.op(Op::Add, &[top, carry]), second, bottom]
    }

    /// The two bits before the point, rounded by those after it; and the rest, from -½ to ½.
    fn signed_rest(&mut self, [high, middle, low]: [ValueId; 3]) -> (ValueId, ValueId) {
        let (two, below, one) = (self.u32(2), self.u32(62), self.int_like(high, 1));
        let join = |cx: &mut Self, upper: ValueId, lower: ValueId| {
            let (upper, lower) = (cx.b.op(Op::Shl, &[upper, two]), cx.b.op(Op::Shr, &[lower, below]));
            cx.b.op(Op::Or, &[upper, lower])
        };
        let (upper, lower) = (join(self, high, middle), join(self, middle, low));
        let signed = self.cast(upper, Scalar::I64);
        let is_above_half = self.compare_to_zero(Op::Lt, signed);
        let whole = self.b.op(Op::Shr, &[high, below]);
        let more = self.b.op(Op::Add, &[whole, one]);
        let whole = self.select(is_above_half, more, whole);
        let quarters = self.cast(whole, Scalar::U32);
        // The size in 128 bits.
        let (zero, inverse, opposite) =
            (self.int_like(high, 0), self.b.op(Op::Not, &[upper]), self.wrapping_neg(lower));
        let carries = self.b.op(Op::Eq, &[lower, zero]);
        let carry = self.select(carries, one, zero);
        let inverse = self.b.op(Op::Add, &[inverse, carry]);
        let (upper, lower) = (self.select(is_above_half, inverse, upper), self.select(is_above_half, opposite, lower));
        // The upper word in two parts, each exact as a float.
        let mask = self.bits(Scalar::U64, !0x7ff);
        let main = self.b.op(Op::And, &[upper, mask]);
        let rest = self.b.op(Op::Sub, &[upper, main]);
        let [main, rest, lower] = [main, rest, lower].map(|word| self.cast(word, Scalar::F64));
        let unit = self.float_like(main, 2f64.powi(-64));
        let lower = self.b.op(Op::Mul, &[lower, unit]);
        let rest = self.b.op(Op::Add, &[rest, lower]);
        let sum = self.b.op(Op::Add, &[main, rest]);
        let turns = self.b.op(Op::Mul, &[sum, unit]);
        (quarters, self.negated_if(is_above_half, turns))
    }

    /// `r - r³/3! + … + r¹⁷/17!`
    fn sin_near_zero(&mut self, r: ValueId) -> ValueId {
        let square = self.b.op(Op::Mul, &[r, r]);
        let series = self.polynomial(square, (1..=8).rev().map(|k| signed_inverse_factorial(k, 2 * k + 1)));
        let cube = self.b.op(Op::Mul, &[square, r]);
        self.b.op(Op::NearMulAdd, &[cube, series, r])
    }

    /// `1 - r²/2! + … + r¹⁶/16!`, with what rounding `1 - r²/2` loses.
    fn cos_near_zero(&mut self, r: ValueId) -> ValueId {
        let (one, half) = (self.float_like(r, 1.0), self.float_like(r, 0.5));
        let square = self.b.op(Op::Mul, &[r, r]);
        let series = self.polynomial(square, (2..=8).rev().map(|k| signed_inverse_factorial(k, 2 * k)));
        let fourth = self.b.op(Op::Mul, &[square, square]);
        let halved = self.b.op(Op::Mul, &[square, half]);
        let main = self.b.op(Op::Sub, &[one, halved]);
        let lost = self.b.op(Op::Sub, &[one, main]);
        let lost = self.b.op(Op::Sub, &[lost, halved]);
        let tail = self.b.op(Op::NearMulAdd, &[fourth, series, lost]);
        self.b.op(Op::Add, &[main, tail])
    }
}

/// `(-1)^k / n!`
fn signed_inverse_factorial(k: u32, n: u32) -> f64 {
    let factorial = (1..=n).map(f64::from).product::<f64>();
    if k.is_multiple_of(2) { 1.0 / factorial } else { -1.0 / factorial }
}
