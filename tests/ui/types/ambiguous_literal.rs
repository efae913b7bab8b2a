use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let v = 2.0;
    out[i] = v.sqrt();
}

fn main() {}
