//! Integers of 128 bits: products of words, remainders, generators of random numbers, edge values of every operator. Each function also stands
//! in a module that only rustc compiles.

#![allow(
    dead_code,
    unused,
    unreachable_pub,
    clippy::all,
    reason = "programs as people write them, of which not every function is called"
)]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

/// Numbers that a function gets.
const N: usize = 144;

each_program! { wide_integers:

modular plain_modular run_modular RunModular MODULAR {
    const P: u64 = 0xffff_ffff_0000_0001;
    fn mul(a: u64, b: u64) -> u64 { ((a as u128 * b as u128) % P as u128) as u64 }
    fn mulhi(a: u64, b: u64) -> u64 { ((a as u128 * b as u128) >> 64) as u64 }
    fn pow(mut base: u64, mut e: u64) -> u64 {
        let mut r = 1;
        while e > 0 { if e & 1 == 1 { r = mul(r, base); } base = mul(base, base); e >>= 1; }
        r
    }
    pub(super) fn of(i: u32) -> u32 {
        let g = pow(7, 12345 + i as u64);
        let x = mulhi(g, !(i as u64));
        (x >> 32) as u32 ^ x as u32 ^ g as u32
    }
}
random plain_random run_random RunRandom RANDOM {
    #[derive(Clone, Debug)]
    pub struct Pcg64 { state: u128, inc: u128 }
    impl Pcg64 {
        const MULT: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;
        pub fn new(seed: u64) -> Self { let mut p = Self { state: 0, inc: (0xda3e_39cb_94b9_5bdb << 1) | 1 }; p.state = p.state.wrapping_add(seed as u128); p.next_u64(); p }
        pub fn next_u64(&mut self) -> u64 {
            self.state = self.state.wrapping_mul(Self::MULT).wrapping_add(self.inc);
            let rot = (self.state >> 122) as u32;
            (((self.state >> 64) as u64) ^ self.state as u64).rotate_right(rot)
        }
        pub fn below(&mut self, n: u64) -> u64 {
            let m = u128::from(self.next_u64()) * u128::from(n);
            (m >> 64) as u64
        }
    }
    pub(super) fn of(i: u32) -> u32 {
        let mut p = Pcg64::new(u64::from(i));
        (0..5).map(|k| p.below(1000 + k) as u32).sum()
    }
}
edges plain_edges run_edges RunEdges EDGES {
    fn fold(x: u128) -> u32 { (x ^ x >> 32 ^ x >> 64 ^ x >> 96) as u32 }
    fn value(k: u32) -> u128 {
        match k % 12 {
            0 => 0, 1 => 1, 2 => u64::MAX as u128, 3 => 1 << 64, 4 => u128::MAX, 5 => 1 << 127, 6 => u128::MAX - 1,
            7 => 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210, 8 => (1 << 64) - 1 << 64, 9 => 10_000_000_007,
            10 => 0xffff_ffff_ffff_ffff_0000_0000_0000_0001, _ => (k as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835),
        }
    }
    pub(super) fn of(i: u32) -> u32 {
        let mut h = 0u32;
        for j in 0..12 {
            let (a, b) = (value(i), value(i / 12 * 7 + j));
            let (p, q) = (a as i128, b as i128);
            let mut m = |x: u32| h = h.rotate_left(5).wrapping_mul(31) ^ x;
            m(fold(a.wrapping_add(b))); m(fold(a.wrapping_sub(b))); m(fold(a.wrapping_mul(b)));
            m(fold(a & b)); m(fold(a | b)); m(fold(a ^ !b));
            if b != 0 { m(fold(a / b)); m(fold(a % b)); if p != i128::MIN || q != -1 { m(fold((p / q) as u128)); m(fold((p % q) as u128)); } }
            m((a < b) as u32 + (a <= b) as u32 * 2 + (a == b) as u32 * 4 + (a >= b) as u32 * 8 + (a > b) as u32 * 16 + (a != b) as u32 * 32);
            m((p < q) as u32 + (p <= q) as u32 * 2 + (p >= q) as u32 * 8 + (p > q) as u32 * 16);
            let s = (i + j * 11) % 128;
            m(fold(a << s)); m(fold(a >> s)); m(fold((p >> s) as u128)); m(fold((p << s) as u128)); m(fold(a.rotate_left(s))); m(fold(b.rotate_right(s)));
            m(a.leading_zeros() + 200 * a.trailing_zeros()); m(b.count_ones() + b.count_zeros() * 7);
            m(fold(a.min(b))); m(fold(a.max(b))); m(fold(p.max(q) as u128)); m(fold(a.abs_diff(b))); m(fold(p.abs_diff(q))); m(fold(p.unsigned_abs()));
            let (v, o) = a.overflowing_add(b); m(fold(v) ^ o as u32);
            let (v, o) = a.overflowing_sub(b); m(fold(v) ^ o as u32);
            let (v, o) = a.overflowing_mul(b); m(fold(v) ^ o as u32);
            let (v, o) = p.overflowing_add(q); m(fold(v as u128) ^ o as u32);
            let (v, o) = p.overflowing_sub(q); m(fold(v as u128) ^ o as u32);
            m(a.checked_mul(b).map_or(7, fold)); m(fold(a.saturating_sub(b))); m(fold(a.saturating_add(b))); m(fold(a.saturating_mul(b)));
            m(match a.cmp(&b) { std::cmp::Ordering::Less => 1, std::cmp::Ordering::Equal => 2, std::cmp::Ordering::Greater => 3 });
            m(a as u8 as u32 ^ (p as i16) as u32 ^ (a as u64 >> 40) as u32 ^ p.is_negative() as u32 ^ a.is_power_of_two() as u32);
            m((i as i32 - 30) as i128 as u32 ^ fold((i as i64 - 30) as u128) ^ fold((i as i8).wrapping_sub(30) as i128 as u128) ^ fold(true as u128) ^ fold('x' as u128));
            m(a.to_be_bytes().iter().fold(0, |h: u32, &b| h.rotate_left(3) ^ b as u32)); m(fold(u128::from_le_bytes(b.to_le_bytes())) ^ fold(u128::from_be_bytes(b.to_le_bytes())));
            m(fold(a.swap_bytes()) ^ fold(b.reverse_bits()) ^ fold(-(p.wrapping_shr(3)) as u128));
        }
        h
    }
}
uses plain_uses run_uses RunUses USES {
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
    struct Uuid { bits: u128, version: u8 }
    #[derive(Clone, Copy, Debug)]
    enum Num { Big(u128), Small(u32) }
    const LIMIT: u128 = u128::MAX / 3;
    fn total<const N: usize>(x: &[u128; N]) -> u128 { x.iter().sum::<u128>() / N as u128 }
    fn add<T: std::ops::Add<Output = T> + Copy>(a: T, b: T) -> T { a + b }
    fn small(x: u128) -> Option<u32> { if x > LIMIT { None } else { Some((x >> 90) as u32) } }
    fn isqrt(n: u128) -> u128 {
        if n < 2 { return n; }
        let mut x = 1u128 << ((128 - n.leading_zeros()) / 2 + 1);
        loop { let y = (x + n / x) >> 1; if y >= x { return x; } x = y; }
    }
    pub(super) fn of(i: u32) -> u32 {
        let xs: [u128; 4] = core::array::from_fn(|k| (k as u128 + 1) << (i % 60));
        let t = total(&xs);
        let mut a = [Uuid { bits: t, version: 1 }, Uuid { bits: t + 1, version: 0 }, Uuid::default()];
        a.sort();
        let n = if i % 2 == 0 { Num::Big(t * 3) } else { Num::Small(i) };
        let v = match n { Num::Big(b @ 0..=1000) => b as u32, Num::Big(b) => (b >> 7) as u32, Num::Small(s) => s };
        let mut acc = 1u128;
        acc += t; acc *= 0x1_0000_0001; acc ^= acc >> 33; acc -= 5; acc <<= 3; acc |= 1; acc %= 1 << 100;
        let y = add(acc, 7u128);
        let p: u128 = [i as u128 + 1, 3, 5].iter().product();
        let biggest = xs.iter().copied().max().unwrap_or(0);
        let w: u128 = (i as u64).into();
        let back = u32::try_from(t).unwrap_or(9) ^ u64::try_from(y).map_or(3, |v| v as u32);
        v ^ a[1].version as u32 ^ y as u32 ^ p as u32 ^ (biggest >> 5) as u32 ^ w as u32 ^ back ^ small(acc << 60).unwrap_or(1) ^ isqrt(acc.wrapping_mul(acc)) as u32 ^ (a[2] == a[1]) as u32
    }
}

reported plain_reported run_reported RunReported REPORTED {
    pub(super) fn of(i: u32) -> u32 {
        let x = (i as u128) << 70 | 5;
        let y: i128 = -(x as i128);
        assert_eq!(x >> 70, i as u128, "{x} {y:?}");
        assert!(y <= -5 , "{y}");
        let pair = (x, y);
        let arr = [[x; 2]; 3];
        let s: i128 = arr.iter().flatten().map(|&v| v as i128).sum::<i128>() + pair.1;
        let e = 10u128.pow(i % 38) ^ 3u128.pow(80) ^ (i as u128 + 5).wrapping_pow(i) ^ (y.abs() as u128) ^ (y.signum() as u128) ^ (-7i128).pow(9) as u128;
        let d = (e ^ e >> 64) as u32 ^ (e >> 35) as u32 ^ if let (5, _) | (_, -5) = pair { 1 } else { 0 };
        let f = |a: u128, b: u128| a.wrapping_mul(b) >> 65;
        f(x, x | 7) as u32 ^ s as u32 ^ d ^ (s / -7) as u32 ^ (s % -1000) as u32 ^ (s >> 69) as u32
    }
}
}

/// The entries.
pub const CASES: &[Case] = &[MODULAR, RANDOM, EDGES, USES, REPORTED];
