//! Operators and literals: what they mean on edge operands.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, floats, patterns};

const N: usize = 4096;

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "arithmetic::u32_operators",
        [U32Operators],
        |mgr| {
            let (a, b) = (patterns(N, 2), patterns(N, 3));
            let (ta, tb, mut out) = (mgr.tensor(&a)?, mgr.tensor(&b)?, mgr.tensor(&vec![0u32; N * 8])?);
            let seq = mgr.sequence()?;
            U32Operators::dispatch(&seq, Grid::items(N), &ta, &tb, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || {
            let one = |(a, b): (u32, u32)| {
                let d = b | 1;
                [
                    a.wrapping_add(b),
                    a.wrapping_sub(b),
                    a.wrapping_mul(b),
                    a / d,
                    a % d,
                    (a & b) | (a ^ !b),
                    a.wrapping_shl(b),
                    a.wrapping_shr(b),
                ]
            };
            vec![Output::U32(patterns(N, 2).into_iter().zip(patterns(N, 3)).flat_map(one).collect())]
        }
    ),
    case!(
        "arithmetic::i32_operators",
        [I32Operators],
        |mgr| {
            let (a, b) = (signed(2), signed(3));
            let (ta, tb, mut out) = (mgr.tensor(&a)?, mgr.tensor(&b)?, mgr.tensor(&vec![0i32; N * 8])?);
            let seq = mgr.sequence()?;
            I32Operators::dispatch(&seq, Grid::items(N), &ta, &tb, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::I32(out.to_vec()?)])
        },
        || {
            let one = |(a, b): (i32, i32)| {
                let d = if b == 0 || b == -1 { 7 } else { b };
                [
                    a.wrapping_add(b),
                    a.wrapping_sub(b),
                    a.wrapping_mul(b),
                    a / d,
                    a % d,
                    (a & b) | (a ^ !b),
                    a.wrapping_shl(b as u32),
                    a.wrapping_shr(b as u32).wrapping_neg(),
                ]
            };
            vec![Output::I32(signed(2).into_iter().zip(signed(3)).flat_map(one).collect())]
        }
    ),
    case!("arithmetic::f32_operators", [F32Operators], |mgr| {
        let (a, b) = (floats(N, 2), floats(N, 3));
        let (ta, tb, mut out) = (mgr.tensor(&a)?, mgr.tensor(&b)?, mgr.tensor(&vec![0f32; N * 4])?);
        let seq = mgr.sequence()?;
        F32Operators::dispatch(&seq, Grid::items(N), &ta, &tb, &mut out)?;
        seq.eval()?;
        let (exact, quotients) = split(out.to_vec()?, 4, 3);
        Ok(vec![Output::ulp(flush(exact), 0), Output::ulp(flush(quotients), 3)])
    }),
    case!("arithmetic::float_remainder", [FloatRemainder], |mgr| {
        let (a, b) = (floats(N, 4), floats(N, 5));
        let (ta, tb, mut out) = (mgr.tensor(&a)?, mgr.tensor(&b)?, mgr.tensor(&vec![0f32; N])?);
        let seq = mgr.sequence()?;
        FloatRemainder::dispatch(&seq, Grid::items(N), &ta, &tb, &mut out)?;
        seq.eval()?;
        Ok(vec![Output::exact(flush(out.to_vec()?))])
    }),
    case!("arithmetic::comparisons", [Comparisons], |mgr| {
        let (a, b) = (floats(N, 2), floats(N, 3));
        let (ta, tb, mut out) = (mgr.tensor(&a)?, mgr.tensor(&b)?, mgr.tensor(&vec![0u32; N])?);
        let seq = mgr.sequence()?;
        Comparisons::dispatch(&seq, Grid::items(N), &ta, &tb, &mut out)?;
        seq.eval()?;
        Ok(vec![Output::U32(out.to_vec()?)])
    }),
    case!("arithmetic::casts", [Casts], |mgr| {
        let (a, b) = (floats(N, 6), patterns(N, 7));
        let (ta, tb, mut ints, mut reals) =
            (mgr.tensor(&a)?, mgr.tensor(&b)?, mgr.tensor(&vec![0u32; N * 6])?, mgr.tensor(&vec![0f32; N * 2])?);
        let seq = mgr.sequence()?;
        Casts::dispatch(&seq, Grid::items(N), &ta, &tb, &mut ints, &mut reals)?;
        seq.eval()?;
        Ok(vec![Output::U32(ints.to_vec()?), Output::exact(reals.to_vec()?)])
    }),
    case!("arithmetic::literals_and_shadowing", [LiteralsAndShadowing], |mgr| {
        let mut out = mgr.tensor(&vec![0f32; 64])?;
        let seq = mgr.sequence()?;
        LiteralsAndShadowing::dispatch(&seq, Grid::items(64), 3, true, &mut out)?;
        seq.eval()?;
        Ok(vec![Output::exact(out.to_vec()?)])
    }),
    case!("arithmetic::compound_assignment", [CompoundAssignment], |mgr| {
        let mut out = mgr.tensor(&patterns(N, 8))?;
        let seq = mgr.sequence()?;
        CompoundAssignment::dispatch(&seq, Grid::items(N), &mut out)?;
        seq.eval()?;
        Ok(vec![Output::U32(out.to_vec()?)])
    }),
];

fn signed(seed: u32) -> Vec<i32> {
    patterns(N, seed).into_iter().map(|bits| bits as i32).collect()
}

/// Every `period`-th value apart from the others.
fn split(values: Vec<f32>, period: usize, position: usize) -> (Vec<f32>, Vec<f32>) {
    let (mut rest, mut picked) = (Vec::new(), Vec::new());
    for (i, value) in values.into_iter().enumerate() {
        if i % period == position { picked.push(value) } else { rest.push(value) }
    }
    (rest, picked)
}

/// Subnormal results as zero: a device may flush them.
pub(super) fn flush(values: Vec<f32>) -> Vec<f32> {
    values.into_iter().map(|v| if v.is_subnormal() || v == 0.0 { 0.0 } else { v }).collect()
}

#[kernel(workgroup = 64)]
fn u32_operators(a: &[u32], b: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let (x, y) = (a[i], b[i]);
    let d = y | 1;
    let o = i * 8;
    out[o] = x + y;
    out[o + 1] = x - y;
    out[o + 2] = x * y;
    out[o + 3] = x / d;
    out[o + 4] = x % d;
    out[o + 5] = x & y | x ^ !y;
    out[o + 6] = x << y;
    out[o + 7] = x >> y;
}

#[kernel(workgroup = 64)]
fn i32_operators(a: &[i32], b: &[i32], out: &mut [i32]) {
    let i = global_id().x;
    let (x, y) = (a[i], b[i]);
    let d = if y == 0 || y == -1 { 7 } else { y };
    let o = i * 8;
    out[o] = x + y;
    out[o + 1] = x - y;
    out[o + 2] = x * y;
    out[o + 3] = x / d;
    out[o + 4] = x % d;
    out[o + 5] = (x & y) | (x ^ !y);
    out[o + 6] = x << (y & 31);
    out[o + 7] = -(x >> (y & 31));
}

#[kernel(workgroup = 64)]
fn f32_operators(a: &[f32], b: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let (x, y) = (a[i], b[i]);
    out[i * 4] = x + y;
    out[i * 4 + 1] = -x - y;
    out[i * 4 + 2] = x * y;
    out[i * 4 + 3] = x / y;
}

#[kernel(workgroup = 64)]
fn float_remainder(a: &[f32], b: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    out[i] = a[i] % b[i];
}

#[kernel(workgroup = 64)]
fn comparisons(a: &[f32], b: &[f32], out: &mut [u32]) {
    let i = global_id().x;
    let (x, y) = (a[i], b[i]);
    let mut bits = 0;
    if x == y {
        bits |= 1;
    }
    if x != y {
        bits |= 2;
    }
    if x < y {
        bits |= 4;
    }
    if x <= y {
        bits |= 8;
    }
    if x > y {
        bits |= 16;
    }
    if x >= y {
        bits |= 32;
    }
    if !(x < y) && !(x >= y) {
        bits |= 64;
    }
    if x.to_bits() < y.to_bits() || x.is_nan() {
        bits |= 128;
    }
    out[i] = bits;
}

#[kernel(workgroup = 64)]
fn casts(a: &[f32], b: &[u32], ints: &mut [u32], reals: &mut [f32]) {
    let i = global_id().x;
    let o = i * 6;
    ints[o] = a[i] as u32;
    ints[o + 1] = a[i] as i32 as u32;
    ints[o + 2] = (a[i] > 0.0) as u32;
    ints[o + 3] = a[i].to_bits();
    ints[o + 4] = (b[i] as i32 >> 3) as u32;
    ints[o + 5] = (b[i] as usize + 1) as u32;
    reals[i * 2] = b[i] as f32;
    reals[i * 2 + 1] = b[i] as i32 as f32;
}

#[kernel(workgroup = 64)]
fn literals_and_shadowing(k: i32, flag: bool, out: &mut [f32]) {
    let i = global_id().x;
    let x = 1_000;
    let x = x + k;
    let x = x as f32 * 0.5e-1;
    let y = {
        let x = 2.;
        x * x
    };
    let big = 0xff_u32 + 0b101 + 0o17;
    let z = if flag { x } else { y };
    out[i] = z + y + big as f32 + i as f32;
}

// The last assignment overwrites `x` while its own old value is still to be read.
#[allow(unused_assignments)]
#[kernel(workgroup = 64)]
fn compound_assignment(out: &mut [u32]) {
    let i = global_id().x as usize;
    out[i] += 3;
    out[i] *= out[i];
    out[i] ^= 0x55;
    let mut x = out[i];
    x -= 1;
    x <<= 3;
    x >>= 2u32;
    x |= 1;
    x %= 1000;
    x /= 3;
    x &= 0xffff;
    x += {
        x = 5;
        1
    };
    out[i] = x;
}
