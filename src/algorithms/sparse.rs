//! Products of a sparse matrix and a vector, by parts with the same number of rows and elements together (Merrill, Garland,
//! Merge-Based Parallel Sparse Matrix-Vector Multiplication).

use super::lines::{self, RUN, TILE, WIDTH, group, item};
use super::segments::{SUM, row_f32, row_f64, scan_segments};
use super::stages::Stages;
use super::{expect_len, operation, rows, sealed};
use crate::prelude::*;
use crate::{Error, Plain, Result, ValueArg};

/// The product of a sparse matrix and a vector: `y = alpha · matrix · x + beta · y`.
///
/// Workgroups have the same number of rows and elements together, so that a few long rows take no longer than many short ones. The order of
/// the additions depends only on the matrix and on the device's subgroup size. Work space: four words for each 2048 rows and elements; of
/// each 1792 where workgroups can wait for each other (see [`Progress`](super::Progress)).
///
/// ```
/// use gridwise::algorithms::{OpSpmv, SparseRows};
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// // 2 0 1
/// // 0 0 0
/// // 0 3 0
/// let (starts, columns) = (mgr.tensor(&[0u32, 2, 2, 3])?, mgr.tensor(&[0u32, 2, 1])?);
/// let (values, x) = (mgr.tensor(&[2.0f32, 1.0, 3.0])?, mgr.tensor(&[1.0f32, 10.0, 100.0])?);
/// let mut y = mgr.tensor_of_len::<f32>(3)?;
/// let matrix = SparseRows { starts: &starts, columns: &columns, values: &values };
/// mgr.sequence()?.record(OpSpmv::new(matrix, 1.0, &x, 0.0, &mut y)?)?.eval()?;
/// assert_eq!(y.to_vec()?, [102.0, 0.0, 30.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpSpmv(Stages);

operation!(OpSpmv);

/// A sparse matrix by rows (CSR): row `r` has the elements `starts[r]..starts[r + 1]` of `columns` and `values`.
#[derive(Debug)]
pub struct SparseRows<'a, T: Plain> {
    /// The first element of each row, and the number of all elements. It begins with zero and ascends.
    pub starts: &'a Tensor<u32>,
    /// The column of each element.
    pub columns: &'a Tensor<u32>,
    /// The value of each element.
    pub values: &'a Tensor<T>,
}

impl OpSpmv {
    /// Multiplies a matrix of as many rows as `y` has elements by `x`. With a `beta` of zero `y` is not read.
    ///
    /// A column beyond `x` is [`Error::KernelPanic`]. Starts that do not ascend to the number of elements give a wrong product.
    ///
    /// # Errors
    /// When `starts` does not have one element more than `y`, columns and values differ in length, rows and elements are more than a `u32`
    /// counts, or there is no memory for the work space.
    pub fn new<T: SparseValue>(
        matrix: SparseRows<'_, T>,
        alpha: T,
        x: &Tensor<T>,
        beta: T,
        y: &mut Tensor<T>,
    ) -> Result<Self> {
        let SparseRows { starts, columns, values } = matrix;
        expect_len("rows of a sparse matrix between", (1, "starts"), starts, y.len() + 1)?;
        expect_len("a sparse matrix with", (1, "values"), values, columns.len())?;
        let all = y.len() + columns.len();
        if u32::try_from(all).is_err() {
            return Err(Error::ArgumentMismatch {
                kernel: "sparse product".into(),
                param: "`matrix`".to_owned(),
                expected: format!("at most {} rows and elements", u32::MAX),
                found: all.to_string(),
            });
        }
        let (mut stages, mgr) = (Stages::new("sparse product"), &y.manager());
        let matrix = SparseRows { starts, columns, values };
        if T::multiply_chained(&mut stages, &matrix, [alpha, beta], x, y)? {
            return Ok(Self(stages));
        }
        let tiles = all.div_ceil(TILE as usize);
        let (mut marks, mut rows) = (mgr.tensor_of_len::<u32>(tiles)?, mgr.tensor_of_len::<u32>(tiles)?);
        let (mut tails, mut carries) = (mgr.tensor_of_len::<T>(tiles)?, mgr.tensor_of_len::<T>(tiles)?);
        stages.launch::<T::MultiplyRows>(lines::groups(tiles), |args| {
            let args = args.value(alpha).value(beta).read(starts).read(columns).read(values).read(x).write(y);
            args.write(&mut marks).write(&mut rows).write(&mut tails)
        });
        if tiles > 1 {
            scan_segments(&mut stages, mgr, (SUM, true), &marks, &tails, &mut carries)?;
            stages.launch::<T::FinishRows>(lines::items(tiles), |args| {
                args.value(alpha).read(&marks).read(&rows).read(&carries).write(y)
            });
        }
        Ok(Self(stages))
    }
}

/// The types of elements of [`OpSpmv`]: `f32`, `f64`.
pub trait SparseValue: Plain + ValueArg + sealed::Sparse {}

/// How many rows end among the first `count` ends of rows and elements. The end of a row stands behind its elements.
#[device]
fn rows_of_first(starts: &[u32], rows: u32, elements: u32, count: u32) -> u32 {
    let mut low = count.saturating_sub(elements);
    let mut high = count.min(rows);
    while low < high {
        let middle = low + (high - low) / 2;
        if starts[middle + 1].saturating_add(middle) < count {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// The kernels for a type of elements.
macro_rules! sparse {
    ($ty:ident, $row:ident, $multiply:ident $Multiply:ident $finish:ident $Finish:ident, $($chained:tt)*) => {
        /// The sums of the rows that end in a tile, of their elements in it, and the sum of the row that goes on.
        #[kernel(workgroup = WIDTH, fast_math(contract))]
        pub fn $multiply(
            alpha: $ty,
            beta: $ty,
            starts: &[u32],
            columns: &[u32],
            values: &[$ty],
            x: &[$ty],
            y: &mut [$ty],
            marks: &mut [u32],
            tile_rows: &mut [u32],
            tails: &mut [$ty],
        ) {
            let splits = Shared::<[u32; 2]>::new();
            let ends = Shared::<[u32; 2048]>::new();
            let products = Shared::<[$ty; 2048]>::new();
            let group_tails = Shared::<[$ty; 256]>::new();
            let group_marks = Shared::<[u32; 256]>::new();
            let (tile, local, lane) = (group(), local_id().x, subgroup_local_id());
            let (rows, elements) = (y.len() as u32, columns.len() as u32);
            let first = tile.saturating_mul(TILE).min(rows + elements);
            let count = TILE.min(rows + elements - first);
            if local < 2 {
                splits[local] = rows_of_first(starts, rows, elements, first + local * count);
            }
            barrier();
            let first_row = splits[0];
            // Starts that do not ascend give anything.
            let row_count = splits[1].saturating_sub(first_row).min(count);
            let element_count = count - row_count;
            let first_element = first - first_row;
            for k in 0..RUN {
                let at = k * WIDTH + local;
                if at < row_count {
                    ends[at] = starts[first_row + at + 1].saturating_sub(first_element);
                }
                if at < element_count {
                    products[at] = values[first_element + at] * x[columns[first_element + at]];
                }
            }
            barrier();
            let start = (local * RUN).min(count);
            let mut low = start.saturating_sub(element_count);
            let mut high = start.min(row_count);
            while low < high {
                let middle = (low + high) / 2;
                if ends[middle & (TILE - 1)].saturating_add(middle) < start {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            let mut row = low;
            let mut element = start - low;
            let mut sum: $ty = 0.0;
            let mut own_row = 0;
            let mut own_sum: $ty = 0.0;
            let mut is_marked = false;
            for k in 0..RUN {
                if local * RUN + k < count {
                    if element < element_count && (row >= row_count || element < ends[row & (TILE - 1)]) {
                        sum += products[element & (TILE - 1)];
                        element += 1;
                    } else {
                        if is_marked {
                            let at = first_row + row;
                            let product = alpha * sum;
                            // SAFETY: a row ends in one place.
                            unsafe { y.unordered()[at] = if beta == 0.0 { product } else { product + beta * y[at] } };
                        } else {
                            own_row = row;
                            own_sum = sum;
                            is_marked = true;
                        }
                        sum = 0.0;
                        row += 1;
                    }
                }
            }
            // The first of the invocation's rows may have begun before it.
            let last = subgroup_size() - 1;
            let head = subgroup::inclusive_max(if is_marked { lane + 1 } else { 0 });
            let up_to = $row(SUM, head, sum);
            let group_tail = subgroup::shuffle(up_to, last);
            let group_mark = subgroup::shuffle(head, last);
            if subgroup::elect() {
                group_tails[subgroup_id()] = group_tail;
                group_marks[subgroup_id()] = group_mark;
            }
            barrier();
            let mut carry: $ty = 0.0;
            for slot in 0..subgroup_id() {
                carry = if group_marks[slot] > 0 { group_tails[slot] } else { carry + group_tails[slot] };
            }
            let whole = if head > 0 { up_to } else { carry + up_to };
            let before = subgroup::shuffle_up(whole, 1);
            if is_marked {
                let at = first_row + own_row;
                let product = alpha * (own_sum + if lane == 0 { carry } else { before });
                // SAFETY: a row ends in one place.
                unsafe { y.unordered()[at] = if beta == 0.0 { product } else { product + beta * y[at] } };
            }
            if local == WIDTH - 1 && tile < tails.len() as u32 {
                tails[tile] = whole;
            }
            if local == 0 && tile < marks.len() as u32 && tile < tile_rows.len() as u32 {
                marks[tile] = row_count;
                tile_rows[tile] = first_row;
            }
        }

        /// Adds what flows into a tile to the first row that ends in it.
        #[kernel(workgroup = 256, fast_math(contract))]
        pub fn $finish(alpha: $ty, marks: &[u32], tile_rows: &[u32], carries: &[$ty], y: &mut [$ty]) {
            let tile = item();
            if tile > 0 && tile < marks.len() as u32 && marks[tile] != 0 {
                // SAFETY: a row's tail flows into one tile, in which the row ends.
                unsafe { y.unordered()[tile_rows[tile]] += alpha * carries[tile - 1] };
            }
        }

        impl SparseValue for $ty {}

        impl sealed::Sparse for $ty {
            type MultiplyRows = $Multiply;
            type FinishRows = $Finish;

            $($chained)*
        }
    };
}

sparse!(
    f32, row_f32, multiply_rows_f32 MultiplyRowsF32 finish_rows_f32 FinishRowsF32,
    fn multiply_chained(
        stages: &mut Stages,
        matrix: &SparseRows<'_, f32>,
        factors: [f32; 2],
        x: &Tensor<f32>,
        y: &mut Tensor<f32>,
    ) -> Result<bool> {
        rows::multiply(stages, matrix, factors, x, y)
    }
);
sparse!(f64, row_f64, multiply_rows_f64 MultiplyRowsF64 finish_rows_f64 FinishRowsF64,);
