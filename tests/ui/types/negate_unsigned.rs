use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let d = -i;
    out[i] = d as f32;
}

fn main() {}
