//! A function of the program with the name of one of gridwise's.
use gridwise::prelude::*;

#[device]
fn detach(x: f32) -> f32 {
    x * 2.0
}

#[kernel]
fn doubled(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = detach(x[i]);
}

fn main() {}
