//! Inverse trigonometric functions by polynomials; GLSL's are allowed 4096 units of error.

use rspirv::spirv::GlslStd450Op as GLOp;

use super::Helper;
use super::asm::Asm;
use super::exponential::odd_poly;
use crate::spirv::words::Id;

/// π/2 as a float, and what is missing to the real number.
const HALF_PI: [f32; 2] = [std::f32::consts::FRAC_PI_2, -4.371_139e-8];

/// π and π/2 as products of two floats, which a fused sum takes in without a loss.
const PI_OF: [f32; 2] = [1.521_7, 2.064_528_2];
const HALF_PI_OF: [f32; 2] = [1.521_7, 1.032_264_1];

/// The angle whose tangent is within 0 ..= 1.
fn flat_angle(a: &mut Asm<'_, '_>, tangent: Id) -> Id {
    let coefficients = [
        2.974_523e-3,
        -1.658_091_7e-2,
        4.355_311_4e-2,
        -7.580_543e-2,
        0.106_789_24,
        -0.142_142_06,
        0.199_941_37,
        -0.333_331_67,
    ];
    odd_poly(a, tangent, &coefficients)
}

/// A constant, given by its factors, without an angle.
fn without(a: &mut Asm<'_, '_>, whole: [f32; 2], angle: Id) -> Id {
    let [first, second] = whole.map(|factor| a.f(factor));
    let negated = a.fneg(angle);
    a.fused(first, second, negated)
}

/// Arc tangent.
pub(super) fn atan(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let (size, one, most) = (a.fabs(x), a.f(1.0), a.f(1.0e30));
    let is_steep = a.fgt(size, one);
    // Beyond, the inverse counts for nothing. That of small numbers is not taken.
    let divisor = a.glsl(GLOp::NMin, &[size, most]);
    let inverse = a.near_quotient(one, divisor);
    let tangent = a.fselect(is_steep, inverse, size);
    let angle = flat_angle(a, tangent);
    let steep = without(a, HALF_PI_OF, angle);
    let angle = a.fselect(is_steep, steep, angle);
    a.copysign(angle, x)
}

/// Angle of the point (x, y), as `f32::atan2`.
pub(super) fn atan2(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let &[y, x] = params else { unreachable!("two parameters") };
    let [y_bits, x_bits] = [y, x].map(|value| a.size_bits(value));
    // Bits of floats without sign are ordered as the floats are.
    let is_steep = a.ult(x_bits, y_bits);
    let large = a.select(is_steep, y_bits, x_bits);
    let small = a.select(is_steep, x_bits, y_bits);
    // Divisors that SPIR-V's division takes as they are; neither zero nor infinite nor NaN.
    let [small_float, large_float] = [small, large].map(|bits| a.as_float(bits));
    let [least, most] = [27 << 23, 227 << 23].map(|bits| a.f(f32::from_bits(bits)));
    let (is_large_enough, is_small_enough) = (a.flt(least, large_float), a.flt(large_float, most));
    let is_usual = a.both(is_large_enough, is_small_enough);
    let usual = |a: &mut Asm<'_, '_>| {
        let ratio = a.near_quotient(small_float, large_float);
        angle_of(a, [y, x], ratio, is_steep)
    };
    a.branch(is_usual, usual, |a| a.call(Helper::Atan2OfOthers, params))
}

/// The angle of any point.
pub(super) fn atan2_of_others(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let &[y, x] = params else { unreachable!("two parameters") };
    let [y_bits, x_bits] = [y, x].map(|value| a.size_bits(value));
    let (zero, infinity) = (a.u(0), a.u(0x7f80_0000));
    let is_steep = a.ult(x_bits, y_bits);
    let large = a.select(is_steep, y_bits, x_bits);
    let small = a.select(is_steep, x_bits, y_bits);
    let ratio = safe_ratio(a, small, large);
    let (unit, nothing) = (a.f(1.0), a.f(0.0));
    let both_zero = a.ieq(large, zero);
    let both_infinite = a.ieq(small, infinity);
    let ratio = a.fselect(both_zero, nothing, ratio);
    let ratio = a.fselect(both_infinite, unit, ratio);
    let angle = angle_of(a, [y, x], ratio, is_steep);
    // By bits: lavapipe with LLVM 21 gives neither operand where a float that was made of an integer is compared with itself.
    let (is_nan, nan) = (a.ult(infinity, large), a.f(f32::NAN));
    a.fselect(is_nan, nan, angle)
}

/// The angle of a point by the quotient of its coordinates, without their signs, that is at most one.
fn angle_of(a: &mut Asm<'_, '_>, [y, x]: [Id; 2], ratio: Id, is_steep: Id) -> Id {
    let angle = flat_angle(a, ratio);
    let steep = without(a, HALF_PI_OF, angle);
    let angle = a.fselect(is_steep, steep, angle);
    let back = without(a, PI_OF, angle);
    let (sign, zero) = (a.sign_bit(x), a.u(0));
    let is_behind = a.ine(sign, zero);
    let angle = a.fselect(is_behind, back, angle);
    a.copysign(angle, y)
}

/// The quotient of two floats by their bits, scaled first where SPIR-V's division may overflow inside.
fn safe_ratio(a: &mut Asm<'_, '_>, small: Id, large: Id) -> Id {
    let [small, large] = [small, large].map(|bits| a.as_float(bits));
    let [huge, tiny] = [1.0e30, 1.0e-30].map(|bound: f32| a.f(bound));
    let [down, up, one] = [5.960_464_5e-8, 16_777_216.0, 1.0].map(|factor: f32| a.f(factor));
    let (is_huge, is_tiny) = (a.fgt(large, huge), a.flt(large, tiny));
    let factor = a.fselect(is_huge, down, one);
    let factor = a.fselect(is_tiny, up, factor);
    let [small, large] = [small, large].map(|value| a.fmul(value, factor));
    a.fdiv(small, large)
}

/// Arc sine of a number within -0.5 ..= 0.5.
fn near_zero(a: &mut Asm<'_, '_>, x: Id) -> Id {
    odd_poly(a, x, &[3.8085025e-2, 2.6554542e-2, 4.500138e-2, 7.498855e-2, 0.16666673])
}

/// For a size above 0.5 half the arc cosine, else the arc sine; and whether it is above.
fn folded(a: &mut Asm<'_, '_>, x: Id) -> [Id; 2] {
    let (size, half, one) = (a.fabs(x), a.f(0.5), a.f(1.0));
    let is_large = a.fgt(size, half);
    let rest = a.fsub(one, size);
    let square = a.fmul(half, rest);
    // Beyond 1 the square is negative, and its root NaN.
    let root = a.call(Helper::Sqrt, &[square]);
    let near = a.fselect(is_large, root, size);
    [near_zero(a, near), is_large]
}

/// Arc sine.
pub(super) fn asin(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let [angle, is_large] = folded(a, x);
    let [half_pi, half_low] = HALF_PI.map(|part| a.f(part));
    let twice = a.fadd(angle, angle);
    let rest = a.fsub(twice, half_low);
    let complement = a.fsub(half_pi, rest);
    let angle = a.fselect(is_large, complement, angle);
    a.copysign(angle, x)
}

/// Arc cosine.
pub(super) fn acos(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let [angle, is_large] = folded(a, x);
    let zero = a.f(0.0);
    let is_negative = a.flt(x, zero);
    let [half_pi, half_low] = HALF_PI.map(|part| a.f(part));
    let [pi, pi_low] = HALF_PI.map(|part| a.f(2.0 * part));
    let twice = a.fadd(angle, angle);
    let back = a.fsub(twice, pi_low);
    let back = a.fsub(pi, back);
    let large = a.fselect(is_negative, back, twice);
    let signed = a.copysign(angle, x);
    let rest = a.fsub(signed, half_low);
    let near = a.fsub(half_pi, rest);
    a.fselect(is_large, large, near)
}
