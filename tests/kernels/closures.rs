//! Closures: passed to device functions, kept in variables, capturing what is around them.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, moderate, patterns};

const N: usize = 200;

super::twice! {
    /// Closures whose parameters take apart what they refer to.
    fn taken_apart_of(i: u32) -> [u32; 4] {
        let sum = |&[x, y]: &[u32; 2]| x + 3 * y;
        let product = |[x, y]: &[u32; 2]| *x * y;
        let moved = |(a, b): &(u32, [u32; 2]), by: u32| a + sum(b) + by;
        let rows = [[i, 2], [3, i], [i + 1, i * i % 11]];
        let all: u32 = rows.iter().map(product).sum();
        [sum(&rows[1]), all, moved(&(i, rows[2]), 7), rows.iter().map(sum).max().unwrap_or(0)]
    }
}

#[kernel]
fn taken_apart(out: &mut [[u32; 4]]) {
    let i = global_id().x;
    if i < out.len() as u32 {
        out[i as usize] = taken_apart_of(i);
    }
}

#[device]
fn twice<F: Fn(f32) -> f32>(x: f32, f: F) -> f32 {
    f(f(x))
}

#[device]
fn with(x: f32, f: impl Fn(f32, u32) -> f32) -> f32 {
    f(x, 3) + f(1.0, 2)
}

/// Passes on what it got.
#[device]
fn through<F>(x: f32, f: F) -> f32
where
    F: Fn(f32) -> f32 + Copy,
{
    twice(x, f) + twice(x, |v| f(v) * 0.5)
}

#[device]
fn folded<T: Copy, const LEN: usize>(values: [T; LEN], start: T, step: impl Fn(T, T) -> T) -> T {
    let mut result = start;
    for i in 0..LEN {
        result = step(result, values[i]);
    }
    result
}

#[device]
fn derivative(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    (f(x + 0.125) - f(x - 0.125)) * 4.0
}

#[device]
fn from_index<T: Copy>(i: u32, make: impl Fn(u32) -> T) -> (T, T) {
    (make(i), make(i + 1))
}

/// A device function with closures of its own.
#[device]
fn polished(x: f32) -> f32 {
    let scale = x * 0.25;
    let shift = |v: f32| v + scale;
    twice(x, shift)
        - twice(scale, |v| {
            if v > 1.0 {
                return v - 1.0;
            }
            shift(v)
        })
}

#[kernel(workgroup = 64)]
fn closures(factor: f32, x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let v = x[i];
    let a = twice(v, |w| w * factor + 0.5);
    let weights = [0.5, 0.25, 2.0];
    let b = with(v, |w, n| w * weights[n % 3] - v);
    let c = through(v, |w| w * 0.5 + factor);
    let neighbour = |k: u32| x[(i + k) % x.len() as u32];
    let (d, e) = from_index(i, |k| neighbour(k) * 2.0);
    let slope = derivative(|t| t * t * t, v);
    out[i] = a + b + c + d - e + slope + polished(v) + neighbour(7);
}

#[kernel(workgroup = 64)]
fn folds(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let digits = [x[i], x[i] >> 8, 3, i];
    let sum = folded(digits, 7, |a, b| a * 31 + b);
    let largest = folded(digits, 0, |a, b| a.max(b));
    let (low, high) = folded([(1u32, 2u32), (3, 4)], (i, i), |(a, b), (c, d)| (a + d, b * c));
    let pick = |flag: bool| -> u32 { if flag { sum } else { largest } };
    out[i] = pick(i % 2 == 0) ^ low ^ high;
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "closures::captures",
        [Closures],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&moderate(N, 3, 2.0))?, mgr.tensor(&vec![0f32; N])?);
            let seq = mgr.sequence()?;
            Closures::dispatch(&seq, Grid::items(N), 1.5, &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::near(out.to_vec()?, 1e-3)])
        },
        || {
            let (x, factor) = (moderate(N, 3, 2.0), 1.5);
            let one = |i: usize| {
                let v = x[i];
                let twice = |v: f32, f: &dyn Fn(f32) -> f32| f(f(v));
                let a = twice(v, &|w| w * factor + 0.5);
                let b = (v * 0.5 - v) + (2.0 - v);
                let f = |w: f32| w * 0.5 + factor;
                let c = twice(v, &f) + twice(v, &|w| f(w) * 0.5);
                let (d, e) = (x[2 * i % N] * 2.0, x[(2 * i + 1) % N] * 2.0);
                let slope = ((v + 0.125).powi(3) - (v - 0.125).powi(3)) * 4.0;
                let scale = v * 0.25;
                let inner = |w: f32| if w > 1.0 { w - 1.0 } else { w + scale };
                let polished = v + scale + scale - inner(inner(scale));
                a + b + c + d - e + slope + polished + x[(i + 7) % N]
            };
            vec![Output::near((0..N).map(one).collect(), 1e-3)]
        }
    ),
    case!(
        "closures::folds",
        [Folds],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&patterns(N, 8))?, mgr.tensor(&vec![0u32; N])?);
            let seq = mgr.sequence()?;
            Folds::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || {
            let one = |(i, x): (usize, u32)| {
                let i = i as u32;
                let digits = [x, x >> 8, 3, i];
                let sum = digits.iter().fold(7u32, |a, b| a.wrapping_mul(31).wrapping_add(*b));
                let largest = digits.into_iter().max().unwrap_or(0);
                let (low, high) = (i + 2 + 4, i * 3);
                (if i % 2 == 0 { sum } else { largest }) ^ low ^ high
            };
            vec![Output::U32(patterns(N, 8).into_iter().enumerate().map(one).collect())]
        }
    ),
    case!(
        "closures::taken_apart",
        [TakenApart],
        |mgr| {
            let mut out = mgr.tensor(&[[0u32; 4]; N])?;
            let seq = mgr.sequence()?;
            TakenApart::dispatch(&seq, Grid::items(N as u32), &mut out)?.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        },
        || vec![Output::U32((0..N as u32).flat_map(plain::taken_apart_of).collect())]
    ),
];
