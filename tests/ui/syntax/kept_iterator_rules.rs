//! Iterators in variables are no values that other variables take over, and rustc says what they borrow: what they go through.

use gridwise::prelude::*;

#[kernel]
fn handed_on(x: &[u32], y: &mut [u32]) {
    let mut it = x.iter().map(|v| v + 1);
    let mut other = it;
    y[0] = other.next().unwrap_or(0);
    y[1] = it.next().unwrap_or(0);
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
