//! Products of matrices by what every device has: one multiplication after the other, summed up in `f32`. Where factors lie, and what is done
//! with results, is told by expressions.

use crate::prelude::*;

/// Rows and columns of the result that a workgroup computes.
#[device]
pub(super) const TILE: u32 = 64;
/// How much of the depth lies in shared memory at a time.
#[device]
pub(super) const SLICE: u32 = 16;
/// Rows and columns of an invocation.
#[device]
pub(super) const OWN: u32 = 4;

/// A kernel that computes tiles of a product. `left` gives the factor of a row and a place in the depth, `right` that of a place in the
/// depth and a column; `result` takes the sum for a row and a column. Neighbours read neighbours along the depth of the left factors, or
/// along their rows where `by_rows` says so.
macro_rules! tiled {
    (
        fn $name:ident[$($generics:tt)*]($rows:ident, $columns:ident, $depth:ident, $($params:tt)*),
        by_rows $by_rows:expr,
        left |$row:ident, $k:ident| $left:expr,
        right |$right_k:ident, $column:ident| $right:expr,
        result |$to_row:ident, $to_column:ident, $sum:ident| $result:block
    ) => {
        #[kernel(workgroup = 256, fast_math(contract))]
        pub fn $name $($generics)*($rows: u32, $columns: u32, $depth: u32, $($params)*) {
            // The left factors lie by columns.
            let left = Shared::<[f32; 16 * 65]>::new();
            let right = Shared::<[f32; 16 * 64]>::new();
            let (row0, column0, t) = (workgroup_id().y * TILE, workgroup_id().x * TILE, local_id().x);
            let (x, y) = (t % 16 * OWN, t / 16 * OWN);
            let by_rows = $by_rows;
            let mut sums = [[0.0f32; 4]; 4];
            let mut k0 = 0;
            while k0 < $depth {
                for part in 0..4 {
                    let mut slot = t % SLICE;
                    let mut line = t / SLICE + part * 16;
                    if by_rows {
                        slot = t / TILE + part * 4;
                        line = t % TILE;
                    }
                    let ($row, $k) = (row0 + line, k0 + slot);
                    let mut factor = 0.0;
                    if $row < $rows && $k < $depth {
                        factor = $left;
                    }
                    // SAFETY: slots and lines are dealt out, one cell to one invocation.
                    unsafe { left.unordered()[slot * (TILE + 1) + line] = factor };
                    let ($right_k, $column) = (k0 + t / TILE + part * 4, column0 + t % TILE);
                    let mut factor = 0.0;
                    if $right_k < $depth && $column < $columns {
                        factor = $right;
                    }
                    right[(t / TILE + part * 4) * TILE + t % TILE] = factor;
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
                    let ($to_row, $to_column) = (row0 + y + i, column0 + x + j);
                    if $to_row < $rows && $to_column < $columns {
                        let $sum = sums[i][j];
                        $result
                    }
                }
            }
        }
    };
}
pub(super) use tiled;
