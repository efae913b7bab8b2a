//! Division of 64-bit integers by products of 32 bits, without the driver's own:
//! [`Fault::WideDivision`](crate::faults::Fault::WideDivision).
//!
//! Two digits by two come from two digits by one as in Henry S. Warren, Hacker's Delight, 2nd edition, 9-5; and these by the divisor's
//! inverse as in Niels Möller and Torbjörn Granlund, Improved division by invariant integers, 2011, algorithm 4. The inverse begins as a float.

use rspirv::spirv::{GlslStd450Op as GLOp, Op as Spv};

use super::asm::Asm;
use crate::spirv::types::Lanes;
use crate::spirv::words::Id;
use crate::types::Scalar;

const WIDE: Lanes = Lanes::one(Scalar::U64);
const WORD: Lanes = Lanes::one(Scalar::U32);

/// `dividend / divisor`; the divisor is not zero.
pub(super) fn quotient(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let &[dividend, divisor] = params else { unreachable!("two parameters") };
    let wide = a.word;
    let a = &mut Asm::new(a.w, Scalar::F32);
    let [dividend_words, divisor_words] = [dividend, divisor].map(|value| words_of(a, value));
    let (zero, upper) = (a.u(0), a.or(dividend_words[1], divisor_words[1]));
    let is_short = a.ieq(upper, zero);
    a.branch_to(
        wide,
        is_short,
        |a| {
            let word = a.word;
            let quotient = a.w.op(Spv::UDiv, word, &[dividend_words[0], divisor_words[0]]);
            a.w.cast(WORD, Scalar::U64, quotient)
        },
        |a| long_quotient(a, [dividend, divisor], dividend_words, divisor_words),
    )
}

/// The lower and the upper word.
fn words_of(a: &mut Asm<'_, '_>, value: Id) -> [Id; 2] {
    let thirty_two = a.u(32);
    let wide = a.w.lanes_type(WIDE);
    let upper = a.w.op(Spv::ShiftRightLogical, wide, &[value, thirty_two]);
    [value, upper].map(|part| a.w.cast(WIDE, Scalar::U32, part))
}

/// The number of a lower and an upper word.
fn joined(a: &mut Asm<'_, '_>, [lower, upper]: [Id; 2]) -> Id {
    let [lower, upper] = [lower, upper].map(|word| a.w.cast(WORD, Scalar::U64, word));
    let (thirty_two, wide) = (a.u(32), a.w.lanes_type(WIDE));
    let upper = a.w.op(Spv::ShiftLeftLogical, wide, &[upper, thirty_two]);
    a.w.op(Spv::BitwiseOr, wide, &[lower, upper])
}

fn long_quotient(a: &mut Asm<'_, '_>, [dividend, divisor]: [Id; 2], of_dividend: [Id; 2], of_divisor: [Id; 2]) -> Id {
    let ([low, high], [divisor_low, divisor_high]) = (of_dividend, of_divisor);
    let (zero, one, thirty_one) = (a.u(0), a.u(1), a.u(31));
    let is_wide = a.ine(divisor_high, zero);
    // The divisor's 32 leading bits. Its quotient is at most one too large where it has others.
    let top = a.select(is_wide, divisor_high, divisor_low);
    let below = a.select(is_wide, divisor_low, zero);
    let highest = a.highest_bit(top);
    let by = a.isub(thirty_one, highest);
    let up = |a: &mut Asm<'_, '_>, upper: Id, lower: Id| {
        let (upper, half) = (a.shl(upper, by), a.shr(lower, one));
        let lower = a.shr(half, highest);
        a.or(upper, lower)
    };
    let leading = up(a, top, below);
    let inverse = inverse_of(a, leading);

    // A divisor of one word: the upper word's digit first, what it leaves over goes before the lower word.
    let (first_upper, first_lower) = (up(a, zero, high), a.shl(high, by));
    let [first, rest] = two_by_one(a, [first_lower, first_upper], leading, inverse);
    let next = up(a, zero, low);
    let (short_upper, short_lower) = (a.or(rest, next), a.shl(low, by));
    // A divisor of two words: half the dividend, so that the quotient fits.
    let (half_low, half_high, carried) = (a.shr(low, one), a.shr(high, one), a.shl(high, thirty_one));
    let half_low = a.or(half_low, carried);
    let (upper, lower) = (a.select(is_wide, half_high, short_upper), a.select(is_wide, half_low, short_lower));
    let [second, _] = two_by_one(a, [lower, upper], leading, inverse);
    let short = joined(a, [second, first]);

    let estimate = a.shr(second, highest);
    let is_zero = a.ieq(estimate, zero);
    let lower = a.isub(estimate, one);
    let estimate = a.select(is_zero, zero, lower);
    let estimate = a.w.cast(WORD, Scalar::U64, estimate);
    let (wide, bools) = (a.w.lanes_type(WIDE), a.w.lanes_type(Lanes::one(Scalar::Bool)));
    let taken = a.w.op(Spv::IMul, wide, &[estimate, divisor]);
    let rest = a.w.op(Spv::ISub, wide, &[dividend, taken]);
    let one = a.w.const_scalar(Scalar::U64, 1);
    let next = a.w.op(Spv::IAdd, wide, &[estimate, one]);
    let fits = a.w.op(Spv::UGreaterThanEqual, bools, &[rest, divisor]);
    let long = a.w.op(Spv::Select, wide, &[fits, next, estimate]);
    a.w.op(Spv::Select, wide, &[is_wide, long, short])
}

/// The inverse of a word with its highest bit set: the whole part of `(2^64 - 1) / divisor`, less `2^32`.
fn inverse_of(a: &mut Asm<'_, '_>, divisor: Id) -> Id {
    let float = a.float_of(divisor);
    let ty = a.float;
    let root = a.w.glsl_op(GLOp::InverseSqrt, ty, &[float]);
    let inverse = a.fmul(root, root);
    // 2^63 / divisor in 32 bits, and too small by 2^-21 to 2^-18 of it, whatever the root loses.
    let factor = a.f(9.223_354e18);
    let scaled = a.fmul(inverse, factor);
    let estimate = a.word_of(scaled);
    // One step of Newton's method: too small by a few.
    let [low, high] = a.wide_mul(divisor, estimate);
    let (zero, one, top, thirty_one) = (a.u(0), a.u(1), a.u(1 << 31), a.u(31));
    let missing = difference(a, [zero, top], [low, high]);
    let (upper, lower) = (a.shl(missing[1], one), a.shr(missing[0], thirty_one));
    let missing = a.or(upper, lower);
    let [_, step] = a.wide_mul(estimate, missing);
    let half = a.iadd(estimate, step);
    let half = a.w.glsl_op(GLOp::UMax, a.word, &[half, top]);
    let estimate = a.shl(half, one);
    // What is left of 2^64 - 1, less than eight divisors, and how many these are.
    let [low, high] = a.wide_mul(divisor, estimate);
    let high = a.iadd(high, divisor);
    let all = a.u(u32::MAX);
    let rest = [a.xor(low, all), a.xor(high, all)];
    let (three, twenty_nine, twenty_eight) = (a.u(3), a.u(29), a.u(28));
    let (upper, lower) = (a.shl(rest[1], twenty_nine), a.shr(rest[0], three));
    let eighth = a.or(upper, lower);
    let [_, count] = a.wide_mul(eighth, half);
    let count = a.shr(count, twenty_eight);
    // One more where less than two divisors are left, and not less than one.
    let taken = a.wide_mul(divisor, count);
    let [left, upper] = difference(a, rest, taken);
    let has_upper = a.ine(upper, zero);
    let reaches = a.uge(left, divisor);
    let is_more = a.either(has_upper, reaches);
    let more = a.select(is_more, one, zero);
    let estimate = a.iadd(estimate, count);
    a.iadd(estimate, more)
}

/// A number of two words less another, as its lower and upper word.
fn difference(a: &mut Asm<'_, '_>, from: [Id; 2], taken: [Id; 2]) -> [Id; 2] {
    let (zero, one) = (a.u(0), a.u(1));
    let borrows = a.ult(from[0], taken[0]);
    let borrow = a.select(borrows, one, zero);
    let upper = a.isub(from[1], taken[1]);
    [a.isub(from[0], taken[0]), a.isub(upper, borrow)]
}

/// Quotient and remainder of a number, whose upper word is less than the divisor, by a divisor with its highest bit set.
fn two_by_one(a: &mut Asm<'_, '_>, [lower, upper]: [Id; 2], divisor: Id, inverse: Id) -> [Id; 2] {
    let [low, high] = a.wide_mul(inverse, upper);
    let (zero, one) = (a.u(0), a.u(1));
    let low = a.iadd(low, lower);
    let carries = a.ult(low, lower);
    let carry = a.select(carries, one, zero);
    let high = a.iadd(high, upper);
    let high = a.iadd(high, carry);
    let quotient = a.iadd(high, one);
    let taken = a.imul(quotient, divisor);
    let rest = a.isub(lower, taken);
    let is_large = a.ult(low, rest);
    let (less, more) = (a.isub(quotient, one), a.iadd(rest, divisor));
    let (quotient, rest) = (a.select(is_large, less, quotient), a.select(is_large, more, rest));
    let is_small = a.uge(rest, divisor);
    let (more, less) = (a.iadd(quotient, one), a.isub(rest, divisor));
    [a.select(is_small, more, quotient), a.select(is_small, less, rest)]
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
