use gridwise::Kernel;
use gridwise::prelude::*;

#[kernel(workgroup = N)]
fn wide<const N: u32>(out: &mut [u32]) {
    out[global_id().x] = 1;
}

#[kernel(workgroup = 64)]
fn array<const N: usize>(out: &mut [u32]) {
    let values = [1u32; N];
    out[global_id().x] = values[0];
}

const ZERO: &[u64] = Wide::<0>::CONSTANTS;
const LARGE: &[u64] = Wide::<2048>::CONSTANTS;
const EMPTY: &[u64] = Array::<0>::CONSTANTS;
const LONG: &[u64] = Array::<0x1_0000_0001>::CONSTANTS;

fn main() {}
