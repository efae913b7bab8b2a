//! The table of the classes of ASCII characters, as methods of bytes and of `char`. One row per method. Lowering
//! lives in `lower`.

use crate::builtin::intrinsic::{Intrinsic, Kind, Receiver, Row, Sig, family};

family! {
    /// A class of bytes and characters.
    Ascii

    Any "is_ascii" Method (Byte|Char) () -> Bool;
    Digit "is_ascii_digit" Method (Byte|Char) () -> Bool;
    Hexdigit "is_ascii_hexdigit" Method (Byte|Char) () -> Bool;
    Alphabetic "is_ascii_alphabetic" Method (Byte|Char) () -> Bool;
    Alphanumeric "is_ascii_alphanumeric" Method (Byte|Char) () -> Bool;
    Uppercase "is_ascii_uppercase" Method (Byte|Char) () -> Bool;
    Lowercase "is_ascii_lowercase" Method (Byte|Char) () -> Bool;
    Whitespace "is_ascii_whitespace" Method (Byte|Char) () -> Bool;
    Punctuation "is_ascii_punctuation" Method (Byte|Char) () -> Bool;
    Graphic "is_ascii_graphic" Method (Byte|Char) () -> Bool;
    Control "is_ascii_control" Method (Byte|Char) () -> Bool;
}
