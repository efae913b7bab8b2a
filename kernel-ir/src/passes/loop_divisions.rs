//! Divisions of integers in loops by what the loop does not change become products, and remainders come out of quotients: the
//! machine code of a division by any number has some twenty instructions, and GPUs' drivers write it anew for each.
//!
//! The factor `f` is `MAX / d`, computed before the loop, where `MAX` is the greatest integer of the type. With `n * f` for the product,
//! its upper half is the quotient `n / d` or one less: `f` falls short of `(MAX + 1) / d` by one at most, and so the product falls short of
//! `n / d` by less than one. What is left of `n` tells which. (T. Granlund and P. L. Montgomery, "Division by Invariant
//! Integers using Multiplication", PLDI 1994, section 8, with a shorter factor.)

use super::edit::{Writer, for_each_inst};
use super::{Changed, PassCx};
use crate::arena::EntityId;
use crate::few::Few;
use crate::hash::FastSet;
use crate::ir::{BlockId, Function, InstId, InstKind, SourceLocation, ValueId};
use crate::op::Op;
use crate::types::{Scalar, Type, TypeId, Types};

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    let (mut has_loop, mut has_division) = (false, false);
    let mut divided = FastSet::default();
    for_each_inst(function, &mut |_, inst| match &inst.kind {
        InstKind::Loop { .. } => has_loop = true,
        InstKind::Op(Op::Div, operands) => {
            divided.insert([operands[0], operands[1]]);
            has_division = true;
        }
        InstKind::Op(Op::Rem, _) => has_division = true,
        _ => {}
    });
    if !has_division || (!has_loop && divided.is_empty()) {
        return Changed::No;
    }
    let levels = vec![0; function.values.len()];
    let is_constant = vec![false; function.values.len()];
    let mut pass =
        Pass { function, types: cx.types, divided, levels, is_constant, before: Vec::new(), changed: Changed::No };
    pass.block(pass.function.entry);
    pass.changed
}

struct Pass<'a> {
    function: &'a mut Function,
    types: &'a mut Types,
    /// Dividends and divisors of which there is a quotient somewhere.
    divided: FastSet<[ValueId; 2]>,
    /// In how many loops each value is defined.
    levels: Vec<u32>,
    is_constant: Vec<bool>,
    /// For each loop around what is looked at, outermost first, what is to run before it.
    before: Vec<Vec<InstId>>,
    changed: Changed,
}

/// A division of scalar integers.
#[derive(Clone, Copy)]
struct Division {
    dividend: ValueId,
    divisor: ValueId,
    scalar: Scalar,
    is_remainder: bool,
    location: Option<SourceLocation>,
}

impl Pass<'_> {
    fn block(&mut self, block: BlockId) {
        let level = self.before.len() as u32;
        let params = self.function.blocks[block].params.clone();
        params.iter().for_each(|param| self.define(*param, level));
        let insts = std::mem::take(&mut self.function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for id in insts {
            if let InstKind::Loop { body, .. } = self.function.insts[id].kind {
                self.before.push(Vec::new());
                self.block(body);
                out.extend(self.before.pop().unwrap_or_default());
            } else if self.function.insts[id].kind.has_blocks() {
                self.function.insts[id].kind.blocks().into_iter().for_each(|inner| self.block(inner));
            } else if let Some(division) = self.division(id) {
                self.rewrite(id, division, &mut out);
            }
            for at in 0..self.function.insts[id].results.len() {
                let result = self.function.insts[id].results[at];
                self.define(result, level);
                self.is_constant[result.index()] = matches!(self.function.insts[id].kind, InstKind::Const(_));
            }
            out.push(id);
        }
        self.function.blocks[block].insts = out;
    }

    fn define(&mut self, value: ValueId, level: u32) {
        let room = self.function.values.len().max(value.index() + 1);
        self.levels.resize(room, u32::MAX);
        self.is_constant.resize(room, false);
        self.levels[value.index()] = level;
    }

    fn division(&self, id: InstId) -> Option<Division> {
        let inst = &self.function.insts[id];
        let InstKind::Op(op @ (Op::Div | Op::Rem), operands) = &inst.kind else { return None };
        let &[dividend, divisor] = &operands[..] else { return None };
        let Type::Scalar(scalar) = *self.types.get(self.function.values[dividend].ty) else { return None };
        matches!(scalar, Scalar::U32 | Scalar::I32 | Scalar::U64 | Scalar::I64).then_some(Division {
            dividend,
            divisor,
            scalar,
            is_remainder: *op == Op::Rem,
            location: inst.location,
        })
    }

    /// Replaces a division, if that is worth it.
    fn rewrite(&mut self, id: InstId, division: Division, out: &mut Vec<InstId>) {
        let Division { dividend, divisor, is_remainder, location, .. } = division;
        let level = |value: ValueId| self.levels[value.index()] as usize;
        // In the loops within this one the divisor stays what it is.
        let outermost = level(divisor);
        let is_constant = self.is_constant[divisor.index()];
        let kind = if !is_constant && outermost < self.before.len() && outermost < level(dividend) {
            let mut outside = std::mem::take(&mut self.before[outermost]);
            let kind =
                Writer { function: self.function, types: self.types, location, out: &mut outside }.factor(division);
            self.before[outermost] = outside;
            let mut writer = Writer { function: self.function, types: self.types, location, out };
            writer.by_factor(division, kind)
        } else if is_remainder && self.divided.contains(&[dividend, divisor]) {
            let mut writer = Writer { function: self.function, types: self.types, location, out };
            let ty = writer.function.values[dividend].ty;
            let quotient = writer.op(Op::Div, [dividend, divisor], ty);
            writer.remainder(dividend, quotient, divisor, ty)
        } else {
            return;
        };
        self.function.insts[id].kind = kind;
        self.changed = Changed::Yes;
    }
}

/// A divisor, ready for products.
#[derive(Clone, Copy)]
struct Factor {
    /// The divisor without its sign.
    size: ValueId,
    factor: ValueId,
}

impl Writer<'_> {
    /// The number without its sign, and the type that it has then.
    fn size(&mut self, value: ValueId, scalar: Scalar) -> (ValueId, TypeId) {
        let unsigned = self.types.scalar(scalar.unsigned());
        if scalar.is_unsigned() {
            return (value, unsigned);
        }
        let signed = self.types.scalar(scalar);
        let positive = self.op(Op::Abs, [value], signed);
        (self.op(Op::Bitcast, [positive], unsigned), unsigned)
    }

    /// The factor of a divisor. It stands where the divisor may be zero yet.
    fn factor(&mut self, Division { divisor, scalar, .. }: Division) -> Factor {
        let (size, unsigned) = self.size(divisor, scalar);
        let [one, most] = [1, u64::MAX].map(|bits| self.constant(bits, scalar.unsigned()));
        let some = self.op(Op::Max, [size, one], unsigned);
        Factor { size, factor: self.op(Op::Div, [most, some], unsigned) }
    }

    /// All but the last instruction of a division by a factor, which it gives.
    fn by_factor(&mut self, division: Division, Factor { size, factor }: Factor) -> InstKind {
        let Division { dividend, divisor, scalar, is_remainder, .. } = division;
        let bool_ = self.types.scalar(Scalar::Bool);
        let (positive, unsigned) = self.size(dividend, scalar);
        let near = self.op(Op::MulHigh, [positive, factor], unsigned);
        let taken = self.op(Op::Mul, [near, size], unsigned);
        let left = self.op(Op::Sub, [positive, taken], unsigned);
        if is_remainder && scalar.is_unsigned() {
            // Below zero it is greater than any rest.
            let less = self.op(Op::Sub, [left, size], unsigned);
            return InstKind::Op(Op::Min, Few::from([left, less]));
        }
        let is_one_more = self.op(Op::Ge, [left, size], bool_);
        let one = self.constant(1, scalar.unsigned());
        let next = self.op(Op::Add, [near, one], unsigned);
        let quotient = InstKind::Op(Op::Select, [is_one_more, next, near].into());
        if scalar.is_unsigned() {
            return quotient;
        }
        let signed = self.types.scalar(scalar);
        let quotient = self.add(quotient, unsigned);
        let quotient = self.op(Op::Bitcast, [quotient], signed);
        let opposite = self.op(Op::Neg, [quotient], signed);
        let signs = self.op(Op::Xor, [dividend, divisor], signed);
        let zero = self.constant(0, scalar);
        let is_below = self.op(Op::Lt, [signs, zero], bool_);
        let quotient = InstKind::Op(Op::Select, [is_below, opposite, quotient].into());
        if !is_remainder {
            return quotient;
        }
        let quotient = self.add(quotient, signed);
        self.remainder(dividend, quotient, divisor, signed)
    }
}
