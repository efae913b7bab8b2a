//! Cooperative matrices in a descriptor: the shapes and types that a kernel needs of a device.

use std::fmt;

/// The type of a matrix's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MatrixElement {
    /// `half::f16`.
    F16,
    /// `half::bf16`.
    Bf16,
    /// `f32`.
    F32,
    /// `i8`.
    I8,
    /// `u8`.
    U8,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
}

impl MatrixElement {
    /// The variant's name, as generated code writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "F16",
            Self::Bf16 => "Bf16",
            Self::F32 => "F32",
            Self::I8 => "I8",
            Self::U8 => "U8",
            Self::I32 => "I32",
            Self::U32 => "U32",
        }
    }
}

impl fmt::Display for MatrixElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name().to_lowercase())
    }
}

/// The role of a matrix in a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatrixUse {
    /// The left factor.
    A,
    /// The right factor.
    B,
    /// The addend, and the result.
    Accumulator,
}

impl MatrixUse {
    /// The variant's name, as generated code writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::Accumulator => "Accumulator",
        }
    }
}

/// A type of matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MatrixType {
    /// Of its elements.
    pub element: MatrixElement,
    /// The role of the matrix in a product.
    pub role: MatrixUse,
    /// How many.
    pub rows: u32,
    /// How many.
    pub columns: u32,
}

impl fmt::Display for MatrixType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let role = match self.role {
            MatrixUse::A => "MatrixA",
            MatrixUse::B => "MatrixB",
            MatrixUse::Accumulator => "Accumulator",
        };
        write!(f, "CoopMatrix<{}, {role}, {}, {}>", self.element, self.rows, self.columns)
    }
}

/// A product of two matrices, and what it is added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MatrixProduct {
    /// The elements of both factors.
    pub factors: MatrixElement,
    /// The elements of the sum.
    pub sum: MatrixElement,
    /// Of the left factor and the sum.
    pub rows: u32,
    /// Of the right factor and the sum.
    pub columns: u32,
    /// Columns of the left factor, rows of the right one.
    pub depth: u32,
}

impl fmt::Display for MatrixProduct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { factors, sum, rows, columns, depth } = self;
        write!(f, "{rows} × {depth} by {depth} × {columns} elements of {factors}, summed up in {sum}")
    }
}
