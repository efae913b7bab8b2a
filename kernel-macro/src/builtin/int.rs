//! The table of further methods of numbers: logarithms and roots of integers, bytes, carries. One row per method.

use crate::builtin::intrinsic::{Intrinsic, Kind, Receiver, Row, Sig};

macro_rules! methods {
    ($($variant:ident $name:literal $kind:ident ($($receiver:ident)|+) ($($param:ident),*) -> $result:ident $($panics:literal)?;)+) => {
        /// A method of numbers.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Number { $($variant,)+ }

        impl Number {
            /// The panic where the method of the same name with `checked_` before it gives `None`.
            pub(crate) const fn panics(self) -> Option<&'static str> {
                match self {
                    $($(Self::$variant => Some($panics),)?)+
                    _ => None,
                }
            }
        }

        /// The methods.
        pub(crate) static METHODS: &[Row] = &[$(Row {
            intrinsic: Intrinsic::Number(Number::$variant),
            name: $name,
            kind: Kind::$kind,
            receivers: &[$(Receiver::$receiver),+],
            params: &[$(Sig::$param),*],
            result: Sig::$result,
        }),+];
    };
}

methods! {
    Ilog2 "ilog2" Method (Sint|Uint) () -> U32 "argument of integer logarithm must be positive";
    Ilog10 "ilog10" Method (Sint|Uint) () -> U32 "argument of integer logarithm must be positive";
    Ilog "ilog" Method (Sint|Uint) (Same) -> U32 "argument of integer logarithm must be positive";
    CheckedIlog10 "checked_ilog10" Method (Sint|Uint) () -> OptionU32;
    CheckedIlog "checked_ilog" Method (Sint|Uint) (Same) -> OptionU32;
    Isqrt "isqrt" Method (Sint) () -> Same "argument of integer square root cannot be negative";
    CheckedIsqrt "checked_isqrt" Method (Sint) () -> OptionSame;
    IsMultipleOf "is_multiple_of" Method (Uint) (Same) -> Bool;
    CheckedNextMultipleOf "checked_next_multiple_of" Method (Uint) (Same) -> OptionSame;
    UnboundedShl "unbounded_shl" Method (Sint|Uint) (U32) -> Same;
    UnboundedShr "unbounded_shr" Method (Sint|Uint) (U32) -> Same;
    CarryingAdd "carrying_add" Method (Uint) (Same, Bool) -> SameAndFlag;
    BorrowingSub "borrowing_sub" Method (Uint) (Same, Bool) -> SameAndFlag;
    CarryingMul "carrying_mul" Method (FixedUint) (Same, Same) -> PairSame;
    CarryingMulAdd "carrying_mul_add" Method (FixedUint) (Same, Same, Same) -> PairSame;
    FloatMidpoint "midpoint" Method (Float) (Same) -> Same;
    ToLe "to_le" Method (Sint|Uint) () -> Same;
    ToBe "to_be" Method (FixedSint|FixedUint) () -> Same;
    FromLe "from_le" Function (FixedSint|FixedUint) (Same) -> Same;
    FromBe "from_be" Function (FixedSint|FixedUint) (Same) -> Same;
    ToLeBytes "to_le_bytes" Method (FixedSint|FixedUint|Float|Half) () -> Bytes;
    ToBeBytes "to_be_bytes" Method (FixedSint|FixedUint|Float|Half) () -> Bytes;
    ToNeBytes "to_ne_bytes" Method (FixedSint|FixedUint|Float|Half) () -> Bytes;
    FromLeBytes "from_le_bytes" Function (FixedSint|FixedUint|Float|Half) (Bytes) -> Same;
    FromBeBytes "from_be_bytes" Function (FixedSint|FixedUint|Float|Half) (Bytes) -> Same;
    FromNeBytes "from_ne_bytes" Function (FixedSint|FixedUint|Float|Half) (Bytes) -> Same;
}

/// The panic of a logarithm to a base below 2.
pub(crate) const BAD_BASE: &str = "base of integer logarithm must be at least 2";
