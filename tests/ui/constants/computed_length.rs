use gridwise::prelude::*;

#[device]
fn first<const LEN: usize>(values: [u32; LEN]) -> u32 {
    values[0]
}

#[kernel(workgroup = 64)]
fn case<const N: usize>(out: &mut [u32]) {
    let twice = [0u32; N * 2];
    out[0] = first::<{ N + 1 }>([1; N]) + twice[0];
}

fn main() {}
