//! Small whole programs.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, moderate};

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "programs::saxpy",
        [Saxpy],
        |mgr| {
            let (x, mut y) = (mgr.tensor(&moderate(5000, 1, 9.0))?, mgr.tensor(&moderate(5000, 2, 9.0))?);
            let seq = mgr.sequence()?;
            Saxpy::dispatch(&seq, Grid::items(5000), 3.0, &x, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::exact(y.to_vec()?)])
        },
        || vec![Output::exact(
            moderate(5000, 1, 9.0).into_iter().zip(moderate(5000, 2, 9.0)).map(|(x, y)| 3.0 * x + y).collect()
        )]
    ),
    case!("programs::matmul", [Matmul], |mgr| {
        let (n, k, m) = (33, 20, 17);
        let (a, b) = (mgr.tensor(&moderate(n * k, 1, 2.0))?, mgr.tensor(&moderate(k * m, 2, 2.0))?);
        let mut c = mgr.tensor(&vec![0f32; n * m])?;
        let seq = mgr.sequence()?;
        Matmul::dispatch(&seq, Grid::items([m, n]), UVec3::new(n as u32, k as u32, m as u32), &a, &b, &mut c)?;
        seq.eval()?;
        Ok(vec![Output::exact(c.to_vec()?)])
    }),
    case!("programs::mandelbrot", [Mandelbrot], |mgr| {
        let (width, height) = (96, 64);
        let mut counts = mgr.tensor(&vec![0u32; width * height])?;
        let seq = mgr.sequence()?;
        Mandelbrot::dispatch(&seq, Grid::items([width, height]), UVec2::new(width as u32, height as u32), &mut counts)?;
        seq.eval()?;
        Ok(vec![Output::U32(counts.to_vec()?)])
    }),
    case!("programs::blur", [Blur], |mgr| {
        let (width, height) = (40, 30);
        let pixels: Vec<Vec4> =
            moderate(width * height * 4, 4, 1.0).chunks(4).map(|c| Vec4::new(c[0], c[1], c[2], c[3])).collect();
        let (pixels, mut out) = (mgr.tensor(&pixels)?, mgr.tensor_of_len::<Vec4>(width * height)?);
        let seq = mgr.sequence()?;
        Blur::dispatch(&seq, Grid::items([width, height]), UVec2::new(width as u32, height as u32), &pixels, &mut out)?;
        seq.eval()?;
        let values = out.to_vec()?.into_iter().flat_map(|v| v.to_array()).collect();
        Ok(vec![Output::F32 { values, ulp: 4, absolute: 1e-6 }])
    }),
    case!("programs::xorshift", [Xorshift], |mgr| {
        let mut out = mgr.tensor(&vec![0u32; 256])?;
        let seq = mgr.sequence()?;
        Xorshift::dispatch(&seq, Grid::items(256), 100, &mut out)?;
        seq.eval()?;
        Ok(vec![Output::U32(out.to_vec()?)])
    }),
];

#[kernel(workgroup = 256)]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i] + y[i];
}

#[kernel(workgroup = [8, 8])]
fn matmul(size: UVec3, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (row, column) = (global_id().y, global_id().x);
    let mut sum = 0.0;
    for k in 0..size.y {
        sum += a[row * size.y + k] * b[k * size.z + column];
    }
    c[row * size.z + column] = sum;
}

#[kernel(workgroup = [8, 8])]
fn mandelbrot(size: UVec2, counts: &mut [u32]) {
    let id = global_id();
    let cx = -2.5 + 3.5 * (id.x as f32 / size.x as f32);
    let cy = -1.0 + 2.0 * (id.y as f32 / size.y as f32);
    let (mut x, mut y) = (0.0, 0.0);
    let mut n = 0;
    while n < 50 && x * x + y * y < 20.0 {
        let next = x * x - y * y + cx;
        y = 2.0 * x * y + cy;
        x = next;
        n += 1;
    }
    counts[id.y * size.x + id.x] = n;
}

#[kernel(workgroup = [8, 8])]
fn blur(size: UVec2, pixels: &[Vec4], out: &mut [Vec4]) {
    let (x, y) = (global_id().x as i32, global_id().y as i32);
    let weights = [1.0, 4.0, 6.0, 4.0, 1.0];
    let mut sum = Vec4::ZERO;
    for dy in 0..5 {
        for dx in 0..5 {
            let sx = (x + dx - 2).clamp(0, size.x as i32 - 1);
            let sy = (y + dy - 2).clamp(0, size.y as i32 - 1);
            let weight: f32 = weights[dx as usize] * weights[dy as usize];
            sum += pixels[sy as u32 * size.x + sx as u32] * weight;
        }
    }
    out[y as u32 * size.x + x as u32] = sum / 256.0;
}

#[kernel(workgroup = 64)]
fn xorshift(rounds: u32, out: &mut [u32]) {
    let i = global_id().x;
    let mut state = i * 747796405 + 2891336453;
    let mut low = 0u32;
    for _ in 0..rounds {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        low = low.rotate_left(1) ^ (state & 1);
    }
    out[i] = state.wrapping_add(low);
}
