//! Indices that were found to differ: what their type may be, who may write them, and what a launch takes.

use gridwise::prelude::*;
use gridwise::DistinctTensor;

#[kernel(workgroup = 64)]
fn of_integers(ix: &Distinct<i32>, y: &mut [f32]) {
    y[ix[global_id().x] as u32] = 1.0;
}

#[kernel(workgroup = 64)]
fn writable(ix: &mut Distinct<u32>, y: &mut [f32]) {
    y[ix[global_id().x]] = 1.0;
}

#[kernel(workgroup = 64)]
fn written(ix: &Distinct<u32>, y: &mut [f32]) {
    ix[global_id().x] = 1;
    y[global_id().x] = 1.0;
}

#[device]
fn of_a_function(ix: &Distinct<u32>, i: u32) -> u32 {
    ix[i]
}

#[kernel(workgroup = 64)]
fn sums(ix: &Distinct<u32>, y: &mut [f32]) {
    let i = global_id().x;
    y[ix[i] + ix[i + 1]] = 1.0;
}

#[kernel(workgroup = 64)]
fn scatter(ix: &Distinct<u32>, y: &mut [f32]) {
    y[ix[global_id().x]] = 1.0;
}

fn launch(seq: &Sequence, unchecked: &Tensor<u32>, ix: &DistinctTensor<u32>, y: &mut Tensor<f32>) -> gridwise::Result<()> {
    Scatter::dispatch(seq, Grid::items(64), ix, y)?;
    Scatter::dispatch(seq, Grid::items(64), unchecked, y)?;
    Ok(())
}

fn main() {}
