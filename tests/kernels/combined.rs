//! Programs that combine what structs with slices, iterators of one's own, searches for elements and functions that never return can do.
//! Each module also stands in one that only rustc compiles.

#![allow(dead_code, unused_imports, clippy::all, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::{both, case, domain};
use crate::case::{Case, Output};

both!(cache, plain_cache, {
    #[derive(Clone, Copy, Default)]
    struct Line {
        tag: u32,
        age: u32,
        hits: u32,
    }

    struct Cache {
        lines: [Line; 4],
        clock: u32,
    }

    impl Cache {
        fn touch(&mut self, tag: u32) -> bool {
            self.clock += 1;
            let now = self.clock;
            if let Some(line) = self.lines.iter_mut().find(|line| line.tag == tag && line.age > 0) {
                line.age = now;
                line.hits += 1;
                return true;
            }
            if let Some(oldest) = self.lines.iter_mut().min_by_key(|line| line.age) {
                *oldest = Line { tag, age: now, ..Line::default() };
            }
            false
        }
    }

    pub(super) fn cache(i: u32, x: &[u32]) -> u32 {
        let mut cache = Cache { lines: [Line::default(); 4], clock: 0 };
        let mut hits = 0;
        for k in 0..24 {
            hits += cache.touch((x[k] + i) % 7) as u32;
        }
        cache.lines.iter().fold(hits, |h, line| h.rotate_left(5) ^ line.tag * 9 ^ line.hits)
    }
});

both!(calculator, plain_calculator, {
    #[derive(Clone, Copy, PartialEq)]
    enum Token {
        Number(u32),
        Plus,
        Times,
    }

    struct Tokens<'a> {
        rest: &'a [u32],
    }

    fn refuse(word: u32) -> ! {
        panic!("no token begins with {word}")
    }

    impl Iterator for Tokens<'_> {
        type Item = Token;

        fn next(&mut self) -> Option<Token> {
            if self.rest.is_empty() {
                return None;
            }
            let word = self.rest[0];
            self.rest = &self.rest[1..];
            Some(match word % 4 {
                0 => Token::Plus,
                1 => Token::Times,
                2 | 3 => Token::Number(word % 100),
                _ => refuse(word),
            })
        }
    }

    fn value(tokens: Tokens<'_>) -> u32 {
        let (mut sum, mut product, mut times) = (0u32, 1u32, false);
        for token in tokens {
            match token {
                Token::Number(n) if times => product = product.wrapping_mul(n + 1),
                Token::Number(n) => product = n,
                Token::Plus => {
                    sum = sum.wrapping_add(product);
                    times = false;
                }
                Token::Times => times = true,
            }
        }
        sum.wrapping_add(product)
    }

    pub(super) fn calculator(i: u32, x: &[u32]) -> u32 {
        let tokens = Tokens { rest: &x[i as usize..i as usize + 20] };
        let numbers = Tokens { rest: &x[4..] }.filter(|token| *token != Token::Plus).count() as u32;
        value(tokens) ^ numbers << 16
    }
});

both!(runs, plain_runs, {
    struct Runs<'a, T> {
        items: &'a [T],
        at: usize,
    }

    impl<T: Copy + PartialEq> Iterator for Runs<'_, T> {
        type Item = (T, usize);

        fn next(&mut self) -> Option<(T, usize)> {
            let first = *self.items.get(self.at)?;
            let start = self.at;
            while self.at < self.items.len() && self.items[self.at] == first {
                self.at += 1;
            }
            Some((first, self.at - start))
        }
    }

    fn longest<T: Copy + PartialEq>(items: &[T]) -> usize {
        Runs { items, at: 0 }.map(|(_, n)| n).max().unwrap_or(0)
    }

    pub(super) fn runs(i: u32, x: &[u32]) -> u32 {
        let few: [u32; 16] = std::array::from_fn(|k| (x[i as usize + k] >> 2) % 2);
        let signs: [bool; 16] = std::array::from_fn(|k| x[k] > i);
        let mut h = longest(&few) as u32 * 64;
        for (v, n) in (Runs { items: &few[..], at: 3 }) {
            h = h.rotate_left(3) ^ v * 7 ^ n as u32;
        }
        h ^ Runs { items: x, at: 0 }.filter(|(v, _)| v % 2 == 0).fold(signs[3] as u32, |h, (v, n)| h ^ v << (n % 5))
    }
});

both!(median, plain_median, {
    struct Window {
        last: [u32; 5],
    }

    impl Window {
        fn push(&mut self, v: u32) {
            self.last.copy_within(1.., 0);
            self.last[4] = v;
        }

        fn median(&self) -> u32 {
            let mut sorted = self.last;
            sorted.sort();
            sorted[2]
        }
    }

    pub(super) fn median(i: u32, x: &[u32]) -> u32 {
        let mut window = Window { last: [0; 5] };
        window.last.fill_with(|| i * 3);
        let mut h = 0u32;
        for v in &x[i as usize..i as usize + 12] {
            window.push(*v);
            h = h.wrapping_mul(31).wrapping_add(window.median());
        }
        h
    }
});

both!(blocks, plain_blocks, {
    pub(super) trait Cells {
        fn cell(&self, row: usize, column: usize) -> u32;
        fn size(&self) -> (usize, usize);
    }

    #[derive(Clone, Copy)]
    struct Grid2<'a> {
        cells: &'a [u32],
        width: usize,
        stride: usize,
    }

    impl Cells for Grid2<'_> {
        fn cell(&self, row: usize, column: usize) -> u32 {
            self.cells[row * self.stride + column]
        }

        fn size(&self) -> (usize, usize) {
            (self.cells.len() / self.stride, self.width)
        }
    }

    impl<'a> Grid2<'a> {
        fn below(self, row: usize) -> Self {
            Grid2 { cells: &self.cells[row * self.stride..], ..self }
        }

        fn narrow(self, width: usize) -> Self {
            Self { width, ..self }
        }
    }

    fn sum(grid: &Grid2<'_>) -> u32 {
        let (rows, columns) = grid.size();
        let mut sum = 0u32;
        for r in 0..rows {
            for c in 0..columns {
                sum = sum.wrapping_mul(3).wrapping_add(grid.cell(r, c));
            }
        }
        sum
    }

    pub(super) fn blocks(i: u32, x: &[u32]) -> u32 {
        let grid = Grid2 { cells: &x[..40], width: 8, stride: 8 };
        let part = grid.below(i as usize % 4).narrow(3 + i as usize % 5);
        let Grid2 { cells, width, .. } = part;
        sum(&part) ^ sum(&grid.narrow(2)) ^ cells[width] ^ part.cell(0, 1)
    }
});

both!(heap, plain_heap, {
    fn overflow(n: usize) -> ! {
        panic!("more than {n} in a heap")
    }

    struct Heap<'a> {
        slots: &'a mut [u32],
        len: usize,
    }

    impl Heap<'_> {
        fn push(&mut self, v: u32) {
            if self.len == self.slots.len() {
                overflow(self.len)
            }
            let mut at = self.len;
            self.slots[at] = v;
            self.len += 1;
            while at > 0 && self.slots[(at - 1) / 2] > self.slots[at] {
                self.slots.swap(at, (at - 1) / 2);
                at = (at - 1) / 2;
            }
        }

        fn pop(&mut self) -> Option<u32> {
            let top = *self.slots[..self.len].first()?;
            self.len -= 1;
            self.slots[0] = self.slots[self.len];
            let mut at = 0;
            loop {
                let mut least = at;
                for child in [2 * at + 1, 2 * at + 2] {
                    if child < self.len && self.slots[child] < self.slots[least] {
                        least = child;
                    }
                }
                if least == at {
                    break Some(top);
                }
                self.slots.swap(at, least);
                at = least;
            }
        }
    }

    pub(super) fn heap(i: u32, x: &[u32]) -> u32 {
        let mut slots = [0u32; 10];
        let mut heap = Heap { slots: &mut slots, len: 0 };
        for v in &x[i as usize..i as usize + 9] {
            heap.push(*v);
        }
        let mut h = 0u32;
        while let Some(v) = heap.pop() {
            h = h.rotate_left(5) ^ v;
            if heap.len == 4 {
                heap.push(i);
                heap.pop();
            }
        }
        h ^ slots[3]
    }
});

both!(walks, plain_walks, {
    use core::ops::{Add, Mul};

    /// The powers of a number.
    #[derive(Clone, Copy)]
    struct Powers<T> {
        now: T,
        by: T,
        left: usize,
    }

    impl<T> Iterator for Powers<T>
    where
        T: Copy + Mul<Output = T>,
    {
        type Item = T;

        fn next(&mut self) -> Option<Self::Item> {
            self.left = self.left.checked_sub(1)?;
            let now = self.now;
            self.now = now * self.by;
            Some(now)
        }
    }

    pub(super) fn walks(i: u32, x: &[u32]) -> u32 {
        let digits = Powers { now: 1u32, by: 10, left: 5 };
        let number: u32 = x.iter().zip(digits).map(|(v, p)| v % 10 * p).sum();
        let real =
            Powers { now: 1.0f32, by: 0.5, left: 6 }.zip(x.iter()).map(|(p, v)| p * (v % 16) as f32).sum::<f32>();
        let mut kept = digits;
        let second = kept.nth(1).unwrap_or(0);
        number ^ (real * 32.0) as u32 ^ second ^ kept.skip(i as usize % 3).last().unwrap_or(7)
    }
});

both!(bits, plain_bits, {
    struct Bits<'a> {
        words: &'a [u32],
        at: u32,
    }

    impl Bits<'_> {
        fn take_bits(&mut self, n: u32) -> u32 {
            self.by_ref().take(n as usize).fold(0, |v, bit| v << 1 | bit as u32)
        }
    }

    impl Iterator for Bits<'_> {
        type Item = bool;

        fn next(&mut self) -> Option<bool> {
            let word = *self.words.get(self.at as usize / 32)?;
            self.at += 1;
            Some(word >> ((self.at - 1) % 32) & 1 == 1)
        }
    }

    pub(super) fn bits(i: u32, x: &[u32]) -> u32 {
        let mut bits = Bits { words: &x[i as usize..], at: i % 7 };
        let zeros = bits.by_ref().take_while(|bit| !bit).count() as u32;
        let a = bits.take_bits(5);
        let b = bits.take_bits(11);
        let ones = bits.take(100).filter(|bit| *bit).count() as u32;
        zeros ^ a << 8 ^ b << 16 ^ ones
    }
});

both!(sums, plain_sums, {
    use core::iter::Sum;
    use core::ops::Add;

    #[derive(Clone, Copy, Default)]
    struct Stats {
        sum: u32,
        most: u32,
    }

    impl Add for Stats {
        type Output = Stats;
        fn add(self, o: Stats) -> Stats {
            Stats { sum: self.sum.wrapping_add(o.sum), most: self.most.max(o.most) }
        }
    }

    impl Sum for Stats {
        fn sum<I: Iterator<Item = Stats>>(iter: I) -> Stats {
            iter.fold(Stats::default(), |a, b| a + b)
        }
    }

    fn of(v: u32) -> Stats {
        Stats { sum: v, most: v % 1000 }
    }

    pub(super) fn sums(i: u32, x: &[u32]) -> u32 {
        let all = of(i) + x.iter().skip(i as usize).take(9).map(|v| of(*v)).sum();
        all.sum ^ all.most << 20
    }
});

both!(shuffle, plain_shuffle, {
    fn none(rounds: u32) -> ! {
        panic!("no card after {rounds} rounds")
    }

    struct Deck {
        cards: [u32; 8],
        spare: [u32; 4],
    }

    impl Deck {
        fn cut(&mut self, at: usize) {
            self.cards.rotate_left(at);
            self.cards[2..6].swap_with_slice(&mut self.spare);
        }

        fn mark(&mut self, card: u32) -> u32 {
            let Some(found) = self.cards.iter_mut().find(|c| **c % 8 == card) else { none(card) };
            *found += 8;
            *found
        }
    }

    pub(super) fn shuffle(i: u32, x: &[u32]) -> u32 {
        let mut deck = Deck { cards: std::array::from_fn(|k| k as u32), spare: [0, 1, 2, 3] };
        deck.spare.fill_with(|| x[i as usize] % 8 + 16);
        let mut h = deck.mark(i % 8);
        deck.cut(i as usize % 8);
        if let Some(last) = deck.cards.iter_mut().rev().find(|c| **c < 8) {
            *last = 99;
        }
        for (c, s) in deck.cards.iter().zip(deck.spare.iter().cycle()) {
            h = h.wrapping_mul(7) ^ c ^ s << 9;
        }
        h
    }
});

/// A module of the author's own by the name of Rust's.
#[device]
mod consts {
    pub(super) const PI: f32 = 3.0;
    pub(super) const SIDE: u32 = 7;
    pub(super) fn area(side: u32) -> u32 {
        side * SIDE
    }
}

#[kernel(workgroup = 16)]
fn own_consts(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = consts::area(x[i] % 9) + consts::SIDE + (self::consts::PI * x[i] as f32) as u32;
}

domain! { "combined", {
    cache, Cache, plain_cache;
    calculator, Calculator, plain_calculator;
    runs, Runs, plain_runs;
    median, Median, plain_median;
    blocks, Blocks, plain_blocks;
    heap, Heap, plain_heap;
    walks, Walks, plain_walks;
    bits, Bits, plain_bits;
    sums, Sums, plain_sums;
    shuffle, Shuffle, plain_shuffle;
} }

/// A program that names the module.
pub const OWN_CONSTS: &[Case] = &[case!(
    "combined::own_consts",
    [OwnConsts],
    |mgr| {
        let x: Vec<u32> = (0..32).collect();
        let mut y = mgr.tensor_of_len::<u32>(32)?;
        let seq = mgr.sequence()?;
        OwnConsts::dispatch(&seq, Grid::items(32), &mgr.tensor(&x)?, &mut y)?.eval()?;
        Ok(vec![Output::U32(y.to_vec()?)])
    },
    || vec![Output::U32((0..32).map(|v| (v % 9) * 7 + 7 + v * 3).collect())]
)];
