//! Types of glam that kernels do not have name those that they have; products of what does not fit say what does.

use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn turn(m: Mat4, x: &[Vec3], y: &mut [Vec3]) {
    let i = global_id().x;
    y[i] = m * x[i];
}

#[kernel(workgroup = 64)]
fn aligned(y: &mut [Vec3]) {
    let v: gridwise::glam::Vec3A = Vec3::ONE;
    let row = Mat4::IDENTITY[0];
    y[0] = v * Mat3::IDENTITY;
}

fn main() {}
