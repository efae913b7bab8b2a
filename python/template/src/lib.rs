//! Kernels for Python: `my_kernels.saxpy(len(y), 3.0, x, y)`.

use gridwise::prelude::*;

#[kernel(workgroup = 256)]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i] + y[i];
}

/// Moves points, which are the rows of an array of shape (n, 3).
#[kernel]
fn translate(by: Vec3, points: &mut [Vec3]) {
    let i = global_id().x;
    points[i] = points[i] + by;
}

/// Counts values into `N` bins of equal width between 0 and 1.
#[kernel]
fn histogram<const N: usize>(values: &[f32], bins: &[Atomic<u32>]) {
    let bin = (values[global_id().x] * N as f32).max(0.0) as usize;
    bins[bin.min(N - 1)].fetch_add(1, Relaxed);
}

/// The part of each row in the gradient of a logistic regression: the row times what the model is off.
#[kernel]
fn gradient(columns: u32, table: &[f32], labels: &[f32], weights: &[f32], parts: &mut [f32]) {
    let row = global_id().x;
    let mut sum = weights[columns];
    for column in 0..columns {
        sum += table[row * columns + column] * weights[column];
    }
    let off = 1.0 / (1.0 + (-sum).exp()) - labels[row];
    for column in 0..columns {
        parts[row * (columns + 1) + column] = off * table[row * columns + column];
    }
    parts[row * (columns + 1) + columns] = off;
}

/// A step against the mean of the rows' gradients, for each weight.
#[kernel]
fn descend(rows: u32, rate: f32, parts: &[f32], weights: &mut [f32]) {
    let (weight, count) = (global_id().x, weights.len() as u32);
    let mut sum = 0.0;
    for row in 0..rows {
        sum += parts[row * count + weight];
    }
    weights[weight] -= rate * sum / rows as f32;
}

gridwise_python::module! {
    /// Kernels in Rust.
    mod my_kernels { Saxpy, Translate, Histogram<16>, Gradient, Descend }
}
