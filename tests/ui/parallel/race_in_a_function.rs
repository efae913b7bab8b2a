//! Accesses in functions that a kernel calls: the error is at the access, and says how the kernel comes there.

use gridwise::prelude::*;

#[device]
fn set(y: &mut [u32], at: u32) {
    y[at / 2] = at;
}

#[device]
fn set_both(y: &mut [u32], at: u32) {
    set(y, at);
}

#[kernel(workgroup = 64)]
fn calls_through_another(y: &mut [u32]) {
    set_both(y, global_id().x);
}

#[device]
fn next(tile: &[f32], at: u32) -> f32 {
    tile[(at + 1) % 64]
}

#[kernel(workgroup = 64)]
fn reads_in_a_function(x: &[f32], y: &mut [f32]) {
    let tile = Shared::<[f32; 64]>::new();
    tile[local_index()] = x[global_id().x];
    y[global_id().x] = next(&tile[..], local_index());
}

fn main() {}
