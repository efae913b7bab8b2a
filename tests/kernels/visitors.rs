//! Closures that change what is around them, passed to device functions; closures that call closures; slices divided across crates.

#![allow(clippy::needless_pass_by_value, reason = "closures are passed in every way")]

use gridwise::prelude::*;
use gridwise_device_lib::{divisors, fold_parts, parts_of};

use super::case;
use super::traps::report;
use crate::case::{Case, Output, patterns};

const N: usize = 192;

#[device]
mod boxes {
    /// A box of cells.
    #[derive(Clone, Copy, PartialEq)]
    pub(super) struct Cells {
        pub(super) low: u32,
        pub(super) high: u32,
    }

    impl Cells {
        /// Calls a closure for each cell, and says for how many it held.
        pub(super) fn visit(self, mut holds: impl FnMut(u32) -> bool) -> u32 {
            let mut count = 0;
            for cell in self.low..self.high {
                if holds(cell) {
                    count += 1;
                }
            }
            count
        }
    }

    /// A structure that can be visited.
    pub(super) trait Walk {
        /// Calls a closure for each.
        fn walk<F: FnMut(u32)>(&self, f: F);
    }

    impl Walk for Cells {
        fn walk<F: FnMut(u32)>(&self, mut f: F) {
            let mut at = self.low;
            loop {
                if at >= self.high {
                    return;
                }
                f(at);
                at += 2;
            }
        }
    }
}
use boxes::{Cells, Walk};

/// The functions, for kernels with `#[device]`, and for the host as they are.
macro_rules! functions {
    ($($device:tt)*) => {
    $($device)*
    pub(super) fn each(n: u32, mut visit: impl FnMut(u32)) -> u32 {
        (0..n).for_each(|i| visit(i * 3));
        n
    }

    $($device)*
    pub(super) fn passed_on(n: u32, visit: &mut impl FnMut(u32)) -> u32 {
        visit(n);
        let made = each(n, &mut *visit) + each(2, |i| visit(i + 100));
        visit(made);
        made
    }

    $($device)*
    pub(super) fn once(v: u32, f: impl FnOnce(u32) -> u32) -> u32 {
        f(v + 1)
    }

    $($device)*
    pub(super) fn first_by<T: Copy, const LEN: usize>(values: [T; LEN], mut holds: impl FnMut(T, usize) -> bool) -> Option<T> {
        for (i, v) in values.into_iter().enumerate() {
            if holds(v, i) {
                return Some(v);
            }
        }
        None
    }

    $($device)*
    pub(super) fn generated<T: Copy, F>(start: T, mut step: F) -> [T; 4]
    where
        F: FnMut(T) -> T,
    {
        let mut all = [start; 4];
        for v in all.iter_mut() {
            *v = step(*v);
        }
        all
    }

    $($device)*
    pub(super) fn folded(x: &[u32], mut f: impl FnMut(u32, u32) -> (u32, bool)) -> u32 {
        let mut state = 1;
        for v in x.iter().filter(|v| **v != 3).map(|v| v + 1) {
            let (next, stop) = f(state, v);
            state = next;
            if stop {
                break;
            }
        }
        x.iter().map(|v| f(*v, state).0).sum::<u32>() + state
    }

    $($device)*
    pub(super) fn all_of_them(x: &[u32], n: u32) -> [u32; 8] {
        let mut sum = 0u32;
        let mut last = [0; 3];
        let a = each(n % 5, |i| {
            sum = sum * 7 + i;
            last.rotate_left(1);
            last[0] = sum;
        });
        let mut calls = 0;
        let mut count = |v: u32| {
            calls += 1;
            sum ^= v << (calls % 8);
        };
        let b = passed_on(n % 4, &mut count) + passed_on(3, &mut count);
        count(b);
        let c = once(n, |v| { calls += v; calls * 2 });
        let mut seen = 0;
        let found = first_by([n, n / 2, 7, x[0]], |v, i| {
            if v % 2 == 0 {
                return false;
            }
            seen += v + i as u32;
            seen > 9
        });
        let pair = first_by([(n, 2.5f32), (4, 0.5), (5, n as f32)], |(a, b), _| { seen += a; b < 2.0 });
        let steps = generated(n, |v| { sum += 1; v.wrapping_mul(3) + sum });
        let cells = generated(Cells { low: n % 3, high: n % 7 }, |at| {
            let kept = at.visit(|cell| { seen += 1; cell % 2 == 1 });
            Cells { low: kept, ..at }
        });
        let folded = folded(x, |a, b| { calls += 1; (a * 5 + b, a > 40) });
        let mut odd = 0;
        let scale = |v: u32| v * (n % 6 + 1);
        Cells { low: 1, high: n % 9 }.walk(|at| {
            odd += once(at, |v| { seen += 1; scale(v) + calls });
            each(at, |i| {
                each(i % 3, |j| odd ^= i * j);
                seen += i;
            });
        });
        let tried = divisors(n % 40 + 1, |d| { odd += d; d * d > n % 40 });
        let mut rising = 0;
        parts_of(x, 3, &mut |a, b| if a < b { rising += 1 } else { odd += b });
        [a + b * 64, c, found.unwrap_or(1) + pair.map_or(2, |p| p.0) + seen * 8, steps[1] ^ steps[3], cells[2].low + cells[3].high * 16,
            folded, odd * 4 + tried, sum ^ last[0] ^ last[2] ^ calls ^ rising]
    }
    };
}

functions!(#[device]);

mod plain {
    use super::{Cells, Walk, divisors, parts_of};
    functions!();
}

/// On a part of a buffer.
///
/// # Safety
/// Tensors are so short that no index wraps around.
#[kernel(workgroup = 64)]
unsafe fn everywhere(x: &[u32], y: &mut [u32], out: &mut [[u32; 8]]) {
    let i = global_id().x as usize;
    out[i] = all_of_them(&x[i..i + 6], i as u32);
    let by = fold_parts(&mut y[4 * i..4 * i + 4], 3);
    out[i][0] ^= by;
}

/// Closures that write buffers and shared memory, and leave early.
#[kernel(workgroup = 64)]
fn in_a_kernel(x: &[u32], y: &mut [u32], bins: &[Atomic<u32>]) {
    let tile = Shared::<[u32; 64]>::new();
    let (i, lane) = (global_id().x, local_index());
    tile[lane] = x[i as usize];
    barrier();
    let mut reached = 0;
    let tried = divisors(i + 1, |d| {
        bins[d as usize % bins.len()].fetch_add(1, Relaxed);
        reached = reached * 3 + tile[d as usize % 64];
        y[i as usize] = reached;
        d > 5
    });
    if tried == i + 1 {
        return;
    }
    for k in (0..3).filter(|k| k % 2 == 0) {
        Cells { low: k, high: lane % 5 }.walk(|cell| y[i as usize] ^= cell << tried);
    }
}

#[kernel(workgroup = 1)]
fn out_of_range(at: u32, out: &mut [u32]) {
    out[0] = 5;
    each(at, |i| out[i as usize] = i);
    out[1] = 6;
}

fn small(len: usize) -> Vec<u32> {
    patterns(len, 71).into_iter().map(|v| v % 9).collect()
}

fn expected() -> Vec<Output> {
    let (x, mut y) = (small(N + 6), small(4 * N));
    let each = |i: usize| {
        let mut all = plain::all_of_them(&x[i..i + 6], i as u32);
        let part = &mut y[4 * i..4 * i + 4];
        part[2] += part[0];
        all[0] ^= part[2];
        all
    };
    let out: Vec<_> = (0..N).flat_map(each).collect();
    vec![Output::U32(y), Output::U32(out)]
}

fn expected_in_a_kernel() -> Vec<Output> {
    let (x, mut y, mut bins) = (small(N), vec![0u32; N], vec![0; 7]);
    for i in 0..N as u32 {
        let (tile, lane) = (&x[i as usize / 64 * 64..], i % 64);
        let (mut reached, mut tried) = (0u32, 0);
        for d in 1..=i + 1 {
            tried += 1;
            if (i + 1) % d == 0 {
                bins[d as usize % 7] += 1;
                reached = reached.wrapping_mul(3).wrapping_add(tile[d as usize % 64]);
                y[i as usize] = reached;
                if d > 5 {
                    break;
                }
            }
        }
        if tried == i + 1 {
            continue;
        }
        for k in [0, 2] {
            for cell in (k..lane % 5).step_by(2) {
                y[i as usize] ^= cell << (tried % 32);
            }
        }
    }
    vec![Output::U32(y), Output::U32(bins)]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "visitors::everywhere",
        [Everywhere],
        |mgr| {
            let (x, mut y) = (mgr.tensor(&small(N + 6))?, mgr.tensor(&small(4 * N))?);
            let mut out = mgr.tensor(&vec![[0u32; 8]; N])?;
            let seq = mgr.sequence()?;
            // SAFETY: they have a few hundred elements.
            unsafe { Everywhere::dispatch(&seq, Grid::items(N), &x, &mut y, &mut out) }?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?), Output::U32(out.to_vec()?.concat())])
        },
        expected
    ),
    case!(
        "visitors::in_a_kernel",
        [InAKernel],
        |mgr| {
            let (x, mut y, bins) = (mgr.tensor(&small(N))?, mgr.tensor(&[0u32; N])?, mgr.tensor(&[0u32; 7])?);
            let seq = mgr.sequence()?;
            InAKernel::dispatch(&seq, Grid::items(N), &x, &mut y, &bins)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?), Output::U32(bins.to_vec()?)])
        },
        expected_in_a_kernel
    ),
    case!("visitors::out_of_range", [OutOfRange], |mgr| {
        let mut out = mgr.tensor(&[4u32, 5, 6])?;
        let seq = mgr.sequence()?;
        OutOfRange::dispatch(&seq, Grid::items(1), 2, &mut out)?;
        let report = report(&seq)?;
        Ok(vec![report, Output::U32(out.to_vec()?)])
    }),
];
