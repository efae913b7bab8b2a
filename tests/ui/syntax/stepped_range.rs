use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    for j in (0..8).step_by(2u32) {
        out[i] += x[j];
    }
}

fn main() {}
