//! The scalar types and what is known of each by its name alone; no values.

use gridwise_ir::types::Scalar;

/// The scalar types of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ScalarName {
    Bool,
    /// 32 bits, which are always those of a character.
    Char,
    /// `&'static str`: on the device a number that tells texts apart; in no buffer.
    Text,
    I8,
    I16,
    I32,
    I64,
    /// Two words of 64 bits on the device; in no buffer.
    I128,
    /// 32 bits on the device, and in the twin.
    Isize,
    U8,
    U16,
    U32,
    U64,
    /// Two words of 64 bits on the device; in no buffer.
    U128,
    /// 32 bits on the device, and in the twin.
    Usize,
    /// `half::f16`
    F16,
    /// `half::bf16`
    Bf16,
    F32,
    F64,
}

impl ScalarName {
    /// All of them.
    pub(crate) const ALL: [Self; 18] = [
        Self::F32,
        Self::U32,
        Self::I32,
        Self::Bool,
        Self::Char,
        Self::Usize,
        Self::I8,
        Self::I16,
        Self::I64,
        Self::Isize,
        Self::U8,
        Self::U16,
        Self::U64,
        Self::F16,
        Self::Bf16,
        Self::F64,
        Self::I128,
        Self::U128,
    ];

    /// As written in Rust.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Char => "char",
            Self::Text => "&'static str",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::I128 => "i128",
            Self::Isize => "isize",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::U128 => "u128",
            Self::Usize => "usize",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Its type on the device; of an integer of 128 bits, that of its upper half.
    pub(crate) const fn on_device(self) -> Scalar {
        match self {
            Self::Bool => Scalar::Bool,
            Self::I8 => Scalar::I8,
            Self::I16 => Scalar::I16,
            Self::I32 | Self::Isize => Scalar::I32,
            Self::I64 | Self::I128 => Scalar::I64,
            Self::U8 => Scalar::U8,
            Self::U16 => Scalar::U16,
            Self::U32 | Self::Usize | Self::Char | Self::Text => Scalar::U32,
            Self::U64 | Self::U128 => Scalar::U64,
            Self::F16 => Scalar::F16,
            Self::Bf16 => Scalar::Bf16,
            Self::F32 => Scalar::F32,
            Self::F64 => Scalar::F64,
        }
    }

    /// Number of bits on the device; 1 for `bool`.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::I8 | Self::U8 => 8,
            Self::I16 | Self::U16 | Self::F16 | Self::Bf16 => 16,
            Self::I32 | Self::U32 | Self::Isize | Self::Usize | Self::F32 | Self::Char | Self::Text => 32,
            Self::I64 | Self::U64 | Self::F64 => 64,
            Self::I128 | Self::U128 => 128,
        }
    }

    /// Whether it is an integer with a sign.
    pub(crate) const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::I128 | Self::Isize)
    }

    /// Whether it is an integer without a sign.
    pub(crate) const fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64 | Self::U128 | Self::Usize)
    }

    /// Whether it is an integer.
    pub(crate) const fn is_int(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// Whether it is an integer of 128 bits.
    pub(crate) const fn is_wide(self) -> bool {
        matches!(self, Self::I128 | Self::U128)
    }

    /// Whether it has arithmetic: not `bool` and `char`.
    pub(crate) const fn is_number(self) -> bool {
        !matches!(self, Self::Bool | Self::Char | Self::Text)
    }

    /// Whether it is a type of crate `half`: no primitive, so without literals and `as`.
    pub(crate) const fn is_half(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16)
    }

    /// Whether it is a primitive float.
    pub(crate) const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// The unsigned integer of the same width.
    pub(crate) const fn unsigned(self) -> Self {
        match self {
            Self::I8 => Self::U8,
            Self::I16 | Self::F16 | Self::Bf16 => Self::U16,
            Self::I32 | Self::F32 => Self::U32,
            Self::I64 | Self::F64 => Self::U64,
            Self::I128 => Self::U128,
            Self::Isize => Self::Usize,
            other => other,
        }
    }

    /// The signed integer of the same width.
    pub(crate) const fn signed(self) -> Self {
        match self {
            Self::U8 => Self::I8,
            Self::U16 => Self::I16,
            Self::U32 => Self::I32,
            Self::U64 => Self::I64,
            Self::U128 => Self::I128,
            Self::Usize => Self::Isize,
            other => other,
        }
    }

    /// Smallest and largest value of an integer, on the device; of `char`, its number; of `u128`, the largest that constants are
    /// computed with.
    pub(crate) const fn limits(self) -> (i128, i128) {
        if let Self::Char = self {
            return (0, char::MAX as i128);
        }
        if self.is_wide() {
            return (if self.is_signed() { i128::MIN } else { 0 }, i128::MAX);
        }
        let values = 1i128 << self.bits();
        if self.is_signed() { (-(values / 2), values / 2 - 1) } else { (0, values - 1) }
    }

    /// The scalar with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scalar| scalar.name() == name)
    }
}
