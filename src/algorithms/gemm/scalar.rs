//! Products of matrices by what every device has: one `mul_add` after the other, summed up in `f32`.

use crate::prelude::*;

/// Rows and columns of the result that a workgroup computes.
#[device]
pub(super) const TILE: u32 = 64;
/// How much of the depth lies in shared memory at a time.
#[device]
const SLICE: u32 = 16;
/// Rows and columns of an invocation.
#[device]
const OWN: u32 = 4;

/// The kernel for a type of factors.
macro_rules! multiply {
    ($name:ident, $ty:ident, |$value:ident| $as_f32:expr) => {
        #[kernel(workgroup = 256, fast_math(contract))]
        pub fn $name(rows: u32, columns: u32, depth: u32, alpha: f32, beta: f32, a: &[$ty], b: &[$ty], c: &mut [f32]) {
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
                    let mut factor = 0.0;
                    if row < rows && k < depth {
                        let $value = a[row * depth + k];
                        factor = $as_f32;
                    }
                    left[t % SLICE * (TILE + 1) + t / SLICE + part * 16] = factor;
                    let (k, column) = (k0 + t / TILE + part * 4, column0 + t % TILE);
                    let mut factor = 0.0;
                    if k < depth && column < columns {
                        let $value = b[k * columns + column];
                        factor = $as_f32;
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
                    let (row, column) = (row0 + y + i, column0 + x + j);
                    if row < rows && column < columns {
                        let at = row * columns + column;
                        let product = alpha * sums[i][j];
                        c[at] = if beta == 0.0 { product } else { product + beta * c[at] };
                    }
                }
            }
        }
    };
}

multiply!(multiply, f32, |value| value);
multiply!(multiply_f16, f16, |value| value.to_f32());
multiply!(multiply_bf16, bf16, |value| value.to_f32());
