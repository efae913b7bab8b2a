//! Division of 64-bit integers by divisions of 32 bits, without the driver's own:
//! [`Fault::WideDivision`](crate::faults::Fault::WideDivision).
//!
//! After Henry S. Warren, Hacker's Delight, 2nd edition, 9-4 and 9-5: two digits by one, and from there two by two.

use super::asm::Asm;
use crate::op::Op;
use crate::spirv::types::Lanes;
use crate::spirv::words::Id;
use crate::types::Scalar;

const WIDE: Lanes = Lanes::one(Scalar::U64);
const WORD: Lanes = Lanes::one(Scalar::U32);

/// `dividend / divisor`; the divisor is not zero.
pub(super) fn quotient(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let &[dividend, divisor] = params else { unreachable!("two parameters") };
    let (zero, one, low_mask, thirty_one, thirty_two) = (a.u(0), a.u(1), a.wide(0xffff_ffff), a.u(31), a.u(32));
    let divisor_high = a.shr(divisor, thirty_two);
    let is_wide = a.ine(divisor_high, zero);

    // A divisor of one word: the upper word's digit first, what it leaves over goes before the lower word.
    let dividend_high = a.shr(dividend, thirty_two);
    let short_divisor = a.select(is_wide, one, divisor);
    let first = divide_words(a, dividend_high, short_divisor);
    let taken = a.imul(first, short_divisor);
    let rest = a.isub(dividend_high, taken);
    let rest = a.shl(rest, thirty_two);
    let dividend_low = a.and(dividend, low_mask);
    let short_dividend = a.or(rest, dividend_low);

    // A divisor of two words: by its 32 leading bits, which gives at most one too much.
    let zeros = a.w.bit_op(Op::LeadingZeros, WIDE, &[divisor]);
    let zeros = a.w.cast(WORD, Scalar::U64, zeros);
    let leading = a.shl(divisor, zeros);
    let leading = a.shr(leading, thirty_two);
    let half = a.shr(dividend, one);

    let (dividend_part, divisor_part) =
        (a.select(is_wide, half, short_dividend), a.select(is_wide, leading, short_divisor));
    let digit = two_by_one(a, dividend_part, divisor_part);

    let shifted = a.shl(first, thirty_two);
    let short = a.or(shifted, digit);

    let estimate = a.shl(digit, zeros);
    let estimate = a.shr(estimate, thirty_one);
    let lower = a.isub(estimate, one);
    let is_zero = a.ieq(estimate, zero);
    let estimate = a.select(is_zero, zero, lower);
    let taken = a.imul(estimate, divisor);
    let rest = a.isub(dividend, taken);
    let next = a.iadd(estimate, one);
    let fits = a.uge(rest, divisor);
    let wide = a.select(fits, next, estimate);
    a.select(is_wide, wide, short)
}

/// The quotient of signed numbers, toward zero.
pub(super) fn signed_quotient(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let &[dividend, divisor] = params else { unreachable!("two parameters") };
    let (dividend, divisor) = (
        a.w.cast(Lanes::one(Scalar::I64), Scalar::U64, dividend),
        a.w.cast(Lanes::one(Scalar::I64), Scalar::U64, divisor),
    );
    let sixty_three = a.u(63);
    let signs = [dividend, divisor].map(|value| a.sar(value, sixty_three));
    let [size, by] = [(dividend, signs[0]), (divisor, signs[1])].map(|(value, sign)| with_sign(a, value, sign));
    let size = a.call(super::Helper::DivideWide, &[size, by]);
    let sign = a.xor(signs[0], signs[1]);
    let signed = with_sign(a, size, sign);
    a.w.cast(WIDE, Scalar::I64, signed)
}

/// The value, negated where `sign` is all ones and not zero.
fn with_sign(a: &mut Asm<'_, '_>, value: Id, sign: Id) -> Id {
    let flipped = a.xor(value, sign);
    a.isub(flipped, sign)
}

/// `dividend / divisor` of a divisor below 2^32 with a quotient below 2^32, in digits of 16 bits.
fn two_by_one(a: &mut Asm<'_, '_>, dividend: Id, divisor: Id) -> Id {
    let (sixteen, thirty_two, mask) = (a.u(16), a.u(32), a.u(0xffff));
    let zeros = a.w.bit_op(Op::LeadingZeros, WIDE, &[divisor]);
    let zeros = a.w.cast(WORD, Scalar::U64, zeros);
    let zeros = a.isub(zeros, thirty_two);
    let (divisor, dividend) = (a.shl(divisor, zeros), a.shl(dividend, zeros));
    let digits = [a.shr(divisor, sixteen), a.and(divisor, mask)];
    let upper = a.shr(dividend, thirty_two);
    let middle = a.shr(dividend, sixteen);
    let middle = a.and(middle, mask);
    let lower = a.and(dividend, mask);

    let first = digit(a, upper, middle, digits);
    let rest = a.shl(upper, sixteen);
    let rest = a.or(rest, middle);
    let taken = a.imul(first, divisor);
    let rest = a.isub(rest, taken);
    let second = digit(a, rest, lower, digits);
    let first = a.shl(first, sixteen);
    a.or(first, second)
}

/// One digit of 16 bits: of `upper * 2^16 + next` by a divisor given by its two digits.
fn digit(a: &mut Asm<'_, '_>, upper: Id, next: Id, [high, low]: [Id; 2]) -> Id {
    let (one, sixteen, base) = (a.u(1), a.u(16), a.u(0x1_0000));
    let mut digit = divide_words(a, upper, high);
    let taken = a.imul(digit, high);
    let mut rest = a.isub(upper, taken);
    // The estimate is at most two too large.
    for _ in 0..2 {
        let (product, shifted) = (a.imul(digit, low), a.shl(rest, sixteen));
        let bound = a.or(shifted, next);
        let (is_digit, fits) = (a.uge(digit, base), a.ult(bound, product));
        let (is_large, rest_is_digit) = (a.either(is_digit, fits), a.ult(rest, base));
        let is_large = a.both(is_large, rest_is_digit);
        let (lower, more) = (a.isub(digit, one), a.iadd(rest, high));
        digit = a.select(is_large, lower, digit);
        rest = a.select(is_large, more, rest);
    }
    digit
}

/// The quotient of two numbers below 2^32.
fn divide_words(a: &mut Asm<'_, '_>, dividend: Id, divisor: Id) -> Id {
    let [dividend, divisor] = [dividend, divisor].map(|value| a.w.cast(WIDE, Scalar::U32, value));
    let word = a.w.lanes_type(WORD);
    let quotient = a.w.op(rspirv::spirv::Op::UDiv, word, &[dividend, divisor]);
    a.w.cast(WORD, Scalar::U64, quotient)
}
