//! Atomic additions of floats that a subgroup does together: where all lanes add to one element, they add up among themselves first.
//!
//! A thousand invocations that add to one number otherwise wait for each other a thousand times. The lanes that come to such an
//! addition together are those that take part, whatever control flow led there: no invocation waits for one that is elsewhere. On
//! devices without sums of subgroups, [`without_gathering`](crate::variant::without_gathering) takes them out of the words.

use rspirv::spirv::{GroupOperation, Op as Spv};

use super::function::FunctionWriter;
use super::types::Lanes;
use super::words::Id;
use crate::arena::EntityId;
use crate::descriptor::SubgroupOperations;
use crate::ir::{
    Atomic, AtomicOp, BlockId, Fold, Function, InstId, InstKind, Kernel, Module, Order, Place, SubgroupOp, ValueId,
};
use crate::op::Op;
use crate::types::{Scalar, Size, Type};
use crate::uniformity::{Uniformity, agreeing_functions};

/// The additions of a kernel's function that are gathered, by number of the instruction.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    insts: Vec<bool>,
}

impl Gathered {
    /// Finds them.
    pub(super) fn of(module: &Module, kernel: &Kernel) -> Self {
        let function = &module.functions[kernel.function];
        let is_float = |value: ValueId| {
            let ty = module.types.get(function.values[value].ty);
            matches!(ty, Type::Scalar(Scalar::F32 | Scalar::F64))
        };
        let mut found: Vec<InstId> = Vec::new();
        for (id, inst) in function.insts.iter() {
            if let InstKind::Atomic(atomic) = &inst.kind
                && matches!(atomic.op, AtomicOp::Add | AtomicOp::Sub)
                && atomic.order == Order::Relaxed
                && atomic.operands.first().is_some_and(|operand| is_float(*operand))
            {
                found.push(id);
            }
        }
        if found.is_empty() || kernel.workgroup == [Size::Known(1); 3] {
            return Self::default();
        }
        let mut used = vec![false; function.values.len()];
        for (_, inst) in function.insts.iter() {
            inst.kind.for_each_use(|value| used[value.index()] = true);
        }
        let agreeing = agreeing_functions(module);
        let uniformity = Uniformity::of(function, Some(kernel), &agreeing);
        let is_uniform = |place: &Place| place.values().all(|value| uniformity.is_uniform(value));
        let mut insts = vec![false; function.insts.len()];
        let mut alone = vec![false; function.insts.len()];
        find_alone(function, function.entry, &uniformity, false, &mut alone);
        for id in found {
            let inst = &function.insts[id];
            let is_unused = inst.results.iter().all(|result| !used[result.index()]);
            insts[id.index()] = is_unused && !alone[id.index()] && inst.kind.place().is_some_and(is_uniform);
        }
        Self { insts }
    }

    /// The operations that the module uses for them.
    pub(super) fn operations(&self) -> SubgroupOperations {
        match self.insts.contains(&true) {
            true => SubgroupOperations::GATHERING,
            false => SubgroupOperations::default(),
        }
    }

    fn holds(&self, id: InstId) -> bool {
        self.insts.get(id.index()).copied().unwrap_or(false)
    }
}

/// Marks the instructions to which one invocation comes alone, as far as conditions say so.
fn find_alone(function: &Function, block: BlockId, uniformity: &Uniformity<'_>, is_alone: bool, alone: &mut [bool]) {
    for id in &function.blocks[block].insts {
        alone[id.index()] = is_alone;
        match &function.insts[*id].kind {
            InstKind::If { condition, then_block, else_block } => {
                let one = |wanted| is_alone || picks_one(function, *condition, uniformity, wanted);
                find_alone(function, *then_block, uniformity, one(true), alone);
                find_alone(function, *else_block, uniformity, one(false), alone);
            }
            kind => {
                kind.blocks().into_iter().for_each(|block| find_alone(function, block, uniformity, is_alone, alone))
            }
        }
    }
}

/// Whether a condition that is `wanted` says which invocation it is: its number equals one that all know.
fn picks_one(function: &Function, condition: ValueId, uniformity: &Uniformity<'_>, wanted: bool) -> bool {
    let definition = function.insts.iter().find(|(_, inst)| inst.results.contains(&condition));
    match definition.map(|(_, inst)| &inst.kind) {
        Some(InstKind::Subgroup(SubgroupOp::Elect, _)) => wanted,
        Some(InstKind::Op(Op::Eq, operands)) if wanted => {
            uniformity.is_uniform(operands[0]) != uniformity.is_uniform(operands[1])
        }
        Some(InstKind::Op(Op::Ne, operands)) if !wanted => {
            uniformity.is_uniform(operands[0]) != uniformity.is_uniform(operands[1])
        }
        Some(InstKind::Op(Op::And, operands)) if wanted => {
            operands.iter().any(|operand| picks_one(function, *operand, uniformity, true))
        }
        _ => false,
    }
}

impl FunctionWriter<'_, '_> {
    /// Whether the subgroup does an atomic access together.
    pub(super) fn is_gathered(&self, id: InstId, atomic: &Atomic) -> bool {
        let own = &self.w.module.functions[self.w.kernel.function];
        std::ptr::eq(own, self.function)
            && self.w.gathered.holds(id)
            && matches!(atomic.op, AtomicOp::Add | AtomicOp::Sub)
    }

    /// Lets one lane do with the sum of an operand over the active lanes what each would do with its own. There is no result; the
    /// operand stands for it.
    pub(super) fn gather(&mut self, lanes: Lanes, operand: Id, access: impl FnOnce(&mut Self, Id)) -> Id {
        let bool_ = self.w.bool_type();
        // The two follow each other, so that the same lanes take part in both. `without_gathering` knows them by that.
        let sum = self.fold_lanes(Fold::Add, GroupOperation::Reduce, lanes, &[operand]);
        let is_first = self.group_op(Spv::GroupNonUniformElect, bool_, &[]);
        let [inside, merge] = [(); 2].map(|()| self.w.new_id());
        self.w.effect(Spv::SelectionMerge, &[merge, 0]);
        self.w.effect(Spv::BranchConditional, &[is_first, inside, merge]);
        self.w.begin_block(inside);
        access(self, sum);
        self.w.effect(Spv::Branch, &[merge]);
        self.w.begin_block(merge);
        operand
    }
}
