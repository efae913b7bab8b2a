//! Square root. SPIR-V leaves up to 3 units of error, and says nothing about negative or subnormal operands.
//!
//! Of `f64` the inverse root of the nearest `f32` is the beginning, of which one step of Halley's method makes an inverse root of all digits.
//!
//! A device whose `Fma` rounds once corrects the product with the inverse root by what that misses. CUDA's compiler makes roots that are
//! rounded once of the same instruction in this way; other devices may be a unit off. Those without such an `Fma` keep their error.

use rspirv::spirv::{GlslStd450Op as GLOp, Op};

use super::Helper;
use super::asm::Asm;
use crate::spirv::types::Lanes;
use crate::spirv::words::Id;
use crate::types::Scalar;

/// 2^-72. The rest of a product of smaller roots may be a subnormal number, for which a device's `Fma` may give zero.
const LEAST: f32 = f32::from_bits(55 << 23);
/// Small operands are multiplied by this, 2^80, and their roots by the inverse of its root.
const UP: f32 = f32::from_bits(207 << 23);
const DOWN: f32 = f32::from_bits(87 << 23);

/// The root of any number.
pub(super) fn sqrt(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let has_fma = a.w.has_fma(a.scalar);
    let by_fma = |a: &mut Asm<'_, '_>| {
        let is_usual = is_usual(a, x);
        a.branch(is_usual, |a| corrected(a, x), |a| a.call(Helper::SqrtOfOthers, &[x]))
    };
    a.branch(has_fma, by_fma, |a| a.call(Helper::SqrtOfOthers, &[x]))
}

/// Neither small nor infinite, NaN or negative, whose bits are more.
pub(super) fn is_usual(a: &mut Asm<'_, '_>, x: Id) -> Id {
    let (least, count) = (a.u(LEAST.to_bits()), a.u(f32::INFINITY.to_bits() - LEAST.to_bits()));
    let bits = a.bits(x);
    let above = a.isub(bits, least);
    a.ult(above, count)
}

/// NaN below zero; zeros keep their sign; small operands are scaled up first, for some devices take subnormal ones for zero.
pub(super) fn sqrt_of_others(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let (zero, nan, one, infinity) = (a.f(0.0), a.f(f32::NAN), a.f(1.0), a.f(f32::INFINITY));
    let (limit, up, down) = (a.f(LEAST), a.f(UP), a.f(DOWN));
    let is_small = a.flt(x, limit);
    let factor = a.fselect(is_small, up, one);
    let back = a.fselect(is_small, down, one);
    let scaled = a.fmul(x, factor);
    let has_fma = a.w.has_fma(a.scalar);
    let root = a.branch(has_fma, |a| corrected(a, scaled), |a| a.glsl(GLOp::Sqrt, &[scaled]));
    let root = a.fmul(root, back);
    let (is_zero, is_infinite) = (a.feq(x, zero), a.feq(x, infinity));
    let is_own_root = a.either(is_zero, is_infinite);
    let is_negative = a.flt(x, zero);
    let root = a.fselect(is_own_root, x, root);
    a.fselect(is_negative, nan, root)
}

/// Of a number above zero.
fn corrected(a: &mut Asm<'_, '_>, x: Id) -> Id {
    let inverse = a.glsl(GLOp::InverseSqrt, &[x]);
    corrected_by(a, x, inverse)
}

/// The same by the device's inverse root.
pub(super) fn corrected_by(a: &mut Asm<'_, '_>, x: Id, inverse: Id) -> Id {
    let half = a.f(0.5);
    let root = a.fmul(x, inverse);
    let half_inverse = a.fmul(inverse, half);
    let minus = a.fneg(root);
    let rest = a.fused_alone(minus, root, x);
    a.fused_alone(rest, half_inverse, root)
}

/// The root of any `f64`.
pub(super) fn sqrt_f64(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let has_fma = a.w.has_fma(a.scalar);
    let by_fma = |a: &mut Asm<'_, '_>| {
        // A number that is normal as `f32`, too.
        let (least, count) = (a.wide((2.0_f64).powi(-100).to_bits()), a.wide(200 << 52));
        let bits = a.bits(x);
        let above = a.isub(bits, least);
        let is_usual = a.ult(above, count);
        a.branch(is_usual, |a| by_singles(a, x), |a| other_double(a, x))
    };
    a.branch(has_fma, by_fma, |a| other_double(a, x))
}

/// NaN below zero, which SPIR-V leaves open.
fn other_double(a: &mut Asm<'_, '_>, x: Id) -> Id {
    let (zero, nan) = (a.f(0.0), a.f(f32::NAN));
    let root = a.glsl(GLOp::Sqrt, &[x]);
    let is_negative = a.flt(x, zero);
    a.fselect(is_negative, nan, root)
}

/// Of a number above zero, neither small nor large.
fn by_singles(a: &mut Asm<'_, '_>, x: Id) -> Id {
    let (single, double) = (a.w.lanes_type(Lanes::one(Scalar::F32)), a.float);
    let near = a.w.op(Op::FConvert, single, &[x]);
    let inverse = a.w.glsl_op(GLOp::InverseSqrt, single, &[near]);
    let inverse = a.w.op(Op::FConvert, double, &[inverse]);
    // 1 - x y^2 = e, and the inverse root is y (1 + e / 2 + 3 e^2 / 8 + ...).
    let [one, half, factor] = [1.0, 0.5, 0.375].map(|number| a.f(number));
    let root = a.fmul(x, inverse);
    let minus = a.fneg(root);
    let error = a.fused_alone(minus, inverse, one);
    let step = a.fused(error, factor, half);
    let scaled = a.fmul(inverse, error);
    let inverse = a.fused(step, scaled, inverse);
    let root = a.fmul(x, inverse);
    let minus = a.fneg(root);
    let rest = a.fused_alone(minus, root, x);
    let half_inverse = a.fmul(inverse, half);
    a.fused_alone(rest, half_inverse, root)
}
