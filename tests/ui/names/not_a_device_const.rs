//! A constant without `#[device]`, in a kernel and as a length.

use gridwise::prelude::*;

const SCALE: f32 = 2.0;
const TAPS: usize = 4;

#[kernel]
fn case(y: &mut [f32]) {
    y[global_id().x] *= SCALE;
}

#[kernel]
fn length(y: &mut [f32]) {
    let own = [0.0; TAPS];
    y[global_id().x] = own[0];
}

fn main() {}
