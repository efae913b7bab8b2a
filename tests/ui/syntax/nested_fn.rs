use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    fn inner(v: f32) -> f32 { v }
    out[i] = inner(x[i]);
}

fn main() {}
