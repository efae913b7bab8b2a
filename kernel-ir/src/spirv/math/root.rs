//! Square root. SPIR-V says nothing about negative operands and leaves 2 to 3 units of error.

use rspirv::spirv::GlslStd450Op as GLOp;

use super::asm::Asm;
use crate::spirv::words::Id;

/// NaN below zero; zeros keep their sign.
pub(super) fn sqrt(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let (zero, nan) = (a.f(0.0), a.f(f32::NAN));
    let root = a.glsl(GLOp::Sqrt, &[x]);
    let (is_zero, is_negative) = (a.feq(x, zero), a.flt(x, zero));
    let root = a.fselect(is_zero, x, root);
    a.fselect(is_negative, nan, root)
}
