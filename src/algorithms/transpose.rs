//! Matrices with rows and columns exchanged.

use super::stages::Stages;
use super::{Word, expect_len, operation};
use crate::Result;
use crate::prelude::*;

/// Rows and columns of a tile in shared memory.
#[device]
const SIDE: u32 = 32;
/// Rows that a workgroup moves at once.
#[device]
const ROWS: u32 = 8;

/// Exchanges the rows and columns of a matrix, stored row by row. No work space.
///
/// ```
/// use gridwise::algorithms::OpTranspose;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let x = mgr.tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let mut y = mgr.tensor_of_len::<f32>(6)?;
/// mgr.sequence()?.record(OpTranspose::new(2, 3, &x, &mut y)?)?.eval()?;
/// assert_eq!(y.to_vec()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct OpTranspose(Stages);

operation!(OpTranspose);

impl OpTranspose {
    /// Writes `x`, of `rows` by `columns` elements, to `y` as `columns` by `rows`.
    ///
    /// # Errors
    /// When a tensor does not have `rows` times `columns` elements.
    pub fn new<T: Word>(rows: u32, columns: u32, x: &Tensor<T>, y: &mut Tensor<T>) -> Result<Self> {
        let len = rows as usize * columns as usize;
        expect_len("transposing", x, len)?;
        expect_len("transposing to", y, len)?;
        let mut stages = Stages::new("transpose");
        let grid = Grid::groups([columns.div_ceil(SIDE), rows.div_ceil(SIDE)]);
        stages.launch::<Exchange>(grid, |args| args.value(rows).value(columns).read(x).write(y));
        Ok(Self(stages))
    }
}

#[kernel(workgroup = [SIDE, ROWS])]
fn exchange(rows: u32, columns: u32, from: &[u32], to: &mut [u32]) {
    // A column more than there is, so that those of a column lie in different banks.
    let tile = Shared::<[u32; 32 * 33]>::new();
    let (x, y) = (local_id().x, local_id().y);
    let (column, row) = (workgroup_id().x * SIDE, workgroup_id().y * SIDE);
    for k in (0..SIDE).step_by(8) {
        let (y, x_from, y_from) = (y + k, column + x, row + y + k);
        if x_from < columns && y_from < rows {
            tile[y * (SIDE + 1) + x] = from[y_from * columns + x_from];
        }
    }
    barrier();
    for k in (0..SIDE).step_by(8) {
        let (y, x_to, y_to) = (y + k, row + x, column + y + k);
        if x_to < rows && y_to < columns {
            to[y_to * rows + x_to] = tile[x * (SIDE + 1) + y];
        }
    }
}
