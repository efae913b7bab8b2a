//! Arrays whose length is a parameter, in generic functions: chains over them, results of such types, and consts of generic types that are
//! computed. Each function also stands in a module that only rustc compiles.

#![allow(dead_code, unused_imports, clippy::all, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

const N: usize = 64;

each_program! { open_lengths:
chains plain_chains chains_kernel ChainsKernel CHAINS {
    fn dot_rev<const K: usize>(x: [u32; K], y: &[u32; K]) -> u32 {
        let mut sum = 0;
        for (a, b) in x.iter().zip(y.iter().rev()) {
            sum += a * b;
        }
        sum
    }
    fn fold<const K: usize>(x: &[f32; K]) -> f32 {
        x.iter().zip(x.iter().rev()).map(|(a, b)| a * b).sum()
    }
    fn palindrome<const K: usize>(x: &[u32; K]) -> bool {
        x.iter().zip(x.iter().rev()).take(K / 2).all(|(a, b)| a == b)
    }
    fn total<const K: usize>(x: &[u32; K]) -> u32 {
        x.iter().sum::<u32>() + x.iter().map(|v| v * v).max().unwrap_or(0)
    }
    fn scaled<const K: usize>(x: [u32; K], by: u32) -> [u32; K] {
        let mut out = [0; K];
        for (o, v) in out.iter_mut().zip(x) {
            *o = v * by;
        }
        out
    }
    fn mapped<const K: usize>(x: [u32; K]) -> [f32; K] {
        x.map(|v| v as f32 * 0.5)
    }
    fn largest<const K: usize>(x: &[i32; K]) -> (usize, i32) {
        let mut best = 0;
        for i in 1..K {
            if x[i] > x[best] {
                best = i;
            }
        }
        (best, x[best])
    }
    fn matrix<const R: usize, const C: usize>(m: &[[u32; C]; R], v: &[u32; C]) -> [u32; R] {
        let mut out = [0; R];
        for (o, row) in out.iter_mut().zip(m) {
            *o = row.iter().zip(v).map(|(a, b)| a * b).sum();
        }
        out
    }
    fn transposed<const R: usize, const C: usize>(m: &[[u32; C]; R]) -> [[u32; R]; C] {
        let mut t = [[0; R]; C];
        for (r, row) in m.iter().enumerate() {
            for (c, v) in row.iter().enumerate() {
                t[c][r] = *v;
            }
        }
        t
    }
    fn bubble<const K: usize>(mut x: [u32; K]) -> [u32; K] {
        for i in 0..K {
            for j in 0..K - 1 - i {
                if x[j] > x[j + 1] {
                    x.swap(j, j + 1);
                }
            }
        }
        x
    }
    fn windows<const K: usize>(x: &[u32; K]) -> u32 {
        x.windows(2).map(|w| w[0] ^ w[1]).fold(0, |a, b| a.rotate_left(3) ^ b)
    }
    fn polynomial<const K: usize>(c: [f32; K], x: f32) -> f32 {
        c.iter().rev().fold(0.0, |acc, c| acc * x + c)
    }
    fn digits<const K: usize>(mut v: u32) -> [u32; K] {
        let mut d = [0; K];
        for k in (0..K).rev() {
            d[k] = v % 10;
            v /= 10;
        }
        d
    }
    pub(super) fn of(i: u32) -> u32 {
        let x = [i, i * 3 + 1, i ^ 21, 7];
        let y = [2, i, i + 4, i / 3];
        let s = scaled(x, 3);
        let m = mapped(x);
        let t = transposed(&[x, y, s]);
        let r = matrix(&[x, y, s], &y);
        let b = bubble([i % 7, i % 3, i % 5, 4, i % 11]);
        let d = digits::<6>(i * 12345);
        let wide = dot_rev(x, &y) ^ (fold(&m) as u32) ^ total(&t[2]) ^ (polynomial(m, 0.25) as u32);
        let narrow = largest(&[1, i as i32 - 9, 4]).0 as u32 ^ b[1] * 100 + b[3] ^ windows(&x);
        wide ^ narrow ^ r.iter().sum::<u32>() ^ d.iter().fold(0, |a, v| a * 11 + v) ^ palindrome(&[i % 2, 1, 1, 0]) as u32
    }
}
elements plain_elements elements_kernel ElementsKernel ELEMENTS {
    use core::iter::Sum;
    use core::ops::{Add, Mul};
    fn greatest<T: Copy + PartialOrd, const K: usize>(x: [T; K]) -> T {
        let mut best = x[0];
        for v in x {
            if v > best {
                best = v;
            }
        }
        best
    }
    fn dot<T: Copy + Default + Mul<Output = T> + Add<Output = T>, const K: usize>(x: &[T; K], y: &[T; K]) -> T {
        let mut sum = T::default();
        for (a, b) in x.iter().zip(y.iter().rev()) {
            sum = sum + *a * *b;
        }
        sum
    }
    fn summed<T: Copy + Sum<T>, const K: usize>(x: [T; K]) -> T {
        x.iter().copied().sum()
    }
    fn count<T: Copy + PartialEq, const K: usize>(x: &[T; K], what: T) -> usize {
        x.iter().filter(|v| **v == what).count()
    }
    fn reversed<T: Copy, const K: usize>(x: [T; K]) -> [T; K] {
        let mut out = x;
        for i in 0..K {
            out[i] = x[K - 1 - i];
        }
        out
    }
    fn rotate<T: Copy, const K: usize>(x: [T; K], by: usize) -> [T; K] {
        core::array::from_fn(|i| x[(i + by) % K])
    }
    fn inversions<T: Copy + PartialOrd, const K: usize>(x: &[T; K]) -> u32 {
        let mut n = 0;
        for (i, a) in x.iter().enumerate() {
            for b in x.iter().skip(i + 1) {
                if a > b {
                    n += 1;
                }
            }
        }
        n
    }
    fn sorted<T: Copy + PartialOrd, const K: usize>(x: &[T; K]) -> bool {
        x.windows(2).all(|w| w[0] <= w[1])
    }
    fn powers<const K: usize>(i: u32) -> u32 {
        let mut t = [0u32; K];
        t[0] = 1;
        for k in 1..K {
            t[k] = t[k - 1] * 2 + i;
        }
        t[K - 1]
    }
    pub(super) fn of(i: u32) -> u32 {
        let x = [i % 5, i % 7, i % 3, 4];
        let y = [0.5, i as f32, 2.0];
        let dots = dot(&x, &reversed(x)) * 3 + dot(&y, &rotate(y, 1)) as u32;
        greatest(x) + greatest(y) as u32 * 10 + dots + summed(x) + summed(y) as u32 + count(&x, 4) as u32 * 1000
            + inversions(&x) * 77 + sorted(&y) as u32 + powers::<5>(i)
    }
}
computed plain_computed computed_kernel ComputedKernel COMPUTED {
    pub(super) struct Binomials<const K: usize>;
    impl<const K: usize> Binomials<K> {
        const ROW: [u32; K] = {
            let mut row = [0; K];
            row[0] = 1;
            let mut n = 1;
            while n < K {
                let mut k = n;
                while k > 0 {
                    row[k] += row[k - 1];
                    k -= 1;
                }
                n += 1;
            }
            row
        };
        const LEN: usize = K * 2;
        fn at(k: usize) -> u32 {
            Self::ROW[k % K]
        }
        fn total() -> u32 {
            Self::ROW.iter().sum()
        }
    }
    #[derive(Clone, Copy)]
    pub(super) struct Poly<const K: usize> {
        c: [i32; K],
    }
    impl<const K: usize> Poly<K> {
        const ZERO: Self = Self { c: [0; K] };
        fn eval(&self, x: i32) -> i32 {
            self.c.iter().rev().fold(0, |acc, c| acc.wrapping_mul(x).wrapping_add(*c))
        }
        fn derivative(mut self) -> Self {
            for (k, c) in self.c.iter_mut().enumerate() {
                *c *= k as i32;
            }
            self.c.rotate_left(1);
            self
        }
        fn add(self, other: &Self) -> Self {
            let mut sum = Self::ZERO;
            for ((s, a), b) in sum.c.iter_mut().zip(&self.c).zip(&other.c) {
                *s = a + b;
            }
            sum
        }
        fn norm(&self) -> u32 {
            self.c.iter().map(|c| c.unsigned_abs()).max().unwrap_or_default()
        }
        fn head(&self) -> &[i32] {
            &self.c[..K / 2]
        }
        fn row(&self) -> &[i32; K] {
            &self.c
        }
        fn coefficients(&self) -> impl Iterator<Item = i32> + '_ {
            self.c.iter().copied().filter(|c| *c != 0)
        }
    }
    fn stats<const K: usize>(x: &[f32; K]) -> (f32, f32) {
        let mean = x.iter().sum::<f32>() / K as f32;
        let var = x.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / K as f32;
        (mean, var)
    }
    fn softmax<const K: usize>(x: [f32; K]) -> [f32; K] {
        let top = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let total: f32 = x.iter().map(|v| v - top).sum();
        x.map(|v| (v - top) / (total - 1.0))
    }
    fn hist<const B: usize>(x: &[u32]) -> [u32; B] {
        let mut bins = [0u32; B];
        for v in x {
            bins[*v as usize % B] += 1;
        }
        bins
    }
    fn prefix<const K: usize>(mut x: [u32; K]) -> [u32; K] {
        let mut sum = 0;
        for v in &mut x {
            sum += *v;
            *v = sum;
        }
        x
    }
    fn chunked<const K: usize>(x: &[u32; K]) -> u32 {
        x.chunks(2).map(|c| c.iter().product::<u32>()).sum()
    }
    fn unpack<const K: usize>(x: u32) -> [bool; K] {
        core::array::from_fn(|k| x >> k & 1 == 1)
    }
    fn any<const K: usize>(x: [bool; K]) -> u32 {
        x.iter().filter(|b| **b).count() as u32 + x.iter().any(|b| *b) as u32
    }
    fn split<const K: usize>(x: &[u32; K]) -> u32 {
        let (a, b) = x.split_at(K / 2);
        a.iter().zip(b.iter()).map(|(a, b)| a.abs_diff(*b)).sum::<u32>() + a.len() as u32
    }
    fn apply<const K: usize>(x: [u32; K], f: impl Fn(u32) -> u32) -> u32 {
        x.iter().map(|v| f(*v)).sum()
    }
    fn options<const K: usize>(x: [Option<u32>; K]) -> u32 {
        x.iter().flatten().sum::<u32>() + x.iter().filter_map(|v| v.map(|v| v * 2)).sum::<u32>()
    }
    fn vectors<const K: usize>(p: &[Vec3; K]) -> Vec3 {
        p.iter().copied().sum::<Vec3>() / K as f32
    }
    fn tuple<const K: usize>(x: &[(u32, f32); K]) -> f32 {
        let mut best = x[0];
        for &(id, w) in x {
            if w > best.1 {
                best = (id, w);
            }
        }
        best.0 as f32 + best.1
    }
    pub(super) fn of(i: u32) -> u32 {
        let p = Poly { c: [i as i32 % 5 - 2, 3, -1, i as i32 % 3] };
        let q = p.derivative().add(&p);
        let s = stats(&[i as f32, 2.0, 5.0]);
        let soft = softmax([1.0, i as f32, 3.0]);
        Binomials::<6>::at(i as usize) ^ Binomials::<5>::total() ^ Binomials::<3>::LEN as u32
            ^ q.eval(2) as u32 ^ q.norm() ^ q.head().iter().sum::<i32>() as u32 ^ q.row()[1] as u32
            ^ q.coefficients().count() as u32 ^ s.0 as u32 ^ s.1 as u32 ^ (soft[0] * 8.0) as u32
            ^ hist::<4>(&[i, 2, 3, i / 2])[i as usize % 4] ^ prefix([i, 1, 2])[2] ^ chunked(&[i, 2, 3, i, 5])
            ^ any(unpack::<7>(i)) ^ split(&[i, 5, 7, 9]) ^ apply([1, i, 3], |v| v ^ i) ^ options([Some(i), None, Some(3)])
            ^ vectors(&[Vec3::ONE, Vec3::splat(i as f32)]).x as u32 ^ tuple(&[(1, 2.0), (i, i as f32 / 3.0)]) as u32
    }
}
}

/// All cases of this file.
pub const CASES: &[Case] = &[CHAINS, ELEMENTS, COMPUTED];
