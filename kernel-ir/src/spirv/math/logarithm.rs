//! Logarithms: the exponent and a polynomial of the mantissa.
//! GLSL's lose digits near 1, where the result is small, and say nothing about operands of zero or less.

use super::asm::Asm;
use crate::spirv::words::Id;

/// `2^23`, and its inverse.
const UNIT: f32 = 8_388_608.0;
pub(super) const OF_UNIT: f32 = 1.0 / UNIT;

/// A positive finite float as `mantissa * 2^(exponent / 2^23)`: the mantissa within 0.707 ..= 1.414, the exponent a float.
pub(super) fn split(a: &mut Asm<'_, '_>, x: Id) -> [Id; 2] {
    let (zero, bits) = (a.u(0), a.bits(x));
    let (least, unit) = (a.u(1 << 23), a.f(UNIT));
    let is_subnormal = a.ult(bits, least);
    // As integers, subnormals are 2^149 times as large, and normal once converted. A product is faster, where it keeps them.
    let has_fma = a.w.has_fma(a.scalar);
    let (grown, converted) = (a.fmul(x, unit), a.float_of(bits));
    let grown = a.fselect(has_fma, grown, converted);
    let grown = a.bits(grown);
    let bits = a.select(is_subnormal, grown, bits);
    let (shift, shift_of_converted) = (a.u(23 << 23), a.u(149 << 23));
    let shift = a.select(has_fma, shift, shift_of_converted);
    let shift = a.select(is_subnormal, shift, zero);
    // Counted from sqrt(0.5): the exponent then goes up where the mantissa would leave the interval.
    let (root, mask) = (a.u(0x3f35_04f3), a.u(0xff80_0000));
    let above = a.isub(bits, root);
    let exponent = a.and(above, mask);
    let mantissa = a.isub(bits, exponent);
    let exponent = a.isub(exponent, shift);
    [a.as_float(mantissa), a.float_of_signed(exponent)]
}

/// Natural logarithm: of `1 + f` it is `f + f^2 q(f)`.
pub(super) fn ln(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let [mantissa, exponent] = split(a, x);
    let one = a.f(1.0);
    let f = a.fsub(mantissa, one);
    let coefficients = [
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
    let tail = a.poly(f, &coefficients);
    let tail = a.fmul(tail, f);
    let sum = a.fused(tail, f, f);
    let factor = a.f(std::f32::consts::LN_2 * OF_UNIT);
    let result = a.fused(exponent, factor, sum);
    guard(a, x, result)
}

/// Base-2 logarithm: of `1 + f` it is `f + f q(f)`.
pub(super) fn log2(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let [mantissa, exponent] = split(a, x);
    let one = a.f(1.0);
    let f = a.fsub(mantissa, one);
    let coefficients = [
        -0.112_972_71,
        0.187_825_56,
        -0.190_613,
        0.204_296_23,
        -0.239_636_57,
        0.288_585_25,
        -0.360_696_43,
        0.480_897_9,
        -0.721_347_33,
        0.442_695_02,
    ];
    let tail = a.poly(f, &coefficients);
    let sum = a.fused(tail, f, f);
    let factor = a.f(OF_UNIT);
    let result = a.fused(exponent, factor, sum);
    guard(a, x, result)
}

/// Gives a logarithm its values outside the positive finite floats; by bits, so that no device takes a subnormal for zero.
fn guard(a: &mut Asm<'_, '_>, x: Id, result: Id) -> Id {
    let (infinity, lowest) = (a.f(f32::INFINITY), a.f(f32::NEG_INFINITY));
    let (zero, infinite_bits) = (a.u(0), a.u(0x7f80_0000));
    let (bits, size) = (a.bits(x), a.size_bits(x));
    let is_zero = a.ieq(size, zero);
    // Negative numbers and NaN have larger bits; they become NaN, and infinity itself.
    let is_finite = a.ult(bits, infinite_bits);
    let other = a.fused(x, infinity, infinity);
    let result = a.fselect(is_finite, result, other);
    a.fselect(is_zero, lowest, result)
}
