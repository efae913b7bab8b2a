//! Chains of iterators over ranges, arrays and buffers: each adapter and each method that consumes, side effects in order.

#![allow(
    clippy::map_flatten,
    clippy::manual_contains,
    clippy::double_ended_iterator_last,
    clippy::manual_inspect,
    reason = "each method is tried as it is"
)]

use gridwise::prelude::*;

use super::{case, twice};
use crate::case::{Case, Output, moderate, patterns};

const N: usize = 500;

fn map(
    mgr: &Manager,
    run: impl for<'s> FnOnce(&'s Sequence, Grid, &Tensor<u32>, &mut Tensor<u32>) -> gridwise::Result<&'s Sequence>,
) -> gridwise::Result<Vec<Output>> {
    let (x, mut out) = (mgr.tensor(&patterns(N, 9))?, mgr.tensor(&vec![0u32; N])?);
    let seq = mgr.sequence()?;
    run(&seq, Grid::items(N), &x, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?)])
}

fn expect(f: impl Fn(u32) -> u32) -> Vec<Output> {
    vec![Output::U32(patterns(N, 9).into_iter().map(f).collect())]
}

twice! {
    fn mix(hash: u32, value: u32) -> u32 {
        hash.wrapping_mul(31) ^ value
    }
    fn of_ranges(x: u32) -> u32 {
        let (a, b) = (x % 23, x / 32 % 29);
        let mut hash = (a..b).map(|i| i * 3).filter(|i| i % 2 == 0).fold(1, mix);
        hash = (a..=b).rev().enumerate().map(|(j, i)| i ^ j as u32).fold(hash, mix);
        hash = (0..a).skip_while(|i| i * i < b).take_while(|&i| i < 17).chain(3..b % 7).fold(hash, mix);
        hash = (0..a).chain(5..b).chain([3, 1, 4]).rev().fold(hash, mix);
        hash = (0..).zip((a..b).rev()).map(|(i, j): (u32, u32)| i * 64 + j).fold(hash, mix);
        hash = (a as i8..=b as i8).step_by(3).skip(1).take(4).map(|i| i as i32 as u32).fold(hash, mix);
        hash = (a as u64..u64::MAX).step_by(0x7000_0001).take(b as usize % 6).fold(hash, |h, i| mix(h, (i >> 16) as u32));
        hash = (a as i64 - 9..=9).rev().map(|i| i as u32).fold(hash, mix);
        hash = (0..a as usize).enumerate().rev().skip(2).map(|(i, j)| (i * 8 + j) as u32).fold(hash, mix);
        (u32::MAX - a % 5..=u32::MAX).map_while(|i| i.checked_add(b % 3)).fold(hash, mix)
    }
    fn of_arrays(x: u32) -> u32 {
        let mut table = [x, x >> 8, 5, x % 7];
        let mut hash = table.iter().copied().fold(1, mix);
        hash = table.iter().zip(table.iter().rev()).map(|(a, b)| a ^ b).fold(hash, mix);
        hash = table.into_iter().enumerate().filter(|&(i, v)| (v >> i) % 2 == 1).map(|(_, v)| v).fold(hash, mix);
        for (i, v) in table.into_iter().map(|v| v / 3).rev().enumerate() {
            table[i] = v;
        }
        for &v in table.iter().skip(1).step_by(2) {
            hash = mix(hash, v);
        }
        hash = [(1, 2u32), (3, 4)].iter().map(|&(a, b)| a * b).fold(hash, mix);
        let nested = [[1, 2], [x % 9, 4], [5, 6]];
        hash = nested.iter().map(|row| row.iter().sum::<u32>()).fold(hash, mix);
        table.iter().map(|v| if v % 3 == 0 { None } else { Some(v / 2) }).flatten().fold(hash, mix)
    }
    fn consumed(x: u32) -> u32 {
        let t = [x, x >> 7, x % 19, 100];
        let limit = x >> 3 & 127;
        let mut hash = t.iter().map(|v| v % 1000).sum::<u32>();
        hash = mix(hash, t.iter().map(|&v| v as u8 as u32 + 1).product());
        hash = mix(hash, t.iter().any(|&v| v == limit) as u32 + 2 * t.iter().all(|v| *v > 3) as u32);
        hash = mix(hash, t.iter().filter(|v| **v > limit).count() as u32);
        hash = mix(hash, t.iter().copied().find(|v| v % 3 == 1).unwrap_or(7));
        hash = mix(hash, t.iter().position(|v| *v < limit).map_or(9, |i| i as u32));
        hash = mix(hash, t.iter().copied().min().unwrap_or(1) ^ t.iter().max().copied().unwrap_or(2));
        let least = t.into_iter().enumerate().min_by_key(|&(_, v)| v % 5);
        let most = t.into_iter().enumerate().max_by_key(|(_, v)| v % 5);
        hash = mix(hash, least.map_or(0, |(i, v)| i as u32 ^ v) ^ most.map_or(0, |(i, v)| (i as u32) << 8 ^ v));
        hash = mix(hash, t.iter().filter(|&&v| v > limit).last().copied().unwrap_or(3));
        hash = mix(hash, t.iter().copied().nth(limit as usize % 6).unwrap_or(4));
        hash = mix(hash, t.iter().copied().reduce(|a, b| a ^ b << 1).unwrap_or(5));
        hash = mix(hash, t.iter().find_map(|v| v.checked_sub(limit)).unwrap_or(6));
        hash = mix(hash, t.iter().try_fold(0u32, |sum, &v| sum.checked_add(v)).unwrap_or(7));
        let odd: Result<u32, u32> = t.iter().try_fold(1, |n, &v| if v == limit { Err(v) } else { Ok(n ^ v) });
        hash = mix(hash, odd.unwrap_or_else(|v| v + 1));
        let smallest = t.iter().map(|&v| (v % 64) as f32 * 0.5).fold(f32::INFINITY, f32::min);
        mix(hash, smallest as u32)
    }
    /// Backwards, without `rev`.
    fn from_the_end(x: u32) -> u32 {
        let (a, b) = (x % 13, x / 16 % 11);
        let own = [a, b, 7, x % 5, 3];
        let mut seen = 1u32;
        let last = (0..a).map(|i| { seen = seen.wrapping_mul(31) ^ i; i * b }).rfind(|v| v % 4 == 1).unwrap_or(77);
        let folded = own.iter().enumerate().rfold(1u32, |all, (i, v)| all.wrapping_mul(5) + v + i as u32);
        let evens = own.iter().copied().filter(|v| v % 2 == 0).rfold(0, |all, v| all * 9 + v);
        let falling = own.windows(2).rfind(|w| w[0] > w[1]).map_or(5, |w| w[0]);
        let pairs = (0..b).zip(3..b + 3).chain((0..a).zip(1..a + 1)).rfold(2u32, |all, (i, j)| all.wrapping_mul(3) ^ i * j);
        let largest = own.into_iter().rfold(1, u32::max);
        seen ^ last << 3 ^ folded << 5 ^ evens << 9 ^ falling << 13 ^ pairs.rotate_left(11) ^ largest << 21
    }
    /// A trace that each closure of the chain extends when it runs.
    fn in_order(x: u32) -> u32 {
        let (a, b) = (x % 13, x / 16 % 11);
        let (mut left, mut right) = (1u32, 1u32);
        let pairs: u32 = (0..a)
            .filter(|i| {
                left = left.wrapping_mul(31) ^ i;
                i % 4 != 1
            })
            .zip((0..=b).inspect(|j| right = right.wrapping_mul(37) ^ j))
            .map(|(i, j)| i * j)
            .sum();
        let mut trace = left ^ right << 4 ^ pairs;
        let taken = (0..a).map(|i| { trace = trace.wrapping_mul(7) ^ i; i }).take(b as usize % 5).step_by(2).count();
        let mut trace = trace ^ taken as u32;
        (0..a).map(|i| { trace = trace.wrapping_mul(7) ^ i; i }).chain((0..b).rev()).take_while(|&i| i < 7).for_each(|_| {});
        let mut shift = x % 5;
        let mut total = 0u32;
        (0..4u32).map(move |i| i + shift).for_each(|i| {
            shift += 10;
            total = total * 3 + i;
        });
        trace ^ total << 7 ^ shift
    }
    /// Chains in chains, and jumps out of them.
    fn jumps(x: u32) -> u32 {
        let (a, b) = (x % 9, x / 16 % 12);
        let mut hash = 1;
        'rows: for row in (0..a).filter(|row| row % 3 != 2) {
            for (i, v) in (row..b).chain([7, 8]).enumerate() {
                if (v ^ row) % 5 == 3 {
                    continue 'rows;
                }
                if i == 4 {
                    break;
                }
                if v == 8 && row == 4 {
                    break 'rows;
                }
                hash = mix(hash, v);
            }
            hash = mix(hash, row);
        }
        let half = |i: u32| (0..i).filter(|j| (i ^ j) % 3 == b % 3).map(|j| small(j).map_or(0, |v| v * 2)).sum::<u32>();
        let sum: u32 = (0..a).map(|i| if i == 5 { 100 } else { half(i) }).sum();
        let early: u32 = (0..a)
            .map(|i| {
                for j in i..b {
                    if j * i > 20 {
                        return j;
                    }
                }
                small(i).map(|v| v + 50).unwrap_or(0)
            })
            .sum();
        hash ^ sum << 5 ^ early
    }
    fn small(x: u32) -> Option<u32> {
        (x < 5).then_some(x)
    }
}

#[device]
fn norm<const LEN: usize>(v: [f32; LEN]) -> f32 {
    v.iter().map(|x| x * x).sum::<f32>().sqrt()
}

#[device]
fn total<T: Copy + std::iter::Sum, const LEN: usize>(v: [T; LEN]) -> T {
    v.iter().copied().sum()
}

/// References in Rust, whatever the length.
#[device]
fn spread<T: Copy + PartialOrd + std::iter::Sum<T>, const LEN: usize>(v: [T; LEN], limit: T) -> T {
    let large = v.iter().filter(|x| **x > limit).map(|&x| x).sum::<T>();
    if v.iter().any(|x| *x == limit) { limit } else { large }
}

#[device]
fn apply<F: Fn(u32) -> u32>(n: u32, f: F) -> u32 {
    (0..n).map(f).fold(1, |a, b| a * 31 ^ b)
}

#[kernel]
fn ranges(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = of_ranges(x[i]);
}

#[kernel]
fn arrays(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = of_arrays(x[i]);
}

#[kernel]
fn consumers(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = consumed(x[i]);
}

#[kernel]
fn backwards(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = from_the_end(x[i]);
}

#[kernel]
fn order(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = in_order(x[i]);
}

#[kernel]
fn leaving(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = jumps(x[i]);
}

#[kernel]
fn functions(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let v = x[i];
    let scale = v % 5;
    let length = norm([v as u8 as f32, 3.0, (v >> 8) as u8 as f32]);
    let sum = total([v, v, 7]) ^ total([v as f32 as u8 as f32, 1.5]) as u32 ^ spread([v, v, 9, 3], 7);
    out[i] = length as u32 ^ sum ^ apply(v % 9, |k| k * scale) ^ apply(3, |k| (0..k).sum::<u32>() + scale);
}

/// Each invocation goes through all of a buffer, and writes another one in the closure.
///
/// # Safety
/// There are as many invocations as `x` has elements, at most.
#[kernel]
unsafe fn buffers(weights: &[f32], x: &[f32], y: &mut [f32], best: &mut [u32]) {
    let me = global_id().x;
    let dot: f32 = weights.iter().zip(x.iter().skip(me as usize)).map(|(w, v)| w * v).sum();
    let largest = x.iter().enumerate().max_by_key(|(_, v)| v.to_bits() & 0x7fff_ffff).map_or(0, |(i, _)| i);
    best[me] = largest as u32 + x.iter().filter(|v| **v > dot).count() as u32 * 1000;
    (me as usize..y.len()).step_by(x.len()).for_each(|i| y[i] = dot);
    for (i, w) in weights.iter().rev().enumerate() {
        if *w < 0.0 {
            continue;
        }
        y[me] += w * i as f32;
    }
    best[me] += y.iter().take(0).count() as u32 + [0.5f32; 0].iter().any(|v| *v > 0.0) as u32;
}

/// A step of zero, and an index out of range in a closure that `zip` need not run.
#[kernel]
fn traps(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let sum: u32 = (0..x.len() + 3).map(|i| x[i]).zip(0..x[me] as usize % 4).map(|(v, i)| v + i as u32).sum();
    out[me] = sum;
    out[me] = (0..sum).step_by((x[me] % 3) as usize).sum();
}

fn host_buffers() -> Vec<Output> {
    let (weights, x) = (moderate(9, 1, 2.0), moderate(40, 2, 2.0));
    let (mut y, mut best) = (vec![0f32; 40], vec![0u32; 40]);
    for me in 0..40 {
        let dot: f32 = weights.iter().zip(x.iter().skip(me)).map(|(w, v)| w * v).sum();
        let largest = x.iter().enumerate().max_by_key(|(_, v)| v.abs().to_bits()).map_or(0, |(i, _)| i);
        best[me] = largest as u32 + x.iter().filter(|v| **v > dot).count() as u32 * 1000;
        y[me] = dot;
        for (i, w) in weights.iter().rev().enumerate().filter(|(_, w)| **w >= 0.0) {
            y[me] += w * i as f32;
        }
    }
    vec![Output::near(y, 1e-5), Output::U32(best)]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!("chains::ranges", [Ranges], |mgr| map(mgr, Ranges::dispatch), || expect(plain::of_ranges)),
    case!("chains::arrays", [Arrays], |mgr| map(mgr, Arrays::dispatch), || expect(plain::of_arrays)),
    case!("chains::consumers", [Consumers], |mgr| map(mgr, Consumers::dispatch), || expect(plain::consumed)),
    case!("chains::backwards", [Backwards], |mgr| map(mgr, Backwards::dispatch), || expect(plain::from_the_end)),
    case!("chains::order", [Order], |mgr| map(mgr, Order::dispatch), || expect(plain::in_order)),
    case!("chains::leaving", [Leaving], |mgr| map(mgr, Leaving::dispatch), || expect(plain::jumps)),
    case!("chains::functions", [Functions], |mgr| map(mgr, Functions::dispatch), || expect(|v| {
        let length = [v as u8 as f32, 3.0, (v >> 8) as u8 as f32].iter().map(|x| x * x).sum::<f32>().sqrt();
        let large = [v, v, 9].into_iter().filter(|x| *x > 7).fold(0, u32::wrapping_add);
        let large = if v == 7 { 7 } else { large };
        let sum = v.wrapping_mul(2).wrapping_add(7) ^ (v as f32 as u8 as f32 + 1.5) as u32 ^ large;
        let first = (0..v % 9).map(|k| k * (v % 5)).fold(1, plain::mix);
        let second = (0..3).map(|k| (0..k).sum::<u32>() + v % 5).fold(1, plain::mix);
        length as u32 ^ sum ^ first ^ second
    })),
    case!(
        "chains::buffers",
        [Buffers],
        |mgr| {
            let (weights, x) = (mgr.tensor(&moderate(9, 1, 2.0))?, mgr.tensor(&moderate(40, 2, 2.0))?);
            let (mut y, mut best) = (mgr.tensor(&[0f32; 40])?, mgr.tensor(&[0u32; 40])?);
            let seq = mgr.sequence()?;
            // SAFETY: there are.
            unsafe { Buffers::dispatch(&seq, Grid::items(40), &weights, &x, &mut y, &mut best) }?;
            seq.eval()?;
            Ok(vec![Output::near(y.to_vec()?, 1e-5), Output::U32(best.to_vec()?)])
        },
        host_buffers
    ),
    case!(
        "chains::traps",
        [Traps],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&[1u32, 2, 3, 7])?, mgr.tensor(&[7u32; 4])?);
            let seq = mgr.sequence()?;
            Traps::dispatch(&seq, Grid::items(4), &x, &mut out)?;
            let report = match seq.eval() {
                Err(gridwise::Error::KernelPanic { message, .. }) => message,
                _ => String::new(),
            };
            Ok(vec![Output::U32(out.to_vec()?), Output::Report(report)])
        },
        || vec![Output::U32(vec![0, 2, 9, 36]), Output::Report("assertion failed: step != 0".to_owned())]
    ),
];
