//! Reciprocals of numbers and of roots, rounded once where the device's `Fma` rounds once.
//!
//! The device's inverse root begins. Two steps of Newton's method make the rounded reciprocal of it, unless all digits of the divisor's
//! mantissa are ones (Peter Markstein, Computation of elementary functions on the IBM RISC System/6000 processor, 1990): then, and near
//! the ends of floats, the driver divides, which takes longer.

use rspirv::spirv::GlslStd450Op as GLOp;

use super::Helper;
use super::asm::Asm;
use super::root;
use crate::spirv::words::Id;

/// `1 / x`.
pub(super) fn recip(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let has_fma = a.w.has_fma(a.scalar);
    let by_fma = |a: &mut Asm<'_, '_>| {
        // Within 2^-100 ..= 2^100.
        let [least, count] = [27 << 23, 200 << 23].map(|bits| a.u(bits));
        let size = a.size_bits(x);
        let above = a.isub(size, least);
        let (is_near, is_plain) = (a.ult(above, count), has_zero_digit(a, x));
        let is_usual = a.both(is_near, is_plain);
        a.branch(
            is_usual,
            |a| {
                let size = a.fabs(x);
                let root = a.glsl(GLOp::InverseSqrt, &[size]);
                let inverse = a.fmul(root, root);
                let inverse = a.copysign(inverse, x);
                refined(a, x, inverse)
            },
            |a| divided(a, x),
        )
    };
    a.branch(has_fma, by_fma, |a| divided(a, x))
}

/// `1 / sqrt(x)`, each rounded.
pub(super) fn of_root(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let has_fma = a.w.has_fma(a.scalar);
    let by_fma = |a: &mut Asm<'_, '_>| {
        let inverse = a.glsl(GLOp::InverseSqrt, &[x]);
        let root = root::corrected_by(a, x, inverse);
        let (is_usual, is_plain) = (root::is_usual(a, x), has_zero_digit(a, root));
        let is_usual = a.both(is_usual, is_plain);
        a.branch(
            is_usual,
            |a| refined(a, root, inverse),
            |a| {
                let root = a.call(Helper::SqrtOfOthers, &[x]);
                divided(a, root)
            },
        )
    };
    let otherwise = |a: &mut Asm<'_, '_>| {
        let root = a.call(Helper::SqrtOfOthers, &[x]);
        divided(a, root)
    };
    a.branch(has_fma, by_fma, otherwise)
}

/// The driver's own.
fn divided(a: &mut Asm<'_, '_>, x: Id) -> Id {
    let one = a.f(1.0);
    a.fdiv(one, x)
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
