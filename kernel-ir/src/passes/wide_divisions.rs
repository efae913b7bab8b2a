//! Divisions of 64-bit integers by constants become products: GPUs have no such division, and their drivers call a function of some
//! hundred instructions for it, also where a compiler for processors would not.
//!
//! By T. Granlund and P. L. Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994, figure 4.1.

use super::edit::add_inst;
use super::{Changed, PassCx, eval};
use crate::arena::EntityId;
use crate::few::Few;
use crate::ir::{BlockId, Constant, Function, InstId, InstKind, SourceLocation, ValueId};
use crate::op::Op;
use crate::rounds::definitions;
use crate::types::{Scalar, Type, TypeId};

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    let is_wide = |ty: TypeId| matches!(cx.types.get(ty), Type::Scalar(Scalar::U64 | Scalar::I64));
    let is_division = |id: InstId| {
        let inst = &function.insts[id];
        matches!(inst.kind, InstKind::Op(Op::Div | Op::Rem, _))
            && inst.results.iter().all(|result| is_wide(function.values[*result].ty))
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
    let types = [Scalar::Bool, Scalar::U32, Scalar::U64, Scalar::I64].map(|scalar| cx.types.scalar(scalar));
    let mut changed = Changed::No;
    for block in blocks {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len() + 16);
        for id in insts {
            if let Some(division) = division(function, &definitions, id, types) {
                let mut writer = Writer { function, types, location: division.location, out: &mut out };
                let kind = writer.result(&division);
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
    is_signed: bool,
    is_remainder: bool,
    location: Option<SourceLocation>,
}

fn division(
    function: &Function,
    definitions: &[Option<InstId>],
    id: InstId,
    [_, _, unsigned, signed]: [TypeId; 4],
) -> Option<Division> {
    let inst = &function.insts[id];
    let InstKind::Op(op @ (Op::Div | Op::Rem), operands) = &inst.kind else { return None };
    let &[dividend, divisor] = &operands[..] else { return None };
    let ty = function.values[dividend].ty;
    if ty != unsigned && ty != signed {
        return None;
    }
    let InstKind::Const(constant) = function.insts[definitions[divisor.index()]?].kind else { return None };
    let number = eval::int(constant)?;
    let size = u64::try_from(number.unsigned_abs()).ok().filter(|size| *size > 1)?;
    Some(Division {
        dividend,
        divisor,
        size,
        is_negative: number < 0,
        is_signed: ty == signed,
        is_remainder: *op == Op::Rem,
        location: inst.location,
    })
}

struct Writer<'f> {
    function: &'f mut Function,
    /// Those of `bool`, `u32`, `u64` and `i64`.
    types: [TypeId; 4],
    location: Option<SourceLocation>,
    out: &'f mut Vec<InstId>,
}

impl Writer<'_> {
    fn add(&mut self, kind: InstKind, ty: TypeId) -> ValueId {
        let (id, value) = add_inst(self.function, kind, ty, self.location);
        self.out.push(id);
        value
    }

    fn op<const N: usize>(&mut self, op: Op, operands: [ValueId; N], ty: TypeId) -> ValueId {
        self.add(InstKind::Op(op, operands.into()), ty)
    }

    fn shift(&mut self, value: ValueId, by: u32) -> InstKind {
        let [_, word, ..] = self.types;
        let by = self.add(InstKind::Const(Constant::U32(by)), word);
        InstKind::Op(Op::Shr, [value, by].into())
    }

    /// Adds all but the last instruction of a division, which it gives.
    fn result(&mut self, division: &Division) -> InstKind {
        let [bool_, _, unsigned, signed] = self.types;
        let &Division { dividend, divisor, size, is_negative, is_signed, is_remainder, .. } = division;
        if !is_signed {
            let quotient = self.quotient(dividend, size);
            if !is_remainder {
                return quotient;
            }
            let quotient = self.add(quotient, unsigned);
            return self.remainder(dividend, quotient, divisor, unsigned);
        }
        let positive = self.op(Op::Abs, [dividend], signed);
        let positive = self.op(Op::Bitcast, [positive], unsigned);
        let quotient = self.quotient(positive, size);
        let quotient = self.add(quotient, unsigned);
        let quotient = self.op(Op::Bitcast, [quotient], signed);
        let opposite = self.op(Op::Neg, [quotient], signed);
        let zero = self.add(InstKind::Const(eval::from_bits(0, Scalar::I64)), signed);
        let is_below = self.op(Op::Lt, [dividend, zero], bool_);
        let [below, above] = if is_negative { [quotient, opposite] } else { [opposite, quotient] };
        let select = InstKind::Op(Op::Select, [is_below, below, above].into());
        if !is_remainder {
            return select;
        }
        let quotient = self.add(select, signed);
        self.remainder(dividend, quotient, divisor, signed)
    }

    fn remainder(&mut self, dividend: ValueId, quotient: ValueId, divisor: ValueId, ty: TypeId) -> InstKind {
        let product = self.op(Op::Mul, [quotient, divisor], ty);
        InstKind::Op(Op::Sub, Few::from([dividend, product]))
    }

    /// The quotient by a constant that is at least 2; the last instruction is in no block yet.
    fn quotient(&mut self, dividend: ValueId, divisor: u64) -> InstKind {
        let [_, _, unsigned, _] = self.types;
        if divisor.is_power_of_two() {
            return self.shift(dividend, divisor.trailing_zeros());
        }
        let (factor, digits) = factor(divisor);
        let factor = self.add(InstKind::Const(eval::from_bits(factor, Scalar::U64)), unsigned);
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

#[cfg(test)]
mod tests {
    use super::factor;

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
