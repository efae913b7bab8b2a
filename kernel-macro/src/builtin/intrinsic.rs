//! The table of built-in functions and methods of Rust's and glam's types: name, receivers, signature. Their lowering lives in `lower`.

use crate::builtin::int::{self, Number};
use crate::builtin::matrix::{self, Linear};
use crate::builtin::overflow::{Arithmetic, METHODS, Overflow};

macro_rules! intrinsics {
    ($($variant:ident $name:literal $kind:ident ($($receiver:ident)|+) ($($param:ident),*) -> $result:ident;)+) => {
        /// A function or method of a built-in type.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Intrinsic {
            $($variant,)+
            /// Of the table in [`crate::builtin::overflow`].
            Arithmetic(Overflow, Arithmetic),
            /// Of the table in [`crate::builtin::int`].
            Number(Number),
            /// Of the table in [`crate::builtin::matrix`].
            Linear(Linear),
        }

        /// The intrinsics of this file with their signatures.
        static TABLE: &[Row] = &[$(Row {
            intrinsic: Intrinsic::$variant,
            name: $name,
            kind: Kind::$kind,
            receivers: &[$(Receiver::$receiver),+],
            params: &[$(Sig::$param),*],
            result: Sig::$result,
        }),+];
    };
}

/// All rows: of this table, and of those for overflow, for further methods of numbers and for matrices.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().chain(METHODS).chain(int::METHODS).chain(matrix::METHODS)
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
    /// `[f32; 4]`
    F32x4,
}

intrinsics! {
    Abs "abs" Method (Float|FloatVec|Sint|SintVec) () -> Same;
    Sqrt "sqrt" Method (Float|FloatVec) () -> Same;
    Sin "sin" Method (Float|FloatVec) () -> Same;
    Cos "cos" Method (Float|FloatVec) () -> Same;
    Tan "tan" Method (Float) () -> Same;
    Asin "asin" Method (Float) () -> Same;
    Acos "acos" Method (Float) () -> Same;
    Atan "atan" Method (Float) () -> Same;
    Sinh "sinh" Method (Float) () -> Same;
    Cosh "cosh" Method (Float) () -> Same;
    Tanh "tanh" Method (Float) () -> Same;
    Exp "exp" Method (Float|FloatVec) () -> Same;
    Exp2 "exp2" Method (Float|FloatVec) () -> Same;
    Ln "ln" Method (Float|FloatVec) () -> Same;
    Log2 "log2" Method (Float|FloatVec) () -> Same;
    Log10 "log10" Method (Float) () -> Same;
    Recip "recip" Method (Float|FloatVec) () -> Same;
    Fract "fract" Method (Float|FloatVec) () -> Same;
    Signum "signum" Method (Float|Half|FloatVec) () -> Same;
    ToDegrees "to_degrees" Method (Float) () -> Same;
    ToRadians "to_radians" Method (Float) () -> Same;
    Floor "floor" Method (Float|FloatVec) () -> Same;
    Ceil "ceil" Method (Float|FloatVec) () -> Same;
    Round "round" Method (Float|FloatVec) () -> Same;
    Trunc "trunc" Method (Float|FloatVec) () -> Same;
    RoundTiesEven "round_ties_even" Method (Float) () -> Same;
    MulAdd "mul_add" Method (Float|FloatVec) (Same, Same) -> Same;
    Powf "powf" Method (Float) (Same) -> Same;
    PowfVec "powf" Method (FloatVec) (Element) -> Same;
    Powi "powi" Method (Float) (I32) -> Same;
    Atan2 "atan2" Method (Float) (Same) -> Same;
    Hypot "hypot" Method (Float) (Same) -> Same;
    Log "log" Method (Float) (Same) -> Same;
    RemEuclidFloat "rem_euclid" Method (Float) (Same) -> Same;
    DivEuclidFloat "div_euclid" Method (Float) (Same) -> Same;
    Copysign "copysign" Method (Float|Half|FloatVec) (Same) -> Same;
    Min "min" Method (Float|Half|FloatVec|Sint|Uint|SintVec|UintVec) (Same) -> Same;
    Max "max" Method (Float|Half|FloatVec|Sint|Uint|SintVec|UintVec) (Same) -> Same;
    Clamp "clamp" Method (Float|Half|FloatVec|Sint|Uint|SintVec|UintVec) (Same, Same) -> Same;
    IsNan "is_nan" Method (Float|Half) () -> Bool;
    IsInfinite "is_infinite" Method (Float|Half) () -> Bool;
    IsFinite "is_finite" Method (Float|Half) () -> Bool;
    IsSignNegative "is_sign_negative" Method (Float|Half) () -> Bool;
    IsSignPositive "is_sign_positive" Method (Float|Half) () -> Bool;
    IsNormal "is_normal" Method (Float|Half) () -> Bool;
    IsSubnormal "is_subnormal" Method (Float) () -> Bool;
    NextUp "next_up" Method (Float) () -> Same;
    NextDown "next_down" Method (Float) () -> Same;
    ExpM1 "exp_m1" Method (Float) () -> Same;
    Ln1p "ln_1p" Method (Float) () -> Same;
    Cbrt "cbrt" Method (Float) () -> Same;
    Asinh "asinh" Method (Float) () -> Same;
    Acosh "acosh" Method (Float) () -> Same;
    Atanh "atanh" Method (Float) () -> Same;
    ToBits "to_bits" Method (Float|Half) () -> Unsigned;
    FromBits "from_bits" Function (Float|Half) (Unsigned) -> Same;
    FromF32 "from_f32" Function (Half) (F32) -> Same;
    FromF64 "from_f64" Function (Half) (F64) -> Same;
    ToF32 "to_f32" Method (Half) () -> F32;
    ToF64 "to_f64" Method (Half) () -> F64;
    SinCos "sin_cos" Method (Float) () -> PairSame;
    CountLeadingOnes "leading_ones" Method (Sint|Uint) () -> U32;
    CountTrailingOnes "trailing_ones" Method (Sint|Uint) () -> U32;
    MidpointUnsigned "midpoint" Method (Uint) (Same) -> Same;
    MidpointSigned "midpoint" Method (Sint) (Same) -> Same;
    NextPowerOfTwo "next_power_of_two" Method (Uint) () -> Same;
    CheckedNextPowerOfTwo "checked_next_power_of_two" Method (Uint) () -> OptionSame;
    CheckedIlog2 "checked_ilog2" Method (Sint|Uint) () -> OptionU32;
    Isqrt "isqrt" Method (Uint) () -> Same;
    CastSigned "cast_signed" Method (Uint) () -> Signed;
    CastUnsigned "cast_unsigned" Method (Sint) () -> Unsigned;
    RotateLeft "rotate_left" Method (Sint|Uint) (U32) -> Same;
    RotateRight "rotate_right" Method (Sint|Uint) (U32) -> Same;
    CountOnes "count_ones" Method (Sint|Uint) () -> U32;
    CountZeros "count_zeros" Method (Sint|Uint) () -> U32;
    LeadingZeros "leading_zeros" Method (Sint|Uint) () -> U32;
    TrailingZeros "trailing_zeros" Method (Sint|Uint) () -> U32;
    ReverseBits "reverse_bits" Method (Sint|Uint) () -> Same;
    SwapBytes "swap_bytes" Method (Sint|Uint) () -> Same;
    AbsDiff "abs_diff" Method (Sint|Uint) (Same) -> Unsigned;
    UnsignedAbs "unsigned_abs" Method (Sint) () -> Unsigned;
    SignumInt "signum" Method (Sint) () -> Same;
    Pow "pow" Method (Sint|Uint) (U32) -> Same;
    RemEuclid "rem_euclid" Method (Sint|Uint) (Same) -> Same;
    DivEuclid "div_euclid" Method (Sint|Uint) (Same) -> Same;
    DivCeil "div_ceil" Method (Uint) (Same) -> Same;
    IsPowerOfTwo "is_power_of_two" Method (Uint) () -> Bool;
    NextMultipleOf "next_multiple_of" Method (Uint) (Same) -> Same;
    IsPositive "is_positive" Method (Sint) () -> Bool;
    IsNegative "is_negative" Method (Sint) () -> Bool;
    IsAscii "is_ascii" Method (Byte) () -> Bool;
    IsAsciiDigit "is_ascii_digit" Method (Byte) () -> Bool;
    IsAsciiHexdigit "is_ascii_hexdigit" Method (Byte) () -> Bool;
    IsAsciiAlphabetic "is_ascii_alphabetic" Method (Byte) () -> Bool;
    IsAsciiAlphanumeric "is_ascii_alphanumeric" Method (Byte) () -> Bool;
    IsAsciiUppercase "is_ascii_uppercase" Method (Byte) () -> Bool;
    IsAsciiLowercase "is_ascii_lowercase" Method (Byte) () -> Bool;
    IsAsciiWhitespace "is_ascii_whitespace" Method (Byte) () -> Bool;
    IsAsciiPunctuation "is_ascii_punctuation" Method (Byte) () -> Bool;
    IsAsciiGraphic "is_ascii_graphic" Method (Byte) () -> Bool;
    IsAsciiControl "is_ascii_control" Method (Byte) () -> Bool;
    ToAsciiUppercase "to_ascii_uppercase" Method (Byte) () -> Same;
    ToAsciiLowercase "to_ascii_lowercase" Method (Byte) () -> Same;
    VectorNew "new" Function (FloatVec|SintVec|UintVec|BoolVec) (Elements) -> Same;
    Splat "splat" Function (FloatVec|SintVec|UintVec|BoolVec) (Element) -> Same;
    FromArray "from_array" Function (FloatVec|SintVec|UintVec) (ElementArray) -> Same;
    ToArray "to_array" Method (FloatVec|SintVec|UintVec) () -> ElementArray;
    LanesWrappingAdd "wrapping_add" Method (SintVec|UintVec) (Same) -> Same;
    LanesWrappingSub "wrapping_sub" Method (SintVec|UintVec) (Same) -> Same;
    LanesWrappingMul "wrapping_mul" Method (SintVec|UintVec) (Same) -> Same;
    LanesSaturatingAdd "saturating_add" Method (SintVec|UintVec) (Same) -> Same;
    LanesSaturatingSub "saturating_sub" Method (SintVec|UintVec) (Same) -> Same;
    LanesSaturatingMul "saturating_mul" Method (SintVec|UintVec) (Same) -> Same;
    LanesSignum "signum" Method (SintVec) () -> Same;
    Dot "dot" Method (FloatVec|SintVec|UintVec) (Same) -> Element;
    Cross "cross" Method (Vec3) (Same) -> Same;
    PerpDot "perp_dot" Method (Vec2) (Same) -> Element;
    Length "length" Method (FloatVec) () -> Element;
    LengthSquared "length_squared" Method (FloatVec|SintVec|UintVec) () -> Element;
    Normalize "normalize" Method (FloatVec) () -> Same;
    Distance "distance" Method (FloatVec) (Same) -> Element;
    DistanceSquared "distance_squared" Method (FloatVec) (Same) -> Element;
    Lerp "lerp" Method (FloatVec) (Same, Element) -> Same;
    Reflect "reflect" Method (FloatVec) (Same) -> Same;
    MinElement "min_element" Method (FloatVec|SintVec|UintVec) () -> Element;
    MaxElement "max_element" Method (FloatVec|SintVec|UintVec) () -> Element;
    ElementSum "element_sum" Method (FloatVec|SintVec|UintVec) () -> Element;
    ElementProduct "element_product" Method (FloatVec|SintVec|UintVec) () -> Element;
    Cmpeq "cmpeq" Method (FloatVec|SintVec|UintVec) (Same) -> BoolVector;
    Cmpne "cmpne" Method (FloatVec|SintVec|UintVec) (Same) -> BoolVector;
    Cmplt "cmplt" Method (FloatVec|SintVec|UintVec) (Same) -> BoolVector;
    Cmple "cmple" Method (FloatVec|SintVec|UintVec) (Same) -> BoolVector;
    Cmpgt "cmpgt" Method (FloatVec|SintVec|UintVec) (Same) -> BoolVector;
    Cmpge "cmpge" Method (FloatVec|SintVec|UintVec) (Same) -> BoolVector;
    VectorSelect "select" Function (FloatVec|SintVec|UintVec) (BoolVector, Same, Same) -> Same;
    AnyLane "any" Method (BoolVec) () -> Bool;
    AllLanes "all" Method (BoolVec) () -> Bool;
    LengthRecip "length_recip" Method (FloatVec) () -> Element;
    NormalizeOr "normalize_or" Method (FloatVec) (Same) -> Same;
    NormalizeOrZero "normalize_or_zero" Method (FloatVec) () -> Same;
    TryNormalize "try_normalize" Method (FloatVec) () -> OptionSame;
    ClampLength "clamp_length" Method (FloatVec) (Element, Element) -> Same;
    ClampLengthMin "clamp_length_min" Method (FloatVec) (Element) -> Same;
    ClampLengthMax "clamp_length_max" Method (FloatVec) (Element) -> Same;
    ProjectOnto "project_onto" Method (FloatVec) (Same) -> Same;
    ProjectOntoNormalized "project_onto_normalized" Method (FloatVec) (Same) -> Same;
    RejectFrom "reject_from" Method (FloatVec) (Same) -> Same;
    MidpointVector "midpoint" Method (FloatVec) (Same) -> Same;
    MoveTowards "move_towards" Method (FloatVec) (Same, Element) -> Same;
    Refract "refract" Method (FloatVec) (Same, Element) -> Same;
    AbsDiffEq "abs_diff_eq" Method (FloatVec) (Same, Element) -> Bool;
    VectorIsNan "is_nan" Method (FloatVec) () -> Bool;
    VectorIsFinite "is_finite" Method (FloatVec) () -> Bool;
    Perp "perp" Method (Vec2) () -> Same;
    RotateVec2 "rotate" Method (Vec2) (Same) -> Same;
    FromAngleVec2 "from_angle" Function (Vec2) (Element) -> Same;
    ToAngle "to_angle" Method (Vec2) () -> Element;
    AngleBetween "angle_between" Method (Vec3) (Same) -> Element;
    AngleToVec2 "angle_to" Method (Vec2) (Same) -> Element;
    AngleToVec3 "angle_to" Method (Vec3) (Same, Same) -> Element;
    RotateX "rotate_x" Method (Vec3) (Element) -> Same;
    RotateY "rotate_y" Method (Vec3) (Element) -> Same;
    RotateZ "rotate_z" Method (Vec3) (Element) -> Same;
    RotateAxis "rotate_axis" Method (Vec3) (Same, Element) -> Same;
    AnyOrthogonalVector "any_orthogonal_vector" Method (Vec3) () -> Same;
    AnyOrthonormalVector "any_orthonormal_vector" Method (Vec3) () -> Same;
    AnyOrthonormalPair "any_orthonormal_pair" Method (Vec3) () -> PairSame;
    IsNormalized "is_normalized" Method (FloatVec) () -> Bool;
    FractGl "fract_gl" Method (FloatVec) () -> Same;
    Step "step" Method (FloatVec) (Same) -> Same;
    Saturate "saturate" Method (FloatVec) () -> Same;
    Smoothstep "smoothstep" Method (FloatVec) (Same, Same) -> Same;
    WithX "with_x" Method (FloatVec|SintVec|UintVec) (Element) -> Same;
    WithY "with_y" Method (FloatVec|SintVec|UintVec) (Element) -> Same;
    WithZ "with_z" Method (FloatVec|SintVec|UintVec) (Element) -> Same;
    WithW "with_w" Method (FloatVec|SintVec|UintVec) (Element) -> Same;
    Truncate "truncate" Method (FloatVec|SintVec|UintVec) () -> Shorter;
    Extend "extend" Method (FloatVec|SintVec|UintVec) (Element) -> Longer;
    AsVec "as_vecN" Method (SintVec|UintVec) () -> FloatVector;
    AsIVec "as_ivecN" Method (FloatVec|UintVec) () -> SintVector;
    AsUVec "as_uvecN" Method (FloatVec|SintVec) () -> UintVector;
    BufferLen "len" Method (Buffer|Array) () -> Usize;
    BufferIsEmpty "is_empty" Method (Buffer|Array) () -> Bool;
}
