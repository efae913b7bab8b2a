//! Atomic accesses. Floats live in cells of unsigned integers, where what integers have no instruction for becomes a loop of
//! exchanges; or in cells of their own type, in the variant for devices that add to them.

use rspirv::spirv::Op as Spv;

use super::blocks::FunctionWriter;
use super::types::Lanes;
use super::words::Id;
use crate::ir::{Atomic, AtomicOp, Order, Root};
use crate::op::Op;
use crate::types::TypeId;
use crate::typing;

/// Pointer, scope and semantics of an access.
#[derive(Clone, Copy)]
struct Cell {
    pointer: Id,
    scope: Id,
    semantics: Id,
}

impl FunctionWriter<'_, '_> {
    /// Writes an atomic access and gives its result, zero when it has none. `ty` is that of the result.
    pub(super) fn atomic(&mut self, atomic: &Atomic, ty: Option<TypeId>) -> Id {
        let operands = self.ids(&atomic.operands);
        let operand_type = atomic.operands.first().map(|operand| self.function.values[*operand].ty);
        let value = ty.or(operand_type).expect("an atomic access has a result or an operand");
        let lanes = self.w.lanes_of(value);
        let cell_type = typing::place_type(self.w.module, self.function, &atomic.place);
        let is_native = cell_type.is_ok_and(|ty| self.w.lanes_of(ty).scalar.is_float());
        self.access_by_pointer(&atomic.place, ty, |writer, pointer| {
            let (scope, semantics) = (writer.w.scope(atomic.scope), writer.w.semantics(success_order(atomic)));
            let cell = Cell { pointer, scope, semantics };
            let is_shared = matches!(atomic.place.root, Root::Shared(_));
            if is_native {
                writer.w.need_float_atomic(lanes.scalar, is_shared);
                return writer.native_atomic(atomic.op, lanes, cell, &operands);
            }
            writer.w.need_atomic(lanes.scalar, is_shared);
            if lanes.scalar.is_float() {
                writer.float_atomic(atomic.op, lanes, cell, &operands)
            } else {
                writer.int_atomic(atomic.op, lanes, cell, &operands)
            }
        })
    }

    fn int_atomic(&mut self, op: AtomicOp, lanes: Lanes, cell: Cell, operands: &[Id]) -> Id {
        let ty = self.w.lanes_type(lanes);
        let Cell { pointer, scope, semantics } = cell;
        let is_signed = lanes.scalar.is_signed();
        let spv = match op {
            AtomicOp::Store => {
                self.w.effect(Spv::AtomicStore, &[pointer, scope, semantics, operands[0]]);
                return 0;
            }
            AtomicOp::CompareExchange(failure) => {
                let failure = self.w.semantics(failure);
                let operands = [pointer, scope, semantics, failure, operands[1], operands[0]];
                return self.w.op(Spv::AtomicCompareExchange, ty, &operands);
            }
            AtomicOp::Load => Spv::AtomicLoad,
            AtomicOp::Exchange => Spv::AtomicExchange,
            AtomicOp::Add => Spv::AtomicIAdd,
            AtomicOp::Sub => Spv::AtomicISub,
            AtomicOp::And => Spv::AtomicAnd,
            AtomicOp::Or => Spv::AtomicOr,
            AtomicOp::Xor => Spv::AtomicXor,
            AtomicOp::Min if is_signed => Spv::AtomicSMin,
            AtomicOp::Min => Spv::AtomicUMin,
            AtomicOp::Max if is_signed => Spv::AtomicSMax,
            AtomicOp::Max => Spv::AtomicUMax,
        };
        let all = [&[pointer, scope, semantics], operands].concat();
        self.w.op(spv, ty, &all)
    }

    /// An access to a cell that is a float.
    fn native_atomic(&mut self, op: AtomicOp, float: Lanes, cell: Cell, operands: &[Id]) -> Id {
        let ty = self.w.lanes_type(float);
        let addend = match op {
            AtomicOp::Add => operands[0],
            // Exactly the same: a difference is rounded as the sum with the negative.
            AtomicOp::Sub => self.w.float_op(Spv::FNegate, ty, &[operands[0]]),
            _ => return self.int_atomic(op, float, cell, operands),
        };
        let Cell { pointer, scope, semantics } = cell;
        self.w.op(Spv::AtomicFAddEXT, ty, &[pointer, scope, semantics, addend])
    }

    fn float_atomic(&mut self, op: AtomicOp, float: Lanes, cell: Cell, operands: &[Id]) -> Id {
        let word = float.of(float.scalar.unsigned());
        if matches!(op, AtomicOp::Add | AtomicOp::Sub | AtomicOp::Min | AtomicOp::Max) {
            return self.exchange_loop(op, float, cell, operands[0]);
        }
        let bits: Vec<_> = operands.iter().map(|operand| self.w.bitcast(float, word, *operand)).collect();
        let old = self.int_atomic(op, word, cell, &bits);
        if op.reads() { self.w.bitcast(word, float, old) } else { 0 }
    }

    /// Computes the new value from the old one until nobody else wrote in between.
    fn exchange_loop(&mut self, op: AtomicOp, float: Lanes, cell: Cell, operand: Id) -> Id {
        let word = float.of(float.scalar.unsigned());
        let (word_type, float_type, bool_) = (self.w.lanes_type(word), self.w.lanes_type(float), self.w.bool_type());
        let relaxed = self.w.semantics(Order::Relaxed);
        let Cell { pointer, scope, semantics } = cell;
        let first = self.w.op(Spv::AtomicLoad, word_type, &[pointer, scope, relaxed]);
        let before = self.w.label;
        let [header, body, next, merge, seen] = [(); 5].map(|()| self.w.new_id());
        self.w.effect(Spv::Branch, &[header]);
        self.w.begin_block(header);
        let old = self.w.op(Spv::Phi, word_type, &[first, before, seen, next]);
        self.w.effect(Spv::LoopMerge, &[merge, next, 0]);
        self.w.effect(Spv::Branch, &[body]);
        self.w.begin_block(body);
        let value = self.w.bitcast(word, float, old);
        let new = match op {
            AtomicOp::Add => self.w.float_op(Spv::FAdd, float_type, &[value, operand]),
            AtomicOp::Sub => self.w.float_op(Spv::FSub, float_type, &[value, operand]),
            AtomicOp::Min => self.extreme(Op::Min, float, &[value, operand]),
            _ => self.extreme(Op::Max, float, &[value, operand]),
        };
        let new = self.w.bitcast(float, word, new);
        self.w.op_into(seen, Spv::AtomicCompareExchange, word_type, &[pointer, scope, semantics, relaxed, new, old]);
        let is_done = self.w.op(Spv::IEqual, bool_, &[seen, old]);
        self.w.effect(Spv::BranchConditional, &[is_done, merge, next]);
        self.w.begin_block(next);
        self.w.effect(Spv::Branch, &[header]);
        self.w.begin_block(merge);
        value
    }
}

/// The order of success: in SPIR-V it is at least as strong as that of failure.
fn success_order(atomic: &Atomic) -> Order {
    match (atomic.order, atomic.op) {
        (Order::Relaxed, AtomicOp::CompareExchange(Order::Acquire)) => Order::Acquire,
        (Order::Release, AtomicOp::CompareExchange(Order::Acquire)) => Order::AcqRel,
        (order, _) => order,
    }
}
