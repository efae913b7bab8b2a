//! Const parameters of kernels: workgroup sizes, lengths of arrays and plain values that each dispatch chooses.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

/// Sums each workgroup's part; the barrier and the tree are as wide as the launch says.
#[kernel(workgroup = N)]
fn reduce<const N: usize>(x: &[u32], sums: &mut [u32]) {
    let tile = Shared::<[u32; N]>::new();
    let l = local_index();
    tile[l] = x[global_id().x];
    barrier();
    let mut stride = N as u32 / 2;
    while stride > 0 {
        if l < stride {
            tile[l] += tile[l + stride];
        }
        barrier();
        stride /= 2;
    }
    if l == 0 {
        sums[workgroup_id().x] = tile[0];
    }
}

/// Some cells are never written: shared memory starts as zeros, whatever its size.
#[kernel(workgroup = N)]
fn untouched<const N: usize, const M: usize>(out: &mut [u32]) {
    let tile = Shared::<[[u32; M]; N]>::new();
    let l = local_index();
    if l % 2 == 0 {
        tile[l][0] = l + 1;
    }
    barrier();
    let mut sum = 0;
    for k in 0..M {
        sum += tile[l][k];
    }
    out[global_id().x] = sum * 100 + M as u32;
}

#[kernel(workgroup = [T, T])]
fn tiled<const T: usize>(n: u32, a: &[u32], b: &[u32], c: &mut [u32]) {
    let left = Shared::<[[u32; T]; T]>::new();
    let right = Shared::<[[u32; T]; T]>::new();
    let (l, g) = (local_id(), global_id());
    let mut sum = 0;
    for tile in 0..n / T as u32 {
        left[l.y][l.x] = a[g.y * n + tile * T as u32 + l.x];
        right[l.y][l.x] = b[(tile * T as u32 + l.y) * n + g.x];
        barrier();
        for k in 0..T {
            sum += left[l.y][k] * right[k][l.x];
        }
        barrier();
    }
    c[g.y * n + g.x] = sum;
}

#[kernel(workgroup = 16, SIZE = -9)]
fn values<
    const DEEP: bool,
    const WIDE: u64,
    const SMALL: i8,
    const BYTE: u8,
    const SHORT: i16,
    const WORD: u16,
    const LONG: i64,
    const INT: i32,
    const SIZE: isize,
>(
    x: &[u32],
    out: &mut [u64],
) {
    let i = global_id().x;
    let mut v = if DEEP { WIDE } else { WIDE / 3 };
    v += SMALL as u64 ^ (BYTE as u64) << 9;
    v = v * 31 + SHORT as u64 + WORD as u64;
    v ^= LONG as u64;
    v += (x[i] as i32 * INT) as u64 + (SIZE as i32 / 2) as u64;
    out[i] = v;
}

fn values_apart(deep: bool, wide: u64, x: u32, small: i8, int: i32) -> u64 {
    let mut v = if deep { wide } else { wide / 3 };
    v = v.wrapping_add(small as u64 ^ 200u64 << 9);
    v = v.wrapping_mul(31).wrapping_add(-300i16 as u64).wrapping_add(60_000);
    v ^= (-1i64 << 40) as u64;
    v.wrapping_add((x as i32).wrapping_mul(int) as u64).wrapping_add((-9i32 / 2) as u64)
}

#[device]
fn sum<const LEN: usize>(values: [u32; LEN]) -> u32 {
    let mut sum = 0;
    for value in values {
        sum = sum * 3 + value;
    }
    sum
}

#[device]
fn ramp<const LEN: usize>(first: u32) -> [u32; LEN] {
    let mut values = [first; LEN];
    for i in 0..LEN {
        values[i] += i as u32 * 2;
    }
    values
}

#[device]
fn scaled<const BY: u32, const LEN: usize>(values: [u32; LEN]) -> [u32; LEN] {
    let mut scaled = values;
    for (i, value) in values.into_iter().enumerate() {
        scaled[LEN - 1 - i] = value * BY;
    }
    scaled
}

/// Arrays as values: made, copied, passed on to generic functions and given back by them.
#[kernel(workgroup = 32)]
fn arrays<const LEN: usize, const BY: u32>(out: &mut [u32]) {
    let i = global_id().x;
    let zeros = [0u32; LEN];
    let ramp = ramp::<LEN>(i);
    let mut scaled = scaled::<BY, LEN>(ramp);
    let before = scaled;
    scaled[i as usize % LEN] += 1000;
    let pick = |at: u32| if at % 2 == 0 { scaled } else { before };
    let maybe = if i % 3 == 0 { Some(ramp) } else { None };
    let rest = if let Some(values) = maybe { sum(values) } else { LEN as u32 };
    out[i] = sum(pick(i)) + sum(before) * 7 + sum(zeros) + rest + ramp.len() as u32 + scaled[0];
}

fn arrays_apart<const LEN: usize>(i: u32, by: u32) -> u32 {
    let sum = |values: &[u32]| values.iter().fold(0u32, |sum, value| sum.wrapping_mul(3).wrapping_add(*value));
    let ramp: Vec<u32> = (0..LEN as u32).map(|k| i + k * 2).collect();
    let before: Vec<u32> = ramp.iter().rev().map(|value| value * by).collect();
    let mut scaled = before.clone();
    scaled[i as usize % LEN] += 1000;
    let picked = if i % 2 == 0 { &scaled } else { &before };
    let rest = if i % 3 == 0 { sum(&ramp) } else { LEN as u32 };
    let parts = [sum(picked), sum(&before).wrapping_mul(7), rest, LEN as u32, scaled[0]];
    parts.iter().fold(0, |sum: u32, part| sum.wrapping_add(*part))
}

/// The grid ends inside of a workgroup, however wide that is.
#[kernel(workgroup = N)]
fn masked<const N: u32>(out: &mut [u32]) {
    let i = global_id().x;
    out[i] = i * 2 + local_id().x / N + workgroup_size().x * 10_000;
}

#[kernel(workgroup = [X, 2, Z], X = 4)]
fn three_axes<const Z: u32, const X: u32>(out: &mut [u32]) {
    let (id, size) = (global_id(), workgroup_size());
    out[(id.z * 4 + id.y) * 8 + id.x] = local_index() + size.x * 1000 + size.y * 100 + size.z * 10;
}

/// An index at the end of an array that is as long as the launch says.
#[kernel(workgroup = 32)]
fn past_the_end<const LEN: usize>(at: u32, out: &mut [u32]) {
    let mut values = [1u32; LEN];
    values[global_id().x as usize % LEN] = 5;
    out[global_id().x] = values[at];
}

/// Launched with whichever of the listed widths is the fastest.
#[kernel(workgroup = N, N = [64, 32])]
fn tuned<const N: u32>(factor: u32, x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = x[i] * factor;
}

/// The cases of this file.
pub const CASES: &[Case] = &[
    case!(
        "constants::reduction",
        [Reduce<32>, Reduce<64>, Reduce<256>],
        |mgr| {
            let x = mgr.tensor(&patterns(1024, 3))?;
            let seq = mgr.sequence()?;
            let mut outputs = Vec::new();
            let (mut a, mut b, mut c) = (mgr.tensor(&[0u32; 32])?, mgr.tensor(&[0u32; 16])?, mgr.tensor(&[0u32; 4])?);
            Reduce::<32>::dispatch(&seq, Grid::items(1024), &x, &mut a)?;
            Reduce::<64>::dispatch(&seq, Grid::items(1024), &x, &mut b)?;
            Reduce::<256>::dispatch(&seq, Grid::groups(4), &x, &mut c)?;
            seq.eval()?;
            for sums in [&a, &b, &c] {
                outputs.push(Output::U32(sums.to_vec()?));
            }
            Ok(outputs)
        },
        || {
            let sums = |width| {
                let x = patterns(1024, 3);
                Output::U32(x.chunks(width).map(|part| part.iter().fold(0, |a: u32, b| a.wrapping_add(*b))).collect())
            };
            vec![sums(32), sums(64), sums(256)]
        }
    ),
    case!(
        "constants::shared_zeros",
        [Untouched<32, 3>, Untouched<8, 70>],
        |mgr| {
            let seq = mgr.sequence()?;
            let (mut a, mut b) = (mgr.tensor(&[7u32; 64])?, mgr.tensor(&[7u32; 64])?);
            Untouched::<32, 3>::dispatch(&seq, Grid::items(64), &mut a)?;
            Untouched::<8, 70>::dispatch(&seq, Grid::items(64), &mut b)?;
            seq.eval()?;
            Ok(vec![Output::U32(a.to_vec()?), Output::U32(b.to_vec()?)])
        },
        || {
            let sum = |i: u32, width: u32| if i % 2 == 0 { i % width + 1 } else { 0 };
            vec![
                Output::U32((0..64).map(|i| sum(i, 32) * 100 + 3).collect()),
                Output::U32((0..64).map(|i| sum(i, 8) * 100 + 70).collect()),
            ]
        }
    ),
    case!(
        "constants::tiles",
        [Tiled<4>, Tiled<16>],
        |mgr| {
            let (a, b) = (mgr.tensor(&patterns(1024, 1))?, mgr.tensor(&patterns(1024, 2))?);
            let (mut c, mut d) = (mgr.tensor(&[0u32; 1024])?, mgr.tensor(&[0u32; 1024])?);
            let seq = mgr.sequence()?;
            Tiled::<4>::dispatch(&seq, Grid::items([32, 32]), 32, &a, &b, &mut c)?;
            Tiled::<16>::dispatch(&seq, Grid::items([32, 32]), 32, &a, &b, &mut d)?;
            seq.eval()?;
            Ok(vec![Output::U32(c.to_vec()?), Output::U32(d.to_vec()?)])
        },
        || {
            let (a, b) = (patterns(1024, 1), patterns(1024, 2));
            let cell = |i: usize| {
                let (y, x) = (i / 32, i % 32);
                (0..32).fold(0u32, |sum, k| sum.wrapping_add(a[y * 32 + k].wrapping_mul(b[k * 32 + x])))
            };
            vec![Output::U32((0..1024).map(cell).collect()); 2]
        }
    ),
    case!(
        "constants::types",
        [Values<true, 7, -5, 200, -300, 60_000, { -1i64 << 40 }, { i32::MIN }, -9>],
        |mgr| {
            const LONG: i64 = -1 << 40;
            let x = mgr.tensor(&patterns(64, 9))?;
            let (mut a, mut b) = (mgr.tensor(&[0u64; 64])?, mgr.tensor(&[0u64; 64])?);
            let seq = mgr.sequence()?;
            <Values<true, { u64::MAX - 6 }, -5, 200, -300, 60_000, LONG, { i32::MIN }>>::dispatch(
                &seq,
                Grid::items(64),
                &x,
                &mut a,
            )?;
            Values::<false, { 1 << 63 }, 127, 200, -300, 60_000, LONG, -1, -9>::dispatch(
                &seq,
                Grid::items(64),
                &x,
                &mut b,
            )?;
            seq.eval()?;
            let halves = |v: Vec<u64>| Output::Bits(v);
            Ok(vec![halves(a.to_vec()?), halves(b.to_vec()?)])
        },
        || {
            let x = patterns(64, 9);
            vec![
                Output::Bits(x.iter().map(|x| values_apart(true, u64::MAX - 6, *x, -5, i32::MIN)).collect()),
                Output::Bits(x.iter().map(|x| values_apart(false, 1 << 63, *x, 127, -1)).collect()),
            ]
        }
    ),
    case!(
        "constants::arrays",
        [Arrays<1, 3>, Arrays<5, 2>],
        |mgr| {
            let (mut a, mut b) = (mgr.tensor(&[0u32; 64])?, mgr.tensor(&[0u32; 64])?);
            let seq = mgr.sequence()?;
            Arrays::<1, 3>::dispatch(&seq, Grid::items(64), &mut a)?;
            Arrays::<5, 2>::dispatch(&seq, Grid::items(64), &mut b)?;
            seq.eval()?;
            Ok(vec![Output::U32(a.to_vec()?), Output::U32(b.to_vec()?)])
        },
        || {
            vec![
                Output::U32((0..64).map(|i| arrays_apart::<1>(i, 3)).collect()),
                Output::U32((0..64).map(|i| arrays_apart::<5>(i, 2)).collect()),
            ]
        }
    ),
    case!(
        "constants::workgroups",
        [Masked<1>, Masked<48>, ThreeAxes<2, 8>],
        |mgr| {
            let (mut a, mut b) = (mgr.tensor(&[0u32; 1000])?, mgr.tensor(&[0u32; 1000])?);
            let (mut c, mut d) = (mgr.tensor(&[0u32; 128])?, mgr.tensor(&[0u32; 128])?);
            let seq = mgr.sequence()?;
            Masked::<1>::dispatch(&seq, Grid::items(1000), &mut a)?;
            Masked::<48>::dispatch(&seq, Grid::items(1000), &mut b)?;
            ThreeAxes::<2, 8>::dispatch(&seq, Grid::items([8, 4, 4]), &mut c)?;
            // `X` has a default.
            <ThreeAxes<1>>::dispatch(&seq, Grid::items([8, 4, 4]), &mut d)?;
            seq.eval()?;
            Ok(vec![
                Output::U32(a.to_vec()?),
                Output::U32(b.to_vec()?),
                Output::U32(c.to_vec()?),
                Output::U32(d.to_vec()?),
            ])
        },
        || {
            let masked = |size: u32| Output::U32((0..1000).map(|i| i * 2 + size * 10_000).collect());
            let axes = |x: u32, z: u32| {
                let cell = |i: u32| {
                    let id = [i % 8, i / 8 % 4, i / 32];
                    ((id[2] % z) * 2 + id[1] % 2) * x + id[0] % x + x * 1000 + 200 + z * 10
                };
                Output::U32((0..128).map(cell).collect())
            };
            vec![masked(1), masked(48), axes(8, 2), axes(4, 1)]
        }
    ),
    case!(
        "constants::past_the_end",
        [PastTheEnd<3>, PastTheEnd<4>],
        |mgr| {
            let mut out = mgr.tensor(&[9u32; 32])?;
            let seq = mgr.sequence()?;
            PastTheEnd::<4>::dispatch(&seq, Grid::items(32), 3, &mut out)?;
            seq.eval()?;
            let inside = out.to_vec()?;
            let seq = mgr.sequence()?;
            PastTheEnd::<3>::dispatch(&seq, Grid::items(32), 3, &mut out)?;
            let report = match seq.eval() {
                Err(gridwise::Error::KernelPanic { message, text, count, .. }) => format!("{message}; {text}; {count}"),
                other => format!("{other:?}"),
            };
            Ok(vec![Output::U32(inside), Output::U32(out.to_vec()?), Output::Report(report)])
        },
        || {
            let report = "index out of bounds: the len is 3 but the index is 3; values[at]; 32".to_owned();
            let inside = (0..32).map(|i| if i % 4 == 3 { 5 } else { 1 }).collect();
            vec![Output::U32(inside), Output::U32(vec![0; 32]), Output::Report(report)]
        }
    ),
    case!(
        "constants::tuned",
        [Tuned<64>, Tuned<32>],
        |mgr| {
            let x = mgr.tensor(&patterns(1000, 3))?;
            let mut out = mgr.tensor(&[9u32; 1000])?;
            let best = Tuned::tune(mgr, |_| Grid::items(1000), 3, &x, &mut out)?;
            let untouched = out.to_vec()?;
            let seq = mgr.sequence()?;
            Tuned::dispatch_tuned(&best, &seq, Grid::items(1000), 3, &x, &mut out)?;
            seq.eval()?;
            let found = u32::from([32, 64].contains(&best.value("N").unwrap_or(0)));
            Ok(vec![Output::U32(untouched), Output::U32(out.to_vec()?), Output::U32(vec![found])])
        },
        || {
            let product = patterns(1000, 3).iter().map(|x| x.wrapping_mul(3)).collect();
            vec![Output::U32(vec![9; 1000]), Output::U32(product), Output::U32(vec![1])]
        }
    ),
];
