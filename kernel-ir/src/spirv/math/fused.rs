//! `a * b + c` rounded once. GLSL's `Fma` may round twice, so this is software, but for devices that a specialization constant
//! says to do it exactly.
//!
//! In software: where neither the product nor its error leaves the normal range (of `f32`: factors within 2^-40 ..= 2^60, addend zero
//! or within 2^-100 ..= 2^120), by error-free sums and products with one rounding to odd; else, exactly for all floats, in integers
//! of twice the width.

use rspirv::spirv::GlslStd450Op;

use super::Helper;
use super::asm::Asm;
use super::double::{two_product, two_sum};
use crate::spirv::types::Lanes;
use crate::spirv::words::Id;
use crate::types::Scalar;

/// The whole function: the device's own where that is exact.
pub(super) fn mul_add(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let &[x, y, z] = params else { unreachable!("three parameters") };
    let has_fma = a.w.has_fma(a.scalar);
    a.branch(has_fma, |a| a.glsl(GlslStd450Op::Fma, &[x, y, z]), |a| in_software(a, [x, y, z]))
}

/// The same of vectors, so that a device that has it gets one operation for all lanes.
pub(super) fn mul_add_of<const LANES: u8>(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let lanes = Lanes { scalar: Scalar::F32, count: LANES };
    let (has_fma, ty) = (a.w.has_fma(Scalar::F32), a.w.lanes_type(lanes));
    a.branch_to(
        ty,
        has_fma,
        |a| a.w.glsl_op(GlslStd450Op::Fma, ty, params),
        |a| a.w.call_helper(Helper::MulAdd, lanes, params),
    )
}

/// How a float is made of bits, and what these leave room for.
#[derive(Clone, Copy)]
struct Format {
    /// Digits, with the first, which is not stored.
    digits: u32,
    /// Bits of the float.
    width: u32,
    /// The bias of the stored exponent.
    bias: u32,
    /// Factors between these powers of two have a product, and the product an error, that are normal and finite.
    factors: [i32; 2],
    /// Addends between these can be added to such a product.
    addends: [i32; 2],
}

impl Format {
    fn of(a: &Asm<'_, '_>) -> Self {
        match a.scalar {
            Scalar::F64 => Self { digits: 53, width: 64, bias: 1023, factors: [-400, 480], addends: [-900, 960] },
            _ => Self { digits: 24, width: 32, bias: 127, factors: [-40, 60], addends: [-100, 120] },
        }
    }

    /// Bits of the power of two.
    fn power(self, exponent: i32) -> u64 {
        u64::from(self.bias.wrapping_add_signed(exponent)) << self.stored()
    }

    /// Digits that are stored.
    fn stored(self) -> u32 {
        self.digits - 1
    }

    fn infinity(self) -> u64 {
        u64::from(2 * self.bias + 1) << self.stored()
    }

    /// How far a product of two mantissas moves up to have its highest digit at the third or fourth bit from the top of two words.
    fn lift_of_product(self) -> u32 {
        2 * self.width - 4 - 2 * self.stored()
    }

    /// How far a mantissa moves up in the upper word, to the third bit from its top.
    fn lift_of_addend(self) -> u32 {
        self.width - 3 - self.stored()
    }
}

/// Picks one of the two ways.
fn in_software(a: &mut Asm<'_, '_>, [x, y, z]: [Id; 3]) -> Id {
    let Format { factors, addends, .. } = Format::of(a);
    let x_fits = is_within(a, x, factors);
    let y_fits = is_within(a, y, factors);
    let z_fits = is_within(a, z, addends);
    // By bits: some devices take subnormals for zero.
    let (z_bits, zero) = (a.size_bits(z), a.u(0));
    let z_is_zero = a.ieq(z_bits, zero);
    let z_fits = a.either(z_fits, z_is_zero);
    let factors_fit = a.both(x_fits, y_fits);
    let all_fit = a.both(factors_fit, z_fits);
    let exact = if a.scalar == Scalar::F64 { Helper::MulAddExactDouble } else { Helper::MulAddExact };
    a.branch(all_fit, |a| by_errors(a, [x, y, z]), |a| a.call(exact, &[x, y, z]))
}

/// Whether the size of `x` lies between two powers of two.
fn is_within(a: &mut Asm<'_, '_>, x: Id, powers: [i32; 2]) -> Id {
    let format = Format::of(a);
    let [low, high] = powers.map(|power| format.power(power));
    let bits = a.size_bits(x);
    let (low_id, width) = (a.wide(low), a.wide(high - low));
    let above = a.isub(bits, low_id);
    a.ule(above, width)
}

fn by_errors(a: &mut Asm<'_, '_>, [x, y, z]: [Id; 3]) -> Id {
    let [product, product_low] = two_product(a, x, y);
    let [tail, tail_low] = two_sum(a, z, product_low);
    let [head, head_low] = two_sum(a, product, tail);
    let [sum, error] = two_sum(a, tail_low, head_low);
    // An inexact sum of the small parts is made odd, so that the last sum cannot fall on a tie that is none.
    let (zero, zero_bits, one, minus_one) = (a.f(0.0), a.u(0), a.u(1), a.wide(a.scalar.mask()));
    let sign = a.u(a.scalar.bits() - 1);
    let (sum_bits, error_bits) = (a.bits(sum), a.bits(error));
    let is_exact = a.feq(error, zero);
    let last = a.and(sum_bits, one);
    let differing = a.xor(sum_bits, error_bits);
    let differs = a.shr(differing, sign);
    let is_opposite = a.ine(differs, zero_bits);
    let step = a.select(is_opposite, minus_one, one);
    let odd = a.iadd(sum_bits, step);
    let is_even = a.ieq(last, zero_bits);
    let adjusted = a.select(is_even, odd, sum_bits);
    let small = a.select(is_exact, sum_bits, adjusted);
    let small = a.as_float(small);
    a.fadd(head, small)
}

/// A number of two words: the high one and the low one.
type Wide = [Id; 2];

/// The same in integers, for all floats.
pub(super) fn mul_add_exact(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let &[x, y, z] = params else { unreachable!("three parameters") };
    let [x_bits, y_bits, z_bits] = [x, y, z].map(|value| a.size_bits(value));
    let infinity = Format::of(a).infinity();
    let (zero, infinity) = (a.u(0), a.wide(infinity));
    let special = [x_bits, y_bits].map(|bits| {
        let (is_zero, is_special) = (a.ieq(bits, zero), a.uge(bits, infinity));
        a.either(is_zero, is_special)
    });
    let is_special = a.either(special[0], special[1]);
    let only_z_is_special = a.uge(z_bits, infinity);
    a.branch(
        is_special,
        // The product is exact or not finite, so rounding twice is rounding once.
        |a| {
            let product = a.fmul(x, y);
            a.fadd(product, z)
        },
        |a| a.branch(only_z_is_special, |_| z, |a| in_integers(a, [x, y, z], [x_bits, y_bits, z_bits])),
    )
}

/// Mantissa with all digits (or zero) and exponent of a finite float: it is `mantissa * 2^(exponent - bias - stored digits)`.
fn normalised(a: &mut Asm<'_, '_>, bits: Id) -> [Id; 2] {
    let stored = Format::of(a).stored();
    let first = 1 << stored;
    let (width, mask, hidden, zero, one) = (a.u(stored), a.wide(first - 1), a.wide(first), a.u(0), a.u(1));
    let exponent = a.shr(bits, width);
    let fraction = a.and(bits, mask);
    let full = a.or(fraction, hidden);
    let highest = a.highest_bit(bits);
    let is_subnormal = a.ieq(exponent, zero);
    let by = a.isub(width, highest);
    let by = a.select(is_subnormal, by, zero);
    let shifted = a.shl(fraction, by);
    let lowered = a.isub(one, by);
    [a.select(is_subnormal, shifted, full), a.select(is_subnormal, lowered, exponent)]
}

/// Of finite factors that are not zero and a finite addend.
fn in_integers(a: &mut Asm<'_, '_>, [x, y, z]: [Id; 3], bits: [Id; 3]) -> Id {
    let [[x_mantissa, x_exponent], [y_mantissa, y_exponent], [z_mantissa, z_exponent]] =
        bits.map(|bits| normalised(a, bits));
    let format = Format::of(a);
    let unit = format.bias + format.stored();
    // Both summands get their highest digit at the third or fourth bit from the top (of 64 bits: bit 60 or 61), so that a sum
    // fits and digits lost below cannot matter but for being there.
    let [low, high] = a.wide_mul(x_mantissa, y_mantissa);
    let lift = format.lift_of_product();
    let (up, down) = (a.u(lift), a.u(format.width - lift));
    let (high, carried) = (a.shl(high, up), a.shr(low, down));
    let product = [a.or(high, carried), a.shl(low, up)];
    let exponents = a.iadd(x_exponent, y_exponent);
    let offset = a.u(2 * unit + lift);
    let product_exponent = a.isub(exponents, offset);
    let lift = format.lift_of_addend();
    let (up, zero, offset) = (a.u(lift), a.u(0), a.u(unit + lift + format.width));
    let addend = [a.shl(z_mantissa, up), zero];
    let addend_exponent = a.isub(z_exponent, offset);
    let (x_sign, y_sign, z_sign) = (a.sign_bit(x), a.sign_bit(y), a.sign_bit(z));
    let product_sign = a.xor(x_sign, y_sign);

    let distance = a.isub(product_exponent, addend_exponent);
    let addend_leads = a.slt(distance, zero);
    let backwards = a.isub(zero, distance);
    let distance = a.select(addend_leads, backwards, distance);
    let large = select_wide(a, addend_leads, addend, product);
    let small = select_wide(a, addend_leads, product, addend);
    let exponent = a.select(addend_leads, addend_exponent, product_exponent);
    let sign = a.select(addend_leads, z_sign, product_sign);
    let small = shift_right(a, small, distance);
    let is_difference = a.ine(product_sign, z_sign);
    let [sum, difference] = [wide_add(a, large, small), wide_sub(a, large, small)];
    // A difference may come out negative.
    let top = a.u(format.width - 1);
    let borrowed = a.shr(difference[0], top);
    let is_negative = a.ine(borrowed, zero);
    let is_negative = a.both(is_difference, is_negative);
    let opposite = wide_sub(a, [zero, zero], difference);
    let difference = select_wide(a, is_negative, opposite, difference);
    let result = select_wide(a, is_difference, difference, sum);
    let flip = a.wide(1 << (format.width - 1));
    let flip = a.select(is_negative, flip, zero);
    let sign = a.xor(sign, flip);

    let any = a.or(result[0], result[1]);
    let is_zero = a.ieq(any, zero);
    let rounded = round(a, result, exponent);
    let signed = a.or(rounded, sign);
    // Only a cancellation gives zero here, and its zero is positive.
    let bits = a.select(is_zero, zero, signed);
    a.as_float(bits)
}

/// Bits of the float nearest to `value * 2^exponent`, for a value that is not zero.
fn round(a: &mut Asm<'_, '_>, value: Wide, exponent: Id) -> Id {
    let format @ Format { width, bias, .. } = Format::of(a);
    let (zero, one, top, far) = (a.u(0), a.u(1), a.u(width - 1), a.u(2 * width - 1));
    let high_is_zero = a.ieq(value[0], zero);
    let (highest, lowest) = (a.highest_bit(value[0]), a.highest_bit(value[1]));
    let (short, long) = (a.isub(top, highest), a.isub(far, lowest));
    let by = a.select(high_is_zero, long, short);
    let value = shift_left(a, value, by);
    let exponent = a.isub(exponent, by);
    let offset = a.u(2 * width - 1 + bias);
    let exponent = a.iadd(exponent, offset);
    // Below the normals fewer digits are left.
    let is_subnormal = a.slt(exponent, one);
    let missing = a.isub(one, exponent);
    let missing = a.select(is_subnormal, missing, zero);
    let [high, low] = shift_right(a, value, missing);

    let below = width - format.digits;
    let (all_below, below_half, half) = (a.u(below), a.u((1 << (below - 1)) - 1), a.u(below - 1));
    let mantissa = a.shr(high, all_below);
    let half = a.shr(high, half);
    let half = a.and(half, one);
    let rest = a.and(high, below_half);
    let rest = a.or(rest, low);
    let has_rest = a.ine(rest, zero);
    let rest = a.select(has_rest, one, zero);
    let sticky = a.or(rest, mantissa);
    let up = a.and(half, sticky);
    let rounded = a.iadd(mantissa, up);
    // The mantissa's highest digit adds one to the exponent.
    let (stored, infinity, limit) = (a.u(format.stored()), a.wide(format.infinity()), a.u(2 * bias + 1));
    let below = a.isub(exponent, one);
    let below = a.shl(below, stored);
    let normal = a.iadd(below, rounded);
    let bits = a.select(is_subnormal, rounded, normal);
    let is_too_large = a.sge(exponent, limit);
    a.select(is_too_large, infinity, bits)
}

fn select_wide(a: &mut Asm<'_, '_>, condition: Id, yes: Wide, no: Wide) -> Wide {
    [0, 1].map(|half| a.select(condition, yes[half], no[half]))
}

fn wide_add(a: &mut Asm<'_, '_>, x: Wide, y: Wide) -> Wide {
    let (zero, one) = (a.u(0), a.u(1));
    let low = a.iadd(x[1], y[1]);
    let carries = a.ult(low, x[1]);
    let carry = a.select(carries, one, zero);
    let high = a.iadd(x[0], y[0]);
    [a.iadd(high, carry), low]
}

fn wide_sub(a: &mut Asm<'_, '_>, x: Wide, y: Wide) -> Wide {
    let (zero, one) = (a.u(0), a.u(1));
    let borrows = a.ult(x[1], y[1]);
    let borrow = a.select(borrows, one, zero);
    let low = a.isub(x[1], y[1]);
    let high = a.isub(x[0], y[0]);
    [a.isub(high, borrow), low]
}

/// Shifts by any distance; the last bit is set when a one was lost.
fn shift_right(a: &mut Asm<'_, '_>, value: Wide, by: Id) -> Wide {
    let width = a.scalar.bits();
    let (zero, one, word, most, mask) = (a.u(0), a.u(1), a.u(width), a.u(2 * width - 1), a.u(width - 1));
    let by = a.umin(by, most);
    let is_far = a.uge(by, word);
    let high = a.select(is_far, zero, value[0]);
    let low = a.select(is_far, value[0], value[1]);
    let lost_word = a.select(is_far, value[1], zero);
    let by = a.and(by, mask);
    // A shift by the whole width is undefined, so the other way takes two steps.
    let back = a.isub(mask, by);
    let (doubled_high, doubled_low) = (a.shl(high, one), a.shl(low, one));
    let (moved, lost) = (a.shl(doubled_high, back), a.shl(doubled_low, back));
    let low = a.shr(low, by);
    let low = a.or(low, moved);
    let lost = a.or(lost, lost_word);
    let is_inexact = a.ine(lost, zero);
    let sticky = a.select(is_inexact, one, zero);
    [a.shr(high, by), a.or(low, sticky)]
}

/// Shifts by less than two words.
fn shift_left(a: &mut Asm<'_, '_>, value: Wide, by: Id) -> Wide {
    let width = a.scalar.bits();
    let (zero, one, word, mask) = (a.u(0), a.u(1), a.u(width), a.u(width - 1));
    let is_far = a.uge(by, word);
    let high = a.select(is_far, value[1], value[0]);
    let low = a.select(is_far, zero, value[1]);
    let by = a.and(by, mask);
    let back = a.isub(mask, by);
    let halved = a.shr(low, one);
    let moved = a.shr(halved, back);
    let high = a.shl(high, by);
    [a.or(high, moved), a.shl(low, by)]
}
