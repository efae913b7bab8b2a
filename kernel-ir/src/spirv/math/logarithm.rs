//! Logarithms: the exponent and a polynomial of the mantissa.
//! GLSL's lose digits near 1, where the result is small, and say nothing about operands of zero or less.

use super::asm::Asm;
use crate::spirv::words::Id;

/// A positive finite float as `mantissa * 2^exponent`, the mantissa within 0.707 ..= 1.414 and the exponent a float.
pub(super) fn split(a: &mut Asm<'_, '_>, x: Id) -> [Id; 2] {
    let (zero, width) = (a.u(0), a.u(23));
    let bits = a.bits(x);
    let exponent = a.shr(bits, width);
    let is_subnormal = a.ieq(exponent, zero);
    // As integers, subnormals are 2^149 times as large, and normal once converted.
    let grown = a.float_of(bits);
    let grown = a.bits(grown);
    let bits = a.select(is_subnormal, grown, bits);
    let shift = a.u(149);
    let shift = a.select(is_subnormal, shift, zero);
    // Counted from sqrt(0.5): the exponent then goes up where the mantissa would leave the interval.
    let root = a.u(0x3f35_04f3);
    let above = a.isub(bits, root);
    let exponent = a.sar(above, width);
    let mask = a.u(0x7f_ffff);
    let fraction = a.and(above, mask);
    let mantissa = a.iadd(fraction, root);
    let exponent = a.isub(exponent, shift);
    [a.as_float(mantissa), a.float_of_signed(exponent)]
}

/// `ln(1 + f) - f` for `1 + f` within 0.707 ..= 1.414.
fn tail(a: &mut Asm<'_, '_>, f: Id, extra: Option<Id>) -> Id {
    let coefficients =
        [6.971612e-2, -0.11479734, 0.1168542, -0.12425687, 0.14249058, -0.16667803, 0.20000716, -0.24999997, 0.3333333];
    let (square, half) = (a.fmul(f, f), a.f(0.5));
    let sum = a.poly(f, &coefficients);
    let sum = a.fmul(sum, f);
    let mut sum = a.fmul(sum, square);
    if let Some(extra) = extra {
        sum = a.fadd(sum, extra);
    }
    let half_square = a.fmul(half, square);
    a.fsub(sum, half_square)
}

/// Natural logarithm.
pub(super) fn ln(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let [mantissa, exponent] = split(a, x);
    let one = a.f(1.0);
    let f = a.fsub(mantissa, one);
    let (ln2_high, ln2_low) = (a.f(0.6933594), a.f(-2.1219444e-4));
    let low = a.fmul(exponent, ln2_low);
    let tail = tail(a, f, Some(low));
    let sum = a.fadd(f, tail);
    let high = a.fmul(exponent, ln2_high);
    let result = a.fadd(sum, high);
    guard(a, x, result)
}

/// Base-2 logarithm.
pub(super) fn log2(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let [mantissa, exponent] = split(a, x);
    let one = a.f(1.0);
    let f = a.fsub(mantissa, one);
    let tail = tail(a, f, None);
    // log2(e) is 1 and this; the smallest terms come first.
    let beyond_one = a.f(0.442_695_05);
    let small = a.fmul(tail, beyond_one);
    let next = a.fmul(f, beyond_one);
    let sum = a.fadd(small, next);
    let sum = a.fadd(sum, tail);
    let sum = a.fadd(sum, f);
    let result = a.fadd(sum, exponent);
    guard(a, x, result)
}

/// Gives a logarithm its values outside the positive finite floats; by bits, so that no device takes a subnormal for zero.
fn guard(a: &mut Asm<'_, '_>, x: Id, result: Id) -> Id {
    let (infinity, lowest, nan) = (a.f(f32::INFINITY), a.f(f32::NEG_INFINITY), a.f(f32::NAN));
    let (zero, infinite_bits) = (a.u(0), a.u(0x7f80_0000));
    let (bits, size) = (a.bits(x), a.size_bits(x));
    let (is_zero, is_infinite) = (a.ieq(size, zero), a.ieq(bits, infinite_bits));
    // Negative numbers and NaN have larger bits.
    let is_finite = a.ult(bits, infinite_bits);
    let result = a.fselect(is_finite, result, nan);
    let result = a.fselect(is_infinite, infinity, result);
    a.fselect(is_zero, lowest, result)
}
