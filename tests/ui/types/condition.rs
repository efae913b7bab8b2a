use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    if i {
        out[i] = 1.0;
    }
}

fn main() {}
