use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let v: f128 = 1;
    out[i] = x[i];
}

fn main() {}
