use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let p = P { a: 1.0, ..q };
    out[i] = p.a;
}

fn main() {}
