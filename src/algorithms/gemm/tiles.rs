//! Products of matrices of `f16` and `bf16` by the device's own matrices: a workgroup computes a tile of the result
//! from slices of both factors in shared memory. It does not choose the kernel for a device.

use crate::prelude::*;

/// The kernels for a type of factors and a shape of the device's matrices.
///
/// Four subgroups of so many `lanes` stand two by two, and each has two by two blocks of `blocks` by `blocks` matrices of `side`: so a tile has
/// `tile` rows and columns. A slice is `depth` deep, and its rows are `left` and `right` vectors apart in shared memory, an odd
/// number, so that those that are loaded together lie in different banks. Each invocation moves `moves` vectors of either.
macro_rules! products {
    (
        $whole:ident, $edge:ident, $ty:ident,
        side $side:literal, lanes $lanes:literal, width $width:literal, blocks $blocks:literal [$($block:literal)+], tile $tile:literal,
        depth $depth:literal, rows $left:literal $right:literal, cells $left_cells:literal $right_cells:literal, moves $moves:literal,
        row |$vector:ident| $row:expr,
        edge $edge_tile:literal, $edge_left:literal $edge_right:literal $edge_cells:literal
    ) => {
        /// Whole tiles of the result, from row `first_row` on: `x` and `z` of the grid are rows of tiles, so that workgroups that run
        /// together share columns of `b`. Factors lie in vectors of eight elements, a row so many apart.
        #[kernel(workgroup = $width, subgroup = $lanes)]
        pub fn $whole(
            first_row: u32,
            steps: u32,
            pitch_a: u32,
            pitch_b: u32,
            alpha: f32,
            beta: f32,
            a: &[UVec4],
            b: &[UVec4],
            c: &mut [f32],
        ) {
            let left = Shared::<[UVec4; $left_cells]>::new();
            let right = Shared::<[UVec4; $right_cells]>::new();
            let t = local_index();
            let (x, y) = (subgroup_id() % 2, subgroup_id() / 2 % 2);
            let row0 = (first_row + workgroup_id().z * num_workgroups().x + workgroup_id().x) * $tile;
            let column0 = workgroup_id().y * $tile;
            let mut sums = [[CoopMatrix::<f32, Accumulator, $side, $side>::splat(0.0); $blocks]; $blocks];
            let mut next_a = [UVec4::ZERO; $moves];
            let mut next_b = [UVec4::ZERO; $moves];
            for i in 0..$moves {
                let $vector = i * $width + t;
                next_a[i] = a[(row0 + $row) * pitch_a + $vector % ($depth / 8)];
                next_b[i] = b[($vector / ($tile / 8)) * pitch_b + column0 / 8 + $vector % ($tile / 8)];
            }
            let mut step = 0;
            while step < steps {
                for i in 0..$moves {
                    let $vector = i * $width + t;
                    left[$row * $left + $vector % ($depth / 8)] = next_a[i];
                    right[$vector / ($tile / 8) * $right + $vector % ($tile / 8)] = next_b[i];
                }
                let next = step + 1;
                if next < steps {
                    for i in 0..$moves {
                        let $vector = i * $width + t;
                        next_a[i] = a[(row0 + $row) * pitch_a + next * ($depth / 8) + $vector % ($depth / 8)];
                        next_b[i] = b[(next * $depth + $vector / ($tile / 8)) * pitch_b
                            + column0 / 8
                            + $vector % ($tile / 8)];
                    }
                }
                // Behind the loads, so that they are under way while this slice is multiplied: drivers move loads to where their
                // results are needed, but not across a barrier.
                barrier();
                for k in 0..$depth / $side {
                    let lefts = [$(
                        CoopMatrix::<$ty, MatrixA, $side, $side>::load(
                            &left[..],
                            (y * $blocks + $block) * $side * $left + k * ($side / 8),
                            $left,
                            RowMajor,
                        )
                    ),+];
                    let rights = [$(
                        CoopMatrix::<$ty, MatrixB, $side, $side>::load(
                            &right[..],
                            k * $side * $right + (x * $blocks + $block) * ($side / 8),
                            $right,
                            RowMajor,
                        )
                    ),+];
                    for j in 0..$blocks {
                        for i in 0..$blocks {
                            sums[i][j] = lefts[i].mul_add(rights[j], sums[i][j]);
                        }
                    }
                }
                barrier();
                step = next;
            }
            let columns = pitch_b * 8;
            if beta == 0.0 {
                for i in 0..$blocks {
                    for j in 0..$blocks {
                        let (row, column) = (row0 + (y * $blocks + i) * $side, column0 + (x * $blocks + j) * $side);
                        // SAFETY: each subgroup stores tiles of its own, and the tiles of `c` lie side by side.
                        unsafe { (sums[i][j] * alpha).store(c.unordered(), row * columns + column, columns, RowMajor) };
                    }
                }
            } else {
                for i in 0..$blocks {
                    for j in 0..$blocks {
                        let (row, column) = (row0 + (y * $blocks + i) * $side, column0 + (x * $blocks + j) * $side);
                        let at = row * columns + column;
                        let old = CoopMatrix::<f32, Accumulator, $side, $side>::load(c, at, columns, RowMajor);
                        // SAFETY: each subgroup stores tiles of its own, and the tiles of `c` lie side by side.
                        unsafe { (sums[i][j] * alpha + old * beta).store(c.unordered(), at, columns, RowMajor) };
                    }
                }
            }
        }

        /// Tiles of which a part may lie outside, two by two matrices for each subgroup, from `first_row` and `first_column` on; zeros
        /// stand for what is outside.
        #[kernel(workgroup = $width, subgroup = $lanes)]
        pub fn $edge(
            rows: u32,
            columns: u32,
            depth: u32,
            first_row: u32,
            first_column: u32,
            alpha: f32,
            beta: f32,
            a: &[$ty],
            b: &[$ty],
            c: &mut [f32],
        ) {
            let left = Shared::<[$ty; $edge_left]>::new();
            let right = Shared::<[$ty; $edge_right]>::new();
            let results = Shared::<[f32; $edge_cells]>::new();
            let t = local_index();
            let (x, y) = (subgroup_id() % 2, subgroup_id() / 2 % 2);
            let (row0, column0) = (first_row + workgroup_id().y * $edge_tile, first_column + workgroup_id().x * $edge_tile);
            let mut sums = [[CoopMatrix::<f32, Accumulator, $side, $side>::splat(0.0); 2]; 2];
            let mut k0 = 0;
            while k0 < depth {
                for part in 0..$edge_tile * 32 / $width {
                    let at = part * $width + t;
                    let (row, k) = (row0 + at / 32, k0 + at % 32);
                    let is_inside = row < rows && k < depth;
                    left[at / 32 * 40 + at % 32] = if is_inside { a[row * depth + k] } else { $ty::ZERO };
                    let (k, column) = (k0 + at / $edge_tile, column0 + at % $edge_tile);
                    let is_inside = k < depth && column < columns;
                    right[at / $edge_tile * ($edge_tile + 8) + at % $edge_tile] =
                        if is_inside { b[k * columns + column] } else { $ty::ZERO };
                }
                barrier();
                for k in 0..32 / $side {
                    for i in 0..2 {
                        let factor = CoopMatrix::<$ty, MatrixA, $side, $side>::load(
                            &left[..],
                            (y * 2 + i) * $side * 40 + k * $side,
                            40,
                            RowMajor,
                        );
                        for j in 0..2 {
                            let other = CoopMatrix::<$ty, MatrixB, $side, $side>::load(
                                &right[..],
                                k * $side * ($edge_tile + 8) + (x * 2 + j) * $side,
                                $edge_tile + 8,
                                RowMajor,
                            );
                            sums[i][j] = factor.mul_add(other, sums[i][j]);
                        }
                    }
                }
                barrier();
                k0 += 32;
            }
            for i in 0..2 {
                for j in 0..2 {
                    let at = (y * 2 + i) * $side * $edge_tile + (x * 2 + j) * $side;
                    sums[i][j].store(&mut results[..], at, $edge_tile, RowMajor);
                }
            }
            barrier();
            for part in 0..$edge_cells / $width {
                let at = part * $width + t;
                let (row, column) = (row0 + at / $edge_tile, column0 + at % $edge_tile);
                if row < rows && column < columns {
                    let place = row * columns + column;
                    let product = alpha * results[at];
                    let value = if beta == 0.0 { product } else { product + beta * c[place] };
                    // SAFETY: cells of the workgroup's tile are dealt out, one to one invocation, and tiles lie side by side.
                    unsafe { c.unordered()[place] = value };
                }
            }
        }
    };
}

/// Rows and columns of a tile of matrices of 16 by 16.
pub(super) const WIDE_TILE: u32 = 128;
/// How deep its slices are.
pub(super) const WIDE_DEPTH: u32 = 32;
/// Rows and columns of a tile at the edge.
pub(super) const WIDE_EDGE: u32 = 64;
/// The same of matrices of 8 by 8.
pub(super) const NARROW_TILE: u32 = 32;
/// How deep its slices are.
pub(super) const NARROW_DEPTH: u32 = 16;
/// Rows and columns of a tile at the edge.
pub(super) const NARROW_EDGE: u32 = 32;

/// Matrices of 16 by 16 for subgroups of 32, as GPUs have them. Four rows of vectors and the four behind them are stored together,
/// so that they lie in different banks.
macro_rules! wide {
    ($whole:ident, $edge:ident, $ty:ident) => {
        products!(
            $whole, $edge, $ty,
            side 16, lanes 32, width 128, blocks 4 [0 1 2 3], tile 128,
            depth 32, rows 5 17, cells 640 544, moves 4,
            row |at| (at / 32 * 8 + at / 4 % 2 * 4 + at / 8 % 4),
            edge 64, 2560 2304 4096
        );
    };
}

/// Matrices of 8 by 8 for subgroups of 8, as processors have them.
macro_rules! narrow {
    ($whole:ident, $edge:ident, $ty:ident) => {
        products!(
            $whole, $edge, $ty,
            side 8, lanes 8, width 32, blocks 2 [0 1], tile 32,
            depth 16, rows 3 5, cells 96 80, moves 2,
            row |at| (at / 2),
            edge 32, 1280 1280 1024
        );
    };
}

wide!(wide_f16, wide_f16_edge, f16);
wide!(wide_bf16, wide_bf16_edge, bf16);
narrow!(narrow_f16, narrow_f16_edge, f16);
