use gridwise::prelude::*;

#[device]
fn settled(tile: u32) -> u32 {
    barrier();
    tile
}

#[kernel(workgroup = 64)]
fn blur(width: u32, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i >= width {
        return;
    }
    y[i] = settled(x[i]);
}

fn main() {}
