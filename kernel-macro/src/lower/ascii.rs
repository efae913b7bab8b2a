//! Methods of bytes and characters that ask which kind they are of: comparisons with ranges of ASCII.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::function::FnCx;
use crate::builtin::ascii::Ascii;

/// The bytes of a class, by the first and the last of each range.
fn ranges_of(class: Ascii) -> &'static [(u8, u8)] {
    match class {
        Ascii::Any => &[(0, 127)],
        Ascii::Digit => &[(b'0', b'9')],
        Ascii::Hexdigit => &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
        Ascii::Alphabetic => &[(b'A', b'Z'), (b'a', b'z')],
        Ascii::Alphanumeric => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
        Ascii::Uppercase => &[(b'A', b'Z')],
        Ascii::Lowercase => &[(b'a', b'z')],
        // Not the vertical tab.
        Ascii::Whitespace => &[(b'\t', b'\n'), (12, b'\r'), (b' ', b' ')],
        Ascii::Punctuation => &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')],
        Ascii::Graphic => &[(b'!', b'~')],
        Ascii::Control => &[(0, 31), (127, 127)],
    }
}

impl FnCx<'_, '_, '_> {
    /// Whether a byte or character is of a class.
    pub(super) fn is_of_class(&mut self, byte: ValueId, class: Ascii) -> ValueId {
        let ranges: Vec<_> = ranges_of(class).iter().map(|(first, last)| ((*first).into(), (*last).into())).collect();
        self.is_in_ranges(byte, &ranges)
    }

    /// Whether a byte or character is in one of the ranges.
    pub(super) fn is_in_ranges(&mut self, byte: ValueId, ranges: &[(u32, u32)]) -> ValueId {
        let byte = self.cast(byte, Scalar::U32);
        let tests: Vec<_> = ranges.iter().map(|range| self.is_in_range(byte, *range)).collect();
        let any = tests.into_iter().reduce(|a, b| self.op(Op::Or, &[a, b]));
        any.unwrap_or_else(|| self.bool(false))
    }

    fn is_in_range(&mut self, byte: ValueId, range: (u32, u32)) -> ValueId {
        let (start, count) = (self.u32(range.0), self.u32(range.1 - range.0));
        let distance = self.op(Op::Sub, &[byte, start]);
        self.op(Op::Le, &[distance, count])
    }

    /// A letter of the range in the other case, anything else as it is.
    pub(super) fn change_case(&mut self, byte: ValueId, range: (u32, u32)) -> ValueId {
        let is_letter = self.is_in_ranges(byte, &[range]);
        let bit = self.int_like(byte, 0x20);
        let other = self.op(Op::Xor, &[byte, bit]);
        self.select(is_letter, other, byte)
    }
}
