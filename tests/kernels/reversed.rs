//! `std::cmp::Reverse` in keys, members, heaps and patterns, and types of that name of one's own. Each function also stands in a module that
//! only rustc compiles.

#![allow(dead_code, unused_imports, clippy::all, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

const N: usize = 64;

each_program! { reversed:
keys plain_keys keys_kernel KeysKernel KEYS {
    use std::cmp::{Ordering, Reverse};
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
    struct Job {
        weight: u8,
        start: u16,
    }
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    struct Ticket {
        rank: Reverse<u16>,
        id: u8,
    }
    struct Heap<T, const N: usize> {
        items: [T; N],
        len: usize,
    }
    impl<T: Copy + Ord, const N: usize> Heap<T, N> {
        fn new(fill: T) -> Self {
            Self { items: [fill; N], len: 0 }
        }
        fn push(&mut self, item: T) {
            let mut k = self.len;
            self.items[k] = item;
            self.len += 1;
            while k > 0 && self.items[(k - 1) / 2] < self.items[k] {
                self.items.swap(k, (k - 1) / 2);
                k = (k - 1) / 2;
            }
        }
        fn pop(&mut self) -> Option<T> {
            let best = (0..self.len).max_by_key(|&k| self.items[k])?;
            self.len -= 1;
            self.items.swap(best, self.len);
            Some(self.items[self.len])
        }
    }
    fn first<T: Ord + Copy, const N: usize>(x: &[T; N]) -> T {
        let mut best = x[0];
        for &v in x {
            best = best.min(v);
        }
        best
    }

    pub(super) fn of(i: u32) -> u32 {
        let x: [u32; 96] = std::array::from_fn(|k| (k as u32 ^ 3).wrapping_mul(0x9e37_79b9));
        let k = i as usize;
        let mut jobs: [Job; 8] =
            std::array::from_fn(|n| Job { weight: x[k + n] as u8 & 3, start: (x[k + n] >> 8) as u16 & 15 });
        jobs.sort_by_key(|j| Reverse(j.weight));
        let a = jobs.iter().fold(0u32, |h, j| (h << 4) ^ u32::from(j.start));
        jobs.sort_unstable_by_key(|j| (j.weight, Reverse(j.start)));
        let b = jobs.iter().fold(0u32, |h, j| (h << 4) ^ u32::from(j.start));
        let c = jobs.iter().min_by_key(|j| std::cmp::Reverse((j.start, j.weight))).map_or(0, |j| u32::from(j.start));
        let mut heap = Heap::<Reverse<(u32, u8)>, 8>::new(Reverse((0, 0)));
        for (n, j) in (0u8..).zip(&jobs) {
            heap.push(Reverse((u32::from(j.weight) * 3 + u32::from(j.start), n)));
        }
        let mut d = 0u32;
        while let Some(Reverse((w, n))) = heap.pop() {
            d = (d << 3) ^ (w << 1) ^ u32::from(n);
            if w > 12 {
                break;
            }
        }
        let t = [
            Ticket { rank: Reverse(x[k] as u16), id: 1 },
            Ticket { rank: Reverse(x[k + 1] as u16), id: 2 },
            Ticket { rank: Reverse(x[k] as u16), id: 3 },
        ];
        let e = t.iter().max().map_or(0, |t| u32::from(t.id) + u32::from(t.rank.0));
        let f = match Reverse(x[k]).cmp(&Reverse(x[k + 2])) {
            Ordering::Less => 1,
            Ordering::Equal => 2,
            Ordering::Greater => 3,
        };
        let g = Reverse(x[k] as f32)
            .partial_cmp(&Reverse(if i % 4 == 0 { f32::NAN } else { 7.0 }))
            .map_or(9, |o| o as i32 + 1) as u32;
        let h = u32::from(Reverse(x[k]) < Reverse(x[k + 1]))
            | u32::from(Reverse(i) >= Reverse(3)) << 1
            | u32::from(Reverse(i) == Reverse(4)) << 2;
        let Reverse(m) = first(&[Reverse(i), Reverse(5), Reverse(x[k] & 63)]).max(Reverse(2));
        a ^ b.rotate_left(8) ^ c ^ d ^ e << 12 ^ f << 30 ^ g << 26 ^ h << 20 ^ m << 14
    }
}
own plain_own own_kernel OwnKernel OWN {

    /// Orders as its member does.
    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    struct Reverse(u32);
    impl Reverse {
        fn twice(self) -> u32 {
            self.0 * 2
        }
    }
    pub(super) fn of(i: u32) -> u32 {
        u32::from(Reverse(i) < Reverse(9)) ^ Reverse(i).twice() << 1
    }
}
}

/// All cases of this file.
pub const CASES: &[Case] = &[KEYS, OWN];
