//! Ranges as values: those that change, that functions take or give, that are chosen.

use gridwise::prelude::*;

#[device]
fn rows(i: u32) -> std::ops::Range<u32> {
    i..i + 4
}

#[device]
fn length(range: core::ops::RangeInclusive<u32>) -> u32 {
    *range.end()
}

#[kernel]
fn case(y: &mut [u32]) {
    let i = global_id().x;
    let mut range = i..i + 4;
    y[0] = range.next().unwrap();
    let part = if i > 3 { 0..i } else { i..9 };
    let (low, high) = (0..i, i..9);
    for at in 1..5 {
        y[i] += at;
    }
}

fn main() {}
