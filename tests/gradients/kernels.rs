//! Kernels with gradients, each with a construct of its own.
#![allow(missing_docs, reason = "kernels, not an interface")]

use std::sync::atomic::Ordering;

use gridwise::prelude::*;

/// An element of its own, and a parameter by value that all share.
#[kernel(workgroup = 64, grad(x, a))]
pub fn squares(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < x.len() as u32 {
        y[i] = a * x[i] * x[i];
    }
}

/// A product of a matrix and a vector, behind an early return.
#[kernel(workgroup = 64, grad(m, x))]
pub fn rows(m: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_id().x as usize;
    if row >= y.len() {
        return;
    }
    let mut sum = 0.0;
    for column in 0..x.len() {
        sum += m[row * x.len() + column] * x[column];
    }
    y[row] = sum;
}

#[device]
fn sigmoid(score: f32) -> f32 {
    1.0 / (1.0 + (-score).exp())
}

/// The logistic loss of each sample.
#[kernel(workgroup = 64, grad(weights))]
pub fn logistic(table: &[f32], weights: &[f32], label: &[f32], loss: &mut [f32]) {
    let sample = global_id().x;
    let samples = label.len() as u32;
    let mut score = 0.0;
    for feature in 0..weights.len() as u32 {
        score += weights[feature] * table[feature * samples + sample];
    }
    let probability = sigmoid(score);
    let chosen = if label[sample] > 0.5 { probability } else { 1.0 - probability };
    loss[sample] = -chosen.ln();
}

/// Branches, functions, powers.
#[kernel(workgroup = 64, grad(x))]
pub fn branches(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    let v = x[i];
    let w = x[(i + 1) % x.len() as u32];
    y[i] = if v > 0.1 {
        v.sin() * w.exp()
    } else if v < -0.5 {
        let root = (1.0 + v * v).sqrt();
        root.powf(1.5) + w.tanh() / root
    } else {
        v.atan2(1.5 + w) + v.max(w) - (v * w).abs()
    };
}

/// A loop that ends when its data says so, whose values no counter tells.
#[kernel(workgroup = 64, grad(x, c))]
pub fn iterates(x: &[f32], c: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    let mut v = x[i];
    let mut rounds = 0u32;
    loop {
        v = 0.5 * v.sin() + 0.3 * v * c[i] + 0.2;
        rounds += 1;
        if rounds == 3 * i + 1 {
            break;
        }
        if rounds % 3 == 0 {
            v -= 0.25 * v * v;
            continue;
        }
        v = 0.8 * v.cos();
    }
    y[i] = v;
}

/// Vectors, of which several invocations read each.
#[kernel(workgroup = 64, grad(p))]
pub fn vectors(p: &[Vec3], y: &mut [f32]) {
    let i = global_id().x;
    let a = p[i];
    let b = p[(i + 1) % p.len() as u32];
    let normal = a.cross(b).normalize();
    y[i] = a.dot(b) + (a - b).length() * normal.x;
}

/// One sum of everything.
#[kernel(workgroup = 64, grad(x))]
pub fn total(x: &[f32], loss: &[Atomic<f32>]) {
    let i = global_id().x;
    let v = x[i];
    loss[0].fetch_add(v * v * v, Ordering::Relaxed);
}

/// An array of the invocation, by indices that only it knows.
#[kernel(workgroup = 64, grad(x))]
pub fn arrays(n: u32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    let mut kept = [0.0f32; 4];
    for k in 0..n {
        let old = kept[(k & 3) as usize];
        kept[((k + i) & 3) as usize] = old * 0.5 + x[i] * x[(k + i) % x.len() as u32];
    }
    y[i] = kept[0] * kept[1] + kept[2].sin() + kept[(i & 3) as usize];
}

/// A const parameter, and outputs that a loop writes.
#[kernel(workgroup = 32, N = 3, grad(x))]
pub fn strided<const N: u32>(x: &[f32], y: &mut [f32]) {
    let mut at = global_id().x * N;
    for k in 0..N {
        y[at] = x[at] * x[at] * (k as f32 + 1.0);
        at += 1;
    }
}

#[derive(GpuData, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Body {
    pub at: Vec2,
    pub mass: f32,
    pub id: u32,
}

/// Structs.
#[kernel(workgroup = 64, grad(bodies))]
pub fn energies(bodies: &[Body], y: &mut [f32]) {
    let i = global_id().x;
    let body = bodies[i];
    if body.id != 3 {
        y[i] = body.mass * body.at.length() + body.at.x * body.at.x;
    }
}
