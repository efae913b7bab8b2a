//! Constants, each declared once at module scope.

use rspirv::spirv::Op;

use super::module::Writer;
use super::types::Lanes;
use super::words::Id;
use crate::ir::Constant;
use crate::types::{Scalar, Type, TypeId};

impl Writer<'_> {
    /// A `u32`.
    pub(super) fn const_u32(&mut self, value: u32) -> Id {
        self.const_scalar(Scalar::U32, value)
    }

    /// An `f32`.
    pub(super) fn const_f32(&mut self, value: f32) -> Id {
        self.const_scalar(Scalar::F32, value.to_bits())
    }

    /// A scalar by its bits; a `bool` is true when they are not zero.
    pub(super) fn const_scalar(&mut self, scalar: Scalar, bits: u32) -> Id {
        let ty = self.lanes_type(Lanes::one(scalar));
        match scalar {
            Scalar::Bool if bits != 0 => self.global(Op::ConstantTrue, Some(ty), &[]),
            Scalar::Bool => self.global(Op::ConstantFalse, Some(ty), &[]),
            _ => self.global(Op::Constant, Some(ty), &[bits]),
        }
    }

    /// The same scalar in every lane.
    pub(super) fn const_lanes(&mut self, lanes: Lanes, bits: u32) -> Id {
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
            Constant::Bool(value) => self.const_scalar(Scalar::Bool, u32::from(value)),
            Constant::I32(value) => self.const_scalar(Scalar::I32, value.cast_unsigned()),
            Constant::U32(value) => self.const_u32(value),
            Constant::F32(bits) => self.const_scalar(Scalar::F32, bits),
            Constant::Zero => self.const_zero(ty),
        }
    }
}
