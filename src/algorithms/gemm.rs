//! Products of matrices.

use super::stages::Stages;
use super::{expect_len, operation};
use crate::Result;
use crate::prelude::*;

/// Rows and columns of the result that a workgroup computes.
#[device]
const TILE: u32 = 64;
/// How much of the depth lies in shared memory at a time.
#[device]
const SLICE: u32 = 16;
/// Rows and columns of an invocation.
#[device]
const OWN: u32 = 4;

/// The product of two matrices of `f32`, stored row by row: `c = alpha · a · b + beta · c`. No work space.
///
/// Products are added in the order of the depth; the device may fuse a multiplication with the addition behind it.
///
/// ```
/// use gridwise::algorithms::{GemmShape, OpGemm};
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let (a, b) = (mgr.tensor(&[1.0f32, 2.0, 3.0, 4.0])?, mgr.tensor(&[5.0f32, 6.0])?);
/// let mut c = mgr.tensor_of_len::<f32>(2)?;
/// let shape = GemmShape { rows: 2, columns: 1, depth: 2 };
/// mgr.sequence()?.record(OpGemm::new(shape, 1.0, &a, &b, 0.0, &mut c)?)?.eval()?;
/// assert_eq!(c.to_vec()?, [17.0, 39.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct OpGemm(Stages);

operation!(OpGemm);

/// The sizes of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GemmShape {
    /// Rows of `a` and of `c`.
    pub rows: u32,
    /// Columns of `b` and of `c`.
    pub columns: u32,
    /// Columns of `a`, rows of `b`.
    pub depth: u32,
}

impl OpGemm {
    /// Multiplies `a`, of `rows` by `depth`, with `b`, of `depth` by `columns`. With a `beta` of zero `c` is not read.
    ///
    /// # Errors
    /// When a tensor does not have as many elements as its matrix.
    pub fn new(
        shape: GemmShape,
        alpha: f32,
        a: &Tensor<f32>,
        b: &Tensor<f32>,
        beta: f32,
        c: &mut Tensor<f32>,
    ) -> Result<Self> {
        let GemmShape { rows, columns, depth } = shape;
        expect_len("multiplying from the left", a, rows as usize * depth as usize)?;
        expect_len("multiplying from the right", b, depth as usize * columns as usize)?;
        expect_len("a product in", c, rows as usize * columns as usize)?;
        let mut stages = Stages::new("gemm");
        let grid = Grid::groups([columns.div_ceil(TILE), rows.div_ceil(TILE)]);
        stages.launch::<Multiply>(grid, |args| {
            let args = args.value(rows).value(columns).value(depth).value(alpha).value(beta);
            args.read(a).read(b).write(c)
        });
        Ok(Self(stages))
    }
}

#[kernel(workgroup = 256, fast_math(contract))]
fn multiply(rows: u32, columns: u32, depth: u32, alpha: f32, beta: f32, a: &[f32], b: &[f32], c: &mut [f32]) {
    // That of `a` lies by columns.
    let left = Shared::<[f32; 16 * 65]>::new();
    let right = Shared::<[f32; 16 * 64]>::new();
    let (row0, column0, t) = (workgroup_id().y * TILE, workgroup_id().x * TILE, local_id().x);
    let (x, y) = (t % 16 * OWN, t / 16 * OWN);
    let mut sums = [[0.0f32; 4]; 4];
    let mut k0 = 0;
    while k0 < depth {
        for part in 0..4 {
            let (row, k) = (row0 + t / SLICE + part * 16, k0 + t % SLICE);
            let is_inside = row < rows && k < depth;
            left[t % SLICE * (TILE + 1) + t / SLICE + part * 16] = if is_inside { a[row * depth + k] } else { 0.0 };
            let (k, column) = (k0 + t / TILE + part * 4, column0 + t % TILE);
            let is_inside = k < depth && column < columns;
            right[(t / TILE + part * 4) * TILE + t % TILE] = if is_inside { b[k * columns + column] } else { 0.0 };
        }
        barrier();
        for k in 0..SLICE {
            for i in 0..OWN {
                let factor = left[k * (TILE + 1) + y + i];
                for j in 0..OWN {
                    sums[i][j] += factor * right[k * TILE + x + j];
                }
            }
        }
        barrier();
        k0 += SLICE;
    }
    for i in 0..OWN {
        for j in 0..OWN {
            let (row, column) = (row0 + y + i, column0 + x + j);
            if row < rows && column < columns {
                let at = row * columns + column;
                let product = alpha * sums[i][j];
                c[at] = if beta == 0.0 { product } else { product + beta * c[at] };
            }
        }
    }
}
