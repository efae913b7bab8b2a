//! Parallel part of the verifier: atomics, barriers, fences, subgroup operations, matrices of subgroups.
//!
//! Whether barriers stand in uniform control flow is a property of the whole kernel, which `uniformity` finds out.

use super::{FunctionCx, VerifyErrorKind};
use crate::coop;
use crate::ir::{
    Atomic, AtomicOp, BufferId, CoopAccess, CoopOp, ImageOp, Inst, Order, Root, Scope, Step, SubgroupOp, ValueId,
};
use crate::types::{Scalar, Type, TypeId};
use crate::typing;

impl<'m> FunctionCx<'m, '_> {
    pub(super) fn check_atomic(&mut self, atomic: &Atomic, inst: &Inst) {
        if let Root::Local(local) = atomic.place.root {
            self.error(VerifyErrorKind::Place, format!("{local} is not shared, so atomics do not apply to it"));
        }
        let cell = self.check_place(&atomic.place);
        if atomic.op.writes() {
            self.check_writable(&atomic.place);
        }
        self.check_orders(atomic);
        let value = if atomic.op.reads() {
            self.only_result(inst)
        } else {
            self.check_no_results(inst);
            atomic.operands.first().and_then(|operand| self.type_of(*operand))
        };
        if let (Some(cell), Some(value), Some(operands)) = (cell, value, self.types_of(&atomic.operands))
            && let Err(message) = typing::check_atomic(&self.module.types, atomic.op, cell, &operands, value)
        {
            self.error(VerifyErrorKind::Operand, message);
        }
    }

    fn check_orders(&mut self, atomic: &Atomic) {
        let refused = match atomic.op {
            AtomicOp::Load => atomic.order.releases().then_some((atomic.order, "a load does not release")),
            AtomicOp::Store => atomic.order.acquires().then_some((atomic.order, "a store does not acquire")),
            AtomicOp::CompareExchange(failure) => {
                failure.releases().then_some((failure, "a failed exchange does not release"))
            }
            _ => None,
        };
        if let Some((order, why)) = refused {
            self.error(VerifyErrorKind::Order, format!("order `{}` cannot be: {why}", order.name()));
        }
    }

    pub(super) fn check_image(&mut self, op: ImageOp, image: BufferId, operands: &[ValueId], inst: &Inst) {
        let Some(kernel) = self.any_kernel(&image) else { return };
        let buffer = kernel.buffers.get(image);
        let Some((buffer, known)) = buffer.and_then(|buffer| Some((buffer, buffer.image?))) else {
            return self.error(VerifyErrorKind::UnknownId, format!("{image} is no image"));
        };
        if op == ImageOp::Store && !buffer.writable {
            self.error(VerifyErrorKind::ReadOnly, format!("{image} is not writable"));
        }
        let position = buffer.is_list.then_some(Type::Scalar(Scalar::U32));
        match op.operands(&known) {
            Some(types) if usize::from(buffer.is_list) + types.len() == operands.len() => {
                let pairs = operands.iter().zip(position.into_iter().chain(types));
                pairs.for_each(|(operand, ty)| self.check_operand(*operand, &[ty]));
            }
            _ => self.error(VerifyErrorKind::Operand, format!("{image} has no `{}` of these operands", op.name())),
        }
        match op.result(&known) {
            Some(ty) => self.check_result_is(inst, &ty),
            None => self.check_no_results(inst),
        }
    }

    pub(super) fn check_barrier(&mut self, scope: Scope, inst: &Inst) {
        if scope == Scope::Device {
            self.error(VerifyErrorKind::Order, "workgroups cannot wait for each other");
        }
        self.check_no_results(inst);
    }

    pub(super) fn check_fence(&mut self, order: Order, inst: &Inst) {
        if order == Order::Relaxed {
            self.error(VerifyErrorKind::Order, "a relaxed fence orders nothing");
        }
        self.check_no_results(inst);
    }

    pub(super) fn check_subgroup(&mut self, op: SubgroupOp, operands: &[ValueId], inst: &Inst) {
        let found = self.only_result(inst);
        let Some(operand_types) = self.types_of(operands) else { return };
        match typing::subgroup_result(&self.module.types, op, &operand_types) {
            Ok(ty) => {
                if let Some(found) = found.filter(|found| *self.module.types.get(*found) != ty) {
                    let (found, expected) = (self.show(found), self.module.types.display_type(&ty));
                    self.error(VerifyErrorKind::Result, format!("the result is `{expected}`, not `{found}`"));
                }
            }
            Err(message) => self.error(VerifyErrorKind::Operand, message),
        }
    }

    pub(super) fn check_coop(&mut self, op: CoopOp, operands: &[ValueId], inst: &Inst) {
        let made = self.only_result(inst);
        let (Some(operand_types), Some(made)) = (self.types_of(operands), made) else { return };
        if let Err(message) = coop::check_op(&self.module.types, op, &operand_types, made) {
            self.error(VerifyErrorKind::Operand, message);
        }
    }

    pub(super) fn check_coop_access(&mut self, access: &CoopAccess, matrix: Option<TypeId>) {
        let word = [Type::Scalar(Scalar::U32)];
        self.check_operand(access.first, &word);
        self.check_operand(access.stride, &word);
        let ends_in_index = matches!(access.place.path.last(), Some(Step::Index { .. }));
        if matches!(access.place.root, Root::Local(_)) || !ends_in_index {
            self.error(VerifyErrorKind::Place, "matrices lie among the elements of a buffer or of shared memory");
        }
        if let Root::Buffer(buffer) = access.place.root
            && self.module.kernel.as_ref().is_some_and(|it| it.buffers.get(buffer).is_some_and(|it| it.is_texels))
        {
            self.error(VerifyErrorKind::Place, "matrices are not fetched as texels");
        }
        let (Some(cell), Some(matrix)) = (self.check_place(&access.place), matrix) else { return };
        let types = &self.module.types;
        let Type::Coop(ty) = *types.get(matrix) else {
            let message = format!("`{}` is no matrix", types.display(matrix));
            return self.error(VerifyErrorKind::Operand, message);
        };
        if let Err(message) = coop::Lines::new(types, ty, cell, access.layout) {
            self.error(VerifyErrorKind::Place, message);
        }
    }
}
