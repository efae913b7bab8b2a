//! Memory layout of types by Rust's `repr(C)` rules, as buffers and push constants use them; no SPIR-V here.
//!
//! | type | size | alignment |
//! | --- | --- | --- |
//! | `i8`, `u8` | 1 | 1 |
//! | `i16`, `u16`, `f16`, `bf16` | 2 | 2 |
//! | `i32`, `u32`, `f32` | 4 | 4 |
//! | `i64`, `u64`, `f64` | 8 | 8 |
//! | two or three lanes (`Vec2`, `UVec3`, …) | 4 × lanes | 4 |
//! | four lanes of `i32` or `u32` (`IVec4`, `UVec4`) | 16 | 4 |
//! | four lanes of `f32` (`Vec4`, which glam keeps in a SIMD register) | 16 | 16 |
//! | `[T; N]` | N × size of `T` | that of `T` |
//! | struct | fields in order, each at the next multiple of its alignment, rounded up at the end | the largest of its fields, or its own |
//!
//! `bool` and vectors of it, tuples and `()` have no layout, nor has anything that holds them.

use crate::types::{Scalar, StructId, Type, TypeId, Types};

/// Size and alignment of a type in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Bytes, a multiple of `align`; also the distance between elements of an array.
    pub size: u32,
    /// Alignment in bytes, a power of two.
    pub align: u32,
}

impl Layout {
    /// The layout of `ty`, or `None` when it cannot lie in a buffer or does not fit in 32 bits of address.
    pub fn of(types: &Types, ty: TypeId) -> Option<Self> {
        match *types.get(ty) {
            Type::Unit
            | Type::Tuple(_)
            | Type::Scalar(Scalar::Bool)
            | Type::Vector(Scalar::Bool, _)
            | Type::Coop(_) => None,
            Type::Scalar(scalar) => {
                let size = scalar.bits() / 8;
                Some(Self { size, align: size })
            }
            Type::Vector(Scalar::F32, 4) => Some(Self { size: 16, align: 16 }),
            Type::Vector(scalar, lanes) => {
                let size = scalar.bits() / 8;
                Some(Self { size: size * u32::from(lanes), align: size })
            }
            Type::Array(element, len) => {
                let element = Self::of(types, element)?;
                Some(Self { size: element.size.checked_mul(len.known()?)?, align: element.align })
            }
            Type::Struct(id) => Some(lay_out_struct(types, id)?.0),
        }
    }

    /// An upper bound of what a shared variable takes: the rules by which no device takes more (vectors aligned to their
    /// size, three lanes as four, a `bool` as a `u32`). `None` when that does not fit in 32 bits, and for arrays whose
    /// lengths the launch decides.
    pub fn in_workgroup(types: &Types, ty: TypeId) -> Option<Self> {
        let size_of = |scalar: Scalar| if scalar == Scalar::Bool { 4 } else { scalar.bits() / 8 };
        match types.get(ty) {
            Type::Unit | Type::Coop(_) => None,
            Type::Scalar(scalar) => Some(Self { size: size_of(*scalar), align: size_of(*scalar) }),
            Type::Vector(scalar, lanes) => {
                let (scalar, lanes) = (size_of(*scalar), u32::from(*lanes));
                Some(Self { size: scalar * lanes, align: scalar * lanes.next_power_of_two() })
            }
            Type::Array(element, len) => {
                let element = Self::in_workgroup(types, *element)?;
                let stride = element.size.checked_next_multiple_of(element.align)?;
                Some(Self { size: stride.checked_mul(len.known()?)?, align: element.align })
            }
            Type::Tuple(members) => Self::all_in_workgroup(types, members.iter().copied()),
            Type::Struct(id) => {
                Self::all_in_workgroup(types, types.struct_def(*id).fields.iter().map(|field| field.ty))
            }
        }
    }

    fn all_in_workgroup(types: &Types, members: impl Iterator<Item = TypeId>) -> Option<Self> {
        let mut whole = Self { size: 0, align: 1 };
        for member in members {
            let member = Self::in_workgroup(types, member)?;
            whole.size = whole.size.checked_next_multiple_of(member.align)?.checked_add(member.size)?;
            whole.align = whole.align.max(member.align);
        }
        whole.size = whole.size.checked_next_multiple_of(whole.align)?;
        Some(whole)
    }
}

/// The offset in bytes of each field of a struct, in order; `None` when a field has no layout.
pub fn field_offsets(types: &Types, id: StructId) -> Option<Vec<u32>> {
    lay_out_struct(types, id).map(|(_, offsets)| offsets)
}

fn lay_out_struct(types: &Types, id: StructId) -> Option<(Layout, Vec<u32>)> {
    let mut whole = Layout { size: 0, align: types.struct_def(id).align };
    let mut offsets = Vec::new();
    for field in &types.struct_def(id).fields {
        let layout = Layout::of(types, field.ty)?;
        let offset = whole.size.checked_next_multiple_of(layout.align)?;
        offsets.push(offset);
        whole.size = offset.checked_add(layout.size)?;
        whole.align = whole.align.max(layout.align);
    }
    whole.size = whole.size.checked_next_multiple_of(whole.align)?;
    Some((whole, offsets))
}
