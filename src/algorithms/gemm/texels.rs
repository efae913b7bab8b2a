//! Products of large matrices of `f16` and `bf16` on GPUs: the factors are fetched as texels, a workgroup computes a tile of 128 by 256.
//!
//! A GPU takes answers of its texture unit in the order in which it asked, so that its compiler may ask for what comes two slices later
//! and wait for what came before; of other loads it waits for all. And products are placed so that none of the two barriers of a slice
//! finds the subgroups without any: those of the last half of a slice stand beside the stores of the next one, and in part behind the
//! second barrier, where fragments are loaded.

use crate::prelude::*;

/// Rows and columns of a tile.
pub(super) const TILE: [u32; 2] = [128, 256];
/// How deep its slices are.
pub(super) const DEPTH: u32 = 32;

/// The kernel for a type of factors. Eight subgroups stand in two rows, each with four by four matrices of 16 by 16. Rows of slices are 5
/// and 33 vectors apart in shared memory, odd numbers, so that those that are loaded together lie in different banks; four rows of
/// vectors and the four behind them are stored together, for the same reason.
macro_rules! product {
    ($name:ident, $ty:ident) => {
        /// Whole tiles of the result, from row `first_row` of tiles on: `x` and `z` of the grid are rows of tiles, so that workgroups that
        /// run together share columns of `b`. Factors lie in vectors of eight elements, a row so many apart; the last slice begins at
        /// a depth of `last`.
        #[kernel(workgroup = 256, subgroup = 32)]
        pub fn $name(
            first_row: u32,
            last: u32,
            pitch_a: u32,
            pitch_b: u32,
            alpha: f32,
            beta: f32,
            #[texels] a: &[UVec4],
            #[texels] b: &[UVec4],
            c: &mut [f32],
        ) {
            let left = Shared::<[UVec4; 640]>::new();
            let right = Shared::<[UVec4; 1056]>::new();
            let t = local_index();
            let (x, y) = (subgroup_id() % 4, subgroup_id() / 4 % 2);
            let row0 = (first_row + workgroup_id().z * num_workgroups().x + workgroup_id().x) * 128;
            let column0 = workgroup_id().y * 256;
            let mut sums = [[CoopMatrix::<f32, Accumulator, 16, 16>::splat(0.0); 4]; 4];
            let mut next_a = [UVec4::ZERO; 2];
            let mut next_b = [UVec4::ZERO; 4];
            // Of the half slice before, what is not multiplied yet.
            let mut last_a = [CoopMatrix::<$ty, MatrixA, 16, 16>::splat($ty::ZERO); 4];
            let mut last_b = [CoopMatrix::<$ty, MatrixB, 16, 16>::splat($ty::ZERO); 2];
            for i in 0..2 {
                let at = i * 256 + t;
                let row = at / 32 * 8 + at / 4 % 2 * 4 + at / 8 % 4;
                left[row * 5 + at % 4] = a[(row0 + row) * pitch_a + at % 4];
            }
            for i in 0..4 {
                let at = i * 256 + t;
                right[at / 32 * 33 + at % 32] = b[at / 32 * pitch_b + column0 / 8 + at % 32];
            }
            let second = last.min(32);
            for i in 0..2 {
                let at = i * 256 + t;
                let row = at / 32 * 8 + at / 4 % 2 * 4 + at / 8 % 4;
                next_a[i] = a[(row0 + row) * pitch_a + second / 8 + at % 4];
            }
            for i in 0..4 {
                let at = i * 256 + t;
                next_b[i] = b[(second + at / 32) * pitch_b + column0 / 8 + at % 32];
            }
            barrier();
            let mut k = 0;
            // Counted so that the rounds are not known beforehand: a compiler that knows them makes several of them one, with more values
            // at a time than there are registers, and not one behind the other.
            while k <= last {
                let lefts = [0, 1, 2, 3]
                    .map(|i| CoopMatrix::<$ty, MatrixA, 16, 16>::load(&left[..], (y * 4 + i) * 80, 5, RowMajor));
                let rights = [0, 1, 2, 3]
                    .map(|j| CoopMatrix::<$ty, MatrixB, 16, 16>::load(&right[..], (x * 4 + j) * 2, 33, RowMajor));
                for j in 0..2 {
                    for i in 0..4 {
                        sums[i][j + 2] = last_a[i].mul_add(last_b[j], sums[i][j + 2]);
                    }
                }
                for j in 0..4 {
                    for i in 0..4 {
                        sums[i][j] = lefts[i].mul_add(rights[j], sums[i][j]);
                    }
                }
                last_a = [0, 1, 2, 3]
                    .map(|i| CoopMatrix::<$ty, MatrixA, 16, 16>::load(&left[..], (y * 4 + i) * 80 + 2, 5, RowMajor));
                let rights = [0, 1, 2, 3]
                    .map(|j| CoopMatrix::<$ty, MatrixB, 16, 16>::load(&right[..], 528 + (x * 4 + j) * 2, 33, RowMajor));
                barrier();
                // Behind the last slice nobody reads what this stores and fetches.
                for i in 0..2 {
                    let at = i * 256 + t;
                    left[(at / 32 * 8 + at / 4 % 2 * 4 + at / 8 % 4) * 5 + at % 4] = next_a[i];
                }
                for i in 0..4 {
                    let at = i * 256 + t;
                    right[at / 32 * 33 + at % 32] = next_b[i];
                }
                let next = k.wrapping_add(64).min(last);
                for i in 0..2 {
                    let at = i * 256 + t;
                    let row = at / 32 * 8 + at / 4 % 2 * 4 + at / 8 % 4;
                    next_a[i] = a[(row0 + row) * pitch_a + next / 8 + at % 4];
                }
                for i in 0..4 {
                    let at = i * 256 + t;
                    next_b[i] = b[(next + at / 32) * pitch_b + column0 / 8 + at % 32];
                }
                for j in 0..2 {
                    for i in 0..4 {
                        sums[i][j] = last_a[i].mul_add(rights[j], sums[i][j]);
                    }
                }
                last_b = [rights[2], rights[3]];
                k = k.wrapping_add(32);
                barrier();
            }
            for j in 0..2 {
                for i in 0..4 {
                    sums[i][j + 2] = last_a[i].mul_add(last_b[j], sums[i][j + 2]);
                }
            }
            let columns = pitch_b * 8;
            if beta == 0.0 {
                for i in 0..4 {
                    for j in 0..4 {
                        let (row, column) = (row0 + (y * 4 + i) * 16, column0 + (x * 4 + j) * 16);
                        // SAFETY: each subgroup stores tiles of its own, and the tiles of `c` lie side by side.
                        unsafe { (sums[i][j] * alpha).store(c.unordered(), row * columns + column, columns, RowMajor) };
                    }
                }
            } else {
                for i in 0..4 {
                    for j in 0..4 {
                        let (row, column) = (row0 + (y * 4 + i) * 16, column0 + (x * 4 + j) * 16);
                        let at = row * columns + column;
                        let old = CoopMatrix::<f32, Accumulator, 16, 16>::load(c, at, columns, RowMajor);
                        // SAFETY: each subgroup stores tiles of its own, and the tiles of `c` lie side by side.
                        unsafe { (sums[i][j] * alpha + old * beta).store(c.unordered(), at, columns, RowMajor) };
                    }
                }
            }
        }
    };
}

product!(texels_f16, f16);
product!(texels_bf16, bf16);
