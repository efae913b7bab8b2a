//! Copies of a loop's rounds. What depends on a round's counters is folded while it is copied.

use super::super::identities::{self, Simpler};
use super::Pass;
use crate::arena::EntityId;
use crate::few::Few;
use crate::ir::{Block, BlockId, Constant, Inst, InstId, InstKind, ValueId};
use crate::types::TypeId;

/// Constants of an unrolled loop that there is room for from the start.
const CONSTANTS: usize = 32;

/// How often one instruction is simplified in a row.
const MOST_SIMPLIFIED: usize = 8;

/// A round of a loop that is copied.
pub(super) struct Round {
    pub(super) params: Vec<ValueId>,
    /// All but the jump back.
    pub(super) insts: Vec<InstId>,
    /// The position of what decides whether there is another round, and the block of it that goes on.
    pub(super) exit: usize,
    pub(super) stay: BlockId,
    /// The values that a round hands on to the next one.
    pub(super) next: Few<ValueId>,
}

/// The renaming of values in the round that is copied.
pub(super) struct Copy {
    /// By value: its copy, and the round in which it became that; itself, and none, while nothing was copied.
    values: Vec<(ValueId, u32)>,
    /// The round, from 1.
    pub(super) round: u32,
    blocks: Vec<(BlockId, BlockId)>,
    /// Constants of this and earlier rounds.
    constants: Vec<(Constant, TypeId, ValueId)>,
}

impl Copy {
    pub(super) fn new(values: usize) -> Self {
        Self {
            values: (0..values).map(|value| (ValueId::new(value), 0)).collect(),
            round: 0,
            blocks: Vec::new(),
            constants: Vec::with_capacity(CONSTANTS),
        }
    }

    fn constant(&self, constant: Constant, ty: TypeId) -> Option<ValueId> {
        self.constants.iter().find(|known| (known.0, known.1) == (constant, ty)).map(|known| known.2)
    }

    pub(super) fn bind(&mut self, from: &[ValueId], to: &[ValueId]) {
        for (from, to) in from.iter().zip(to) {
            self.bind_one(*from, *to);
        }
    }

    pub(super) fn bind_one(&mut self, from: ValueId, to: ValueId) {
        let known = &mut self.values[from.index()];
        if known.0 != to {
            *known = (to, self.round);
        }
    }

    pub(super) fn get(&self, value: ValueId) -> ValueId {
        self.values.get(value.index()).map_or(value, |known| known.0)
    }

    /// Whether an instruction of the body itself computes what it did in the round before, which stands in front of this one.
    fn is_there(&self, inst: &Inst) -> bool {
        let [result] = inst.results[..] else { return false };
        if !inst.kind.is_pure() || self.values[result.index()].1 == 0 {
            return false;
        }
        let mut is_same = true;
        inst.kind.for_each_use(|value| {
            is_same &= self.values.get(value.index()).is_none_or(|known| known.1 != self.round);
        });
        is_same
    }
}

impl Pass<'_> {
    /// Copies a round that another one follows, and gives what it hands on.
    pub(super) fn copy_round(
        &mut self,
        copy: &mut Copy,
        round: &Round,
        params: &[ValueId],
        out: &mut Vec<InstId>,
    ) -> Few<ValueId> {
        copy.round += 1;
        copy.bind(&round.params, params);
        self.copy_all(copy, &round.insts[..round.exit], out);
        let yielded = self.ends_with(round.stay, copy);
        let results = self.view.function.insts[round.insts[round.exit]].results.clone();
        copy.bind(&results, &yielded);
        self.copy_all(copy, &round.insts[round.exit + 1..], out);
        round.next.iter().map(|value| copy.get(*value)).collect()
    }

    /// The values that the block's last instruction hands on.
    pub(super) fn ends_with(&self, block: BlockId, copy: &Copy) -> Vec<ValueId> {
        let last = self.view.function.blocks[block].insts.last().map(|last| &self.view.function.insts[*last].kind);
        match last {
            Some(InstKind::Yield(values) | InstKind::Break(_, values)) => {
                values.iter().map(|value| copy.get(*value)).collect()
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn copy_all(&mut self, copy: &mut Copy, insts: &[InstId], out: &mut Vec<InstId>) {
        for id in insts {
            let inst = &self.view.function.insts[*id];
            if copy.is_there(inst) {
                continue;
            }
            if let (InstKind::Const(constant), [result]) = (&inst.kind, &inst.results[..])
                && let Some(value) = copy.constant(*constant, self.view.function.values[*result].ty)
            {
                copy.bind_one(*result, value);
                continue;
            }
            out.extend(self.copy_inst(copy, *id, true));
        }
    }

    /// Copies one instruction and simplifies the copy; nothing where its result is a value that is there. Constants in `is_shared` blocks may be used
    /// by all that is copied later.
    pub(super) fn copy_inst(&mut self, copy: &mut Copy, id: InstId, is_shared: bool) -> Option<InstId> {
        let inst = &self.view.function.insts[id];
        if let (InstKind::Op(op, operands), &[original]) = (&inst.kind, &inst.results[..]) {
            let (op, location) = (*op, inst.location);
            let operands: Few<_> = operands.iter().map(|operand| copy.get(*operand)).collect();
            let kind = match identities::simplify_op(&self.view, original, op, &operands) {
                Simpler::Value(value) => {
                    copy.bind_one(original, value);
                    return None;
                }
                Simpler::Kind(InstKind::Const(constant)) => {
                    if let Some(value) = copy.constant(constant, self.view.function.values[original].ty) {
                        copy.bind_one(original, value);
                        return None;
                    }
                    InstKind::Const(constant)
                }
                Simpler::Kind(kind) => kind,
                Simpler::Keep => {
                    let results = [self.copy_value(copy, original)].into();
                    return Some(self.define(Inst { kind: InstKind::Op(op, operands), results, location }));
                }
            };
            let results = [self.copy_value(copy, original)].into();
            let copied = self.define(Inst { kind, results, location });
            return self.simplified(copy, (id, copied), is_shared).then_some(copied);
        }
        let mut inst = inst.clone();
        inst.kind.map_uses(|value| copy.get(value));
        match &mut inst.kind {
            InstKind::If { then_block, else_block, .. } => {
                *then_block = self.copy_block(copy, *then_block);
                *else_block = self.copy_block(copy, *else_block);
            }
            InstKind::Switch { cases, default, .. } => {
                for (_, case) in cases {
                    *case = self.copy_block(copy, *case);
                }
                *default = self.copy_block(copy, *default);
            }
            InstKind::Loop { body, .. } => *body = self.copy_block(copy, *body),
            InstKind::Break(target, _) | InstKind::Continue(target, _) => {
                let copied = copy.blocks.iter().rev().find(|(from, _)| from == target);
                *target = copied.map_or(*target, |(_, to)| *to);
            }
            _ => {}
        }
        for result in &mut inst.results {
            *result = self.copy_value(copy, *result);
        }
        let copied = self.define(inst);
        self.simplified(copy, (id, copied), is_shared).then_some(copied)
    }

    /// Adds an instruction that defines its results.
    pub(super) fn define(&mut self, inst: Inst) -> InstId {
        let copied = InstId::new(self.view.function.insts.len());
        inst.results.iter().for_each(|result| self.view.definitions[result.index()] = Some(copied));
        self.view.function.insts.push(inst)
    }

    /// Simplifies what was copied; false where nothing is left of it.
    fn simplified(&mut self, copy: &mut Copy, (id, copied): (InstId, InstId), is_shared: bool) -> bool {
        let [original] = self.view.function.insts[id].results[..] else { return true };
        let [result] = self.view.function.insts[copied].results[..] else { return true };
        for _ in 0..MOST_SIMPLIFIED {
            match identities::simplify(&self.view, copied) {
                Simpler::Keep => break,
                Simpler::Kind(kind) => self.view.function.insts[copied].kind = kind,
                Simpler::Value(value) => {
                    copy.bind_one(original, value);
                    return false;
                }
            }
        }
        let InstKind::Const(constant) = self.view.function.insts[copied].kind else { return true };
        let ty = self.view.function.values[result].ty;
        match copy.constant(constant, ty) {
            Some(value) => copy.bind_one(original, value),
            None if is_shared => copy.constants.push((constant, ty, result)),
            None => return true,
        }
        is_shared && copy.get(original) == result
    }

    /// A block in the place of a copied one, without instructions as yet, and its parameters.
    pub(super) fn copy_head(&mut self, copy: &mut Copy, block: BlockId) -> (BlockId, Vec<ValueId>) {
        let copied = self.view.function.blocks.push(Block::default());
        copy.blocks.push((block, copied));
        let params = self.view.function.blocks[block].params.clone();
        (copied, params.iter().map(|param| self.copy_value(copy, *param)).collect())
    }

    pub(super) fn copy_block(&mut self, copy: &mut Copy, block: BlockId) -> BlockId {
        let (copied, params) = self.copy_head(copy, block);
        let insts = self.view.function.blocks[block].insts.clone();
        let insts = insts.iter().filter_map(|id| self.copy_inst(copy, *id, false)).collect();
        self.view.function.blocks[copied] = Block { params, insts };
        copied
    }

    fn copy_value(&mut self, copy: &mut Copy, value: ValueId) -> ValueId {
        let copied = self.view.function.values.push(self.view.function.values[value].clone());
        self.view.definitions.push(None);
        copy.bind_one(value, copied);
        copied
    }
}
