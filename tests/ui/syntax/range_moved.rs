//! Ranges that are used again after something took them: rustc's word, once and in its place.

use gridwise::prelude::*;

#[device]
fn rows(i: u32) -> std::ops::Range<u32> {
    i..i + 4
}

#[kernel]
unsafe fn case(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let range = rows(i);
    let taken = range;
    for k in taken {
        y[k] += 1;
    }
    for k in range {
        y[k] += 1;
    }
    let part = 0..x.len();
    let first = &x[part];
    let second = &x[part];
    y[0] = first[0] + second[0];
}

fn main() {}
