//! Closures that get slices: of buffers, shared memory and arrays, to read and to write, passed on, generic, and in variables.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

pub(super) const CASES: &[Case] = &[
    case!("lent_slices::read", [LentReads], reads_run, reads_expected),
    case!("lent_slices::written", [LentWrites], writes_run, writes_expected),
    case!("lent_slices::methods", [LentMethods], methods_run, methods_expected),
];

const N: usize = 64;
const COLUMNS: usize = 8;

fn input() -> Vec<u32> {
    (0..N as u32 + 8).map(|k| k.wrapping_mul(0x9e37_79b9) >> (k % 20)).collect()
}

/// A result of each part of a slice.
#[device]
fn each_part(x: &[u32], len: usize, weigh: impl Fn(&[u32]) -> u32) -> u32 {
    let mut sum = 0u32;
    let mut start = 0;
    while start + len <= x.len() {
        sum = sum.wrapping_mul(31).wrapping_add(weigh(&x[start..start + len]));
        start += len;
    }
    sum
}

/// Passed on, with a slice of another one.
#[device]
fn of_inner(x: &[u32], weigh: impl Fn(&[u32]) -> u32) -> u32 {
    each_part(&x[1..], 3, weigh)
}

/// Of an array of its own; of no slice that it gets.
#[device]
fn of_own<F>(first: u32, weigh: F) -> u32
where
    F: Fn(&[u32], u32) -> u32,
{
    let own = [first, first ^ 5, 7];
    weigh(&own, 1) ^ weigh(&own[1..], 2)
}

/// Of elements of any type.
#[device]
fn widest<T: Copy, F: Fn(&[T]) -> u32>(x: &[T], weigh: F) -> u32 {
    weigh(x).max(weigh(&x[1..]))
}

#[device]
fn total(x: &[u32]) -> u32 {
    x.iter().fold(0u32, |sum, v| sum.wrapping_add(*v))
}

#[kernel(workgroup = 32)]
fn lent_reads(x: &[u32], out: &mut [u32]) {
    let tile = Shared::<[u32; 32]>::new();
    let (i, t) = (global_id().x as usize, local_index() as usize);
    tile[t] = x[i] >> 3;
    barrier();
    let part = &x[i..i + 8];
    let own = [i as u32, 3, x[i]];
    let factor = x[i] % 5 + 1;
    let weigh = |p: &[u32]| p[0].wrapping_mul(factor) ^ p.len() as u32;
    let o = i * 8;
    out[o] = each_part(part, 2, |p| p[0] ^ p[1]);
    out[o + 1] = of_inner(part, |p: &[u32]| total(p).wrapping_mul(factor));
    out[o + 2] = of_own(x[i], |p, n| total(p) * 3 + n + p.len() as u32);
    out[o + 3] = weigh(part) ^ weigh(&own) ^ weigh(&own[1..]) ^ weigh(&x[3..5]);
    out[o + 4] = each_part(&tile[..], 5, |p| p.iter().max().map_or(0, |most| *most));
    out[o + 5] = widest(&[1.5f32, i as f32, 2.0], |p| p.iter().fold(0.0, |sum: f32, v| sum + *v) as u32);
    out[o + 6] = each_part(part, 3, |p| match p {
        [a, .., b] if a > b => *a,
        [_, rest @ ..] => total(rest),
        [] => 0,
    });
    out[o + 7] = each_part(&own, 1, |p| each_part(p, 1, |q| q[0] ^ factor) ^ weigh(p));
}

fn reads_run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let x = mgr.tensor(&input())?;
    let mut out = mgr.tensor(&vec![0u32; N * COLUMNS])?;
    let seq = mgr.sequence()?;
    LentReads::dispatch(&seq, Grid::items(N as u32), &x, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?)])
}

fn plain_parts(x: &[u32], len: usize, weigh: impl Fn(&[u32]) -> u32) -> u32 {
    x.chunks_exact(len).fold(0u32, |sum, part| sum.wrapping_mul(31).wrapping_add(weigh(part)))
}

fn reads_expected() -> Vec<Output> {
    let x = input();
    let total = |p: &[u32]| p.iter().fold(0u32, |sum, v| sum.wrapping_add(*v));
    let row = |i: usize| {
        let part = &x[i..i + 8];
        let own = [i as u32, 3, x[i]];
        let factor = x[i] % 5 + 1;
        let weigh = |p: &[u32]| p[0].wrapping_mul(factor) ^ p.len() as u32;
        let tile: Vec<u32> = x[i / 32 * 32..i / 32 * 32 + 32].iter().map(|v| v >> 3).collect();
        let three = [x[i], x[i] ^ 5, 7];
        let pair = |p: &[u32], n: u32| total(p).wrapping_mul(3).wrapping_add(n).wrapping_add(p.len() as u32);
        let wide = |p: &[f32]| p.iter().fold(0.0, |sum: f32, v| sum + *v) as u32;
        let floats = [1.5f32, i as f32, 2.0];
        [
            plain_parts(part, 2, |p| p[0] ^ p[1]),
            plain_parts(&part[1..], 3, |p| total(p).wrapping_mul(factor)),
            pair(&three, 1) ^ pair(&three[1..], 2),
            weigh(part) ^ weigh(&own) ^ weigh(&own[1..]) ^ weigh(&x[3..5]),
            plain_parts(&tile, 5, |p| *p.iter().max().unwrap()),
            wide(&floats).max(wide(&floats[1..])),
            plain_parts(part, 3, |p| if p[0] > p[2] { p[0] } else { total(&p[1..]) }),
            plain_parts(&own, 1, |p| p[0] ^ factor ^ weigh(p)),
        ]
    };
    vec![Output::U32((0..N).flat_map(row).collect())]
}

/// Hands out the halves of a slice, the second one first.
#[device]
fn halves(x: &mut [u32], mut change: impl FnMut(&mut [u32], u32)) {
    let middle = x.len() / 2;
    change(&mut x[middle..], 1);
    change(&mut x[..middle], 2);
}

#[kernel(workgroup = 32)]
fn lent_writes(x: &[u32], out: &mut [u32]) {
    let i = global_id().x as usize;
    let mut calls = 0;
    halves(&mut out[i * 8..i * 8 + 6], |half, n| {
        half[0] = x[i] ^ n;
        half.reverse();
        calls += half.len() as u32;
    });
    let mut own = [1u32, 2, 3, 4];
    halves(&mut own, |half, n| half.iter_mut().for_each(|v| *v = *v * 10 + n));
    let fill = |part: &mut [u32], v: u32| part.fill(v);
    fill(&mut own[1..3], calls);
    out[i * 8 + 6] = calls;
    out[i * 8 + 7] = own[0] * 1000 + own[1] * 100 + own[2] * 10 + own[3];
}

fn writes_run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let x = mgr.tensor(&input())?;
    let mut out = mgr.tensor(&vec![9u32; N * COLUMNS])?;
    let seq = mgr.sequence()?;
    LentWrites::dispatch(&seq, Grid::items(N as u32), &x, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?)])
}

fn writes_expected() -> Vec<Output> {
    let x = input();
    let row = |i: usize| [9, 9, x[i] ^ 2, 9, 9, x[i] ^ 1, 6, 12_000 + 600 + 60 + 41];
    vec![Output::U32((0..N).flat_map(row).collect())]
}

#[device]
mod views {
    /// Parts of a slice, one behind the other.
    #[derive(Clone, Copy)]
    pub(super) struct Every {
        pub(super) step: usize,
    }

    impl Every {
        pub(super) fn weigh(&self, x: &[u32], weigh: impl Fn(&[u32]) -> u32) -> u32 {
            self.fold(x, 0, |sum, part| sum ^ weigh(part))
        }

        pub(super) fn fold<T: Copy>(&self, x: &[T], start: u32, mut f: impl FnMut(u32, &[T]) -> u32) -> u32 {
            let mut sum = start;
            let mut i = 0;
            while i + self.step <= x.len() {
                sum = f(sum, &x[i..i + self.step]);
                i += self.step;
            }
            sum
        }
    }

    /// Twice, through a reference to the closure.
    pub(super) fn both_ways(x: &[u32], f: &mut impl FnMut(&[u32])) {
        f(x);
        f(&x[1..]);
    }
}

use views::{Every, both_ways};

#[kernel(workgroup = 32)]
fn lent_methods(x: &[u32], out: &mut [u32]) {
    let i = global_id().x as usize;
    let part = &x[i..i + 8];
    let every = Every { step: i % 3 + 1 };
    let mut seen = 0;
    let mut count = |p: &[u32]| seen += p.len() as u32 * (p[0] % 5);
    both_ways(part, &mut count);
    out[i * 3] = every.weigh(part, |p| p[0].rotate_left(p.len() as u32));
    out[i * 3 + 1] =
        every.fold(&[true, i % 2 == 0, false, true].map(|flag| flag as u32), seen, |sum, p| sum * 3 + p[0]);
    out[i * 3 + 2] = seen;
}

fn methods_run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let x = mgr.tensor(&input())?;
    let mut out = mgr.tensor(&vec![0u32; N * 3])?;
    let seq = mgr.sequence()?;
    LentMethods::dispatch(&seq, Grid::items(N as u32), &x, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?)])
}

fn methods_expected() -> Vec<Output> {
    let x = input();
    let row = |i: usize| {
        let (part, step) = (&x[i..i + 8], i % 3 + 1);
        let seen = 8 * (part[0] % 5) + 7 * (part[1] % 5);
        let flags = [1, u32::from(i % 2 == 0), 0, 1];
        [
            part.chunks_exact(step).fold(0, |sum, p| sum ^ p[0].rotate_left(step as u32)),
            flags.chunks_exact(step).fold(seen, |sum, p| sum * 3 + p[0]),
            seen,
        ]
    };
    vec![Output::U32((0..N).flat_map(row).collect())]
}
