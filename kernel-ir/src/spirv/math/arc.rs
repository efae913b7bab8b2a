//! Inverse trigonometric functions by polynomials; GLSL's are allowed 4096 units of error.

use super::Helper;
use super::asm::Asm;
use super::exponential::odd_poly;
use crate::spirv::words::Id;

/// π/2 and π/4 as floats, and what is missing to the real numbers.
const HALF_PI: [f32; 2] = [std::f32::consts::FRAC_PI_2, -4.371_139e-8];
const QUARTER_PI: [f32; 2] = [std::f32::consts::FRAC_PI_4, -2.185_569_5e-8];

/// Arc tangent.
pub(super) fn atan(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let (size, one, minus_one, zero) = (a.fabs(x), a.f(1.0), a.f(-1.0), a.f(0.0));
    // Beyond tan(3π/8) and tan(π/8) the angle is near a quarter or an eighth turn.
    let (far, middle) = (a.f(2.414_213_5), a.f(0.414_213_57));
    let (is_far, is_middle) = (a.fgt(size, far), a.fgt(size, middle));
    let inverse = a.fdiv(minus_one, size);
    let (below, above) = (a.fsub(size, one), a.fadd(size, one));
    let ratio = a.fdiv(below, above);
    let rest = a.fselect(is_middle, ratio, size);
    let rest = a.fselect(is_far, inverse, rest);
    let [head, tail] = [0, 1].map(|part| {
        let (half, quarter) = (a.f(HALF_PI[part]), a.f(QUARTER_PI[part]));
        let near = a.fselect(is_middle, quarter, zero);
        a.fselect(is_far, half, near)
    });
    let angle = odd_poly(a, rest, &[-6.451928e-2, 0.10743731, -0.14263956, 0.1999954, -0.3333333]);
    let angle = a.fadd(angle, tail);
    let angle = a.fadd(head, angle);
    a.copysign(angle, x)
}

/// Angle of the point (x, y), as `f32::atan2`.
pub(super) fn atan2(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let &[y, x] = params else { unreachable!("two parameters") };
    let [y_bits, x_bits] = [y, x].map(|value| a.size_bits(value));
    let (zero, infinity) = (a.u(0), a.u(0x7f80_0000));
    // Bits of floats without sign are ordered as the floats are.
    let is_steep = a.ult(x_bits, y_bits);
    let large = a.select(is_steep, y_bits, x_bits);
    let small = a.select(is_steep, x_bits, y_bits);
    let ratio = safe_ratio(a, small, large);
    let (unit, nothing) = (a.f(1.0), a.f(0.0));
    let both_zero = a.ieq(large, zero);
    let both_infinite = a.ieq(small, infinity);
    let ratio = a.fselect(both_zero, nothing, ratio);
    let ratio = a.fselect(both_infinite, unit, ratio);

    let angle = a.call(Helper::Atan, &[ratio]);
    let [half_pi, half_low] = HALF_PI.map(|part| a.f(part));
    let [pi, pi_low] = HALF_PI.map(|part| a.f(2.0 * part));
    let turned = a.fsub(angle, half_low);
    let turned = a.fsub(half_pi, turned);
    let angle = a.fselect(is_steep, turned, angle);
    let back = a.fsub(angle, pi_low);
    let back = a.fsub(pi, back);
    let sign = a.sign_bit(x);
    let is_behind = a.ine(sign, zero);
    let angle = a.fselect(is_behind, back, angle);
    let angle = a.copysign(angle, y);
    let angle = a.or_nan(x, angle);
    a.or_nan(y, angle)
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
