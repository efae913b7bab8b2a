//! Kernels whose gradients have a closed form.

use gridwise::prelude::*;

/// A line whose numbers are halves, which all invocations read.
#[kernel(workgroup = 64, grad(w))]
pub fn of_halves(w: &[f16], x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = (w[0] * f16::from_f32(2.0)).to_f32() * x[i] + w[1].to_f32();
}

/// LuisaCompute's example: a number times the sines of two.
#[kernel(grad(x, y))]
pub fn x_times_sine(x: &[f32], y: &[Vec2], z: &mut [Vec2]) {
    let i = global_id().x;
    z[i] = x[i] * vec2(y[i].x.sin(), y[i].y.sin());
}

/// The buffers of a list, which has no gradient.
#[kernel(workgroup = 64, grad(w))]
pub fn mixed(parts: &[&[f32]], w: &[f32], y: &mut [f32]) {
    let i = global_id().x as usize;
    let mut sum = 0.0;
    for k in 0..parts.len() {
        sum += w[k] * parts[k][i % parts[k].len()];
    }
    y[i] = sum * sum;
}

/// Directions, also of no length.
#[kernel(grad(x))]
pub fn directions(x: &[Vec3], y: &mut [Vec3]) {
    let i = global_id().x;
    let some = x[i].try_normalize();
    let tried = if let Some(unit) = some { unit.x } else { 3.0 };
    y[i] = x[i].normalize_or_zero() * 2.0 + x[i].normalize_or(Vec3::X) + Vec3::splat(tried);
}
