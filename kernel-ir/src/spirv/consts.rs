//! Constants, each declared once at module scope.

use rspirv::spirv::{Decoration, Op};

use super::module::Writer;
use super::types::Lanes;
use super::words::Id;
use crate::arena::EntityId;
use crate::descriptor::{
    self, FORGETS_RESULTS, HAS_CASTS, HAS_CASTS_F64, HAS_CASTS_WIDE, HAS_EXP2, HAS_FMA, HAS_FMA_F64, HAS_ROUNDING_F64,
    IS_FULL, IS_INDIRECT, IS_SPLIT, LOSES_INDICES,
};
use crate::ir::{ConstParam, ConstParamId, Constant};
use crate::op as ir;
use crate::passes::eval;
use crate::types::{Scalar, Size, Type, TypeId};

impl Writer<'_> {
    /// A `u32`.
    pub(super) fn const_u32(&mut self, value: u32) -> Id {
        self.const_scalar(Scalar::U32, value.into())
    }

    /// A number, or the specialization constant that holds it.
    pub(super) fn size(&mut self, size: Size) -> Id {
        match size {
            Size::Known(number) => self.const_u32(number),
            Size::Param(param) => self.const_param(param),
        }
    }

    /// The specialization constant of a const parameter, declared when first asked for; its number is its `SpecId`.
    pub(super) fn const_param(&mut self, param: ConstParamId) -> Id {
        if let Some(id) = self.interface.constants[param.index()] {
            return id;
        }
        let ConstParam { name, scalar, default } = &self.kernel.constants[param];
        let ty = self.lanes_type(Lanes::one(*scalar));
        let bits = *default;
        let id = match scalar {
            Scalar::Bool if bits != 0 => self.new_global(Op::SpecConstantTrue, Some(ty), &[]),
            Scalar::Bool => self.new_global(Op::SpecConstantFalse, Some(ty), &[]),
            scalar => {
                let (words, len) = literal_words(*scalar, bits);
                self.new_global(Op::SpecConstant, Some(ty), &words[..len])
            }
        };
        self.decorate(id, Decoration::SpecId, &[param.index() as u32]);
        self.names.inst_text(Op::Name, &[id], name, &[]);
        self.interface.constants[param.index()] = Some(id);
        id
    }

    /// The specialization constant that tells whether the obligations hold that a group of checks needs; false where nobody sets it.
    pub(super) fn is_proven(&mut self, group: u8) -> Id {
        let known = self.interface.is_proven[usize::from(group)];
        let id = known.unwrap_or_else(|| self.flag(descriptor::is_proven(group)));
        self.interface.is_proven[usize::from(group)] = Some(id);
        id
    }

    /// The specialization constant that tells whether the device's `Fma` of these floats rounds once; false where nobody sets it.
    pub(super) fn has_fma(&mut self, scalar: Scalar) -> Id {
        self.has_native(if scalar == Scalar::F64 { HAS_FMA_F64 } else { HAS_FMA })
    }

    /// The specialization constant that tells whether the device's `Exp2` is near enough; false where nobody sets it.
    pub(super) fn has_exp2(&mut self) -> Id {
        self.has_native(HAS_EXP2)
    }

    /// The specialization constant that tells whether the device's conversions between these scalars saturate; false where nobody sets it.
    pub(super) fn has_casts(&mut self, float: Scalar, int: Scalar) -> Id {
        self.has_native(match float {
            Scalar::F64 => HAS_CASTS_F64,
            _ if int.bits() == 64 => HAS_CASTS_WIDE,
            _ => HAS_CASTS,
        })
    }

    /// The specialization constant that tells whether the device's roundings of `f64` are right; false where nobody sets it.
    pub(super) fn has_rounding(&mut self) -> Id {
        self.has_native(HAS_ROUNDING_F64)
    }

    fn has_native(&mut self, number: u32) -> Id {
        let position = descriptor::NATIVES.iter().position(|native| *native == number).expect("one of them");
        let id = self.interface.has_native[position].unwrap_or_else(|| self.flag(number));
        self.interface.has_native[position] = Some(id);
        id
    }

    /// The specialization constant that tells whether the device itself knows the number of workgroups; false where nobody sets it.
    pub(super) fn is_indirect(&mut self) -> Id {
        let id = self.interface.is_indirect.unwrap_or_else(|| self.flag(IS_INDIRECT));
        self.interface.is_indirect = Some(id);
        id
    }

    /// The specialization constant that tells whether a launch takes several dispatches; false where nobody sets it.
    pub(super) fn is_split(&mut self) -> Id {
        let id = self.interface.is_split.unwrap_or_else(|| self.flag(IS_SPLIT));
        self.interface.is_split = Some(id);
        id
    }

    /// The specialization constant that tells whether the driver forgets what loops are left with; false where nobody sets it.
    pub(super) fn forgets_results(&mut self) -> Id {
        let id = self.interface.forgets_results.unwrap_or_else(|| self.flag(FORGETS_RESULTS));
        self.interface.forgets_results = Some(id);
        id
    }

    /// The specialization constant that tells whether the driver loses indices into local arrays; false where nobody sets it.
    pub(super) fn loses_indices(&mut self) -> Id {
        let id = self.interface.loses_indices.unwrap_or_else(|| self.flag(LOSES_INDICES));
        self.interface.loses_indices = Some(id);
        id
    }

    /// The opposite of the specialization constant that tells whether each invocation of a launch has an item, which is false where nobody
    /// sets it.
    pub(super) fn is_not_full(&mut self) -> Id {
        let is_full = self.interface.is_full.unwrap_or_else(|| self.flag(IS_FULL));
        self.interface.is_full = Some(is_full);
        let bool_ = self.bool_type();
        self.op(Op::LogicalNot, bool_, &[is_full])
    }

    pub(super) fn flag(&mut self, number: u32) -> Id {
        let bool_ = self.bool_type();
        let id = self.new_global(Op::SpecConstantFalse, Some(bool_), &[]);
        self.decorate(id, Decoration::SpecId, &[number]);
        id
    }

    /// A scalar by its bits, those above its width zero; a `bool` is true when they are not zero.
    pub(super) fn const_scalar(&mut self, scalar: Scalar, bits: u64) -> Id {
        let ty = self.lanes_type(Lanes::one(scalar));
        match scalar {
            Scalar::Bool if bits != 0 => self.global(Op::ConstantTrue, Some(ty), &[]),
            Scalar::Bool => self.global(Op::ConstantFalse, Some(ty), &[]),
            _ => {
                let (words, len) = literal_words(scalar, bits);
                self.global(Op::Constant, Some(ty), &words[..len])
            }
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
            Type::Coop(coop) => self.coop_zero(coop),
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

/// The literal words of a number, and how many they are.
fn literal_words(scalar: Scalar, bits: u64) -> ([u32; 2], usize) {
    match scalar {
        Scalar::I64 | Scalar::U64 | Scalar::F64 => ([bits as u32, (bits >> 32) as u32], 2),
        // The encoding repeats the sign above the width.
        Scalar::I8 => ([i32::from(bits as i8).cast_unsigned(), 0], 1),
        Scalar::I16 => ([i32::from(bits as i16).cast_unsigned(), 0], 1),
        _ => ([bits as u32, 0], 1),
    }
}
