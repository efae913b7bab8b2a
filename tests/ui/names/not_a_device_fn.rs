use gridwise::prelude::*;

fn helper(v: f32) -> f32 {
    v + 1.0
}

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    out[i] = helper(x[i]);
}

fn main() {}
