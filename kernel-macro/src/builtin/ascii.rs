//! The table of the classes of ASCII characters, as methods of bytes. One row per method. Lowering
//! lives in `lower`.

use crate::builtin::intrinsic::{Intrinsic, Kind, Receiver, Row, Sig, family};

family! {
    /// A class of bytes.
    Ascii

    Any "is_ascii" Method (Byte) () -> Bool;
    Digit "is_ascii_digit" Method (Byte) () -> Bool;
    Hexdigit "is_ascii_hexdigit" Method (Byte) () -> Bool;
    Alphabetic "is_ascii_alphabetic" Method (Byte) () -> Bool;
    Alphanumeric "is_ascii_alphanumeric" Method (Byte) () -> Bool;
    Uppercase "is_ascii_uppercase" Method (Byte) () -> Bool;
    Lowercase "is_ascii_lowercase" Method (Byte) () -> Bool;
    Whitespace "is_ascii_whitespace" Method (Byte) () -> Bool;
    Punctuation "is_ascii_punctuation" Method (Byte) () -> Bool;
    Graphic "is_ascii_graphic" Method (Byte) () -> Bool;
    Control "is_ascii_control" Method (Byte) () -> Bool;
}
