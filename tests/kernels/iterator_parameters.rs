//! Iterators as parameters: `impl Iterator`, `I: Iterator`, `impl IntoIterator`, of values and of references.
//! Each function also stands in a module that only rustc compiles.

#![allow(dead_code, unused_imports, clippy::all, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

const N: usize = 64;

each_program! { iterator_parameters:
passed plain_passed passed_kernel PassedKernel PASSED {
    fn total(it: impl Iterator<Item = u32>) -> u32 {
        it.map(|v| v ^ 3).sum()
    }
    fn longest<I: Iterator<Item = u32>>(it: I) -> (u32, u32) {
        let (mut best, mut run, mut last) = (0, 0, 0);
        for v in it {
            run = if v == last { run + 1 } else { 1 };
            last = v;
            if run > best {
                best = run;
            }
        }
        (best, last)
    }
    fn mean<'a>(it: impl Iterator<Item = &'a f32>) -> f32 {
        let (mut sum, mut n) = (0.0, 0);
        for v in it {
            sum += *v;
            n += 1;
        }
        sum / n as f32
    }
    fn lent<'a, I>(it: I, by: u32) -> u32
    where
        I: Iterator<Item = &'a u32>,
    {
        it.filter(|v| **v % 3 != 1).map(|v| v * by).fold(0, |a, b| a * 5 + b)
    }
    fn alternate(mut it: impl Iterator<Item = u32>) -> u32 {
        let mut sum = 0;
        while let Some(a) = it.next() {
            sum += a * 2;
            let Some(b) = it.next() else { break };
            sum ^= b;
        }
        sum
    }
    fn evens(it: impl Iterator<Item = u32>) -> impl Iterator<Item = u32> {
        it.filter(|v| v % 2 == 0)
    }
    fn twice(it: impl Iterator<Item = u32>, by: u32) -> u32 {
        total(it.map(|v| v + by)) + by
    }
    fn either(items: impl IntoIterator<Item = u32>) -> u32 {
        let mut all = 0;
        for v in items {
            all = all * 3 + v;
        }
        all
    }
    fn first_two(it: impl Iterator<Item = (u32, f32)>) -> f32 {
        it.take(2).map(|(a, b)| a as f32 * b).sum()
    }
    fn early(it: impl Iterator<Item = u32>, limit: u32) -> Option<u32> {
        for v in it {
            if v > limit {
                return Some(v);
            }
        }
        None
    }
    fn with<F: Fn(u32) -> u32>(it: impl Iterator<Item = u32>, f: F) -> u32 {
        it.map(f).max().unwrap_or(0)
    }
    pub(super) struct Stats {
        n: u32,
        sum: u32,
    }
    impl Stats {
        fn of(it: impl Iterator<Item = u32>) -> Self {
            let mut own = Self { n: 0, sum: 0 };
            own.add(it);
            own
        }
        fn add<I: Iterator<Item = u32>>(&mut self, it: I) {
            for v in it {
                self.n += 1;
                self.sum += v;
            }
        }
    }
    pub(super) fn of(i: u32) -> u32 {
        let x = [i, i + 1, 7, i * i];
        let y = [1.5, i as f32, 4.0];
        let by = i % 7;
        let a = total(x.iter().copied()) ^ total((0..i).filter(|v| v % 3 == by % 3)) ^ total(0..9);
        let b = longest(x.iter().map(|v| v / 4)).0 + longest((0..i).map(|v| v / 3)).1;
        let c = mean(y.iter()) as u32 + mean(y.iter().filter(|v| **v > 2.0)) as u32;
        let d = lent(x.iter(), 3) ^ lent(x.iter().skip(1), by) ^ lent(x[1..].iter().rev(), 1);
        let e = alternate((0..i).map(|v| v * by)) + alternate(x.into_iter());
        let f: u32 = evens(x.iter().map(|v| v + by)).map(|v| v / 2).sum();
        let g = twice(evens(0..i), by) + evens(evens(0..i).map(|v| v / 2)).count() as u32;
        let h = either(x) ^ either(0..by) ^ either(x.iter().map(|v| v + 1));
        let k = first_two(x.iter().copied().zip(y)) as u32;
        let l = early(x.iter().copied(), 5).unwrap_or(99) + early(0..i, 20).unwrap_or(77);
        let m = with(x.iter().copied(), |v| v ^ by);
        let s = Stats::of(x.iter().map(|v| v % 5));
        let mut it = x.iter().copied();
        let first = it.next().unwrap_or(0);
        let rest = total(it);
        a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ k ^ l ^ m ^ s.n * s.sum ^ first ^ rest
    }
}
edges plain_edges edges_kernel EdgesKernel EDGES {
    fn total(it: impl Iterator<Item = u32>) -> u32 {
        let mut n = 0u32;
        for v in it {
            n = n.wrapping_mul(7) ^ v;
        }
        n
    }
    fn two(a: impl Iterator<Item = u32>, b: impl Iterator<Item = u32>) -> u32 {
        a.zip(b).map(|(a, b)| a ^ b * 3).sum()
    }
    fn chained(a: impl Iterator<Item = u32>, b: impl Iterator<Item = u32>) -> u32 {
        total(a.chain(b).enumerate().map(|(i, v)| v + i as u32))
    }
    fn max_of<T: Copy + PartialOrd>(it: impl Iterator<Item = T>, first: T) -> T {
        let mut best = first;
        for v in it {
            if v > best {
                best = v;
            }
        }
        best
    }
    fn same<T>(it: impl Iterator<Item = T>, f: impl Fn(T) -> u32) -> u32 {
        it.map(|v| f(v)).fold(1, |a, b| a * 3 ^ b)
    }
    pub(super) trait Collect {
        fn all(&mut self, it: impl Iterator<Item = u32>);
        fn done(&self) -> u32;
    }
    pub(super) struct Xor(u32);
    pub(super) struct Hist {
        bins: [u32; 4],
    }
    impl Collect for Xor {
        fn all(&mut self, it: impl Iterator<Item = u32>) {
            for v in it {
                self.0 ^= v * 5;
            }
        }
        fn done(&self) -> u32 {
            self.0
        }
    }
    impl Collect for Hist {
        fn all(&mut self, it: impl Iterator<Item = u32>) {
            it.for_each(|v| self.bins[v as usize % 4] += v);
        }
        fn done(&self) -> u32 {
            self.bins[0] ^ self.bins[1] * 3 ^ self.bins[2] * 5 ^ self.bins[3] * 7
        }
    }
    fn gathered<C: Collect>(mut c: C, n: u32) -> u32 {
        c.all(0..n);
        c.all((0..n).map(|k| k * n));
        c.done()
    }
    fn either<'a>(it: impl IntoIterator<Item = &'a u32>) -> u32 {
        let mut sum = 0;
        for v in it {
            sum = sum * 3 + *v;
        }
        sum
    }
    fn found(it: impl Iterator<Item = u32>, n: u32) -> Option<usize> {
        it.enumerate().find(|(_, v)| *v >= n).map(|(i, _)| i)
    }
    fn inner(it: impl Iterator<Item = u32>) -> u32 {
        let mut sum = 0;
        for v in it {
            sum += total((0..v % 4).map(|k| k * v + sum));
        }
        sum
    }
    fn stepped(mut it: impl Iterator<Item = u32>, n: usize) -> u32 {
        let first = it.next().unwrap_or(0);
        let third = it.nth(1).unwrap_or(1);
        let rest: u32 = it.by_ref().take(n).map(|v| v ^ first).sum();
        rest * 3 ^ third + it.count() as u32
    }
    pub(super) fn of(i: u32) -> u32 {
        let x = [i, i + 1, 7, i * i % 31, 12];
        let mut count = 0;
        let mut seen = 0;
        let by = i % 7;
        let a = total(x.iter().map(|v| {
            count += 1;
            seen ^= v << count;
            v * by + count
        }));
        let b = two(x.iter().copied(), (0..i).map(|v| v * by)) ^ two(0..i, x.iter().rev().copied());
        let c = chained(x.iter().copied().filter(|v| v % 2 == 0), 0..by);
        let d = max_of(x.iter().copied(), 3) + max_of(x.iter().map(|v| *v as f32 / 3.0), 0.5) as u32;
        let e = same(x.iter().copied(), |v| v ^ by) + same(x.iter().map(|v| *v as f32), |v| (v / 2.0) as u32);
        let f = gathered(Xor(by), i) ^ gathered(Hist { bins: [0; 4] }, i);
        let g = either(&x) ^ either(x.iter()) ^ either(&x[1..3]) ^ either(x.iter().skip(by as usize % 4));
        let mut it = x.iter().copied();
        let h = total(it.by_ref().take(2)) ^ total(it) * 5;
        let mut other = (0..i).map(|v| v * 3 + by);
        let k = other.next().unwrap_or(9) ^ two(0..4, other.by_ref()) ^ other.next().unwrap_or(1) * 100;
        let l = found(x.iter().copied(), 12).unwrap_or(50) as u32 + found((0..i).map(|v| v * v), 40).unwrap_or(70) as u32;
        let m = inner(x.iter().copied()) ^ inner((0..by).map(|v| total(0..v) ^ v));
        let n = stepped(x.iter().copied(), 1) ^ stepped((0..i).filter(|v| v % 3 != 1), 2);
        a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ k ^ l ^ m ^ n ^ count * 1000 ^ seen
    }
}
}

#[device]
fn weighted<'a>(values: impl Iterator<Item = &'a f32>, weights: impl Iterator<Item = f32>) -> f32 {
    values.zip(weights).map(|(v, w)| v * w).sum()
}
#[device]
fn shared_sum(tile: impl Iterator<Item = u32>, t: u32) -> u32 {
    let mut sum = t;
    for v in tile {
        sum = sum * 3 + v;
        barrier();
    }
    sum
}
#[kernel(workgroup = 32)]
fn direct(x: &[f32], y: &mut [f32], z: &mut [u32]) {
    let i = global_id().x as usize;
    let n = x.len();
    y[i] = weighted(x.iter(), (0..n).map(|k| (k * i % 5) as f32))
        + weighted(x[i % n..].iter().step_by(2), [0.5f32, 2.0].into_iter());
    z[i] = shared_sum((0..4).map(|k| k * 7), i as u32);
}
const DIRECT: Case = Case {
    name: "iterator_parameters::direct",
    kernels: &[<Direct as gridwise::Kernel>::DESCRIPTOR],
    run: |mgr| {
        let x: Vec<f32> = (0..9).map(|v| v as f32).collect();
        let (mut y, mut z) = (mgr.tensor_of_len::<f32>(N)?, mgr.tensor_of_len::<u32>(N)?);
        let seq = mgr.sequence()?;
        Direct::dispatch(&seq, Grid::items(N as u32), &mgr.tensor(&x)?, &mut y, &mut z)?.eval()?;
        Ok(vec![Output::exact(y.to_vec()?), Output::U32(z.to_vec()?)])
    },
    expected: Some(|| {
        let x: Vec<f32> = (0..9).map(|v| v as f32).collect();
        let n = x.len();
        vec![
            Output::exact(
                (0..N)
                    .map(|i| {
                        let a: f32 = (0..n).map(|k| x[k] * (k * i % 5) as f32).sum();
                        let b: f32 = x[i % n..].iter().step_by(2).zip([0.5f32, 2.0]).map(|(a, b)| a * b).sum();
                        a + b
                    })
                    .collect(),
            ),
            Output::U32((0..N as u32).map(|i| (0..4).map(|k| k * 7).fold(i, |s, v| s * 3 + v)).collect()),
        ]
    }),
};

/// All cases of this file.
pub const CASES: &[Case] = &[PASSED, EDGES, DIRECT];
