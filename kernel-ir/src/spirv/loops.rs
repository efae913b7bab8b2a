//! Loops: a header with the values that they carry, a latch, and a test at the head where the rounds begin with one.

use rspirv::spirv::{LoopControl, Op};

use super::EmitError;
use super::blocks::{Incoming, only_yield};
use super::function::FunctionWriter;
use super::words::{Id, Ids};
use crate::arena::EntityId;
use crate::ir::{BlockId, Function, Inst, InstId, InstKind, Unroll, ValueId};
use crate::rounds::{Counter, definitions};
use crate::types::TypeId;

/// Rounds of the longest loop that drivers are asked to unroll.
const MOST_ROUNDS: usize = 16;

/// Instructions that such a loop may become.
const MOST_INSTS: usize = 4096;

/// A loop whose body is being written.
pub(super) struct OpenLoop {
    body: BlockId,
    merge: Id,
    latch: Id,
    breaks: Incoming,
    continues: Incoming,
    /// Blocks from which an invocation leaves the kernel.
    leaves: Vec<Id>,
}

/// A test by which a loop goes on or is left.
struct Test<'m> {
    /// Instructions of the loop's body in front of it.
    before: usize,
    /// The condition, and what it is where the loop goes on.
    stays: (ValueId, bool),
    /// The results of the test, which are the values that it keeps.
    results: &'m [ValueId],
    kept: &'m [ValueId],
    /// The values with which the loop is left.
    leaving: &'m [ValueId],
}

impl<'m> FunctionWriter<'_, 'm> {
    /// Whether a loop's rounds are so few, and so small, that a driver should write them one after the other.
    fn is_short(&self, initial: &[ValueId], body: BlockId) -> bool {
        let definitions = self.ahead.get_or_init(|| definitions(self.function));
        let definition = |value: ValueId| definitions[value.index()];
        let counter = Counter { function: self.function, types: &self.w.module.types, definition };
        let counted = counter.count(initial, body, MOST_ROUNDS);
        counted.is_some_and(|counted| counted.rounds * size(self.function, body) <= MOST_INSTS)
    }

    /// The operands that tell the driver about unrolling a loop, with the words behind them.
    fn loop_control(&self, initial: &[ValueId], body: BlockId, unroll: Unroll) -> (LoopControl, Option<u32>) {
        match unroll {
            Unroll::Auto if self.is_short(initial, body) => (LoopControl::UNROLL, None),
            // Loops that were written out are as the author wants them; the driver decides about the others.
            Unroll::Auto | Unroll::Times(0 | 1) => (LoopControl::NONE, None),
            Unroll::Full => (LoopControl::UNROLL, None),
            Unroll::Times(rounds) => (LoopControl::PARTIAL_COUNT, Some(rounds)),
            Unroll::Never => (LoopControl::DONT_UNROLL, None),
        }
    }

    pub(super) fn write_loop(
        &mut self,
        inst: &Inst,
        initial: &[ValueId],
        body: BlockId,
        unroll: Unroll,
    ) -> Result<(), EmitError> {
        let control = self.loop_control(initial, body, unroll);
        let initial = self.ids(initial);
        let keeps_traps = self.keep_traps_of(body, unroll);
        self.write_rounds(inst, &initial, body, control)?;
        if !keeps_traps {
            return Ok(());
        }
        self.write_kept_traps(|writer| writer.write_rounds(inst, &initial, body, (LoopControl::DONT_UNROLL, None)))
    }

    /// Writes a loop and the block behind it.
    fn write_rounds(
        &mut self,
        inst: &Inst,
        initial: &[Id],
        body: BlockId,
        (control, count): (LoopControl, Option<u32>),
    ) -> Result<(), EmitError> {
        let before = self.w.label;
        let [header, start, latch, merge] = [(); 4].map(|()| self.w.new_id());
        self.w.effect(Op::Branch, &[header]);
        self.w.begin_block(header);
        self.w.set_location(inst.location);
        let next = self.write_carried(body, initial, [before, latch]);
        let words = [merge, latch, control.bits(), count.unwrap_or_default()];
        let words = &words[..3 + usize::from(count.is_some())];
        let (insts, breaks) = self.write_head(body, words, [start, merge])?;
        self.w.begin_block(start);
        self.loops.push(OpenLoop { body, merge, latch, breaks, continues: Vec::new(), leaves: Vec::new() });
        self.insts(insts, None)?;
        let open = self.loops.pop().expect("each body pops what it pushed");
        self.write_latch(latch, &next, &open.continues);
        self.w.effect(Op::Branch, &[header]);
        self.end_loop(inst, open);
        Ok(())
    }

    /// Writes the values that a loop carries; gives the ids that they are to have at the latch, with their types.
    fn write_carried(&mut self, body: BlockId, initial: &[Id], [before, latch]: [Id; 2]) -> Vec<(Id, TypeId)> {
        let function = self.function;
        let params = &function.blocks[body].params;
        let mut next = Vec::with_capacity(params.len());
        for (param, first) in params.iter().zip(initial.iter().copied()) {
            let value = &function.values[*param];
            let ty = self.w.register_type(value.ty);
            let later = self.w.new_id();
            let phi = self.w.op(Op::Phi, ty, &[first, before, later, latch]);
            self.w.name(phi, value.name.as_deref().unwrap_or_default());
            self.define(*param, phi);
            next.push((later, value.ty));
        }
        next
    }

    /// Ends the header, with the test that the rounds begin with if there is one. Gives the rest of the body, and the way out.
    fn write_head(
        &mut self,
        body: BlockId,
        merge_words: &[u32],
        [start, merge]: [Id; 2],
    ) -> Result<(&'m [InstId], Incoming), EmitError> {
        let function = self.function;
        let insts = &function.blocks[body].insts[..];
        let Some(Test { before, stays, results, leaving, kept }) = test_at_head(function, body) else {
            self.w.effect(Op::LoopMerge, merge_words);
            self.w.effect(Op::Branch, &[start]);
            return Ok((insts, Vec::new()));
        };
        self.insts(&insts[..before], None)?;
        let breaks = vec![(self.w.label, self.ids(leaving))];
        for (result, value) in results.iter().zip(kept) {
            self.define(*result, self.value(*value));
        }
        let (mut condition, mut stays) = (self.value(stays.0), stays.1);
        // Fault::LostBreaks
        if stays && !ends_with_continue(function, body) {
            let bool_ = self.w.bool_type();
            condition = self.w.op(Op::LogicalNot, bool_, &[condition]);
            stays = false;
        }
        let [yes, no] = if stays { [start, merge] } else { [merge, start] };
        self.w.effect(Op::LoopMerge, merge_words);
        self.w.effect(Op::BranchConditional, &[condition, yes, no]);
        Ok((&insts[before + 1..], breaks))
    }

    /// Starts the block behind each round, where what the next one has is put together.
    fn write_latch(&mut self, latch: Id, next: &[(Id, TypeId)], continues: &Incoming) {
        self.w.begin_block(latch);
        for (index, (id, ty)) in next.iter().enumerate() {
            let zero = self.w.register_zero(*ty);
            let ty = self.w.register_type(*ty);
            if continues.is_empty() {
                // Nothing continues, yet the header wants a value from here.
                self.w.op_into(*id, Op::CopyObject, ty, &[zero]);
            } else {
                let operands: Ids = continues.iter().flat_map(|(label, values)| [values[index], *label]).collect();
                self.w.op_into(*id, Op::Phi, ty, &operands);
            }
        }
    }

    /// Starts the block after a loop, and leaves the kernel there with those that left in the loop.
    fn end_loop(&mut self, inst: &Inst, OpenLoop { merge, mut breaks, leaves, .. }: OpenLoop) {
        if leaves.is_empty() {
            return self.join(inst, merge, &breaks);
        }
        let [yes, no] = [Op::ConstantTrue, Op::ConstantFalse].map(|op| {
            let bool_ = self.w.bool_type();
            self.w.global(op, Some(bool_), &[])
        });
        let stay = breaks.iter().flat_map(|(label, _)| [no, *label]);
        let ways: Ids = stay.chain(leaves.iter().flat_map(|label| [yes, *label])).collect();
        let types = inst.results.iter().map(|result| self.function.values[*result].ty);
        let zeros: Vec<Id> = types.map(|ty| self.w.register_zero(ty)).collect();
        breaks.extend(leaves.into_iter().map(|label| (label, zeros.iter().copied().collect())));
        self.join(inst, merge, &breaks);
        let bool_ = self.w.bool_type();
        let is_left = self.w.op(Op::Phi, bool_, &ways);
        if let Some(repeat) = self.repeat.filter(|repeat| repeat.depth == self.loops.len()) {
            return self.trap_unless(is_left, repeat.site);
        }
        let [out, on] = [(); 2].map(|()| self.w.new_id());
        self.w.effect(Op::SelectionMerge, &[on, 0]);
        self.w.effect(Op::BranchConditional, &[is_left, out, on]);
        self.w.begin_block(out);
        self.leave();
        self.w.begin_block(on);
    }

    /// Writes a jump out of the innermost loop, or to its next round.
    pub(super) fn jump(
        &mut self,
        inst: &Inst,
        body: BlockId,
        values: &[ValueId],
        goes_on: bool,
    ) -> Result<(), EmitError> {
        let way = (self.w.label, self.ids(values));
        let (function, location) = (&self.function.name, inst.location);
        let open = self.loops.last_mut().filter(|open| open.body == body);
        let open = open.ok_or_else(|| EmitError::OuterLoop { function: function.clone(), location })?;
        let (ways, target) = match goes_on {
            true => (&mut open.continues, open.latch),
            false => (&mut open.breaks, open.merge),
        };
        ways.push(way);
        self.w.effect(Op::Branch, &[target]);
        Ok(())
    }

    /// Whether an invocation leaves the kernel at a trap. In loops it does, where nobody waits for it: drivers have fewer ways to join there.
    /// It leaves a loop that runs for its first trap in any case.
    pub(super) fn leaves_at_traps(&self) -> bool {
        self.repeat.is_some() || self.may_leave && !self.loops.is_empty()
    }

    /// Ends the kernel's invocation behind a trap, or the loop that ran for it: by way of the ends of all loops, for a return in a loop takes NVIDIA's driver twice the time.
    pub(super) fn leave(&mut self) {
        self.w.leaves_at_traps |= self.repeat.is_none();
        let label = self.w.label;
        match self.loops.last_mut() {
            Some(open) => {
                open.leaves.push(label);
                let merge = open.merge;
                self.w.effect(Op::Branch, &[merge]);
            }
            None => self.w.effect(Op::Return, &[]),
        }
    }
}

/// The test that a loop's rounds begin with, if it can stand in the header: nothing before it has an effect or blocks of its own,
/// and one of its ways does nothing but leave the loop, the other nothing.
fn test_at_head(function: &Function, body: BlockId) -> Option<Test<'_>> {
    let insts = &function.blocks[body].insts;
    let before = insts.iter().position(|id| !function.insts[*id].kind.is_pure())?;
    let test = &function.insts[insts[before]];
    let InstKind::If { condition, then_block, else_block } = test.kind else { return None };
    let ways = [(then_block, else_block, true), (else_block, then_block, false)];
    let (kept, leaving, stays) = ways.into_iter().find_map(|(stay, leave, when)| {
        let [last]: &[InstId] = &function.blocks[leave].insts else { return None };
        let InstKind::Break(of, values) = &function.insts[*last].kind else { return None };
        let kept = only_yield(function, stay)?;
        (*of == body).then_some((kept, &values[..], when))
    })?;
    Some(Test { before, stays: (condition, stays), results: &test.results, leaving, kept })
}

/// Instructions of a block and of all that is nested in it.
fn size(function: &Function, block: BlockId) -> usize {
    let insts = &function.blocks[block].insts;
    let nested = insts.iter().flat_map(|id| function.insts[*id].kind.blocks());
    insts.len() + nested.map(|inner| size(function, inner)).sum::<usize>()
}

/// Whether the rounds of a loop that come to their end go on with the next one.
fn ends_with_continue(function: &Function, body: BlockId) -> bool {
    let last = function.blocks[body].insts.last();
    last.is_some_and(|last| matches!(function.insts[*last].kind, InstKind::Continue(of, _) if of == body))
}
