use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let mut sum = 0.0;
    let add = |v: f32| sum += v;
    add(x[i]);
    out[i] = sum;
}

fn main() {}
