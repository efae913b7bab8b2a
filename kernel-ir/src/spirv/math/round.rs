//! Rounding of `f64` to whole numbers, without the driver's own where a probe does not find it right:
//! [`Fault::WideRounding`](crate::faults::Fault::WideRounding).

use rspirv::spirv::GlslStd450Op as GLOp;

use super::asm::Asm;
use crate::spirv::words::Id;

/// The nearest whole number of the size of a float, ties to even: a number below 2^52 loses its fraction when that is added, as any
/// sum is rounded.
fn nearest(a: &mut Asm<'_, '_>, size: Id) -> Id {
    let limit = a.f(LIMIT);
    let sum = a.fadd(size, limit);
    a.fsub(sum, limit)
}

/// 2^52: from here on, floats have no fractions.
const LIMIT: f32 = 4_503_599_627_370_496.0;

/// `whole` with the sign of `x`, or `x` itself where that has no fraction, is infinite or NaN.
fn with_sign(a: &mut Asm<'_, '_>, x: Id, size: Id, whole: Id) -> Id {
    let limit = a.f(LIMIT);
    let whole = a.copysign(whole, x);
    let has_fraction = a.flt(size, limit);
    a.fselect(has_fraction, whole, x)
}

/// `whole`, and one less where the condition holds.
fn less_one(a: &mut Asm<'_, '_>, condition: Id, whole: Id) -> Id {
    let (one, zero) = (a.f(1.0), a.f(0.0));
    let step = a.fselect(condition, one, zero);
    a.fsub(whole, step)
}

/// The device's own function where it is right.
fn by_device(a: &mut Asm<'_, '_>, op: GLOp, params: &[Id], otherwise: fn(&mut Asm<'_, '_>, &[Id]) -> Id) -> Id {
    let has_rounding = a.w.has_rounding();
    a.branch(has_rounding, |a| a.glsl(op, params), |a| otherwise(a, params))
}

pub(super) fn ties_even(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    by_device(a, GLOp::RoundEven, params, ties_even_by_sums)
}

fn ties_even_by_sums(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let size = a.fabs(x);
    let whole = nearest(a, size);
    with_sign(a, x, size, whole)
}

pub(super) fn trunc(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    by_device(a, GLOp::Trunc, params, trunc_by_sums)
}

fn trunc_by_sums(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let size = a.fabs(x);
    let whole = nearest(a, size);
    let is_above = a.fgt(whole, size);
    let whole = less_one(a, is_above, whole);
    with_sign(a, x, size, whole)
}

pub(super) fn floor(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    by_device(a, GLOp::Floor, params, floor_by_sums)
}

fn floor_by_sums(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let near = ties_even_by_sums(a, params);
    let is_above = a.fgt(near, x);
    // Zero keeps its sign: what is above `x` is not what is left as it is.
    let below = less_one(a, is_above, near);
    a.fselect(is_above, below, near)
}

pub(super) fn ceil(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    by_device(a, GLOp::Ceil, params, ceil_by_sums)
}

fn ceil_by_sums(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let down = a.fneg(x);
    let down = floor_by_sums(a, &[down]);
    a.fneg(down)
}
