//! Transposition: matrices with rows and columns exchanged.

use super::stages::Stages;
use super::{Word, expect_len, operation};
use crate::Result;
use crate::prelude::*;

/// Rows and columns of a tile of numbers in shared memory.
#[device]
const SIDE: u32 = 32;
/// Workgroups along the third axis that every device has.
const AXIS: u32 = 65_535;
/// Blocks of four by four numbers along each side of a tile of blocks.
#[device]
const BLOCKS: u32 = 16;

/// Exchanges the rows and columns of a matrix, stored row by row. No work space.
///
/// It is fastest where both are multiples of four.
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
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpTranspose(pub(super) Stages);

operation!(OpTranspose);

impl OpTranspose {
    /// Writes `x`, of `rows` by `columns` elements, to `y` as `columns` by `rows`.
    ///
    /// # Errors
    /// When a tensor does not have `rows` times `columns` elements.
    pub fn new<T: Word>(rows: u32, columns: u32, x: &Tensor<T>, y: &mut Tensor<T>) -> Result<Self> {
        let len = rows as usize * columns as usize;
        expect_len("transposing", (3, "x"), x, len)?;
        expect_len("transposing to", (4, "y"), y, len)?;
        let mut stages = Stages::new("transpose");
        let is_blocks = rows.is_multiple_of(4) && columns.is_multiple_of(4);
        // An application's buffer may begin where no vector can.
        if let (true, Ok(from), Ok(mut to)) = (is_blocks, x.cast::<UVec4>(), y.cast_mut::<UVec4>()) {
            let (tall, wide) = (rows / 4, columns / 4);
            let grid = Grid::groups([wide.div_ceil(BLOCKS), tall.div_ceil(BLOCKS)]);
            stages.launch::<ExchangeBlocks>(grid, |args| args.value(tall).value(wide).read(&from).write(&mut to));
        } else {
            let grid = Grid::groups([columns.div_ceil(SIDE), rows.div_ceil(SIDE)]);
            stages.launch::<Exchange>(grid, |args| args.value(rows).value(columns).value(0u32).read(x).write(y));
        }
        Ok(Self(stages))
    }
}

/// Exchanges what has `tall` by `wide` blocks: each invocation turns a block in its registers, and all of them move blocks.
///
/// The invocation that reads block `x` of row `y` of a tile is the one whose number within the row is `x` with the lowest bits of
/// `y` flipped. So eight that read or write shared memory together never meet in a bank, and each stores by its own position.
#[kernel(workgroup = 256)]
fn exchange_blocks(tall: u32, wide: u32, from: &[UVec4], to: &mut [UVec4]) {
    let first = Shared::<[UVec4; 256]>::new();
    let second = Shared::<[UVec4; 256]>::new();
    let third = Shared::<[UVec4; 256]>::new();
    let fourth = Shared::<[UVec4; 256]>::new();
    let local = local_id().x;
    let (lane, row) = (local & (BLOCKS - 1), local / BLOCKS);
    let (x, y) = (workgroup_id().x * BLOCKS + (lane ^ (row & 7)), workgroup_id().y * BLOCKS + row);
    let (mut a, mut b, mut c, mut d) = (UVec4::ZERO, UVec4::ZERO, UVec4::ZERO, UVec4::ZERO);
    let at = y * 4 * wide + x;
    if x < wide && y < tall && at + 3 * wide < from.len() as u32 {
        a = from[at];
        b = from[at + wide];
        c = from[at + 2 * wide];
        d = from[at + 3 * wide];
    }
    first[local] = uvec4(a.x, b.x, c.x, d.x);
    second[local] = uvec4(a.y, b.y, c.y, d.y);
    third[local] = uvec4(a.z, b.z, c.z, d.z);
    fourth[local] = uvec4(a.w, b.w, c.w, d.w);
    barrier();
    let found = lane * BLOCKS + (row ^ (lane & 7));
    let (x, y) = (workgroup_id().x * BLOCKS + row, workgroup_id().y * BLOCKS + lane);
    let at = x * 4 * tall + y;
    if x < wide && y < tall && at + 3 * tall < to.len() as u32 {
        to[at] = first[found];
        to[at + tall] = second[found];
        to[at + 2 * tall] = third[found];
        to[at + 3 * tall] = fourth[found];
    }
}

/// Appends exchanging the rows and columns of matrices that lie one behind the other.
pub(super) fn transpose_points(
    stages: &mut Stages,
    count: u32,
    [rows, columns]: [u32; 2],
    from: &Tensor<Vec2>,
    to: &mut Tensor<Vec2>,
) {
    for first in (0..count).step_by(AXIS as usize) {
        let grid = Grid::groups([columns.div_ceil(SIDE), rows.div_ceil(SIDE), (count - first).min(AXIS)]);
        stages.launch::<ExchangePoints>(grid, |args| args.value(rows).value(columns).value(first).read(from).write(to));
    }
}

/// A kernel that exchanges rows and columns of matrices, number by number.
macro_rules! exchange {
    ($name:ident, $ty:ty) => {
        #[kernel(workgroup = [SIDE, 8])]
        fn $name(rows: u32, columns: u32, first: u32, from: &[$ty], to: &mut [$ty]) {
            // A column more than there is, so that those of a column lie in different banks.
            let tile = Shared::<[$ty; 32 * 33]>::new();
            let (x, y) = (local_id().x, local_id().y);
            let start = (workgroup_id().z + first) * rows * columns;
            let (column, row) = (workgroup_id().x * SIDE, workgroup_id().y * SIDE);
            for k in (0..SIDE).step_by(8) {
                let (y, x_from, y_from) = (y + k, column + x, row + y + k);
                if x_from < columns && y_from < rows {
                    tile[y * (SIDE + 1) + x] = from[start + y_from * columns + x_from];
                }
            }
            barrier();
            for k in (0..SIDE).step_by(8) {
                let (y, x_to, y_to) = (y + k, row + x, column + y + k);
                if x_to < rows && y_to < columns {
                    to[start + y_to * rows + x_to] = tile[x * (SIDE + 1) + y];
                }
            }
        }
    };
}

exchange!(exchange, u32);
exchange!(exchange_points, Vec2);
