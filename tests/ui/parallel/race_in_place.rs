//! A stencil in place, an axis that the index leaves out, a barrier that is missing, and a scatter.

use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn smooth(y: &mut [f32]) {
    let i = global_id().x;
    y[i] = (y[i] + y[i + 1]) / 2.0;
}

#[kernel(workgroup = [8, 8])]
fn leaves_out_an_axis(x: &[f32], y: &mut [f32]) {
    let g = global_id();
    y[g.x] = x[g.x + g.y];
}

#[kernel(workgroup = 64)]
fn without_a_barrier(x: &[f32], y: &mut [f32]) {
    let tile = Shared::<[f32; 64]>::new();
    let (i, t) = (global_id().x, local_index());
    tile[t] = x[i];
    y[i] = tile[63 - t];
}

#[kernel(workgroup = 64)]
fn scatters(to: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[to[i]] = x[i];
}

#[device]
fn set(y: &mut [u32], at: u32) {
    y[at / 2] = at;
}

#[kernel(workgroup = 64)]
fn in_a_function(y: &mut [u32]) {
    set(y, global_id().x);
}

fn main() {}
