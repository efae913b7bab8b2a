//! The methods of integers that those of 128 bits have, too. Says nothing of how they are computed: `lower/wide.rs` does.

use crate::builtin::elementary::Elementary;
use crate::builtin::int::Number;
use crate::builtin::overflow::{Arithmetic, Overflow};

/// Whether kernels have a method of integers of 128 bits.
pub(crate) fn has_elementary(method: Elementary) -> bool {
    use Elementary as E;
    matches!(
        method,
        E::Min
            | E::Max
            | E::CountOnes
            | E::CountZeros
            | E::LeadingZeros
            | E::TrailingZeros
            | E::RotateLeft
            | E::RotateRight
            | E::Abs
            | E::AbsDiff
            | E::Pow
            | E::SignumInt
            | E::UnsignedAbs
            | E::CastSigned
            | E::CastUnsigned
            | E::SwapBytes
            | E::ReverseBits
            | E::IsPowerOfTwo
            | E::IsPositive
            | E::IsNegative
    )
}

/// Whether kernels have a method with explicit overflow of integers of 128 bits.
pub(crate) const fn has_arithmetic(signed: bool, overflow: Overflow, op: Arithmetic) -> bool {
    match (overflow, op) {
        (Overflow::Wrapping, Arithmetic::Shl | Arithmetic::Shr | Arithmetic::Neg | Arithmetic::Pow) => true,
        (_, Arithmetic::Add | Arithmetic::Sub) => !(signed && matches!(overflow, Overflow::Saturating)),
        (Overflow::Wrapping, Arithmetic::Mul) => true,
        (_, Arithmetic::Mul) => !signed,
        _ => false,
    }
}

/// Whether kernels have a method of [`Number`] of integers of 128 bits.
pub(crate) const fn has_number(method: Number) -> bool {
    use Number as N;
    matches!(method, N::ToLeBytes | N::ToNeBytes | N::ToBeBytes | N::FromLeBytes | N::FromNeBytes | N::FromBeBytes)
}
