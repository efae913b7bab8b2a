//! Types with an `impl Iterator` of their own: in `for`, through adapters, in variables, as parameters, and by reference. Each function also
//! stands in a module that only rustc compiles.

#![allow(dead_code, unused_imports, clippy::all, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

const N: usize = 64;

each_program! { own_iterators:
counters plain_counters counters_kernel CountersKernel COUNTERS {
    #[derive(Clone, Copy)]
    pub(super) struct Counter {
        at: u32,
        end: u32,
    }
    impl Counter {
        fn new(end: u32) -> Self {
            Self { at: 0, end }
        }
    }
    impl Iterator for Counter {
        type Item = u32;
        fn next(&mut self) -> Option<u32> {
            if self.at < self.end {
                self.at += 1;
                Some(self.at * self.at % 17)
            } else {
                None
            }
        }
    }
    pub(super) struct Collatz(u32);
    impl Iterator for Collatz {
        type Item = u32;
        fn next(&mut self) -> Option<Self::Item> {
            let v = self.0;
            if v == 0 {
                return None;
            }
            self.0 = match v {
                1 => 0,
                v if v % 2 == 0 => v / 2,
                v => 3 * v + 1,
            };
            Some(v)
        }
    }
    pub(super) struct Lcg {
        state: [u32; 2],
    }
    impl Iterator for Lcg {
        type Item = (u32, f32);
        fn next(&mut self) -> Option<(u32, f32)> {
            let k = self.state[0] as usize % 2;
            self.state[k] = self.state[k].wrapping_mul(1664525).wrapping_add(1013904223);
            self.state[0] ^= self.state[1] >> 5;
            Some((self.state[k] >> 20, (self.state[k] >> 28) as f32 * 0.5))
        }
    }
    fn drained(c: &mut Counter, n: usize) -> u32 {
        let mut sum = 0;
        for v in c.by_ref().take(n) {
            sum = sum * 3 + v;
        }
        for v in c {
            sum ^= v;
        }
        sum
    }
    fn total(it: impl Iterator<Item = u32>) -> u32 {
        it.fold(7, |a, b| a.wrapping_mul(5) ^ b)
    }
    fn first(mut it: impl Iterator<Item = u32>) -> u32 {
        let a = it.next().unwrap_or(9);
        a ^ it.next().unwrap_or(8) * 10
    }
    pub(super) struct Walk {
        steps: Counter,
        seen: u32,
    }
    impl Walk {
        fn far(&mut self) -> u32 {
            for v in &mut self.steps {
                self.seen += v;
                if v > 12 {
                    return self.seen;
                }
            }
            let mut all = 0;
            for v in self.steps {
                all += v;
            }
            all + self.steps.by_ref().take(2).count() as u32
        }
        fn next_two(&mut self) -> u32 {
            self.steps.by_ref().take(2).sum::<u32>() + self.steps.find(|v| *v == 8).unwrap_or(3) + self.steps.at
        }
    }
    pub(super) fn of(i: u32) -> u32 {
        let mut w = Walk { steps: Counter::new(i), seen: 3 };
        let walked = w.next_two() ^ w.far() * 3 ^ w.far() * 5 ^ w.seen ^ w.steps.at;
        let mut pair = [Counter::new(i), Counter::new(5)];
        let walked = walked ^ (pair[0].next().unwrap_or(4) + pair[1].next().unwrap_or(2)) ^ pair[0].at * 7 ^ pair[1].at;
        let mut a = 0u32;
        for v in Counter::new(i) {
            if v == 13 {
                continue;
            }
            a = a.wrapping_mul(2) ^ v;
        }
        let b: u32 = Counter::new(i).take(8).sum();
        let c = Collatz(i + 1).count() as u32 * 100 + Collatz(i + 1).max().unwrap_or(0);
        let d = Collatz(i + 3).filter(|v| v % 2 == 1).map(|v| v * 3).fold(0, |a, b| a ^ b);
        let mut counter = Counter::new(i);
        let e = counter.next().unwrap_or(5);
        let f = counter.any(|v| v == 4) as u32;
        let g = counter.by_ref().skip(1).step_by(2).take(3).map(|v| v + e).sum::<u32>();
        let h = counter.at;
        let mut other = counter;
        for v in &mut counter {
            if v > 11 {
                break;
            }
        }
        let k = counter.at * 100 + other.at;
        let l = drained(&mut other, 3) ^ other.at;
        let m = Lcg { state: [i, 77] }.take(5).map(|(a, b)| a as f32 * b).sum::<f32>() as u32;
        let n = Lcg { state: [3, i] }.zip(Counter::new(6)).enumerate().map(|(k, ((a, _), c))| k as u32 * a ^ c).max().unwrap_or(1);
        let o = (0..i).zip(Collatz(i)).filter(|(a, b)| a < b).count() as u32;
        let p = total(Counter::new(i)) ^ total(Collatz(i).skip_while(|v| *v > 5)) ^ first(Counter { at: 3, end: 9 });
        let mut kept = Counter::new(i).map(|v| v * 2);
        let q = kept.next().unwrap_or(3) + kept.by_ref().take(2).sum::<u32>() * 7 + kept.last().unwrap_or(11);
        let r = Counter::new(3).chain(Counter { at: 8, end: i }).position(|v| v == 0).map_or(99, |v| v as u32);
        let s = Counter::new(4).flat_map(|v| (0..v % 3).map(move |k| v * k)).sum::<u32>();
        a ^ b * 3 ^ c ^ d ^ e ^ f ^ g ^ h * 7 ^ k ^ l ^ m ^ n ^ o ^ p ^ q ^ r ^ s ^ walked
    }
}
}

/// All cases of this file.
pub const CASES: &[Case] = &[COUNTERS];
