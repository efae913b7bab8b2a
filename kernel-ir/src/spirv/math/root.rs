//! Square root. SPIR-V leaves up to 3 units of error, which stay, and says nothing about negative or subnormal operands.

use rspirv::spirv::GlslStd450Op as GLOp;

use super::asm::Asm;
use crate::spirv::words::Id;

/// NaN below zero; zeros keep their sign; subnormals are scaled up first, for some devices take them for zero.
pub(super) fn sqrt(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let (zero, nan, one) = (a.f(0.0), a.f(f32::NAN), a.f(1.0));
    let (limit, up, down) = (a.f(f32::MIN_POSITIVE), a.f(16_777_216.0), a.f(1.0 / 4096.0));
    let is_small = a.flt(x, limit);
    let factor = a.fselect(is_small, up, one);
    let back = a.fselect(is_small, down, one);
    let scaled = a.fmul(x, factor);
    let root = a.glsl(GLOp::Sqrt, &[scaled]);
    let root = a.fmul(root, back);
    let (is_zero, is_negative) = (a.feq(x, zero), a.flt(x, zero));
    let root = a.fselect(is_zero, x, root);
    a.fselect(is_negative, nan, root)
}
