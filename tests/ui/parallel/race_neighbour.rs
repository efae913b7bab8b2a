//! A neighbour at a constant distance, read where its own invocation writes it: in a buffer, in shared memory, and at a distance in rows.

use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn smooth(y: &mut [f32]) {
    let i = global_id().x as usize;
    if i > 0 && i + 1 < y.len() {
        y[i] = (y[i - 1] + y[i + 1]) * 0.5;
    }
}

#[kernel(workgroup = 64)]
fn shift(x: &[f32], y: &mut [f32]) {
    let tile = Shared::<[f32; 65]>::new();
    let t = local_index() as usize;
    tile[t] = x[global_id().x];
    y[global_id().x] = tile[t + 1];
}

#[kernel(workgroup = (8, 8))]
fn rows(width: u32, y: &mut [f32]) {
    let g = global_id();
    if g.x < width {
        let at = g.y * width + g.x;
        y[at + width] = y[at];
    }
}

fn main() {}
