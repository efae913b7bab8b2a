//! Atomic accesses in SPIR-V. Floats live in cells of unsigned integers, or in cells of their own type in the variant
//! for devices that add to them. An operation that integers have no instruction for becomes a loop of exchanges; 8 and
//! 16 bits are exchanged with the word that holds them.

use rspirv::spirv::Op as Spv;

use super::function::FunctionWriter;
use super::registers::{in_register, is_narrow};
use super::types::Lanes;
use super::words::Id;
use crate::ir::{Atomic, AtomicOp, InstId, Order, Root};
use crate::op::Op;
use crate::types::{Scalar, TypeId};
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
    pub(super) fn atomic(&mut self, id: InstId, atomic: &Atomic, ty: Option<TypeId>) -> Id {
        let operands = self.ids(&atomic.operands);
        let operand_type = atomic.operands.first().map(|operand| self.function.values[*operand].ty);
        let value = ty.or(operand_type).expect("an atomic access has a result or an operand");
        let lanes = self.w.lanes_of(value);
        if lanes.scalar.bits() < 32 {
            return self.access_in_word(&atomic.place, ty, lanes.scalar.bits(), |writer, pointer, shift| {
                let (scope, semantics) = (writer.w.scope(atomic.scope), writer.w.semantics(success_order(atomic)));
                writer.narrow_atomic(atomic.op, lanes, Cell { pointer, scope, semantics }, shift, &operands)
            });
        }
        let cell_type = typing::place_type(self.w.module, self.function, &atomic.place);
        let is_native = cell_type.is_ok_and(|ty| self.w.lanes_of(ty).scalar.is_float());
        self.access_by_pointer(&atomic.place, ty, |writer, pointer| {
            let (scope, semantics) = (writer.w.scope(atomic.scope), writer.w.semantics(success_order(atomic)));
            let cell = Cell { pointer, scope, semantics };
            let is_shared = matches!(atomic.place.root, Root::Shared(_));
            match is_native {
                true => writer.w.need_float_atomic(lanes.scalar, is_shared),
                false => writer.w.need_atomic(lanes.scalar, is_shared),
            }
            if writer.is_gathered(id, atomic) {
                return writer.gather(lanes, operands[0], |writer, sum| {
                    writer.access_cell(atomic.op, lanes, cell, &[sum], is_native);
                });
            }
            writer.access_cell(atomic.op, lanes, cell, &operands, is_native)
        })
    }

    fn access_cell(&mut self, op: AtomicOp, lanes: Lanes, cell: Cell, operands: &[Id], is_native: bool) -> Id {
        match (is_native, lanes.scalar.is_float()) {
            (true, _) => self.native_atomic(op, lanes, cell, operands),
            (false, true) => self.float_atomic(op, lanes, cell, operands),
            (false, false) => self.int_atomic(op, lanes, cell, operands),
        }
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
        let float_type = self.w.lanes_type(float);
        self.exchange_until_done(word, cell, |writer, old| {
            let value = writer.w.bitcast(word, float, old);
            let new = match op {
                AtomicOp::Add => writer.w.float_op(Spv::FAdd, float_type, &[value, operand]),
                AtomicOp::Sub => writer.w.float_op(Spv::FSub, float_type, &[value, operand]),
                AtomicOp::Min => writer.w.extreme(Op::Min, float, &[value, operand]),
                _ => writer.w.extreme(Op::Max, float, &[value, operand]),
            };
            (value, writer.w.bitcast(float, word, new))
        })
    }

    /// Exchanges the word in a cell for the second that `change` makes of it, until nobody else wrote in between; gives the first.
    fn exchange_until_done(&mut self, word: Lanes, cell: Cell, change: impl FnOnce(&mut Self, Id) -> (Id, Id)) -> Id {
        let (word_type, bool_) = (self.w.lanes_type(word), self.w.bool_type());
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
        let (value, new) = change(self, old);
        self.w.op_into(seen, Spv::AtomicCompareExchange, word_type, &[pointer, scope, semantics, relaxed, new, old]);
        let is_done = self.w.op(Spv::IEqual, bool_, &[seen, old]);
        self.w.effect(Spv::BranchConditional, &[is_done, merge, next]);
        self.w.begin_block(next);
        self.w.effect(Spv::Branch, &[header]);
        self.w.begin_block(merge);
        value
    }

    /// An access to some bits of a word, from `shift` on; to the lowest ones where there is no shift.
    fn narrow_atomic(&mut self, op: AtomicOp, lanes: Lanes, cell: Cell, shift: Option<Id>, operands: &[Id]) -> Id {
        let word = Lanes::one(Scalar::U32);
        let word_type = self.w.lanes_type(word);
        if op == AtomicOp::Load {
            let Cell { pointer, scope, semantics } = cell;
            let old = self.w.op(Spv::AtomicLoad, word_type, &[pointer, scope, semantics]);
            return self.part_of_word(old, shift, lanes);
        }
        self.exchange_until_done(word, cell, |writer, old| {
            let value = writer.part_of_word(old, shift, lanes);
            let new = writer.narrow_result(op, lanes.of(in_register(lanes.scalar)), value, operands);
            let new = writer.bits_in_word(new, lanes);
            let Some(shift) = shift else { return (value, new) };
            let mask = writer.w.const_lanes(word, lanes.scalar.mask());
            let mask = writer.w.op(Spv::ShiftLeftLogical, word_type, &[mask, shift]);
            let others = writer.w.op(Spv::Not, word_type, &[mask]);
            let others = writer.w.op(Spv::BitwiseAnd, word_type, &[old, others]);
            let new = writer.w.op(Spv::ShiftLeftLogical, word_type, &[new, shift]);
            (value, writer.w.op(Spv::BitwiseOr, word_type, &[others, new]))
        })
    }

    fn part_of_word(&mut self, old: Id, shift: Option<Id>, lanes: Lanes) -> Id {
        let (word, bits) = (Lanes::one(Scalar::U32), lanes.of(lanes.scalar.unsigned()));
        let word_type = self.w.lanes_type(word);
        let old = shift.map_or(old, |shift| self.w.op(Spv::ShiftRightLogical, word_type, &[old, shift]));
        if is_narrow(lanes.scalar) {
            let held = self.w.bitcast(word, lanes.of(in_register(lanes.scalar)), old);
            return self.w.wrap(lanes.scalar, held);
        }
        let part = self.w.cast(word, bits.scalar, old);
        self.w.bitcast(bits, lanes, part)
    }

    /// The bits of a value of 8 or 16 bits, zeros above them. The value may be out of range.
    fn bits_in_word(&mut self, value: Id, lanes: Lanes) -> Id {
        let (word, bits) = (Lanes::one(Scalar::U32), lanes.of(lanes.scalar.unsigned()));
        if is_narrow(lanes.scalar) {
            let value = self.w.bitcast(lanes.of(in_register(lanes.scalar)), word, value);
            return self.w.wrap(bits.scalar, value);
        }
        let value = self.w.bitcast(lanes, bits, value);
        self.w.cast(bits, word.scalar, value)
    }

    /// The value that an operation leaves in a cell that held `value`. Of a narrow integer, it may be out of range.
    fn narrow_result(&mut self, op: AtomicOp, lanes: Lanes, value: Id, operands: &[Id]) -> Id {
        let (ty, bool_) = (self.w.lanes_type(lanes), self.w.bool_type());
        let is_float = lanes.scalar.is_float();
        let operand = operands[0];
        let spv = match op {
            AtomicOp::Load => return value,
            AtomicOp::Store | AtomicOp::Exchange => return operand,
            AtomicOp::CompareExchange(_) => {
                let bits = lanes.of(lanes.scalar.unsigned());
                let [held, wanted] =
                    [value, operand].map(|it| if is_float { self.w.bitcast(lanes, bits, it) } else { it });
                let is_held = self.w.op(Spv::IEqual, bool_, &[held, wanted]);
                return self.w.op(Spv::Select, ty, &[is_held, operands[1], value]);
            }
            AtomicOp::Min if is_float => return self.w.extreme(Op::Min, lanes, &[value, operand]),
            AtomicOp::Max if is_float => return self.w.extreme(Op::Max, lanes, &[value, operand]),
            AtomicOp::Min | AtomicOp::Max => {
                let less = if lanes.scalar.is_signed() { Spv::SLessThan } else { Spv::ULessThan };
                let is_less = self.w.op(less, bool_, &[value, operand]);
                let [first, second] = if op == AtomicOp::Min { [value, operand] } else { [operand, value] };
                return self.w.op(Spv::Select, ty, &[is_less, first, second]);
            }
            AtomicOp::Add if is_float => return self.w.float_op(Spv::FAdd, ty, &[value, operand]),
            AtomicOp::Sub if is_float => return self.w.float_op(Spv::FSub, ty, &[value, operand]),
            AtomicOp::Add => Spv::IAdd,
            AtomicOp::Sub => Spv::ISub,
            AtomicOp::And => Spv::BitwiseAnd,
            AtomicOp::Or => Spv::BitwiseOr,
            AtomicOp::Xor => Spv::BitwiseXor,
        };
        self.w.op(spv, ty, &[value, operand])
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
