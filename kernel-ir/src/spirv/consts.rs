//! Constants, each declared once at module scope.

use rspirv::spirv::Op;

use super::module::Writer;
use super::types::Lanes;
use super::words::Id;
use crate::ir::Constant;
use crate::op as ir;
use crate::passes::eval;
use crate::types::{Scalar, Type, TypeId};

impl Writer<'_> {
    /// A `u32`.
    pub(super) fn const_u32(&mut self, value: u32) -> Id {
        self.const_scalar(Scalar::U32, value.into())
    }

    /// A scalar by its bits, those above its width zero; a `bool` is true when they are not zero.
    pub(super) fn const_scalar(&mut self, scalar: Scalar, bits: u64) -> Id {
        let ty = self.lanes_type(Lanes::one(scalar));
        match scalar {
            Scalar::Bool if bits != 0 => self.global(Op::ConstantTrue, Some(ty), &[]),
            Scalar::Bool => self.global(Op::ConstantFalse, Some(ty), &[]),
            Scalar::I64 | Scalar::U64 | Scalar::F64 => {
                self.global(Op::Constant, Some(ty), &[bits as u32, (bits >> 32) as u32])
            }
            // The encoding repeats the sign above the width.
            Scalar::I8 => self.global(Op::Constant, Some(ty), &[i32::from(bits as i8).cast_unsigned()]),
            Scalar::I16 => self.global(Op::Constant, Some(ty), &[i32::from(bits as i16).cast_unsigned()]),
            _ => self.global(Op::Constant, Some(ty), &[bits as u32]),
        }
    }

    /// The float nearest to a number in every lane.
    pub(super) fn const_floats(&mut self, lanes: Lanes, value: f64) -> Id {
        let constant = eval::evaluate(ir::Op::Cast, &[Constant::Bits(Scalar::F64, value.to_bits())], lanes.scalar);
        let bits = constant.and_then(eval::bits).expect("floats convert to floats");
        self.const_lanes(lanes, bits)
    }

    /// The same scalar in every lane.
    pub(super) fn const_lanes(&mut self, lanes: Lanes, bits: u64) -> Id {
        let scalar = self.const_scalar(lanes.scalar, bits);
        match lanes.count {
            1 => scalar,
            count => {
                let ty = self.lanes_type(lanes);
                self.global(Op::ConstantComposite, Some(ty), &[scalar; 4][..usize::from(count)])
            }
        }
    }

    /// All bits zero, of any value type.
    pub(super) fn const_zero(&mut self, ty: TypeId) -> Id {
        match *self.module.types.get(ty) {
            Type::Scalar(scalar) => self.const_scalar(scalar, 0),
            _ => {
                let ty = self.value_type(ty);
                self.global(Op::ConstantNull, Some(ty), &[])
            }
        }
    }

    /// A literal of the given type.
    pub(super) fn constant(&mut self, constant: Constant, ty: TypeId) -> Id {
        match constant {
            Constant::Bool(value) => self.const_scalar(Scalar::Bool, u64::from(value)),
            Constant::I32(value) => self.const_scalar(Scalar::I32, u64::from(value.cast_unsigned())),
            Constant::U32(value) => self.const_u32(value),
            Constant::F32(bits) => self.const_scalar(Scalar::F32, bits.into()),
            Constant::Bits(scalar, bits) => self.const_scalar(scalar, bits),
            Constant::Zero => self.const_zero(ty),
        }
    }
}
