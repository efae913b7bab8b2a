use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let v = Vec3::new(1.0, 2.0);
    out[i] = v.x;
}

fn main() {}
