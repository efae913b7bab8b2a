//! Generic device functions: type and const parameters, each call with its own types.

use std::ops::{Add, Div, Mul, Neg, Rem, Shl, Sub};

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, moderate, patterns};

const N: usize = 300;

#[device]
fn lerp<T>(a: T, b: T, t: f32) -> T
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f32, Output = T>,
{
    a + (b - a) * t
}

/// Overflows on purpose: integers wrap whatever `T` is.
#[device]
fn mix<T: Copy + Add<Output = T> + Mul<Output = T> + Sub<Output = T> + Shl<u32, Output = T>>(a: T, b: T) -> T {
    let mut mixed = a * b + a;
    mixed = (mixed << 35u32) - b;
    mixed * mixed
}

#[device]
fn quotients<T: Copy + Div<Output = T> + Rem<Output = T> + Add<Output = T>>(a: T, b: T) -> T {
    a / b + a % b
}

#[device]
fn opposite<T: Neg<Output = T>>(a: T) -> T {
    -a
}

#[device]
fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { b } else { a }
}

#[device]
fn sum<const LEN: usize>(values: [f32; LEN]) -> f32 {
    let mut sum = 0.0;
    for i in 0..LEN {
        sum += values[i];
    }
    sum / LEN as f32
}

#[device]
fn repeated<T: Copy, const LEN: usize>(value: T) -> [T; LEN] {
    [value; LEN]
}

#[device]
fn dot<T: Copy + Add<Output = T> + Mul<Output = T>, const LEN: usize>(a: [T; LEN], b: [T; LEN], zero: T) -> T {
    let mut sum = zero;
    for i in 0..LEN as u32 {
        sum = sum + a[i] * b[i];
    }
    sum
}

#[device]
fn swapped<A, B>(pair: (A, B)) -> (B, A) {
    (pair.1, pair.0)
}

#[device]
fn scaled<const FACTOR: u32, const UP: bool>(x: u32) -> u32 {
    if UP { x * FACTOR } else { x / FACTOR }
}

/// A generic function that calls others with what it got.
#[device]
fn norm<T: Copy + Add<Output = T> + Mul<Output = T>>(x: T, y: T, zero: T) -> T {
    dot([x, y], repeated::<T, 2>(x), zero) + dot([y], [y], zero)
}

#[kernel(workgroup = 64)]
fn generic_floats(a: &[f32], b: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let (x, y) = (a[i], b[i]);
    let v = lerp(Vec3::new(x, y, 1.0), Vec3::splat(y), 0.25);
    let (second, first) = swapped((x, 7u32));
    out[i] = lerp(x, y, 0.5) + v.x * v.y + v.z + sum([x, y, 2.0]) + sum(repeated::<_, 5>(y)) + larger(x, y)
        - norm(x, y, 0.0)
        + first
        + second as f32
        + opposite(x);
}

#[kernel(workgroup = 64)]
fn generic_integers(a: &[u32], b: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let (x, y) = (a[i], b[i]);
    let signed = mix(x as i32, y as i32) as u32 ^ opposite(x as i32) as u32;
    let lanes = mix_vectors(IVec2::new(x as i32, y as i32));
    let wide = (x as usize * 3 + (norm(x as usize, y as usize, 0))) as u32;
    let parts =
        quotients(x, y | 1) + quotients(x as i32, (y % 1000 + 1) as i32) as u32 + quotients(x as usize, 3) as u32;
    out[i] = mix(x, y) ^ signed ^ wide ^ parts ^ lanes ^ larger(x, y) ^ scaled::<5, true>(x) ^ scaled::<5, false>(y);
}

#[device]
fn squared<T: Copy + Mul<Output = T> + Add<i32, Output = T>>(v: T) -> T {
    let mut result = v * v;
    result = result + 1;
    result
}

#[device]
fn mix_vectors(v: IVec2) -> u32 {
    let w = squared(v);
    (w.x ^ w.y) as u32
}

fn floats() -> (Vec<f32>, Vec<f32>) {
    (moderate(N, 5, 8.0), moderate(N, 9, 8.0))
}

fn integers() -> (Vec<u32>, Vec<u32>) {
    (patterns(N, 11), patterns(N, 12))
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "generics::floats",
        [GenericFloats],
        |mgr| {
            let (a, b) = floats();
            let (a, b, mut out) = (mgr.tensor(&a)?, mgr.tensor(&b)?, mgr.tensor(&vec![0f32; N])?);
            let seq = mgr.sequence()?;
            GenericFloats::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::near(out.to_vec()?, 1e-3)])
        },
        || {
            let (a, b) = floats();
            let one = |(x, y): (f32, f32)| {
                let mean = (x + y + 2.0) / 3.0;
                let v = (x + (y - x) * 0.25, y, 1.0 + (y - 1.0) * 0.25);
                let lerped = x + (y - x) * 0.5;
                lerped + v.0 * v.1 + v.2 + mean + y + x.max(y) - (x * x + y * x + y * y) + x + 7.0 - x
            };
            vec![Output::near(a.into_iter().zip(b).map(one).collect(), 1e-3)]
        }
    ),
    case!(
        "generics::integers",
        [GenericIntegers],
        |mgr| {
            let (a, b) = integers();
            let (a, b, mut out) = (mgr.tensor(&a)?, mgr.tensor(&b)?, mgr.tensor(&vec![0u32; N])?);
            let seq = mgr.sequence()?;
            GenericIntegers::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || {
            let (a, b) = integers();
            let mixed = |x: u32, y: u32| {
                let mixed = x.wrapping_mul(y).wrapping_add(x).wrapping_shl(35).wrapping_sub(y);
                mixed.wrapping_mul(mixed)
            };
            let one = |(x, y): (u32, u32)| {
                let signed = mixed(x, y) ^ x.wrapping_neg();
                let square = |v: u32| v.wrapping_mul(v).wrapping_add(1);
                let norm = x.wrapping_mul(x).wrapping_add(y.wrapping_mul(x)).wrapping_add(y.wrapping_mul(y));
                let wide = x.wrapping_mul(3).wrapping_add(norm);
                let odd = y | 1;
                let small = (y % 1000 + 1) as i32;
                let signed_parts = (x as i32 / small).wrapping_add(x as i32 % small);
                let parts = (x / odd + x % odd).wrapping_add(signed_parts as u32).wrapping_add(x / 3 + x % 3);
                mixed(x, y) ^ signed ^ wide ^ parts ^ (square(x) ^ square(y)) ^ x.max(y) ^ x.wrapping_mul(5) ^ (y / 5)
            };
            vec![Output::U32(a.into_iter().zip(b).map(one).collect())]
        }
    ),
];
