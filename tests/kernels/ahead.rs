//! Iterators that look ahead: `peekable` with `peek` and `next_if`, and copies that go on by themselves. rustc compiles the program, too.

#![allow(clippy::all, clippy::pedantic, reason = "a program as people write it")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(tokens, plain_tokens, {
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Token {
        Num(u32),
        Op(u8),
        Open,
        Close,
    }
    pub(super) fn tokens(i: u32, x: &[u32]) -> u32 {
        let mut text = *b"12+3*(45-6)*7+ 8";
        text[i as usize % 16] = b"0123456789+-*() "[x[i as usize] as usize % 16];
        let mut it = text.iter().peekable();
        let mut hash = 0u32;
        while let Some(&c) = it.next() {
            let token = match c {
                b'0'..=b'9' => {
                    let mut n = (c - b'0') as u32;
                    while let Some(d) = it.peek().filter(|d| d.is_ascii_digit()) {
                        n = n * 10 + (*d - b'0') as u32;
                        it.next();
                    }
                    Token::Num(n)
                }
                b'(' => Token::Open,
                b')' => Token::Close,
                b' ' => {
                    while it.next_if(|c| **c == b' ').is_some() {}
                    continue;
                }
                op => {
                    if let Some(&&next) = it.peek()
                        && next == op
                    {
                        it.next();
                        Token::Op(op | 0x80)
                    } else {
                        Token::Op(op)
                    }
                }
            };
            hash = hash.wrapping_mul(31)
                ^ match token {
                    Token::Num(n) => n,
                    Token::Op(o) => o as u32 + 1000,
                    Token::Open => 1,
                    Token::Close => 2,
                };
        }
        let is_end = it.peek().is_none();
        // Runs of equal elements.
        let mut runs = x[i as usize..].iter().map(|v| v % 3).take(20).peekable();
        let mut longest = (0, 0);
        while let Some(v) = runs.next() {
            let mut n = 1;
            while runs.peek() == Some(&v) {
                runs.next();
                n += 1;
            }
            longest = longest.max((n, v));
        }
        // Merge of two.
        let (a, b) = x.split_at(20);
        let mut a = a.iter().copied().filter(|v| v % 2 == 0).peekable();
        let mut b = b[..20].iter().copied().filter(|v| v % 2 == 1).peekable();
        let mut merged = 0u32;
        loop {
            let v = match (a.peek(), b.peek()) {
                (Some(p), Some(q)) if p <= q => a.next(),
                (_, Some(_)) => b.next(),
                (Some(_), None) => a.next(),
                (None, None) => break,
            };
            merged = merged.rotate_left(5) ^ v.unwrap();
        }
        // Copies.
        let xs = x.iter().skip(i as usize).step_by(2).take(9).map(|v| v ^ 5);
        let spread = xs.clone().max().unwrap() - xs.clone().min().unwrap();
        let mean = xs.clone().map(u64::from).sum::<u64>() / xs.count() as u64;
        let mut walk = x.iter().enumerate().filter(|(k, v)| (*k as u32 + **v) % 3 == 1).chain(x.iter().enumerate());
        let mut pairs = 0u32;
        while let Some((k, v)) = walk.next() {
            if let Some((j, w)) = walk.clone().next() {
                pairs = pairs.wrapping_mul(3) ^ (*v ^ *w) ^ (k * j) as u32;
            }
            if walk.clone().skip(2).next().is_none() {
                break;
            }
        }
        hash ^ is_end as u32 ^ longest.0 << 4 ^ longest.1 << 9 ^ merged ^ spread ^ mean as u32 ^ pairs
    }
});

domain!("ahead", {
    tokens, Tokens, plain_tokens;
});
