//! A constant of Rust that the module imports: a kernel sees its own tokens only.

use gridwise::prelude::*;
use std::f32::consts::PI;

#[kernel]
fn case(y: &mut [f32]) {
    y[0] = PI;
}

fn main() {}
