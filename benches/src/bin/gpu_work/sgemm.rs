//! The product of two matrices of `f32`: tiles of 128 by 128, 8 by 8 results in the registers of each invocation.

use gridwise::algorithms::{GemmShape, OpGemm};
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
    let (row0, column0) = (workgroup_id().y * 128, workgroup_id().x * 32);
    let (depth4, n4) = (depth >> 2, n >> 2);
    let (a_quad, a_row) = (t & 3, t >> 2);
    let (b_row, b_quad) = (t >> 5, t & 31);
    // Neighbours take 8 by 4 places, so that they read few different vectors at a time.
    let (lane, group) = (t & 31, t >> 5);
    let (tx, ty) = ((group & 1) * 16 + (lane & 7), (group >> 1) * 8 + (lane >> 3));
    let mut left = [Vec4::ZERO; 8];
    let mut right = [Vec4::ZERO; 8];
    let mut next_a = [Vec4::ZERO; 2];
    let mut next_b = [Vec4::ZERO; 2];
    for h in 0..2u32 {
        next_a[h as usize] = a[(row0 + a_row + h * 64) * depth4 + a_quad];
        next_b[h as usize] = b[(b_row + h * 8) * n4 + column0 + b_quad];
    }
    let tiles = depth / 16;
    for tile in 0..tiles {
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
        let next = tile + 1;
        if next < tiles {
            for h in 0..2u32 {
                next_a[h as usize] = a[(row0 + a_row + h * 64) * depth4 + next * 4 + a_quad];
                next_b[h as usize] = b[(next * 16 + b_row + h * 8) * n4 + column0 + b_quad];
            }
        }
        #[unroll]
        for k in 0..16u32 {
            let (upper, lower) = (tile_a[k * A_ROW + ty], tile_a[k * A_ROW + 4 + ty]);
            let b0 = tile_b[k * 32 + tx];
            let b1 = tile_b[k * 32 + 8 + tx];
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
    }
    for i in 0..8u32 {
        let row = row0 + ty * 4 + (i & 3) + (i >> 2) * 16;
        // SAFETY: whole tiles only, which lie side by side; their cells are dealt out, one to one invocation.
        unsafe {
            c.unordered()[row * n4 + column0 + tx] = left[i as usize];
            c.unordered()[row * n4 + column0 + 8 + tx] = right[i as usize];
        }
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
        bench.measure(work.clone(), &launches, &reference, 0.95)?;
        let expected = |place: usize| {
            let (row, column) = (place / side, place % side);
            let products = (0..*side).map(|k| f64::from(left[row * side + k]) * f64::from(right[k * side + column]));
            (place, products.sum::<f64>())
        };
        let some = || (0..len).step_by(len / 61 + 1).map(expected);
        let ours: Vec<f32> = c.to_vec()?.into_iter().flat_map(|quad| quad.to_array()).collect();
        check("gridwise", &ours, some(), 1e-4)?;
        let (a, b) = (bench.manager.tensor(left)?, bench.manager.tensor(right)?);
        let mut product = bench.manager.tensor_of_len::<f32>(len)?;
        let shape = GemmShape { rows: n, columns: n, depth: n };
        let launches = Launches::default().with_op(OpGemm::new(shape, 1.0, &a, &b, 0.0, &mut product)?);
        bench.measure(Work { name: format!("OpGemm {side}"), ..work.clone() }, &launches, &reference, 0.95)?;
        check("OpGemm", &product.to_vec()?, some(), 1e-4)?;
        // One row, column and step less, so that nothing is a multiple of four; the reference stays as it is.
        let odd = side - 1;
        let shape = GemmShape { rows: n - 1, columns: n - 1, depth: n - 1 };
        let (a, b) = (bench.manager.tensor(&left[..odd * odd])?, bench.manager.tensor(&right[..odd * odd])?);
        let mut product = bench.manager.tensor_of_len::<f32>(odd * odd)?;
        let launches = Launches::default().with_op(OpGemm::new(shape, 1.0, &a, &b, 0.0, &mut product)?);
        bench.measure(Work { name: format!("OpGemm {odd}"), ..work }, &launches, &reference, 1.0)?;
        let expected = |place: usize| {
            let (row, column) = (place / odd, place % odd);
            let products = (0..odd).map(|k| f64::from(left[row * odd + k]) * f64::from(right[k * odd + column]));
            (place, products.sum::<f64>())
        };
        check("OpGemm", &product.to_vec()?, (0..odd * odd).step_by(len / 61 + 1).map(expected), 1e-4)?;
        check("GLSL", &reference.read::<f32>(2)?, some(), 1e-4)?;
    }
    Ok(())
}
