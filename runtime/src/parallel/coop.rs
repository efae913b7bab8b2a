//! `CoopMatrix`, as kernels write it: a matrix that the invocations of a subgroup hold together. On the host each of them holds
//! all of it.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use half::{bf16, f16};

use super::outside_of_kernels;
use crate::memory::data::{GpuData, Value};

/// A matrix that the invocations of a subgroup hold together, for products in hardware (`VK_KHR_cooperative_matrix`).
///
/// `T` is the type of its elements, `U` its role in `a * b + c`: [`MatrixA`], [`MatrixB`] or [`Accumulator`]; `R` and
/// `C` are its rows and columns. All invocations of a subgroup must reach each operation together, with the same
/// operands; the compiler checks that. [`DeviceInfo::features`](crate::DeviceInfo) lists the types and products that a
/// device has.
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
///
/// ```
/// use gridwise::{half::f16, CoopMatrix, MatrixA};
///
/// type Left = CoopMatrix<f16, MatrixA, 16, 8>; // 16 rows, 8 columns
/// let halves = Left::splat(f16::ONE);
/// # let _ = halves;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixA {}

/// The right factor of a product.
///
/// ```
/// use gridwise::{half::f16, CoopMatrix, MatrixB};
///
/// type Right = CoopMatrix<f16, MatrixB, 8, 16>; // as many rows as the left factor has columns
/// let halves = Right::splat(f16::ONE);
/// # let _ = halves;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixB {}

/// The addend of a product, and the result.
///
/// ```
/// use gridwise::{Accumulator, CoopMatrix};
///
/// type Sums = CoopMatrix<f32, Accumulator, 16, 16>;
/// let start = Sums::splat(0.0);
/// # let _ = start;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accumulator {}

/// How a [`CoopMatrix`] lies in memory.
///
/// ```
/// use gridwise::{Accumulator, CoopMatrix, MatrixLayout::{ColumnMajor, RowMajor}};
///
/// /// In a kernel: transposes a tile of 8 rows and columns.
/// fn transpose(from: &[f32], to: &mut [f32]) {
///     CoopMatrix::<f32, Accumulator, 8, 8>::load(from, 0, 8, RowMajor).store(to, 0, 8, ColumnMajor);
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixLayout {
    /// Row after row.
    RowMajor,
    /// Column after column.
    ColumnMajor,
}

/// The role of a [`CoopMatrix`] in a product.
///
/// ```
/// use gridwise::{Accumulator, MatrixA, MatrixB, MatrixRole};
///
/// fn says_what_a_matrix_is<U: MatrixRole>() {}
/// says_what_a_matrix_is::<MatrixA>();
/// says_what_a_matrix_is::<MatrixB>();
/// says_what_a_matrix_is::<Accumulator>();
/// ```
pub trait MatrixRole: Copy + Send + Sync + 'static {}

impl MatrixRole for MatrixA {}
impl MatrixRole for MatrixB {}
impl MatrixRole for Accumulator {}

/// A type that the elements of a [`CoopMatrix`] can have.
///
/// ```
/// use gridwise::{half::{bf16, f16}, CoopElement};
///
/// fn can_be_in_a_matrix<T: CoopElement>() {}
/// can_be_in_a_matrix::<f16>();
/// can_be_in_a_matrix::<bf16>();
/// can_be_in_a_matrix::<i8>();
/// ```
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
    fn smaller(self, other: Self) -> Self;
    #[doc(hidden)]
    fn larger(self, other: Self) -> Self;
    #[doc(hidden)]
    fn from_bytes(bytes: &[u8]) -> Self;
    #[doc(hidden)]
    fn to_bytes(self, bytes: &mut [u8]);
}

macro_rules! elements {
    ($($ty:ty: $plus:ident $minus:ident $times:ident $negated:ident $smaller:path, $larger:path;)+) => {
        $(impl CoopElement for $ty {
            fn plus(self, other: Self) -> Self { self.$plus(other) }
            fn minus(self, other: Self) -> Self { self.$minus(other) }
            fn times(self, other: Self) -> Self { self.$times(other) }
            fn negated(self) -> Self { self.$negated() }
            fn smaller(self, other: Self) -> Self { $smaller(self, other) }
            fn larger(self, other: Self) -> Self { $larger(self, other) }
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
    f16: add sub mul neg f16::min, f16::max;
    bf16: add sub mul neg bf16::min, bf16::max;
    f32: add sub mul neg f32::min, f32::max;
    i8: wrapping_add wrapping_sub wrapping_mul wrapping_neg Ord::min, Ord::max;
    u8: wrapping_add wrapping_sub wrapping_mul wrapping_neg Ord::min, Ord::max;
    i32: wrapping_add wrapping_sub wrapping_mul wrapping_neg Ord::min, Ord::max;
    u32: wrapping_add wrapping_sub wrapping_mul wrapping_neg Ord::min, Ord::max;
}

/// Elements whose products are summed up in `S`.
///
/// ```
/// use gridwise::{half::f16, MultipliesInto};
///
/// fn is_summed_up_in<T: MultipliesInto<S>, S>() {}
/// is_summed_up_in::<f16, f32>();
/// is_summed_up_in::<i8, i32>();
/// ```
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
///
/// ```
/// use gridwise::{half::{bf16, f16}, ConvertsTo};
///
/// fn converts_to<T: ConvertsTo<S>, S>() {}
/// converts_to::<f32, f16>();
/// converts_to::<bf16, f32>();
/// ```
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
    ///
    /// ```
    /// use gridwise::{Accumulator, CoopMatrix};
    ///
    /// let sums = CoopMatrix::<i32, Accumulator, 1, 2>::splat(3);
    /// assert_eq!(format!("{sums:?}"), "CoopMatrix([[3, 3]])");
    /// ```
    #[must_use]
    pub fn splat(value: T) -> Self {
        Self::from_rows([[value; C]; R])
    }

    /// Reads a matrix from a buffer or shared memory: its first row, or column, begins at element `offset`, and each following
    /// one `stride` elements behind the one before. Memory may have elements of another type, vectors too, as long as a line of
    /// the matrix fills some of them; `offset` and `stride` count these.
    ///
    /// ```
    /// use gridwise::{half::f16, CoopMatrix, MatrixA, MatrixLayout::RowMajor};
    ///
    /// /// In a kernel: the tile in `row` and `column` of tiles, of a matrix with lines of `width` elements.
    /// fn tile(memory: &[f16], row: u32, column: u32, width: u32) -> CoopMatrix<f16, MatrixA, 16, 16> {
    ///     CoopMatrix::load(memory, 16 * (row * width + column), width, RowMajor)
    /// }
    /// ```
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
    /// ```
    /// use gridwise::{Accumulator, CoopMatrix, MatrixLayout::RowMajor};
    ///
    /// /// In a kernel: writes sums where lines have `width` elements.
    /// fn write(sums: CoopMatrix<f32, Accumulator, 16, 16>, memory: &mut [f32], width: u32) {
    ///     sums.store(memory, 0, width, RowMajor);
    /// }
    /// ```
    ///
    /// # Panics
    /// As [`load`](Self::load); then nothing is written.
    pub fn store<M: GpuData>(self, memory: &mut [M], offset: u32, stride: u32, layout: MatrixLayout) {
        let _ = (memory, offset, stride, layout);
        outside_of_kernels("CoopMatrix::store")
    }

    /// The matrix with its elements as another type of float, each rounded to the nearest.
    ///
    /// ```
    /// use gridwise::{half::f16, Accumulator, CoopMatrix};
    ///
    /// let sums = CoopMatrix::<f32, Accumulator, 1, 1>::splat(0.1);
    /// assert_eq!(format!("{:?}", sums.convert::<f16>()), "CoopMatrix([[0.099975586]])");
    /// ```
    #[must_use]
    pub fn convert<S: CoopElement>(self) -> CoopMatrix<S, U, R, C>
    where
        T: ConvertsTo<S>,
    {
        CoopMatrix::from_rows(self.rows.map(|row| row.map(ConvertsTo::converted)))
    }

    /// The matrix with each element made by `f` of it. Each invocation calls `f` for the elements that it holds, so that `f` may
    /// do nothing else: no writes, no subgroup operations.
    ///
    /// ```
    /// use gridwise::{Accumulator, CoopMatrix};
    ///
    /// let sums = CoopMatrix::<f32, Accumulator, 1, 2>::splat(-3.0);
    /// assert_eq!(format!("{:?}", sums.map(|sum| sum.max(0.0))), "CoopMatrix([[0.0, 0.0]])");
    /// ```
    #[must_use]
    pub fn map(self, f: impl Fn(T) -> T) -> Self {
        self.each(|_, _, element| f(element))
    }

    /// A matrix with each element made by `f` of those of two matrices in the same row and column, as [`map`](Self::map) does.
    ///
    /// ```
    /// use gridwise::{Accumulator, CoopMatrix};
    ///
    /// let (a, b) = (CoopMatrix::<i32, Accumulator, 1, 1>::splat(7), CoopMatrix::splat(6));
    /// assert_eq!(format!("{:?}", a.zip_map(b, |x, y| x * y)), "CoopMatrix([[42]])");
    /// ```
    #[must_use]
    pub fn zip_map(self, other: Self, f: impl Fn(T, T) -> T) -> Self {
        self.each(|row, column, element| f(element, other.rows[row][column]))
    }

    // How many elements the invocation holds: on the host, all. For derived kernels; not part of the interface.
    #[doc(hidden)]
    #[must_use]
    pub const fn __held(self) -> u32 {
        (R * C) as u32
    }

    // One of those, the last one at most.
    #[doc(hidden)]
    #[must_use]
    pub fn __element(self, number: u32) -> T {
        let number = (number as usize).min((R * C).saturating_sub(1));
        self.rows[number / C][number % C]
    }
}

impl<T: CoopElement, const R: usize, const C: usize> CoopMatrix<T, Accumulator, R, C> {
    /// The sums as the left factor of another product, without a way through memory (`cooperativeMatrixConversions`).
    ///
    /// ```
    /// use gridwise::{half::f16, Accumulator, CoopMatrix, MatrixA, MatrixB};
    ///
    /// /// In a kernel: `(a * b) * c`, of elements of 16 bits.
    /// fn chain(
    ///     a: CoopMatrix<f16, MatrixA, 16, 16>,
    ///     b: CoopMatrix<f16, MatrixB, 16, 16>,
    ///     c: CoopMatrix<f16, MatrixB, 16, 16>,
    /// ) -> CoopMatrix<f32, Accumulator, 16, 16> {
    ///     let first = a.mul_add(b, CoopMatrix::<f32, Accumulator, 16, 16>::splat(0.0));
    ///     first.convert::<f16>().into_a().mul_add(c, CoopMatrix::<f32, Accumulator, 16, 16>::splat(0.0))
    /// }
    /// ```
    #[must_use]
    pub fn into_a(self) -> CoopMatrix<T, MatrixA, R, C> {
        CoopMatrix::from_rows(self.rows)
    }

    /// The sums as the right factor of another product (`cooperativeMatrixConversions`).
    ///
    /// ```
    /// use gridwise::{Accumulator, CoopMatrix};
    ///
    /// let sums = CoopMatrix::<i8, Accumulator, 1, 2>::splat(3);
    /// assert_eq!(format!("{:?}", sums.into_b()), "CoopMatrix([[3, 3]])");
    /// ```
    #[must_use]
    pub fn into_b(self) -> CoopMatrix<T, MatrixB, R, C> {
        CoopMatrix::from_rows(self.rows)
    }

    /// The sums as the right factor of another product, rows as columns (`cooperativeMatrixConversions`).
    ///
    /// ```
    /// use gridwise::{Accumulator, CoopMatrix};
    ///
    /// let sums = CoopMatrix::<i8, Accumulator, 1, 2>::splat(3);
    /// assert_eq!(format!("{:?}", sums.transpose()), "CoopMatrix([[3], [3]])");
    /// ```
    #[must_use]
    pub fn transpose(self) -> CoopMatrix<T, MatrixB, C, R> {
        let column = |of: usize| std::array::from_fn(|row| self.rows[row][of]);
        CoopMatrix::from_rows(std::array::from_fn(column))
    }

    /// In each element the sum of its row (`cooperativeMatrixReductions`). In which order a device adds up is open, and so is how
    /// it rounds; integers wrap.
    ///
    /// ```
    /// use gridwise::{Accumulator, CoopMatrix};
    ///
    /// let sums = CoopMatrix::<i32, Accumulator, 1, 2>::splat(3);
    /// assert_eq!(format!("{:?}", sums.row_sum()), "CoopMatrix([[6, 6]])");
    /// ```
    #[must_use]
    pub fn row_sum(self) -> Self {
        self.by_rows(T::plus)
    }

    /// In each element the smallest of its row (`cooperativeMatrixReductions`); of floats, the smallest that is a number.
    ///
    /// ```
    /// use gridwise::{Accumulator, CoopMatrix};
    ///
    /// let sums = CoopMatrix::<i32, Accumulator, 1, 2>::splat(3);
    /// assert_eq!(format!("{:?}", sums.row_min()), "CoopMatrix([[3, 3]])");
    /// ```
    #[must_use]
    pub fn row_min(self) -> Self {
        self.by_rows(T::smaller)
    }

    /// In each element the largest of its row, as [`row_min`](Self::row_min).
    ///
    /// ```
    /// use gridwise::{Accumulator, CoopMatrix};
    ///
    /// /// In a kernel: rows of which the largest element is zero, as a softmax begins.
    /// fn shifted(scores: CoopMatrix<f32, Accumulator, 16, 16>) -> CoopMatrix<f32, Accumulator, 16, 16> {
    ///     scores - scores.row_max()
    /// }
    /// ```
    #[must_use]
    pub fn row_max(self) -> Self {
        self.by_rows(T::larger)
    }

    /// In each element the sum of its column, as [`row_sum`](Self::row_sum).
    ///
    /// ```
    /// use gridwise::{Accumulator, CoopMatrix};
    ///
    /// let sums = CoopMatrix::<i32, Accumulator, 1, 2>::splat(3);
    /// assert_eq!(format!("{:?}", sums.column_sum()), "CoopMatrix([[3, 3]])");
    /// ```
    #[must_use]
    pub fn column_sum(self) -> Self {
        self.by_columns(T::plus)
    }

    /// In each element the smallest of its column, as [`row_min`](Self::row_min).
    ///
    /// ```
    /// use gridwise::{Accumulator, CoopMatrix};
    ///
    /// let sums = CoopMatrix::<u8, Accumulator, 2, 1>::splat(3);
    /// assert_eq!(format!("{:?}", sums.column_min()), "CoopMatrix([[3], [3]])");
    /// ```
    #[must_use]
    pub fn column_min(self) -> Self {
        self.by_columns(T::smaller)
    }

    /// In each element the largest of its column, as [`row_min`](Self::row_min).
    ///
    /// ```
    /// use gridwise::{Accumulator, CoopMatrix};
    ///
    /// let sums = CoopMatrix::<u8, Accumulator, 2, 1>::splat(3);
    /// assert_eq!(format!("{:?}", sums.column_max()), "CoopMatrix([[3], [3]])");
    /// ```
    #[must_use]
    pub fn column_max(self) -> Self {
        self.by_columns(T::larger)
    }

    fn by_rows(self, f: impl Fn(T, T) -> T) -> Self {
        let combined = |row: [T; C]| row.into_iter().reduce(&f).map_or(row, |all| [all; C]);
        Self::from_rows(self.rows.map(combined))
    }

    fn by_columns(self, f: impl Fn(T, T) -> T) -> Self {
        let combine = |so_far: [T; C], row: [T; C]| std::array::from_fn(|column| f(so_far[column], row[column]));
        let all = self.rows.into_iter().reduce(combine);
        all.map_or(self, |all| Self::from_rows([all; R]))
    }
}

impl<T: CoopElement, const R: usize, const K: usize> CoopMatrix<T, MatrixA, R, K> {
    /// `self * b + c`. Products are exact; the order in which a device sums them up is open, and so is how it rounds these sums.
    ///
    /// ```
    /// use gridwise::{Accumulator, CoopMatrix, MatrixA, MatrixB};
    ///
    /// let a = CoopMatrix::<i8, MatrixA, 1, 4>::splat(3);
    /// let b = CoopMatrix::<i8, MatrixB, 4, 1>::splat(-100);
    /// let sum = a.mul_add(b, CoopMatrix::<i32, Accumulator, 1, 1>::splat(5));
    /// assert_eq!(format!("{sum:?}"), "CoopMatrix([[-1195]])");
    /// ```
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
    const ZEROED: Self = Self { rows: [[T::ZEROED; C]; R], role: PhantomData };
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
