//! The types that random programs use, their literals, and how a value becomes a word of output.

use std::fmt;

use super::number::kind;
use super::random::Random;

/// The integer types besides `u32` and `i32`.
pub(crate) const OTHER_INTS: [&str; 6] = ["i8", "u8", "i16", "u16", "i64", "u64"];

/// A type of the generated language.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ty {
    Bool,
    U32,
    I32,
    F32,
    F64,
    /// An integer of 8, 16 or 64 bits, by its name.
    Int(&'static str),
    /// `[T; 4]`
    Array(Box<Ty>),
    Tuple(Box<[Ty; 2]>),
    /// The harness's `Pair { first: u32, second: [i32; 3], third: f32 }`
    Pair,
    UVec3,
    /// A vector of `f32`, by its number of lanes.
    Vec(u8),
    /// `Option<u32>`
    Option,
    /// The harness's enum `Shape { Empty, Line(i32), Area { width: u32, height: f32 } }`
    Shape,
    /// The harness's struct with methods and operators.
    Span,
    /// `f16` or `bf16`
    Half(&'static str),
    /// The harness's `Packed { half: f16, brain: bf16, byte: u8, short: i16, wide: u64 }`
    Packed,
    /// A square matrix, by its number of columns.
    Mat(u8),
    /// The type parameter of the generic function around.
    Param,
}

/// A variable in scope.
#[derive(Debug, Clone)]
pub(crate) struct Var {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    pub(crate) mutable: bool,
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::U32 => f.write_str("u32"),
            Self::I32 => f.write_str("i32"),
            Self::F32 => f.write_str("f32"),
            Self::Int(name) => f.write_str(name),
            Self::Array(element) => write!(f, "[{element}; 4]"),
            Self::Tuple(members) => write!(f, "({}, {})", members[0], members[1]),
            Self::Pair => f.write_str("Pair"),
            Self::UVec3 => f.write_str("UVec3"),
            Self::Vec(size) => write!(f, "Vec{size}"),
            Self::Mat(size) => write!(f, "Mat{size}"),
            Self::Half(name) => f.write_str(name),
            Self::Packed => f.write_str("Packed"),
            Self::Option => f.write_str("Option<u32>"),
            Self::Shape => f.write_str("Shape"),
            Self::F64 => f.write_str("f64"),
            Self::Span => f.write_str("Span"),
            Self::Param => f.write_str("T"),
        }
    }
}

impl Ty {
    pub(crate) fn scalar(random: &mut Random) -> Self {
        match random.below(11) {
            10 => Self::F64,
            7..=9 => Self::Int(random.pick(&OTHER_INTS)),
            0 => Self::Bool,
            1 | 2 => Self::I32,
            3 => Self::F32,
            _ => Self::U32,
        }
    }

    /// A type that a device function can take and give.
    pub(crate) fn any_param(random: &mut Random) -> Self {
        match random.below(11) {
            10 => Self::Span,
            8 => Self::Option,
            9 => Self::Shape,
            0 => Self::Pair,
            1 => Self::UVec3,
            2 => Self::Vec(2),
            _ => Self::scalar(random),
        }
    }

    /// A type that a variable can have.
    pub(crate) fn any(random: &mut Random) -> Self {
        match random.below(12) {
            0 => Self::Array(Box::new(Self::scalar(random))),
            1 => Self::Tuple(Box::new([Self::scalar(random), Self::scalar(random)])),
            2 => Self::Array(Box::new(Self::Tuple(Box::new([Self::U32, Self::F32])))),
            _ => Self::any_param(random),
        }
    }

    pub(crate) fn is_int(&self) -> bool {
        matches!(self, Self::U32 | Self::I32 | Self::Int(_))
    }

    /// A literal of a scalar type, with its suffix.
    pub(crate) fn literal(&self, random: &mut Random) -> String {
        match self {
            Self::Bool => random.pick(&["true", "false"]).to_owned(),
            Self::U32 => match random.below(3) {
                0 => format!("{}u32", random.below(9)),
                1 => random
                    .pick(&["0x8000_0000u32", "u32::MAX", "31u32", "32u32", "0xff00_ff00u32", "65_535u32"])
                    .to_owned(),
                _ => format!("{}u32", random.next() as u32),
            },
            Self::I32 => match random.below(3) {
                0 => format!("{}i32", random.below(9)),
                1 => random.pick(&["i32::MIN", "i32::MAX", "(-1i32)", "(-7i32)", "0x7fff_0000i32"]).to_owned(),
                _ => format!("({}i32)", random.next() as i16),
            },
            Self::F32 => match random.below(3) {
                0 => random
                    .pick(&["0.25f32", "1.0f32", "(-1.0f32)", "0.5f32", "0.0f32", "(-0.0f32)", "1e9f32"])
                    .to_owned(),
                1 => random
                    .pick(&[
                        "f32::INFINITY",
                        "f32::NAN",
                        "3.5f32",
                        "(-0.75f32)",
                        "f32::MAX",
                        "4294967040.0f32",
                        "(-2147483648.0f32)",
                    ])
                    .to_owned(),
                _ => format!("({:?}f32)", (random.next() as i16 | 1) as f32 / 32.0),
            },
            Self::F64 => match random.below(3) {
                0 => random
                    .pick(&[
                        "0.25f64",
                        "1.0f64",
                        "(-1.5f64)",
                        "0.0f64",
                        "(-0.0f64)",
                        "1e40f64",
                        "f64::NAN",
                        "f64::INFINITY",
                    ])
                    .to_owned(),
                _ => format!("({:?}f64)", (random.next() as i32 | 1) as f64 / 64.0),
            },
            Self::Int(name) => match random.below(3) {
                0 => format!("{}{name}", random.below(9)),
                1 => format!("{name}::{}", random.pick(&["MIN", "MAX"])),
                _ if name.starts_with('i') => format!("(-{}{name})", random.below(128)),
                _ => format!("{}{name}", random.below(256)),
            },
            _ => unreachable!("only scalars have literals"),
        }
    }
}

/// An expression of type `u32` made of a value: the same on every device.
pub(crate) fn as_word(ty: &Ty, value: &str) -> String {
    match ty {
        Ty::Bool | Ty::I32 => format!("({value} as u32)"),
        Ty::Int("i64" | "u64") => format!("(({value} >> 32) as u32 ^ {value} as u32)"),
        Ty::Int(_) => format!("({value} as u32)"),
        Ty::U32 => value.to_owned(),
        Ty::F32 => format!("word_of({value})"),
        Ty::Array(element) => {
            let words: Vec<_> = (0..4).map(|k| as_word(element, &format!("{value}[{k}]"))).collect();
            format!("({})", words.join(" ^ "))
        }
        Ty::Tuple(members) => {
            format!(
                "({} ^ {})",
                as_word(&members[0], &format!("{value}.0")),
                as_word(&members[1], &format!("{value}.1"))
            )
        }
        Ty::Pair => format!("({value}.first ^ ({value}.second[1] as u32) ^ word_of({value}.third))"),
        Ty::UVec3 => format!("({value}.x ^ {value}.y.rotate_left(3) ^ {value}.z)"),
        Ty::Vec(2) => format!("(word_of({value}.x) ^ word_of({value}.y))"),
        Ty::Vec(size) => format!("word_of{size}({value})"),
        Ty::Mat(size) => format!("word_of_matrix{size}({value})"),
        Ty::Half(name) => format!("word_of_{}({value})", kind(name)),
        Ty::Packed => format!("word_of_packed({value})"),
        Ty::Option => format!("{value}.unwrap_or(77)"),
        Ty::Shape => format!("code({value})"),
        Ty::F64 => format!("word_of_double({value})"),
        Ty::Span => format!("({value}.from ^ {value}.to as u32)"),
        Ty::Param => unreachable!("variables of a kernel have known types"),
    }
}
