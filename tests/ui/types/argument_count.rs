use gridwise::prelude::*;

#[device]
fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    out[i] = lerp(x[i], 2.0);
    out[i] = lerp(x[i], 2.0, 1);
}

fn main() {}
