//! Loops whose number of rounds is known to nobody before they run: as many rounds at a time as are asked for while there are so many, and then
//! the original loop for the rest.
//!
//! Short loops that only compute get four rounds at a time without being asked. Drivers write out loops with loads by themselves, to have
//! several under way; a loop of sums and shifts they may leave as it is, and then the counter is much of its work.
//!
//! So do loops that divide floats in some rounds and load what is the same throughout the launch. NVIDIA's driver (580) calls a function for a
//! division that is rounded as IEEE says, and writes out no loop with a call. Their loads stand in front of all divisions, to be under way together.

use super::super::Changed;
use super::super::edit::{add_effect, add_value, walk};
use super::super::hoist_invariants::is_only_read;
use super::{Copy, Pass, Round, Wanted};
use crate::arena::EntityId;
use crate::few::Few;
use crate::ir::{Block, BlockId, Function, Inst, InstId, InstKind, SourceLocation, Unroll, ValueId};
use crate::op::Op;
use crate::passes::eval;
use crate::rounds::Counter;
use crate::types::{Scalar, Type};

/// Rounds at a time of a loop that only computes.
const ROUNDS: u32 = 4;

/// Instructions that such a loop has at most, and at least: below that nothing is left of it but its counter.
const MOST_INSTS: usize = 64;
const FEWEST_INSTS: usize = 4;

/// Instructions that a loop may become whose author asks for it.
const MOST_INSTS_ASKED: usize = 4096;

/// How far several rounds may count.
const MOST_COUNTED: i128 = 1 << 20;

/// A loop that counts up to what is computed in front of it.
pub(super) struct OpenEnded {
    initial: Few<ValueId>,
    body: BlockId,
    /// Rounds at a time.
    times: u32,
    /// Position in the body of what asks for the end.
    exit: usize,
    /// The block of that which goes on.
    stay: BlockId,
    condition: ValueId,
    counter: ValueId,
    end: ValueId,
    /// The numbers from the first of those rounds to the last.
    span: i128,
    /// The least number of the counter's type.
    least: i128,
    scalar: Scalar,
    /// Whether it divides floats.
    divides: bool,
}

impl Pass<'_> {
    /// The loop, if it is one of these, and worth it or asked for.
    pub(super) fn open_ended(&self, id: InstId) -> Option<OpenEnded> {
        let InstKind::Loop { initial, body, unroll } = &self.view.function.insts[id].kind else { return None };
        let body = *body;
        let times = match (&self.wanted, *unroll) {
            (Wanted::Partly, Unroll::Times(times @ 2..)) => times,
            (Wanted::Partly, Unroll::Auto) => ROUNDS,
            _ => return None,
        };
        let function: &Function = self.view.function;
        let definition = |value: ValueId| self.view.definitions[value.index()];
        let counter = Counter { function, types: self.view.types, definition };
        let exit = counter.only_exit(body)?;
        let op = |value: ValueId| match &function.insts[definition(value)?].kind {
            InstKind::Op(op, operands) => Some((*op, &operands[..])),
            _ => None,
        };
        let (param, end) = match (op(exit.condition)?, exit.stays_if) {
            ((Op::Lt, &[param, end]), true) | ((Op::Ge, &[param, end]), false) => (param, end),
            _ => return None,
        };
        let block = &function.blocks[body];
        let position = block.params.iter().position(|known| *known == param)?;
        let Type::Scalar(scalar @ (Scalar::U32 | Scalar::I32)) = *self.view.types.get(function.values[param].ty) else {
            return None;
        };
        let (Op::Add, &[before, step]) = op(exit.next[position])? else { return None };
        let InstKind::Const(step) = function.insts[definition(step)?].kind else { return None };
        let step = eval::int(step).filter(|step| *step > 0 && before == param)?;
        let span = step.checked_mul(i128::from(times) - 1).filter(|span| *span <= MOST_COUNTED)?;
        let is_pure = |id: &InstId| function.insts[*id].kind.is_pure();
        if !block.insts[..exit.at].iter().all(is_pure) || self.is_inside(body, end) {
            return None;
        }
        let divides = self.divides(body);
        let is_wanted = match unroll {
            Unroll::Auto => {
                let rest = &block.insts[exit.at + 1..block.insts.len() - 1];
                let size = if divides { self.size(body) } else { rest.len() + exit.at };
                (FEWEST_INSTS..=MOST_INSTS).contains(&size)
                    && if divides { self.only_loads(rest, true) } else { rest.iter().all(is_pure) }
            }
            _ => self.size(body).saturating_mul(times as usize) <= MOST_INSTS_ASKED && self.is_alone(body),
        };
        let least = if scalar == Scalar::U32 { 0 } else { i128::from(i32::MIN) };
        is_wanted.then(|| OpenEnded {
            initial: initial.clone(),
            body,
            times,
            exit: exit.at,
            stay: exit.stay,
            condition: exit.condition,
            counter: param,
            end,
            span,
            least,
            scalar,
            divides,
        })
    }

    /// Whether a loop divides floats by what is no constant. Not one that does so in each round and loads: there drivers load ahead of time
    /// (`variant::addressed`), which four rounds at a time keep them from.
    fn divides(&self, body: BlockId) -> bool {
        let function = &*self.view.function;
        let is_float = |value: ValueId| match self.view.types.get(function.values[value].ty) {
            Type::Scalar(scalar) | Type::Vector(scalar, _) => scalar.is_float(),
            _ => false,
        };
        let is_constant = |value: ValueId| {
            self.view.definitions[value.index()].is_some_and(|id| matches!(function.insts[id].kind, InstKind::Const(_)))
        };
        let divides = |kind: &InstKind| matches!(kind, InstKind::Op(Op::Div, operands) if is_float(operands[0]) && !is_constant(operands[1]));
        let kinds = || function.blocks[body].insts.iter().map(|id| &function.insts[*id].kind);
        if kinds().any(|kind| matches!(kind, InstKind::Load(_))) && kinds().any(divides) {
            return false;
        }
        let mut found = false;
        walk(function, body, &mut |_, inst| found |= divides(&inst.kind));
        found
    }

    /// Whether instructions only compute, and load what is the same throughout the launch. What selections load must be there.
    fn only_loads(&self, insts: &[InstId], may_check: bool) -> bool {
        let function = &*self.view.function;
        insts.iter().all(|id| match &function.insts[*id].kind {
            InstKind::Load(place) => is_only_read(self.kernel, place) && (may_check || !place.is_checked()),
            InstKind::If { then_block, else_block, .. } => [*then_block, *else_block]
                .into_iter()
                .all(|block| self.only_loads(&function.blocks[block].insts, false)),
            InstKind::Yield(_) => true,
            kind => kind.is_pure(),
        })
    }

    /// Puts loads in front of what they do not need. None passes one that is checked: its index may be
    /// known to be in range by that check, and the first check that fails tells where the kernel failed.
    fn load_first(&self, insts: &mut Vec<InstId>) {
        let function = &*self.view.function;
        let mut is_late = vec![false; function.values.len()];
        let mut is_early: Vec<bool> = Vec::with_capacity(insts.len());
        let mut may_check = true;
        for id in &*insts {
            let inst = &function.insts[*id];
            let is_checked = matches!(&inst.kind, InstKind::Load(place) if place.is_checked());
            let mut early = match &inst.kind {
                InstKind::Load(_) => may_check,
                kind => kind.is_pure() && !matches!(kind, InstKind::Op(Op::Div, _)),
            };
            inst.kind.for_each_use(|value| early &= !is_late[value.index()]);
            may_check &= early || !is_checked;
            for result in &inst.results {
                is_late[result.index()] = !early;
            }
            is_early.push(early);
        }
        let mut is_needed = vec![false; function.values.len()];
        for (id, early) in insts.iter().zip(&mut is_early).rev() {
            let inst = &function.insts[*id];
            *early &=
                matches!(inst.kind, InstKind::Load(_)) || inst.results.iter().any(|value| is_needed[value.index()]);
            if *early {
                inst.kind.for_each_use(|value| is_needed[value.index()] = true);
            }
        }
        let mut early = is_early.iter();
        let (mut first, rest): (Vec<_>, Vec<_>) = insts.drain(..).partition(|_| early.next() == Some(&true));
        first.extend(rest);
        *insts = first;
    }

    /// Whether a value is made by a loop itself.
    fn is_inside(&self, body: BlockId, value: ValueId) -> bool {
        let mut is_inside = self.view.function.blocks[body].params.contains(&value);
        walk(self.view.function, body, &mut |_, inst| is_inside |= inst.results.contains(&value));
        is_inside
    }

    /// Whether no round asks which others of the subgroup run it: with other loops, others would.
    fn is_alone(&self, body: BlockId) -> bool {
        let mut is_alone = true;
        walk(self.view.function, body, &mut |_, inst| {
            is_alone &= !inst.kind.is_of_coop() && !matches!(inst.kind, InstKind::Subgroup(..));
        });
        is_alone
    }

    /// Instructions of a loop's body.
    fn size(&self, body: BlockId) -> usize {
        let mut size = 0;
        walk(self.view.function, body, &mut |_, _| size += 1);
        size
    }

    /// Puts a loop of several rounds at a time in front of a loop, which goes on where that one ends.
    pub(super) fn unroll_open_ended(&mut self, id: InstId, open: &OpenEnded, out: &mut Vec<InstId>) {
        let OpenEnded { body, .. } = *open;
        let Block { params, mut insts } = self.view.function.blocks[body].clone();
        let Some(last) = insts.pop() else { return };
        let InstKind::Continue(_, next) = self.view.function.insts[last].kind.clone() else { return };
        let location = self.view.function.insts[id].location;
        let stay = open.stay;
        let round = Round { params, insts, exit: open.exit, stay, next };

        let limit = self.limit(open, location, out);
        let whole = self.view.function.blocks.push(Block::default());
        let mut copy = Copy::new(self.view.function.values.len());
        let starts: Vec<_> = round.params.iter().map(|param| self.same_type(*param)).collect();
        let ends: Few<_> = round.params.iter().map(|param| self.same_type(*param)).collect();
        let position = round.params.iter().position(|param| *param == open.counter).unwrap_or_default();
        let mut insts = self.way_out(whole, (&starts, position), (open.condition, limit), location);
        let mut next: Few<_> = starts.iter().copied().collect();
        let mut rounds = Vec::new();
        for _ in 0..open.times {
            next = self.copy_round(&mut copy, &round, &next, &mut rounds);
        }
        if open.divides {
            self.load_first(&mut rounds);
        }
        insts.append(&mut rounds);
        insts.push(add_effect(self.view.function, InstKind::Continue(whole, next), location));
        self.view.function.blocks[whole] = Block { params: starts, insts };

        let kind = InstKind::Loop { initial: open.initial.clone(), body: whole, unroll: Unroll::Times(1) };
        out.push(self.define(Inst { kind, results: ends.clone(), location }));
        self.view.function.insts[id].kind = InstKind::Loop { initial: ends, body, unroll: Unroll::Times(1) };
        self.changed = Changed::Yes;
        out.push(id);
    }

    /// A value of the same type.
    pub(super) fn same_type(&mut self, value: ValueId) -> ValueId {
        let ty = self.view.function.values[value].ty;
        self.view.definitions.push(None);
        add_value(self.view.function, ty, None)
    }

    /// Leaves a loop with its parameters where its counter is not below the limit.
    fn way_out(
        &mut self,
        body: BlockId,
        (params, counter): (&[ValueId], usize),
        (condition, limit): (ValueId, ValueId),
        location: Option<SourceLocation>,
    ) -> Vec<InstId> {
        let operands = [params[counter], limit].into();
        let results = [self.same_type(condition)].into();
        let test = self.define(Inst { kind: InstKind::Op(Op::Lt, operands), results, location });
        let function = &mut *self.view.function;
        let condition = function.insts[test].results[0];
        let stay = add_effect(function, InstKind::Yield(Few::default()), location);
        let leave = add_effect(function, InstKind::Break(body, params.iter().copied().collect()), location);
        let [then_block, else_block] =
            [stay, leave].map(|id| function.blocks.push(Block { params: Vec::new(), insts: vec![id] }));
        vec![test, add_effect(function, InstKind::If { condition, then_block, else_block }, location)]
    }

    /// The number that the counter must be below for as many rounds as are made one.
    fn limit(&mut self, open: &OpenEnded, location: Option<SourceLocation>, out: &mut Vec<InstId>) -> ValueId {
        let number = |number: i128| InstKind::Const(eval::from_bits(number as u64, open.scalar));
        let mut add = |kind: InstKind| {
            let results = [self.same_type(open.counter)].into();
            let id = self.define(Inst { kind, results, location });
            out.push(id);
            self.view.function.insts[id].results[0]
        };
        let least = add(number(open.least + open.span));
        let span = add(number(open.span));
        let end = add(InstKind::Op(Op::Max, [open.end, least].into()));
        add(InstKind::Op(Op::Sub, [end, span].into()))
    }
}
