//! Types of elements by their names in numpy and in Kompute: numbers, and records of them. No Python objects here.

use std::sync::{Mutex, PoisonError};

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
    /// A struct's.
    Record(&'static RecordType),
}

/// numpy's structured type of a struct.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct RecordType {
    pub(crate) size: usize,
    pub(crate) fields: Vec<RecordField>,
}

/// A field of a struct.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct RecordField {
    pub(crate) name: String,
    pub(crate) dtype: DType,
    /// How many numbers there are along each axis.
    pub(crate) lanes: Vec<usize>,
    pub(crate) offset: usize,
}

impl RecordField {
    /// The field of this name, of type `T`, so many bytes behind the struct's begin.
    pub fn of<T: crate::Element>(name: &str, offset: usize) -> Self {
        Self { name: name.to_owned(), dtype: T::dtype(), lanes: T::lanes(), offset }
    }

    fn shown(&self) -> String {
        let lanes: Vec<String> = self.lanes.iter().map(usize::to_string).collect();
        match lanes.is_empty() {
            true => format!("{}: {}", self.name, self.dtype.name()),
            false => format!("{}: {} ({})", self.name, self.dtype.name(), lanes.join(", ")),
        }
    }
}

/// A type's names in the array interface, in numpy and in Kompute.
type Row = (DType, &'static str, &'static str, &'static str);

const ROWS: [Row; 12] = [
    (DType::Bool, "|b1", "bool", "bool"),
    (DType::I8, "|i1", "int8", "char"),
    (DType::I16, "<i2", "int16", "short"),
    (DType::I32, "<i4", "int32", "int"),
    (DType::I64, "<i8", "int64", "custom"),
    (DType::U8, "|u1", "uint8", "uchar"),
    (DType::U16, "<u2", "uint16", "ushort"),
    (DType::U32, "<u4", "uint32", "uint"),
    (DType::U64, "<u8", "uint64", "custom"),
    (DType::F16, "<f2", "float16", "custom"),
    (DType::F32, "<f4", "float32", "float"),
    (DType::F64, "<f8", "float64", "double"),
];

impl DType {
    fn row(self) -> Option<&'static Row> {
        ROWS.iter().find(|row| row.0 == self)
    }

    /// A struct's type. Each is kept until the program ends: there are as many as it has structs.
    pub fn record(size: usize, fields: Vec<RecordField>) -> Self {
        static KNOWN: Mutex<Vec<&'static RecordType>> = Mutex::new(Vec::new());
        let made = RecordType { size, fields };
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known.iter().find(|other| ***other == made) {
            return Self::Record(same);
        }
        let kept: &'static RecordType = Box::leak(Box::new(made));
        known.push(kept);
        Self::Record(kept)
    }

    /// Of numpy's array interface; `None` for what devices do not have, and for the other byte order.
    pub(crate) fn of_typestr(text: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.1 == text).map(|row| row.0)
    }

    /// In numpy's array interface.
    pub(crate) fn typestr(self) -> String {
        self.row().map_or_else(|| format!("|V{}", self.size()), |row| row.1.to_owned())
    }

    /// numpy's name, or the fields.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Record(record) => {
                let fields: Vec<String> = record.fields.iter().map(RecordField::shown).collect();
                format!("{{{}}}", fields.join(", "))
            }
            scalar => scalar.row().map_or_else(String::new, |row| row.2.to_owned()),
        }
    }

    /// The member of Kompute's `DataTypes`.
    pub(crate) fn kompute(self) -> &'static str {
        self.row().map_or("custom", |row| row.3)
    }

    /// Bytes of an element.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
            Self::Record(record) => record.size,
        }
    }

    /// A constant of the type, of the element's bytes; a struct is none.
    pub(crate) fn constant(self, bytes: &[u8]) -> Option<Constant> {
        let mut word = [0; 8];
        word.get_mut(..self.size())?.copy_from_slice(bytes);
        let bits = u64::from_le_bytes(word);
        Some(match self {
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
            Self::Record(_) => return None,
        })
    }
}
