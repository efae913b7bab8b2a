//! The owners of intrinsics: one lowering function for each row of the tables. No lowering here.

use crate::builtin::intrinsic::Intrinsic;

/// The function of the lowering that owns an intrinsic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// Lengths of buffers, arrays and slices: the operand is a place.
    Length,
    /// [`crate::builtin::int`]
    Number,
    /// [`crate::builtin::matrix`]
    Linear,
    /// Classes of characters.
    Ascii,
    /// Vectors.
    Vector,
    /// Vectors as directions.
    Direction,
    /// Numbers, and vectors as their lanes.
    Scalar,
}

/// The owner of an intrinsic. Each row is named, so that a new one does not compile before it has an owner; that the owner knows it is for
/// the test that lowers all rows.
pub(super) const fn owner(intrinsic: Intrinsic) -> Owner {
    use Intrinsic as I;
    match intrinsic {
        I::BufferLen | I::BufferIsEmpty => Owner::Length,
        I::Number(_) => Owner::Number,
        I::Linear(_) => Owner::Linear,
        I::IsAscii | I::IsAsciiDigit | I::IsAsciiHexdigit | I::IsAsciiAlphabetic => Owner::Ascii,
        I::IsAsciiAlphanumeric | I::IsAsciiUppercase | I::IsAsciiLowercase | I::IsAsciiWhitespace => Owner::Ascii,
        I::IsAsciiPunctuation | I::IsAsciiGraphic | I::IsAsciiControl => Owner::Ascii,
        I::VectorNew | I::Splat | I::FromArray | I::ToArray | I::LanesWrappingAdd => Owner::Vector,
        I::LanesWrappingSub | I::LanesWrappingMul | I::LanesSaturatingAdd | I::LanesSaturatingSub => Owner::Vector,
        I::LanesSaturatingMul | I::LanesSignum | I::Dot | I::Cross | I::PerpDot | I::Length => Owner::Vector,
        I::LengthSquared | I::Normalize | I::Distance | I::DistanceSquared | I::Lerp | I::Reflect => Owner::Vector,
        I::MinElement | I::MaxElement | I::ElementSum | I::ElementProduct | I::Cmpeq | I::Cmpne => Owner::Vector,
        I::Cmplt | I::Cmple | I::Cmpgt | I::Cmpge | I::VectorSelect | I::AnyLane | I::AllLanes => Owner::Vector,
        I::LengthRecip | I::NormalizeOr | I::NormalizeOrZero | I::TryNormalize | I::ClampLength => Owner::Vector,
        I::ClampLengthMin | I::ClampLengthMax | I::ProjectOnto | I::ProjectOntoNormalized => Owner::Vector,
        I::RejectFrom | I::MidpointVector | I::MoveTowards | I::Refract | I::AbsDiffEq => Owner::Vector,
        I::VectorIsNan | I::VectorIsFinite | I::Perp | I::RotateVec2 | I::FromAngleVec2 | I::ToAngle => Owner::Vector,
        I::FractGl | I::Step | I::Saturate | I::Smoothstep | I::WithX | I::WithY | I::WithZ => Owner::Vector,
        I::WithW | I::Truncate | I::Extend | I::AsVec | I::AsIVec | I::AsUVec => Owner::Vector,
        I::AngleBetween | I::AngleToVec2 | I::AngleToVec3 | I::RotateX | I::RotateY | I::RotateZ => Owner::Direction,
        I::RotateAxis | I::AnyOrthogonalVector | I::AnyOrthonormalVector | I::AnyOrthonormalPair => Owner::Direction,
        I::IsNormalized => Owner::Direction,
        I::Arithmetic(..) | I::Abs | I::Sqrt | I::Sin | I::Cos | I::Tan | I::Asin | I::Acos => Owner::Scalar,
        I::Atan | I::Sinh | I::Cosh | I::Tanh | I::Exp | I::Exp2 | I::Ln | I::Log2 | I::Log10 => Owner::Scalar,
        I::Recip | I::Fract | I::Signum | I::ToDegrees | I::ToRadians | I::Floor | I::Ceil => Owner::Scalar,
        I::Round | I::Trunc | I::RoundTiesEven | I::MulAdd | I::Powf | I::PowfVec | I::Powi => Owner::Scalar,
        I::Atan2 | I::Hypot | I::Log | I::RemEuclidFloat | I::DivEuclidFloat | I::Copysign | I::Min => Owner::Scalar,
        I::Max | I::Clamp | I::IsNan | I::IsInfinite | I::IsFinite | I::IsSignNegative => Owner::Scalar,
        I::IsSignPositive | I::IsNormal | I::IsSubnormal | I::NextUp | I::NextDown | I::ExpM1 => Owner::Scalar,
        I::Ln1p | I::Cbrt | I::Asinh | I::Acosh | I::Atanh | I::ToBits | I::FromBits | I::FromF32 => Owner::Scalar,
        I::FromF64 | I::ToF32 | I::ToF64 | I::SinCos | I::CountLeadingOnes | I::CountTrailingOnes => Owner::Scalar,
        I::MidpointUnsigned | I::MidpointSigned | I::NextPowerOfTwo | I::CheckedNextPowerOfTwo => Owner::Scalar,
        I::CheckedIlog2 | I::Isqrt | I::CastSigned | I::CastUnsigned | I::RotateLeft => Owner::Scalar,
        I::RotateRight | I::CountOnes | I::CountZeros | I::LeadingZeros | I::TrailingZeros => Owner::Scalar,
        I::ReverseBits | I::SwapBytes | I::AbsDiff | I::UnsignedAbs | I::SignumInt | I::Pow => Owner::Scalar,
        I::RemEuclid | I::DivEuclid | I::DivCeil | I::IsPowerOfTwo | I::NextMultipleOf => Owner::Scalar,
        I::IsPositive | I::IsNegative | I::ToAsciiUppercase | I::ToAsciiLowercase => Owner::Scalar,
    }
}

/// Panics because an owner does not know its row: this table and the owner disagree.
pub(super) fn is_not_lowered(intrinsic: impl std::fmt::Debug) -> ! {
    unreachable!("`{intrinsic:?}` has an owner that does not lower it")
}
