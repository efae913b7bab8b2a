use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let n: u32 = 1.5;
    out[i] = n as f32;
}

fn main() {}
