//! Functions inside functions, with names that other things around have, too. rustc compiles the program, too.

#![allow(dead_code, clippy::all, clippy::pedantic, reason = "a program as people write it")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(named, plain_named, {
    struct Buffer {
        bytes: [u8; 10],
        len: usize,
    }
    impl Buffer {
        fn push(&mut self, b: u8) {
            self.bytes[self.len] = b;
            self.len += 1;
        }
        fn step(&mut self, n: u32) {
            fn mix(v: u32) -> u8 {
                helper(v) ^ 3
            }
            fn helper(v: u32) -> u8 {
                (v >> 3) as u8
            }
            self.push(mix(n));
        }
    }
    fn format(buf: &mut [u8; 10], y: u32, m: u8) {
        fn digits(out: &mut [u8], mut v: u32) {
            for b in out.iter_mut().rev() {
                *b = b'0' + (v % 10) as u8;
                v /= 10;
            }
        }
        *buf = *b"0000-00-00";
        digits(&mut buf[0..4], y);
        digits(&mut buf[5..7], m.into());
    }
    fn parse(s: &[u8]) -> Option<u32> {
        fn mix(v: u32, d: u32) -> Option<u32> {
            v.checked_mul(10)?.checked_add(d)
        }
        let digits = match s {
            [b'+', rest @ ..] => rest,
            _ => s,
        };
        digits.iter().try_fold(0u32, |acc, &c| mix(acc, (c as char).to_digit(10)?))
    }
    fn helper(a: u32) -> u32 {
        fn inner(a: u32) -> u32 {
            a * 3
        }
        inner(a)
    }
    fn other(a: u32) -> u32 {
        fn inner(a: u32) -> u32 {
            a ^ 5
        }
        inner(a) + helper(a & 7)
    }
    pub(super) fn named(i: u32, x: &[u32]) -> u32 {
        let mut buf = [0u8; 10];
        format(&mut buf, x[i as usize] & 0xfff, (i % 12) as u8);
        let mut b = Buffer { bytes: buf, len: 4 };
        b.step(x[i as usize]);
        let n = parse(&b.bytes[..3]).unwrap_or(7);
        b.bytes.iter().fold(n, |h, &b| h.wrapping_mul(33) ^ b as u32) ^ other(i)
    }
});

domain!("inner_names", {
    named, Named, plain_named;
});
