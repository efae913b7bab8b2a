//! Elements that invocations claim: what their type may be, where it stands, and that they are written only.

use gridwise::ScatterTensor;
use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn read(y: &mut Scatter<f32>, z: &mut [f32]) {
    let i = global_id().x;
    y[i] = 1.0;
    z[i] = y[i + 1];
}

#[kernel(workgroup = 64)]
fn added(ix: &[u32], y: &mut Scatter<f32>) {
    y[ix[global_id().x]] += 1.0;
}

#[kernel(workgroup = 64)]
fn not_written(y: &Scatter<f32>, z: &mut [f32]) {
    z[global_id().x] = y[0];
}

#[kernel(workgroup = 64)]
fn hidden(y: &mut Scatter<f32>) {
    let y = [1.0f32; 4];
}

#[kernel(workgroup = 64)]
fn claims(y: &mut Scatter<f32>) {
    __claims_of_y[3].store(0, Relaxed);
    y[global_id().x] = 1.0;
}

#[kernel(workgroup = 64)]
fn claimed(y: &mut Scatter<f32>) {
    y.__claimed()[global_id().y] = 1.0;
}

#[device]
fn of_a_function(y: &mut Scatter<f32>, i: u32) {
    y[i] = 1.0;
}

#[device]
fn set(y: &mut [f32], i: u32) {
    y[i] = 1.0;
}

#[kernel(workgroup = 64)]
fn lent(ix: &[u32], y: &mut Scatter<f32>) {
    set(&mut y[..], ix[global_id().x]);
}

#[kernel(workgroup = 64)]
fn put(ix: &[u32], y: &mut Scatter<f32>) {
    y[ix[global_id().x]] = 1.0;
}

fn launch(seq: &Sequence, ix: &Tensor<u32>, x: &mut Tensor<f32>, y: &mut ScatterTensor<f32>) -> gridwise::Result<()> {
    Put::dispatch(seq, Grid::items(64), ix, y)?;
    Put::dispatch(seq, Grid::items(64), ix, x)?;
    Ok(())
}

fn main() {}
