//! Divisions by constants become products, where drivers do not see to it. GPUs have no division of 64-bit integers, and their drivers
//! call a function of some hundred instructions for it. NVIDIA's divides signed words as by any number, with conversions to
//! floats; of those without a sign it makes products itself.
//!
//! By T. Granlund and P. L. Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994, figures 4.1 and 5.2.

use super::edit::Writer;
use super::{Changed, PassCx, eval};
use crate::arena::EntityId;
use crate::few::Few;
use crate::ir::{BlockId, Function, InstId, InstKind, SourceLocation, ValueId};
use crate::op::Op;
use crate::rounds::definitions;
use crate::types::{Scalar, Type, TypeId, Types};

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    let scalar = |ty: TypeId| match *cx.types.get(ty) {
        Type::Scalar(scalar @ (Scalar::I32 | Scalar::U64 | Scalar::I64)) => Some(scalar),
        _ => None,
    };
    let is_division = |id: InstId| {
        let inst = &function.insts[id];
        matches!(inst.kind, InstKind::Op(Op::Div | Op::Rem, _))
            && inst.results.iter().all(|result| scalar(function.values[*result].ty).is_some())
    };
    let blocks: Vec<BlockId> = function
        .blocks
        .iter()
        .filter(|(_, block)| block.insts.iter().any(|inst| is_division(*inst)))
        .map(|(id, _)| id)
        .collect();
    if blocks.is_empty() {
        return Changed::No;
    }
    let definitions = definitions(function);
    let mut changed = Changed::No;
    for block in blocks {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len() + 16);
        for id in insts {
            if let Some(division) = division(function, cx.types, &definitions, id) {
                let types = &mut *cx.types;
                let kind =
                    Writer { function, types, location: division.location, out: &mut out }.by_constant(&division);
                function.insts[id].kind = kind;
                changed = Changed::Yes;
            }
            out.push(id);
        }
        function.blocks[block].insts = out;
    }
    changed
}

/// A division by a constant.
struct Division {
    dividend: ValueId,
    divisor: ValueId,
    /// The divisor without its sign, at least 2.
    size: u64,
    is_negative: bool,
    scalar: Scalar,
    is_remainder: bool,
    location: Option<SourceLocation>,
}

fn division(function: &Function, types: &Types, definitions: &[Option<InstId>], id: InstId) -> Option<Division> {
    let inst = &function.insts[id];
    let InstKind::Op(op @ (Op::Div | Op::Rem), operands) = &inst.kind else { return None };
    let &[dividend, divisor] = &operands[..] else { return None };
    let Type::Scalar(scalar @ (Scalar::I32 | Scalar::U64 | Scalar::I64)) = *types.get(function.values[dividend].ty)
    else {
        return None;
    };
    let InstKind::Const(constant) = function.insts[definitions[divisor.index()]?].kind else { return None };
    let number = eval::int(constant)?;
    let size = u64::try_from(number.unsigned_abs()).ok().filter(|size| *size > 1)?;
    Some(Division {
        dividend,
        divisor,
        size,
        is_negative: number < 0,
        scalar,
        is_remainder: *op == Op::Rem,
        location: inst.location,
    })
}

impl Writer<'_> {
    fn shift(&mut self, value: ValueId, by: u32) -> InstKind {
        let by = self.constant(by.into(), Scalar::U32);
        InstKind::Op(Op::Shr, [value, by].into())
    }

    /// Adds all but the last instruction of a division by a constant, which it gives.
    fn by_constant(&mut self, division: &Division) -> InstKind {
        let &Division { dividend, divisor, size, is_remainder, scalar, .. } = division;
        let ty = self.types.scalar(scalar);
        let quotient = match scalar {
            Scalar::U64 => self.quotient(dividend, size),
            Scalar::I64 => self.signed_wide_quotient(division),
            _ => self.signed_quotient(division),
        };
        if !is_remainder {
            return quotient;
        }
        let quotient = self.add(quotient, ty);
        self.remainder(dividend, quotient, divisor, ty)
    }

    /// The quotient of an `i32`; the last instruction is in no block yet.
    fn signed_quotient(&mut self, &Division { dividend, size, is_negative, .. }: &Division) -> InstKind {
        let ty = self.types.scalar(Scalar::I32);
        let (factor, digits) = signed_factor(size);
        let factor = self.constant(u64::from(factor as u32), Scalar::I32);
        let high = self.op(Op::MulHigh, [factor, dividend], ty);
        let sum = self.op(Op::Add, [dividend, high], ty);
        let rounded_down = self.shift(sum, digits - 1);
        let rounded_down = self.add(rounded_down, ty);
        // One less than zero where the dividend is below it.
        let sign = self.shift(dividend, 31);
        let sign = self.add(sign, ty);
        let [whole, taken] = if is_negative { [sign, rounded_down] } else { [rounded_down, sign] };
        InstKind::Op(Op::Sub, Few::from([whole, taken]))
    }

    /// The quotient of an `i64`; the last instruction is in no block yet.
    fn signed_wide_quotient(&mut self, &Division { dividend, size, is_negative, .. }: &Division) -> InstKind {
        let [bool_, unsigned, signed] =
            [Scalar::Bool, Scalar::U64, Scalar::I64].map(|scalar| self.types.scalar(scalar));
        let positive = self.op(Op::Abs, [dividend], signed);
        let positive = self.op(Op::Bitcast, [positive], unsigned);
        let quotient = self.quotient(positive, size);
        let quotient = self.add(quotient, unsigned);
        let quotient = self.op(Op::Bitcast, [quotient], signed);
        let opposite = self.op(Op::Neg, [quotient], signed);
        let zero = self.constant(0, Scalar::I64);
        let is_below = self.op(Op::Lt, [dividend, zero], bool_);
        let [below, above] = if is_negative { [quotient, opposite] } else { [opposite, quotient] };
        InstKind::Op(Op::Select, [is_below, below, above].into())
    }

    /// Adds all but the last instruction of the remainder that a quotient leaves, which it gives.
    pub(super) fn remainder(&mut self, dividend: ValueId, quotient: ValueId, divisor: ValueId, ty: TypeId) -> InstKind {
        let product = self.op(Op::Mul, [quotient, divisor], ty);
        InstKind::Op(Op::Sub, Few::from([dividend, product]))
    }

    /// The quotient of a `u64` by a constant that is at least 2; the last instruction is in no block yet.
    fn quotient(&mut self, dividend: ValueId, divisor: u64) -> InstKind {
        let unsigned = self.types.scalar(Scalar::U64);
        if divisor.is_power_of_two() {
            return self.shift(dividend, divisor.trailing_zeros());
        }
        let (factor, digits) = factor(divisor);
        let factor = self.constant(factor, Scalar::U64);
        let high = self.op(Op::MulHigh, [factor, dividend], unsigned);
        let rest = self.op(Op::Sub, [dividend, high], unsigned);
        let half = self.shift(rest, 1);
        let half = self.add(half, unsigned);
        let sum = self.op(Op::Add, [high, half], unsigned);
        self.shift(sum, digits - 1)
    }
}

/// The factor of a divisor that is no power of two, below 2^64 (2^64 less is what stands in the paper), and the divisor's digits.
fn factor(divisor: u64) -> (u64, u32) {
    let digits = u64::BITS - (divisor - 1).leading_zeros();
    let above = (1u128 << digits) - u128::from(divisor);
    (((above << 64) / u128::from(divisor) + 1) as u64, digits)
}

/// The factor of an `i32`'s divisor without its sign, less 2^32, and the divisor's digits.
fn signed_factor(divisor: u64) -> (i32, u32) {
    let digits = u64::BITS - (divisor - 1).leading_zeros();
    ((1 + (1u64 << (31 + digits)) / divisor) as u32 as i32, digits)
}

#[cfg(test)]
mod tests {
    use super::{factor, signed_factor};

    #[test]
    fn signed_factors_divide_exactly() {
        let edges = [2u32, 3, 4, 5, 6, 7, 9, 10, 12, 16, 60, 100, 365, 400, 641, 1000, 1461, 4096, 86_400, 146_097];
        let large = [1 << 31, (1 << 31) - 1, (1 << 30) + 1, 1 << 30, (1 << 30) - 1, 1_000_000_007, 2_147_483_629];
        for divisor in edges.into_iter().chain(large) {
            let (factor, digits) = signed_factor(divisor.into());
            let near = [0, 1, divisor, divisor.wrapping_mul(3), divisor.wrapping_mul(1 << 20), 1 << 31, 1 << 16];
            for middle in near.into_iter().chain((0..1000).map(|k: u32| k.wrapping_mul(0x9e37_79b9))) {
                for dividend in [middle, middle.wrapping_sub(1), middle.wrapping_add(1), middle.wrapping_neg()] {
                    let dividend = dividend as i32;
                    let high = ((i64::from(factor) * i64::from(dividend)) >> 32) as i32;
                    let quotient = (dividend.wrapping_add(high) >> (digits - 1)) - (dividend >> 31);
                    assert_eq!(i64::from(quotient), i64::from(dividend) / i64::from(divisor), "{dividend} / {divisor}");
                }
            }
        }
    }

    #[test]
    fn factors_divide_exactly() {
        let edges = [3u64, 5, 6, 7, 9, 10, 11, 60, 100, 400, 641, 1000, 86_400, 146_097, 6_700_417, 1_000_000_007];
        let large = [u64::MAX, u64::MAX - 1, (1 << 63) + 1, (1 << 63) - 1, (1 << 32) + 1, (1 << 32) - 1];
        for divisor in edges.into_iter().chain(large) {
            let (factor, digits) = factor(divisor);
            let near = [1, divisor, divisor.wrapping_mul(3), divisor.wrapping_mul(1 << 20), 0, 1 << 63, 1 << 32];
            for middle in near {
                for dividend in [middle, middle.wrapping_sub(1), middle.wrapping_add(1), !middle] {
                    let high = ((u128::from(factor) * u128::from(dividend)) >> 64) as u64;
                    let quotient = (high + ((dividend - high) >> 1)) >> (digits - 1);
                    assert_eq!(quotient, dividend / divisor, "{dividend} / {divisor}");
                }
            }
        }
    }
}
