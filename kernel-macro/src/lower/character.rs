//! Lowering of the methods in [`crate::builtin::character`]. A `char` is a `u32` that is always a character.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::function::FnCx;
use crate::ast::Expr;
use crate::builtin::character::{Character, MAX_RADIX};

/// The surrogates, which are no characters: the first, and how many there are.
const SURROGATES: (u32, u32) = (0xd800, 0x800);
/// The control characters, by the first and the last of each range: Unicode never adds one.
const CONTROL: &[(u32, u32)] = &[(0, 0x1f), (0x7f, 0x9f)];
/// The characters that Unicode calls white space.
const WHITESPACE: &[(u32, u32)] = &[
    (0x9, 0xd),
    (0x20, 0x20),
    (0x85, 0x85),
    (0xa0, 0xa0),
    (0x1680, 0x1680),
    (0x2000, 0x200a),
    (0x2028, 0x2029),
    (0x202f, 0x202f),
    (0x205f, 0x205f),
    (0x3000, 0x3000),
];

impl FnCx<'_, '_, '_> {
    pub(super) fn character(&mut self, expr: &Expr, method: Character, args: &[ValueId]) -> ValueId {
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        if let Some((least, text)) = method.bad_radix() {
            let (least, most) = (self.u32(least), self.u32(MAX_RADIX));
            let (is_enough, is_in_range) = (self.op(Op::Ge, &[b, least]), self.op(Op::Le, &[b, most]));
            let holds = self.op(Op::And, &[is_enough, is_in_range]);
            self.panic_unless(expr, holds, text);
        }
        match method {
            Character::FromU32 => {
                let exists = self.is_character(a);
                self.some_if(expr, exists, a)
            }
            Character::FromDigit => {
                let (exists, digit) = (self.op(Op::Lt, &[a, b]), self.digit(a));
                self.some_if(expr, exists, digit)
            }
            Character::ToDigit => {
                let (digit, exists) = self.value_of_digit(a, b);
                self.some_if(expr, exists, digit)
            }
            Character::IsDigit => self.value_of_digit(a, b).1,
            Character::LenUtf8 => self.count_steps(a, &[0x80, 0x800, 0x1_0000]),
            Character::LenUtf16 => self.count_steps(a, &[0x1_0000]),
            Character::IsControl => self.is_in_ranges(a, CONTROL),
            Character::IsWhitespace => self.is_in_ranges(a, WHITESPACE),
            Character::EqIgnoreAsciiCase => {
                let upper = (b'A'.into(), b'Z'.into());
                let (a, b) = (self.change_case(a, upper), self.change_case(b, upper));
                self.op(Op::Eq, &[a, b])
            }
        }
    }

    /// Whether a number is that of a character: below the surrogates, or above them and within Unicode.
    fn is_character(&mut self, number: ValueId) -> ValueId {
        let (first, count) = (self.u32(SURROGATES.0), self.u32(SURROGATES.1));
        let last = self.u32(u32::from(char::MAX));
        let distance = self.op(Op::Sub, &[number, first]);
        let (is_other, is_inside) = (self.op(Op::Ge, &[distance, count]), self.op(Op::Le, &[number, last]));
        self.op(Op::And, &[is_other, is_inside])
    }

    /// `0` to `9`, then `a` to `z`.
    fn digit(&mut self, number: ValueId) -> ValueId {
        let (ten, zero, letter) = (self.u32(10), self.u32(u32::from(b'0')), self.u32(u32::from(b'a' - 10)));
        let is_small = self.op(Op::Lt, &[number, ten]);
        let base = self.select(is_small, zero, letter);
        self.op(Op::Add, &[number, base])
    }

    /// The number of a digit, and whether the radix has it.
    fn value_of_digit(&mut self, character: ValueId, radix: ValueId) -> (ValueId, ValueId) {
        let is_letter = self.is_in_ranges(character, &[(b'A'.into(), b'Z'.into()), (b'a'.into(), b'z'.into())]);
        let (case, ten, first, zero) =
            (self.u32(0x20), self.u32(10), self.u32(u32::from(b'a')), self.u32(u32::from(b'0')));
        let small = self.op(Op::Or, &[character, case]);
        let of_letter = self.op(Op::Sub, &[small, first]);
        let of_letter = self.op(Op::Add, &[of_letter, ten]);
        // Of anything but a digit or letter this is above every radix, or is 10 to 16 for `:` to `@`, which are no digits.
        let of_digit = self.op(Op::Sub, &[character, zero]);
        let is_digit = self.op(Op::Lt, &[of_digit, ten]);
        let value = self.select(is_letter, of_letter, of_digit);
        let (is_one, is_in_radix) = (self.op(Op::Or, &[is_letter, is_digit]), self.op(Op::Lt, &[value, radix]));
        (value, self.op(Op::And, &[is_one, is_in_radix]))
    }

    /// One, and one more for each of the numbers that a character reaches.
    fn count_steps(&mut self, character: ValueId, steps: &[u32]) -> ValueId {
        let mut count = self.u32(1);
        for step in steps {
            let step = self.u32(*step);
            let reaches = self.op(Op::Ge, &[character, step]);
            let more = self.cast(reaches, Scalar::U32);
            count = self.op(Op::Add, &[count, more]);
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::{CONTROL, WHITESPACE};

    #[test]
    fn classes_are_those_of_rust() {
        let is_in = |ranges: &[(u32, u32)], c: char| {
            ranges.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(c)))
        };
        for c in '\0'..=char::MAX {
            assert_eq!(is_in(CONTROL, c), c.is_control(), "{c:?}");
            assert_eq!(is_in(WHITESPACE, c), c.is_whitespace(), "{c:?}");
        }
    }
}
