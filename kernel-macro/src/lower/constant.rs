//! Compile-time values as IR constants.

use gridwise_ir::ir::ValueId;

use super::function::FnCx;
use super::types::scalar;
use crate::ast::Item;
use crate::builtin::matrix;
use crate::program::{ItemId, TypedItem};
use crate::typed::{ConstValue, Ty, TypedConst};

impl<'p> FnCx<'p, '_, '_> {
    /// A compile-time value of type `ty`; `None` when it is unit or its like.
    pub(super) fn constant(&mut self, value: &ConstValue, ty: &Ty) -> Option<ValueId> {
        let id = self.ty(ty)?;
        if is_zero(value) && matches!(value, ConstValue::Aggregate(_)) {
            return Some(self.zero(id));
        }
        Some(match value {
            ConstValue::Variant(variant, members) => {
                let variants = self.shared.program.variants_of(ty)?;
                let types = variants.get(*variant as usize)?;
                let values: Vec<_> = members.iter().zip(types).map(|(member, ty)| self.constant(member, ty)).collect();
                self.make_variant(ty, *variant, &values)?
            }
            ConstValue::Bool(value) => self.bool(*value),
            ConstValue::I32(value) => self.i32(*value),
            ConstValue::U32(value) => self.u32(*value),
            ConstValue::F32(value) => self.f32(*value),
            ConstValue::Int(name, value) if name.is_wide() => self.wide(value.cast_unsigned(), name.is_signed()),
            ConstValue::Int(name, value) => self.bits(scalar(*name), *value as u64),
            ConstValue::Float(name, value) => self.float(scalar(*name), *value),
            ConstValue::Aggregate(members) => {
                let mut values = Vec::new();
                for (index, member) in members.iter().enumerate() {
                    let ty = self.member_ty(ty, index as u32);
                    values.extend(self.constant(member, &ty));
                }
                self.compose(id, &values)
            }
        })
    }

    /// The type of member `index` of a vector, array, tuple or struct.
    pub(super) fn member_ty(&self, ty: &Ty, index: u32) -> Ty {
        match ty {
            Ty::Vector(scalar, _) => Ty::Scalar(*scalar),
            Ty::Matrix(size) => matrix::column(*size),
            Ty::Quat => Ty::F32,
            Ty::Array(element, _) => (**element).clone(),
            ty => self.shared.types.members(ty).get(index as usize).cloned().unwrap_or(Ty::Error),
        }
    }

    /// The tables of a const item.
    pub(super) fn const_of(&self, item: ItemId) -> &'p TypedConst {
        match &self.shared.program.items[item].typed {
            TypedItem::Const(typed) => typed,
            _ => unreachable!("only consts without errors are lowered"),
        }
    }

    /// The name of a const item.
    pub(super) fn const_name(&self, item: ItemId) -> String {
        match &self.shared.program.items[item].item {
            Item::Const(ast) => ast.name.to_string(),
            _ => String::new(),
        }
    }
}

/// Whether all bits are zero.
fn is_zero(value: &ConstValue) -> bool {
    match value {
        ConstValue::Bool(value) => !value,
        ConstValue::I32(value) => *value == 0,
        ConstValue::U32(value) => *value == 0,
        ConstValue::F32(value) => value.to_bits() == 0,
        ConstValue::Int(_, value) => *value == 0,
        ConstValue::Float(_, value) => value.to_bits() == 0,
        ConstValue::Aggregate(members) => members.iter().all(is_zero),
        ConstValue::Variant(variant, members) => *variant == 0 && members.iter().all(is_zero),
    }
}
