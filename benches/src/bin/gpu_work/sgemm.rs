//! The product of two matrices of `f32`: tiles of 128 by 128, 8 by 8 results in the registers of each invocation.

use gridwise::glam::Vec4;
use gridwise::prelude::*;
use gridwise_benches::raw::{Reference, Stage};

use crate::error::Error;
use crate::work::{Bench, Launches, Work, check, random_floats};

/// Rows of the tile of `a` in shared memory, in vectors, padded by one.
#[device]
const A_ROW: u32 = 33;

#[kernel(workgroup = 256)]
pub(crate) fn sgemm(n: u32, depth: u32, a: &[Vec4], b: &[Vec4], c: &mut [Vec4]) {
    // The tile of `a` lies transposed: `[k][m]`, four rows of `a` in a vector.
    let tile_a = Shared::<[Vec4; 16 * 33]>::new();
    let tile_b = Shared::<[Vec4; 16 * 32]>::new();
    let t = local_id().x;
    let (row0, column0) = (workgroup_id().y * 128, workgroup_id().x * 128);
    let (depth4, n4) = (depth >> 2, n >> 2);
    let (a_quad, a_row) = (t & 3, t >> 2);
    let (b_row, b_quad) = (t >> 5, t & 31);
    let (tx, ty) = (t & 15, t >> 4);
    let mut left = [Vec4::ZERO; 8];
    let mut right = [Vec4::ZERO; 8];
    let mut next_a = [Vec4::ZERO; 2];
    let mut next_b = [Vec4::ZERO; 2];
    for h in 0..2u32 {
        next_a[h as usize] = a[(row0 + a_row + h * 64) * depth4 + a_quad];
        next_b[h as usize] = b[(b_row + h * 8) * n4 + (column0 >> 2) + b_quad];
    }
    let mut k0 = 0;
    while k0 < depth {
        for h in 0..2u32 {
            let m = a_row + h * 64;
            let v = next_a[h as usize];
            let (at, lane) = (a_quad * 4 * A_ROW + (m >> 2), (m & 3) as usize);
            tile_a[at][lane] = v.x;
            tile_a[at + A_ROW][lane] = v.y;
            tile_a[at + A_ROW * 2][lane] = v.z;
            tile_a[at + A_ROW * 3][lane] = v.w;
            tile_b[(b_row + h * 8) * 32 + b_quad] = next_b[h as usize];
        }
        barrier();
        let next = k0 + 16;
        if next < depth {
            for h in 0..2u32 {
                next_a[h as usize] = a[(row0 + a_row + h * 64) * depth4 + (next >> 2) + a_quad];
                next_b[h as usize] = b[(next + b_row + h * 8) * n4 + (column0 >> 2) + b_quad];
            }
        }
        for k in 0..16u32 {
            let (upper, lower) = (tile_a[k * A_ROW + ty], tile_a[k * A_ROW + 16 + ty]);
            let b0 = tile_b[k * 32 + tx];
            let b1 = tile_b[k * 32 + 16 + tx];
            for i in 0..4u32 {
                let (i, j) = (i as usize, i as usize + 4);
                let (a0, a1) = (Vec4::splat(upper[i]), Vec4::splat(lower[i]));
                left[i] = a0.mul_add(b0, left[i]);
                right[i] = a0.mul_add(b1, right[i]);
                left[j] = a1.mul_add(b0, left[j]);
                right[j] = a1.mul_add(b1, right[j]);
            }
        }
        barrier();
        k0 = next;
    }
    for i in 0..8u32 {
        let row = row0 + ty * 4 + (i & 3) + (i >> 2) * 64;
        c[row * n4 + (column0 >> 2) + tx] = left[i as usize];
        c[row * n4 + (column0 >> 2) + 16 + tx] = right[i as usize];
    }
}

pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let spirv = bench.shaders.module("sgemm")?;
    for side in bench.pick(&[256usize][..], &[4096, 8192]) {
        let len = side * side;
        let input = random_floats(2 * len);
        let (left, right) = input.split_at(len);
        let quads = |floats: &[f32]| -> Vec<Vec4> {
            floats.as_chunks().0.iter().map(|lanes| Vec4::from_array(*lanes)).collect()
        };
        let (a, b) = (bench.manager.tensor(&quads(left))?, bench.manager.tensor(&quads(right))?);
        let mut c = bench.manager.tensor_of_len::<Vec4>(len / 4)?;
        let n = *side as u32;
        let groups = [n / 128, n / 128];
        let launches = Launches::default()
            .with::<Sgemm>(Grid::groups(groups), |args| args.value(n).value(n).read(&a).read(&b).write(&mut c));
        let push = [n, n, n].iter().flat_map(|side| side.to_ne_bytes()).collect();
        let groups = [groups[0], groups[1], 1];
        let stage = Stage { spirv: &spirv, constants: &[], push, buffers: &[0, 1, 2], groups };
        let reference = Reference::new(bench.raw, &[4 * len as u64; 3], &[stage])?;
        reference.write(0, left)?;
        reference.write(1, right)?;
        let work = Work {
            name: format!("sgemm {side}"),
            times: 3,
            bytes: 12.0 * len as f64,
            operations: 2.0 * (*side as f64).powi(3),
        };
        bench.measure(work, &launches, &reference, 0.95)?;
        let expected = |place: usize| {
            let (row, column) = (place / side, place % side);
            let products = (0..*side).map(|k| f64::from(left[row * side + k]) * f64::from(right[k * side + column]));
            (place, products.sum::<f64>())
        };
        let some = || (0..len).step_by(len / 61 + 1).map(expected);
        let ours: Vec<f32> = c.to_vec()?.into_iter().flat_map(|quad| quad.to_array()).collect();
        check("gridwise", &ours, some(), 1e-4)?;
        check("GLSL", &reference.read::<f32>(2)?, some(), 1e-4)?;
    }
    Ok(())
}
