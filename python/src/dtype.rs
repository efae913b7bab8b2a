//! Types of elements by their names in numpy and in Kompute. No Python objects here.

use gridwise::Constant;
use gridwise::half::f16;

/// The type of a tensor's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "they are Rust's types")]
pub enum DType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
}

impl DType {
    const ALL: [(Self, &'static str, &'static str, &'static str); 12] = [
        (Self::Bool, "|b1", "bool", "bool"),
        (Self::I8, "|i1", "int8", "char"),
        (Self::I16, "<i2", "int16", "short"),
        (Self::I32, "<i4", "int32", "int"),
        (Self::I64, "<i8", "int64", "custom"),
        (Self::U8, "|u1", "uint8", "uchar"),
        (Self::U16, "<u2", "uint16", "ushort"),
        (Self::U32, "<u4", "uint32", "uint"),
        (Self::U64, "<u8", "uint64", "custom"),
        (Self::F16, "<f2", "float16", "custom"),
        (Self::F32, "<f4", "float32", "float"),
        (Self::F64, "<f8", "float64", "double"),
    ];

    fn row(self) -> (Self, &'static str, &'static str, &'static str) {
        Self::ALL[self as usize]
    }

    /// Of numpy's array interface; `None` for what devices do not have, and for the other byte order.
    pub(crate) fn of_typestr(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|row| row.1 == text).map(|row| row.0)
    }

    /// In numpy's array interface.
    pub(crate) fn typestr(self) -> &'static str {
        self.row().1
    }

    /// numpy's name.
    pub(crate) fn name(self) -> &'static str {
        self.row().2
    }

    /// The member of Kompute's `DataTypes`.
    pub(crate) fn kompute(self) -> &'static str {
        self.row().3
    }

    /// Bytes of an element.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// A constant of the type, of the element's bytes.
    pub(crate) fn constant(self, bytes: &[u8]) -> Constant {
        let mut word = [0; 8];
        word[..self.size()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(word);
        match self {
            Self::Bool => Constant::Bool(bits != 0),
            Self::I8 => Constant::I8(bits as i8),
            Self::I16 => Constant::I16(bits as i16),
            Self::I32 => Constant::I32(bits as i32),
            Self::I64 => Constant::I64(bits as i64),
            Self::U8 => Constant::U8(bits as u8),
            Self::U16 => Constant::U16(bits as u16),
            Self::U32 => Constant::U32(bits as u32),
            Self::U64 => Constant::U64(bits),
            Self::F16 => Constant::F16(f16::from_bits(bits as u16)),
            Self::F32 => Constant::F32(f32::from_bits(bits as u32)),
            Self::F64 => Constant::F64(f64::from_bits(bits)),
        }
    }
}
