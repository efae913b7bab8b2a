//! Slices in order: `<` and its like, `cmp` and `partial_cmp`. Each function also stands in a module that only rustc compiles.

#![allow(dead_code, unused_imports, clippy::all, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

const N: usize = 64;

each_program! { slice_orders:
orders plain_orders orders_kernel OrdersKernel ORDERS {
    use std::cmp::Ordering;
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    enum Token {
        End,
        Word(u8),
        Pair { a: u8, b: i8 },
    }
    const WORDS: &[u32] = &[1, 2, 3, 3, 2, 1];
    fn rank(text: &[u8], at: usize) -> usize {
        (0..text.len()).filter(|&other| text[other..] < text[at..]).count()
    }
    fn least<T: Ord + Copy>(x: &[T], n: usize) -> usize {
        let mut best = 0;
        for k in 1..x.len() - n {
            if x[k..k + n].cmp(&x[best..best + n]).is_lt() {
                best = k;
            }
        }
        best
    }
    fn order(a: &[f32], b: &[f32]) -> u32 {
        match a.partial_cmp(b) {
            Some(Ordering::Less) => 1,
            Some(Ordering::Equal) => 2,
            Some(Ordering::Greater) => 3,
            None => 4,
        }
    }
    fn is_before(a: &[Token], b: &[Token]) -> bool {
        a < b
    }
    fn compare(a: &[u32], b: &[u32]) -> u32 {
        u32::from(a < b)
            | u32::from(a <= b) << 1
            | u32::from(a > b) << 2
            | u32::from(a >= b) << 3
            | u32::from(a == b) << 4
    }

    pub(super) fn of(i: u32) -> u32 {
        let x: [u32; 96] = std::array::from_fn(|k| (k as u32 ^ 3).wrapping_mul(0x9e37_79b9));
        let k = i as usize;
        let text: [u8; 12] = std::array::from_fn(|n| (x[k + n] >> 5) as u8 & 1);
        let mut order_of = [0u8; 12];
        for at in 0..12 {
            order_of[rank(&text, at)] = at as u8;
        }
        let low: [u32; 10] = text[..10].iter().map(|&b| b as u32).enumerate().fold([0; 10], |mut a, (n, b)| {
            a[n] = b;
            a
        });
        let f = [0.5, x[k] as f32, if i % 3 == 0 { f32::NAN } else { 1.0 }];
        let g = [0.5, x[k + (i as usize % 2)] as f32, 2.0];
        let t = [Token::Word((i % 3) as u8), Token::Pair { a: 1, b: i as i8 }, Token::End];
        let u = [Token::Word(1), Token::Pair { a: 1, b: 3 }];
        let at = k % 5;
        let n = compare(&x[k..k + 2], &x[k..k + 2 + (k & 1)])
            ^ compare(&low[at..at + 3], &WORDS[1..4]) << 5
            ^ compare(&low[1..], &low[..9]) << 10
            ^ compare(&low[..0], &low[..k % 2]) << 15;
        let direct = x[k..] < x[k + 1..] || low[2..] >= low[3..];
        let c = (&text[..4]).cmp(&text[4..8]) as i32 + 1;
        n ^ order(&f, &g) << 20
            ^ u32::from(is_before(&t, &u)) << 23
            ^ u32::from(is_before(&t[..2], &u)) << 24
            ^ (least(&text, 4) as u32) << 25
            ^ u32::from(direct) << 29
            ^ (c as u32) << 30
            ^ order_of.iter().fold(0, |h, &v| (h << 3) ^ v as u32)
    }
}
}

/// All cases of this file.
pub const CASES: &[Case] = &[ORDERS];
