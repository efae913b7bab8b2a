//! Stand-ins, one line each.
use super::asm::Asm;
use crate::spirv::words::Id;
use rspirv::spirv::GlslStd450Op as GLOp;
macro_rules! simple { ($($name:ident $op:ident)+) => { $(pub(super) fn $name(a: &mut Asm<'_, '_>, p: &[Id]) -> Id { a.glsl(GLOp::$op, p) })+ } }
simple! { sqrt Sqrt mul_add Fma sin Sin cos Cos tan Tan asin Asin acos Acos atan Atan atan2 Atan2 sinh Sinh cosh Cosh tanh Tanh exp Exp exp2 Exp2 ln Log log2 Log2 powf Pow }
pub(super) fn fmod(a: &mut Asm<'_, '_>, p: &[Id]) -> Id {
    a.fsub(p[0], p[1])
}
