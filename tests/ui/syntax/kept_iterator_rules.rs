//! What rustc says of iterators in variables: they are moved, and borrow what they go through.

use gridwise::prelude::*;

#[kernel]
fn moved(x: &[u32], y: &mut [u32]) {
    let it = x.iter().map(|v| v + 1);
    y[0] = it.sum();
    for v in it {
        y[1] += v;
    }
}

#[kernel]
fn borrowed(x: &[u32], y: &mut [u32]) {
    let mut own = [x[0], x[1]];
    let mut it = own.iter();
    own[0] = 3;
    y[0] = it.next().copied().unwrap_or(0);
}

#[kernel]
fn captured(x: &[u32], y: &mut [u32]) {
    let mut by = 2;
    let mut it = x.iter().map(|v| v * by);
    by = 3;
    y[0] = it.next().unwrap_or(0);
}

fn main() {}
