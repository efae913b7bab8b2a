//! Powers. GLSL's `Pow` loses more digits the larger the exponent, and knows no negative base; here the logarithm has twice
//! the digits of a float, and the special cases are those of `f32::powf`.

use rspirv::spirv::GlslStd450Op as GLOp;

use super::Helper;
use super::asm::Asm;
use super::double::{fast_two_sum, two_product, two_sum};
use super::exponential::exp2_near_zero;
use super::logarithm;
use crate::spirv::words::Id;

/// A number as the sum of a float and a much smaller one.
type Double = [Id; 2];

/// `x^y`.
pub(super) fn powf(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let &[x, y] = params else { unreachable!("two parameters") };
    let has_fma = a.w.has_fma(a.scalar);
    let by_fma = |a: &mut Asm<'_, '_>| {
        // A positive finite base, and an exponent whose products with logarithms are finite.
        let (one, count, most) = (a.u(1), a.u(f32::INFINITY.to_bits() - 1), a.u(1.0e12_f32.to_bits()));
        let (bits, y_size) = (a.bits(x), a.size_bits(y));
        let below = a.isub(bits, one);
        let (is_usual, is_small) = (a.ult(below, count), a.ult(y_size, most));
        let is_usual = a.both(is_usual, is_small);
        a.branch(is_usual, |a| power_by_fma(a, x, y), |a| a.call(Helper::PowfOfOthers, params))
    };
    a.branch(has_fma, by_fma, |a| a.call(Helper::PowfOfOthers, params))
}

/// The power of any number.
pub(super) fn powf_of_others(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let &[x, y] = params else { unreachable!("two parameters") };
    let size = a.fabs(x);
    let power = finite_power(a, size, y);
    let power = infinite_power(a, size, y, power);
    let power = with_sign(a, x, y, power);
    // One to any power and anything to the power of zero are one, NaN or not.
    let power = a.or_nan(x, power);
    let power = a.or_nan(y, power);
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let (is_one, is_zeroth) = (a.feq(x, one), a.feq(y, zero));
    let is_one = a.either(is_one, is_zeroth);
    a.fselect(is_one, one, power)
}

/// The power of a positive finite number, with an exponent up to 10^12.
fn power_by_fma(a: &mut Asm<'_, '_>, x: Id, y: Id) -> Id {
    let logarithm = log2_by_fma(a, x);
    let high = a.fmul(y, logarithm[0]);
    let negated = a.fneg(high);
    let low = a.fused_alone(y, logarithm[0], negated);
    let low = a.fused(y, logarithm[1], low);
    let has_exp2 = a.w.has_exp2();
    a.branch(has_exp2, |a| native_exp2_of_sum(a, high, low), |a| exp2_of_sum(a, high, low))
}

/// Base-2 logarithm of a positive finite number: the exponent, and of the mantissa m = 1 + f the series of `2 artanh(q / 2)` with
/// `q = 2 f / (f + 2)`. The first two terms have twice the digits of a float; the others are small.
fn log2_by_fma(a: &mut Asm<'_, '_>, x: Id) -> Double {
    let [mantissa, exponent] = logarithm::split(a, x);
    let unit = a.f(logarithm::OF_UNIT);
    let exponent = a.fmul(exponent, unit);
    let one = a.f(1.0);
    let (f, divisor) = (a.fsub(mantissa, one), a.fadd(mantissa, one));
    let inverse = a.rough_inverse(divisor);
    let doubled = a.fadd(f, f);
    let q = a.fmul(doubled, inverse);
    // What `2 f - q (f + 2)` is, each step without a loss.
    let rest = a.fsub(f, q);
    let rest = a.fadd(rest, rest);
    let minus_q = a.fneg(q);
    let rest = a.fused_alone(minus_q, f, rest);
    let q_low = a.fmul(rest, inverse);

    let lost = |a: &mut Asm<'_, '_>, x: Id, y: Id, product: Id| {
        let negated = a.fneg(product);
        a.fused_alone(x, y, negated)
    };
    let square = a.fmul(q, q);
    let square_low = lost(a, q, q, square);
    let twice = a.fadd(q, q);
    let square_low = a.fused(twice, q_low, square_low);
    let cube = a.fmul(square, q);
    let cube_low = lost(a, square, q, cube);
    let cube_low = a.fused(square_low, q, cube_low);
    let cube_low = a.fused(square, q_low, cube_low);

    // The factors of both, 1 / ln 2 and a twelfth of that, and what is missing to the real numbers.
    let [first, second] = [[std::f32::consts::LOG2_E, 1.925_963e-8], [0.120_224_59, -8.785_577e-10]];
    let [linear, cubic] = [(q, q_low, first), (cube, cube_low, second)].map(|(high, low, [factor, missing])| {
        let (factor, missing) = (a.f(factor), a.f(missing));
        let product = a.fmul(high, factor);
        let error = lost(a, high, factor, product);
        let error = a.fused(high, missing, error);
        [product, a.fused(low, factor, error)]
    });
    let tail = a.poly(square, &[6.598_804e-4, 3.217_563e-3, 1.803_375_6e-2]);
    let tail = a.fmul(tail, square);
    let cubic_low = a.fused(tail, cube, cubic[1]);

    let [sum, first_error] = fast_two_sum(a, exponent, linear[0]);
    let [sum, second_error] = fast_two_sum(a, sum, cubic[0]);
    let (errors, lows) = (a.fadd(first_error, second_error), a.fadd(linear[1], cubic_low));
    let low = a.fadd(errors, lows);
    fast_two_sum(a, sum, low)
}

/// The same without a fused sum, of an exponent of any size.
fn finite_power(a: &mut Asm<'_, '_>, x: Id, y: Id) -> Id {
    let logarithm = double_log2(a, x);
    // A larger exponent gives zero, one or infinity just the same.
    let y = a.clamp(y, -1.0e12, 1.0e12);
    let [high, low] = two_product(a, y, logarithm[0]);
    let rest = a.fmul(y, logarithm[1]);
    let low = a.fadd(low, rest);
    let [high, low] = fast_two_sum(a, high, low);
    exp2_of_sum(a, high, low)
}

/// `2^(high + low)` by the device's `Exp2` of the larger part; the other one gives a factor close to one.
fn native_exp2_of_sum(a: &mut Asm<'_, '_>, high: Id, low: Id) -> Id {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    // Half of what is large: its last units may be finite where the power of the larger part is not.
    let is_large = a.fgt(high, one);
    let halving = a.fselect(is_large, one, zero);
    let high = a.fsub(high, halving);
    let power = a.glsl(GLOp::Exp2, &[high]);
    let ln_2 = a.f(std::f32::consts::LN_2);
    let factor = a.fused(low, ln_2, one);
    // Where the exponent is so large that the rest is, the power is zero or infinite with any factor above zero.
    let factor = a.clamp(factor, 0.999, 1.001);
    let power = a.fmul(power, factor);
    let doubling = a.fadd(one, halving);
    a.fmul(power, doubling)
}

/// `2^(high + low)` of a larger and a much smaller number.
fn exp2_of_sum(a: &mut Asm<'_, '_>, high: Id, low: Id) -> Id {
    let near = a.clamp(high, -160.0, 130.0);
    let is_near = a.feq(near, high);
    let zero = a.f(0.0);
    let low = a.fselect(is_near, low, zero);
    let one = a.f(1.0);
    let [n, bits] = a.nearest(near, one);
    let rest = a.fsub(near, n);
    let rest = a.fadd(rest, low);
    let power = exp2_near_zero(a, rest);
    a.scale_by_bits(power, bits)
}

/// Base-2 logarithm of a positive finite number: the exponent, and of the mantissa m the series of
/// `2 artanh((m - 1) / (m + 1))`.
fn double_log2(a: &mut Asm<'_, '_>, x: Id) -> Double {
    let [mantissa, exponent] = logarithm::split(a, x);
    let unit = a.f(logarithm::OF_UNIT);
    let exponent = a.fmul(exponent, unit);
    let one = a.f(1.0);
    let numerator = a.fsub(mantissa, one);
    let denominator = two_sum(a, mantissa, one);
    let s = divide(a, numerator, denominator);

    // s * (1 + z / 3 + z^2 / 5 + ...) with z = s^2.
    let [z, z_low] = two_product(a, s[0], s[0]);
    let cross = a.fmul(s[0], s[1]);
    let cross = a.fadd(cross, cross);
    let z_low = a.fadd(z_low, cross);
    let tail = a.poly(z, &[1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0]);
    let tail = a.fmul(tail, z);
    let (third, third_low) = (a.f(1.0 / 3.0), a.f(-9.934_108e-9));
    let [sum, sum_low] = fast_two_sum(a, third, tail);
    let sum_low = a.fadd(sum_low, third_low);
    let correction = multiply(a, [z, z_low], [sum, sum_low]);
    let [product, product_low] = multiply(a, s, correction);
    let [half, half_low] = fast_two_sum(a, s[0], product);
    let small = a.fadd(s[1], product_low);
    let half_low = a.fadd(half_low, small);

    // Times 2 / ln 2.
    let factor = [a.f(2.885_39), a.f(3.851_926e-8)];
    let [log, log_low] = multiply(a, [half, half_low], factor);
    let [sum, error] = two_sum(a, exponent, log);
    let low = a.fadd(error, log_low);
    fast_two_sum(a, sum, low)
}

fn multiply(a: &mut Asm<'_, '_>, x: Double, y: Double) -> Double {
    let [product, error] = two_product(a, x[0], y[0]);
    let (first, second) = (a.fmul(x[0], y[1]), a.fmul(x[1], y[0]));
    let cross = a.fadd(first, second);
    let error = a.fadd(error, cross);
    fast_two_sum(a, product, error)
}

/// A quotient and what its rounding, however bad, left over.
fn divide(a: &mut Asm<'_, '_>, x: Id, y: Double) -> Double {
    let one = a.f(1.0);
    let inverse = a.fdiv(one, y[0]);
    let quotient = a.fmul(x, inverse);
    let [product, error] = two_product(a, quotient, y[0]);
    let rest = a.fsub(x, product);
    let rest = a.fsub(rest, error);
    let low = a.fmul(quotient, y[1]);
    let rest = a.fsub(rest, low);
    let low = a.fmul(rest, inverse);
    fast_two_sum(a, quotient, low)
}

/// Replaces the power where the base is zero or infinite, or the exponent infinite.
fn infinite_power(a: &mut Asm<'_, '_>, size: Id, y: Id, power: Id) -> Id {
    let (zero, one, infinity) = (a.f(0.0), a.f(1.0), a.f(f32::INFINITY));
    let y_size = a.fabs(y);
    let (size_bits, no_bits) = (a.bits(size), a.u(0));
    let ends = [a.ieq(size_bits, no_bits), a.feq(size, infinity), a.feq(y_size, infinity)];
    let is_end = a.either(ends[0], ends[1]);
    let is_end = a.either(is_end, ends[2]);
    let (grows, is_positive) = (a.fgt(size, one), a.fgt(y, zero));
    let falls = a.differ(grows, is_positive);
    let end = a.fselect(falls, zero, infinity);
    let is_unit = a.feq(size, one);
    let end = a.fselect(is_unit, one, end);
    a.fselect(is_end, end, power)
}

/// The sign of the power of a negative base: that of odd exponents, and NaN for those between whole numbers.
fn with_sign(a: &mut Asm<'_, '_>, x: Id, y: Id, power: Id) -> Id {
    let (zero, one, no_bits, infinity) = (a.f(0.0), a.u(1), a.u(0), a.f(f32::INFINITY));
    let whole = a.glsl(GLOp::Trunc, &[y]);
    let is_whole = a.feq(whole, y);
    // From 2^24 on all floats are even.
    let small = a.clamp(whole, -16_777_216.0, 16_777_216.0);
    let last = a.signed_of(small);
    let last = a.bits(last);
    let last = a.and(last, one);
    let is_odd = a.ine(last, no_bits);
    let is_odd = a.both(is_whole, is_odd);
    let sign = a.sign_bit(x);
    let is_negative = a.ine(sign, no_bits);
    let flips = a.both(is_negative, is_odd);
    let opposite = a.fneg(power);
    let power = a.fselect(flips, opposite, power);

    let below = a.flt(x, zero);
    let (size, y_size) = (a.fabs(x), a.fabs(y));
    let (x_finite, y_finite) = (a.flt(size, infinity), a.flt(y_size, infinity));
    let between = a.negate(is_whole);
    let is_invalid = a.both(below, between);
    let is_finite = a.both(x_finite, y_finite);
    let is_invalid = a.both(is_invalid, is_finite);
    let nan = a.f(f32::NAN);
    a.fselect(is_invalid, nan, power)
}
