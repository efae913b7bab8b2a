use gridwise::prelude::*;

// Lists of buffers are parameters of kernels, read or written as a whole.
#[kernel]
fn writes(parts: &mut [&[f32]], to: &mut [f32]) {
    to[0] = parts[0][0];
}

#[kernel]
fn writes_inside(parts: &[&mut [f32]], to: &mut [f32]) {
    to[0] = parts[0][0];
}

#[device]
fn total(parts: &[&[f32]]) -> f32 {
    parts[0][0]
}

#[kernel]
fn counts(counters: &[&[Atomic<u32>]], to: &mut [u32]) {
    to[0] = counters.len() as u32;
}

#[kernel]
fn flags(parts: &[&[bool]], to: &mut [u32]) {
    to[0] = parts.len() as u32;
}

#[kernel]
fn positions(parts: &[&[usize]], to: &mut [u32]) {
    to[0] = parts.len() as u32;
}

fn main() {}
