//! Exponential and hyperbolic functions: reduction to a short interval, a polynomial there, and an exact scaling.
//! Coefficients here and in the other files are Chebyshev fits of what is left of the function after its first terms.
//! GLSL's `Exp` loses more digits the larger its operand, and says nothing about overflow.

use rspirv::spirv::GlslStd450Op as GLOp;

use super::Helper;
use super::asm::Asm;
use crate::spirv::words::Id;

/// `e^x`.
pub(super) fn exp(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let has_exp2 = a.w.has_exp2();
    a.branch(has_exp2, |a| exp_by_exp2(a, x), |a| scaled_exp(a, x, 0))
}

/// `e^x` by the device's `Exp2` and exact `Fma`: `2^(x log2 e)`, of which the part that the product loses is a factor close to one.
fn exp_by_exp2(a: &mut Asm<'_, '_>, x: Id) -> Id {
    // log2 e in two parts.
    let (high, low) = (a.f(std::f32::consts::LOG2_E), a.f(1.925_963e-8));
    let product = a.fmul(x, high);
    let power = a.glsl(GLOp::Exp2, &[product]);
    let negated = a.fneg(product);
    let rest = a.fused_alone(x, high, negated);
    let rest = a.fused_alone(x, low, rest);
    let (ln_2, one) = (a.f(std::f32::consts::LN_2), a.f(1.0));
    let factor = a.fused(rest, ln_2, one);
    // Where the product is not finite, neither is the rest: then the power is the result, and the factor any number above zero.
    let factor = a.clamp(factor, 0.999, 1.001);
    a.fmul(power, factor)
}

/// `e^x / 2` of an `x` that is not below zero, as [`exp_by_exp2`].
fn half_exp(a: &mut Asm<'_, '_>, x: Id) -> Id {
    let (high, low) = (a.f(std::f32::consts::LOG2_E), a.f(1.925_963e-8));
    let (product, one) = (a.fmul(x, high), a.f(1.0));
    // Exact from one on, and below it the power takes no notice of what that loses.
    let exponent = a.fsub(product, one);
    let power = a.glsl(GLOp::Exp2, &[exponent]);
    let negated = a.fneg(product);
    let rest = a.fused_alone(x, high, negated);
    let rest = a.fused_alone(x, low, rest);
    let ln_2 = a.f(std::f32::consts::LN_2);
    let factor = a.fused(rest, ln_2, one);
    let factor = a.clamp(factor, 0.999, 1.001);
    a.fmul(power, factor)
}

/// `e^x * 2^shift` for a small whole `shift`: it may be finite where `e^x` is not.
fn scaled_exp(a: &mut Asm<'_, '_>, x: Id, shift: i32) -> Id {
    // Beyond these the result is infinite or zero.
    let near = a.clamp(x, -105.0, 91.0);
    let log2_e = a.f(std::f32::consts::LOG2_E);
    let [n, bits] = a.nearest(near, log2_e);
    // ln 2 in two parts; the first has so few digits that its multiples are exact.
    let (ln2_high, ln2_low) = (a.f(0.6933594), a.f(-2.1219444e-4));
    let high = a.fmul(n, ln2_high);
    let rest = a.fsub(near, high);
    let low = a.fmul(n, ln2_low);
    let rest = a.fsub(rest, low);
    let tail = a.poly(rest, &[1.9890981e-4, 1.3933642e-3, 8.3333105e-3, 4.1666467e-2, 0.16666667, 0.5]);
    let square = a.fmul(rest, rest);
    let tail = a.fused(tail, square, rest);
    let one = a.f(1.0);
    let power = a.fadd(tail, one);
    let bits = if shift == 0 {
        bits
    } else {
        let shift = a.u(shift as u32);
        a.iadd(bits, shift)
    };
    let result = a.scale_by_bits(power, bits);
    a.or_nan(x, result)
}

/// `2^x`.
pub(super) fn exp2(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let has_exp2 = a.w.has_exp2();
    a.branch(has_exp2, |a| a.glsl(GLOp::Exp2, &[x]), |a| exp2_in_software(a, x))
}

fn exp2_in_software(a: &mut Asm<'_, '_>, x: Id) -> Id {
    let near = a.clamp(x, -151.0, 129.0);
    let one = a.f(1.0);
    let [n, bits] = a.nearest(near, one);
    let rest = a.fsub(near, n);
    let power = exp2_near_zero(a, rest);
    let result = a.scale_by_bits(power, bits);
    a.or_nan(x, result)
}

/// `2^x` for `x` within -0.5 ..= 0.5. GLSL's `Exp2` may lose 4 units there, and that of llvmpipe loses 3.
pub(super) fn exp2_near_zero(a: &mut Asm<'_, '_>, x: Id) -> Id {
    let coefficients = [1.5453163e-4, 1.3390863e-3, 9.618083e-3, 5.550357e-2, 0.2402265, std::f32::consts::LN_2];
    let tail = a.poly(x, &coefficients);
    let one = a.f(1.0);
    a.fused(tail, x, one)
}

/// `(e^|x| / 2, e^-|x| / 2)`.
fn halves(a: &mut Asm<'_, '_>, x: Id) -> [Id; 2] {
    let size = a.fabs(x);
    let has_exp2 = a.w.has_exp2();
    let growing = a.branch(has_exp2, |a| half_exp(a, size), |a| scaled_exp(a, size, -1));
    // Beside a larger number the other one counts for nothing.
    let (quarter, most) = (a.f(0.25), a.f(1.0e30));
    let divisor = a.glsl(GLOp::NMin, &[growing, most]);
    [growing, a.near_quotient(quarter, divisor)]
}

/// Hyperbolic sine.
pub(super) fn sinh(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let (size, one) = (a.fabs(x), a.f(1.0));
    let is_small = a.flt(size, one);
    a.branch(
        is_small,
        |a| odd_poly(a, x, &[2.8062802e-6, 1.9838102e-4, 8.333339e-3, 0.16666667]),
        |a| {
            let [growing, falling] = halves(a, x);
            let size = a.fsub(growing, falling);
            a.copysign(size, x)
        },
    )
}

/// Hyperbolic cosine.
pub(super) fn cosh(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let [growing, falling] = halves(a, params[0]);
    a.fadd(growing, falling)
}

/// Hyperbolic tangent.
pub(super) fn tanh(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let size = a.fabs(params[0]);
    let has_exp2 = a.w.has_exp2();
    // From 9.02 on it is one.
    let (limit, most) = (a.f(0.625), a.f(10.0));
    let is_large = a.fgt(size, most);
    let size = a.fselect(is_large, most, size);
    let is_small = a.flt(size, limit);
    let size = a.branch(
        has_exp2,
        // Both in few operations: a branch takes longer than to do one in vain.
        |a| {
            let small = tanh_near_zero(a, size);
            // 2 log2 e. What its product loses is little, for the power counts for less the larger it is.
            let factor = a.f(2.0 * std::f32::consts::LOG2_E);
            let twice = a.fmul(size, factor);
            let power = a.glsl(GLOp::Exp2, &[twice]);
            let large = tanh_of_power(a, power);
            a.fselect(is_small, small, large)
        },
        |a| {
            a.branch(
                is_small,
                |a| tanh_near_zero(a, size),
                |a| {
                    let twice = a.fadd(size, size);
                    let power = a.call(Helper::Exp, &[twice]);
                    tanh_of_power(a, power)
                },
            )
        },
    );
    a.copysign(size, params[0])
}

/// Of a number within 0 ..= 0.625.
fn tanh_near_zero(a: &mut Asm<'_, '_>, size: Id) -> Id {
    odd_poly(a, size, &[-6.096714e-3, 2.099718e-2, -5.3850908e-2, 0.1333277, -0.33333328])
}

/// Of the number that half the logarithm of `power` is.
fn tanh_of_power(a: &mut Asm<'_, '_>, power: Id) -> Id {
    let (one, two) = (a.f(1.0), a.f(2.0));
    let power = a.fadd(power, one);
    let rest = a.near_quotient(two, power);
    a.fsub(one, rest)
}

/// `x + x^3 * p(x^2)`.
pub(super) fn odd_poly(a: &mut Asm<'_, '_>, x: Id, coefficients: &[f32]) -> Id {
    let (square, zero) = (a.fmul(x, x), a.f(0.0));
    let tail = a.poly(square, coefficients);
    // Where it is nothing, the tail is a positive zero, so that the sum keeps the sign of a zero.
    let tail = a.fused_alone(tail, square, zero);
    a.fused(tail, x, x)
}
