//! The product of two matrices of 16-bit floats, summed up in `f32`: `OpGemm` against tiles of cooperative matrices.

use gridwise::algorithms::{Factor, GemmShape, OpGemm};
use gridwise::prelude::*;
use gridwise_benches::raw::{Reference, Stage};

use crate::error::Error;
use crate::work::{Bench, Launches, Work, check, random_floats};

/// Rows and columns of a workgroup of the reference.
const TILE: u32 = 128;

pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    for side in bench.pick(&[256usize][..], &[4096, 8192]) {
        product(bench, "f16", *side, f16::from_f32, |value: f16| value.to_f32())?;
        product(bench, "bf16", *side, bf16::from_f32, |value: bf16| value.to_f32())?;
    }
    Ok(())
}

fn product<T: Factor>(
    bench: &mut Bench<'_>,
    ty: &str,
    side: usize,
    from: fn(f32) -> T,
    to: fn(T) -> f32,
) -> Result<(), Error> {
    let len = side * side;
    let input: Vec<T> = random_floats(2 * len).into_iter().map(from).collect();
    let (left, right) = input.split_at(len);
    let (a, b) = (bench.manager.tensor(left)?, bench.manager.tensor(right)?);
    let mut c = bench.manager.tensor_of_len::<f32>(len)?;
    let n = side as u32;
    let shape = GemmShape { rows: n, columns: n, depth: n };
    let launches = Launches::default().with_op(OpGemm::new(shape, 1.0, &a, &b, 0.0, &mut c)?);
    let work = Work {
        name: format!("hgemm {ty} {side}"),
        times: 5,
        bytes: 8.0 * len as f64,
        operations: 2.0 * (side as f64).powi(3),
    };
    let expected = |place: usize| {
        let (row, column) = (place / side, place % side);
        let products = (0..side).map(|k| f64::from(to(left[row * side + k])) * f64::from(to(right[k * side + column])));
        (place, products.sum::<f64>())
    };
    let some = || (0..len).step_by(len / 61 + 1).map(expected);
    // The reference has matrices of `f16` only, of 16 by 16, for subgroups of 32.
    if bench.raw.has_matrices && bench.manager.device().limits.subgroup.size == 32 {
        let spirv = bench.shaders.module("hgemm_tiles")?;
        let push = [n, n, n].iter().flat_map(|side| side.to_ne_bytes()).collect();
        let groups = [n / TILE, n / TILE, 1];
        let stage = Stage { spirv: &spirv, constants: &[], push, buffers: &[0, 1, 2], groups };
        let reference = Reference::new(bench.raw, &[2 * len as u64, 2 * len as u64, 4 * len as u64], &[stage])?;
        // Numbers as ours has them, so that the bits that flip are as many.
        let halves: Vec<u16> = input.iter().map(|value| f16::from_f32(to(*value)).to_bits()).collect();
        reference.write(0, &halves[..len])?;
        reference.write(1, &halves[len..])?;
        bench.measure(work, &launches, &reference, 0.75)?;
        check("GLSL", &reference.read::<f32>(2)?, some(), 1e-3)?;
    } else {
        bench.measure_alone(work, &launches)?;
    }
    check("gridwise", &c.to_vec()?, some(), 1e-3)
}
