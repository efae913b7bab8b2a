//! Iterators that functions take by `&mut`, and leave where they have come to. rustc compiles the program, too.

#![allow(dead_code, reason = "a program as people write it")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(cursors, plain_cursors, {
    /// A parser of digits and signs, whose functions take what they need from one iterator.
    fn number(it: &mut impl Iterator<Item = u32>) -> Option<u32> {
        let first = it.next()?;
        Some(first * 10 + it.next()? % 10)
    }
    fn pair<I: Iterator<Item = u32>>(it: &mut I) -> Option<(u32, u32)> {
        Some((number(it)?, number(it)?))
    }
    fn skipped<'a, I>(it: &mut I, mut n: u32) -> u32
    where
        I: Iterator<Item = &'a u32>,
    {
        while let Some(v) = it.next() {
            if *v % 2 == 1 {
                n += 1;
                break;
            }
        }
        for v in it.by_ref().take(2) {
            n += *v & 7;
        }
        n
    }
    fn all(it: &mut impl Iterator<Item = u32>) -> u32 {
        let mut sum = 0u32;
        for v in it {
            if v == 9 {
                return sum;
            }
            sum = sum.wrapping_mul(3).wrapping_add(v);
        }
        sum + 1
    }
    fn lowest<'a>(it: &mut impl Iterator<Item = &'a u32>) -> u32 {
        skipped(it, 1) + it.next().copied().unwrap_or(0)
    }
    struct Digits(u32);
    impl Digits {
        fn read(&mut self, it: &mut impl Iterator<Item = u32>) -> bool {
            match number(it) {
                Some(n) => {
                    self.0 = self.0 * 7 + n;
                    true
                }
                None => false,
            }
        }
    }
    impl Iterator for Digits {
        type Item = u32;
        fn next(&mut self) -> Option<u32> {
            self.0 /= 3;
            (self.0 > 0).then_some(self.0)
        }
    }
    pub(super) fn cursors(i: u32, x: &[u32]) -> u32 {
        let mut it = x[i as usize..].iter().map(|v| v & 15);
        let mut h = 0u32;
        while let Some((a, b)) = pair(&mut it) {
            h = h.wrapping_mul(31).wrapping_add(a ^ b);
            if a > b + 60 {
                break;
            }
        }
        let mut digits = Digits(1);
        while digits.read(it.by_ref()) && digits.0 < 1000 {}
        h ^= digits.0 ^ all(&mut it);
        let mut own = x.iter().filter(|v| **v > i / 2);
        h ^= skipped(&mut own, 3) << 8 ^ lowest(&mut own) << 5;
        let mut range = i..i + 9;
        h ^= number(&mut range).unwrap_or(1) ^ all(&mut range) ^ range.start;
        h ^ all(&mut digits) ^ own.count() as u32
    }
});

domain!("cursors", {
    cursors, Cursors, plain_cursors;
});
