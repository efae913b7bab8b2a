//! Traps of loads, which stand behind several of them: nothing that others can see comes between a load and its trap.
//!
//! A branch to a trap at each load keeps drivers from moving loads, and so from having several on their way at once. In a loop it keeps
//! them from writing out rounds, too, so the traps of a loop that ends stand behind the loop. A loop that stores nothing
//! keeps one flag for all its checks. Where the flag tells that one failed, it runs once more, with a trap at each check: that is a copy
//! of the loop that no launch without an error gets to. Other loops keep the first check that failed in variables.
//!
//! In other loops an invocation leaves the kernel at its trap, unless others may wait for it: the launch has failed, and drivers need not join the
//! ways with and without a trap in each round.

use rspirv::spirv::{Op, StorageClass};

use super::EmitError;
use super::function::FunctionWriter;
use super::memory::Check;
use super::module::Writer;
use super::words::Id;
use crate::ir::{BlockId, Function, Inst, InstKind, Kernel, Module, Place, Root, SiteId, Step, Unroll};
use crate::passes::loop_ends;

/// Instructions of the largest loop of which there is a copy for its traps.
const MOST_REPEATED: usize = 256;

/// A check that was made, whose trap is not written yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct LateTrap {
    pub(super) is_inside: Id,
    pub(super) check: Check,
}

/// The variables of a function for checks that failed in a loop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failed {
    /// Whether none failed so far.
    are_inside: Id,
    /// The first that did, if some loop cannot run once more.
    first: Option<FirstFailed>,
}

/// The variables for the first check that failed in a loop.
#[derive(Debug, Clone, Copy)]
pub(super) struct FirstFailed {
    index: Id,
    /// The position of its site and length among those of the loop.
    number: Id,
}

/// The state of the checks of a loop whose traps stand behind it.
#[derive(Debug)]
pub(super) enum LoopTraps {
    /// Whether one of these failed. The loop runs once more then.
    Flag(Vec<SiteId>),
    /// The first that failed, among these.
    First(FirstFailed, Vec<Check>),
}

/// A loop that is written once more, for its first trap.
#[derive(Debug, Clone, Copy)]
pub(super) struct Repeat {
    /// How many loops are around it.
    pub(super) depth: usize,
    /// The site of one of its checks.
    pub(super) site: SiteId,
}

/// Whether traps of earlier loads may come behind an instruction: it has no effect but on this invocation's own values, and no trap of another
/// kind.
pub(super) fn may_come_before_traps(inst: &Inst) -> bool {
    match &inst.kind {
        // A load whose check is of another kind writes the traps itself.
        InstKind::Load(_) => true,
        InstKind::Store(place, _) => matches!(place.root, Root::Local(_)) && !place.is_checked(),
        kind => kind.is_pure(),
    }
}

/// The one check of a load from a buffer, which gives zero where the check fails.
fn only_check(kernel: &Kernel, place: &Place) -> Option<SiteId> {
    let Root::Buffer(buffer) = place.root else { return None };
    let mut checks = place.path.iter().filter_map(|step| match step {
        Step::Index { check, .. } => *check,
        _ => None,
    });
    let only = checks.next().filter(|_| checks.next().is_none());
    only.filter(|_| !kernel.buffers[buffer].is_texels)
}

/// Whether the traps of a loop's loads may stand behind the loop: it ends whatever the loads give, and nothing in it traps but loads. One that
/// is not to be written out has nothing to gain.
fn traps_may_wait(module: &Module, kernel: &Kernel, function: &Function, body: BlockId, unroll: Unroll) -> bool {
    if unroll == Unroll::Never {
        return false;
    }
    let mut todo = vec![body];
    let mut traps = false;
    while let Some(block) = todo.pop() {
        for id in &function.blocks[block].insts {
            let inst = &function.insts[*id];
            match &inst.kind {
                InstKind::Load(place) => match only_check(kernel, place) {
                    Some(site) => traps |= !module.sites[site].is_quiet,
                    None if place.is_checked() => return false,
                    None => {}
                },
                InstKind::Store(place, _) if place.is_checked() => return false,
                InstKind::Store(..) => {}
                InstKind::If { .. } | InstKind::Switch { .. } => todo.extend(inst.kind.blocks()),
                InstKind::Loop { body: inner, .. } => todo.push(*inner),
                InstKind::Yield(_) | InstKind::Break(..) | InstKind::Continue(..) => {}
                _ if may_come_before_traps(inst) => {}
                _ => return false,
            }
        }
    }
    // Asked last, because it looks at the whole function.
    traps && end(module, function, body)
}

/// Whether a loop whose traps may wait does the same when it runs once more, and is small enough for a copy.
fn may_repeat(function: &Function, body: BlockId) -> bool {
    let (mut todo, mut size) = (vec![body], 0);
    while let Some(block) = todo.pop() {
        let insts = &function.blocks[block].insts;
        size += insts.len();
        if size > MOST_REPEATED || insts.iter().any(|id| matches!(function.insts[*id].kind, InstKind::Store(..))) {
            return false;
        }
        todo.extend(insts.iter().flat_map(|id| function.insts[*id].kind.blocks()));
    }
    true
}

/// Whether a loop ends, with all that are nested in it.
fn end(module: &Module, function: &Function, body: BlockId) -> bool {
    nested_end(module, function, body) && loop_ends::ends(function, &module.types, body)
}

fn nested_end(module: &Module, function: &Function, block: BlockId) -> bool {
    function.blocks[block].insts.iter().all(|id| match &function.insts[*id].kind {
        InstKind::Loop { body, .. } => end(module, function, *body),
        kind => kind.blocks().into_iter().all(|inner| nested_end(module, function, inner)),
    })
}

impl Writer<'_> {
    /// The variables for the traps behind a function's loops, if it has such loops. Must be called where variables stand.
    pub(super) fn write_failed(&mut self, function: &Function) -> Option<Failed> {
        let (module, kernel) = (self.module, self.kernel);
        let loops = function.insts.iter().filter_map(|(_, inst)| match inst.kind {
            InstKind::Loop { body, unroll, .. } => Some((body, unroll)),
            _ => None,
        });
        let waits = |body: BlockId, unroll: Unroll| traps_may_wait(module, kernel, function, body, unroll);
        let waiting: Vec<BlockId> =
            loops.filter(|(body, unroll)| waits(*body, *unroll)).map(|(body, _)| body).collect();
        if waiting.is_empty() {
            return None;
        }
        let [bool_, word] = [self.bool_type(), self.u32_type()];
        let are_inside = self.failed_variable(bool_, "are_inside");
        let needs_first = !waiting.iter().all(|body| may_repeat(function, *body));
        let first = needs_first.then(|| FirstFailed {
            index: self.failed_variable(word, "failed_index"),
            number: self.failed_variable(word, "failed_check"),
        });
        Some(Failed { are_inside, first })
    }

    fn failed_variable(&mut self, ty: Id, name: &str) -> Id {
        let pointer = self.pointer_type(StorageClass::Function, ty);
        let variable = self.op(Op::Variable, pointer, &[StorageClass::Function as u32]);
        self.name(variable, name);
        variable
    }
}

impl FunctionWriter<'_, '_> {
    /// Begins to keep failed checks, if a loop is one whose traps stand behind it. True if they are kept from here on.
    pub(super) fn keep_traps_of(&mut self, body: BlockId, unroll: Unroll) -> bool {
        let Some(failed) = self.failed else { return false };
        let is_kept = self.traps_of_loop.is_some() || self.repeat.is_some();
        if is_kept || !traps_may_wait(self.w.module, self.w.kernel, self.function, body, unroll) {
            return false;
        }
        let bool_ = self.w.bool_type();
        let yes = self.w.global(Op::ConstantTrue, Some(bool_), &[]);
        self.w.effect(Op::Store, &[failed.are_inside, yes]);
        self.traps_of_loop = Some(match failed.first {
            Some(first) if !may_repeat(self.function, body) => {
                let zero = self.w.const_u32(0);
                self.w.effect(Op::Store, &[first.index, zero]);
                self.w.effect(Op::Store, &[first.number, zero]);
                LoopTraps::First(first, Vec::new())
            }
            _ => LoopTraps::Flag(Vec::new()),
        });
        true
    }

    /// Leaves a check's trap for later: behind the loads that follow, or behind the loop.
    pub(super) fn trap_later(&mut self, trap: LateTrap) {
        let (Some(failed), Some(LoopTraps::Flag(sites))) = (self.failed, &mut self.traps_of_loop) else {
            return self.late_traps.push(trap);
        };
        if !sites.contains(&trap.check.site) {
            sites.push(trap.check.site);
        }
        let bool_ = self.w.bool_type();
        let before = self.w.op(Op::Load, bool_, &[failed.are_inside]);
        let still = self.w.op(Op::LogicalAnd, bool_, &[before, trap.is_inside]);
        self.w.effect(Op::Store, &[failed.are_inside, still]);
    }

    /// The constant that tells the trap of a check from others of the loop: checks of one site and length share it.
    fn number_of(&mut self, check: Check) -> Id {
        let Some(LoopTraps::First(_, kept)) = &mut self.traps_of_loop else { return self.w.const_u32(0) };
        let is_same = |known: &Check| (known.site, known.len) == (check.site, check.len);
        let number = kept.iter().position(is_same).unwrap_or_else(|| {
            kept.push(check);
            kept.len() - 1
        });
        self.w.const_u32(number as u32)
    }

    fn keep_by_branch(&mut self, are_inside: Id, first: FirstFailed, traps: &[LateTrap]) {
        let numbers: Vec<_> = traps.iter().map(|trap| self.number_of(trap.check)).collect();
        let [bool_, word] = [self.w.bool_type(), self.w.u32_type()];
        let before = self.w.op(Op::Load, bool_, &[are_inside]);
        let all = self.all_inside(traps);
        let failed = self.w.op(Op::LogicalNot, bool_, &[all]);
        let is_first = self.w.op(Op::LogicalAnd, bool_, &[before, failed]);
        let (outside, merge) = (self.w.new_id(), self.w.new_id());
        self.w.effect(Op::SelectionMerge, &[merge, 0]);
        self.w.effect(Op::BranchConditional, &[is_first, outside, merge]);
        self.w.begin_block(outside);
        let mut found: Option<[Id; 2]> = None;
        for (number, trap) in numbers.iter().zip(traps).rev() {
            let this = [trap.check.index, *number];
            found = Some(match found {
                Some(later) => {
                    [0, 1].map(|part| self.w.op(Op::Select, word, &[trap.is_inside, later[part], this[part]]))
                }
                None => this,
            });
        }
        let no = self.w.global(Op::ConstantFalse, Some(bool_), &[]);
        self.w.effect(Op::Store, &[are_inside, no]);
        if let Some([index, number]) = found {
            self.w.effect(Op::Store, &[first.index, index]);
            self.w.effect(Op::Store, &[first.number, number]);
        }
        self.w.effect(Op::Branch, &[merge]);
        self.w.begin_block(merge);
    }

    /// Whether all of some checks passed, of which there is one at least.
    fn all_inside(&mut self, traps: &[LateTrap]) -> Id {
        let bool_ = self.w.bool_type();
        let mut checks = traps.iter().map(|trap| trap.is_inside);
        let first = checks.next().expect("there is a check");
        checks.fold(first, |before, is_inside| self.w.op(Op::LogicalAnd, bool_, &[before, is_inside]))
    }

    /// Writes the traps of a loop that was left; `write_again` writes the loop once more.
    pub(super) fn write_kept_traps(
        &mut self,
        write_again: impl FnOnce(&mut Self) -> Result<(), EmitError>,
    ) -> Result<(), EmitError> {
        let (Some(failed), Some(traps)) = (self.failed, self.traps_of_loop.take()) else { return Ok(()) };
        match traps {
            LoopTraps::Flag(sites) => self.repeat_for_trap(failed.are_inside, &sites, write_again),
            LoopTraps::First(first, checks) => {
                self.write_first_trap(failed.are_inside, first, &checks);
                Ok(())
            }
        }
    }

    /// Runs a loop once more where a check failed, for the trap.
    fn repeat_for_trap(
        &mut self,
        flag: Id,
        sites: &[SiteId],
        write_again: impl FnOnce(&mut Self) -> Result<(), EmitError>,
    ) -> Result<(), EmitError> {
        let Some(&site) = sites.first() else { return Ok(()) };
        let are_inside = self.are_inside(flag, sites.iter().copied());
        let (outside, merge) = (self.w.new_id(), self.w.new_id());
        self.w.effect(Op::SelectionMerge, &[merge, 0]);
        self.w.effect(Op::BranchConditional, &[are_inside, merge, outside]);
        self.w.begin_block(outside);
        // What the loop gives is what it gave the first time.
        let values = self.values.clone();
        self.repeat = Some(Repeat { depth: self.loops.len(), site });
        write_again(self)?;
        self.repeat = None;
        self.values = values;
        self.w.effect(Op::Branch, &[merge]);
        self.w.begin_block(merge);
        Ok(())
    }

    /// Behind the copy of a loop that runs for its first trap: should it come to none, there is one without an index, for no error may be lost.
    pub(super) fn trap_unless(&mut self, is_trapped: Id, site: SiteId) {
        let (outside, merge) = (self.w.new_id(), self.w.new_id());
        self.w.effect(Op::SelectionMerge, &[merge, 0]);
        self.w.effect(Op::BranchConditional, &[is_trapped, merge, outside]);
        self.w.begin_block(outside);
        let [index, len] = [u32::MAX, 0].map(|word| self.w.const_u32(word));
        self.w.call_trap(site, &[index, len]);
        self.w.effect(Op::Branch, &[merge]);
        self.w.begin_block(merge);
    }

    /// Writes the trap of the first check that failed.
    fn write_first_trap(&mut self, flag: Id, first: FirstFailed, checks: &[Check]) {
        let Some((last, others)) = checks.split_last() else { return };
        let [bool_, word] = [self.w.bool_type(), self.w.u32_type()];
        let are_inside = self.are_inside(flag, checks.iter().map(|check| check.site));
        let (outside, merge) = (self.w.new_id(), self.w.new_id());
        self.w.effect(Op::SelectionMerge, &[merge, 0]);
        self.w.effect(Op::BranchConditional, &[are_inside, merge, outside]);
        self.w.begin_block(outside);
        let index = self.w.op(Op::Load, word, &[first.index]);
        if others.is_empty() {
            self.trap(Check { index, ..*last });
        } else {
            let number = self.w.op(Op::Load, word, &[first.number]);
            for (at, check) in checks.iter().enumerate() {
                let at = self.w.const_u32(at as u32);
                let mut is_other = self.w.op(Op::INotEqual, bool_, &[number, at]);
                if let Some(is_proven) = self.is_proven(check.site) {
                    is_other = self.w.op(Op::LogicalOr, bool_, &[is_other, is_proven]);
                }
                self.trap_outside(LateTrap { is_inside: is_other, check: Check { index, ..*check } });
            }
        }
        self.w.effect(Op::Branch, &[merge]);
        self.w.begin_block(merge);
    }

    /// Whether no check of these failed by what the flag tells. Where a launch needs none of them, nothing of their traps is left.
    fn are_inside(&mut self, flag: Id, sites: impl Iterator<Item = SiteId>) -> Id {
        let bool_ = self.w.bool_type();
        let are_inside = self.w.op(Op::Load, bool_, &[flag]);
        let proven: Option<Vec<_>> = sites.map(|site| self.is_proven(site)).collect();
        let Some((one, others)) = proven.as_deref().and_then(<[Id]>::split_first) else { return are_inside };
        let all = others.iter().fold(*one, |all, one| self.w.op(Op::LogicalAnd, bool_, &[all, *one]));
        self.w.op(Op::LogicalOr, bool_, &[are_inside, all])
    }

    /// The constant that tells whether a launch does without a check, if some launch does.
    fn is_proven(&mut self, site: SiteId) -> Option<Id> {
        let group = self.w.check_groups.group(site)?;
        Some(self.w.is_proven(group))
    }

    /// Writes the traps that are left for later, in the order of their loads.
    pub(super) fn flush_traps(&mut self) {
        let late = std::mem::take(&mut self.late_traps);
        let Some((first, rest)) = late.split_first() else { return };
        if let (Some(failed), Some(LoopTraps::First(first, _))) = (self.failed, &self.traps_of_loop) {
            return self.keep_by_branch(failed.are_inside, *first, &late);
        }
        if self.repeat.is_some() {
            return late.iter().for_each(|trap| self.trap_outside(*trap));
        }
        let are_inside = self.all_inside(&late);
        let (outside, merge) = (self.w.new_id(), self.w.new_id());
        self.w.effect(Op::SelectionMerge, &[merge, 0]);
        self.w.effect(Op::BranchConditional, &[are_inside, merge, outside]);
        self.w.begin_block(outside);
        if rest.is_empty() {
            self.trap(first.check);
        } else {
            late.iter().for_each(|trap| self.trap_outside(*trap));
        }
        if self.leaves_at_traps() {
            self.leave();
        } else {
            self.w.effect(Op::Branch, &[merge]);
        }
        self.w.begin_block(merge);
    }

    fn trap_outside(&mut self, LateTrap { is_inside, check }: LateTrap) {
        let (outside, merge) = (self.w.new_id(), self.w.new_id());
        self.w.effect(Op::SelectionMerge, &[merge, 0]);
        self.w.effect(Op::BranchConditional, &[is_inside, merge, outside]);
        self.w.begin_block(outside);
        self.trap(check);
        if self.repeat.is_some() {
            self.leave();
        } else {
            self.w.effect(Op::Branch, &[merge]);
        }
        self.w.begin_block(merge);
    }

    fn trap(&mut self, Check { site, index, len }: Check) {
        self.w.call_trap(site, &[index, len]);
    }
}
