//! Numbers computed with a limit of `usize` are others on the host.

use gridwise::prelude::*;

#[device]
const HALF: usize = usize::MAX / 2;

#[device]
const ROWS: [usize; 2] = [0, usize::MAX];

#[device]
const LEAST: isize = isize::MIN;

#[device]
const WORDS: u32 = 100 / usize::BITS;

#[kernel]
fn case(y: &mut [u32]) {
    y[0] = (HALF + ROWS[1]) as u32 + WORDS + LEAST as u32;
}

fn main() {}
