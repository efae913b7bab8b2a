use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], z: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = (if x[i] > z[i] { x } else { z })[0];
}

fn main() {}
