//! Conversions between scalars, lane by lane, and the few float operations done on bits.

use rspirv::spirv::{GlslStd450Op as GLOp, Op as Spv};

use super::math::Helper;
use super::module::Writer;
use super::registers::in_register;
use super::types::Lanes;
use super::words::Id;
use crate::types::Scalar;

impl Writer<'_> {
    /// Rust's `as`.
    pub(super) fn cast(&mut self, from: Lanes, to: Scalar, value: Id) -> Id {
        let target = from.of(to);
        match (from.scalar, to) {
            (a, b) if a == b => value,
            (Scalar::Bool, _) => {
                let one = if to.is_float() { self.const_floats(target, 1.0) } else { self.const_lanes(target, 1) };
                let (ty, zero) = (self.lanes_type(target), self.const_lanes(target, 0));
                self.op(Spv::Select, ty, &[value, one, zero])
            }
            (Scalar::Bf16, _) => {
                let value = self.bf16_to_f32(from, value);
                self.cast(from.of(Scalar::F32), to, value)
            }
            (_, Scalar::Bool) => {
                let (ty, zero) = (self.lanes_type(target), self.const_lanes(from, 0));
                let spv = if from.scalar.is_float() { Spv::FUnordNotEqual } else { Spv::INotEqual };
                self.op(spv, ty, &[value, zero])
            }
            (Scalar::F64, Scalar::F16 | Scalar::Bf16) => {
                let value = self.round_to_odd(from, value);
                self.cast(from.of(Scalar::F32), to, value)
            }
            (Scalar::F32, Scalar::Bf16) => self.f32_to_bf16(from, value),
            (_, Scalar::Bf16) => {
                let value = self.cast(from, Scalar::F32, value);
                self.f32_to_bf16(from.of(Scalar::F32), value)
            }
            (a, b) if a.is_float() && b.is_float() => {
                let is_exact = !self.kernel.float_rules.reassociate;
                let is_rounded = (a, b) == (Scalar::F32, Scalar::F16) && is_exact;
                let value = if is_rounded { self.round_to_f16(from, value) } else { value };
                let ty = self.lanes_type(target);
                self.float_op(Spv::FConvert, ty, &[value])
            }
            (a, _) if a.is_float() => self.float_to_int(from, to, value),
            (_, b) if b.is_float() => self.int_to_float(from, to, value),
            _ => self.int_to_int(from, to, value),
        }
    }

    /// The `f32` that the nearest `f16` is, so that the conversion which follows has nothing to round:
    /// [`Fault::HalfRoundTrip`](crate::faults::Fault::HalfRoundTrip).
    fn round_to_f16(&mut self, from: Lanes, value: Id) -> Id {
        let (words, bools) = (from.of(Scalar::U32), self.lanes_type(from.of(Scalar::Bool)));
        let (word, float) = (self.lanes_type(words), self.lanes_type(from));
        let bits = self.bitcast(from, words, value);
        let [sign_mask, size_mask] = [0x8000_0000, 0x7fff_ffff].map(|mask| self.const_lanes(words, mask));
        let sign = self.op(Spv::BitwiseAnd, word, &[bits, sign_mask]);
        let size = self.op(Spv::BitwiseAnd, word, &[bits, size_mask]);

        // Normal in `f16`: half a unit and a bit less, or half a unit where the last digit is odd, then all below is cut off.
        let [lost, one, below_half, kept] = [13, 1, 0xfff, 0xffff_e000].map(|number| self.const_lanes(words, number));
        let last = self.op(Spv::ShiftRightLogical, word, &[size, lost]);
        let last = self.op(Spv::BitwiseAnd, word, &[last, one]);
        let raised = self.op(Spv::IAdd, word, &[size, below_half]);
        let raised = self.op(Spv::IAdd, word, &[raised, last]);
        let normal = self.op(Spv::BitwiseAnd, word, &[raised, kept]);
        let [end, infinity] = [0x4780_0000, 0x7f80_0000].map(|number| self.const_lanes(words, number));
        let is_too_large = self.op(Spv::UGreaterThanEqual, bools, &[normal, end]);
        let normal = self.op(Spv::Select, word, &[is_too_large, infinity, normal]);

        // Subnormal there: the fraction of 0.5 + x counts units of 2^-24.
        let (half, half_bits) = (self.const_floats(from, 0.5), self.const_lanes(words, 0x3f00_0000));
        let small = self.bitcast(words, from, size);
        let sum = self.float_op(Spv::FAdd, float, &[small, half]);
        let sum = self.bitcast(from, words, sum);
        let units = self.op(Spv::ISub, word, &[sum, half_bits]);
        let units = self.op(Spv::ConvertUToF, float, &[units]);
        let unit = self.const_floats(from, 2f64.powi(-24));
        let small = self.float_op(Spv::FMul, float, &[units, unit]);
        let small = self.bitcast(from, words, small);
        let least = self.const_lanes(words, 0x3880_0000);
        let is_small = self.op(Spv::ULessThan, bools, &[size, least]);

        let rounded = self.op(Spv::Select, word, &[is_small, small, normal]);
        let is_nan = self.op(Spv::UGreaterThan, bools, &[size, infinity]);
        let rounded = self.op(Spv::Select, word, &[is_nan, size, rounded]);
        let rounded = self.op(Spv::BitwiseOr, word, &[rounded, sign]);
        self.bitcast(words, from, rounded)
    }

    /// Cuts off upper bits, or repeats the sign of a signed source.
    fn int_to_int(&mut self, from: Lanes, to: Scalar, value: Id) -> Id {
        let target = from.of(to);
        if from.scalar.bits() == to.bits() {
            return self.bitcast(from, target, value);
        }
        // `OpUConvert` gives unsigned types only.
        let (spv, given) = match from.scalar.is_signed() && to.bits() > from.scalar.bits() {
            true => (Spv::SConvert, target.of(to.signed())),
            false => (Spv::UConvert, target.of(to.unsigned())),
        };
        let ty = self.lanes_type(given);
        let converted = self.op(spv, ty, &[value]);
        self.bitcast(given, target, converted)
    }

    fn int_to_float(&mut self, from: Lanes, to: Scalar, value: Id) -> Id {
        let (mut from, mut value) = (from, value);
        if from.scalar.bits() < 32 {
            let word = if from.scalar.is_signed() { Scalar::I32 } else { Scalar::U32 };
            value = self.int_to_int(from, word, value);
            from = from.of(word);
        }
        let ty = self.lanes_type(from.of(to));
        self.op(if from.scalar.is_signed() { Spv::ConvertSToF } else { Spv::ConvertUToF }, ty, &[value])
    }

    fn float_to_int(&mut self, from: Lanes, to: Scalar, value: Id) -> Id {
        let held = self.float_to_register(from, to, value);
        self.cast(from.of(in_register(to)), to, held)
    }

    /// Saturates, NaN to zero: SPIR-V leaves open what does not fit, so nothing that does not fit is converted, except where the device's own
    /// conversion does the same. Narrow integers stay words.
    pub(super) fn float_to_register(&mut self, from: Lanes, to: Scalar, value: Id) -> Id {
        if matches!(from.scalar, Scalar::F16 | Scalar::Bf16) {
            let value = self.cast(from, Scalar::F32, value);
            return self.float_to_register(from.of(Scalar::F32), to, value);
        }
        let target = from.of(to);
        let bits = to.bits() - u32::from(to.is_signed());
        // Powers of two, which every float here has exactly; and the largest float below the upper one.
        let above = 2f64.powi(bits.cast_signed());
        let digits = if from.scalar == Scalar::F32 { 24 } else { 53 };
        let highest = above - 2f64.powi((bits.cast_signed() - digits).max(0));
        let lowest = if to.is_signed() { -above } else { 0.0 };
        let [lowest, highest, zero] = [lowest, highest, 0.0].map(|bound| self.const_floats(from, bound));
        let bools = self.lanes_type(from.of(Scalar::Bool));
        let float = self.lanes_type(from);

        // Of NaN and a number the greater is the number, which is zero here.
        let is_natural = !to.is_signed() && bits.cast_signed() <= digits;
        let (number, fitting) = if is_natural {
            (value, self.glsl_op(GLOp::NClamp, float, &[value, lowest, highest]))
        } else {
            let is_number = self.op(Spv::FOrdEqual, bools, &[value, value]);
            let number = self.op(Spv::Select, float, &[is_number, value, zero]);
            (number, self.glsl_op(GLOp::FClamp, float, &[number, lowest, highest]))
        };
        let held = self.lanes_type(from.of(in_register(to)));
        let spv = if to.is_signed() { Spv::ConvertFToS } else { Spv::ConvertFToU };
        if to.bits() < 32 {
            return self.op(spv, held, &[fitting]);
        }
        let saturates = self.has_casts(from.scalar, to);
        let saturates = match from.count {
            1 => saturates,
            count => self.op(Spv::CompositeConstruct, bools, &vec![saturates; count as usize]),
        };
        // Of NaN devices make zero only in 32 bits, and of `f32`.
        let native = if from.scalar == Scalar::F32 && to.bits() == 32 {
            value
        } else {
            let is_number = self.op(Spv::FOrdEqual, bools, &[value, value]);
            self.op(Spv::Select, float, &[is_number, value, zero])
        };
        let operand = self.op(Spv::Select, float, &[saturates, native, fitting]);
        let converted = self.op(spv, held, &[operand]);
        if bits.cast_signed() <= digits {
            return converted;
        }
        let (int, above) = (self.lanes_type(target), self.const_floats(from, above));
        let largest = self.const_lanes(target, to.mask() >> u32::from(to.is_signed()));
        let is_above = self.op(Spv::FOrdGreaterThanEqual, bools, &[number, above]);
        let exact = self.op(Spv::Select, int, &[is_above, largest, converted]);
        self.op(Spv::Select, int, &[saturates, converted, exact])
    }

    /// The `f32` with the value of a `bf16`.
    pub(super) fn bf16_to_f32(&mut self, lanes: Lanes, value: Id) -> Id {
        let words = lanes.of(Scalar::U32);
        let bits = self.int_to_int(lanes.of(Scalar::U16), Scalar::U32, value);
        let (ty, width) = (self.lanes_type(words), self.const_lanes(words, 16));
        let bits = self.op(Spv::ShiftLeftLogical, ty, &[bits, width]);
        self.bitcast(words, lanes.of(Scalar::F32), bits)
    }

    /// The `bf16` nearest to an `f32`, ties to even; NaN stays NaN.
    pub(super) fn f32_to_bf16(&mut self, lanes: Lanes, value: Id) -> Id {
        let words = lanes.of(Scalar::U32);
        let (ty, bools) = (self.lanes_type(words), self.lanes_type(lanes.of(Scalar::Bool)));
        let [width, one, half, quiet] = [16, 1, 0x7fff, 0x40].map(|bits| self.const_lanes(words, bits));
        let bits = self.bitcast(lanes, words, value);
        let high = self.op(Spv::ShiftRightLogical, ty, &[bits, width]);
        let odd = self.op(Spv::BitwiseAnd, ty, &[high, one]);
        let sum = self.op(Spv::IAdd, ty, &[bits, half]);
        let sum = self.op(Spv::IAdd, ty, &[sum, odd]);
        let rounded = self.op(Spv::ShiftRightLogical, ty, &[sum, width]);
        let nan = self.op(Spv::BitwiseOr, ty, &[high, quiet]);
        let is_nan = self.op(Spv::FUnordNotEqual, bools, &[value, value]);
        let result = self.op(Spv::Select, ty, &[is_nan, nan, rounded]);
        self.int_to_int(words, Scalar::U16, result)
    }

    /// The `f32` next to an `f64`, such that rounding it further gives what rounding the `f64` once gives.
    fn round_to_odd(&mut self, lanes: Lanes, value: Id) -> Id {
        let (singles, words) = (lanes.of(Scalar::F32), lanes.of(Scalar::U32));
        let (single, double, word) = (self.lanes_type(singles), self.lanes_type(lanes), self.lanes_type(words));
        let bools = self.lanes_type(lanes.of(Scalar::Bool));
        let [zero, one, minus_one] = [0, 1, 0xffff_ffff].map(|bits| self.const_lanes(words, bits));
        let near = self.float_op(Spv::FConvert, single, &[value]);
        let back = self.float_op(Spv::FConvert, double, &[near]);
        let bits = self.bitcast(singles, words, near);
        let (size, back_size) = (self.glsl_op(GLOp::FAbs, double, &[value]), self.glsl_op(GLOp::FAbs, double, &[back]));
        let (is_below, is_above) = (
            self.op(Spv::FOrdLessThan, bools, &[back_size, size]),
            self.op(Spv::FOrdGreaterThan, bools, &[back_size, size]),
        );
        let up = self.op(Spv::Select, word, &[is_below, one, zero]);
        let step = self.op(Spv::Select, word, &[is_above, minus_one, up]);
        let odd = self.op(Spv::BitwiseAnd, word, &[bits, one]);
        let is_odd = self.op(Spv::INotEqual, bools, &[odd, zero]);
        let moved = self.op(Spv::IAdd, word, &[bits, step]);
        let result = self.op(Spv::Select, word, &[is_odd, bits, moved]);
        self.bitcast(words, singles, result)
    }

    /// The same bits as another scalar.
    pub(super) fn bitcast(&mut self, from: Lanes, to: Lanes, value: Id) -> Id {
        let (ty, given) = (self.lanes_type(to), self.lanes_type(from));
        // `bf16` and `u16` are one type here.
        if ty == given {
            return value;
        }
        self.op(Spv::Bitcast, ty, &[value])
    }

    /// The size of one float with the sign of another.
    pub(super) fn copysign(&mut self, lanes: Lanes, size: Id, sign: Id) -> Id {
        let words = lanes.of(lanes.scalar.unsigned());
        let (ty, all) = (self.lanes_type(words), lanes.scalar.mask());
        let (size_mask, sign_mask) = (self.const_lanes(words, all >> 1), self.const_lanes(words, all ^ all >> 1));
        let [size, sign] = [size, sign].map(|value| self.bitcast(lanes, words, value));
        let size = self.op(Spv::BitwiseAnd, ty, &[size, size_mask]);
        let sign = self.op(Spv::BitwiseAnd, ty, &[sign, sign_mask]);
        let both = self.op(Spv::BitwiseOr, ty, &[size, sign]);
        self.bitcast(words, lanes, both)
    }

    /// Nearest whole number, ties away from zero. The distance to the truncated value is exact, so nothing is rounded twice.
    pub(super) fn round(&mut self, lanes: Lanes, value: Id) -> Id {
        let (ty, bools) = (self.lanes_type(lanes), self.lanes_type(lanes.of(Scalar::Bool)));
        let [half, one, zero] = [0.5, 1.0, 0.0].map(|value| self.const_floats(lanes, value));
        let whole = match lanes.scalar {
            Scalar::F64 => self.call_helper(Helper::TruncDouble, lanes, &[value]),
            _ => self.glsl_op(GLOp::Trunc, ty, &[value]),
        };
        let rest = self.float_op(Spv::FSub, ty, &[value, whole]);
        let rest = self.glsl_op(GLOp::FAbs, ty, &[rest]);
        let is_up = self.op(Spv::FOrdGreaterThanEqual, bools, &[rest, half]);
        let step = self.op(Spv::Select, ty, &[is_up, one, zero]);
        let size = self.glsl_op(GLOp::FAbs, ty, &[whole]);
        let size = self.float_op(Spv::FAdd, ty, &[size, step]);
        self.copysign(lanes, size, value)
    }
}
