//! Evaluates ops on constants, applies exact identities, and replaces branches on constants by the block they take.
//!
//! The identities of single ops live in `identities`. Nothing is folded whose result may differ in a bit.

use super::edit::{SpareLists, Substitution, add_inst, cut_unreachable, for_each_inst, terminator, yields};
use super::identities::{self, Simpler};
use super::{Changed, PassCx, eval};
use crate::arena::{EntityId, SecondaryMap};
use crate::few::Few;
use crate::ir::{BlockId, Constant, Function, InstId, InstKind, ValueId};
use crate::types::{Type, Types};

/// How often one instruction is simplified in a row.
const ROUNDS: usize = 8;

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    let mut jumps: SecondaryMap<BlockId, Few<InstId>> = SecondaryMap::of(&function.blocks);
    for_each_inst(function, &mut |id, inst| {
        if let InstKind::Break(target, _) | InstKind::Continue(target, _) = inst.kind {
            jumps[target].push(id);
        }
    });
    let definitions = vec![None; function.values.len()];
    let substitution = Substitution::of(function);
    let mut folder = Folder {
        view: View { function, types: cx.types, definitions },
        substitution,
        jumps,
        spare: SpareLists::default(),
        changed: Changed::No,
        is_flatter: false,
    };
    folder.block(folder.view.function.entry);
    let changed = folder.changed;
    if folder.is_flatter {
        // Where the block taken does not come out, neither may what holds it.
        let _ = cut_unreachable(function);
    }
    changed
}

/// The view that identities have: the function, and the instruction that defines each value seen so far.
pub(super) struct View<'a> {
    pub(super) function: &'a mut Function,
    pub(super) types: &'a Types,
    /// The instruction that defines each value.
    pub(super) definitions: Vec<Option<InstId>>,
}

impl View<'_> {
    /// The instruction that defines `value`; `None` for parameters and results of structured instructions.
    pub(super) fn definition(&self, value: ValueId) -> Option<&InstKind> {
        let inst = self.definitions.get(value.index()).copied().flatten()?;
        Some(&self.function.insts[inst].kind)
    }

    /// The scalar constant that `value` is, or that all members of the vector are.
    pub(super) fn constant(&self, value: ValueId) -> Option<Constant> {
        match self.definition(value)? {
            InstKind::Const(constant @ Constant::Zero) => {
                let scalar = self.types.element_scalar(self.function.values[value].ty)?;
                Some(eval::typed(*constant, scalar))
            }
            InstKind::Const(constant) => Some(*constant),
            InstKind::Compose(members) => {
                self.types.element_scalar(self.function.values[value].ty)?;
                let first = self.constant(*members.first()?)?;
                members.iter().all(|member| self.constant(*member) == Some(first)).then_some(first)
            }
            _ => None,
        }
    }

    fn define(&mut self, id: InstId) {
        if let [result] = self.function.insts[id].results[..] {
            if result.index() >= self.definitions.len() {
                self.definitions.resize(result.index() + 1, None);
            }
            self.definitions[result.index()] = Some(id);
        }
    }
}

/// The treatment of the terminator of a block whose instructions move into the block around it.
enum Exit {
    /// The block stays as it is.
    Stay,
    /// A `yield` gives these results.
    Yield(Few<ValueId>),
    /// A `break` out of this loop gives these results.
    Break(BlockId, Few<ValueId>),
}

struct Folder<'a> {
    view: View<'a>,
    substitution: Substitution,
    /// Breaks and continues that name each loop body; may name some that are gone.
    jumps: SecondaryMap<BlockId, Few<InstId>>,
    spare: SpareLists,
    changed: Changed,
    /// Whether a block became part of the one around it.
    is_flatter: bool,
}

impl Folder<'_> {
    fn block(&mut self, block: BlockId) {
        let mut out = self.spare.take(self.view.function.blocks[block].insts.len());
        self.append(block, &Exit::Stay, &mut out);
        self.view.function.blocks[block].insts = out;
    }

    /// Appends the simplified instructions of `block` to `out`; true when control goes on behind them.
    fn append(&mut self, block: BlockId, exit: &Exit, out: &mut Vec<InstId>) -> bool {
        let insts = std::mem::take(&mut self.view.function.blocks[block].insts);
        let goes_on = self.append_all(&insts, exit, out);
        self.spare.give_back(insts);
        goes_on
    }

    fn append_all(&mut self, insts: &[InstId], exit: &Exit, out: &mut Vec<InstId>) -> bool {
        for &id in insts {
            self.substitution.apply(&mut self.view.function.insts[id].kind);
            match (&self.view.function.insts[id].kind, exit) {
                (InstKind::Yield(values), Exit::Yield(results)) => {
                    self.leave(results, values.clone());
                    return true;
                }
                (InstKind::Break(target, values), Exit::Break(body, results)) if target == body => {
                    self.leave(results, values.clone());
                    return true;
                }
                (InstKind::If { .. } | InstKind::Switch { .. }, _) => {
                    if !self.branch(id, out) {
                        return false;
                    }
                }
                (InstKind::Loop { body, .. }, _) => {
                    let body = *body;
                    if !self.enter_loop(id, body, out) {
                        return false;
                    }
                }
                (kind, _) => {
                    if !identities::has_any(kind) || self.simplify(id) {
                        self.view.define(id);
                        out.push(id);
                    }
                }
            }
        }
        false
    }

    fn leave(&mut self, results: &[ValueId], values: Few<ValueId>) {
        for (result, value) in results.iter().zip(values) {
            self.substitution.set(*result, value);
        }
        self.changed = Changed::Yes;
    }

    /// Simplifies an instruction that owns no blocks; false when nothing is left of it.
    fn simplify(&mut self, id: InstId) -> bool {
        for _ in 0..ROUNDS {
            match identities::simplify(&self.view, id) {
                Simpler::Keep => break,
                Simpler::Kind(kind) => self.view.function.insts[id].kind = kind,
                Simpler::Value(value) => {
                    let result = self.view.function.insts[id].results[0];
                    self.substitution.set(result, value);
                    self.changed = Changed::Yes;
                    return false;
                }
            }
            self.changed = Changed::Yes;
        }
        true
    }

    fn branch(&mut self, id: InstId, out: &mut Vec<InstId>) -> bool {
        if let Some(taken) = self.taken(id) {
            let results = std::mem::take(&mut self.view.function.insts[id].results);
            (self.changed, self.is_flatter) = (Changed::Yes, true);
            return self.append(taken, &Exit::Yield(results), out);
        }
        let blocks = self.view.function.insts[id].kind.blocks();
        for block in blocks.iter() {
            self.block(*block);
        }
        self.share_results(id, &blocks, out);
        out.push(id);
        true
    }

    /// The block that a branch on a constant takes.
    fn taken(&self, id: InstId) -> Option<BlockId> {
        match &self.view.function.insts[id].kind {
            InstKind::If { condition, then_block, else_block } => {
                let condition = eval::is_true(self.view.constant(*condition)?)?;
                Some(if condition { *then_block } else { *else_block })
            }
            InstKind::Switch { selector, cases, default } => {
                let selector = u32::try_from(eval::bits(self.view.constant(*selector)?)?).ok()?;
                Some(cases.iter().find(|(bits, _)| *bits == selector).map_or(*default, |(_, block)| *block))
            }
            _ => None,
        }
    }

    /// Replaces results for which all blocks yield the same value, or the same constant.
    fn share_results(&mut self, id: InstId, blocks: &[BlockId], out: &mut Vec<InstId>) {
        for (index, result) in self.view.function.insts[id].results.clone().into_iter().enumerate() {
            let mut yielded = blocks.iter().filter_map(|block| yields(self.view.function, *block)).map(|v| v[index]);
            let Some(first) = yielded.next() else { return };
            let others: Vec<ValueId> = yielded.collect();
            let location = self.view.function.insts[id].location;
            // A value that two blocks yield is defined outside both. One that a single block yields may not be.
            let shared = if !others.is_empty() && others.iter().all(|value| *value == first) {
                first
            } else if let Some(constant) = self.scalar_constant(first)
                && others.iter().all(|value| self.scalar_constant(*value) == Some(constant))
            {
                let ty = self.view.function.values[result].ty;
                let (inst, value) = add_inst(self.view.function, InstKind::Const(constant), ty, location);
                self.view.define(inst);
                out.push(inst);
                value
            } else {
                continue;
            };
            // The result stays defined, unused; dead code removal shrinks the yields.
            self.substitution.set(result, shared);
            self.changed = Changed::Yes;
        }
    }

    fn scalar_constant(&self, value: ValueId) -> Option<Constant> {
        let is_scalar = matches!(self.view.types.get(self.view.function.values[value].ty), Type::Scalar(_));
        if is_scalar { self.view.constant(value) } else { None }
    }

    fn enter_loop(&mut self, id: InstId, body: BlockId, out: &mut Vec<InstId>) -> bool {
        self.share_params(id, body);
        let runs_once = matches!(terminator(self.view.function, body), InstKind::Break(target, _) if *target == body)
            && self.jumps[body].len() == 1;
        if runs_once {
            let InstKind::Loop { initial, .. } = &self.view.function.insts[id].kind else { unreachable!("a loop") };
            let initial = initial.clone();
            let results = std::mem::take(&mut self.view.function.insts[id].results);
            let params = std::mem::take(&mut self.view.function.blocks[body].params);
            for (param, value) in params.iter().zip(initial) {
                if self.substitution.get(*param) == *param {
                    self.substitution.set(*param, value);
                }
            }
            (self.changed, self.is_flatter) = (Changed::Yes, true);
            return self.append(body, &Exit::Break(body, results), out);
        }
        self.block(body);
        out.push(id);
        true
    }

    /// Replaces parameters that keep their first value in every round.
    fn share_params(&mut self, id: InstId, body: BlockId) {
        let InstKind::Loop { initial, .. } = &self.view.function.insts[id].kind else { return };
        for (index, (param, first)) in self.view.function.blocks[body].params.iter().zip(initial).enumerate() {
            let stays = self.jumps[body].iter().all(|jump| match &self.view.function.insts[*jump].kind {
                InstKind::Continue(_, values) => {
                    let next = self.substitution.get(values[index]);
                    next == *param || next == *first
                }
                _ => true,
            });
            if stays && self.substitution.get(*param) == *param {
                self.substitution.set(*param, *first);
                self.changed = Changed::Yes;
            }
        }
    }
}
