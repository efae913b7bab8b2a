//! Integer division and clamping that record a trap where Rust would panic, and go on with a defined value.

use glam::{IVec2, IVec3, IVec4, UVec2, UVec3, UVec4};
use gridwise_ir::descriptor::Site;

use super::launch::TrapSink;

/// `usize` as the device has it: 32 bits.
#[inline]
pub const fn wrap32(value: usize) -> usize {
    value as u32 as usize
}

/// `isize` as the device has it: 32 bits.
#[inline]
pub const fn wrap_signed32(value: isize) -> isize {
    value as i32 as isize
}

/// Integers and integer vectors.
pub trait Divide: Copy {
    /// `self / divisor`, or trap.
    fn divide(self, sink: impl TrapSink, sites: DivisionSites, divisor: Self) -> Self;
    /// `self % divisor`, or trap.
    fn remainder(self, sink: impl TrapSink, sites: DivisionSites, divisor: Self) -> Self;
    /// `self.div_euclid(divisor)`, or trap.
    fn divide_euclid(self, sink: impl TrapSink, sites: DivisionSites, divisor: Self) -> Self;
    /// `self.rem_euclid(divisor)`, or trap.
    fn remainder_euclid(self, sink: impl TrapSink, sites: DivisionSites, divisor: Self) -> Self;
}

/// The sites of a division: by zero, and with overflow (`i32::MIN / -1`).
pub type DivisionSites = [&'static Site; 2];

/// The divisions of types, one way for each: the name, Rust's checked form, and 1 where a trap gives the dividend.
macro_rules! divisions {
    ($($ty:ty),+ => $way:ident) => { $(
        impl Divide for $ty {
            $way!(divide checked_div 1, remainder checked_rem 0, divide_euclid checked_div_euclid 1, remainder_euclid checked_rem_euclid 0);
        }
    )+ };
}

/// After a trap, `self` or zero.
macro_rules! scalar {
    ($($name:ident $checked:ident $keeps:literal),+) => { $(
        #[inline]
        #[track_caller]
        fn $name(self, sink: impl TrapSink, sites: DivisionSites, divisor: Self) -> Self {
            self.$checked(divisor).unwrap_or_else(|| {
                sink.trap(sites[usize::from(divisor != 0)], [self as u32, divisor as u32]);
                self * $keeps
            })
        }
    )+ };
}

/// On the 32 bits that the device has.
macro_rules! on_device {
    ($($name:ident $checked:ident $keeps:literal),+) => { $(
        #[inline]
        #[track_caller]
        fn $name(self, sink: impl TrapSink, sites: DivisionSites, divisor: Self) -> Self {
            (self as i32).$name(sink, sites, divisor as i32) as Self
        }
    )+ };
}

macro_rules! vector {
    ($($name:ident $checked:ident $keeps:literal),+) => { $(
        #[track_caller]
        fn $name(self, sink: impl TrapSink, sites: DivisionSites, divisor: Self) -> Self {
            lanes(self.to_array(), divisor.to_array(), |a, b| a.$name(sink, sites, b)).into()
        }
    )+ };
}

divisions!(i8, i16, i32, i64, i128, u8, u16, u32, u64, u128, usize => scalar);
divisions!(isize => on_device);
divisions!(IVec2, IVec3, IVec4, UVec2, UVec3, UVec4 => vector);

fn lanes<T: Copy, const N: usize>(a: [T; N], b: [T; N], mut f: impl FnMut(T, T) -> T) -> [T; N] {
    std::array::from_fn(|lane| f(a[lane], b[lane]))
}

macro_rules! functions {
    ($($name:ident $method:ident $form:literal;)+) => { $(
        #[doc = concat!("`", $form, "` of integers.")]
        #[inline]
        #[track_caller]
        pub fn $name<T: Divide>(sink: impl TrapSink, sites: DivisionSites, a: T, b: T) -> T {
            a.$method(sink, sites, b)
        }
    )+ };
}

functions! {
    div divide "a / b";
    rem remainder "a % b";
    div_euclid divide_euclid "a.div_euclid(b)";
    rem_euclid remainder_euclid "a.rem_euclid(b)";
}

/// Integers and integer vectors.
pub trait Integer: Copy {
    /// Whether it is zero, or has a lane that is.
    fn is_zero(self) -> bool;
    /// One.
    const ONE: Self;
    /// The lower 32 bits as a trap's operand, or those of a lane that is zero.
    fn word(self) -> u32;
}

macro_rules! integers {
    ($($ty:ty),+) => { $(
        impl Integer for $ty {
            const ONE: Self = 1;
            #[inline]
            fn is_zero(self) -> bool {
                self == 0
            }
            #[inline]
            fn word(self) -> u32 {
                self as u32
            }
        }
    )+ };
}

integers!(i8, i16, i32, i64, i128, u8, u16, u32, u64, u128);

macro_rules! integer_vectors {
    ($($ty:ty),+) => { $(
        impl Integer for $ty {
            const ONE: Self = Self::ONE;
            #[inline]
            fn is_zero(self) -> bool {
                self.to_array().contains(&0)
            }
            #[inline]
            fn word(self) -> u32 {
                0
            }
        }
    )+ };
}

integer_vectors!(IVec2, IVec3, IVec4, UVec2, UVec3, UVec4);

/// A divisor; after a trap 1 for zero.
#[inline]
#[track_caller]
pub fn nonzero<T: Integer>(sink: impl TrapSink, site: &'static Site, divisor: T) -> T {
    if divisor.is_zero() {
        sink.trap(site, [0, divisor.word()]);
        return T::ONE;
    }
    divisor
}

/// Results of 32 bits that stand for `usize` or `isize`.
pub trait Widen {
    /// The type that they are computed in.
    type Size;
    /// The same number.
    fn widen(self) -> Self::Size;
}

impl Widen for u32 {
    type Size = usize;
    #[inline]
    fn widen(self) -> usize {
        self as usize
    }
}

impl Widen for i32 {
    type Size = isize;
    #[inline]
    fn widen(self) -> isize {
        self as isize
    }
}

impl<T: Widen> Widen for (T, bool) {
    type Size = (T::Size, bool);
    #[inline]
    fn widen(self) -> (T::Size, bool) {
        (self.0.widen(), self.1)
    }
}

impl<T: Widen> Widen for Option<T> {
    type Size = Option<T::Size>;
    #[inline]
    fn widen(self) -> Option<T::Size> {
        self.map(T::widen)
    }
}

/// The same number as `usize` or `isize`.
#[inline]
pub fn widen<T: Widen>(value: T) -> T::Size {
    value.widen()
}

/// Unsigned integers.
pub trait Unsigned: Divide + PartialEq {
    /// Zero.
    const ZERO: Self;
    /// `self + other`, wrapping.
    fn plus(self, other: Self) -> Self;
    /// `self - other`, wrapping.
    fn minus(self, other: Self) -> Self;
    /// 0 or 1.
    fn from_bool(value: bool) -> Self;
}

macro_rules! unsigned {
    ($($ty:ty),+) => { $(
        impl Unsigned for $ty {
            const ZERO: Self = 0;
            #[inline]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline]
            fn from_bool(value: bool) -> Self {
                value.into()
            }
        }
    )+ };
}

unsigned!(u8, u16, u32, u64, u128);

/// `a.div_ceil(b)`.
#[inline]
#[track_caller]
pub fn div_ceil<T: Unsigned>(sink: impl TrapSink, sites: DivisionSites, a: T, b: T) -> T {
    let quotient = a.divide(sink, sites, b);
    if b == T::ZERO {
        return a;
    }
    quotient.plus(T::from_bool(a.remainder(sink, sites, b) != T::ZERO))
}

/// `a.next_multiple_of(b)`, wrapping.
#[inline]
#[track_caller]
pub fn next_multiple_of<T: Unsigned>(sink: impl TrapSink, sites: DivisionSites, a: T, b: T) -> T {
    let over = rem(sink, sites, a, b);
    if over == T::ZERO { a } else { a.plus(b.minus(over)) }
}

/// Types with Rust's `clamp`.
pub trait Clamp: Copy + PartialOrd {
    /// The value's bits as a trap's operand.
    fn operand(self) -> u32;
}

macro_rules! clamps {
    ($($ty:ty = $operand:expr;)+) => { $(
        impl Clamp for $ty {
            #[inline]
            fn operand(self) -> u32 {
                let operand: fn(Self) -> u32 = $operand;
                operand(self)
            }
        }
    )+ };
}

clamps! {
    f32 = f32::to_bits; f64 = |v| v.to_bits() as u32;
    half::f16 = |v| v.to_bits().into(); half::bf16 = |v| v.to_bits().into();
    i8 = |v| v as u32; i16 = |v| v as u32; i32 = |v| v as u32; i64 = |v| v as u32; isize = |v| v as u32;
    u8 = |v| v.into(); u16 = |v| v.into(); u32 = |v| v; u64 = |v| v as u32; usize = |v| v as u32;
}

/// `value.clamp(min, max)`; a trap for bounds out of order or NaN, and then the two comparisons all the same.
#[inline]
#[track_caller]
pub fn clamp<T: Clamp>(sink: impl TrapSink, site: &'static Site, value: T, min: T, max: T) -> T {
    let in_order = min <= max;
    if !in_order {
        sink.trap(site, [min.operand(), max.operand()]);
    }
    let raised = if value < min { min } else { value };
    if raised > max { max } else { raised }
}
/// The `f32` next to an `f64`, such that rounding it further gives what rounding the `f64` once gives: an inexact one is odd.
pub fn round_to_odd(value: f64) -> f32 {
    let near = value as f32;
    let back = f64::from(near);
    if back == value || value.is_nan() || near.to_bits() & 1 == 1 {
        return near;
    }
    let bits = near.to_bits();
    f32::from_bits(if back.abs() > value.abs() { bits - 1 } else { bits + 1 })
}

/// Asserts at compile time that a bare name such as `PI` stands for what it does in kernels.
///
/// ```
/// use std::f32::consts::PI;
/// const _: () = gridwise_runtime::twin::is_math_constant(PI, 0x4049_0fdb, "`PI` is another one");
/// ```
///
/// ```compile_fail
/// const PI: f32 = 3.0;
/// const _: () = gridwise_runtime::twin::is_math_constant(PI, 0x4049_0fdb, "`PI` is another one");
/// ```
///
/// # Panics
/// With `message`, when it is another number.
pub const fn is_math_constant(value: f32, bits: u32, message: &str) {
    if value.to_bits() != bits {
        panic!("{}", message);
    }
}
