//! Kernels for Python: `my_kernels.saxpy(len(y), 3.0, x, y)`.

use gridwise::image::Rgba8Unorm;
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

/// A struct that Python has, too: an element of a tensor with numpy's structured type, or a value that is a dict or a tuple.
#[repr(C)]
#[derive(Clone, Copy, GpuData)]
struct Particle {
    position: Vec3,
    mass: f32,
    charges: [i32; 2],
}

gridwise_python::structs! {
    Particle { position: Vec3, mass: f32, charges: [i32; 2] }
}

/// Moves particles towards another one.
#[kernel]
fn attract(by: f32, center: Particle, particles: &mut [Particle]) {
    let i = global_id().x;
    particles[i].position += (center.position - particles[i].position) * (by * center.mass / particles[i].mass);
    particles[i].charges[0] += center.charges[1];
}

/// Adds tensors of any number, which Python gives as a list.
#[kernel]
fn total(parts: &[&[f32]], sums: &mut [f32]) {
    let i = global_id().x;
    let mut sum = 0.0;
    for part in 0..parts.len() {
        sum += parts[part][i];
    }
    sums[i] = sum;
}

/// Scales a picture, texel by texel.
#[kernel(workgroup = [8, 8])]
fn brighten(by: f32, picture: &mut Image2D<Rgba8Unorm>) {
    let at = global_id().xy();
    let texel = picture.load(at);
    picture.store(at, texel * by);
}

/// A picture at another size, of texels that are mixed.
#[kernel(workgroup = [8, 8])]
fn resize(from: &Sampled2D<Rgba8Unorm>, to: &mut Image2D<Rgba8Unorm>) {
    let at = global_id().xy();
    to.store(at, from.sample((at.as_vec2() + 0.5) / to.size().as_vec2()));
}

gridwise_python::module! {
    /// Kernels in Rust.
    mod my_kernels { Saxpy, Translate, Histogram<16>, Gradient, Descend, Attract, Total, Brighten, Resize }
}
