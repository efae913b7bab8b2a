//! Reciprocals of roots, rounded once where the device's `Fma` rounds once.
//!
//! The device's inverse root begins. Two steps of Newton's method make the rounded reciprocal of it, unless all digits of the divisor's
//! mantissa are ones (Peter Markstein, Computation of elementary functions on the IBM RISC System/6000 processor, 1990): then, and near
//! the ends of floats, the driver divides, which takes longer. (Of other numbers the reciprocal takes as long in this way as by the driver.)

use rspirv::spirv::GlslStd450Op as GLOp;

use super::Helper;
use super::asm::Asm;
use super::root;
use crate::spirv::words::Id;

/// `1 / sqrt(x)`, each rounded.
pub(super) fn of_root(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let has_fma = a.w.has_fma(a.scalar);
    let by_fma = |a: &mut Asm<'_, '_>| {
        let inverse = a.glsl(GLOp::InverseSqrt, &[x]);
        let root = root::corrected_by(a, x, inverse);
        let (is_usual, is_plain) = (root::is_usual(a, x), has_zero_digit(a, root));
        let is_usual = a.both(is_usual, is_plain);
        a.branch(is_usual, |a| refined(a, root, inverse), |a| divided(a, x))
    };
    a.branch(has_fma, by_fma, |a| divided(a, x))
}

/// The driver's own.
fn divided(a: &mut Asm<'_, '_>, x: Id) -> Id {
    let root = a.call(Helper::SqrtOfOthers, &[x]);
    let one = a.f(1.0);
    a.fdiv(one, root)
}

/// Whether the mantissa of `x` is not all ones.
fn has_zero_digit(a: &mut Asm<'_, '_>, x: Id) -> Id {
    let mask = a.u(0x7f_ffff);
    let bits = a.bits(x);
    let digits = a.and(bits, mask);
    a.ine(digits, mask)
}

/// The reciprocal, of one that is some units off.
fn refined(a: &mut Asm<'_, '_>, x: Id, mut inverse: Id) -> Id {
    let (one, minus) = (a.f(1.0), a.fneg(x));
    for _ in 0..2 {
        let error = a.fused_alone(minus, inverse, one);
        inverse = a.fused_alone(inverse, error, inverse);
    }
    inverse
}
