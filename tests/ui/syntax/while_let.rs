use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    while let Some(v) = next() {
        out[i] = v;
    }
}

fn main() {}
