use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    for v in x {
        out[i] += v;
    }
}

fn main() {}
