//! Traps of loads, which stand behind several of them: nothing that others can see comes between a load and its trap.
//!
//! A branch to a trap at each load keeps drivers from moving loads, and so from having several on their way at once.

use rspirv::spirv::Op;

use super::blocks::FunctionWriter;
use super::memory::Check;
use super::words::Id;
use crate::ir::{Inst, InstKind, Root, Step};

/// A check that was made, whose trap is not written yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct LateTrap {
    pub(super) is_inside: Id,
    pub(super) check: Check,
}

/// Whether traps of earlier loads may come behind an instruction: it has no effect but on this invocation's own values, and no trap of another
/// kind.
pub(super) fn may_come_before_traps(inst: &Inst) -> bool {
    match &inst.kind {
        // A load whose check is of another kind writes the traps itself.
        InstKind::Load(_)
        | InstKind::Param(_)
        | InstKind::ConstParam(_)
        | InstKind::Builtin(_)
        | InstKind::Len(_)
        | InstKind::MemberLen(..)
        | InstKind::Const(_)
        | InstKind::Op(..)
        | InstKind::Compose(_)
        | InstKind::Extract(..)
        | InstKind::Insert(..) => true,
        InstKind::Store(place, _) => {
            let is_checked = place.path.iter().any(|step| matches!(step, Step::Index { check: Some(_), .. }));
            matches!(place.root, Root::Local(_)) && !is_checked
        }
        _ => false,
    }
}

impl FunctionWriter<'_, '_> {
    /// Writes the traps that are left for later, in the order of their loads.
    pub(super) fn flush_traps(&mut self) {
        let late = std::mem::take(&mut self.late_traps);
        let Some((first, rest)) = late.split_first() else { return };
        let bool_ = self.w.bool_type();
        let are_inside = rest
            .iter()
            .fold(first.is_inside, |before, trap| self.w.op(Op::LogicalAnd, bool_, &[before, trap.is_inside]));
        let (outside, merge) = (self.w.new_id(), self.w.new_id());
        self.w.effect(Op::SelectionMerge, &[merge, 0]);
        self.w.effect(Op::BranchConditional, &[are_inside, merge, outside]);
        self.w.begin_block(outside);
        if rest.is_empty() {
            self.trap(first.check);
        } else {
            late.iter().for_each(|trap| self.trap_outside(*trap));
        }
        self.w.effect(Op::Branch, &[merge]);
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
