use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let v: f32 = if i > 3 { 1.0 };
    out[i] = v;
}

fn main() {}
