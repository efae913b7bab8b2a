//! Traps of loads, which stand behind several of them: nothing that others can see comes between a load and its trap.
//!
//! A branch to a trap at each load keeps drivers from moving loads, and so from having several on their way at once. In a loop it keeps
//! them from writing out rounds, too: the loads of a loop that ends keep the first check that failed in variables, and the trap stands
//! behind the loop.
//!
//! In other loops an invocation leaves the kernel at its trap, unless others may wait for it: the launch has failed, and drivers need not join the
//! ways with and without a trap in each round.

use rspirv::spirv::{Op, StorageClass};

use super::function::FunctionWriter;
use super::memory::Check;
use super::module::Writer;
use super::words::Id;
use crate::arena::EntityId;
use crate::ir::{BlockId, Function, FunctionId, Inst, InstKind, Kernel, Module, Place, Root, SiteId, Step};
use crate::passes::loop_ends;

/// A check that was made, whose trap is not written yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct LateTrap {
    pub(super) is_inside: Id,
    pub(super) check: Check,
}

/// The variables of a function for the first check that failed in a loop.
#[derive(Debug, Clone, Copy)]
pub(super) struct FirstFailed {
    /// Whether none failed so far.
    are_inside: Id,
    index: Id,
    /// The position of its site and length among those of the loop.
    number: Id,
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

/// Whether the traps of a loop's loads may stand behind the loop: it ends whatever the loads give, and nothing in it traps but loads.
fn traps_may_wait(module: &Module, kernel: &Kernel, function: &Function, body: BlockId) -> bool {
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

/// Whether invocations neither come together nor wait for what others write: none reads what an atomic operation gives.
pub(super) fn nobody_waits(module: &Module, functions: &[FunctionId]) -> bool {
    functions.iter().all(|id| {
        let function = &module.functions[*id];
        let mut given = Vec::new();
        for (_, inst) in function.insts.iter() {
            match &inst.kind {
                kind if kind.needs_full_workgroup() || matches!(kind, InstKind::Fence(..)) => return false,
                InstKind::Atomic(_) => {
                    given.resize(function.values.len(), false);
                    inst.results.iter().for_each(|result| given[result.index()] = true);
                }
                _ => {}
            }
        }
        let is_read = |inst: &Inst| {
            let mut found = false;
            inst.kind.for_each_use(|value| found |= given[value.index()]);
            found
        };
        given.is_empty() || !function.insts.iter().any(|(_, inst)| is_read(inst))
    })
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
    pub(super) fn write_first_failed(&mut self, function: &Function) -> Option<FirstFailed> {
        let (module, kernel) = (self.module, self.kernel);
        let waits = |inst: &Inst| match inst.kind {
            InstKind::Loop { body, .. } => traps_may_wait(module, kernel, function, body),
            _ => false,
        };
        if !function.insts.iter().any(|(_, inst)| waits(inst)) {
            return None;
        }
        let [bool_, word] = [self.bool_type(), self.u32_type()];
        let [are_inside, index, number] =
            [(bool_, "are_inside"), (word, "failed_index"), (word, "failed_check")].map(|(ty, name)| {
                let pointer = self.pointer_type(StorageClass::Function, ty);
                let variable = self.op(Op::Variable, pointer, &[StorageClass::Function as u32]);
                self.name(variable, name);
                variable
            });
        Some(FirstFailed { are_inside, index, number })
    }
}

impl FunctionWriter<'_, '_> {
    /// Begins to keep failed checks, if a loop is one whose traps stand behind it. True if they are kept from here on.
    pub(super) fn keep_traps_of(&mut self, body: BlockId) -> bool {
        let Some(first_failed) = self.first_failed else { return false };
        if self.traps_of_loop.is_some() || !traps_may_wait(self.w.module, self.w.kernel, self.function, body) {
            return false;
        }
        let (bool_, zero) = (self.w.bool_type(), self.w.const_u32(0));
        let yes = self.w.global(Op::ConstantTrue, Some(bool_), &[]);
        self.w.effect(Op::Store, &[first_failed.are_inside, yes]);
        self.w.effect(Op::Store, &[first_failed.index, zero]);
        self.w.effect(Op::Store, &[first_failed.number, zero]);
        self.traps_of_loop = Some(Vec::new());
        true
    }

    /// Leaves a check's trap for later: behind the loads that follow, or behind the loop.
    ///
    /// The first check of a loop that failed is kept by selections where it is of a gather: a branch keeps drivers from having loads of several
    /// rounds on their way. Checks that launches do without as a rule are many at times, and cost less with one branch for those side by side.
    pub(super) fn trap_later(&mut self, trap: LateTrap) {
        let is_gather = self.w.module.sites[trap.check.site].at_launch.is_none();
        match self.first_failed {
            Some(first_failed) if is_gather && self.traps_of_loop.is_some() => {
                self.flush_traps();
                self.keep_by_selections(first_failed, trap);
            }
            _ => self.late_traps.push(trap),
        }
    }

    fn keep_by_selections(&mut self, first_failed: FirstFailed, trap: LateTrap) {
        let [bool_, word] = [self.w.bool_type(), self.w.u32_type()];
        let number = self.number_of(trap.check);
        let before = self.w.op(Op::Load, bool_, &[first_failed.are_inside]);
        for (variable, now) in [(first_failed.index, trap.check.index), (first_failed.number, number)] {
            let earlier = self.w.op(Op::Load, word, &[variable]);
            let kept = self.w.op(Op::Select, word, &[before, now, earlier]);
            self.w.effect(Op::Store, &[variable, kept]);
        }
        let still = self.w.op(Op::LogicalAnd, bool_, &[before, trap.is_inside]);
        self.w.effect(Op::Store, &[first_failed.are_inside, still]);
    }

    /// The constant that tells the trap of a check from others of the loop: checks of one site and length share it.
    fn number_of(&mut self, check: Check) -> Id {
        let kept = self.traps_of_loop.get_or_insert_default();
        let is_same = |known: &Check| (known.site, known.len) == (check.site, check.len);
        let number = kept.iter().position(is_same).unwrap_or_else(|| {
            kept.push(check);
            kept.len() - 1
        });
        self.w.const_u32(number as u32)
    }

    fn keep_by_branch(&mut self, first_failed: FirstFailed, traps: &[LateTrap]) {
        let numbers: Vec<_> = traps.iter().map(|trap| self.number_of(trap.check)).collect();
        let [bool_, word] = [self.w.bool_type(), self.w.u32_type()];
        let before = self.w.op(Op::Load, bool_, &[first_failed.are_inside]);
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
        self.w.effect(Op::Store, &[first_failed.are_inside, no]);
        if let Some([index, number]) = found {
            self.w.effect(Op::Store, &[first_failed.index, index]);
            self.w.effect(Op::Store, &[first_failed.number, number]);
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

    /// Writes the trap of a loop that was left: that of the first check that failed.
    pub(super) fn write_kept_trap(&mut self) {
        let (Some(first_failed), Some(checks)) = (self.first_failed, self.traps_of_loop.take()) else { return };
        let Some((last, others)) = checks.split_last() else { return };
        let [bool_, word] = [self.w.bool_type(), self.w.u32_type()];
        let mut are_inside = self.w.op(Op::Load, bool_, &[first_failed.are_inside]);
        // Where a launch needs none of the checks, nothing of their traps is left.
        let proven: Option<Vec<_>> = checks.iter().map(|check| self.is_proven(check)).collect();
        if let Some((first, others)) = proven.as_deref().and_then(<[Id]>::split_first) {
            let all = others.iter().fold(*first, |all, one| self.w.op(Op::LogicalAnd, bool_, &[all, *one]));
            are_inside = self.w.op(Op::LogicalOr, bool_, &[are_inside, all]);
        }
        let (outside, merge) = (self.w.new_id(), self.w.new_id());
        self.w.effect(Op::SelectionMerge, &[merge, 0]);
        self.w.effect(Op::BranchConditional, &[are_inside, merge, outside]);
        self.w.begin_block(outside);
        let index = self.w.op(Op::Load, word, &[first_failed.index]);
        if others.is_empty() {
            self.trap(Check { index, ..*last });
        } else {
            let number = self.w.op(Op::Load, word, &[first_failed.number]);
            for (at, check) in checks.iter().enumerate() {
                let at = self.w.const_u32(at as u32);
                let mut is_other = self.w.op(Op::INotEqual, bool_, &[number, at]);
                if let Some(is_proven) = self.is_proven(check) {
                    is_other = self.w.op(Op::LogicalOr, bool_, &[is_other, is_proven]);
                }
                self.trap_outside(LateTrap { is_inside: is_other, check: Check { index, ..*check } });
            }
        }
        self.w.effect(Op::Branch, &[merge]);
        self.w.begin_block(merge);
    }

    /// The constant that tells whether a launch does without a check, if some launch does.
    fn is_proven(&mut self, check: &Check) -> Option<Id> {
        let group = self.w.check_groups.group(check.site)?;
        Some(self.w.is_proven(group))
    }

    /// Writes the traps that are left for later, in the order of their loads.
    pub(super) fn flush_traps(&mut self) {
        let late = std::mem::take(&mut self.late_traps);
        let Some((first, rest)) = late.split_first() else { return };
        if let (Some(first_failed), true) = (self.first_failed, self.traps_of_loop.is_some()) {
            return self.keep_by_branch(first_failed, &late);
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
        self.w.effect(Op::Branch, &[merge]);
        self.w.begin_block(merge);
    }

    fn trap(&mut self, Check { site, index, len }: Check) {
        self.w.call_trap(site, &[index, len]);
    }
}
