//! Loops that write elements beside what is not reached by position: filtered, lent, given and own iterators. rustc compiles the program, too.

#![allow(dead_code, reason = "a program as people write it")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(beside, plain_beside, {
    struct Steps(u32);
    impl Iterator for Steps {
        type Item = u32;
        fn next(&mut self) -> Option<u32> {
            self.0 += 3;
            (self.0 < 40).then_some(self.0)
        }
    }
    fn odd(x: &[u32]) -> impl Iterator<Item = u32> + '_ {
        x.iter().copied().filter(|v| v % 2 == 1)
    }
    fn fill<I: Iterator<Item = u32>>(own: &mut [u32; 6], it: I) {
        for (k, (slot, v)) in own.iter_mut().zip(it).enumerate() {
            *slot = v.wrapping_mul(k as u32 + 1);
        }
    }
    fn scaled<T: Copy + core::ops::Add<Output = T>>(own: &mut [T], x: &[T]) {
        for (a, b) in own.iter_mut().zip(x) {
            *a = *a + *b;
        }
        for (a, b) in own.iter_mut().zip(x.iter().skip(1)) {
            *a = *a + *b;
        }
        for (a, b) in own.iter_mut().zip(x.iter().filter(|_| true).map(|v| *v + *v)) {
            *a = *a + b;
        }
    }
    fn folded(own: &[u32]) -> u32 {
        own.iter().fold(7, |all, v| all.wrapping_mul(31).wrapping_add(*v))
    }
    pub(super) fn beside(i: u32, x: &[u32]) -> u32 {
        let mut own = [i, 1, 2, 3, 4, 5];
        let even = x.iter().filter(|v| **v % 2 == 0);
        for (slot, v) in own.iter_mut().zip(even) {
            *slot = slot.wrapping_add(*v);
        }
        let mut it = x.iter();
        it.next();
        for (slot, v) in own.iter_mut().rev().zip(&mut it) {
            if *v > i {
                break;
            }
            *slot ^= *v << 3;
        }
        for (slot, v) in own[1..].iter_mut().skip(1).zip(it.by_ref().take(3).map(|v| v + 1)) {
            *slot ^= v;
        }
        for (slot, v) in own.iter_mut().step_by(2).zip(it) {
            *slot = slot.wrapping_sub(*v);
        }
        let mut total = folded(&own);
        for (k, (slot, v)) in own.iter_mut().zip(odd(x)).enumerate() {
            *slot = v ^ k as u32;
        }
        let mut third = [9, 8, 7];
        for ((a, b), v) in own.iter_mut().zip(third.iter_mut()).zip(x.iter().map_while(|v| v.checked_sub(i / 3))) {
            *a = a.wrapping_add(*b);
            *b = *a;
            *a ^= v;
        }
        for (slot, v) in own.iter_mut().zip(Steps(i)) {
            if v == 20 {
                continue;
            }
            *slot = slot.rotate_left(v);
        }
        total = total.wrapping_add(folded(&own));
        fill(&mut own, x.iter().copied().skip_while(|v| *v < 9));
        let mut span = i..i + 4;
        span.next();
        for (slot, v) in own.iter_mut().zip(span.by_ref()) {
            *slot = slot.wrapping_add(v);
        }
        for (slot, v) in own.iter_mut().zip(3..5) {
            *slot = slot.wrapping_add(v);
        }
        let pairs = x.iter().zip(&x[1..]).map(|(a, b)| a ^ b);
        own.iter_mut().zip(pairs).for_each(|(slot, v)| *slot ^= v);
        let mut sums = [0.5f32, 1.0, 2.0, i as f32];
        scaled(&mut sums, &[1.0, 2.0, 0.25, 3.0, 5.0, 8.0]);
        own[0] ^= sums.iter().sum::<f32>().to_bits();
        total.wrapping_add(folded(&own)) ^ span.count() as u32
    }
});

both!(rows, plain_rows, {
    struct Lcg(u32);
    impl Iterator for Lcg {
        type Item = u32;
        fn next(&mut self) -> Option<u32> {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (self.0 % 11 != 0).then_some(self.0 >> 20)
        }
    }
    fn digits(n: u32) -> impl Iterator<Item = u32> {
        core::iter::successors(Some(n), |v| (*v > 9).then(|| v / 10)).map(|v| v % 10)
    }
    pub(super) fn rows(i: u32, x: &[u32]) -> u32 {
        let mut own = [[i, 1, 2], [3, 4, 5], [6, 7, 8]];
        let mut it = x.iter().copied();
        'rows: for row in own.iter_mut() {
            for (v, k) in row.iter_mut().zip(it.by_ref()) {
                if k == i {
                    continue 'rows;
                }
                if k > 30 {
                    break 'rows;
                }
                *v = v.wrapping_mul(3) ^ k;
            }
        }
        for (row, d) in own.iter_mut().zip(digits(x[30])) {
            row[0] ^= d;
            for (v, e) in row.iter_mut().zip(digits(d * 77 + i)) {
                *v = v.wrapping_add(e);
            }
        }
        let mut random = Lcg(i + 9);
        for (v, r) in own[2].iter_mut().zip(&mut random) {
            *v ^= r;
        }
        for (k, (v, r)) in own[0].iter_mut().zip(random.by_ref()).enumerate() {
            *v ^= r << k;
        }
        own.iter().flatten().fold(random.0, |a, b| a.rotate_left(3) ^ b) ^ it.next().unwrap_or(7)
    }
});

domain!("beside", {
    beside, Beside, plain_beside;
    rows, Rows, plain_rows;
});
