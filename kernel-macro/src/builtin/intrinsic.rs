//! The built-in functions and methods of Rust's and glam's types: their families, and how a row of a family's table gives name, receivers and
//! signature. Lowering lives in `lower`.

use crate::builtin::ascii::{self, Ascii};
use crate::builtin::character::{self, Character};
use crate::builtin::direction::{self, Direction};
use crate::builtin::elementary::{self, Elementary};
use crate::builtin::int::{self, Number};
use crate::builtin::lanes::{self, Lanes};
use crate::builtin::matrix::{self, Linear};
use crate::builtin::overflow::{self, Arithmetic, Overflow};
use crate::builtin::rotation::{self, Rotation};
use crate::builtin::vector::{self, Vector};

/// A family of built-in functions: an enum with a variant for each row, and the rows. A `match` over the enum names them all.
macro_rules! family {
    (
        $(#[$doc:meta])* $family:ident
        $($variant:ident $name:literal $kind:ident ($($receiver:ident)|+) ($($param:ident),*) -> $result:ident;)+
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum $family { $($variant,)+ }

        /// The methods.
        pub(crate) static METHODS: &[Row] = &[$(Row {
            intrinsic: Intrinsic::$family($family::$variant),
            name: $name,
            kind: Kind::$kind,
            receivers: &[$(Receiver::$receiver),+],
            params: &[$(Sig::$param),*],
            result: Sig::$result,
        }),+];
    };
}

pub(crate) use family;

/// A function or method of a built-in type, by its family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Intrinsic {
    /// Numbers, and vectors lane by lane.
    Elementary(Elementary),
    /// Arithmetic whose name says what happens on overflow.
    Arithmetic(Overflow, Arithmetic),
    /// Further methods of numbers.
    Number(Number),
    /// Classes of bytes and characters.
    Ascii(Ascii),
    /// Further methods of characters.
    Character(Character),
    /// Vectors.
    Vector(Vector),
    /// Vectors by their lanes.
    Lanes(Lanes),
    /// Vectors as directions.
    Direction(Direction),
    /// Matrices.
    Linear(Linear),
    /// Quaternions, and matrices that turn.
    Rotation(Rotation),
    /// Lengths of buffers, arrays and slices.
    Length(Length),
}

family! {
    /// A method that asks for a length: its receiver is a place.
    Length

    Len "len" Method (Buffer|Array) () -> Usize;
    IsEmpty "is_empty" Method (Buffer|Array) () -> Bool;
}

/// All rows.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    let families = [
        elementary::METHODS,
        ascii::METHODS,
        character::METHODS,
        vector::METHODS,
        lanes::METHODS,
        direction::METHODS,
        METHODS,
        overflow::METHODS,
        int::METHODS,
        matrix::METHODS,
        rotation::METHODS,
    ];
    families.into_iter().flatten()
}

/// One intrinsic.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) intrinsic: Intrinsic,
    /// Name of the method or associated function. `as_vecN` stands for `as_vec2`, `as_vec3`, `as_vec4` by the receiver's size.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) receivers: &'static [Receiver],
    pub(crate) params: &'static [Sig],
    pub(crate) result: Sig,
}

/// Whether `self` is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `x.name(…)`, also callable as `T::name(x, …)`.
    Method,
    /// `T::name(…)`; the receiver is the type.
    Function,
}

/// A class of receiver types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// `f32`, `f64`
    Float,
    /// `f16`, `bf16`
    Half,
    /// `Vec2`, `Vec3`, `Vec4`
    FloatVec,
    /// `i8` to `i64`, `isize`
    Sint,
    /// `u8` to `u64`, `usize`
    Uint,
    /// `u8` only
    Byte,
    Char,
    /// `i8` to `i64`
    FixedSint,
    /// `u8` to `u64`
    FixedUint,
    /// `IVec2`, …
    SintVec,
    /// `UVec2`, …
    UintVec,
    /// `BVec2`, …
    BoolVec,
    /// `Vec2` only
    Vec2,
    /// `Vec3` only
    Vec3,
    /// `Vec4` only
    Vec4,
    /// `IVec2` only
    IVec2,
    /// `IVec3` only
    IVec3,
    /// `UVec3` only
    UVec3,
    /// `Mat2`, `Mat3`, `Mat4`
    Matrix,
    /// `Mat2` only
    Mat2,
    /// `Mat3` only
    Mat3,
    /// `Mat4` only
    Mat4,
    Quat,
    /// `&[T]`, `&mut [T]` of a kernel
    Buffer,
    /// `[T; N]`
    Array,
}

/// A type in a signature, in terms of the receiver's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sig {
    /// The receiver's type.
    Same,
    /// A reference to the receiver's type.
    Lent,
    /// The scalar of a vector receiver (the type itself for scalars).
    Element,
    /// As many parameters of `Element` as the vector has lanes.
    Elements,
    /// `[Element; lanes]`
    ElementArray,
    Bool,
    I32,
    U32,
    Usize,
    F32,
    F64,
    /// The unsigned integer as wide as the receiver.
    Unsigned,
    /// The signed integer as wide as the receiver.
    Signed,
    /// `[u8; size]`
    Bytes,
    /// `(Same, Same)`
    PairSame,
    /// `(Same, Element)`
    SameAndElement,
    /// `(Same, bool)`
    SameAndFlag,
    /// `Option<Same>`
    OptionSame,
    /// `Option<u32>`
    OptionU32,
    /// Vector of as many `bool`.
    BoolVector,
    /// Vector of as many `f32`.
    FloatVector,
    /// Vector of as many `i32`.
    SintVector,
    /// Vector of as many `u32`.
    UintVector,
    /// Vector with one lane less (receivers with 3 or 4 lanes).
    Shorter,
    /// Vector with one lane more (receivers with 2 or 3 lanes).
    Longer,
    /// A column of a matrix receiver.
    Column,
    /// As many parameters of `Column` as the matrix has.
    Columns,
    /// `[f32; lanes * lanes]` of a matrix receiver.
    CellArray,
    /// `[[f32; lanes]; lanes]` of a matrix receiver.
    CellArrays,
    Vec2,
    Vec3,
    Vec4,
    Mat2,
    Mat3,
    Mat4,
    Quat,
    /// `&Mat3`
    LentMat3,
    /// `&Mat4`
    LentMat4,
    /// `(Vec3, f32)`
    AxisAndAngle,
    /// `(Vec3, Quat, Vec3)`
    ScaleRotationTranslation,
    /// `[f32; 4]`
    F32x4,
}

impl Sig {
    /// Whether a parameter is a reference.
    pub(crate) const fn is_lent(self) -> bool {
        matches!(self, Self::Lent | Self::CellArray | Self::CellArrays | Self::LentMat3 | Self::LentMat4)
    }
}
