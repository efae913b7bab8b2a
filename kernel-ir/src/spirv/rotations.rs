//! Rotations of 64-bit integers by constants, written in words: GPUs shift two words by one instruction, of which drivers take four, and
//! two more to join the parts.

use rspirv::spirv::Op as Spv;

use super::function::FunctionWriter;
use super::types::Lanes;
use super::words::Id;
use crate::arena::EntityId;
use crate::ir::{InstKind, ValueId};
use crate::op::Op;
use crate::types::Scalar;

impl FunctionWriter<'_, '_> {
    /// The rotated integer, if an `or` joins what a shift by a constant keeps with what it drops.
    pub(super) fn wide_rotation(&mut self, lanes: Lanes, operands: &[ValueId]) -> Option<Id> {
        if lanes.count != 1 || lanes.scalar != Scalar::U64 {
            return None;
        }
        let shifts = [self.shift_of(operands[0])?, self.shift_of(operands[1])?];
        let shift = |wanted: Op| shifts.iter().find(|(op, ..)| *op == wanted);
        let (&(_, value, left), &(_, other, right)) = (shift(Op::Shl)?, shift(Op::Shr)?);
        (value == other && left != 0 && left + right == 64).then(|| self.rotate_words(value, left))
    }

    /// A shift by a constant: its direction, what it shifts, by how many bits.
    fn shift_of(&self, value: ValueId) -> Option<(Op, ValueId, u32)> {
        let inst = self.definitions[value.index()]?;
        let InstKind::Op(op @ (Op::Shl | Op::Shr), operands) = &self.function.insts[inst].kind else { return None };
        Some((*op, operands[0], self.known_u32(operands[1])? % 64))
    }

    /// Rotates to the left. Each word of the result is the upper one of two words that are shifted by less than a word.
    fn rotate_words(&mut self, value: ValueId, by: u32) -> Id {
        let value = self.value(value);
        let (wide, word) = (self.w.lanes_type(Lanes::one(Scalar::U64)), self.w.u32_type());
        let pair = self.w.lanes_type(Lanes { scalar: Scalar::U32, count: 2 });
        let words = self.w.op(Spv::Bitcast, pair, &[value]);
        let [low, high] = [0, 1].map(|at| self.w.op(Spv::CompositeExtract, word, &[words, at]));
        let swapped = self.w.op(Spv::CompositeConstruct, pair, &[high, low]);
        if by == 32 {
            return self.w.op(Spv::Bitcast, wide, &[swapped]);
        }
        let swapped = self.w.op(Spv::Bitcast, wide, &[swapped]);
        let whole = if by < 32 { [swapped, value] } else { [value, swapped] };
        let by = self.w.const_u32(by % 32);
        let [low, high] = whole.map(|whole| {
            let shifted = self.w.op(Spv::ShiftLeftLogical, wide, &[whole, by]);
            let words = self.w.op(Spv::Bitcast, pair, &[shifted]);
            self.w.op(Spv::CompositeExtract, word, &[words, 1])
        });
        let words = self.w.op(Spv::CompositeConstruct, pair, &[low, high]);
        self.w.op(Spv::Bitcast, wide, &[words])
    }
}
