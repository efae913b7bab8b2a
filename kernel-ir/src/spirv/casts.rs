//! Conversions between scalars, lane by lane, and the few float operations done on bits.

use rspirv::spirv::{GlslStd450Op as GLOp, Op as Spv};

use super::module::Writer;
use super::types::Lanes;
use super::words::Id;
use crate::types::Scalar;

impl Writer<'_> {
    /// Rust's `as`.
    pub(super) fn cast(&mut self, from: Lanes, to: Scalar, value: Id) -> Id {
        let target = from.of(to);
        let ty = self.lanes_type(target);
        match (from.scalar, to) {
            _ if from.scalar == to => value,
            (Scalar::Bool, _) => {
                let one = if to == Scalar::F32 { 1.0f32.to_bits() } else { 1 };
                let (one, zero) = (self.const_lanes(target, one), self.const_lanes(target, 0));
                self.op(Spv::Select, ty, &[value, one, zero])
            }
            (_, Scalar::Bool) => {
                let zero = self.const_lanes(from, 0);
                let spv = if from.scalar == Scalar::F32 { Spv::FUnordNotEqual } else { Spv::INotEqual };
                self.op(spv, ty, &[value, zero])
            }
            (Scalar::I32, Scalar::F32) => self.op(Spv::ConvertSToF, ty, &[value]),
            (Scalar::U32, Scalar::F32) => self.op(Spv::ConvertUToF, ty, &[value]),
            (Scalar::F32, _) => self.float_to_int(from, to, value),
            _ => self.bitcast(from, target, value),
        }
    }

    /// Saturates, NaN to zero: SPIR-V leaves open what does not fit, so nothing that does not fit is converted.
    fn float_to_int(&mut self, from: Lanes, to: Scalar, value: Id) -> Id {
        let target = from.of(to);
        // The largest float that fits, and the smallest above it.
        let (lowest, highest, above, largest) = match to {
            Scalar::I32 => (-2_147_483_648.0, 2_147_483_520.0, 2_147_483_648.0, i32::MAX.cast_unsigned()),
            _ => (0.0, 4_294_967_040.0, 4_294_967_296.0_f32, u32::MAX),
        };
        let [lowest, highest, above]: [Id; 3] =
            [lowest, highest, above].map(|bound: f32| self.const_lanes(from, bound.to_bits()));
        let zero = self.const_lanes(from, 0);
        let largest = self.const_lanes(target, largest);
        let (float, int, bools) =
            (self.lanes_type(from), self.lanes_type(target), self.lanes_type(from.of(Scalar::Bool)));

        let is_number = self.op(Spv::FOrdEqual, bools, &[value, value]);
        let number = self.op(Spv::Select, float, &[is_number, value, zero]);
        let fitting = self.glsl_op(GLOp::FClamp, float, &[number, lowest, highest]);
        let converted = match to {
            Scalar::I32 => self.op(Spv::ConvertFToS, int, &[fitting]),
            _ => self.op(Spv::ConvertFToU, int, &[fitting]),
        };
        let is_above = self.op(Spv::FOrdGreaterThanEqual, bools, &[number, above]);
        self.op(Spv::Select, int, &[is_above, largest, converted])
    }

    /// The same bits as another scalar.
    pub(super) fn bitcast(&mut self, from: Lanes, to: Lanes, value: Id) -> Id {
        if from == to {
            return value;
        }
        let ty = self.lanes_type(to);
        self.op(Spv::Bitcast, ty, &[value])
    }

    /// The size of one float with the sign of another.
    pub(super) fn copysign(&mut self, lanes: Lanes, size: Id, sign: Id) -> Id {
        let words = lanes.of(Scalar::U32);
        let ty = self.lanes_type(words);
        let (size_mask, sign_mask) = (self.const_lanes(words, 0x7fff_ffff), self.const_lanes(words, 0x8000_0000));
        let [size, sign] = [size, sign].map(|value| self.bitcast(lanes, words, value));
        let size = self.op(Spv::BitwiseAnd, ty, &[size, size_mask]);
        let sign = self.op(Spv::BitwiseAnd, ty, &[sign, sign_mask]);
        let both = self.op(Spv::BitwiseOr, ty, &[size, sign]);
        self.bitcast(words, lanes, both)
    }

    /// Nearest whole number, ties away from zero. The distance to the truncated value is exact, so nothing is rounded twice.
    pub(super) fn round(&mut self, lanes: Lanes, value: Id) -> Id {
        let (ty, bools) = (self.lanes_type(lanes), self.lanes_type(lanes.of(Scalar::Bool)));
        let [half, one, zero] = [0.5f32, 1.0, 0.0].map(|value| self.const_lanes(lanes, value.to_bits()));
        let whole = self.glsl_op(GLOp::Trunc, ty, &[value]);
        let rest = self.float_op(Spv::FSub, ty, &[value, whole]);
        let rest = self.glsl_op(GLOp::FAbs, ty, &[rest]);
        let is_up = self.op(Spv::FOrdGreaterThanEqual, bools, &[rest, half]);
        let step = self.op(Spv::Select, ty, &[is_up, one, zero]);
        let size = self.glsl_op(GLOp::FAbs, ty, &[whole]);
        let size = self.float_op(Spv::FAdd, ty, &[size, step]);
        self.copysign(lanes, size, value)
    }
}
