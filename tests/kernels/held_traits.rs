//! Structs with slices that have traits: iterators, generic ones too, and traits of the author's own; and structs taken apart and made of
//! others. Each function also stands in a module that only rustc compiles.

#![allow(dead_code, unused_imports, clippy::all, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

const N: usize = 64;

each_program! { held_traits:
iterators plain_iterators iterators_kernel IteratorsKernel ITERATORS {
    use core::ops::Add;
    /// Neighbours in a slice.
    pub(super) struct Pairs<'a, T> {
        items: &'a [T],
        at: usize,
    }
    impl<'a, T> Pairs<'a, T> {
        fn of(items: &'a [T]) -> Self {
            Self { items, at: 0 }
        }
    }
    impl<'a, T: Copy> Iterator for Pairs<'a, T> {
        type Item = (T, T);
        fn next(&mut self) -> Option<Self::Item> {
            if self.at + 1 >= self.items.len() {
                return None;
            }
            self.at += 1;
            Some((self.items[self.at - 1], self.items[self.at]))
        }
    }
    /// Numbers in a text.
    pub(super) struct Numbers<'a> {
        rest: &'a [u8],
    }
    impl Iterator for Numbers<'_> {
        type Item = u32;
        fn next(&mut self) -> Option<u32> {
            while !self.rest.is_empty() && !self.rest[0].is_ascii_digit() {
                self.rest = &self.rest[1..];
            }
            if self.rest.is_empty() {
                return None;
            }
            let mut n = 0;
            while !self.rest.is_empty() && self.rest[0].is_ascii_digit() {
                n = n * 10 + u32::from(self.rest[0] - b'0');
                self.rest = &self.rest[1..];
            }
            Some(n)
        }
    }
    /// Steps of any number.
    #[derive(Clone, Copy)]
    pub(super) struct Steps<T> {
        now: T,
        step: T,
        left: u32,
    }
    impl<T: Copy + Add<Output = T>> Iterator for Steps<T> {
        type Item = T;
        fn next(&mut self) -> Option<T> {
            if self.left == 0 {
                return None;
            }
            self.left -= 1;
            let now = self.now;
            self.now = now + self.step;
            Some(now)
        }
    }
    fn steps<T>(now: T, step: T, left: u32) -> Steps<T> {
        Steps { now, step, left }
    }
    pub(super) struct Gaps(u32);
    impl Iterator for Gaps {
        type Item = Option<u32>;
        fn next(&mut self) -> Option<Option<u32>> {
            self.0 = self.0.checked_sub(1)?;
            Some((self.0 % 3 != 0).then_some(self.0))
        }
    }
    fn rises(x: &[u32]) -> usize {
        Pairs::of(x).filter(|(a, b)| a < b).count()
    }
    pub(super) fn of(i: u32) -> u32 {
        let own: [u32; 8] = std::array::from_fn(|k| (i * 7 + k as u32 * 5) % 11);
        let reals = [0.5f32, 1.5, i as f32];
        let mut h = rises(&own) as u32;
        for (a, b) in Pairs::of(&own[1..]) {
            h = h.rotate_left(3) ^ a * 5 ^ b;
        }
        for (a, b) in Pairs::of(&reals) {
            h ^= (a * b) as u32;
        }
        let mut pairs = Pairs { items: &own[..], at: 2 };
        let first = pairs.next().map_or(9, |(a, b)| a * b);
        h ^= first + pairs.map(|(a, b)| a.abs_diff(b)).sum::<u32>() * 3;
        let text = *b"12 and 7,304 x";
        let numbers = Numbers { rest: &text };
        h ^= numbers.take(i as usize % 4).fold(1u32, |h, n| h.wrapping_mul(3) ^ n);
        let mut reader = Numbers { rest: &text[(i % 3) as usize..] };
        while let Some(n) = reader.next() {
            h = h.wrapping_mul(3) ^ n;
        }
        h ^= steps(i, 3, 4).sum::<u32>() ^ steps(1u32, i, 3).max().unwrap_or(0) << 8;
        for (v, w) in steps(0.5f32, 0.25, 4).zip(steps(i as u64, 2, 9)) {
            h ^= (v * 8.0) as u32 ^ w as u32;
        }
        h = h.rotate_left(1) ^ Gaps(i).flatten().fold(i, |h: u32, v| h.wrapping_mul(5) ^ v);
        let mut some = Steps { now: i, step: 2, left: 5 };
        for v in some.by_ref().take(2) {
            h ^= v << 4;
        }
        h ^ some.now ^ some.left
    }
}

traits plain_traits traits_kernel TraitsKernel TRAITS {
    pub(super) trait Area {
        const SCALE: u32;
        fn area(&self) -> u32;
        fn at(&self, i: usize) -> u32;
        fn grow(&mut self, by: usize);
    }
    #[derive(Clone, Copy)]
    pub(super) struct View<'a> {
        data: &'a [u32],
        width: usize,
    }
    impl Area for View<'_> {
        const SCALE: u32 = 3;
        fn area(&self) -> u32 {
            (self.data.len() / self.width) as u32 * Self::SCALE
        }
        fn at(&self, i: usize) -> u32 {
            self.data[i * self.width]
        }
        fn grow(&mut self, by: usize) {
            self.width += by;
            self.data = &self.data[by..];
        }
    }
    #[derive(Clone, Copy)]
    pub(super) struct Square(u32);
    impl Area for Square {
        const SCALE: u32 = 1;
        fn area(&self) -> u32 {
            self.0 * self.0
        }
        fn at(&self, i: usize) -> u32 {
            self.0 + i as u32
        }
        fn grow(&mut self, by: usize) {
            self.0 += by as u32;
        }
    }
    impl<'a> View<'a> {
        fn wider(self, width: usize) -> Self {
            View { width, ..self }
        }
        fn of(&self, data: &'a [u32]) -> View<'a> {
            View { data, ..*self }
        }
        fn mixed(self) -> u32 {
            let View { data, width } = self;
            data.iter().sum::<u32>() ^ width as u32
        }
        fn ends(&self) -> u32 {
            let Self { data, .. } = self;
            data[0] ^ data[data.len() - 1]
        }
    }
    /// A tuple struct.
    pub(super) struct Span<'a>(&'a [u32], u32);
    fn weigh(span: Span<'_>) -> u32 {
        let Span(words, weight) = span;
        words.len() as u32 * weight + words[1]
    }
    pub(super) struct Target<'a> {
        cells: &'a mut [u32],
        first: usize,
    }
    fn fill(target: Target<'_>, v: u32) -> usize {
        let Target { cells, first } = target;
        for c in cells.iter_mut() {
            *c = v;
        }
        cells[first] += 1;
        first + cells.len()
    }
    pub(super) fn of(i: u32) -> u32 {
        let own: [u32; 12] = std::array::from_fn(|k| i.wrapping_mul(77) >> k);
        let mut view = View { data: &own, width: 2 };
        let mut square = Square(i);
        let mut h = view.area() ^ view.at(3) ^ square.area();
        view.grow(1 + i as usize % 2);
        square.grow(2);
        h = h.rotate_left(4) ^ view.area() ^ view.at(2) ^ square.at(1);
        h ^= view.wider(5).area() ^ view.wider(1).at(4) ^ view.mixed() ^ view.ends();
        let View { data, width: step } = view;
        h = h.wrapping_mul(3) ^ data[step] ^ weigh(Span(&data[1..4], i));
        let other = [i, 5, 9];
        h ^= view.of(&other).mixed().wrapping_mul(5);
        let mut cells = [0u32; 5];
        let filled = fill(Target { cells: &mut cells[1..], first: 2 }, i);
        h ^ cells.iter().fold(filled as u32, |h, c| h.rotate_left(6) ^ c)
    }
}
}

/// All cases of this file.
pub const CASES: &[Case] = &[ITERATORS, TRAITS];
