//! `zip` behind `by_ref`, where what follows decides how much of the range is left.

use gridwise::prelude::*;

#[kernel]
fn case(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let mut row = 0..i;
    for (a, b) in row.by_ref().zip(x.iter()) {
        y[i] += a * b;
    }
}

fn main() {}
