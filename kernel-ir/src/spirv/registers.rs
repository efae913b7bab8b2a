//! Narrow integers, those of 8 and 16 bits, in registers: words with the same values.
//!
//! GPUs compute with 32 bits. Behind an operation on fewer, NVIDIA's driver (580.159) clears the upper bits: a minimum of 49 bytes takes 31.9 µs
//! as bytes and 24.0 as words. So a narrow integer is a word from the load to the store, through loops, selections and calls, too. Memory,
//! vectors and other composites hold it as it is. An operation whose result may leave the range of the type wraps the result, where somebody
//! reads more than the lower bits.

use rspirv::spirv::Op as Spv;

use super::function::FunctionWriter;
use super::module::Writer;
use super::ops::is_not_written;
use super::types::Lanes;
use super::words::{Id, Ids};
use crate::arena::EntityId;
use crate::ir::{Constant, Function, InstKind, ValueId};
use crate::op::Op;
use crate::passes::eval;
use crate::types::{Scalar, Type, TypeId, Types};

/// Whether a register holds more bits than a scalar has, and so an integer of another type.
pub(super) const fn is_narrow(scalar: Scalar) -> bool {
    scalar.is_int() && scalar.bits() < 32
}

/// The scalar that a register holds in place of this one.
pub(super) const fn in_register(scalar: Scalar) -> Scalar {
    match (is_narrow(scalar), scalar.is_signed()) {
        (false, _) => scalar,
        (true, true) => Scalar::I32,
        (true, false) => Scalar::U32,
    }
}

/// Whether every value of one integer type is a value of another.
const fn fits(from: Scalar, to: Scalar) -> bool {
    match (from.is_signed(), to.is_signed()) {
        (true, false) => false,
        (false, true) => from.bits() < to.bits(),
        (true, true) | (false, false) => from.bits() <= to.bits(),
    }
}

impl Writer<'_> {
    /// The scalar that a type is, if it is a narrow integer.
    fn narrow_scalar(&self, ty: TypeId) -> Option<Scalar> {
        match *self.module.types.get(ty) {
            Type::Scalar(scalar) if is_narrow(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The type of values of `ty` in registers; [`Self::value_type`] is that of variables and of members of composites.
    pub(super) fn register_type(&mut self, ty: TypeId) -> Id {
        match self.narrow_scalar(ty) {
            Some(scalar) => self.lanes_type(Lanes::one(in_register(scalar))),
            None => self.value_type(ty),
        }
    }

    /// All bits zero, of any type, in a register.
    pub(super) fn register_zero(&mut self, ty: TypeId) -> Id {
        self.register_constant(Constant::Zero, ty)
    }

    /// A literal in a register.
    pub(super) fn register_constant(&mut self, constant: Constant, ty: TypeId) -> Id {
        let Some(scalar) = self.narrow_scalar(ty) else { return self.constant(constant, ty) };
        let bits = eval::bits(constant).expect("the literal of an integer has bits");
        let above = 64 - scalar.bits();
        let extended = if scalar.is_signed() { ((bits << above).cast_signed() >> above).cast_unsigned() } else { bits };
        self.const_scalar(in_register(scalar), extended & Scalar::U32.mask())
    }

    /// A value in a register, of which the variable or composite holds `stored`.
    pub(super) fn widen(&mut self, stored: Id, ty: TypeId) -> Id {
        let Some(scalar) = self.narrow_scalar(ty) else { return stored };
        let word = self.register_type(ty);
        self.op(if scalar.is_signed() { Spv::SConvert } else { Spv::UConvert }, word, &[stored])
    }

    /// A value in a register as variables and composites hold it.
    fn narrow(&mut self, value: Id, ty: TypeId) -> Id {
        let Some(scalar) = self.narrow_scalar(ty) else { return value };
        let narrow = self.value_type(ty);
        self.op(if scalar.is_signed() { Spv::SConvert } else { Spv::UConvert }, narrow, &[value])
    }

    /// The value of a narrow integer that a word's lower bits are.
    pub(super) fn wrap(&mut self, scalar: Scalar, word: Id) -> Id {
        let lanes = Lanes::one(in_register(scalar));
        let ty = self.lanes_type(lanes);
        if !scalar.is_signed() {
            let mask = self.const_lanes(lanes, scalar.mask());
            return self.op(Spv::BitwiseAnd, ty, &[word, mask]);
        }
        let (first, count) = (self.const_u32(0), self.const_u32(scalar.bits()));
        self.op(Spv::BitFieldSExtract, ty, &[word, first, count])
    }

    /// The bits of a narrow integer, zeros above them.
    pub(super) fn bits_of(&mut self, scalar: Scalar, value: Id) -> Id {
        if !scalar.is_signed() {
            return value;
        }
        let bits = self.bitcast(Lanes::one(Scalar::I32), Lanes::one(Scalar::U32), value);
        self.wrap(scalar.unsigned(), bits)
    }

    /// Rust's `as` between scalars in registers, of which one is a narrow integer.
    fn cast_in_register(&mut self, from: Scalar, to: Scalar, value: Id) -> Id {
        let held = Lanes::one(in_register(from));
        if !is_narrow(to) {
            return self.cast(held, to, value);
        }
        if from.is_float() {
            return self.float_to_register(held, to, value);
        }
        let word = self.cast(held, in_register(to), value);
        if from == Scalar::Bool || fits(from, to) { word } else { self.wrap(to, word) }
    }

    /// The same bits as another scalar, of which one is a narrow integer.
    fn bitcast_in_register(&mut self, from: Scalar, to: Scalar, value: Id) -> Id {
        if is_narrow(from) && is_narrow(to) {
            return self.cast_in_register(from, to, value);
        }
        // A float of 16 bits has no word.
        if is_narrow(from) {
            let bits = self.bits_of(from, value);
            let bits = self.cast(Lanes::one(Scalar::U32), Scalar::U16, bits);
            return self.bitcast(Lanes::one(Scalar::U16), Lanes::one(to), bits);
        }
        let bits = self.bitcast(Lanes::one(from), Lanes::one(Scalar::U16), value);
        let bits = self.cast(Lanes::one(Scalar::U16), Scalar::U32, bits);
        self.cast_in_register(Scalar::U32, to, bits)
    }
}

impl FunctionWriter<'_, '_> {
    /// A value as variables and composites hold it.
    pub(super) fn stored_value(&mut self, value: ValueId) -> Id {
        let ty = self.function.values[value].ty;
        if self.w.narrow_scalar(ty).is_none() {
            return self.value(value);
        }
        match self.definitions[value.index()].map(|inst| &self.function.insts[inst].kind) {
            Some(InstKind::Const(constant)) => self.w.constant(*constant, ty),
            _ => self.w.narrow(self.value(value), ty),
        }
    }

    /// Several values as variables and composites hold them.
    pub(super) fn stored_ids(&mut self, values: &[ValueId]) -> Ids {
        values.iter().map(|value| self.stored_value(*value)).collect()
    }

    /// Writes an op on a scalar with a scalar result, of which one is a narrow integer.
    pub(super) fn narrow_op(
        &mut self,
        op: Op,
        [from, to]: [Scalar; 2],
        operands: &[ValueId],
        ids: &[Id],
        result: ValueId,
    ) -> Id {
        let words = Lanes::one(in_register(from));
        let word = match op {
            Op::Cast => return self.w.cast_in_register(from, to, ids[0]),
            Op::Bitcast => return self.w.bitcast_in_register(from, to, ids[0]),
            Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros | Op::ReverseBits | Op::MulHigh => {
                return self.w.narrow_bit_op(op, from, ids);
            }
            Op::Shl | Op::Shr => self.shift(op, words, from.bits(), ids, operands[1]),
            Op::Or | Op::Xor if self.may_swap_bytes(from, operands) => self.joined_apart(op, words, ids),
            _ => self.lanes_op(op, words, ids),
        };
        if leaves_range(op, from) && self.is_read_whole(result) { self.w.wrap(from, word) } else { word }
    }

    /// Whether somebody reads more of a narrow integer than its lower bits.
    fn is_read_whole(&self, value: ValueId) -> bool {
        self.read_whole.get_or_init(|| read_whole(self.function, &self.w.module.types))[value.index()]
    }
}

/// By value: whether somebody reads more than the lower bits of it, if it is a narrow integer.
fn read_whole(function: &Function, types: &Types) -> Vec<bool> {
    let mut is_whole = vec![false; function.values.len()];
    let scalar = |value: ValueId| match *types.get(function.values[value].ty) {
        Type::Scalar(scalar) => Some(scalar),
        _ => None,
    };
    for (_, inst) in function.insts.iter() {
        let reads_lower_bits = match &inst.kind {
            // Each bit of the result hangs on no higher ones of the operands, and the result is wrapped itself.
            InstKind::Op(Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Shl, _) => true,
            InstKind::Op(Op::Cast | Op::Bitcast, operands) => match (scalar(operands[0]), scalar(inst.results[0])) {
                (Some(from), Some(to)) => is_narrow(to) && to.bits() <= from.bits() && !fits(from, to),
                _ => false,
            },
            InstKind::Store(..) | InstKind::Compose(_) | InstKind::Insert(..) => true,
            _ => false,
        };
        if !reads_lower_bits {
            inst.kind.for_each_use(|value| is_whole[value.index()] = true);
        }
    }
    is_whole
}

/// Whether the result of an op on words with the values of narrow integers may be none of theirs.
fn leaves_range(op: Op, scalar: Scalar) -> bool {
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Shl | Op::Abs => true,
        // The upper bits of a signed integer repeat its sign.
        Op::Not => scalar.is_unsigned(),
        Op::And | Op::Or | Op::Xor | Op::Shr | Op::Min | Op::Max => false,
        // Nobody divides the least integer by -1.
        Op::Div | Op::Rem => false,
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => false,
        _ => is_not_written(op),
    }
}
