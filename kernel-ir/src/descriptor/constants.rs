//! The const parameters of a kernel.

/// A const parameter of a kernel function: a value that is chosen for each launch, and known to the driver when it compiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConstParam {
    /// The parameter's name as written.
    pub name: &'static str,
    /// Its type.
    pub ty: ConstType,
    /// The bits of its value in the module as it is, which each launch replaces.
    pub default: u64,
    /// Whether a workgroup or an array is so large: then it is a `u32` and not zero.
    pub is_size: bool,
}

/// The type of a const parameter. `usize` is `U32`, `isize` is `I32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "they are Rust's types")]
pub enum ConstType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

impl ConstType {
    /// The variant's name, as generated code writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "Bool",
            Self::I8 => "I8",
            Self::I16 => "I16",
            Self::I32 => "I32",
            Self::I64 => "I64",
            Self::U8 => "U8",
            Self::U16 => "U16",
            Self::U32 => "U32",
            Self::U64 => "U64",
        }
    }

    /// Bytes of the specialization constant; a `bool` has 4.
    pub const fn size(self) -> u32 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::Bool | Self::I32 | Self::U32 => 4,
            Self::I64 | Self::U64 => 8,
        }
    }
}
