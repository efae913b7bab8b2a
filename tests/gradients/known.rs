//! Kernels whose gradients have a closed form.

use gridwise::prelude::*;

/// A line whose numbers are halves, which all invocations read.
#[kernel(workgroup = 64, grad(w))]
pub fn of_halves(w: &[f16], x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = (w[0] * f16::from_f32(2.0)).to_f32() * x[i] + w[1].to_f32();
}
