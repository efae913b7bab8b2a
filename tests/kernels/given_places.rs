//! Methods that give a `&mut` reference to a part of `self`: written through, named, passed on, chained. Each function also stands in
//! a module that only rustc compiles.

#![allow(dead_code, unused_imports, clippy::all, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

const N: usize = 64;

each_program! { given_places:
chained plain_chained chained_kernel ChainedKernel CHAINED {
    fn word(k: usize) -> u32 {
        (k as u32 + 1).wrapping_mul(0x9e37_79b9).rotate_left(k as u32) >> 16
    }
    #[derive(Clone, Copy, Default)]
    struct Cell {
        a: u32,
        b: [u32; 3],
    }
    impl Cell {
        fn bump(&mut self, by: u32) -> &mut Self {
            self.a = self.a.wrapping_add(by);
            self.b[self.a as usize % 3] ^= by;
            self
        }
        fn slot(&mut self, i: usize) -> &mut u32 {
            &mut self.b[i % 3]
        }
        fn a_mut(&mut self) -> &mut u32 {
            &mut self.a
        }
        fn total(&self) -> u32 {
            self.b.iter().fold(self.a, |h, v| h ^ v)
        }
    }
    #[derive(Clone, Copy)]
    struct Grid<T, const W: usize, const H: usize> {
        cells: [[T; W]; H],
        writes: u32,
    }
    impl<T: Copy + Default, const W: usize, const H: usize> Grid<T, W, H> {
        fn new() -> Self {
            Self { cells: [[T::default(); W]; H], writes: 0 }
        }
        fn at(&mut self, x: usize, y: usize) -> &mut T {
            self.writes += 1;
            let (x, y) = (x % W, y % H);
            &mut self.cells[y][x]
        }
        fn first(&mut self) -> &mut T {
            self.at(0, 0)
        }
        fn put(&mut self, x: usize, y: usize, v: T) -> &mut Self {
            *self.at(x, y) = v;
            self
        }
    }
    trait Store {
        fn word(&mut self, i: usize) -> &mut u32;
        fn add(&mut self, i: usize, v: u32) {
            *self.word(i) = self.word(i).wrapping_add(v);
        }
    }
    impl Store for Cell {
        fn word(&mut self, i: usize) -> &mut u32 {
            self.slot(i + 1)
        }
    }

    impl Store for [u32; 4] {
        fn word(&mut self, i: usize) -> &mut u32 {
            &mut self[i % 4]
        }
    }
    fn twice<S: Store>(s: &mut S, i: usize, v: u32) {
        *s.word(i) ^= v;
        s.add(i + 1, v);
        let w = s.word(i + 2);
        *w = w.rotate_left(3) ^ v;
    }
    fn raise(v: &mut u32, by: u32) {
        *v = v.wrapping_mul(3).wrapping_add(by);
    }

    pub(super) fn of(i: u32) -> u32 {
        let k = i as usize;
        let mut cell = Cell::default();
        cell.bump(word(k)).bump(i).bump(word(k + 1));
        *cell.slot(k) = word(k + 2);
        *cell.slot(k + 1) += word(k + 3);
        let mut g = Grid::<u32, 4, 3>::new();
        g.put(1, 2, i).put(2, 2, word(k + 4)).put(k, k, 7);
        *g.at(3, 1) = word(k + 5) & 0xff;
        *g.at(k, 1) += *g.at(3, 1);
        let s = g.at(2, 0);
        *s ^= 5;
        *s += i;
        raise(g.at(1, 1), i);
        raise(cell.a_mut(), 2);
        std::mem::swap(g.at(0, 2), &mut cell.b[1]);
        *g.first() |= 1 << 20;
        let mut cells = Grid::<Cell, 2, 2>::new();
        cells.at(k, 1).bump(4).a += 2;
        cells.at(1, k).b[k % 3] ^= 9;
        *cells.at(0, 0).slot(2) = 11;
        let n = cells.first().total() ^ cells.at(1, 1).total();
        twice(&mut cell, k, word(k + 6));
        let mut words = [1, 2, 3, i];
        twice(&mut words, k, word(k + 7));

        let h = g.cells.iter().flatten().fold(n, |h, v| h.rotate_left(7) ^ v);
        words.iter().chain(cell.b.iter()).fold(h ^ g.writes ^ cell.a, |h, v| h.rotate_left(5) ^ v)
    }
}
passed_on plain_passed_on passed_on_kernel PassedOnKernel PASSED_ON {
    fn word(k: usize) -> u32 {
        (k as u32 + 1).wrapping_mul(0x9e37_79b9).rotate_left(k as u32) >> 16
    }
    #[derive(Clone, Copy, Default, Debug, PartialEq)]
    struct Cell {
        a: u32,
        b: [u32; 3],
    }
    #[derive(Default)]
    struct Stack<const N: usize> {
        items: [Cell; 4],
        len: usize,
        name: Option<u32>,
    }
    impl Cell {
        fn bump(&mut self, by: u32) -> &mut Self {
            self.a = self.a.wrapping_mul(5).wrapping_add(by);
            self
        }
        fn slot(&mut self, i: usize) -> &mut u32 {
            &mut self.b[i % 3]
        }
    }
    impl<const N: usize> Stack<N> {
        fn push(&mut self, c: Cell) -> &mut Cell {
            let at = self.len;
            self.len += 1;
            self.items[at] = c;
            &mut self.items[at]
        }
        fn top(&mut self) -> &mut Cell {
            let at = self.len - 1;
            &mut self.items[at]
        }
        fn cell(&mut self, i: usize) -> &mut Cell {
            &mut self.items[i % 4]
        }
        fn deep(&mut self, i: usize, k: usize) -> &mut u32 {
            self.cell(i).slot(k)
        }
        fn checked(&mut self, i: usize) -> &mut Cell {
            assert!(i < 4, "no cell {i}");
            if i == 3 {
                self.len = 3;
            }
            &mut self.items[i]
        }
        fn fill(&mut self) {
            for (k, c) in (0u32..).zip(self.items.iter_mut()) {
                c.bump(k).bump(k + 1);
                *c.slot(k as usize) += 4;
            }
        }
    }
    fn free(c: &mut Cell, by: u32) -> u32 {
        *c.slot(0) ^= by;
        c.bump(by).bump(1);
        c.a
    }
    impl std::ops::AddAssign<u32> for Cell {
        fn add_assign(&mut self, v: u32) {
            self.a += v;
        }
    }
    fn with(s: &mut Stack<2>, mut f: impl FnMut(&mut Cell)) {
        f(s.cell(1));
        f(s.top());
    }

    pub(super) fn of(i: u32) -> u32 {
        let k = i as usize;
        let mut s = Stack::<2>::default();
        s.push(Cell { a: word(k), b: [1, 2, 3] }).bump(2);
        s.push(Cell::default()).b = [i, i + 1, i + 2];
        *s.top().slot(k) ^= word(k + 1);
        *s.deep(k, k + 1) += 3;
        *s.cell(2) += 9;
        *s.cell(3) = Cell { a: 3, ..*s.cell(1) };
        s.fill();
        with(&mut s, |c| {
            c.bump(11);
            c.b[0] ^= 1;
        });
        let [first, second, ..] = s.items;
        let mut own = first;
        let r = free(&mut own, i) ^ free(s.checked(k % 4), 3) ^ free(&mut s.items[1], 4);
        if *s.deep(0, 0) > 100 {
            *s.deep(0, 0) -= 1;
        }
        let mut copy = *s.cell(k);
        copy.bump(1);
        let turn = |c: &mut Cell| {
            *c.slot(2) = 5;
        };
        turn(s.cell(0));
        turn(&mut copy);
        s.items.iter().fold(r ^ second.b[1] ^ copy.a ^ s.len as u32, |h, c| {
            h.rotate_left(3) ^ c.a ^ c.b[0] ^ c.b[1].rotate_left(9) ^ c.b[2] << 5
        })
    }
}
of_arrays plain_of_arrays of_arrays_kernel OfArraysKernel OF_ARRAYS {
    fn word(k: usize) -> u32 {
        (k as u32 + 1).wrapping_mul(0x9e37_79b9).rotate_left(k as u32) >> 16
    }
    trait Put {
        fn put(&mut self, i: usize, v: u32);
        fn more(&mut self, i: usize) -> u32;
    }
    impl Put for [u32; 4] {
        fn put(&mut self, i: usize, v: u32) {
            self[i % 4] = v;
            self[(i + 1) % 4] ^= v;
        }
        fn more(&mut self, i: usize) -> u32 {
            let p = &mut self[i % 4];
            *p += 3;
            let v = *p;
            self.iter().fold(v ^ self[(i + 2) % 4], |h, v| h ^ v)
        }
    }

    pub(super) fn of(i: u32) -> u32 {
        let mut a = [1, 2, 3, 4];
        a.put(i as usize, word(i as usize));
        a.more(i as usize) ^ a[2] ^ a[3]
    }
}
}

/// All cases of this file.
pub const CASES: &[Case] = &[CHAINED, PASSED_ON, OF_ARRAYS];
