//! Constants that the module imports: those of `f64` are not what their bare names mean in kernels, and `E` may be anything.

use gridwise::prelude::*;
use std::f32::consts::E;
use std::f64::consts::PI;

#[kernel]
fn case(y: &mut [f32]) {
    y[0] = PI;
}

#[kernel]
fn short(y: &mut [f32]) {
    y[0] = E;
}

fn main() {}
