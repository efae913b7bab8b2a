//! The table of glam's vectors by their lanes: arithmetic of integers with explicit overflow, tests of lanes, positions of lanes. One row
//! per method. Lowering lives in `lower`.

use crate::builtin::intrinsic::{Intrinsic, Kind, Receiver, Row, Sig, family};

family! {
    /// A method of vectors that goes by their lanes.
    Lanes

    WrappingAdd "wrapping_add" Method (SintVec|UintVec) (Same) -> Same;
    WrappingSub "wrapping_sub" Method (SintVec|UintVec) (Same) -> Same;
    WrappingMul "wrapping_mul" Method (SintVec|UintVec) (Same) -> Same;
    WrappingDiv "wrapping_div" Method (SintVec|UintVec) (Same) -> Same;
    WrappingAddUnsigned "wrapping_add_unsigned" Method (SintVec) (UintVector) -> Same;
    WrappingSubUnsigned "wrapping_sub_unsigned" Method (SintVec) (UintVector) -> Same;
    WrappingAddSigned "wrapping_add_signed" Method (UintVec) (SintVector) -> Same;
    SaturatingAdd "saturating_add" Method (SintVec|UintVec) (Same) -> Same;
    SaturatingSub "saturating_sub" Method (SintVec|UintVec) (Same) -> Same;
    SaturatingMul "saturating_mul" Method (SintVec|UintVec) (Same) -> Same;
    SaturatingDiv "saturating_div" Method (SintVec|UintVec) (Same) -> Same;
    SaturatingAddUnsigned "saturating_add_unsigned" Method (SintVec) (UintVector) -> Same;
    SaturatingSubUnsigned "saturating_sub_unsigned" Method (SintVec) (UintVector) -> Same;
    SaturatingAddSigned "saturating_add_signed" Method (UintVec) (SintVector) -> Same;
    CheckedAdd "checked_add" Method (SintVec|UintVec) (Same) -> OptionSame;
    CheckedSub "checked_sub" Method (SintVec|UintVec) (Same) -> OptionSame;
    CheckedMul "checked_mul" Method (SintVec|UintVec) (Same) -> OptionSame;
    CheckedDiv "checked_div" Method (SintVec|UintVec) (Same) -> OptionSame;
    CheckedAddUnsigned "checked_add_unsigned" Method (SintVec) (UintVector) -> OptionSame;
    CheckedSubUnsigned "checked_sub_unsigned" Method (SintVec) (UintVector) -> OptionSame;
    CheckedAddSigned "checked_add_signed" Method (UintVec) (SintVector) -> OptionSame;
    ManhattanDistance "manhattan_distance" Method (SintVec|UintVec) (Same) -> U32;
    CheckedManhattanDistance "checked_manhattan_distance" Method (SintVec|UintVec) (Same) -> OptionU32;
    ChebyshevDistance "chebyshev_distance" Method (SintVec|UintVec) (Same) -> U32;
    Signum "signum" Method (SintVec) () -> Same;
    SinCos "sin_cos" Method (FloatVec) () -> PairSame;
    MinPosition "min_position" Method (FloatVec|SintVec|UintVec) () -> Usize;
    MaxPosition "max_position" Method (FloatVec|SintVec|UintVec) () -> Usize;
    IsNegativeMask "is_negative_mask" Method (FloatVec|SintVec) () -> BoolVector;
    IsNegativeBitmask "is_negative_bitmask" Method (FloatVec|SintVec) () -> U32;
    IsFiniteMask "is_finite_mask" Method (FloatVec) () -> BoolVector;
    IsNanMask "is_nan_mask" Method (FloatVec) () -> BoolVector;
    Bitmask "bitmask" Method (BoolVec) () -> U32;
    Test "test" Method (BoolVec) (Usize) -> Bool;
}
