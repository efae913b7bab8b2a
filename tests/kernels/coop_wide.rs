//! Matrices of subgroups in the shapes that GPUs have: 16 by 16 by 16, and 32 bytes deep. Beside `coop.rs`, whose shapes are a
//! software device's.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

/// The entries.
pub const CASES: &[Case] = &[
    case!("coop_wide::halves", [Halves], run_halves, halves_expected),
    case!("coop_wide::bytes", [Bytes], run_bytes, bytes_expected),
    case!("coop_wide::out_of_range", [Halves], run_out_of_range),
];

/// The depth of the halves, in tiles.
const DEPTH: usize = 3;

/// A tile of `y`, twice the product of two rows of tiles, the second by way of shared memory.
#[kernel(workgroup = 32)]
fn halves(a: &[f16], b: &[f16], y: &mut [f32]) {
    let shared = Shared::<[f16; 256]>::new();
    let mut sum = CoopMatrix::<f32, Accumulator, 16, 16>::splat(0.0);
    for tile in 0..3 {
        for step in 0..8 {
            let at = step * 32 + local_index();
            shared[at] = b[tile * 256 + at];
        }
        barrier();
        if subgroup_id() == 0 {
            let left = CoopMatrix::<f16, MatrixA, 16, 16>::load(a, tile * 16, 48, RowMajor);
            let right = CoopMatrix::<f16, MatrixB, 16, 16>::load(&shared[..], 0, 16, RowMajor);
            sum = left.mul_add(right, sum);
        }
        barrier();
    }
    if subgroup_id() == 0 {
        (sum * 2.0).store(y, 0, 16, ColumnMajor);
    }
}

fn small(seed: usize, count: usize) -> Vec<i32> {
    (0..count).map(|i| (i * 7 + seed * 5) as i32 % 11 - 5).collect()
}

/// `a * b` of row-major matrices.
fn product(a: &[i32], b: &[i32], depth: usize) -> Vec<i32> {
    (0..256).map(|at| (0..depth).map(|k| a[at / 16 * depth + k] * b[k * 16 + at % 16]).sum()).collect()
}

fn to_halves(values: &[i32]) -> Vec<f16> {
    values.iter().map(|value| f16::from_f32(*value as f32)).collect()
}

fn run_halves(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let count = 256 * DEPTH;
    let (a, b) = (mgr.tensor(&to_halves(&small(1, count)))?, mgr.tensor(&to_halves(&small(2, count)))?);
    let mut y = mgr.tensor(&[7.0f32; 256])?;
    let seq = mgr.sequence()?;
    Halves::dispatch(&seq, Grid::groups(1), &a, &b, &mut y)?;
    seq.eval()?;
    Ok(vec![Output::exact(y.to_vec()?)])
}

fn halves_expected() -> Vec<Output> {
    let count = 256 * DEPTH;
    let sums = product(&small(1, count), &small(2, count), 16 * DEPTH);
    vec![Output::exact((0..256).map(|at| 2.0 * sums[at % 16 * 16 + at / 16] as f32).collect())]
}

/// One row of `a` is missing: what is read there is out of range.
fn run_out_of_range(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let count = 256 * DEPTH;
    let (a, b) = (mgr.tensor(&to_halves(&small(1, count - 48)))?, mgr.tensor(&to_halves(&small(2, count)))?);
    let mut y = mgr.tensor(&[7.0f32; 256])?;
    let seq = mgr.sequence()?;
    Halves::dispatch(&seq, Grid::groups(1), &a, &b, &mut y)?;
    let report = match seq.eval() {
        Err(gridwise::Error::KernelPanic { message, text, .. }) => format!("{message}; {text}"),
        other => format!("{other:?}"),
    };
    Ok(vec![Output::Report(report)])
}

#[kernel(workgroup = 32)]
fn bytes(a: &[i8], b: &[i8], y: &mut [i32]) {
    if subgroup_id() == 0 {
        let left = CoopMatrix::<i8, MatrixA, 16, 32>::load(a, 0, 32, RowMajor);
        let right = CoopMatrix::<i8, MatrixB, 32, 16>::load(b, 0, 16, RowMajor);
        left.mul_add(right, CoopMatrix::<i32, Accumulator, 16, 16>::splat(-1)).store(y, 0, 16, RowMajor);
    }
}

fn run_bytes(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let bytes = |seed| small(seed, 512).into_iter().map(|value| (value * 25) as i8).collect::<Vec<_>>();
    let (a, b) = (mgr.tensor(&bytes(3))?, mgr.tensor(&bytes(4))?);
    let mut y = mgr.tensor(&[7i32; 256])?;
    let seq = mgr.sequence()?;
    Bytes::dispatch(&seq, Grid::groups(1), &a, &b, &mut y)?;
    seq.eval()?;
    Ok(vec![Output::I32(y.to_vec()?)])
}

fn bytes_expected() -> Vec<Output> {
    let bytes = |seed| small(seed, 512).into_iter().map(|value| i32::from((value * 25) as i8)).collect::<Vec<_>>();
    vec![Output::I32(product(&bytes(3), &bytes(4), 32).into_iter().map(|sum| sum - 1).collect())]
}
