use gridwise::prelude::*;

#[device]
const SIZE: u32 = 0;

#[kernel(workgroup = SIZE)]
fn case(out: &mut [f32]) {
    out[0] = 1.0;
}

fn main() {}
