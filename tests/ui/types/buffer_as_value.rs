use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], z: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    let larger = if x[i] > z[i] { x } else { z };
    y[i] = larger[0];
}

fn main() {}
