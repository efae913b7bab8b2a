//! Operators that `Wrapping` does not have in kernels.

use std::num::Wrapping;

use gridwise::prelude::*;

#[kernel]
fn wide(x: &[u32], y: &mut [u32]) {
    let a = Wrapping(x.len() as u128) * Wrapping(x[0] as u128);
    y[0] = a.0 as u32;
}

#[kernel]
fn shifted(x: &[u32], y: &mut [u32]) {
    y[0] = (Wrapping(x[0]) << x[1]).0;
}

#[kernel]
fn mixed(x: &[u32], y: &mut [u32]) {
    y[0] = (Wrapping(x[0]) + x[1]).0;
}

fn main() {
    let _ = Wrapping(0u32);
}
