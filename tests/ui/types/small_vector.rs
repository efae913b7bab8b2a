use gridwise::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    let a: gridwise::glam::U8Vec4 = y[0];
    let b: gridwise::glam::DVec3 = a;
    let c = vec2(1.0, 2.0).with_z(3.0);
}

fn main() {}
