//! Cooperation of invocations in the function builder: shared variables, atomics, barriers, subgroups.

use super::FunctionBuilder;
use super::function::or_panic;
use crate::coop;
use crate::ir::{
    Atomic, BufferId, CoopAccess, CoopOp, ImageOp, InstKind, Order, Scope, Shared, SharedId, SubgroupOp, ValueId,
};
use crate::types::TypeId;
use crate::typing;

impl FunctionBuilder<'_> {
    /// Adds a variable of the workgroup to the kernel.
    ///
    /// # Panics
    /// When the module has no kernel yet.
    #[track_caller]
    pub fn new_shared(&mut self, name: impl Into<String>, ty: TypeId) -> SharedId {
        let kernel = self.module.kernel.as_mut().expect("`begin_kernel` comes first");
        kernel.shared.push(Shared { name: name.into(), ty })
    }

    /// An atomic access; gives back the cell's old value unless it only stores. `value` is the type of operands and result:
    /// that of the cell, or `f32` where the cell is a `u32` that holds the bits of one.
    ///
    /// # Panics
    /// When the place is no cell of a buffer or of shared memory, or the types break the op's rule.
    #[track_caller]
    pub fn atomic(&mut self, atomic: Atomic, value: TypeId) -> Option<ValueId> {
        let cell = self.place_type(&atomic.place);
        let operands: Vec<_> = atomic.operands.iter().map(|operand| self.value_type(*operand)).collect();
        or_panic(typing::check_atomic(self.types(), atomic.op, cell, &operands, value));
        if atomic.op.reads() {
            Some(self.define(InstKind::Atomic(Box::new(atomic)), value))
        } else {
            self.append(InstKind::Atomic(Box::new(atomic)), &[]);
            None
        }
    }

    /// Reads, writes, measures or samples an image; gives back what that defines.
    ///
    /// # Panics
    /// When the parameter is no image, or one without such an operation.
    #[track_caller]
    pub fn image(&mut self, op: ImageOp, image: BufferId, operands: &[ValueId]) -> Option<ValueId> {
        let kernel = self.module.kernel.as_ref().expect("`begin_kernel` comes first");
        let known = kernel.buffers[image].image.expect("an image");
        let result = op.result(&known);
        let kind = InstKind::Image(op, image, operands.into());
        match result {
            Some(ty) => {
                let ty = self.types_mut().intern(ty);
                Some(self.define(kind, ty))
            }
            None => {
                self.append(kind, &[]);
                None
            }
        }
    }

    /// Waits for all invocations of the subgroup or workgroup.
    pub fn barrier(&mut self, scope: Scope) {
        self.append(InstKind::Barrier(scope), &[]);
    }

    /// Orders memory accesses before and behind it.
    pub fn fence(&mut self, scope: Scope, order: Order) {
        self.append(InstKind::Fence(scope, order), &[]);
    }

    /// An operation between the lanes of a subgroup.
    ///
    /// # Panics
    /// When the operands break the op's rule.
    #[track_caller]
    pub fn subgroup(&mut self, op: SubgroupOp, operands: &[ValueId]) -> ValueId {
        let operand_types: Vec<_> = operands.iter().map(|value| self.value_type(*value)).collect();
        let ty = or_panic(typing::subgroup_result(self.types(), op, &operand_types));
        let ty = self.types_mut().intern(ty);
        self.define(InstKind::Subgroup(op, operands.into()), ty)
    }

    /// An operation on matrices of the subgroup that gives one of type `ty`.
    ///
    /// # Panics
    /// When the operands or the type break the op's rule.
    #[track_caller]
    pub fn coop(&mut self, op: CoopOp, operands: &[ValueId], ty: TypeId) -> ValueId {
        let operand_types: Vec<_> = operands.iter().map(|value| self.value_type(*value)).collect();
        or_panic(coop::check_op(self.types(), op, &operand_types, ty));
        self.define(InstKind::Coop(op, operands.into()), ty)
    }

    /// Reads a matrix of type `ty`.
    pub fn coop_load(&mut self, access: CoopAccess, ty: TypeId) -> ValueId {
        self.define(InstKind::CoopLoad(Box::new(access)), ty)
    }

    /// Writes a matrix.
    pub fn coop_store(&mut self, access: CoopAccess, value: ValueId) {
        self.append(InstKind::CoopStore(Box::new(access), value), &[]);
    }
}
