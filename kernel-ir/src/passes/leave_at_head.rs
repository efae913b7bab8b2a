//! Lets loops be left at the head of the next round where what they are left with was read from memory in the round.
//!
//! Some drivers forget such values: [`Fault::ForgottenLoopResults`](crate::faults::Fault::ForgottenLoopResults). There, lanes that
//! have left a loop still go through the rounds of the others, with loads that give zero, and a value that is no parameter of the
//! loop is computed again from these. Parameters keep their values. On other drivers the loops are left as they were: the variant of a
//! module knows. No pass that looks for loop counters may come after it.

use super::edit::{add_effect, add_inst, add_value, walk};
use super::{Changed, PassCx};
use crate::arena::EntityId;
use crate::ir::{Block, BlockId, Constant, Function, ImageOp, Inst, InstId, InstKind, Root, ValueId};
use crate::types::{Scalar, TypeId};

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    // Parameters are kept, and most loops are left with those of the round: they end at their head.
    let is_kept = |body: BlockId, value: &ValueId| function.blocks[body].params.contains(value);
    let may_be_fresh = |inst: &Inst| match &inst.kind {
        InstKind::Break(body, values) => !values.iter().all(|value| is_kept(*body, value)),
        _ => false,
    };
    if !function.insts.iter().any(|(_, inst)| may_be_fresh(inst)) {
        return Changed::No;
    }
    let bool_type = cx.types.scalar(Scalar::Bool);
    let mut pass = Pass { function, bool_type, fresh: Vec::new(), changed: Changed::No };
    pass.block(pass.function.entry);
    pass.changed
}

struct Pass<'f> {
    function: &'f mut Function,
    bool_type: TypeId,
    /// By value: whether it hangs on memory or on other lanes by way of nothing that is kept.
    fresh: Vec<bool>,
    changed: Changed,
}

/// The ways out of a loop.
struct Leaving<'a> {
    /// The loop's parameters, which stay in the round that only leaves.
    kept: &'a [ValueId],
    /// True: the round only leaves.
    leaves: ValueId,
    forgets_results: ValueId,
}

impl Pass<'_> {
    /// Inner loops first: what they give is kept then.
    fn block(&mut self, block: BlockId) {
        let insts = std::mem::take(&mut self.function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for id in insts {
            for inner in self.function.insts[id].kind.blocks() {
                self.block(inner);
            }
            self.fresh.resize(self.function.values.len(), false);
            if let InstKind::Loop { body, .. } = self.function.insts[id].kind
                && !self.function.insts[id].results.is_empty()
                && self.leaves_with_fresh(body, body, &self.inside(body))
            {
                self.leave_at_head(id, body, &mut out);
            }
            self.note(id);
            out.push(id);
        }
        self.function.blocks[block].insts = out;
    }

    /// Notes whether what an instruction defines is fresh.
    fn note(&mut self, id: InstId) {
        let inst = &self.function.insts[id];
        let mut is_fresh = match &inst.kind {
            InstKind::Load(place) => !matches!(place.root, Root::Local(_)),
            InstKind::Image(ImageOp::Load | ImageOp::Sample, ..) => true,
            InstKind::Atomic(_) | InstKind::Subgroup(..) | InstKind::CoopLoad(_) | InstKind::Call(..) => true,
            _ => false,
        };
        let fresh = &self.fresh;
        match &inst.kind {
            // Its parameters are kept, and its results are what leaves it: nothing fresh any more.
            InstKind::Loop { .. } => {}
            kind => kind.for_each_use(|value| is_fresh |= fresh[value.index()]),
        }
        // A driver may compute both ways and choose.
        for block in inst.kind.blocks() {
            if let Some(InstKind::Yield(values)) = crate::flow::terminator(self.function, block) {
                is_fresh |= values.iter().any(|value| fresh[value.index()]);
            }
        }
        if is_fresh {
            let results = inst.results.clone();
            results.iter().for_each(|result| self.fresh[result.index()] = true);
        }
    }

    /// By value: whether the loop with this body defines it. Rounds compute no other value again.
    fn inside(&self, body: BlockId) -> Vec<bool> {
        let mut inside = vec![false; self.function.values.len()];
        walk(self.function, body, &mut |_, inst| {
            inst.results.iter().for_each(|result| inside[result.index()] = true);
        });
        inside
    }

    /// Whether a jump out of the loop takes a fresh value of its own along.
    fn leaves_with_fresh(&self, body: BlockId, block: BlockId, inside: &[bool]) -> bool {
        let is_fresh = |value: &ValueId| inside[value.index()] && self.fresh[value.index()];
        self.function.blocks[block].insts.iter().any(|id| match &self.function.insts[*id].kind {
            InstKind::Break(target, values) => *target == body && values.iter().any(is_fresh),
            kind => kind.blocks().iter().any(|inner| self.leaves_with_fresh(body, *inner, inside)),
        })
    }

    fn leave_at_head(&mut self, id: InstId, body: BlockId, out: &mut Vec<InstId>) {
        self.changed = Changed::Yes;
        let Inst { results, location, .. } = self.function.insts[id].clone();
        let (forgets, forgets_results) = add_inst(self.function, InstKind::ForgetsResults, self.bool_type, location);
        out.push(forgets);
        let kept = self.function.blocks[body].params.clone();
        let mut constant = |function: &mut Function, value, ty| {
            let (id, value) = add_inst(function, InstKind::Const(value), ty, location);
            out.push(id);
            value
        };
        let [goes_on, leaves] = [false, true].map(|is| constant(self.function, Constant::Bool(is), self.bool_type));
        let types: Vec<TypeId> = results.iter().map(|result| self.function.values[*result].ty).collect();
        let zeros: Vec<_> = types.iter().map(|ty| constant(self.function, Constant::Zero, *ty)).collect();
        let is_left = add_value(self.function, self.bool_type, None);
        let left_with: Vec<_> = types.iter().map(|ty| add_value(self.function, *ty, None)).collect();
        if let InstKind::Loop { initial, .. } = &mut self.function.insts[id].kind {
            initial.push(goes_on);
            initial.extend(zeros);
        }
        self.jump_to_head(body, body, &[goes_on], &left_with, &Leaving { kept: &kept, leaves, forgets_results });
        let params = &mut self.function.blocks[body].params;
        params.push(is_left);
        params.extend(&left_with);
        let leave = add_effect(self.function, InstKind::Break(body, left_with.into()), location);
        let stay = add_effect(self.function, InstKind::Yield([].into()), location);
        let [then_block, else_block] =
            [leave, stay].map(|last| self.function.blocks.push(Block { params: Vec::new(), insts: vec![last] }));
        let head = add_effect(self.function, InstKind::If { condition: is_left, then_block, else_block }, location);
        self.function.blocks[body].insts.insert(0, head);
        self.fresh.resize(self.function.values.len(), false);
    }

    /// Adds the new parameters to all jumps of a loop, and makes those out of it begin another round where the driver forgets.
    fn jump_to_head(
        &mut self,
        body: BlockId,
        block: BlockId,
        goes_on: &[ValueId],
        left_with: &[ValueId],
        leaving: &Leaving<'_>,
    ) {
        for at in 0..self.function.blocks[block].insts.len() {
            let id = self.function.blocks[block].insts[at];
            let kind = &mut self.function.insts[id].kind;
            match kind {
                InstKind::Continue(target, values) if *target == body => {
                    values.extend(goes_on);
                    values.extend(left_with);
                }
                InstKind::Break(target, values) if *target == body => {
                    let all = [leaving.kept, &[leaving.leaves], values].concat();
                    let [goes_on, leaves] = [InstKind::Continue(body, all.into()), kind.clone()];
                    let location = self.function.insts[id].location;
                    let [then_block, else_block] = [goes_on, leaves].map(|jump| {
                        let insts = vec![add_effect(self.function, jump, location)];
                        self.function.blocks.push(Block { params: Vec::new(), insts })
                    });
                    let condition = leaving.forgets_results;
                    self.function.insts[id].kind = InstKind::If { condition, then_block, else_block };
                    let end = add_effect(self.function, InstKind::Unreachable, location);
                    self.function.blocks[block].insts.push(end);
                }
                _ => {
                    for inner in kind.blocks() {
                        self.jump_to_head(body, inner, goes_on, left_with, leaving);
                    }
                }
            }
        }
    }
}
