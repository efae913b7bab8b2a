use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let f = |v: f32| v * 2.0;
    out[i] = f(x[i]);
}

fn main() {}
