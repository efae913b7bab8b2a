//! Loops of which it is known how many rounds they have at most: they become loops of so many rounds, each of which runs if the first loop would
//! have had it. These can be written out.

use super::super::Changed;
use super::super::edit::{add_effect, add_inst, add_value, walk};
use super::{Copy, MOST_INSTS, MOST_ROUNDS, MOST_ROUNDS_OF_REGISTERS, Pass, Wanted};
use crate::arena::EntityId;
use crate::few::Few;
use crate::ir::{Block, BlockId, Constant, Function, Inst, InstId, InstKind, Root, Unroll, ValueId};
use crate::op::Op;
use crate::passes::eval;
use crate::rounds::Counter;
use crate::types::{Scalar, Type, TypeId, Types};

/// Instructions that a round gets beside its own.
const ADDED: usize = 8;

/// How many operations deep a bound is looked for.
const DEPTH: usize = 4;

/// A loop that counts up to a number that is known to be small.
pub(super) struct Bounded {
    body: BlockId,
    /// Position in the body of what asks for the end.
    exit: usize,
    /// Position of the counter among the parameters.
    counter: usize,
    /// The first number, and one that the counter does not pass.
    start: u32,
    end: u32,
    /// The value that is compared with.
    limit: ValueId,
    /// The values of the next round.
    next: Vec<ValueId>,
    condition: ValueId,
    stays_if: bool,
}

impl Pass<'_> {
    /// The bound of a loop that chooses elements by its counter, if it has few rounds at most.
    pub(super) fn bounded(&self, id: InstId) -> Option<Bounded> {
        let InstKind::Loop { initial, body, unroll: Unroll::Auto } = &self.view.function.insts[id].kind else {
            return None;
        };
        let Wanted::Arrays { written, registers, .. } = &self.wanted else { return None };
        let (function, definitions) = (&*self.view.function, &self.view.definitions[..]);
        let bounded = find(function, self.view.types, definitions, (initial, *body), MOST_ROUNDS_OF_REGISTERS)?;
        let params = &function.blocks[*body].params;
        let (first, counter) = (bounded.first(params.len()), self.counter());
        let (mut is_chosen, mut most_rounds) = (false, MOST_ROUNDS_OF_REGISTERS);
        walk(function, *body, &mut |_, inst| {
            if let Some(place) = inst.kind.place()
                && let Root::Local(local) = place.root
                && written[local.index()]
            {
                is_chosen |= place.values().any(|value| counter.value(value, params, &first, 8).is_some());
                if place.values().next().is_some() && !registers[local.index()] {
                    most_rounds = MOST_ROUNDS;
                }
            }
        });
        (is_chosen && bounded.rounds() <= most_rounds).then_some(bounded)
    }

    /// Gives such a loop as many rounds as it may have at most, each of which asks whether it runs.
    pub(super) fn guard(&mut self, bounded: Bounded) -> bool {
        let Some([word, bool_]) = self.word_and_bool() else { return false };
        for new in bounded.guard(self.view.function, [word, bool_]) {
            self.know(new);
        }
        self.changed = Changed::Yes;
        true
    }

    /// Makes two loops of such a loop: one for as many rounds as it may have at most, in which none asks, and one for fewer. Guards keep loads
    /// where they are: 32 rounds took 3.5 times as long with them (H200).
    pub(super) fn split(&mut self, id: InstId, bounded: Bounded, out: &mut Vec<InstId>) {
        let (Some([word, bool_]), location) = (self.word_and_bool(), self.view.function.insts[id].location) else {
            out.push(id);
            return;
        };
        let InstKind::Loop { initial, body, unroll } = self.view.function.insts[id].kind.clone() else { return };
        let (end, number) = bounded.end();
        let (most, all) = add_inst(self.view.function, InstKind::Const(Constant::U32(number)), word, location);
        let is_whole = InstKind::Op(Op::Eq, [end, all].into());
        let (test, condition) = add_inst(self.view.function, is_whole, bool_, location);
        for new in [most, test] {
            self.know(new);
        }
        // The bound is not passed, so that the end is the bound.
        let mut copy = Copy::new(self.view.function.values.len());
        copy.round = 1;
        copy.bind_one(end, all);
        let whole = self.copy_block(&mut copy, body);
        let results = self.view.function.insts[id].results.clone();
        let [of_whole, of_rest] = [0, 1].map(|_| -> Few<ValueId> {
            let types = results.iter().map(|result| self.view.function.values[*result].ty);
            let types: Vec<_> = types.collect();
            types.into_iter().map(|ty| add_value(self.view.function, ty, None)).collect()
        });
        let kind = InstKind::Loop { initial, body: whole, unroll };
        let loop_ = self.view.function.insts.push(Inst { kind, results: of_whole.clone(), location });
        self.view.function.insts[id].results = of_rest.clone();
        let branches = [(loop_, of_whole), (id, of_rest)].map(|(inner, values)| {
            let end = add_effect(self.view.function, InstKind::Yield(values), location);
            self.view.function.blocks.push(Block { params: Vec::new(), insts: vec![inner, end] })
        });
        self.guard(bounded);
        for inner in [loop_, id] {
            self.know(inner);
        }
        branches.into_iter().for_each(|branch| self.block(branch));
        let [then_block, else_block] = branches;
        let kind = InstKind::If { condition, then_block, else_block };
        let choice = self.view.function.insts.push(Inst { kind, results, location });
        self.know(choice);
        out.extend([most, test, choice]);
    }

    fn word_and_bool(&self) -> Option<[TypeId; 2]> {
        let [word, bool_] = [Scalar::U32, Scalar::Bool].map(|scalar| self.view.types.find(&Type::Scalar(scalar)));
        Some([word?, bool_?])
    }
}

/// Finds out how a loop is bounded, if it is by few rounds that nothing but their counter ends.
pub(super) fn find(
    function: &Function,
    types: &Types,
    definitions: &[Option<InstId>],
    (initial, body): (&[ValueId], BlockId),
    most_rounds: usize,
) -> Option<Bounded> {
    let counter = Counter { function, types, definition: |value: ValueId| definitions[value.index()] };
    let exit = counter.only_exit(body)?;
    let finder = Finder { function, definitions };
    let (op, operands) = finder.op(exit.condition)?;
    let (param, end) = match (op, operands, exit.stays_if) {
        (Op::Lt, &[param, end], true) | (Op::Ge, &[param, end], false) => (param, end),
        _ => return None,
    };
    let block = &function.blocks[body];
    let position = block.params.iter().position(|known| *known == param)?;
    let Type::Scalar(Scalar::U32) = types.get(function.values[param].ty) else { return None };
    let first = finder.constant(initial[position])?;
    let (Op::Add, &[before, step]) = finder.op(exit.next[position])? else { return None };
    if before != param || finder.constant(step) != Some(1) {
        return None;
    }
    let mut inside = vec![false; function.values.len()];
    let (mut size, mut is_alone) = (0, true);
    block.params.iter().for_each(|param| inside[param.index()] = true);
    walk(function, body, &mut |_, inst| {
        size += 1;
        // Others wait for those that run a round, so that all have to run the same ones.
        is_alone &= !inst.kind.needs_full_workgroup() && !matches!(inst.kind, InstKind::Fence(..));
        inst.results.iter().for_each(|result| inside[result.index()] = true);
    });
    // A constant end is counted, or not worth it.
    let is_open = !inside[end.index()] && finder.constant(end).is_none();
    let most = finder.most(end, DEPTH).filter(|_| is_open)?;
    let rounds = most.saturating_sub(first) as usize;
    let is_small = rounds <= most_rounds && (size + ADDED) * rounds <= MOST_INSTS;
    let head = &block.insts[..exit.at];
    let is_pure = |id: &InstId| function.insts[*id].kind.is_pure();
    let exit_inst = block.insts[exit.at];
    if !is_small || !is_alone || !head.iter().all(is_pure) || !function.insts[exit_inst].results.is_empty() {
        return None;
    }
    let [leave] = function.blocks[exit.leave].insts[..] else { return None };
    let InstKind::Break(_, results) = &function.insts[leave].kind else { return None };
    // The counter goes on, so that it, and what is computed of it, is another in the end.
    let stays = |value: &ValueId| !inside[value.index()] || *value != param && block.params.contains(value);
    results.iter().all(stays).then(|| Bounded {
        body,
        exit: exit.at,
        counter: position,
        start: first,
        end: most,
        limit: end,
        next: exit.next.to_vec(),
        condition: exit.condition,
        stays_if: exit.stays_if,
    })
}

impl Bounded {
    /// The value that the counter is compared with, and the number that it does not pass.
    fn end(&self) -> (ValueId, u32) {
        (self.limit, self.end)
    }

    pub(super) fn rounds(&self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// The parameters of the first round, as far as they are counters.
    fn first(&self, params: usize) -> Vec<Option<Constant>> {
        (0..params).map(|at| (at == self.counter).then_some(Constant::U32(self.start))).collect()
    }

    /// Rewrites the loop, and gives the instructions that are new.
    fn guard(self, function: &mut Function, [word, bool_]: [TypeId; 2]) -> Vec<InstId> {
        let first_new = function.insts.len();
        let block = &mut function.blocks[self.body];
        let params = block.params.clone();
        let jump = block.insts.pop();
        let mut round = block.insts.split_off(self.exit + 1);
        let exit = block.insts.pop();
        let (Some(jump), Some(exit)) = (jump, exit) else { return Vec::new() };
        let location = function.insts[exit].location;
        let counter = params[self.counter];
        let number = |number: u32| InstKind::Const(Constant::U32(number));
        let (limit, end) = add_inst(function, number(self.end), word, location);
        let op = if self.stays_if { Op::Lt } else { Op::Ge };
        let (test, goes_on) = add_inst(function, InstKind::Op(op, [counter, end].into()), bool_, location);
        let (one, unit) = add_inst(function, number(1), word, location);
        let (step, counted) = add_inst(function, InstKind::Op(Op::Add, [counter, unit].into()), word, location);

        // The values that a round hands on, or those that it was given.
        let others = |values: &[ValueId]| -> Vec<ValueId> {
            values.iter().enumerate().filter(|(at, _)| *at != self.counter).map(|(_, value)| *value).collect()
        };
        let (made, kept) = (others(&self.next), others(&params));
        let results: Vec<_> = kept.iter().map(|value| add_value(function, function.values[*value].ty, None)).collect();
        let made = add_effect(function, InstKind::Yield(made.into_iter().collect()), location);
        let kept = add_effect(function, InstKind::Yield(kept.into_iter().collect()), location);
        round.push(made);
        let runs = function.blocks.push(Block { params: Vec::new(), insts: round });
        let skips = function.blocks.push(Block { params: Vec::new(), insts: vec![kept] });
        let [then_block, else_block] = if self.stays_if { [runs, skips] } else { [skips, runs] };
        let guard = add_effect(function, InstKind::If { condition: self.condition, then_block, else_block }, location);
        function.insts[guard].results = results.iter().copied().collect();
        let mut results = results.into_iter();
        if let InstKind::Continue(_, values) = &mut function.insts[jump].kind {
            for (at, value) in values.iter_mut().enumerate() {
                *value = if at == self.counter { counted } else { results.next().unwrap_or(*value) };
            }
        }
        if let InstKind::If { condition, .. } = &mut function.insts[exit].kind {
            *condition = goes_on;
        }
        function.blocks[self.body].insts.extend([limit, test, exit, guard, one, step, jump]);
        (first_new..function.insts.len()).map(InstId::new).collect()
    }
}

struct Finder<'f> {
    function: &'f Function,
    definitions: &'f [Option<InstId>],
}

impl Finder<'_> {
    fn op(&self, value: ValueId) -> Option<(Op, &[ValueId])> {
        match &self.function.insts[self.definitions[value.index()]?].kind {
            InstKind::Op(op, operands) => Some((*op, operands)),
            _ => None,
        }
    }

    fn constant(&self, value: ValueId) -> Option<u32> {
        match self.function.insts[self.definitions[value.index()]?].kind {
            InstKind::Const(constant) => u32::try_from(eval::int(constant)?).ok(),
            _ => None,
        }
    }

    /// A number that an unsigned value does not pass, by what it is made of.
    fn most(&self, value: ValueId, depth: usize) -> Option<u32> {
        let depth = depth.checked_sub(1)?;
        if let Some(constant) = self.constant(value) {
            return Some(constant);
        }
        let (op, operands) = self.op(value)?;
        let operand = |at: usize| self.most(operands[at], depth);
        match op {
            Op::Min | Op::And => match (operand(0), operand(1)) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
            Op::Rem => self.constant(operands[1])?.checked_sub(1),
            Op::Max => Some(operand(0)?.max(operand(1)?)),
            Op::Select => Some(operand(1)?.max(operand(2)?)),
            _ => None,
        }
    }
}
