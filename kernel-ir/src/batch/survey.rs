//! The survey of a kernel's accesses, and of the places that depend on more than the kernel's own item. It decides
//! nothing about gain.

use super::{Obstacle, Refusal};
use crate::arena::EntityId;
use crate::ir::{
    BlockId, BufferId, Builtin, Function, InstId, InstKind, Kernel, Module, Place, Root, SiteId, SourceLocation, Step,
    ValueId,
};

/// The findings of one walk through the kernel.
pub(super) struct Survey<'m> {
    pub(super) module: &'m Module,
    pub(super) kernel: &'m Kernel,
    pub(super) function: &'m Function,
    pub(super) accesses: Vec<Access>,
    pub(super) has_loop: bool,
    /// The instruction that defines each value.
    definitions: Vec<Option<InstId>>,
}

/// An access to a buffer.
pub(super) struct Access {
    pub(super) buffer: BufferId,
    pub(super) is_store: bool,
    /// At the index that is the item's.
    pub(super) is_own: bool,
    /// At an index that is the same for all items.
    pub(super) is_uniform: bool,
}

impl<'m> Survey<'m> {
    /// Walks the kernel and all it calls.
    ///
    /// # Errors
    /// Surveys the kernel; `Err` is the first place that keeps items from running one after the other.
    pub(super) fn of(module: &'m Module, kernel: &'m Kernel) -> Result<Self, Refusal> {
        let function = &module.functions[kernel.function];
        let definitions = vec![None; function.values.len()];
        let mut survey = Self { module, kernel, function, accesses: Vec::new(), has_loop: false, definitions };
        for (id, function) in module.functions.iter().filter(|(id, _)| *id != kernel.function) {
            debug_assert!(id < kernel.function, "callees stand before callers");
            for (_, inst) in function.insts.iter() {
                let touches = inst.kind.place().is_some_and(|place| !matches!(place.root, Root::Local(_)));
                let is_checked = inst.kind.place().is_some_and(Place::is_checked);
                if touches || is_checked || matches!(inst.kind, InstKind::Builtin(_)) {
                    return Err((Obstacle::Together, inst.location));
                }
                survey.refuse(&inst.kind, inst.location)?;
            }
        }
        survey.block(function.entry)?;
        Ok(survey)
    }

    fn block(&mut self, block: BlockId) -> Result<(), Refusal> {
        let function = self.function;
        for &id in &function.blocks[block].insts {
            let inst = &function.insts[id];
            for result in &inst.results {
                self.definitions[result.index()] = Some(id);
            }
            self.refuse(&inst.kind, inst.location)?;
            match &inst.kind {
                InstKind::Load(place) => self.access(place, false),
                InstKind::Store(place, _) => self.access(place, true),
                InstKind::Loop { .. } => self.has_loop = true,
                _ => {}
            }
            for inner in inst.kind.blocks() {
                self.block(inner)?;
            }
        }
        Ok(())
    }

    fn refuse(&self, kind: &InstKind, location: Option<SourceLocation>) -> Result<(), Refusal> {
        let refuse = |obstacle| Err((obstacle, location));
        let panic = |site: SiteId| Err((Obstacle::Panic, Some(self.module.sites[site].location)));
        match kind {
            InstKind::Builtin(Builtin::GlobalId) => Ok(()),
            InstKind::Builtin(_) | InstKind::Atomic(_) | InstKind::Barrier(_) => refuse(Obstacle::Together),
            InstKind::Fence(..) | InstKind::Subgroup(..) | InstKind::Image(..) => refuse(Obstacle::Together),
            InstKind::Coop(..) | InstKind::CoopLoad(_) | InstKind::CoopStore(..) => refuse(Obstacle::Together),
            InstKind::Trap(site, _) | InstKind::Panic(site, _) => panic(*site),
            InstKind::Print(..) => refuse(Obstacle::Print),
            InstKind::Load(place) | InstKind::Store(place, _) => {
                let left = place.path.iter().find_map(|step| match step {
                    Step::Index { check, .. } => check.filter(|site| self.module.sites[*site].at_launch.is_none()),
                    Step::Field(_) | Step::Element(_) | Step::Joined { .. } => None,
                });
                match (place.root, left) {
                    _ if place.is_unordered => refuse(Obstacle::Together),
                    (Root::Shared(_), _) => refuse(Obstacle::Together),
                    (_, Some(site)) => panic(site),
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn access(&mut self, place: &Place, is_store: bool) {
        if let (Root::Buffer(buffer), Some(Step::Index { value, .. })) = (place.root, place.path.first()) {
            let (is_own, is_uniform) = (self.is_item(*value), self.is_uniform(*value));
            self.accesses.push(Access { buffer, is_store, is_own, is_uniform });
        }
        if let (Root::Member(buffer, member), Some(Step::Index { value, .. })) = (place.root, place.path.first()) {
            let is_uniform = self.is_uniform(member) && self.is_uniform(*value);
            self.accesses.push(Access { buffer, is_store, is_own: false, is_uniform });
        }
    }

    /// The instruction that defines a value met so far; `None` for a block's parameter.
    pub(super) fn definition(&self, value: ValueId) -> Option<&'m InstKind> {
        let id = self.definitions[value.index()]?;
        Some(&self.function.insts[id].kind)
    }

    /// Whether a value is `global_id().x`.
    pub(super) fn is_item(&self, value: ValueId) -> bool {
        match self.definition(value) {
            Some(InstKind::Extract(id, path)) if path[..] == [0] => {
                matches!(self.definition(*id), Some(InstKind::Builtin(Builtin::GlobalId)))
            }
            _ => false,
        }
    }

    fn is_uniform(&self, value: ValueId) -> bool {
        match self.definition(value) {
            Some(InstKind::Extract(composite, _)) => self.is_uniform(*composite),
            Some(InstKind::Const(_) | InstKind::Param(_) | InstKind::ConstParam(_) | InstKind::Len(_)) => true,
            _ => false,
        }
    }
}
