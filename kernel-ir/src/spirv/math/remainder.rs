//! The exact remainder of floats: of `f32` that are not much larger than the divisor by one product, on devices that round `a * b + c` once;
//! else in integers. Nothing is ever rounded.

use rspirv::spirv::GlslStd450Op;

use super::Helper;
use super::asm::Asm;
use crate::spirv::words::Id;
use crate::types::Scalar;

/// How a float's bits are put together.
struct Format {
    /// Of the mantissa, without the hidden one.
    digits: u32,
    /// How far a mantissa can be shifted left in its word.
    room: u32,
    infinity: u64,
}

impl Format {
    fn of(scalar: Scalar) -> Self {
        match scalar {
            Scalar::F64 => Self { digits: 52, room: 11, infinity: f64::INFINITY.to_bits() },
            _ => Self { digits: 23, room: 8, infinity: f32::INFINITY.to_bits().into() },
        }
    }
}

/// `x % y` of `f32` with the sign of `x`.
pub(super) fn fmod_f32(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let &[x, y] = params else { unreachable!("two parameters") };
    let has_fma = a.w.has_fma(a.scalar);
    let by_fma = |a: &mut Asm<'_, '_>| {
        let size = a.fabs(y);
        let inverse = a.rough_inverse(size);
        by_product(a, [x, y, inverse])
    };
    a.branch(has_fma, by_fma, |a| a.call(Helper::FmodInIntegers, params))
}

/// The same by a constant, whose inverse is the third parameter.
pub(super) fn fmod_by_constant(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let &[x, y, inverse] = params else { unreachable!("three parameters") };
    let has_fma = a.w.has_fma(a.scalar);
    a.branch(has_fma, |a| by_product(a, [x, y, inverse]), |a| a.call(Helper::FmodInIntegers, &[x, y]))
}

/// The quotient is taken a bit too large, whatever the inverse lost, so that its whole part `n` is right or one too large. Then
/// `|x| - n * |y|` is an `f32`, as is its sum with `|y|`, which is the remainder where the former is negative.
fn by_product(a: &mut Asm<'_, '_>, [x, y, inverse]: [Id; 3]) -> Id {
    let (x_size, y_size) = (a.fabs(x), a.fabs(y));
    let (more, most) = (a.f(1.0 + 1.0 / 1_048_576.0), a.f(262_144.0));
    // Smaller inverses have lost digits. Those of smaller divisors leave subnormal numbers, for which a device's `Fma` may give zero.
    let [least, greatest] = [8, 227].map(|exponent| a.f(f32::from_bits(exponent << 23)));
    let larger = a.fmul(inverse, more);
    let quotient = a.fmul(x_size, larger);
    let (is_small, is_exact, is_normal) = (a.flt(quotient, most), a.fgt(inverse, least), a.flt(inverse, greatest));
    let is_near = a.both(is_small, is_exact);
    let is_near = a.both(is_near, is_normal);
    a.branch(
        is_near,
        |a| {
            let whole = a.glsl(GlslStd450Op::Trunc, &[quotient]);
            let minus = a.fneg(whole);
            let rest = a.fused_alone(minus, y_size, x_size);
            let (next, zero) = (a.fadd(rest, y_size), a.f(0.0));
            let is_below = a.flt(rest, zero);
            let size = a.fselect(is_below, next, rest);
            let (bits, sign) = (a.bits(size), a.sign_bit(x));
            let signed = a.or(bits, sign);
            a.as_float(signed)
        },
        |a| a.call(Helper::FmodInIntegers, &[x, y]),
    )
}

/// `x % y` with the sign of `x`.
pub(super) fn fmod(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let &[x, y] = params else { unreachable!("two parameters") };
    let (x_bits, y_bits) = (a.size_bits(x), a.size_bits(y));
    let (zero, infinity) = (a.u(0), a.wide(Format::of(a.scalar).infinity));
    let by_zero = a.ieq(y_bits, zero);
    let of_infinity = a.uge(x_bits, infinity);
    let by_nan = a.ult(infinity, y_bits);
    let is_invalid = a.either(by_zero, of_infinity);
    let is_invalid = a.either(is_invalid, by_nan);
    let nan = a.f(f32::NAN);
    a.branch(
        is_invalid,
        |_| nan,
        |a| {
            let is_small = a.ult(x_bits, y_bits);
            a.branch(is_small, |_| x, |a| long_division(a, x, x_bits, y_bits))
        },
    )
}

/// Mantissa and exponent so that the value is `mantissa * 2^(exponent - 150)` of an `f32`; mantissas of subnormals are small.
fn split(a: &mut Asm<'_, '_>, bits: Id) -> [Id; 2] {
    let digits = Format::of(a.scalar).digits;
    let (mask, hidden) = (a.wide((1 << digits) - 1), a.wide(1 << digits));
    let (width, zero, one) = (a.u(digits), a.u(0), a.u(1));
    let exponent = a.shr(bits, width);
    let mantissa = a.and(bits, mask);
    let full = a.or(mantissa, hidden);
    let is_subnormal = a.ieq(exponent, zero);
    [a.select(is_subnormal, mantissa, full), a.select(is_subnormal, one, exponent)]
}

/// The remainder when `|x| >= |y| > 0`: long division, as many bits of the quotient a round as fit.
fn long_division(a: &mut Asm<'_, '_>, x: Id, x_bits: Id, y_bits: Id) -> Id {
    let ([x_mantissa, x_exponent], [y_mantissa, y_exponent]) = (split(a, x_bits), split(a, y_bits));
    let format = Format::of(a.scalar);
    let (zero, one, room) = (a.u(0), a.u(1), a.u(format.room));
    let rest = a.umod(x_mantissa, y_mantissa);
    let left = a.isub(x_exponent, y_exponent);
    let [rest, _] = a.while_(
        [rest, left],
        |a, [_, left]| a.ine(left, zero),
        |a, [rest, left]| {
            // The rest is below the divisor, which has as many bits as a mantissa.
            let by = a.umin(left, room);
            let rest = a.shl(rest, by);
            [a.umod(rest, y_mantissa), a.isub(left, by)]
        },
    );
    // Back to a float: as far left as the mantissa and the exponent allow. Of zero the highest bit is -1, which does no harm.
    let (top, hidden) = (a.u(format.digits), a.wide(1 << format.digits));
    let highest = a.highest_bit(rest);
    let room = a.isub(top, highest);
    let most = a.isub(y_exponent, one);
    let by = a.umin(room, most);
    let mantissa = a.shl(rest, by);
    let exponent = a.isub(y_exponent, by);
    let shifted = a.shl(exponent, top);
    let fraction = a.isub(mantissa, hidden);
    let normal = a.iadd(shifted, fraction);
    let is_normal = a.uge(mantissa, hidden);
    let size = a.select(is_normal, normal, mantissa);
    let sign = a.sign_bit(x);
    let bits = a.or(size, sign);
    a.as_float(bits)
}
