//! Inherent methods of the integers.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

const N: usize = 4096;

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "integers::u32_methods",
        [U32Methods],
        |mgr| {
            let (a, b) = (mgr.tensor(&patterns(N, 2))?, mgr.tensor(&patterns(N, 3))?);
            let mut out = mgr.tensor(&vec![0u32; N * 20])?;
            let seq = mgr.sequence()?;
            U32Methods::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32(patterns(N, 2).into_iter().zip(patterns(N, 3)).flat_map(u32_expected).collect())]
    ),
    case!(
        "integers::i32_methods",
        [I32Methods],
        |mgr| {
            let (a, b) = (signed(2), signed(3));
            let (a, b) = (mgr.tensor(&a)?, mgr.tensor(&b)?);
            let mut out = mgr.tensor(&vec![0i32; N * 16])?;
            let seq = mgr.sequence()?;
            I32Methods::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::I32(out.to_vec()?)])
        },
        || vec![Output::I32(signed(2).into_iter().zip(signed(3)).flat_map(i32_expected).collect())]
    ),
    case!(
        "integers::u64_rotations",
        [U64Rotations],
        |mgr| {
            let (a, mut out) = (mgr.tensor(&wide(N))?, mgr.tensor(&vec![0u64; N])?);
            let seq = mgr.sequence()?;
            U64Rotations::dispatch(&seq, Grid::items(N), &a, &mut out)?.eval()?;
            Ok(vec![Output::Bits(out.to_vec()?)])
        },
        || vec![Output::Bits(wide(N).into_iter().map(rotations).collect())]
    ),
    case!(
        "integers::usize_is_32_bits",
        [UsizeIs32Bits],
        |mgr| {
            let (a, mut out) = (mgr.tensor(&patterns(N, 4))?, mgr.tensor(&vec![0u32; N * 4])?);
            let seq = mgr.sequence()?;
            UsizeIs32Bits::dispatch(&seq, Grid::items(N), &a, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32(
            patterns(N, 4)
                .into_iter()
                .flat_map(|v| { [v.wrapping_sub(1), v.leading_zeros(), v.wrapping_mul(65537) / 3, !v] })
                .collect()
        )]
    ),
];

fn wide(count: usize) -> Vec<u64> {
    patterns(count, 5)
        .into_iter()
        .zip(patterns(count, 6))
        .map(|(low, high)| u64::from(high) << 32 | u64::from(low))
        .collect()
}

macro_rules! turned_by {
    ($($by:literal)*) => {
        /// A hash of a number that is turned by each number of bits, both ways.
        #[device]
        fn rotations(x: u64) -> u64 {
            let mut hash = 0u64;
            $(
                hash = hash.wrapping_mul(31) ^ x.rotate_left($by);
                hash = hash.wrapping_mul(31) ^ (x as i64).rotate_right($by) as u64;
                hash = hash.wrapping_add((x >> ((64 - $by) % 64)) | (x << $by % 64));
            )*
            hash
        }
    };
}

turned_by!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
    33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64
);

#[kernel]
fn u64_rotations(a: &[u64], out: &mut [u64]) {
    let i = global_id().x as usize;
    out[i] = rotations(a[i]);
}

fn signed(seed: u32) -> Vec<i32> {
    patterns(N, seed).into_iter().map(|bits| bits as i32).collect()
}

fn u32_expected((a, b): (u32, u32)) -> [u32; 20] {
    [
        a.min(b),
        a.max(b),
        a.clamp(3, 1000),
        a.wrapping_add(b),
        a.wrapping_mul(b),
        a.saturating_add(b),
        a.saturating_sub(b),
        a.rotate_left(b % 32),
        a.rotate_right(b % 40),
        a.count_ones(),
        a.count_zeros(),
        a.leading_zeros(),
        a.trailing_zeros(),
        a.reverse_bits(),
        a.swap_bytes(),
        a.abs_diff(b),
        a.wrapping_pow(b % 9),
        u32::from(a.is_power_of_two()),
        a.div_ceil(b | 1),
        a.wrapping_shl(b),
    ]
}

fn i32_expected((a, b): (i32, i32)) -> [i32; 16] {
    let d = if b == 0 || b == -1 { 5 } else { b };
    [
        a.min(b),
        a.max(b),
        a.clamp(-5, 100),
        a.wrapping_abs(),
        a.signum(),
        a.wrapping_neg(),
        a.saturating_add(b),
        a.saturating_sub(b),
        a.rem_euclid(d),
        a.wrapping_div_euclid(d),
        a.abs_diff(b) as i32,
        a.unsigned_abs() as i32,
        a.wrapping_pow(b as u32 % 7),
        a.leading_zeros() as i32,
        i32::from(a.is_negative()),
        a.wrapping_shr(b as u32),
    ]
}

#[kernel(workgroup = 64)]
fn u32_methods(a: &[u32], b: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let (a, b) = (a[i], b[i]);
    let o = i * 20;
    out[o] = a.min(b);
    out[o + 1] = a.max(b);
    out[o + 2] = a.clamp(3, 1000);
    out[o + 3] = a.wrapping_add(b);
    out[o + 4] = a.wrapping_mul(b);
    out[o + 5] = a.saturating_add(b);
    out[o + 6] = a.saturating_sub(b);
    out[o + 7] = a.rotate_left(b % 32);
    out[o + 8] = a.rotate_right(b % 40);
    out[o + 9] = a.count_ones();
    out[o + 10] = a.count_zeros();
    out[o + 11] = a.leading_zeros();
    out[o + 12] = a.trailing_zeros();
    out[o + 13] = a.reverse_bits();
    out[o + 14] = a.swap_bytes();
    out[o + 15] = a.abs_diff(b);
    out[o + 16] = a.pow(b % 9);
    out[o + 17] = a.is_power_of_two() as u32;
    out[o + 18] = a.div_ceil(b | 1);
    out[o + 19] = a.wrapping_shl(b);
}

#[kernel(workgroup = 64)]
fn i32_methods(a: &[i32], b: &[i32], out: &mut [i32]) {
    let i = global_id().x;
    let (a, b) = (a[i], b[i]);
    let d = if b == 0 || b == -1 { 5 } else { b };
    let o = i * 16;
    out[o] = a.min(b);
    out[o + 1] = i32::max(a, b);
    out[o + 2] = a.clamp(-5, 100);
    out[o + 3] = a.abs();
    out[o + 4] = a.signum();
    out[o + 5] = a.wrapping_neg();
    out[o + 6] = a.saturating_add(b);
    out[o + 7] = a.saturating_sub(b);
    out[o + 8] = a.rem_euclid(d);
    out[o + 9] = a.div_euclid(d);
    out[o + 10] = a.abs_diff(b) as i32;
    out[o + 11] = a.unsigned_abs() as i32;
    out[o + 12] = a.pow(b as u32 % 7);
    out[o + 13] = a.leading_zeros() as i32;
    out[o + 14] = a.is_negative() as i32;
    out[o + 15] = a.wrapping_shr(b as u32);
}

#[kernel(workgroup = 64)]
fn usize_is_32_bits(a: &[u32], out: &mut [u32]) {
    let i = global_id().x as usize;
    let v = a[i] as usize;
    out[4 * i] = (v - 1) as u32;
    out[4 * i + 1] = v.leading_zeros();
    out[4 * i + 2] = (v * 65537 / 3) as u32;
    out[4 * i + 3] = !v as u32;
}
