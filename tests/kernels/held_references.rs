//! Structs that hold `&` references to values: to structs, arrays and numbers, in generic structs, in options and beside slices. Here they
//! are the values. rustc compiles the program, too.

#![allow(dead_code, clippy::all, clippy::pedantic, reason = "a program as people write it")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(values, plain_values, {
    #[derive(Clone, Copy)]
    struct Params {
        scale: u32,
        table: [u32; 4],
    }
    trait Scoring {
        fn score(&self, v: u32) -> u32;
    }
    #[derive(Clone, Copy)]
    struct Plus(u32);
    impl Scoring for Plus {
        fn score(&self, v: u32) -> u32 {
            v.wrapping_add(self.0)
        }
    }
    struct View<'a> {
        params: &'a Params,
        own: &'a [u32; 4],
        k: &'a u32,
        n: u32,
    }
    impl<'a> View<'a> {
        fn new(params: &'a Params, own: &'a [u32; 4], k: &'a u32) -> Self {
            Self { params, own, k, n: own.len() as u32 }
        }
        fn at(&self, i: usize) -> u32 {
            self.own[i % 4] ^ self.params.table[(i + 1) % 4] ^ *self.k
        }
        fn scaled(&self) -> u32 {
            self.params.scale * self.n + self.k
        }
        fn params(&self) -> &'a Params {
            self.params
        }
        fn all(&self) -> impl Iterator<Item = u32> + '_ {
            self.own.iter().map(|v| v ^ self.params.scale)
        }
        fn bump(&mut self) {
            self.n += *self.k & 3;
        }
    }
    struct Aligner<'s, S: Scoring, const W: usize> {
        scoring: &'s S,
        row: [u32; W],
    }
    impl<'s, S: Scoring, const W: usize> Aligner<'s, S, W> {
        fn new(scoring: &'s S) -> Self {
            Self { scoring, row: [1; W] }
        }
        fn run(&mut self, x: &[u32]) -> u32 {
            for (r, v) in self.row.iter_mut().zip(x) {
                *r = self.scoring.score(*v);
            }
            self.row.iter().fold(0, |a, b| a.rotate_left(3) ^ b)
        }
    }
    #[derive(Clone, Copy)]
    struct Both<'a> {
        view: &'a Params,
        rest: &'a [u32],
        best: Option<&'a Params>,
    }
    impl Both<'_> {
        fn sum(&self) -> u32 {
            let s: u32 = self.rest.iter().take(3).map(|v| v & 0xff).sum();
            s + self.view.scale + self.best.map_or(7, |p| p.scale)
        }
    }
    struct Pair<'a>(&'a Params, &'a Plus);
    struct Nested<'a> {
        view: View<'a>,
        pair: Pair<'a>,
    }
    fn total(v: &View<'_>) -> u32 {
        v.all().sum::<u32>() + v.at(1)
    }
    pub(super) fn values(i: u32, x: &[u32]) -> u32 {
        let params = Params { scale: i + 1, table: [x[0], x[1], x[2], x[i as usize]] };
        let own = [3, 1, i, x[5]];
        let k = x[7] & 15;
        let mut view = View::new(&params, &own, &k);
        view.bump();
        let plus = Plus(i);
        let mut aligner = Aligner::<_, 4>::new(&plus);
        let a = aligner.run(&x[1..]);
        let both = Both { view: &params, rest: &x[2..], best: if i % 2 == 0 { Some(&params) } else { None } };
        let copy = both;
        let pair = Pair(&params, &plus);
        let View { n, .. } = view;
        let r = total(&view) ^ view.scaled() ^ view.params().table[2];
        let nested = Nested { view: View { n: 9, ..view }, pair };
        r ^ a ^ copy.sum() << 3 ^ n << 20 ^ nested.view.at(2) ^ nested.pair.0.scale ^ nested.pair.1.score(1) << 9
    }
});

domain!("held_references", {
    values, Values, plain_values;
});
