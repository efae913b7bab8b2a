//! Types: each IR type as a value (no layout) and, where it has one, in memory (with offsets and strides).

use rspirv::spirv::{self, Decoration, Op, StorageClass};

use super::module::Writer;
use super::words::Id;
use crate::arena::EntityId;
use crate::layout::{self, Layout};
use crate::types::{Scalar, Type, TypeId};

/// The shape of a scalar (one lane) or vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lanes {
    pub(super) scalar: Scalar,
    pub(super) count: u8,
}

impl Lanes {
    /// One lane.
    pub(super) const fn one(scalar: Scalar) -> Self {
        Self { scalar, count: 1 }
    }

    /// The same number of lanes of another scalar.
    pub(super) const fn of(self, scalar: Scalar) -> Self {
        Self { scalar, count: self.count }
    }
}

impl Writer<'_> {
    /// The lanes of a scalar or vector type.
    ///
    /// # Panics
    /// When it is neither, which the verifier excludes wherever this is asked.
    pub(super) fn lanes_of(&self, ty: TypeId) -> Lanes {
        match *self.module.types.get(ty) {
            Type::Scalar(scalar) => Lanes::one(scalar),
            Type::Vector(scalar, count) => Lanes { scalar, count },
            _ => panic!("{ty} is neither a scalar nor a vector"),
        }
    }

    /// A scalar or vector type.
    pub(super) fn lanes_type(&mut self, lanes: Lanes) -> Id {
        self.need_scalar(lanes.scalar);
        let slot = (lanes.scalar as usize, usize::from(lanes.count) - 1);
        if let Some(id) = self.lanes_types[slot.0][slot.1] {
            return id;
        }
        let bits = lanes.scalar.bits();
        let scalar = match lanes.scalar {
            Scalar::Bool => self.global(Op::TypeBool, None, &[]),
            Scalar::F16 | Scalar::F32 | Scalar::F64 => self.global(Op::TypeFloat, None, &[bits]),
            // A `bf16` is its bits.
            scalar => self.global(Op::TypeInt, None, &[bits, scalar.is_signed().into()]),
        };
        let id = match lanes.count {
            1 => scalar,
            count => self.global(Op::TypeVector, None, &[scalar, u32::from(count)]),
        };
        self.lanes_types[slot.0][slot.1] = Some(id);
        id
    }

    /// `u32`.
    pub(super) fn u32_type(&mut self) -> Id {
        self.lanes_type(Lanes::one(Scalar::U32))
    }

    /// `bool`.
    pub(super) fn bool_type(&mut self) -> Id {
        self.lanes_type(Lanes::one(Scalar::Bool))
    }

    /// A pointer type.
    pub(super) fn pointer_type(&mut self, class: StorageClass, to: Id) -> Id {
        self.global(Op::TypePointer, None, &[class as u32, to])
    }

    /// The type of values of `ty`, of function parameters and of local variables.
    pub(super) fn value_type(&mut self, ty: TypeId) -> Id {
        if let Some(id) = self.value_types[ty.index()] {
            return id;
        }
        let module = self.module;
        let id = match module.types.get(ty) {
            Type::Unit => self.global(Op::TypeVoid, None, &[]),
            Type::Scalar(_) | Type::Vector(..) => self.lanes_type(self.lanes_of(ty)),
            Type::Coop(ty) => self.coop_type(*ty),
            Type::Array(element, len) => {
                let (element, len) = (self.value_type(*element), self.size(*len));
                self.new_global(Op::TypeArray, None, &[element, len])
            }
            Type::Tuple(members) => {
                let members: Vec<_> = members.iter().map(|member| self.value_type(*member)).collect();
                self.new_global(Op::TypeStruct, None, &members)
            }
            Type::Struct(id) => {
                let def = module.types.struct_def(*id);
                let members: Vec<_> = def.fields.iter().map(|field| self.value_type(field.ty)).collect();
                let id = self.new_global(Op::TypeStruct, None, &members);
                self.name_struct(id, def);
                id
            }
        };
        self.value_types[ty.index()] = Some(id);
        id
    }

    /// The type of `ty` in buffers and push constants: the value type for scalars and vectors, a type of its own with
    /// offsets and strides for the rest. A `bool` lies there as a `u32`.
    ///
    /// # Panics
    /// When the type has no layout; the interface is checked for that before.
    pub(super) fn storage_type(&mut self, ty: TypeId) -> Id {
        if let Some(id) = self.storage_types[ty.index()] {
            return id;
        }
        let module = self.module;
        let id = match module.types.get(ty) {
            Type::Scalar(Scalar::Bool) => self.u32_type(),
            Type::Array(element, len) => {
                let stride = self.layout(*element).size;
                let (element, len) = (self.storage_type(*element), self.size(*len));
                let id = self.new_global(Op::TypeArray, None, &[element, len]);
                self.decorate(id, Decoration::ArrayStride, &[stride]);
                id
            }
            Type::Struct(id) => {
                let def = module.types.struct_def(*id);
                let offsets = layout::field_offsets(&module.types, *id).expect("structs in memory have a layout");
                let members: Vec<_> = def.fields.iter().map(|field| self.storage_type(field.ty)).collect();
                let id = self.new_global(Op::TypeStruct, None, &members);
                self.name_struct(id, def);
                for (member, offset) in offsets.into_iter().enumerate() {
                    self.decorate_member(id, member as u32, Decoration::Offset, &[offset]);
                }
                id
            }
            _ => self.value_type(ty),
        };
        self.storage_types[ty.index()] = Some(id);
        id
    }

    /// The layout of a type that lies in memory.
    ///
    /// # Panics
    /// When it has none.
    pub(super) fn layout(&self, ty: TypeId) -> Layout {
        Layout::of(&self.module.types, ty).expect("types in memory have a layout")
    }

    /// Decorates an id.
    pub(super) fn decorate(&mut self, id: Id, decoration: Decoration, operands: &[u32]) {
        self.annotations.inst_parts(spirv::Op::Decorate, &[&[id, decoration as u32], operands]);
    }

    /// Decorates a member of a struct type.
    pub(super) fn decorate_member(&mut self, id: Id, member: u32, decoration: Decoration, operands: &[u32]) {
        self.annotations.inst_parts(spirv::Op::MemberDecorate, &[&[id, member, decoration as u32], operands]);
    }
}
