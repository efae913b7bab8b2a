use gridwise::prelude::*;

#[kernel]
fn case(x: &[Vec2], out: &mut [f32]) {
    let i = global_id().x;
    out[i] = x[i].q;
}

fn main() {}
