//! Operators that `Wrapping` does not have in kernels.

use std::num::Wrapping;

use gridwise::prelude::*;

#[kernel]
fn divided(x: &[u32], y: &mut [u32]) {
    let a = Wrapping(x[0]);
    let b = a % Wrapping(6);
    y[0] = b.0;
}

#[kernel]
fn sizes(x: &[u32], y: &mut [u32]) {
    let a = Wrapping(x.len()) * Wrapping(x[0] as usize);
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
