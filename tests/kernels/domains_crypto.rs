//! Programs as people write them: ciphers, digests, integers of many words, fixed point. Each function also stands in a module that only rustc compiles.

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
const N: usize = 64;

each_program! { domains_crypto:

chacha plain_chacha run_chacha RunChacha CHACHA {
    const SIGMA: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];
    pub struct ChaCha { state: [u32; 16] }
    impl ChaCha {
        pub fn new(key: &[u8; 32], nonce: [u8; 12], counter: u32) -> Self {
            let mut state = [0u32; 16];
            state[..4].copy_from_slice(&SIGMA);
            for (slot, chunk) in state[4..12].iter_mut().zip(key.chunks_exact(4)) {
                *slot = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
            }
            state[12] = counter;
            for (slot, chunk) in state[13..].iter_mut().zip(nonce.chunks_exact(4)) {
                *slot = u32::from_le_bytes(chunk.try_into().unwrap());
            }
            Self { state }
        }
        fn quarter_round(s: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
            s[a] = s[a].wrapping_add(s[b]); s[d] = (s[d] ^ s[a]).rotate_left(16);
            s[c] = s[c].wrapping_add(s[d]); s[b] = (s[b] ^ s[c]).rotate_left(12);
            s[a] = s[a].wrapping_add(s[b]); s[d] = (s[d] ^ s[a]).rotate_left(8);
            s[c] = s[c].wrapping_add(s[d]); s[b] = (s[b] ^ s[c]).rotate_left(7);
        }
        pub fn block(&self) -> [u8; 64] {
            let mut w = self.state;
            for _ in 0..10 {
                Self::quarter_round(&mut w, 0, 4, 8, 12);
                Self::quarter_round(&mut w, 1, 5, 9, 13);
                Self::quarter_round(&mut w, 2, 6, 10, 14);
                Self::quarter_round(&mut w, 3, 7, 11, 15);
                Self::quarter_round(&mut w, 0, 5, 10, 15);
                Self::quarter_round(&mut w, 1, 6, 11, 12);
                Self::quarter_round(&mut w, 2, 7, 8, 13);
                Self::quarter_round(&mut w, 3, 4, 9, 14);
            }
            let mut out = [0u8; 64];
            for (i, (a, b)) in w.iter().zip(self.state.iter()).enumerate() {
                out[4 * i..4 * i + 4].copy_from_slice(&a.wrapping_add(*b).to_le_bytes());
            }
            out
        }
    }
    pub fn of(i: u32) -> u32 {
        let mut key = [0u8; 32];
        for (k, b) in key.iter_mut().enumerate() { *b = k as u8 ^ i as u8; }
        let nonce: [u8; 12] = core::array::from_fn(|j| (j as u8).wrapping_mul(17));
        let block = ChaCha::new(&key, nonce, i).block();
        block.iter().fold(0x811c_9dc5, |h: u32, &b| (h ^ b as u32).wrapping_mul(0x0100_0193))
    }
}

sha512 plain_sha512 run_sha512 RunSha512 SHA512 {
    const K: [u64; 16] = [0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694];
    const H0: [u64; 8] = [0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179];
    #[inline(always)]
    const fn ch(x: u64, y: u64, z: u64) -> u64 { (x & y) ^ (!x & z) }
    #[inline(always)]
    const fn maj(x: u64, y: u64, z: u64) -> u64 { (x & y) ^ (x & z) ^ (y & z) }
    fn compress(state: &mut [u64; 8], block: &[u8; 128]) {
        let mut w = [0u64; 80];
        for (t, word) in block.chunks_exact(8).enumerate() {
            w[t] = u64::from_be_bytes(word.try_into().unwrap());
        }
        for t in 16..80 {
            let s0 = w[t - 15].rotate_right(1) ^ w[t - 15].rotate_right(8) ^ (w[t - 15] >> 7);
            let s1 = w[t - 2].rotate_right(19) ^ w[t - 2].rotate_right(61) ^ (w[t - 2] >> 6);
            w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
        for t in 0..80 {
            let t1 = h.wrapping_add(e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41)).wrapping_add(ch(e, f, g)).wrapping_add(K[t % K.len()]).wrapping_add(w[t]);
            let t2 = (a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39)).wrapping_add(maj(a, b, c));
            h = g; g = f; f = e; e = d.wrapping_add(t1); d = c; c = b; b = a; a = t1.wrapping_add(t2);
        }
        for (s, v) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) { *s = s.wrapping_add(v); }
    }
    pub fn of(i: u32) -> u32 {
        let mut state = H0;
        let mut block = [0u8; 128];
        block[0] = i as u8; block[1] = 0x80;
        block[120..].copy_from_slice(&8u64.to_be_bytes());
        compress(&mut state, &block);
        let [x, .., y] = state;
        (x >> 32) as u32 ^ y as u32
    }
}

bigint plain_bigint run_bigint RunBigint BIGINT {
    use std::ops::{Add, Sub, Mul, Shl, AddAssign};
    use std::cmp::Ordering;
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Big<const N: usize>([u32; N]);
    impl<const N: usize> Big<N> {
        pub const ZERO: Self = Self([0; N]);
        pub fn from_u64(v: u64) -> Self { let mut r = Self::ZERO; r.0[0] = v as u32; if N > 1 { r.0[1] = (v >> 32) as u32; } r }
        pub fn overflowing_add(self, rhs: Self) -> (Self, bool) {
            let mut out = [0; N];
            let mut carry = false;
            for i in 0..N {
                let (s, c1) = self.0[i].overflowing_add(rhs.0[i]);
                let (s, c2) = s.overflowing_add(carry as u32);
                out[i] = s;
                carry = c1 | c2;
            }
            (Self(out), carry)
        }
        pub fn checked_sub(self, rhs: Self) -> Option<Self> {
            let mut out = Self::ZERO;
            let mut borrow = 0u32;
            for ((o, &a), &b) in out.0.iter_mut().zip(self.0.iter()).zip(rhs.0.iter()) {
                let (d, b1) = a.overflowing_sub(b);
                let (d, b2) = d.overflowing_sub(borrow);
                *o = d;
                borrow = u32::from(b1 || b2);
            }
            if borrow == 0 { Some(out) } else { None }
        }
        pub fn mul_small(&mut self, m: u32) -> u32 {
            let mut carry = 0u64;
            for d in &mut self.0 {
                let t = u64::from(*d) * u64::from(m) + carry;
                *d = t as u32;
                carry = t >> 32;
            }
            carry as u32
        }
        pub fn div_rem_small(mut self, d: u32) -> (Self, u32) {
            let mut rem = 0u64;
            for limb in self.0.iter_mut().rev() {
                let cur = (rem << 32) | u64::from(*limb);
                *limb = (cur / d as u64) as u32;
                rem = cur % d as u64;
            }
            (self, rem as u32)
        }
        pub fn bits(&self) -> usize {
            match self.0.iter().rposition(|&d| d != 0) {
                Some(top) => 32 * top + (32 - self.0[top].leading_zeros() as usize),
                None => 0,
            }
        }
        pub fn is_zero(&self) -> bool { self.0.iter().all(|&l| l == 0) }
    }
    impl<const N: usize> PartialOrd for Big<N> { fn partial_cmp(&self, o: &Self) -> Option<Ordering> { Some(self.cmp(o)) } }
    impl<const N: usize> Ord for Big<N> {
        fn cmp(&self, other: &Self) -> Ordering { self.0.iter().rev().cmp(other.0.iter().rev()) }
    }
    impl<const N: usize> Add for Big<N> { type Output = Self; fn add(self, o: Self) -> Self { self.overflowing_add(o).0 } }
    impl<const N: usize> AddAssign for Big<N> { fn add_assign(&mut self, o: Self) { *self = *self + o; } }
    impl<const N: usize> Mul for Big<N> {
        type Output = Self;
        fn mul(self, rhs: Self) -> Self {
            let mut out = [0u32; N];
            for (i, &a) in self.0.iter().enumerate() {
                let mut carry = 0u64;
                for (j, &b) in rhs.0.iter().enumerate().take(N - i) {
                    let t = a as u64 * b as u64 + out[i + j] as u64 + carry;
                    out[i + j] = t as u32;
                    carry = t >> 32;
                }
            }
            Self(out)
        }
    }
    impl<const N: usize> Shl<u32> for Big<N> {
        type Output = Self;
        fn shl(self, n: u32) -> Self {
            let (words, bits) = ((n / 32) as usize, n % 32);
            Self(core::array::from_fn(|i| {
                if i < words { return 0; }
                let lo = self.0[i - words] << bits;
                let hi = if bits > 0 && i > words { self.0[i - words - 1] >> (32 - bits) } else { 0 };
                lo | hi
            }))
        }
    }
    pub fn of(i: u32) -> u32 {
        let mut f = Big::<8>::from_u64(1);
        for k in 2..=30 + i % 8 { f.mul_small(k); }
        let g = Big::<8>::from_u64(u64::from(i) << 33 | 12345) * f;
        let s = (f + g) << (i % 50);
        let d = if s < g { g.checked_sub(s) } else { s.checked_sub(g) }.unwrap_or(Big::ZERO);
        let mut digits = 0u32;
        let mut v = d;
        let mut last = 0u32;
        while !v.is_zero() { let (q, r) = v.div_rem_small(1_000_000_007); v = q; last = last.wrapping_mul(31) ^ r; digits += 1; }
        let mut acc = s; acc += d;
        last ^ digits << 20 ^ acc.bits() as u32 ^ u32::from(f < g) << 31
    }
}

fixed plain_fixed run_fixed RunFixed FIXED {
    use std::ops::{Add, Sub, Mul, Div, Neg, AddAssign, MulAssign};
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Fixed<const F: u32>(i32);
    impl<const F: u32> Fixed<F> {
        pub const ONE: Self = Self(1 << F);
        pub const fn from_int(v: i32) -> Self { Self(v << F) }
        pub fn from_f32(v: f32) -> Self { Self((v * (1u32 << F) as f32).round() as i32) }
        pub fn to_f32(self) -> f32 { self.0 as f32 / (1u32 << F) as f32 }
        pub fn saturating_mul(self, o: Self) -> Self {
            let wide = (self.0 as i64 * o.0 as i64) >> F;
            Self(wide.clamp(i32::MIN.into(), i32::MAX.into()) as i32)
        }
        pub fn floor(self) -> i32 { self.0 >> F }
        pub fn fract(self) -> Self { Self(self.0 & ((1 << F) - 1)) }
        pub fn sqrt(self) -> Self { assert!(self.0 >= 0, "negative"); Self(((self.0 as u64) << F).isqrt() as i32) }
        pub fn lerp(self, o: Self, t: Self) -> Self { self + (o - self) * t }
    }
    impl<const F: u32> Add for Fixed<F> { type Output = Self; fn add(self, o: Self) -> Self { Self(self.0.wrapping_add(o.0)) } }
    impl<const F: u32> Sub for Fixed<F> { type Output = Self; fn sub(self, o: Self) -> Self { Self(self.0.wrapping_sub(o.0)) } }
    impl<const F: u32> Mul for Fixed<F> { type Output = Self; fn mul(self, o: Self) -> Self { self.saturating_mul(o) } }
    impl<const F: u32> Div for Fixed<F> { type Output = Self; fn div(self, o: Self) -> Self { Self((((self.0 as i64) << F) / o.0 as i64) as i32) } }
    impl<const F: u32> Neg for Fixed<F> { type Output = Self; fn neg(self) -> Self { Self(-self.0) } }
    impl<const F: u32> AddAssign for Fixed<F> { fn add_assign(&mut self, o: Self) { self.0 = self.0.wrapping_add(o.0); } }
    impl<const F: u32> From<i16> for Fixed<F> { fn from(v: i16) -> Self { Self::from_int(v.into()) } }
    impl<const F: u32> std::iter::Sum for Fixed<F> { fn sum<I: Iterator<Item = Self>>(it: I) -> Self { it.fold(Self::default(), |a, b| a + b) } }
    type Q16 = Fixed<16>;
    pub fn of(i: u32) -> u32 {
        let x = Q16::from_f32(i as f32 * 0.37 - 3.0);
        let coeffs = [Q16::ONE, Q16::from_f32(-0.5), Q16::from(2), Q16::from_f32(0.125)];
        let p = coeffs.iter().rev().fold(Q16::default(), |acc, &c| acc * x + c);
        let s: Q16 = coeffs.iter().copied().sum();
        let m = coeffs.into_iter().max().unwrap_or_default();
        let q = if x.0 != 0 { p / x } else { Q16::ONE };
        let r = (x * x).sqrt().lerp(m, s.fract());
        (p.0 ^ q.0.rotate_left(7) ^ r.0) as u32
    }
}

}

/// The entries.
pub const CASES: &[Case] = &[CHACHA, SHA512, BIGINT, FIXED];
