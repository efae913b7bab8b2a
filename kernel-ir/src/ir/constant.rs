//! Literal values.

use crate::types::Scalar;

/// A literal. Its type is the type of the value the `const` instruction defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Constant {
    /// `true` or `false`.
    Bool(bool),
    /// An `i32`.
    I32(i32),
    /// A `u32`.
    U32(u32),
    /// An `f32` by its bits, so that NaN payloads and the sign of zero survive.
    F32(u32),
    /// A scalar of any other type by its bits, those above its width zero.
    Bits(Scalar, u64),
    /// All bits zero, of any type.
    Zero,
}
