//! Sine, cosine and tangent for all operands: reduction to a quarter turn and a polynomial there.
//! GLSL's promise nothing beyond π, and within it only eleven binary digits.

use rspirv::spirv::Op as Spv;

use super::asm::Asm;
use super::exponential::odd_poly;
use super::{F2, Helper};
use crate::spirv::words::Id;

/// Up to here a quarter turn in four short parts reduces exactly; beyond, 96 digits of 2/π do.
const NEAR: f32 = 20_000.0;

/// The distance to the nearest quarter turn and the number of that quarter turn, as a float, right modulo four.
pub(super) fn reduce(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let pair = a.w.lanes_type(F2);
    let (size, limit) = (a.fabs(x), a.f(NEAR));
    let is_near = a.flt(size, limit);
    a.branch_to(pair, is_near, |a| reduce_near(a, x, pair), |a| reduce_far(a, x, pair))
}

fn reduce_near(a: &mut Asm<'_, '_>, x: Id, pair: Id) -> Id {
    let per_turn = a.f(std::f32::consts::FRAC_2_PI);
    let [n, _] = a.nearest(x, per_turn);
    let rest = a.with_fma(|a| if a.has_fma { rest_by_fma(a, x, n) } else { rest_by_parts(a, x, n) });
    a.w.op(Spv::CompositeConstruct, pair, &[rest, n])
}

/// `x - n π/2`, with π/2 in three floats: the first difference is exact, and the others are rounded once.
fn rest_by_fma(a: &mut Asm<'_, '_>, x: Id, n: Id) -> Id {
    let parts = [0x3fc9_0fdb, 0xb33b_bd2e, 0xa6f7_2ced];
    parts.into_iter().fold(x, |rest, part| {
        let part = a.f(-f32::from_bits(part));
        a.fused_alone(n, part, rest)
    })
}

/// The same with products and differences that are all exact but the last.
fn rest_by_parts(a: &mut Asm<'_, '_>, x: Id, n: Id) -> Id {
    // π/2 in parts of nine digits and a rest: products with n, which has at most 14, are exact.
    let parts = [0x3fc9_0000, 0x39fd_8000, 0x34a8_8000, 0x2e85_a308];
    parts.into_iter().fold(x, |rest, part| {
        let part = a.f(f32::from_bits(part));
        let product = a.fmul(n, part);
        a.fsub(rest, product)
    })
}

/// 1/(2π) in binary, after the point.
const TURNS: [u32; 6] = [0x28be_60db, 0x9391_054a, 0x7f09_d5f4, 0x7d4d_3770, 0x36d8_a566, 0x4f10_e410];

/// Multiplies the mantissa with those digits of 1/(2π) that whole turns leave over.
fn reduce_far(a: &mut Asm<'_, '_>, x: Id, pair: Id) -> Id {
    let (zero, one) = (a.u(0), a.u(1));
    let bits = a.size_bits(x);
    let (width, bias) = (a.u(23), a.u(126));
    let exponent = a.shr(bits, width);
    let exponent = a.isub(exponent, bias);
    let (eight, top_bit) = (a.u(8), a.u(0x8000_0000));
    let mantissa = a.shl(bits, eight);
    let mantissa = a.or(mantissa, top_bit);
    let [high, middle, low] = window(a, exponent);

    // The fraction of a turn, 64 digits.
    let [_, lowest] = a.wide_mul(mantissa, low);
    let [product_low, product_high] = a.wide_mul(mantissa, middle);
    let fraction_low = a.iadd(product_low, lowest);
    let carries = a.ult(fraction_low, product_low);
    let carry = a.select(carries, one, zero);
    let above = a.imul(mantissa, high);
    let fraction_high = a.iadd(product_high, above);
    let fraction_high = a.iadd(fraction_high, carry);

    // Two digits of quarter turns, and the distance to the nearest of these.
    let (thirty, below, half, quarter) = (a.u(30), a.u(0x3fff_ffff), a.u(0x2000_0000), a.u(0x4000_0000));
    let quarters = a.shr(fraction_high, thirty);
    let rest = a.and(fraction_high, below);
    let is_past = a.uge(rest, half);
    let up = a.select(is_past, one, zero);
    let quarters = a.iadd(quarters, up);
    let has_low = a.ine(fraction_low, zero);
    let borrow = a.select(has_low, one, zero);
    let opposite_high = a.isub(quarter, rest);
    let opposite_high = a.isub(opposite_high, borrow);
    let opposite_low = a.isub(zero, fraction_low);
    let high = a.select(is_past, opposite_high, rest);
    let low = a.select(is_past, opposite_low, fraction_low);

    let angle = angle_of(a, high, low);
    let sign = a.sign_bit(x);
    let past_sign = a.select(is_past, top_bit, zero);
    let angle_sign = a.xor(sign, past_sign);
    let angle = a.bits(angle);
    let angle = a.xor(angle, angle_sign);
    let angle = a.as_float(angle);
    let quarters = a.float_of(quarters);
    let quarters = a.bits(quarters);
    let quarters = a.or(quarters, sign);
    let quarters = a.as_float(quarters);
    a.w.op(Spv::CompositeConstruct, pair, &[angle, quarters])
}

/// 96 digits of 1/(2π), from `exponent` digits after the point minus a word on.
fn window(a: &mut Asm<'_, '_>, exponent: Id) -> [Id; 3] {
    let (one, five, mask) = (a.u(1), a.u(5), a.u(31));
    let first = a.shr(exponent, five);
    let is_first: Vec<Id> = (0..4)
        .map(|index| {
            let index = a.u(index);
            a.ieq(first, index)
        })
        .collect();
    let digits: Vec<Id> = [0].iter().chain(&TURNS).chain(&[0]).map(|word| a.u(*word)).collect();
    // A word's place is the first word's, which is 0 to 4, plus its own.
    let words = [0, 1, 2, 3].map(|own| {
        (0..4).rev().fold(digits[4 + own], |otherwise, index| a.select(is_first[index], digits[index + own], otherwise))
    });
    let by = a.and(exponent, mask);
    let back = a.isub(mask, by);
    [0, 1, 2].map(|index| {
        let moved = a.shl(words[index], by);
        let next = a.shr(words[index + 1], one);
        let next = a.shr(next, back);
        a.or(moved, next)
    })
}

/// A fraction of a quarter turn, in units of 2^-62, as an angle.
fn angle_of(a: &mut Asm<'_, '_>, high: Id, low: Id) -> Id {
    let (zero, one, top, far, mask) = (a.u(0), a.u(1), a.u(31), a.u(63), a.u(31));
    let (highest, lowest) = (a.highest_bit(high), a.highest_bit(low));
    let (short, long) = (a.isub(top, highest), a.isub(far, lowest));
    let is_low = a.ieq(high, zero);
    let zeros = a.select(is_low, long, short);
    let first = a.select(is_low, low, high);
    let second = a.select(is_low, zero, low);
    let by = a.and(zeros, mask);
    let back = a.isub(mask, by);
    let moved = a.shl(first, by);
    let next = a.shr(second, one);
    let next = a.shr(next, back);
    let digits = a.or(moved, next);
    // π/2 * 2^31; the product counts units of 2^-29 less the zeros shifted out.
    let half_pi = a.u(0xc90f_daa2);
    let [_, product] = a.wide_mul(digits, half_pi);
    let (bias, width) = (a.u(127 - 29), a.u(23));
    let exponent = a.isub(bias, zeros);
    let unit = a.shl(exponent, width);
    let unit = a.as_float(unit);
    let product = a.float_of(product);
    a.fmul(product, unit)
}

/// Distance and number of the quarter turn, the number as a word.
fn reduced(a: &mut Asm<'_, '_>, x: Id) -> [Id; 2] {
    let pair = a.call(Helper::ReduceAngle, &[x]);
    let float = a.float;
    let [angle, quarters] = [0, 1].map(|half| a.w.op(Spv::CompositeExtract, float, &[pair, half]));
    let quarters = a.clamp(quarters, -65536.0, 65536.0);
    let quarters = a.signed_of(quarters);
    [angle, a.bits(quarters)]
}

/// Sine and cosine of an angle between -π/4 and π/4.
fn of_small(a: &mut Asm<'_, '_>, angle: Id) -> [Id; 2] {
    let square = a.fmul(angle, angle);
    let sine = odd_poly(a, angle, &[-1.958789e-4, 8.332748e-3, -0.16666664]);
    let cosine = a.poly(square, &[2.4547942e-5, -1.3888302e-3, 4.1666664e-2]);
    let cosine = a.fmul(cosine, square);
    let cosine = a.fmul(cosine, square);
    let (half, unit) = (a.f(0.5), a.f(1.0));
    let half = a.fmul(half, square);
    let head = a.fsub(unit, half);
    [sine, a.fadd(head, cosine)]
}

/// The sine of so many quarter turns and an angle of which sine and cosine are given; NaN for infinite `x`.
fn turned(a: &mut Asm<'_, '_>, x: Id, [sine, cosine]: [Id; 2], quarters: Id) -> Id {
    let (one, two, thirty, zero) = (a.u(1), a.u(2), a.u(30), a.u(0));
    let odd = a.and(quarters, one);
    let is_odd = a.ine(odd, zero);
    let value = a.fselect(is_odd, cosine, sine);
    let negative = a.and(quarters, two);
    let sign = a.shl(negative, thirty);
    let value = a.bits(value);
    let value = a.xor(value, sign);
    let value = a.as_float(value);
    finite_or_nan(a, x, value)
}

fn finite_or_nan(a: &mut Asm<'_, '_>, x: Id, value: Id) -> Id {
    let (size, infinity, nan) = (a.size_bits(x), a.u(0x7f80_0000), a.f(f32::NAN));
    let is_finite = a.ult(size, infinity);
    a.fselect(is_finite, value, nan)
}

/// `value`, or `x` where it is so small that it is its own sine and tangent.
fn or_tiny(a: &mut Asm<'_, '_>, x: Id, value: Id) -> Id {
    let (size, limit) = (a.fabs(x), a.f(1.0e-4));
    let is_tiny = a.flt(size, limit);
    a.fselect(is_tiny, x, value)
}

/// Sine.
pub(super) fn sin(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let [angle, quarters] = reduced(a, x);
    let small = of_small(a, angle);
    let value = turned(a, x, small, quarters);
    or_tiny(a, x, value)
}

/// Cosine.
pub(super) fn cos(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let [angle, quarters] = reduced(a, x);
    let small = of_small(a, angle);
    let one = a.u(1);
    let quarters = a.iadd(quarters, one);
    turned(a, x, small, quarters)
}

/// Sine and cosine of one angle, each as it is alone.
pub(super) fn sin_cos(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let [angle, quarters] = reduced(a, x);
    let small = of_small(a, angle);
    let sine = turned(a, x, small, quarters);
    let sine = or_tiny(a, x, sine);
    let one = a.u(1);
    let next = a.iadd(quarters, one);
    let cosine = turned(a, x, small, next);
    let pair = a.w.lanes_type(F2);
    a.w.op(Spv::CompositeConstruct, pair, &[sine, cosine])
}

/// Tangent.
pub(super) fn tan(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let x = params[0];
    let [angle, quarters] = reduced(a, x);
    let coefficients = [3.8431399e-3, 1.1853216e-3, 9.962147e-3, 2.1621127e-2, 5.3994466e-2, 0.13333231, 0.33333334];
    let tangent = odd_poly(a, angle, &coefficients);
    let (one, zero, unit) = (a.u(1), a.u(0), a.f(1.0));
    let odd = a.and(quarters, one);
    let is_odd = a.ine(odd, zero);
    let size = a.fabs(tangent);
    let inverse = a.near_quotient(unit, size);
    let opposite = a.fneg(tangent);
    let inverse = a.copysign(inverse, opposite);
    let value = a.fselect(is_odd, inverse, tangent);
    let value = finite_or_nan(a, x, value);
    or_tiny(a, x, value)
}
