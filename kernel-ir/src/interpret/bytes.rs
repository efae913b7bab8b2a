//! Values to and from bytes, as they lie in buffers and push constants.

use super::Value;
use crate::layout::{Layout, field_offsets};
use crate::passes::eval;
use crate::types::{Scalar, Type, TypeId, Types};

/// The value of this type that lies at the start of `bytes`; `None` when the type has no layout or there are too few.
/// A plain `bool` is a `u32`.
pub fn read_value(types: &Types, ty: TypeId, bytes: &[u8]) -> Option<Value> {
    match types.get(ty) {
        Type::Scalar(scalar) => {
            let mut word = [0; 8];
            let size = scalar_size(types, ty)?;
            word[..size].copy_from_slice(bytes.get(..size)?);
            Some(Value::Scalar(eval::from_bits(u64::from_le_bytes(word), *scalar)))
        }
        _ => {
            let members = member_offsets(types, ty)?.into_iter();
            let read = |(member, offset): (TypeId, usize)| read_value(types, member, bytes.get(offset..)?);
            members.map(read).collect::<Option<_>>().map(Value::Composite)
        }
    }
}

/// Writes a value of this type at the start of `bytes`, and leaves padding as it is. `None` when the type has no layout or
/// there are too few.
pub fn write_value(types: &Types, ty: TypeId, value: &Value, bytes: &mut [u8]) -> Option<()> {
    match value {
        Value::Scalar(constant) => {
            let size = scalar_size(types, ty)?;
            let bits = match eval::is_true(*constant) {
                Some(truth) => u64::from(truth),
                None => eval::bits(*constant)?,
            };
            bytes.get_mut(..size)?.copy_from_slice(&bits.to_le_bytes()[..size]);
            Some(())
        }
        Value::Composite(members) => {
            let offsets = member_offsets(types, ty)?;
            let mut pairs = members.iter().zip(offsets);
            pairs.try_for_each(|(member, (ty, offset))| write_value(types, ty, member, bytes.get_mut(offset..)?))
        }
    }
}

fn scalar_size(types: &Types, ty: TypeId) -> Option<usize> {
    match types.get(ty) {
        Type::Scalar(Scalar::Bool) => Some(4),
        _ => Layout::of(types, ty).map(|layout| layout.size as usize),
    }
}

/// The members of a vector, array or struct with their offsets.
fn member_offsets(types: &Types, ty: TypeId) -> Option<Vec<(TypeId, usize)>> {
    let repeated = |count: u32| {
        let member = types.member(ty, 0)?;
        let stride = Layout::of(types, member)?.size as usize;
        Some((0..count as usize).map(|index| (member, index * stride)).collect())
    };
    match types.get(ty) {
        Type::Vector(_, lanes) => repeated(u32::from(*lanes)),
        Type::Array(_, len) => repeated(len.known()?),
        Type::Struct(id) => {
            let fields = types.struct_def(*id).fields.iter().map(|field| field.ty);
            Some(fields.zip(field_offsets(types, *id)?.into_iter().map(|offset| offset as usize)).collect())
        }
        Type::Unit | Type::Scalar(_) | Type::Tuple(_) | Type::Coop(_) => None,
    }
}
