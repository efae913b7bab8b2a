//! Iterators that functions of `std::iter` make. Each function also stands in a module that only rustc compiles.

#![allow(dead_code, unused_imports, clippy::all, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

const N: usize = 64;

each_program! { sources:
sources plain_sources sources_kernel SourcesKernel SOURCES {
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct Cell {
        code: u32,
        level: u8,
    }
    impl Cell {
        fn parent(&self) -> Option<Self> {
            self.level.checked_sub(1).map(|level| Self { code: self.code >> 2, level })
        }
        fn ancestors(self) -> impl Iterator<Item = Self> {
            std::iter::successors(Some(self), |c| c.parent())
        }
        fn up(self) -> impl Iterator<Item = Self> {
            std::iter::successors(self.parent(), Self::parent)
        }
    }
    struct Rng(u32);
    impl Rng {
        fn next(&mut self) -> u32 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 17;
            self.0 ^= self.0 << 5;
            self.0
        }
    }
    fn half(v: &u32) -> Option<u32> {
        (*v > 1).then(|| v / 2)
    }

    pub(super) fn of(i: u32) -> u32 {
        let x: [u32; 96] = std::array::from_fn(|k| (k as u32 ^ 3).wrapping_mul(0x9e37_79b9));
        let seed = x[i as usize];
        let cell = Cell { code: seed & 0xffff, level: (i % 9) as u8 };
        let path = cell.ancestors().take_while(|c| c.code > 0).fold(0u32, |h, c| h.wrapping_mul(7) ^ c.code);
        let n = cell.up().count() as u32;
        let collatz = std::iter::successors(Some(seed % 97 + 1), |&v| {
            (v != 1).then(|| if v % 2 == 0 { v / 2 } else { 3u32.wrapping_mul(v) + 1 })
        })
        .count() as u32;
        let digits =
            std::iter::successors(Some(seed), |v| Some(v / 10).filter(|&v| v > 0)).map(|v| v % 10).sum::<u32>();
        let halves: u32 = std::iter::successors(Some(seed >> 20), half).sum();
        let early = std::iter::successors(Some(seed % 50), |v| {
            let d = v.checked_sub(7)?;
            if d == 3 {
                return None;
            }
            Some(d)
        })
        .fold(1u32, |h, v| h.wrapping_mul(5) ^ v);
        let none =
            std::iter::successors(None::<u32>, |v| Some(v + 1)).count() as u32 + None::<u32>.map_or(0, |v| v + 1);
        let mut rng = Rng(seed | 1);
        let drawn = std::iter::repeat_with(|| rng.next() % 6 + 1).take(5).fold(0u32, |h, v| (h << 3) ^ v);
        let mut left = seed % 13;
        let mut steps = 0;
        for v in std::iter::from_fn(|| {
            left = left.checked_sub(2)?;
            Some(left * left)
        }) {
            steps += v;
        }
        let padded: u32 = x[i as usize..]
            .iter()
            .take(3)
            .copied()
            .chain(std::iter::repeat(9).take(4))
            .fold(0, |h, v| h.rotate_left(5) ^ v);
        let zipped: u32 = (0..6u32).zip(std::iter::repeat(i)).map(|(a, b)| a * b).sum();
        let counted: u32 = std::iter::repeat_n(seed & 3, (i % 7) as usize).sum();
        let fib = std::iter::successors(Some((0u64, 1u64)), |&(a, b)| Some((b, a + b)))
            .map(|(a, _)| a)
            .nth((i % 60) as usize)
            .unwrap_or(0);
        path ^ n << 28
            ^ collatz << 8
            ^ digits
            ^ halves << 16
            ^ early
            ^ none << 31
            ^ drawn
            ^ steps << 12
            ^ padded
            ^ zipped
            ^ counted
            ^ left
            ^ (fib ^ fib >> 32) as u32
    }
}
}

/// All cases of this file.
pub const CASES: &[Case] = &[SOURCES];
