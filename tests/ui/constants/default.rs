use gridwise::prelude::*;

#[kernel(workgroup = N, N = 300)]
fn large<const N: u8>(out: &mut [u32]) {
    out[0] = 1;
}

#[kernel(workgroup = N, N = SIZE)]
fn named<const N: u32>(out: &mut [u32]) {
    out[0] = 1;
}

#[kernel(workgroup = N, M = 64)]
fn unknown<const N: u32>(out: &mut [u32]) {
    out[0] = 1;
}

fn main() {}
