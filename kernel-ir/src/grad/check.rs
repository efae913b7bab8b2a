//! The check before reverse mode: instructions that no rule is for, or that cannot run once more. It changes nothing.

use crate::arena::EntityId;
use crate::ir::{AtomicOp, BlockId, InstId, InstKind, Place, Root, SharedId, SubgroupOp, ValueId};
use crate::op::Op;

use super::normal::exit;
use super::refusal::{Refusal, Refused};
use super::reverse::Reverse;
use super::shadows::ShadowKind;
use super::subgroups;

impl Reverse<'_, '_> {
    /// Refuses what no rule is for.
    pub(super) fn check(&self, block: BlockId) -> Result<(), Refusal> {
        for id in &self.function.blocks[block].insts {
            let inst = &self.function.insts[*id];
            let refuse = |refused| Err(Refusal { location: inst.location, refused });
            let active_result = inst.results.iter().any(|result| self.is_active(*result));
            let mut active_use = false;
            inst.kind.for_each_use(|value| active_use |= self.activity.is_varied(value));
            if let Some(refused) = self.refused_matrix(inst) {
                return refuse(refused);
            }
            match &inst.kind {
                InstKind::Op(Op::Bitcast, operands) if active_result && self.is_active(operands[0]) => {
                    return refuse(Refused::Bits);
                }
                InstKind::Op(..) if active_result && !self.is_float(inst.results[0]) => return refuse(Refused::Bits),
                InstKind::Subgroup(op, operands)
                    if active_result || inst.results.iter().any(|result| self.needs.value(*result)) =>
                {
                    if let Some(refused) = self.refused_subgroup(*id, *op, operands, active_result) {
                        return refuse(refused);
                    }
                }
                InstKind::Call(..) if active_result => return refuse(Refused::TooLarge),
                InstKind::Image(..) if active_use => return refuse(Refused::Image),
                InstKind::Atomic(atomic) => {
                    if active_result || inst.results.iter().any(|result| self.needs.value(*result)) {
                        return refuse(Refused::AtomicResult);
                    }
                    let is_sum = matches!(atomic.op, AtomicOp::Add | AtomicOp::Sub);
                    // A sum that something else overwrites is not what its addends made.
                    if let Root::Buffer(buffer) = atomic.place.root
                        && self.shadows.buffers[buffer.index()].is_some()
                        && atomic.op.writes()
                        && !is_sum
                    {
                        return refuse(Refused::Atomic);
                    }
                    if active_use && !(is_sum && matches!(atomic.place.root, Root::Buffer(_))) {
                        return refuse(match atomic.place.root {
                            Root::Shared(shared) => Refused::SharedAtomic { name: self.shared_name(shared) },
                            Root::Member(..) => Refused::List,
                            _ => Refused::Atomic,
                        });
                    }
                }
                InstKind::Store(place, value) if self.is_active(*value) => {
                    if matches!(place.root, Root::Member(..)) {
                        return refuse(Refused::List);
                    }
                }
                InstKind::Load(place) => {
                    if let Root::Buffer(buffer) = place.root
                        && active_result
                        && self.waits
                        && self.shadows.buffers[buffer.index()].is_some_and(|it| it.kind == ShadowKind::Taken)
                    {
                        return refuse(Refused::HandedOver);
                    }
                }
                InstKind::Loop { body, .. } if self.needs.acts(*id) => match exit(self.function, *body) {
                    None => return refuse(Refused::Loop),
                    Some(exit) if self.tests_together(&self.function.blocks[*body].insts[..exit.at]) => {
                        return refuse(Refused::SharedTest);
                    }
                    Some(_) => {}
                },
                _ => {}
            }
            for block in inst.kind.blocks() {
                self.check(block)?;
            }
        }
        Ok(())
    }

    /// Why an operation of a subgroup cannot be derived, or not run again.
    fn refused_subgroup(&self, id: InstId, op: SubgroupOp, operands: &[ValueId], is_active: bool) -> Option<Refused> {
        let is_moved = operands.first().is_some_and(|operand| is_active && self.is_active(*operand));
        if !self.contents.are_together(id) {
            return Some(Refused::SubgroupApart);
        }
        let kind = |value: &ValueId| self.source.types.get(self.ty(*value));
        if is_moved && !operands.first().is_some_and(|operand| subgroups::has_rule(op, kind(operand))) {
            return Some(Refused::Subgroup);
        }
        let differs = operands.get(1).is_some_and(|by| !self.uniformity.is_uniform(*by));
        (is_moved && differs).then_some(Refused::SubgroupLane)
    }

    /// Whether invocations wait in the test of a loop, or access shared variables: it runs once more than the rounds.
    fn tests_together(&self, head: &[InstId]) -> bool {
        head.iter().any(|id| {
            let inst = &self.function.insts[*id];
            let is_shared = matches!(inst.kind.place(), Some(Place { root: Root::Shared(_), .. }));
            let counts = self.needs.acts(*id)
                || matches!(inst.kind, InstKind::Store(..))
                || inst.results.iter().any(|result| self.needs.value(*result));
            matches!(inst.kind, InstKind::Barrier(_)) && self.hands_over()
                || is_shared && counts
                || inst.kind.blocks().iter().any(|block| self.tests_together(&self.function.blocks[*block].insts))
        })
    }

    /// Whether values or adjoints go from one invocation to another.
    fn hands_over(&self) -> bool {
        self.stores.contains(&true) || self.shared_shadows.iter().any(Option::is_some)
    }

    fn shared_name(&self, shared: SharedId) -> String {
        self.source.kernel.as_ref().map(|kernel| kernel.shared[shared].name.clone()).unwrap_or_default()
    }

    fn is_float(&self, value: ValueId) -> bool {
        let scalar = self.source.types.element_scalar(self.ty(value));
        scalar.is_none_or(|scalar| scalar.is_float())
    }
}
