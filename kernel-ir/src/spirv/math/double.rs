//! Sums and products of floats with their rounding errors, all exact unless something overflows or falls below the normals.

use super::asm::Asm;
use crate::spirv::types::Lanes;
use crate::spirv::words::Id;
use crate::types::Scalar;

/// The rounded sum of any two floats, and its error.
pub(super) fn two_sum(a: &mut Asm<'_, '_>, x: Id, y: Id) -> [Id; 2] {
    let sum = a.fadd(x, y);
    let y_part = a.fsub(sum, x);
    let x_part = a.fsub(sum, y_part);
    let (x_error, y_error) = (a.fsub(x, x_part), a.fsub(y, y_part));
    [sum, a.fadd(x_error, y_error)]
}

/// The rounded sum of a float and one that is not larger, and its error.
pub(super) fn fast_two_sum(a: &mut Asm<'_, '_>, large: Id, small: Id) -> [Id; 2] {
    let sum = a.fadd(large, small);
    let part = a.fsub(sum, large);
    [sum, a.fsub(small, part)]
}

/// The rounded product of two floats, and its error; below 2^115, of `f64` below 2^995.
pub(super) fn two_product(a: &mut Asm<'_, '_>, x: Id, y: Id) -> [Id; 2] {
    let product = a.fmul(x, y);
    if a.has_fma {
        let negated = a.fneg(product);
        return [product, a.fused_alone(x, y, negated)];
    }
    let ([x_high, x_low], [y_high, y_low]) = (halve(a, x), halve(a, y));
    let high = a.fmul(x_high, y_high);
    let (cross_1, cross_2, low) = (a.fmul(x_low, y_high), a.fmul(x_high, y_low), a.fmul(x_low, y_low));
    let rest = a.fsub(product, high);
    let rest = a.fsub(rest, cross_1);
    let rest = a.fsub(rest, cross_2);
    [product, a.fsub(low, rest)]
}

/// A float as the sum of two with half the digits.
fn halve(a: &mut Asm<'_, '_>, x: Id) -> [Id; 2] {
    let factor = if a.scalar == Scalar::F64 { 134_217_729.0 } else { 4097.0 };
    let factor = a.w.const_floats(Lanes::one(a.scalar), factor);
    let large = a.fmul(factor, x);
    let rest = a.fsub(large, x);
    let high = a.fsub(large, rest);
    [high, a.fsub(x, high)]
}
