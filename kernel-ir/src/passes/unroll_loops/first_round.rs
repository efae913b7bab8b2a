//! Loops whose first round is told from the others by a parameter: whether there is a best one yet, as `max_by` asks and loops over an `Option` do.
//! The first round is written in front of the loop, and none of the others asks.

use super::super::edit::{add_effect, walk, yields};
use super::copies::Copy;
use super::{Changed, Pass, Wanted};
use crate::arena::EntityId;
use crate::few::Few;
use crate::ir::{Block, BlockId, Constant, Inst, InstId, InstKind, Unroll, ValueId};
use crate::op::Op;
use crate::passes::eval;
use crate::types::{Scalar, Type};

/// Instructions that such a loop has at most.
const MOST_INSTS: usize = 64;

/// How many choices are looked through, one inside of the other.
const DEEPEST: usize = 6;

/// A loop with such a parameter.
pub(super) struct FirstRound {
    body: BlockId,
    /// The parameter's position.
    position: usize,
    /// Its number in all rounds but the first.
    later: Constant,
}

impl Pass<'_> {
    /// The loop, if it is one of these.
    pub(super) fn first_round(&self, id: InstId) -> Option<FirstRound> {
        let function = &*self.view.function;
        let InstKind::Loop { initial, body, unroll: Unroll::Auto } = &function.insts[id].kind else { return None };
        if !matches!(self.wanted, Wanted::Partly) {
            return None;
        }
        let Block { params, insts } = &function.blocks[*body];
        let InstKind::Continue(_, next) = &function.insts[*insts.last()?].kind else { return None };
        let position = (0..params.len()).find(|at| self.later(initial[*at], next[*at]).is_some())?;
        let (mut size, mut asks, mut is_plain) = (0, false, true);
        walk(function, *body, &mut |id, inst| {
            size += 1;
            match &inst.kind {
                InstKind::Continue(target, _) => is_plain &= target != body || insts.last() == Some(&id),
                InstKind::Break(..) => {}
                InstKind::Subgroup(..) | InstKind::Fence(..) | InstKind::Loop { .. } => is_plain = false,
                kind => {
                    is_plain &= !kind.needs_full_workgroup() && !kind.is_of_coop();
                    kind.for_each_use(|value| asks |= value == params[position]);
                }
            }
        });
        let later = self.later(initial[position], next[position])?;
        (size <= MOST_INSTS && asks && is_plain).then_some(FirstRound { body: *body, position, later })
    }

    /// The number of a parameter in all rounds but the first, if it is another one there.
    fn later(&self, first: ValueId, next: ValueId) -> Option<Constant> {
        let first = self.constant(first)?;
        match self.constant(next) {
            Some(next) => Some(next).filter(|next| *next != first),
            None => (first == Constant::Bool(false) && self.is_true(next, DEEPEST)).then_some(Constant::Bool(true)),
        }
    }

    /// A `bool` or a `u32` that is known.
    fn constant(&self, value: ValueId) -> Option<Constant> {
        let Type::Scalar(scalar @ (Scalar::Bool | Scalar::U32)) =
            self.view.types.get(self.view.function.values[value].ty)
        else {
            return None;
        };
        self.view.constant(value).map(|constant| eval::typed(constant, *scalar))
    }

    fn op_of(&self, value: ValueId) -> Option<(Op, &[ValueId])> {
        match self.view.definition(value)? {
            InstKind::Op(op, operands) => Some((*op, operands)),
            _ => None,
        }
    }

    /// Whether a condition is always true.
    fn is_true(&self, value: ValueId, left: usize) -> bool {
        let Some(left) = left.checked_sub(1) else { return false };
        match self.op_of(value) {
            Some((Op::Or, &[a, b])) => {
                self.is_true(a, left) || self.is_true(b, left) || self.covers(a, b, left) || self.covers(b, a, left)
            }
            _ => self.constant(value) == Some(Constant::Bool(true)),
        }
    }

    /// Whether a condition is true wherever another one is false.
    fn covers(&self, value: ValueId, other: ValueId, left: usize) -> bool {
        let Some(left) = left.checked_sub(1) else { return false };
        match self.op_of(value) {
            Some((Op::Not, [inner])) => *inner == other,
            Some((Op::Or, [a, b])) => self.covers(*a, other, left) || self.covers(*b, other, left),
            Some((Op::Select, [condition, _, no])) => *condition == other && self.is_true(*no, left),
            Some(_) => false,
            None => self.given_where_false(value, other).is_some_and(|given| self.is_true(given, left)),
        }
    }

    /// The value that an `if` gives as this result of it where its condition is false.
    fn given_where_false(&self, result: ValueId, condition: ValueId) -> Option<ValueId> {
        let function = &*self.view.function;
        let inst = &function.insts[self.view.definitions[result.index()]?];
        let InstKind::If { condition: asked, else_block, .. } = inst.kind else { return None };
        let at = inst.results.iter().position(|known| *known == result)?;
        let given = yields(function, else_block)?;
        given.get(at).copied().filter(|_| asked == condition)
    }

    /// Leaves the first round to the loop, and the others to a loop at its end. Nobody continues the first one any more, and
    /// [`tail_exits`](super::super::tail_exits) makes branches of it.
    pub(super) fn split_first_round(&mut self, id: InstId, first: &FirstRound) {
        let FirstRound { body, position, later } = *first;
        let Inst { results, location, .. } = self.view.function.insts[id].clone();
        let Block { params, insts } = self.view.function.blocks[body].clone();
        let Some((last, _)) = insts.split_last() else { return };
        let InstKind::Continue(_, next) = self.view.function.insts[*last].kind.clone() else { return };

        let mut copy = Copy::new(self.view.function.values.len());
        let (inner, inner_params) = self.copy_head(&mut copy, body);
        let known = [self.same_type(params[position])].into();
        let known = self.define(Inst { kind: InstKind::Const(later), results: known, location });
        copy.bind_one(params[position], self.view.function.insts[known].results[0]);
        let others: Vec<_> = insts.iter().filter_map(|id| self.copy_inst(&mut copy, *id, false)).collect();
        self.view.function.blocks[inner] = Block { params: inner_params, insts: others };

        let left: Few<_> = results.iter().map(|result| self.same_type(*result)).collect();
        let kind = InstKind::Loop { initial: next, body: inner, unroll: Unroll::Auto };
        let others = self.define(Inst { kind, results: left.clone(), location });
        let mut at_end = Vec::new();
        match self.open_ended(others) {
            Some(open) => self.unroll_open_ended(others, &open, &mut at_end),
            None => at_end.push(others),
        }
        let leave = add_effect(self.view.function, InstKind::Break(body, left), location);
        let insts = &mut self.view.function.blocks[body].insts;
        insts.pop();
        insts.extend(at_end);
        insts.push(leave);
        insts.insert(0, known);
        self.changed = Changed::Yes;
    }
}
