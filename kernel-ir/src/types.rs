//! The types of IR values: scalars, vectors, arrays and tuples are structural, structs are nominal. No layout here.

use std::fmt;

use crate::arena::Arena;
use crate::entity_id;

entity_id!(
    /// A type of a module, interned: equal types have equal ids.
    TypeId,
    "type"
);
entity_id!(
    /// A struct definition of a module.
    StructId,
    "struct"
);
entity_id!(
    /// A const parameter of the kernel, whose value is chosen when the pipeline is made.
    ConstParamId,
    "constant"
);

/// The length of an array or the width of a workgroup: a number, or a const parameter of the kernel, which is then at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Size {
    /// A number.
    Known(u32),
    /// A constant that the launch gives, a `u32`.
    Param(ConstParamId),
}

impl Size {
    /// The number, unless the launch decides it.
    pub const fn known(self) -> Option<u32> {
        match self {
            Self::Known(number) => Some(number),
            Self::Param(_) => None,
        }
    }
}

impl From<u32> for Size {
    fn from(number: u32) -> Self {
        Self::Known(number)
    }
}

impl From<ConstParamId> for Size {
    fn from(param: ConstParamId) -> Self {
        Self::Param(param)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(number) => number.fmt(f),
            Self::Param(param) => param.fmt(f),
        }
    }
}

/// A scalar type. Rust's `usize` is a `U32` here, its `isize` an `I32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// `bool`; has no memory layout, so it never lies in a buffer.
    Bool,
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
    /// `half::f16`.
    F16,
    /// `half::bf16`: the upper half of an `f32`.
    Bf16,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

impl Scalar {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Bool,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::F16,
        Self::Bf16,
        Self::F32,
        Self::F64,
    ];

    /// Rust's name of the type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Number of bits of a value; 1 for `bool`.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::I8 | Self::U8 => 8,
            Self::I16 | Self::U16 | Self::F16 | Self::Bf16 => 16,
            Self::I32 | Self::U32 | Self::F32 => 32,
            Self::I64 | Self::U64 | Self::F64 => 64,
        }
    }

    /// The bits a value can have, all set.
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// Whether the type is an integer.
    pub const fn is_int(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// Whether the type is an integer with a sign.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// Whether the type is an integer without a sign.
    pub const fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64)
    }

    /// Whether the type is a float.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }

    /// The unsigned integer of the same width; `bool` stays.
    pub const fn unsigned(self) -> Self {
        match self {
            Self::Bool => Self::Bool,
            Self::I8 | Self::U8 => Self::U8,
            Self::I16 | Self::U16 | Self::F16 | Self::Bf16 => Self::U16,
            Self::I32 | Self::U32 | Self::F32 => Self::U32,
            Self::I64 | Self::U64 | Self::F64 => Self::U64,
        }
    }

    /// The signed integer of the same width; `bool` stays.
    pub const fn signed(self) -> Self {
        match self.unsigned() {
            Self::U8 => Self::I8,
            Self::U16 => Self::I16,
            Self::U32 => Self::I32,
            Self::U64 => Self::I64,
            other => other,
        }
    }
}

/// The type of a value or of a memory cell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// `()`, the result of a function or block that yields nothing; no value has it.
    Unit,
    /// A scalar.
    Scalar(Scalar),
    /// Two to four scalars: glam's `Vec3`, `UVec2`, `BVec4`, ….
    Vector(Scalar, u8),
    /// `[T; N]`, N at least 1.
    Array(TypeId, Size),
    /// `(A, B, …)`, never empty; in locals and values only.
    Tuple(Vec<TypeId>),
    /// A struct, by its definition.
    Struct(StructId),
    /// A matrix that the invocations of a subgroup hold together; in locals and values only.
    Coop(CoopType),
}

/// The type of a matrix that the invocations of a subgroup hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CoopType {
    /// Of its elements.
    pub scalar: Scalar,
    /// The role of the matrix in a product.
    pub role: CoopRole,
    /// Rows, at least 1.
    pub rows: u32,
    /// Columns, at least 1.
    pub columns: u32,
}

/// The role of a matrix of a subgroup in `a * b + c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CoopRole {
    /// The left factor.
    A,
    /// The right factor.
    B,
    /// The addend, and the result.
    Accumulator,
}

impl CoopRole {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::Accumulator];

    /// Its name in the text format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::Accumulator => "accumulator",
        }
    }
}

impl CoopType {
    /// How many elements it has.
    pub const fn len(self) -> u32 {
        self.rows * self.columns
    }

    /// Never: there is no matrix without elements.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// A struct as the user declared it, `repr(C)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructDef {
    /// The declared name.
    pub name: String,
    /// Fields in order of declaration, never empty.
    pub fields: Vec<Field>,
    /// Alignment in memory where that is more than the fields ask for, as with glam's `Mat2`; else 1. A power of two.
    pub align: u32,
}

/// A field of a struct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The declared name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
}

impl Type {
    /// Whether elements of this type can be fetched as texels: one, two or four numbers of 32 bits, as every device has formats for.
    pub const fn is_texel(&self) -> bool {
        match self {
            Self::Scalar(scalar) => matches!(scalar, Scalar::U32 | Scalar::I32 | Scalar::F32),
            Self::Vector(scalar, len) => {
                matches!(scalar, Scalar::U32 | Scalar::I32 | Scalar::F32) && matches!(len, 2 | 4)
            }
            _ => false,
        }
    }
}

/// All types of a module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Types {
    types: Arena<TypeId, Type>,
    structs: Arena<StructId, StructDef>,
}

impl Types {
    /// No types.
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of `ty`, the same for equal types. With a vector or matrix its scalar is interned too.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Type::Vector(scalar, _) | Type::Coop(CoopType { scalar, .. }) = ty {
            self.scalar(scalar);
        }
        // A module has few types; a scan beats hashing here.
        self.find(&ty).unwrap_or_else(|| self.types.push(ty))
    }

    /// The id of a type that may not be interned yet, or `None`.
    pub fn find(&self, ty: &Type) -> Option<TypeId> {
        self.types.iter().find(|(_, known)| *known == ty).map(|(id, _)| id)
    }

    /// The unit type.
    pub fn unit(&mut self) -> TypeId {
        self.intern(Type::Unit)
    }

    /// A scalar type.
    pub fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.intern(Type::Scalar(scalar))
    }

    /// A vector type.
    pub fn vector(&mut self, scalar: Scalar, len: u8) -> TypeId {
        self.intern(Type::Vector(scalar, len))
    }

    /// An array type.
    pub fn array(&mut self, element: TypeId, len: impl Into<Size>) -> TypeId {
        self.intern(Type::Array(element, len.into()))
    }

    /// Adds a struct: every call makes a new type, whatever the name.
    pub fn add_struct(&mut self, def: StructDef) -> (StructId, TypeId) {
        let id = self.structs.push(def);
        (id, self.intern(Type::Struct(id)))
    }

    /// The type with this `id`.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    /// The definition of a struct.
    pub fn struct_def(&self, id: StructId) -> &StructDef {
        &self.structs[id]
    }

    /// All struct definitions in order.
    pub fn structs(&self) -> &Arena<StructId, StructDef> {
        &self.structs
    }

    /// All types in order.
    pub fn all(&self) -> &Arena<TypeId, Type> {
        &self.types
    }

    /// Whether any array type has this length.
    pub fn has_len(&self, size: Size) -> bool {
        self.types.iter().any(|(_, ty)| matches!(ty, Type::Array(_, len) if *len == size))
    }

    /// The scalar of a scalar or vector type.
    pub fn element_scalar(&self, id: TypeId) -> Option<Scalar> {
        match *self.get(id) {
            Type::Scalar(scalar) | Type::Vector(scalar, _) => Some(scalar),
            _ => None,
        }
    }

    /// The type of member `index` of a vector, array, tuple or struct; `None` when there is none. Of an array whose length
    /// the launch decides, only the first is certain.
    pub fn member(&self, id: TypeId, index: u32) -> Option<TypeId> {
        match self.get(id) {
            Type::Vector(scalar, len) if index < u32::from(*len) => self.find(&Type::Scalar(*scalar)),
            Type::Array(element, len) if index < len.known().unwrap_or(1) => Some(*element),
            Type::Tuple(members) => members.get(index as usize).copied(),
            Type::Struct(id) => self.struct_def(*id).fields.get(index as usize).map(|field| field.ty),
            _ => None,
        }
    }

    /// The type of an element of a matrix that invocations hold, if the type is one whose elements are numbers.
    pub fn held_element(&self, id: TypeId) -> Option<TypeId> {
        match self.get(id) {
            Type::Coop(ty) if ty.scalar != Scalar::Bf16 => self.find(&Type::Scalar(ty.scalar)),
            _ => None,
        }
    }
}
