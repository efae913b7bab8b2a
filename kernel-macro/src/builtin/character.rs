//! The table of the methods of `char` beyond classes of ASCII. One row per method. Lowering lives in `lower`.

use crate::builtin::intrinsic::{Intrinsic, Kind, Receiver, Row, Sig, family};

family! {
    /// A method of characters; the last also of bytes.
    Character

    FromU32 "from_u32" Function (Char) (U32) -> OptionSame;
    FromDigit "from_digit" Function (Char) (U32, U32) -> OptionSame;
    ToDigit "to_digit" Method (Char) (U32) -> OptionU32;
    IsDigit "is_digit" Method (Char) (U32) -> Bool;
    LenUtf8 "len_utf8" Method (Char) () -> Usize;
    LenUtf16 "len_utf16" Method (Char) () -> Usize;
    IsControl "is_control" Method (Char) () -> Bool;
    IsWhitespace "is_whitespace" Method (Char) () -> Bool;
    EqIgnoreAsciiCase "eq_ignore_ascii_case" Method (Byte|Char) (Lent) -> Bool;
}

impl Character {
    /// The panic of a radix that is out of range, and the smallest radix that is not.
    pub(crate) const fn bad_radix(self) -> Option<(u32, &'static str)> {
        match self {
            Self::ToDigit | Self::IsDigit => {
                Some((2, "to_digit: invalid radix -- radix must be in the range 2 to 36 inclusive"))
            }
            Self::FromDigit => Some((0, "from_digit: radix is too high (maximum 36)")),
            _ => None,
        }
    }
}

/// The largest radix.
pub(crate) const MAX_RADIX: u32 = 36;
