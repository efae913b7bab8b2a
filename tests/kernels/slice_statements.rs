//! `fill_with`, `copy_within` and `swap_with_slice`, on arrays, parts of them and slices.
//! Each function also stands in a module that only rustc compiles.

#![allow(dead_code, unused_imports, clippy::all, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

const N: usize = 64;

each_program! { slice_statements:
moved plain_moved moved_kernel MovedKernel MOVED {
    fn nine() -> u32 {
        9
    }
    fn shift(values: &mut [u32], by: usize) {
        values.copy_within(..values.len() - by, by);
        values[..by].fill_with(nine);
    }
    fn exchange(a: &mut [u32], b: &mut [u32]) {
        a.swap_with_slice(b);
    }
    fn hash(values: &[u32]) -> u32 {
        values.iter().fold(5, |h, v| h.rotate_left(5).wrapping_mul(3) ^ v)
    }
    /// The last bytes of a stream.
    pub(super) struct Window {
        bytes: [u8; 8],
        rest: [u8; 4],
    }
    impl Window {
        fn push(&mut self, byte: u8) {
            self.bytes.copy_within(1.., 0);
            self.bytes[7] = byte;
        }
        fn swap(&mut self) {
            let (low, high) = self.bytes.split_at_mut(4);
            low.swap_with_slice(high);
            self.bytes[2..6].swap_with_slice(&mut self.rest);
        }
    }
    #[derive(Clone, Copy, Default, PartialEq)]
    pub(super) struct Cell {
        n: u32,
        odd: u32,
    }
    pub(super) fn of(i: u32) -> u32 {
        let at = (i % 5) as usize;
        let mut own: [u32; 10] = std::array::from_fn(|k| i * 7 + k as u32);
        own.copy_within(at..at + 4, 3);
        own.copy_within(at + 1..=at + 3, at);
        own.copy_within(7.., at);
        own[2..9].copy_within(1..4, 2);
        let mut h = hash(&own);
        shift(&mut own, at);
        h ^= hash(&own) << 1;
        let mut seed = i;
        own.fill_with(|| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed >> 8
        });
        own[at..at + 3].fill_with(Default::default);
        h = h.wrapping_add(hash(&own)) ^ seed;
        let mut other = [i; 4];
        own[1..5].swap_with_slice(&mut other);
        let (a, b) = own.split_at_mut(5);
        a.swap_with_slice(b);
        exchange(&mut own[..3], &mut other[1..]);
        h = h.rotate_left(3) ^ hash(&own) ^ hash(&other).wrapping_mul(11);
        let mut window = Window { bytes: [1, 2, 3, 4, 5, 6, 7, 8], rest: [9; 4] };
        window.push(i as u8);
        window.push(200);
        window.swap();
        h ^= u32::from_le_bytes(window.bytes[at % 3..at % 3 + 4].try_into().unwrap());
        h ^= u32::from_be_bytes(window.rest);
        let mut cells = [Cell { n: i, odd: i % 2 }; 4];
        let mut count = 0;
        cells[1..].fill_with(|| {
            count += 1;
            Cell { n: count, odd: count % 2 }
        });
        cells.copy_within(2.., 0);
        own.rotate_left(at);
        own[2..8].rotate_right(3);
        cells.iter().fold(h ^ hash(&own), |h, c| h.rotate_left(4) ^ c.n * 2 + c.odd)
    }
}
}

/// All cases of this file.
pub const CASES: &[Case] = &[MOVED];
