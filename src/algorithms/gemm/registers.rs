//! Products of large matrices: a workgroup computes a tile of 128 by 128, an invocation 8 by 8 of it in registers.
//!
//! The next tiles are loaded while the present ones are multiplied. The 32 neighbouring invocations of a subgroup take 8 by 4 places,
//! so that they read few different vectors of shared memory at a time.

use crate::glam::Vec4;
use crate::prelude::*;

/// Rows and columns of a tile.
#[device]
pub(super) const SIDE: u32 = 128;
/// How much of the depth lies in shared memory at a time.
#[device]
pub(super) const SLICE: u32 = 16;
/// Vectors from one step of the depth to the next in the tile of the left matrix, which lies by columns; one is padding.
#[device]
const LEFT: u32 = 33;
/// The same of the right matrix, which lies by rows.
#[device]
const RIGHT: u32 = 32;

/// Column and row of the invocation's first four by four results, in fours.
#[device]
pub(super) fn place(t: u32) -> (u32, u32) {
    let (lane, group) = (t & 31, t >> 5);
    ((group & 1) * 16 + (lane & 7), (group >> 1) * 8 + (lane >> 3))
}

/// Adds the products of two tiles to the results: `near` in the invocation's first four columns, `far` in the last. Steps of the depth are
/// so many vectors apart.
#[device]
pub(super) fn add_products<const LEFT: u32, const RIGHT: u32>(
    left: &[Vec4],
    right: &[Vec4],
    at: (u32, u32),
    near: &mut [Vec4; 8],
    far: &mut [Vec4; 8],
) {
    let (x, y) = at;
    #[unroll]
    for k in 0..SLICE {
        let (upper, lower) = (left[k * LEFT + y], left[k * LEFT + y + 4]);
        let (b0, b1) = (right[k * RIGHT + x], right[k * RIGHT + x + 8]);
        for i in 0..4usize {
            let (a0, a1) = (Vec4::splat(upper[i]), Vec4::splat(lower[i]));
            near[i] += a0 * b0;
            far[i] += a0 * b1;
            near[i + 4] += a1 * b0;
            far[i + 4] += a1 * b1;
        }
    }
}

/// An element of a matrix with so many rows and columns; zero where there is none.
#[device]
fn number_of(matrix: &[f32], [rows, columns]: [u32; 2], [row, column]: [u32; 2]) -> f32 {
    if row < rows && column < columns { matrix[row * columns + column] } else { 0.0 }
}

/// The product for rows and columns that are multiples of [`SIDE`] and a depth that is a multiple of [`SLICE`] and not
/// zero: by vectors, without a check of any place.
#[kernel(workgroup = 256, fast_math(contract))]
pub(super) fn multiply_whole(columns: u32, depth: u32, alpha: f32, beta: f32, a: &[Vec4], b: &[Vec4], c: &mut [Vec4]) {
    let left = Shared::<[Vec4; 16 * 33]>::new();
    let right = Shared::<[Vec4; 16 * 32]>::new();
    let t = local_id().x;
    let (row0, column0) = (workgroup_id().y * SIDE, workgroup_id().x * RIGHT);
    let (a_row_quads, row_quads) = (depth >> 2, columns >> 2);
    let (a_quad, a_row) = (t & 3, t >> 2);
    let (b_row, b_quad) = (t >> 5, t & 31);
    let mut near = [Vec4::ZERO; 8];
    let mut far = [Vec4::ZERO; 8];
    let mut next_a = [Vec4::ZERO; 2];
    let mut next_b = [Vec4::ZERO; 2];
    for h in 0..2u32 {
        next_a[h as usize] = a[(row0 + a_row + h * 64) * a_row_quads + a_quad];
        next_b[h as usize] = b[(b_row + h * 8) * row_quads + column0 + b_quad];
    }
    let slices = depth / SLICE;
    for slice in 0..slices {
        for h in 0..2u32 {
            let (m, v) = (a_row + h * 64, next_a[h as usize]);
            let (at, lane) = (a_quad * 4 * LEFT + (m >> 2), (m & 3) as usize);
            left[at][lane] = v.x;
            left[at + LEFT][lane] = v.y;
            left[at + LEFT * 2][lane] = v.z;
            left[at + LEFT * 3][lane] = v.w;
            right[(b_row + h * 8) * RIGHT + b_quad] = next_b[h as usize];
        }
        barrier();
        let next = slice + 1;
        if next < slices {
            for h in 0..2u32 {
                next_a[h as usize] = a[(row0 + a_row + h * 64) * a_row_quads + next * 4 + a_quad];
                next_b[h as usize] = b[(next * SLICE + b_row + h * 8) * row_quads + column0 + b_quad];
            }
        }
        add_products::<LEFT, RIGHT>(&left[..], &right[..], place(t), &mut near, &mut far);
        barrier();
    }
    let (x, y) = place(t);
    if beta == 0.0 {
        for i in 0..8u32 {
            let at = (row0 + y * 4 + (i & 3) + (i >> 2) * 16) * row_quads + column0 + x;
            // SAFETY: `place` deals the cells of a tile out, one to one invocation, and tiles lie side by side.
            unsafe { c.unordered()[at] = alpha * near[i as usize] };
            // SAFETY: `place` deals the cells of a tile out, one to one invocation, and tiles lie side by side.
            unsafe { c.unordered()[at + 8] = alpha * far[i as usize] };
        }
    } else {
        for i in 0..8u32 {
            let at = (row0 + y * 4 + (i & 3) + (i >> 2) * 16) * row_quads + column0 + x;
            // SAFETY: `place` deals the cells of a tile out, one to one invocation, and tiles lie side by side.
            unsafe { c.unordered()[at] = alpha * near[i as usize] + beta * c[at] };
            // SAFETY: `place` deals the cells of a tile out, one to one invocation, and tiles lie side by side.
            unsafe { c.unordered()[at + 8] = alpha * far[i as usize] + beta * c[at + 8] };
        }
    }
}

/// For all sizes. Vectors with a condition on each load were slower than numbers (NVIDIA H200).
#[kernel(workgroup = 256, fast_math(contract))]
pub(super) fn multiply_scalars(
    rows: u32,
    columns: u32,
    depth: u32,
    alpha: f32,
    beta: f32,
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
) {
    let left = Shared::<[Vec4; 16 * 33]>::new();
    let right = Shared::<[Vec4; 16 * 32]>::new();
    let t = local_id().x;
    let (row0, column0) = (workgroup_id().y * SIDE, workgroup_id().x * SIDE);
    let (a_k, a_row) = (t & 15, t >> 4);
    let (b_k, b_column) = (t >> 7, t & 127);
    let mut near = [Vec4::ZERO; 8];
    let mut far = [Vec4::ZERO; 8];
    let mut next_a = [0.0f32; 8];
    let mut next_b = [0.0f32; 8];
    for h in 0..8u32 {
        next_a[h as usize] = number_of(a, [rows, depth], [row0 + a_row + h * 16, a_k]);
        next_b[h as usize] = number_of(b, [depth, columns], [b_k + h * 2, column0 + b_column]);
    }
    let slices = (depth + SLICE - 1) / SLICE;
    for slice in 0..slices {
        for h in 0..8u32 {
            let m = a_row + h * 16;
            left[a_k * LEFT + (m >> 2)][(m & 3) as usize] = next_a[h as usize];
            right[(b_k + h * 2) * RIGHT + (b_column >> 2)][(b_column & 3) as usize] = next_b[h as usize];
        }
        barrier();
        let next = slice + 1;
        if next < slices {
            for h in 0..8u32 {
                let k = next * SLICE;
                next_a[h as usize] = number_of(a, [rows, depth], [row0 + a_row + h * 16, k + a_k]);
                next_b[h as usize] = number_of(b, [depth, columns], [k + b_k + h * 2, column0 + b_column]);
            }
        }
        add_products::<LEFT, RIGHT>(&left[..], &right[..], place(t), &mut near, &mut far);
        barrier();
    }
    let (x, y) = place(t);
    if beta == 0.0 {
        for i in 0..8u32 {
            let row = row0 + y * 4 + (i & 3) + (i >> 2) * 16;
            #[unroll]
            for lane in 0..4u32 {
                let (column, behind) = (column0 + x * 4 + lane, column0 + x * 4 + 32 + lane);
                if row < rows && column < columns {
                    // SAFETY: `place` deals the cells of a tile out, one to one invocation, and tiles lie side by side.
                    unsafe { c.unordered()[row * columns + column] = alpha * near[i as usize][lane as usize] };
                }
                if row < rows && behind < columns {
                    // SAFETY: `place` deals the cells of a tile out, one to one invocation, and tiles lie side by side.
                    unsafe { c.unordered()[row * columns + behind] = alpha * far[i as usize][lane as usize] };
                }
            }
        }
    } else {
        for i in 0..8u32 {
            let row = row0 + y * 4 + (i & 3) + (i >> 2) * 16;
            #[unroll]
            for lane in 0..4u32 {
                let (column, behind) = (column0 + x * 4 + lane, column0 + x * 4 + 32 + lane);
                if row < rows && column < columns {
                    let at = row * columns + column;
                    // SAFETY: `place` deals the cells of a tile out, one to one invocation, and tiles lie side by side.
                    unsafe { c.unordered()[at] = alpha * near[i as usize][lane as usize] + beta * c[at] };
                }
                if row < rows && behind < columns {
                    let at = row * columns + behind;
                    // SAFETY: `place` deals the cells of a tile out, one to one invocation, and tiles lie side by side.
                    unsafe { c.unordered()[at] = alpha * far[i as usize][lane as usize] + beta * c[at] };
                }
            }
        }
    }
}
