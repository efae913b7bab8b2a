use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    out[i] = match i {
        0 => 1.0,
        2.. => 2.0,
    };
}

fn main() {}
