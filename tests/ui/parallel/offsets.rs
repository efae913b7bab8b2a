//! Rows between numbers that were found never to fall: what their type may be, who may write them, and which places are in no other row.

use gridwise::prelude::*;
use gridwise::OffsetsTensor;

#[kernel(workgroup = 64)]
fn of_integers(starts: &Offsets<i32>, y: &mut [f32]) {
    y[starts[global_id().x] as u32] = 1.0;
}

#[kernel(workgroup = 64)]
fn writable(starts: &mut Offsets<u32>, y: &mut [f32]) {
    y[starts[0]] = 1.0;
}

#[device]
fn of_a_function(starts: &Offsets<u32>, i: u32) -> u32 {
    starts[i]
}

/// The first element of the next row, too.
#[kernel(workgroup = 64)]
fn beyond(starts: &Offsets<u32>, y: &mut [f32]) {
    let row = global_id().x;
    for k in starts[row]..=starts[row + 1] {
        y[k] = 1.0;
    }
}

/// Rows that overlap.
#[kernel(workgroup = 64)]
fn twice(starts: &Offsets<u32>, y: &mut [f32]) {
    let row = global_id().x;
    for k in starts[row]..starts[row + 2] {
        y[k] = 1.0;
    }
}

/// The begin of an empty row is that of the next one.
#[kernel(workgroup = 64)]
fn begins(starts: &Offsets<u32>, y: &mut [f32]) {
    y[starts[global_id().x]] = 1.0;
}

#[kernel(workgroup = 64)]
fn fill(starts: &Offsets<u32>, y: &mut [f32]) {
    let row = global_id().x;
    for k in starts[row]..starts[row + 1] {
        y[k] = 1.0;
    }
}

fn launch(seq: &Sequence, unchecked: &Tensor<u32>, starts: &OffsetsTensor<u32>, y: &mut Tensor<f32>) -> gridwise::Result<()> {
    Fill::dispatch(seq, Grid::items(64), starts, y)?;
    Fill::dispatch(seq, Grid::items(64), unchecked, y)?;
    Ok(())
}

fn main() {}
