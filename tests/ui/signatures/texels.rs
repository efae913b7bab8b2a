//! Slices read as texels: of one, two or four numbers of 32 bits, of a kernel, and never written.

use gridwise::prelude::*;

#[kernel]
fn of_doubles(#[texels] x: &[f64], out: &mut [u32]) {
    out[0] = x[0] as u32;
}

#[kernel]
fn of_three(#[texels] x: &[Vec3], out: &mut [f32]) {
    out[0] = x[0].x;
}

#[kernel]
fn written(#[texels] out: &mut [f32]) {
    out[0] = 1.0;
}

#[kernel]
fn of_lists(#[texels] x: &[&[f32]], out: &mut [f32]) {
    out[0] = x[0][0];
}

#[kernel]
fn of_atomics(#[texels] x: &[Atomic<u32>], out: &mut [u32]) {
    out[0] = x[0].load();
}

#[kernel]
fn of_values(#[texels] n: u32, out: &mut [u32]) {
    out[0] = n;
}

#[kernel]
fn with_arguments(#[texels(4)] x: &[f32], out: &mut [f32]) {
    out[0] = x[0];
}

#[device]
fn first(#[texels] x: &[f32]) -> f32 {
    x[0]
}

#[kernel(workgroup = 32)]
fn matrices(#[texels] x: &[f32], out: &mut [f32]) {
    let matrix = CoopMatrix::<f32, Accumulator, 16, 16>::load(x, 0, 16, RowMajor);
    matrix.store(out, 0, 16, RowMajor);
}

fn main() {}
