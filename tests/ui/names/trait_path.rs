//! Functions of Rust's own traits by the trait's name.

use std::ops::Add;

use gridwise::prelude::*;

#[kernel]
fn case(x: &[u32], y: &mut [u32]) {
    y[0] = Add::add(x[0], 7);
    y[1] = std::ops::Neg::neg(x[1] as i32) as u32;
}

fn main() {}
