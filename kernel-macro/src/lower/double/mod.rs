//! Exponential functions and logarithms of `f64`, which SPIR-V does not have, from arithmetic that it has.
//!
//! Each reduces its operand to a short interval and sums the Taylor series there: of `e^r` for |r| at most half of ln 2, and
//! of `ln((1 + s) / (1 - s)) = 2 (s + s³/3 + s⁵/5 + …)` for the fraction of a number between √½ and √2 (Abramowitz and
//! Stegun, *Handbook of Mathematical Functions*, 4.2.1 and 4.1.27). Results are within 2 units in the last place.

mod arc;
mod hyperbolic;
mod power;

use std::f64::consts::{LN_2, LOG2_E, LOG10_2, LOG10_E};

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::function::FnCx;
use crate::builtin::elementary::Elementary;

/// The upper 21 digits of ln 2: multiples by an exponent are exact.
const LN_2_HIGH: f64 = f64::from_bits(LN_2.to_bits() & !0xffff_ffff);
/// The rest of ln 2, with what the constant of the standard library leaves out.
const LN_2_LOW: f64 = LN_2 - LN_2_HIGH + 2.319_046_813_846_3e-17;
/// The same for the decimal logarithm of 2.
const LOG10_2_HIGH: f64 = f64::from_bits(LOG10_2.to_bits() & !0xffff_ffff);
const LOG10_2_LOW: f64 = LOG10_2 - LOG10_2_HIGH;
/// Bits of a float a little below √½: fractions from there on have the exponent of their logarithm.
const SPLIT: u64 = 0x3fe6_a09e_0000_0000;
/// Bits of 1.
const ONE: u64 = 0x3ff0_0000_0000_0000;
const DIGITS: u32 = 52;

/// A number as a fraction near 1, less 1, and a power of two.
struct Parts {
    fraction: ValueId,
    exponent: ValueId,
}

impl FnCx<'_, '_, '_> {
    fn is_double(&self, x: ValueId) -> bool {
        self.shape(x).0 == Scalar::F64
    }

    pub(super) fn exp(&mut self, x: ValueId) -> ValueId {
        if !self.is_double(x) {
            return self.b.op(Op::Exp, &[x]);
        }
        let near = self.between(x, -746.0, 710.0);
        let log2_e = self.float_like(x, LOG2_E);
        let turns = self.b.op(Op::Mul, &[near, log2_e]);
        let (n, whole) = self.nearest(turns);
        let rest = self.less_product(near, n, LN_2_HIGH);
        let rest = self.less_product(rest, n, LN_2_LOW);
        let power = self.exp_near_zero(rest);
        self.scaled_power(x, power, whole)
    }

    pub(super) fn exp2(&mut self, x: ValueId) -> ValueId {
        if !self.is_double(x) {
            return self.b.op(Op::Exp2, &[x]);
        }
        let near = self.between(x, -1076.0, 1025.0);
        let (n, whole) = self.nearest(near);
        let rest = self.b.op(Op::Sub, &[near, n]);
        let ln_2 = self.float_like(x, LN_2);
        let rest = self.b.op(Op::Mul, &[rest, ln_2]);
        let power = self.exp_near_zero(rest);
        self.scaled_power(x, power, whole)
    }

    pub(super) fn ln(&mut self, x: ValueId) -> ValueId {
        if !self.is_double(x) {
            return self.b.op(Op::Ln, &[x]);
        }
        let Parts { fraction, exponent } = self.parts_of(x);
        let low = self.float_like(x, LN_2_LOW);
        let low = self.b.op(Op::Mul, &[exponent, low]);
        let logarithm = self.ln_near_one(fraction, Some(low));
        let high = self.float_like(x, LN_2_HIGH);
        let high = self.b.op(Op::Mul, &[exponent, high]);
        let logarithm = self.b.op(Op::Add, &[high, logarithm]);
        self.with_ends(x, logarithm)
    }

    pub(super) fn log2(&mut self, x: ValueId) -> ValueId {
        if !self.is_double(x) {
            return self.b.op(Op::Log2, &[x]);
        }
        let Parts { fraction, exponent } = self.parts_of(x);
        let logarithm = self.ln_near_one(fraction, None);
        let log2_e = self.float_like(x, LOG2_E);
        let logarithm = self.b.op(Op::Mul, &[logarithm, log2_e]);
        let logarithm = self.b.op(Op::Add, &[exponent, logarithm]);
        self.with_ends(x, logarithm)
    }

    pub(super) fn log10_of_double(&mut self, x: ValueId) -> ValueId {
        let Parts { fraction, exponent } = self.parts_of(x);
        let logarithm = self.ln_near_one(fraction, None);
        let (log10_e, low, high) =
            (self.float_like(x, LOG10_E), self.float_like(x, LOG10_2_LOW), self.float_like(x, LOG10_2_HIGH));
        let logarithm = self.b.op(Op::Mul, &[logarithm, log10_e]);
        let low = self.b.op(Op::Mul, &[exponent, low]);
        let logarithm = self.b.op(Op::Add, &[logarithm, low]);
        let high = self.b.op(Op::Mul, &[exponent, high]);
        let logarithm = self.b.op(Op::Add, &[high, logarithm]);
        self.with_ends(x, logarithm)
    }

    /// A function that devices have for `f32` only; `None` for others.
    pub(super) fn of_double(&mut self, function: Elementary, x: ValueId, y: ValueId) -> Option<ValueId> {
        use Elementary as E;
        // Not all intrinsics take numbers.
        let (scalar, _) = self.shape_of_type(self.b.value_type(x))?;
        if scalar != Scalar::F64 {
            return None;
        }
        Some(match function {
            E::ExpM1 => self.double_exp_m1(x),
            E::Sinh => self.double_sinh(x),
            E::Cosh => self.double_cosh(x),
            E::Tanh => self.double_tanh(x),
            E::Ln1p => self.double_ln_1p(x),
            E::Asinh => self.double_asinh(x),
            E::Acosh => self.double_acosh(x),
            E::Atanh => self.double_atanh(x),
            E::Atan2 => self.double_atan2(x, y),
            E::Atan => {
                let one = self.float_like(x, 1.0);
                self.double_atan2(x, one)
            }
            E::Asin => {
                let other = self.other_leg(x);
                self.double_atan2(x, other)
            }
            E::Acos => {
                let other = self.other_leg(x);
                self.double_atan2(other, x)
            }
            E::Powf => self.double_powf(x, y),
            E::Cbrt => self.double_cbrt(x),
            _ => return None,
        })
    }

    fn plus(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.b.op(Op::Add, &[a, b])
    }

    fn minus(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.b.op(Op::Sub, &[a, b])
    }

    fn times(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.b.op(Op::Mul, &[a, b])
    }

    fn over(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.b.op(Op::Div, &[a, b])
    }

    fn double(&mut self, value: f64) -> ValueId {
        self.float(Scalar::F64, value)
    }

    /// The whole number nearest to one within -2^31 ..= 2^31, and the same as an `i32`: the sum with a number so large that its digits end
    /// before the point rounds, and has the whole number in its lowest bits.
    pub(super) fn nearest(&mut self, x: ValueId) -> (ValueId, ValueId) {
        let large = self.float_like(x, 1.5 * (1u64 << 52) as f64);
        let sum = self.b.op(Op::Add, &[x, large]);
        let bits = self.bitcast(sum, Scalar::U64);
        let word = self.cast(bits, Scalar::U32);
        (self.b.op(Op::Sub, &[sum, large]), self.cast(word, Scalar::I32))
    }

    /// A number near a multiple of ln 2: what is left of it, and the multiple as an `i32`.
    fn less_turns(&mut self, near: ValueId) -> (ValueId, ValueId) {
        let log2_e = self.double(LOG2_E);
        let turns = self.times(near, log2_e);
        let (n, whole) = self.nearest(turns);
        let rest = self.less_product(near, n, LN_2_HIGH);
        (self.less_product(rest, n, LN_2_LOW), whole)
    }

    /// `e^r - 1` for what is left: `r + r²/2! + … + r¹⁴/14!`, the small terms first.
    fn power_less_one(&mut self, r: ValueId) -> ValueId {
        let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
        let tail = self.polynomial(r, (2..=14).rev().map(|n| 1.0 / factorial(n)));
        let square = self.times(r, r);
        self.b.op(Op::NearMulAdd, &[tail, square, r])
    }

    /// 2 to a whole number of the range of exponents.
    fn power_of_two(&mut self, n: ValueId) -> ValueId {
        let (bias, digits) = (self.i32(1023), self.u32(DIGITS));
        let exponent = self.plus(n, bias);
        let exponent = self.cast(exponent, Scalar::U32);
        let exponent = self.cast(exponent, Scalar::U64);
        let bits = self.b.op(Op::Shl, &[exponent, digits]);
        self.bitcast(bits, Scalar::F64)
    }

    /// The operand between bounds beyond which nothing changes; NaN becomes one of them.
    pub(super) fn between(&mut self, x: ValueId, low: f64, high: f64) -> ValueId {
        let (low, high) = (self.float_like(x, low), self.float_like(x, high));
        let raised = self.b.op(Op::Max, &[x, low]);
        self.b.op(Op::Min, &[raised, high])
    }

    /// `x - n * factor`, where the product is exact; several sums of products in a row would be joined to one.
    pub(super) fn less_product(&mut self, x: ValueId, n: ValueId, factor: f64) -> ValueId {
        let factor = self.float_like(x, factor);
        let product = self.b.op(Op::Mul, &[n, factor]);
        self.b.op(Op::Sub, &[x, product])
    }

    /// A polynomial by its coefficients, highest power first.
    pub(super) fn polynomial(&mut self, x: ValueId, coefficients: impl Iterator<Item = f64>) -> ValueId {
        let mut sum = None;
        for coefficient in coefficients {
            let coefficient = self.float_like(x, coefficient);
            sum = Some(match sum {
                None => coefficient,
                Some(sum) => self.b.op(Op::NearMulAdd, &[sum, x, coefficient]),
            });
        }
        sum.unwrap_or(x)
    }

    /// `1 + r + r²/2! + … + r¹³/13!`, the small terms first.
    fn exp_near_zero(&mut self, r: ValueId) -> ValueId {
        let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
        let tail = self.polynomial(r, (2..=13).rev().map(|n| 1.0 / factorial(n)));
        let square = self.b.op(Op::Mul, &[r, r]);
        let sum = self.b.op(Op::NearMulAdd, &[tail, square, r]);
        let one = self.float_like(r, 1.0);
        self.b.op(Op::Add, &[one, sum])
    }

    /// `power * 2^n`, rounded once, in two steps: 2^n alone may be out of range. NaN where `x` is NaN.
    fn scaled_power(&mut self, x: ValueId, power: ValueId, n: ValueId) -> ValueId {
        let one = self.u32(1);
        let first = self.b.op(Op::Shr, &[n, one]);
        let second = self.b.op(Op::Sub, &[n, first]);
        let mut result = power;
        for part in [first, second] {
            let (bias, digits) = (self.i32(1023), self.u32(DIGITS));
            let exponent = self.b.op(Op::Add, &[part, bias]);
            let exponent = self.cast(exponent, Scalar::U32);
            let exponent = self.cast(exponent, Scalar::U64);
            let bits = self.b.op(Op::Shl, &[exponent, digits]);
            let factor = self.bitcast(bits, Scalar::F64);
            result = self.b.op(Op::Mul, &[result, factor]);
        }
        let is_nan = self.b.op(Op::IsNan, &[x]);
        self.select(is_nan, x, result)
    }

    /// Takes a positive finite number apart; subnormal ones are scaled up first.
    fn parts_of(&mut self, x: ValueId) -> Parts {
        let (least, up, none, shift) = (
            self.float_like(x, f64::MIN_POSITIVE),
            self.float_like(x, (1u64 << 54) as f64),
            self.float_like(x, 1.0),
            self.float_like(x, 54.0),
        );
        let is_small = self.b.op(Op::Lt, &[x, least]);
        let factor = self.select(is_small, up, none);
        let scaled = self.b.op(Op::Mul, &[x, factor]);
        let bits = self.bitcast(scaled, Scalar::U64);
        let (offset, mask, split, digits, bias) = (
            self.bits(Scalar::U64, ONE - SPLIT),
            self.bits(Scalar::U64, (1 << DIGITS) - 1),
            self.bits(Scalar::U64, SPLIT),
            self.u32(DIGITS),
            self.float_like(x, 1023.0),
        );
        let moved = self.b.op(Op::Add, &[bits, offset]);
        let exponent = self.b.op(Op::Shr, &[moved, digits]);
        let exponent = self.cast(exponent, Scalar::U32);
        let exponent = self.cast(exponent, Scalar::F64);
        let exponent = self.b.op(Op::Sub, &[exponent, bias]);
        let lower = self.b.op(Op::Sub, &[exponent, shift]);
        let exponent = self.select(is_small, lower, exponent);
        let fraction = self.b.op(Op::And, &[moved, mask]);
        let fraction = self.b.op(Op::Add, &[fraction, split]);
        let fraction = self.bitcast(fraction, Scalar::F64);
        Parts { fraction: self.b.op(Op::Sub, &[fraction, none]), exponent }
    }

    /// `ln(1 + f)`, and something small added: with `s = f / (2 + f)` it is `f - (f²/2 - s (f²/2 + R))`, where R is the
    /// rest of the series, `2 (s²/3 + s⁴/5 + …)`; so the largest term is exact.
    fn ln_near_one(&mut self, f: ValueId, small: Option<ValueId>) -> ValueId {
        let (two, half) = (self.float_like(f, 2.0), self.float_like(f, 0.5));
        let sum = self.b.op(Op::Add, &[f, two]);
        let s = self.b.op(Op::Div, &[f, sum]);
        let z = self.b.op(Op::Mul, &[s, s]);
        let series = self.polynomial(z, (1..=11).rev().map(|k| 2.0 / f64::from(2 * k + 1)));
        let square = self.b.op(Op::Mul, &[f, f]);
        let square = self.b.op(Op::Mul, &[square, half]);
        let inner = self.b.op(Op::NearMulAdd, &[series, z, square]);
        let inner = match small {
            Some(small) => self.b.op(Op::NearMulAdd, &[s, inner, small]),
            None => self.b.op(Op::Mul, &[s, inner]),
        };
        let correction = self.b.op(Op::Sub, &[square, inner]);
        self.b.op(Op::Sub, &[f, correction])
    }

    /// A logarithm's values where the operand is not positive and finite.
    fn with_ends(&mut self, x: ValueId, logarithm: ValueId) -> ValueId {
        let (zero, lowest, nan, infinity) = (
            self.float_like(x, 0.0),
            self.float_like(x, f64::NEG_INFINITY),
            self.float_like(x, f64::NAN),
            self.float_like(x, f64::INFINITY),
        );
        let is_below = self.b.op(Op::Lt, &[x, infinity]);
        // Infinity and NaN are their own logarithms.
        let result = self.select(is_below, logarithm, x);
        let is_zero = self.b.op(Op::Eq, &[x, zero]);
        let result = self.select(is_zero, lowest, result);
        let is_negative = self.b.op(Op::Lt, &[x, zero]);
        self.select(is_negative, nan, result)
    }
}
