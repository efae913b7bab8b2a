//! References of a kernel's parameters: to slices and images, and to nothing else. And names that two have.

use gridwise::prelude::*;

#[kernel]
fn of_vectors(x: &Vec<f32>, out: &mut Vec<f32>) {
    out[0] = x[0];
}

#[kernel]
fn of_tensors(x: &Tensor<f32>, out: &mut Tensor<f32>) {
    out[0] = x[0];
}

#[kernel]
fn of_values(count: &u32, sum: &mut u32) {
    *sum += *count;
}

#[kernel]
fn of_text(text: &str, out: &mut [u8]) {
    out[0] = text[0];
}

#[kernel]
fn of_iterators(x: &impl Iterator<Item = f32>, out: &mut [f32]) {
    out[0] = x.sum();
}

#[kernel]
fn twice(x: &[f32], x: u32, out: &mut [f32]) {
    out[0] = 1.0;
}

#[kernel]
fn with_attributes(#[cfg(test)] x: &[f32], out: &mut [f32]) {
    out[0] = 1.0;
}

fn main() {}
