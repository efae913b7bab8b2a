//! Quotients of `f32` by a constant: a product with its inverse, and what that misses, rounded once.
//!
//! With `y` the inverse of `c`, rounded, and `q = x * y`, the rest `r = x - q * c` is an `f32`, and `q + r * y` rounded once is the quotient
//! rounded once, unless something leaves the normal range. (P. Markstein, *Computation of elementary functions on the IBM RISC System/6000
//! processor*, 1990; N. Brisebarre, J.-M. Muller, S. K. Raina, *Accelerating correctly rounded floating-point division when the
//! divisor is known in advance*, 2004. Compared with division for 1,500 divisors and all numerators from 1 to 2.) Drivers divide by
//! constants as by any number: NVIDIA's takes 12 operations and a branch.

use super::asm::Asm;
use crate::spirv::words::Id;

/// The least and the greatest size of a divisor that this is done for.
pub(in crate::spirv) const DIVISORS: [f32; 2] = [1.0 / 1_048_576.0, 1_048_576.0];

/// Sizes of numerators, of which the rest is no subnormal number, for which a device's `Fma` may give zero, and the quotient not infinite:
/// 2^-72 and 2^100.
const NUMERATORS: [f32; 2] = [f32::from_bits(55 << 23), f32::from_bits(227 << 23)];

/// `x / c` of a numerator that is zero, but not below it, or of such a size. The third parameter is the inverse of the divisor.
pub(super) fn quotient_near(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let &[x, divisor, inverse] = params else { unreachable!("three parameters") };
    let has_fma = a.w.has_fma(a.scalar);
    a.branch(has_fma, |a| corrected(a, [x, divisor, inverse]), |a| a.fdiv(x, divisor))
}

/// `x / c` of any numerator.
pub(super) fn quotient(a: &mut Asm<'_, '_>, params: &[Id]) -> Id {
    let &[x, divisor, inverse] = params else { unreachable!("three parameters") };
    let has_fma = a.w.has_fma(a.scalar);
    let by_fma = |a: &mut Asm<'_, '_>| {
        let size = a.fabs(x);
        let [least, greatest] = NUMERATORS.map(|bound| a.f(bound));
        let (is_large_enough, is_small_enough) = (a.flt(least, size), a.flt(size, greatest));
        let is_near = a.both(is_large_enough, is_small_enough);
        a.branch(is_near, |a| corrected(a, [x, divisor, inverse]), |a| a.fdiv(x, divisor))
    };
    a.branch(has_fma, by_fma, |a| a.fdiv(x, divisor))
}

fn corrected(a: &mut Asm<'_, '_>, [x, divisor, inverse]: [Id; 3]) -> Id {
    let product = a.fmul(x, inverse);
    let minus = a.fneg(product);
    let rest = a.fused_alone(minus, divisor, x);
    a.fused_alone(rest, inverse, product)
}
