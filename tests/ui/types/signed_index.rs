use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let j = i as i32 - 1;
    out[i] = x[j];
}

fn main() {}
