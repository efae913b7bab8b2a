//! Loops that shift a counter to the right until nothing of it is left, as powers by repeated squaring do.
//!
//! If the counter has few digits, and rounds behind the last one would change no result, the loop gets as many rounds as the counter may
//! have digits, and they are written out: no invocation leaves before another, and what the rounds share with those of an outer loop
//! moves out of it.

use super::edit::{add_inst, add_value, walk};
use super::eval;
use crate::arena::EntityId;
use crate::ir::{BlockId, Constant, Function, InstId, InstKind, Unroll, ValueId};
use crate::op::Op;
use crate::rounds::{Counter, Exit, definitions};
use crate::types::{Scalar, Type, TypeId, Types};

/// Rounds that such a loop may have.
const MOST_ROUNDS: u32 = 16;

/// Instructions that it may become.
const MOST_INSTS: usize = 160;

/// How many operations deep a value is followed.
const DEPTH: usize = 4;

/// A loop whose counter is shifted until it is zero, and whose results do not change from then on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Halving {
    id: InstId,
    pub(super) body: BlockId,
    /// Position of the counter among the parameters.
    pub(super) counter: usize,
    /// Digits that each round shifts out.
    digits: u32,
    /// Whether a round shifts before it asks for the end, so that there is one in any case.
    shifts_first: bool,
    /// Position in the body of what asks for the end, and whether the loop goes on where its condition holds.
    exit: usize,
    stays_if: bool,
}

/// Finds the loops of a function.
pub(super) fn find(function: &Function, types: &Types) -> Vec<Halving> {
    let mut loops = Vec::new();
    for (id, inst) in function.insts.iter() {
        if let InstKind::Loop { body, unroll: Unroll::Auto, .. } = inst.kind {
            loops.push((id, body));
        }
    }
    if loops.is_empty() {
        return Vec::new();
    }
    let definitions = definitions(function);
    let finder = Finder { function, types, definitions: &definitions };
    loops.into_iter().filter_map(|(id, body)| finder.halving(id, body)).collect()
}

impl Halving {
    /// Has the loop count its rounds, of which there are enough for a counter of at most `most`, and asks for them to be written out. False
    /// where that would be too much.
    pub(super) fn count(&self, function: &mut Function, types: &mut Types, most: i128) -> bool {
        let Ok(most) = u64::try_from(most) else { return false };
        let rounds = (u64::BITS - most.leading_zeros()).div_ceil(self.digits).max(u32::from(self.shifts_first));
        let mut size = 0;
        walk(function, self.body, &mut |_, _| size += 1);
        if rounds > MOST_ROUNDS || size * rounds as usize > MOST_INSTS {
            return false;
        }
        let types = [Scalar::U32, Scalar::Bool].map(|scalar| types.scalar(scalar));
        self.count_down(function, types, rounds);
        true
    }

    /// Adds a parameter that falls from the number of rounds to zero, and ends the loop there.
    fn count_down(&self, function: &mut Function, [word, bool_]: [TypeId; 2], rounds: u32) {
        let location = function.insts[self.id].location;
        let number = |number: u32| InstKind::Const(Constant::U32(number));
        let (all, first) = add_inst(function, number(rounds), word, location);
        let left = add_value(function, word, None);
        let (one, unit) = add_inst(function, number(1), word, location);
        let (less, fewer) = add_inst(function, InstKind::Op(Op::Sub, [left, unit].into()), word, location);
        let (none, zero) = add_inst(function, number(0), word, location);
        let asked = if self.shifts_first { fewer } else { left };
        let op = if self.stays_if { Op::Ne } else { Op::Eq };
        let (test, is_left) = add_inst(function, InstKind::Op(op, [asked, zero].into()), bool_, location);

        let before = function.blocks.iter().find(|(_, block)| block.insts.contains(&self.id)).map(|(id, _)| id);
        if let Some(before) = before {
            let insts = &mut function.blocks[before].insts;
            let at = insts.iter().position(|id| *id == self.id).unwrap_or_default();
            insts.insert(at, all);
        }
        if let InstKind::Loop { initial, unroll, .. } = &mut function.insts[self.id].kind {
            initial.push(first);
            *unroll = Unroll::Full;
        }
        let body = &mut function.blocks[self.body];
        body.params.push(left);
        let (exit, jump) = (body.insts[self.exit], body.insts[body.insts.len() - 1]);
        body.insts.splice(self.exit..self.exit, [one, less, none, test]);
        if let InstKind::If { condition, .. } = &mut function.insts[exit].kind {
            *condition = is_left;
        }
        if let InstKind::Continue(_, values) = &mut function.insts[jump].kind {
            values.push(fewer);
        }
    }
}

/// A value in a round at whose beginning nothing is left of the counter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Late {
    Constant(Constant),
    /// The same as this value in that round.
    Value(ValueId),
}

struct Finder<'f> {
    function: &'f Function,
    types: &'f Types,
    definitions: &'f [Option<InstId>],
}

impl Finder<'_> {
    fn kind(&self, value: ValueId) -> Option<&InstKind> {
        self.definitions[value.index()].map(|id| &self.function.insts[id].kind)
    }

    fn halving(&self, id: InstId, body: BlockId) -> Option<Halving> {
        let definition = |value: ValueId| self.definitions[value.index()];
        let counter = Counter { function: self.function, types: self.types, definition };
        let exit = counter.only_exit(body)?;
        let (position, digits, shifts_first) = self.counter(body, &exit)?;
        let block = &self.function.blocks[body];
        let (last, insts) = block.insts.split_last()?;
        let others = insts.iter().enumerate().filter(|(at, _)| *at != exit.at);
        if !others.into_iter().all(|(_, id)| self.is_harmless(*id)) {
            return None;
        }
        let [leave] = self.function.blocks[exit.leave].insts[..] else { return None };
        let InstKind::Break(_, results) = &self.function.insts[leave].kind else { return None };
        let InstKind::Continue(_, next) = &self.function.insts[*last].kind else { return None };
        let round = Round { params: &block.params, counter: block.params[position], next };
        let stays = |value: &ValueId| self.stays(*value, &round, shifts_first);
        results.iter().all(stays).then_some(Halving {
            id,
            body,
            counter: position,
            digits,
            shifts_first,
            exit: exit.at,
            stays_if: exit.stays_if,
        })
    }

    /// The position of the counter among the parameters, the digits that a round shifts out, and whether it does so before it asks for the
    /// end.
    fn counter(&self, body: BlockId, exit: &Exit<'_>) -> Option<(usize, u32, bool)> {
        let InstKind::Op(op, operands) = self.kind(exit.condition)? else { return None };
        let [first, second] = operands[..] else { return None };
        let asked = match (op, exit.stays_if, self.is_zero(first), self.is_zero(second)) {
            (Op::Ne, true, false, true) | (Op::Eq, false, false, true) | (Op::Gt, true, false, true) => first,
            (Op::Ne, true, true, false) | (Op::Eq, false, true, false) | (Op::Lt, true, true, false) => second,
            _ => return None,
        };
        let params = &self.function.blocks[body].params;
        let (position, shifts_first) = match params.iter().position(|param| *param == asked) {
            Some(position) => (position, false),
            None => (exit.next.iter().position(|next| *next == asked)?, true),
        };
        let Some(InstKind::Op(Op::Shr, shift)) = self.kind(exit.next[position]) else { return None };
        let digits = match self.kind(shift[1]) {
            Some(InstKind::Const(constant)) => u32::try_from(eval::int(*constant)?).ok()?,
            _ => return None,
        };
        (shift[0] == params[position] && (1..32).contains(&digits)).then_some((position, digits, shifts_first))
    }

    fn is_zero(&self, value: ValueId) -> bool {
        matches!(self.kind(value), Some(InstKind::Const(constant)) if eval::int(*constant) == Some(0))
    }

    /// Whether an instruction may run in rounds behind the last one.
    fn is_harmless(&self, id: InstId) -> bool {
        let inst = &self.function.insts[id];
        match inst.kind {
            InstKind::Op(Op::Div | Op::Rem, _) => false,
            _ => inst.kind.is_pure(),
        }
    }

    /// Whether a result of the loop is the same in all rounds from the last one on.
    fn stays(&self, result: ValueId, round: &Round<'_>, shifts_first: bool) -> bool {
        // What is behind the shift has seen a counter that is not zero yet, and hands itself on; what is before it is a parameter.
        let position = if shifts_first {
            round.next.iter().position(|next| *next == result)
        } else {
            round.params.iter().position(|param| *param == result)
        };
        position.is_some_and(|at| self.late(round.next[at], round, DEPTH) == Some(Late::Value(round.params[at])))
    }

    /// A value as a round has it that begins with nothing left of the counter.
    fn late(&self, value: ValueId, round: &Round<'_>, depth: usize) -> Option<Late> {
        if value == round.counter {
            return Some(Late::Constant(Constant::Zero));
        }
        let depth = depth.checked_sub(1)?;
        let (op, operands) = match self.kind(value) {
            Some(InstKind::Const(constant)) => return Some(Late::Constant(*constant)),
            Some(InstKind::Op(op, operands)) => (*op, operands),
            _ => return Some(Late::Value(value)),
        };
        let Type::Scalar(scalar) = *self.types.get(self.function.values[value].ty) else { return None };
        let operand = |at: usize| self.late(operands[at], round, depth);
        let constant = |late: Option<Late>| match late {
            Some(Late::Constant(constant)) => Some(constant),
            _ => None,
        };
        if op == Op::Select {
            let chosen = if eval::is_true(constant(operand(0))?)? { 1 } else { 2 };
            return operand(chosen);
        }
        let is_zero = |late: Option<Late>| constant(late).and_then(eval::int) == Some(0);
        let is_binary = operands.len() == 2 && scalar.is_int();
        match op {
            Op::And | Op::Mul if is_binary && (is_zero(operand(0)) || is_zero(operand(1))) => {
                return Some(Late::Constant(eval::from_bits(0, scalar)));
            }
            Op::Add | Op::Or | Op::Xor if is_binary && is_zero(operand(0)) => return operand(1),
            Op::Add | Op::Or | Op::Xor | Op::Sub | Op::Shl | Op::Shr if is_binary && is_zero(operand(1)) => {
                return operand(0);
            }
            _ => {}
        }
        let constants: Option<Vec<_>> = (0..operands.len()).map(|at| constant(operand(at))).collect();
        eval::evaluate(op, &constants?, scalar).map(Late::Constant)
    }
}

/// The values of a round.
struct Round<'f> {
    params: &'f [ValueId],
    counter: ValueId,
    /// The parameters of the next round.
    next: &'f [ValueId],
}
