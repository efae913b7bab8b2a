//! `CoopMatrix`, as kernels write it: a matrix that the invocations of a subgroup hold together. On the host each of them holds
//! all of it.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use half::{bf16, f16};

use super::outside_of_kernels;
use crate::data::{GpuData, Value};

/// A matrix that the invocations of a subgroup hold together, for products in hardware (`VK_KHR_cooperative_matrix`).
///
/// `T` is the type of its elements, `U` what it is in `a * b + c`: [`MatrixA`], [`MatrixB`] or [`Accumulator`]; `R` and `C` are
/// its rows and columns. All invocations of a subgroup come to each operation together, with the same operands, which the
/// compiler sees to. Which types and products a device has, [`DeviceInfo::features`](crate::DeviceInfo) tells.
///
/// ```text
/// let a = CoopMatrix::<f16, MatrixA, 16, 16>::load(x, 0, 16, RowMajor);
/// let b = CoopMatrix::<f16, MatrixB, 16, 16>::load(w, 0, 16, RowMajor);
/// let sum = a.mul_add(b, CoopMatrix::<f32, Accumulator, 16, 16>::splat(0.0));
/// sum.store(y, 0, 16, RowMajor);
/// ```
#[derive(Clone, Copy)]
pub struct CoopMatrix<T, U, const R: usize, const C: usize> {
    pub(crate) rows: [[T; C]; R],
    role: PhantomData<U>,
}

/// The left factor of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixA {}

/// The right factor of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixB {}

/// What a product is added to, and the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accumulator {}

/// How a [`CoopMatrix`] lies in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixLayout {
    /// Row after row.
    RowMajor,
    /// Column after column.
    ColumnMajor,
}

/// What a [`CoopMatrix`] is in a product.
pub trait MatrixRole: Copy + Send + Sync + 'static {}

impl MatrixRole for MatrixA {}
impl MatrixRole for MatrixB {}
impl MatrixRole for Accumulator {}

/// What a [`CoopMatrix`] can be made of.
pub trait CoopElement: GpuData {
    #[doc(hidden)]
    fn plus(self, other: Self) -> Self;
    #[doc(hidden)]
    fn minus(self, other: Self) -> Self;
    #[doc(hidden)]
    fn times(self, other: Self) -> Self;
    #[doc(hidden)]
    fn negated(self) -> Self;
    #[doc(hidden)]
    fn from_bytes(bytes: &[u8]) -> Self;
    #[doc(hidden)]
    fn to_bytes(self, bytes: &mut [u8]);
}

macro_rules! elements {
    ($($ty:ty: $plus:ident $minus:ident $times:ident $negated:ident;)+) => {
        $(impl CoopElement for $ty {
            fn plus(self, other: Self) -> Self { self.$plus(other) }
            fn minus(self, other: Self) -> Self { self.$minus(other) }
            fn times(self, other: Self) -> Self { self.$times(other) }
            fn negated(self) -> Self { self.$negated() }
            fn from_bytes(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$ty>()];
                own.copy_from_slice(bytes);
                Self::from_ne_bytes(own)
            }
            fn to_bytes(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_ne_bytes());
            }
        })+
    };
}

elements! {
    f16: add sub mul neg;
    bf16: add sub mul neg;
    f32: add sub mul neg;
    i8: wrapping_add wrapping_sub wrapping_mul wrapping_neg;
    u8: wrapping_add wrapping_sub wrapping_mul wrapping_neg;
    i32: wrapping_add wrapping_sub wrapping_mul wrapping_neg;
    u32: wrapping_add wrapping_sub wrapping_mul wrapping_neg;
}

/// Elements whose products are summed up in `S`.
pub trait MultipliesInto<S>: CoopElement {
    #[doc(hidden)]
    fn sum(products: impl Iterator<Item = (Self, Self)>, start: S) -> S;
}

macro_rules! products {
    ($($from:ty => $to:ty: |$a:ident, $b:ident, $sum:ident| $step:expr, $begin:expr, $end:expr;)+) => {
        $(impl MultipliesInto<$to> for $from {
            fn sum(products: impl Iterator<Item = (Self, Self)>, start: $to) -> $to {
                #[allow(clippy::redundant_closure_call)]
                $end(products.fold($begin(start), |$sum, ($a, $b)| $step))
            }
        })+
    };
}

products! {
    f16 => f32: |a, b, sum| sum + a.to_f32() * b.to_f32(), |start| start, |sum| sum;
    f16 => f16: |a, b, sum| sum + a.to_f32() * b.to_f32(), f16::to_f32, f16::from_f32;
    bf16 => f32: |a, b, sum| sum + a.to_f32() * b.to_f32(), |start| start, |sum| sum;
    i8 => i32: |a, b, sum| i32::wrapping_add(sum, i32::from(a) * i32::from(b)), |start| start, |sum| sum;
    u8 => u32: |a, b, sum| u32::wrapping_add(sum, u32::from(a) * u32::from(b)), |start| start, |sum| sum;
}

/// Floats whose matrices convert into those of another type.
pub trait ConvertsTo<S> {
    #[doc(hidden)]
    fn converted(self) -> S;
}

macro_rules! conversions {
    ($($from:ty => $to:ty: $how:expr;)+) => {
        $(impl ConvertsTo<$to> for $from {
            fn converted(self) -> $to { $how(self) }
        })+
    };
}

conversions! {
    f32 => f16: f16::from_f32;
    f16 => f32: f16::to_f32;
    f32 => bf16: bf16::from_f32;
    bf16 => f32: bf16::to_f32;
}

impl<T: CoopElement, U: MatrixRole, const R: usize, const C: usize> CoopMatrix<T, U, R, C> {
    pub(crate) fn from_rows(rows: [[T; C]; R]) -> Self {
        Self { rows, role: PhantomData }
    }

    fn each(self, mut f: impl FnMut(usize, usize, T) -> T) -> Self {
        let mut rows = self.rows;
        for (row, elements) in rows.iter_mut().enumerate() {
            for (column, element) in elements.iter_mut().enumerate() {
                *element = f(row, column, *element);
            }
        }
        Self::from_rows(rows)
    }

    /// A matrix with `value` in every element.
    #[must_use]
    pub fn splat(value: T) -> Self {
        Self::from_rows([[value; C]; R])
    }

    /// Reads a matrix from a buffer or shared memory: its first row, or column, begins at element `offset`, and each following
    /// one `stride` elements behind the one before. Memory may have elements of another type, vectors too, as long as a line of
    /// the matrix fills some of them; `offset` and `stride` count these.
    ///
    /// # Panics
    /// When an element is out of range, or a line does not begin at a multiple of its size, or of 16 bytes if it is larger.
    #[must_use]
    pub fn load<M: GpuData>(memory: &[M], offset: u32, stride: u32, layout: MatrixLayout) -> Self {
        let _ = (memory, offset, stride, layout);
        outside_of_kernels("CoopMatrix::load")
    }

    /// Writes a matrix, as [`load`](Self::load) reads one.
    ///
    /// # Panics
    /// As [`load`](Self::load); then nothing is written.
    pub fn store<M: GpuData>(self, memory: &mut [M], offset: u32, stride: u32, layout: MatrixLayout) {
        let _ = (memory, offset, stride, layout);
        outside_of_kernels("CoopMatrix::store")
    }

    /// The matrix with its elements as another type of float, each rounded to the nearest.
    #[must_use]
    pub fn convert<S: CoopElement>(self) -> CoopMatrix<S, U, R, C>
    where
        T: ConvertsTo<S>,
    {
        CoopMatrix::from_rows(self.rows.map(|row| row.map(ConvertsTo::converted)))
    }
}

impl<T: CoopElement, const R: usize, const K: usize> CoopMatrix<T, MatrixA, R, K> {
    /// `self * b + c`. Products are exact; the order in which a device sums them up is open, and so is how it rounds these sums.
    #[must_use]
    pub fn mul_add<S: CoopElement, const C: usize>(
        self,
        b: CoopMatrix<T, MatrixB, K, C>,
        c: CoopMatrix<S, Accumulator, R, C>,
    ) -> CoopMatrix<S, Accumulator, R, C>
    where
        T: MultipliesInto<S>,
    {
        c.each(|row, column, start| {
            let pairs = self.rows[row].iter().zip(&b.rows);
            T::sum(pairs.map(|(left, right)| (*left, right[column])), start)
        })
    }
}

impl<T: CoopElement, U: MatrixRole, const R: usize, const C: usize> Value for CoopMatrix<T, U, R, C> {
    const ZERO: Self = Self { rows: [[T::ZERO; C]; R], role: PhantomData };
}

impl<T: fmt::Debug, U, const R: usize, const C: usize> fmt::Debug for CoopMatrix<T, U, R, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CoopMatrix").field(&self.rows).finish()
    }
}

impl<T: CoopElement, U: MatrixRole, const R: usize, const C: usize> Add for CoopMatrix<T, U, R, C> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.each(|row, column, element| element.plus(other.rows[row][column]))
    }
}

impl<T: CoopElement, U: MatrixRole, const R: usize, const C: usize> Sub for CoopMatrix<T, U, R, C> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.each(|row, column, element| element.minus(other.rows[row][column]))
    }
}

impl<T: CoopElement, U: MatrixRole, const R: usize, const C: usize> Mul<T> for CoopMatrix<T, U, R, C> {
    type Output = Self;

    fn mul(self, factor: T) -> Self {
        self.each(|_, _, element| element.times(factor))
    }
}

impl<T: CoopElement + Neg<Output = T>, U: MatrixRole, const R: usize, const C: usize> Neg for CoopMatrix<T, U, R, C> {
    type Output = Self;

    fn neg(self) -> Self {
        self.each(|_, _, element| element.negated())
    }
}

impl<T: CoopElement, U: MatrixRole, const R: usize, const C: usize> AddAssign for CoopMatrix<T, U, R, C> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<T: CoopElement, U: MatrixRole, const R: usize, const C: usize> SubAssign for CoopMatrix<T, U, R, C> {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<T: CoopElement, U: MatrixRole, const R: usize, const C: usize> MulAssign<T> for CoopMatrix<T, U, R, C> {
    fn mul_assign(&mut self, factor: T) {
        *self = *self * factor;
    }
}
