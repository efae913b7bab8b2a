//! Operations on bits, for all widths: SPIR-V for Vulkan has most of them for 32 bits only.

use rspirv::spirv::{GlslStd450Op as GLOp, Op as Spv};

use super::module::Writer;
use super::ops::is_not_written;
use super::registers::in_register;
use super::types::Lanes;
use super::words::Id;
use crate::op::Op;
use crate::types::Scalar;

impl Writer<'_> {
    /// Counts of bits, the reverse order, and the upper half of a product.
    pub(super) fn bit_op(&mut self, op: Op, lanes: Lanes, ids: &[Id]) -> Id {
        if op == Op::MulHigh {
            return self.mul_high(lanes, ids);
        }
        let bits = self.cast(lanes, lanes.scalar.unsigned(), ids[0]);
        let lanes_of_bits = lanes.of(lanes.scalar.unsigned());
        let words = lanes.of(Scalar::U32);
        let width = u64::from(lanes.scalar.bits());
        let result = match width {
            32 => self.word_op(op, words, bits),
            64 => return self.wide_bit_op(op, lanes, bits),
            _ => {
                let word = self.cast(lanes_of_bits, Scalar::U32, bits);
                self.lower_bits_op(op, words, width, word)
            }
        };
        if op == Op::ReverseBits { self.cast(words, lanes.scalar, result) } else { result }
    }

    /// The same of narrow integers in registers.
    pub(super) fn narrow_bit_op(&mut self, op: Op, scalar: Scalar, ids: &[Id]) -> Id {
        let (held, words) = (Lanes::one(in_register(scalar)), Lanes::one(Scalar::U32));
        if op == Op::MulHigh {
            let (ty, by) = (self.lanes_type(held), self.const_u32(scalar.bits()));
            let product = self.op(Spv::IMul, ty, ids);
            let shift = if scalar.is_signed() { Spv::ShiftRightArithmetic } else { Spv::ShiftRightLogical };
            return self.op(shift, ty, &[product, by]);
        }
        let bits = self.bits_of(scalar, ids[0]);
        let result = self.lower_bits_op(op, words, scalar.bits().into(), bits);
        if op != Op::ReverseBits || !scalar.is_signed() {
            return result;
        }
        let result = self.bitcast(words, held, result);
        self.wrap(scalar, result)
    }

    /// An op on the lower bits of words, above which there are zeros.
    fn lower_bits_op(&mut self, op: Op, words: Lanes, width: u64, bits: Id) -> Id {
        let (ty, above) = (self.lanes_type(words), self.const_lanes(words, 32 - width));
        let result = self.word_op(op, words, bits);
        match op {
            Op::CountOnes => result,
            Op::LeadingZeros => self.op(Spv::ISub, ty, &[result, above]),
            Op::TrailingZeros => {
                let all = self.const_lanes(words, width);
                self.glsl_op(GLOp::UMin, ty, &[result, all])
            }
            Op::ReverseBits => self.op(Spv::ShiftRightLogical, ty, &[result, above]),
            _ => is_not_written(op),
        }
    }

    /// An op on the bits of words.
    fn word_op(&mut self, op: Op, words: Lanes, bits: Id) -> Id {
        let ty = self.lanes_type(words);
        match op {
            Op::CountOnes => self.op(Spv::BitCount, ty, &[bits]),
            Op::ReverseBits => self.op(Spv::BitReverse, ty, &[bits]),
            Op::LeadingZeros => {
                // Of zero the highest bit is -1, which makes 32.
                let highest = self.glsl_op(GLOp::FindUMsb, ty, &[bits]);
                let top = self.const_lanes(words, 31);
                self.op(Spv::ISub, ty, &[top, highest])
            }
            Op::TrailingZeros => {
                // Of zero the lowest bit is -1, the largest `u32`.
                let lowest = self.glsl_op(GLOp::FindILsb, ty, &[bits]);
                let all = self.const_lanes(words, 32);
                self.glsl_op(GLOp::UMin, ty, &[lowest, all])
            }
            _ => is_not_written(op),
        }
    }

    /// An op on the bits of `u64`, by halves.
    fn wide_bit_op(&mut self, op: Op, lanes: Lanes, bits: Id) -> Id {
        let (wide, words) = (lanes.of(Scalar::U64), lanes.of(Scalar::U32));
        let (wide_type, ty) = (self.lanes_type(wide), self.lanes_type(words));
        let bools = self.lanes_type(lanes.of(Scalar::Bool));
        let shift = self.const_lanes(words, 32);
        let upper = self.op(Spv::ShiftRightLogical, wide_type, &[bits, shift]);
        let [low, high] = [bits, upper].map(|half| self.cast(wide, Scalar::U32, half));
        let [low_result, high_result] = [low, high].map(|half| self.word_op(op, words, half));
        match op {
            Op::CountOnes => self.op(Spv::IAdd, ty, &[low_result, high_result]),
            Op::ReverseBits => {
                let [low, high] = [high_result, low_result].map(|half| self.cast(words, Scalar::U64, half));
                let high = self.op(Spv::ShiftLeftLogical, wide_type, &[high, shift]);
                let both = self.op(Spv::BitwiseOr, wide_type, &[low, high]);
                self.cast(wide, lanes.scalar, both)
            }
            Op::LeadingZeros | Op::TrailingZeros => {
                // The half looked at first, if it is not zero; else 32 and what the other has.
                let (first, first_result, rest) = match op {
                    Op::LeadingZeros => (high, high_result, low_result),
                    _ => (low, low_result, high_result),
                };
                let zero = self.const_lanes(words, 0);
                let is_zero = self.op(Spv::IEqual, bools, &[first, zero]);
                let more = self.op(Spv::IAdd, ty, &[rest, shift]);
                self.op(Spv::Select, ty, &[is_zero, more, first_result])
            }
            _ => is_not_written(op),
        }
    }

    fn mul_high(&mut self, lanes: Lanes, ids: &[Id]) -> Id {
        let (ty, width) = (self.lanes_type(lanes), lanes.scalar.bits());
        let is_signed = lanes.scalar.is_signed();
        if width < 32 {
            let words = lanes.of(if is_signed { Scalar::I32 } else { Scalar::U32 });
            let word_type = self.lanes_type(words);
            let factors = [ids[0], ids[1]].map(|id| self.cast(lanes, words.scalar, id));
            let product = self.op(Spv::IMul, word_type, &factors);
            let by = self.const_lanes(lanes.of(Scalar::U32), width.into());
            let high = self.op(Spv::ShiftRightLogical, word_type, &[product, by]);
            return self.cast(words, lanes.scalar, high);
        }
        if width == 64 {
            return self.mul_high_wide(lanes, ids);
        }
        let pair = self.global(Spv::TypeStruct, None, &[ty, ty]);
        let spv = if is_signed { Spv::SMulExtended } else { Spv::UMulExtended };
        let product = self.op(spv, pair, ids);
        self.op(Spv::CompositeExtract, ty, &[product, 1])
    }

    /// By four products of halves; of signed factors corrected for each negative one.
    fn mul_high_wide(&mut self, lanes: Lanes, ids: &[Id]) -> Id {
        let wide = lanes.of(Scalar::U64);
        let ty = self.lanes_type(wide);
        let (shift, low_half) = (self.const_lanes(lanes.of(Scalar::U32), 32), self.const_lanes(wide, 0xffff_ffff));
        let [a, b] = [ids[0], ids[1]].map(|id| self.cast(lanes, Scalar::U64, id));
        let [[a_low, a_high], [b_low, b_high]] = [a, b].map(|factor| {
            let low = self.op(Spv::BitwiseAnd, ty, &[factor, low_half]);
            [low, self.op(Spv::ShiftRightLogical, ty, &[factor, shift])]
        });
        let mut mul = |x, y| self.op(Spv::IMul, ty, &[x, y]);
        let (low, cross, other, high) =
            (mul(a_low, b_low), mul(a_low, b_high), mul(a_high, b_low), mul(a_high, b_high));
        // None of these sums wraps.
        let carry = self.op(Spv::ShiftRightLogical, ty, &[low, shift]);
        let middle = self.op(Spv::IAdd, ty, &[cross, carry]);
        let middle_low = self.op(Spv::BitwiseAnd, ty, &[middle, low_half]);
        let middle_low = self.op(Spv::IAdd, ty, &[middle_low, other]);
        let [first, second] = [middle, middle_low].map(|sum| self.op(Spv::ShiftRightLogical, ty, &[sum, shift]));
        let high = self.op(Spv::IAdd, ty, &[high, first]);
        let mut high = self.op(Spv::IAdd, ty, &[high, second]);
        if lanes.scalar.is_signed() {
            let sign = self.const_lanes(lanes.of(Scalar::U32), 63);
            for (factor, other) in [(a, b), (b, a)] {
                let is_negative = self.op(Spv::ShiftRightArithmetic, ty, &[factor, sign]);
                let taken = self.op(Spv::BitwiseAnd, ty, &[is_negative, other]);
                high = self.op(Spv::ISub, ty, &[high, taken]);
            }
        }
        self.cast(wide, lanes.scalar, high)
    }

    /// Changes the sign of a float by its bits: `BitwiseXor` turns it, `BitwiseAnd` clears it.
    pub(super) fn change_sign(&mut self, spv: Spv, lanes: Lanes, value: Id) -> Id {
        let words = lanes.of(lanes.scalar.unsigned());
        let (ty, all) = (self.lanes_type(words), lanes.scalar.mask());
        let mask = self.const_lanes(words, if spv == Spv::BitwiseXor { all ^ all >> 1 } else { all >> 1 });
        let bits = self.bitcast(lanes, words, value);
        let changed = self.op(spv, ty, &[bits, mask]);
        self.bitcast(words, lanes, changed)
    }
}
