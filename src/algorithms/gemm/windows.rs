//! Convolutions as products of matrices that are never stored: the weights of each filter are a row of the left one, a column of the right
//! one has what the filter sees from one place. Where its elements lie is looked up in a list.

use super::strided::activated;
use crate::algorithms::lines::item;
use crate::glam::Vec4;
use crate::prelude::*;

/// Filters of a tile.
pub(in crate::algorithms) const FILTERS: u32 = 64;
/// Places of a tile.
pub(in crate::algorithms) const PLACES: u32 = 128;
/// How much of the depth lies in shared memory at a time.
#[device]
const SLICE: u32 = 16;
/// Vectors from one step of the depth to the next in the tile of weights; one is padding.
#[device]
const PITCH: u32 = 17;

/// The pixel that a filter sees at one of its taps, which are column and row in the window, and the place in an image; `corner` is where its window
/// begins. Positions before the image wrap, and are behind it then.
#[device]
fn seen(images: &[f32], image: UVec2, base: u32, tap: UVec4, corner: UVec2) -> f32 {
    let (x, y) = (corner.x.wrapping_add(tap.x), corner.y.wrapping_add(tap.y));
    let at = base.wrapping_add(tap.z).wrapping_add(corner.y.wrapping_mul(image.x)).wrapping_add(corner.x);
    let pixel = images[at.min(images.len() as u32 - 1)];
    if x < image.x && y < image.y { pixel } else { 0.0 }
}

/// The results of some filters at some places of an image; `taps` has one for each step of the depth. None of the lists is empty, and all loads
/// are without a branch, so that they run at once: what is loaded for weights that are not there is multiplied by zero. An invocation has eight filters, at four places that lie 32 apart.
#[kernel(workgroup = 256, fast_math(contract))]
pub fn convolve_windows<const BIAS: bool>(
    filters: u32,
    columns: u32,
    depth: u32,
    first: u32,
    image: UVec2,
    image_len: u32,
    width: u32,
    step: UVec2,
    padding: UVec2,
    taps: &[UVec4],
    weights: &[f32],
    images: &[f32],
    bias: &[f32],
    y: &mut [f32],
) {
    if taps.len() == 0 || weights.len() == 0 || images.len() == 0 {
        return;
    }
    let left = Shared::<[Vec4; 16 * 17]>::new();
    let right = Shared::<[f32; 16 * 128]>::new();
    let t = local_id().x;
    let number = workgroup_id().z + first;
    let (row0, column0) = (workgroup_id().y * 64, workgroup_id().x * 128);
    let (row, part) = (row0 + (t >> 2), (t & 3) * 4);
    let (place, half) = (column0 + (t & 127), t >> 7);
    let base = number * image_len;
    let corner =
        uvec2((place % width * step.x).wrapping_sub(padding.x), (place / width * step.y).wrapping_sub(padding.y));
    let mut sums = [Vec4::ZERO; 8];
    let mut next_left = Vec4::ZERO;
    let mut next_right = [0.0f32; 8];
    let slices = depth.div_ceil(SLICE);
    for slice in 0..slices + 1 {
        if slice > 0 {
            #[unroll]
            for j in 0..4u32 {
                left[(part + j) * PITCH + (t >> 4)][(t >> 2 & 3) as usize] = next_left[j as usize];
            }
            #[unroll]
            for j in 0..8u32 {
                right[(j * 2 + half) * 128 + (t & 127)] = next_right[j as usize];
            }
        }
        barrier();
        if slice < slices {
            #[unroll]
            for j in 0..4u32 {
                let k = slice * SLICE + part + j;
                let weight = weights[(row * depth + k).min(weights.len() as u32 - 1)];
                next_left[j as usize] = if row < filters && k < depth { weight } else { 0.0 };
            }
            #[unroll]
            for j in 0..8u32 {
                let k = slice * SLICE + j * 2 + half;
                next_right[j as usize] = seen(images, image, base, taps[k.min(taps.len() as u32 - 1)], corner);
            }
        }
        if slice > 0 {
            let (x, rows) = (t & 31, (t >> 5) * 2);
            #[unroll]
            for k in 0..SLICE {
                let (upper, lower) = (left[k * PITCH + rows], left[k * PITCH + rows + 1]);
                let at = k * 128 + x;
                let seen = vec4(right[at], right[at + 32], right[at + 64], right[at + 96]);
                for i in 0..4usize {
                    sums[i] += Vec4::splat(upper[i]) * seen;
                    sums[i + 4] += Vec4::splat(lower[i]) * seen;
                }
            }
        }
        barrier();
    }
    #[unroll]
    for i in 0..8u32 {
        let filter = row0 + (t >> 5) * 8 + i;
        #[unroll]
        for j in 0..4u32 {
            let column = column0 + (t & 31) + j * 32;
            if filter < filters && column < columns {
                let mut value = sums[i as usize][j as usize];
                if BIAS && filter < bias.len() as u32 {
                    value += bias[filter];
                }
                let at = (number * filters + filter) * columns + column;
                if at < y.len() as u32 {
                    // SAFETY: the cells of a tile are dealt out, one to one invocation, and tiles lie side by side.
                    unsafe { y.unordered()[at] = value };
                }
            }
        }
    }
}

/// Applies an activation to each element. In the kernel above the code of all activations would stand behind each of 32 results, which
/// took longer than this launch (NVIDIA H200, 397 against 351 µs).
#[kernel(workgroup = 256)]
pub fn activate(activation: u32, y: &mut [f32]) {
    let i = item();
    if i < y.len() as u32 {
        y[i] = activated(activation, y[i]);
    }
}
