//! A range in an array is changed in place.

use gridwise::prelude::*;

#[kernel]
fn case(y: &mut [u32]) {
    let mut ranges = [0..4u32, 4..8u32];
    y[0] = ranges[1].next().unwrap_or(0);
}

fn main() {}
