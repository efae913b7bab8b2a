//! The traits of types that kernels work on. No Vulkan here.

use glam::{BVec2, BVec3, BVec4, IVec2, IVec3, IVec4, Mat2, Mat3, Mat4, Quat, UVec2, UVec3, UVec4, Vec2, Vec3, Vec4};

#[doc(hidden)]
pub use crate::memory::padding::{Field, FieldsOf, NotData};

/// A type that kernels can hold in variables: it has a zero, which an out-of-range read gives.
///
/// ```
/// use gridwise::{Value, glam::Vec3};
///
/// // The value of a read out of range, as `f32`, `Vec3`, and tuples and arrays of such.
/// assert_eq!(<(u32, [Vec3; 2])>::ZEROED, (0, [Vec3::ZERO; 2]));
/// ```
pub trait Value: Send + Sync + Sized + 'static {
    /// The value whose parts are all zero or `false`.
    ///
    /// ```
    /// use gridwise::Value;
    ///
    /// assert_eq!((f32::ZEROED, bool::ZEROED, Option::<u32>::ZEROED), (0.0, false, None));
    /// ```
    const ZEROED: Self;
}

/// A type that can lie in a buffer or travel as a parameter, with the same layout on the host and on the device.
///
/// Implement it by `#[derive(GpuData)]` on a `#[repr(C)]` struct. A struct may have padding. Uploads zero the padding, so that it
/// leaks none of the program's memory. Types without padding cost nothing; data of a type with padding is copied once more. Put
/// the largest fields first to reduce padding.
///
/// ```
/// use gridwise::{GpuData, Manager, Result, Tensor};
///
/// /// Works for elements of all types that can lie on a device.
/// fn repeated<T: GpuData>(manager: &Manager, value: T, count: usize) -> Result<Tensor<T>> {
///     manager.tensor(&vec![value; count])
/// }
///
/// # fn main() -> Result<()> {
/// assert_eq!(repeated(&Manager::host(), [1u8, 2, 3], 2)?.to_vec()?, [[1, 2, 3]; 2]);
/// # Ok(())
/// # }
/// ```
///
/// # Safety
/// Every bit pattern is a valid value, there is no interior mutability and no pointer, the alignment is at most 16, and the
/// layout is the one the kernel compiler computes (`repr(C)` rules). A type with padding tells where, which the derive does.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot lie in a gridwise buffer",
    label = "not `GpuData`",
    note = "supported are integers of 8 to 64 bits, f32, f64, half's f16 and bf16, glam's Vec2/3/4, IVec2/3/4, UVec2/3/4, Mat2/3/4 and Quat, arrays of these, and `#[repr(C)]` structs with `#[derive(Clone, Copy, GpuData)]`"
)]
pub unsafe trait GpuData: Value + Copy {
    /// The fields in order, between which there may be padding; none for what has none.
    #[doc(hidden)]
    const FIELDS: &'static [Field] = &[];
}

/// [`GpuData`] without padding, so that its bytes can be seen as another such type's; see [`Tensor::cast`](crate::Tensor::cast).
///
/// ```
/// use gridwise::{Manager, Plain, Result, Tensor};
///
/// /// The bytes of any tensor of numbers.
/// fn bytes<T: Plain>(tensor: &Tensor<T>) -> Result<Vec<u8>> {
///     tensor.cast::<u8>()?.to_vec()
/// }
///
/// # fn main() -> Result<()> {
/// assert_eq!(bytes(&Manager::host().tensor(&[0x0201u16, 0x0403])?)?.len(), 4);
/// # Ok(())
/// # }
/// ```
///
/// # Safety
/// No byte of a value is padding.
#[diagnostic::on_unimplemented(
    message = "the bytes of `{Self}` cannot be seen as another type's",
    label = "not `Plain`",
    note = "integers, floats, glam's vectors and matrices, and arrays of these can"
)]
pub unsafe trait Plain: GpuData {}

macro_rules! values {
    ($($ty:ty = $zero:expr;)+) => { $(impl Value for $ty { const ZEROED: Self = $zero; })+ };
}

values! {
    f32 = 0.0; i32 = 0; u32 = 0; usize = 0; bool = false; char = '\0'; () = (); &'static str = "";
    i8 = 0; i16 = 0; i64 = 0; i128 = 0; isize = 0; u8 = 0; u16 = 0; u64 = 0; u128 = 0;
    f64 = 0.0; half::f16 = half::f16::ZERO; half::bf16 = half::bf16::ZERO;
    Vec2 = Vec2::ZERO; Vec3 = Vec3::ZERO; Vec4 = Vec4::ZERO;
    IVec2 = IVec2::ZERO; IVec3 = IVec3::ZERO; IVec4 = IVec4::ZERO;
    UVec2 = UVec2::ZERO; UVec3 = UVec3::ZERO; UVec4 = UVec4::ZERO;
    Mat2 = Mat2::ZERO; Mat3 = Mat3::ZERO; Mat4 = Mat4::ZERO; Quat = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    BVec2 = BVec2::FALSE; BVec3 = BVec3::FALSE; BVec4 = BVec4::FALSE;
}

macro_rules! gpu_data {
    ($($ty:ty),+) => {
        // SAFETY: plain scalars, or glam's `repr(C)`/SIMD vectors of them without padding; any bits are valid.
        $(unsafe impl GpuData for $ty {})+
        // SAFETY: as above.
        $(unsafe impl Plain for $ty {})+
    };
}

gpu_data!(
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    half::f16,
    half::bf16,
    f32,
    f64,
    Vec2,
    Vec3,
    Vec4,
    IVec2,
    IVec3,
    IVec4,
    UVec2,
    UVec3,
    UVec4,
    Mat2,
    Mat3,
    Mat4,
    Quat
);

impl<T: Value> Value for Option<T> {
    const ZEROED: Self = None;
}

// Kernels number variants in order: zero is the first.
impl<T: Value> Value for core::cmp::Reverse<T> {
    const ZEROED: Self = Self(T::ZEROED);
}

impl<T: Value> Value for core::num::Wrapping<T> {
    const ZEROED: Self = Self(T::ZEROED);
}

impl<T: Value, E: Send + Sync + 'static> Value for Result<T, E> {
    const ZEROED: Self = Ok(T::ZEROED);
}

impl<T: Value, const N: usize> Value for [T; N] {
    const ZEROED: Self = [T::ZEROED; N];
}

// SAFETY: an array has the validity, size and alignment of its elements, and no padding between them.
unsafe impl<T: GpuData, const N: usize> GpuData for [T; N] {
    const FIELDS: &'static [Field] = &[Field::elements::<T>(N)];
}
// SAFETY: as above.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

macro_rules! tuples {
    ($(($($name:ident),+))+) => {
        $(impl<$($name: Value),+> Value for ($($name,)+) { const ZEROED: Self = ($($name::ZEROED,)+); })+
    };
}

tuples! { (A) (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F) (A, B, C, D, E, F, G) (A, B, C, D, E, F, G, H) }
