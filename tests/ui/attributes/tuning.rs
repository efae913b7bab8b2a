use gridwise::prelude::*;

#[kernel(workgroup = N, N = [64, 64])]
fn twice<const N: u32>(out: &mut [f32]) {
    out[global_id().x] = 1.0;
}

#[kernel(workgroup = N, N = [64, 128])]
fn open<const N: u32, const STEP: u32>(out: &mut [f32]) {
    out[global_id().x * STEP] = 1.0;
}

#[kernel(T = [f32, u32], workgroup = N, N = [64, 128])]
fn typed<T: Copy, const N: u32>(x: &[T], out: &mut [T]) {
    out[global_id().x] = x[global_id().x];
}

#[kernel(workgroup = 64, N = [])]
fn none<const N: u32>(out: &mut [f32]) {
    out[global_id().x] = N as f32;
}

#[kernel(workgroup = 64, N = [1, 256])]
fn too_wide<const N: u8>(out: &mut [f32]) {
    out[global_id().x] = N as f32;
}

#[kernel(workgroup = 64, N = [1, 2.5])]
fn no_number<const N: u32>(out: &mut [f32]) {
    out[global_id().x] = N as f32;
}

fn main() {}
