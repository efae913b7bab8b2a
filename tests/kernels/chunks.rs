//! Arrays of a slice's elements: `as_chunks`, `first_chunk` and their like, of buffers and local arrays, passed on and divided again.

#![allow(dead_code, clippy::all, reason = "the forms are tried, also those that have shorter ones")]

use gridwise::prelude::*;

use super::slice_methods::one;
use super::{both, case, domain};
use crate::case::Case;

both!(arrays, plain_arrays, {
    fn mixed(hash: u32, value: u32) -> u32 {
        (hash ^ value).wrapping_mul(0x0100_0193).rotate_left(5)
    }

    pub(super) fn total(words: &[[u32; 4]]) -> u32 {
        let mut sum = 0;
        for (k, w) in words.iter().enumerate() {
            sum = mixed(sum, w[k % 4]);
        }
        for pair in words.windows(2) {
            sum ^= pair[0][1] ^ pair[1][2];
        }
        sum ^ words.len() as u32
    }

    fn all<const N: usize>(x: &[u32]) -> u32 {
        let (parts, rest) = x.as_chunks::<N>();
        parts
            .iter()
            .map(|p| p.iter().fold(0, |sum: u32, v| sum.wrapping_mul(3).wrapping_add(*v)))
            .fold(rest.len() as u32, mixed)
    }

    pub(super) fn arrays(i: u32, x: &[u32]) -> u32 {
        let i = i as usize;
        let data = &x[..i % x.len()];
        let (words, rest) = data.as_chunks::<4>();
        let mut hash = words.len() as u32 * 100 + rest.len() as u32;
        for w in words {
            hash = mixed(hash, w[0] ^ w[3]);
        }
        for &[a, b, c, d] in words {
            hash = mixed(hash, a ^ b.wrapping_mul(c) ^ d);
        }
        hash =
            mixed(hash, words.iter().map(|w| w.iter().fold(0, |sum: u32, v| sum.wrapping_add(*v))).max().unwrap_or(0));
        if !words.is_empty() {
            let w = words[i % words.len()];
            hash = mixed(hash, w[1] ^ w[2] ^ words[(i + 1) % words.len()][i % 4]);
        }
        hash = mixed(hash, total(words));
        if let [first, tail @ ..] = words {
            hash = mixed(hash, first[2] ^ tail.len() as u32 ^ total(tail));
        }
        if words.len() > 2 {
            let (a, b) = words.split_at(1);
            hash = mixed(hash, total(&words[1..]) ^ total(&words[..2]) ^ a[0][0] ^ b[0][1]);
        }
        mixed(hash, all::<3>(data) ^ all::<17>(x))
    }

    pub(super) fn from_the_end(i: u32, x: &[u32]) -> u32 {
        let (front, back) = x[i as usize % 9..].as_rchunks::<3>();
        let mut hash = front.first().copied().unwrap_or(5);
        for b in back.iter().rev() {
            hash = mixed(hash, b[0] ^ b[2]);
        }
        mixed(hash, back.last().map_or(1, |b| b[1]))
    }

    pub(super) fn ends(i: u32, x: &[u32]) -> u32 {
        let data = &x[..i as usize % 11];
        let mut hash = 7;
        if let Some([a, b]) = data.first_chunk::<2>() {
            hash = mixed(*a, *b);
        }
        hash = mixed(hash, data.last_chunk::<3>().map_or(1, |c| c[0] ^ c[2]));
        if let Some((head, tail)) = data.split_first_chunk::<4>() {
            hash = mixed(hash, u32::from(head[0] > head[1]) + tail.len() as u32 * 2);
        }
        let mut left = data;
        while let Some((&[a, b], more)) = left.split_first_chunk() {
            hash = mixed(hash, a ^ b);
            left = more;
        }
        if let Some((tail, last)) = data.split_last_chunk::<2>() {
            hash = mixed(hash, last[0] ^ last[1] ^ tail.len() as u32);
        }
        let own = [1u32, 2, 3, i, 5, 6, 7];
        let (pairs, rest) = own.as_chunks::<2>();
        let sum: u32 = pairs.iter().zip(data).map(|(p, w)| p[0] * (w % 8) + p[1]).sum();
        mixed(hash, sum + rest[0])
    }
});

both!(everywhere, plain_everywhere, {
    pub(super) struct View<'a> {
        data: &'a [[u32; 3]],
        k: usize,
    }
    impl<'a> View<'a> {
        fn at(&self, i: usize) -> u32 {
            self.data[i % self.data.len()][self.k]
        }
        fn next(&mut self) -> Option<[u32; 3]> {
            let (first, rest) = self.data.split_first()?;
            self.data = rest;
            Some(*first)
        }
        fn rest(&self) -> &'a [[u32; 3]] {
            &self.data[1..]
        }
    }
    fn tail<'a>(w: &'a [[u32; 3]], n: usize) -> &'a [[u32; 3]] {
        &w[n.min(w.len())..]
    }
    fn sum<const N: usize>(w: &[[u32; N]]) -> u32 {
        w.iter().flatten().fold(1, |a: u32, v| a.wrapping_mul(3) ^ v)
    }
    pub(super) fn everywhere(i: u32, x: &[u32]) -> u32 {
        let i = i as usize % 4;
        let (words, rest) = x[i..].as_chunks::<3>();
        let mut moving = words;
        let mut h = 0u32;
        while let [first, more @ ..] = moving {
            h = h.rotate_left(3) ^ first[i % 3];
            moving = more;
        }
        let mut m2 = words;
        for _ in 0..3 {
            m2 = &m2[1..];
            h ^= m2[0][1].wrapping_mul(m2.len() as u32);
        }
        let part = if i % 2 == 0 { &words[..4] } else { &words[2..] };
        h = h.wrapping_add(sum(part)) ^ sum(tail(words, 3)) ^ part[part.len() - 1][2];
        let mut view = View { data: words, k: i % 3 };
        h ^= view.at(5) ^ view.rest()[1][0];
        while let Some([a, _, c]) = view.next() {
            h = h.wrapping_mul(5) ^ a ^ c << 4;
        }
        h ^= words.chunks(2).map(|c| c[0][0] ^ c[c.len() - 1][2]).fold(0, |a: u32, v| a.wrapping_mul(9) ^ v);
        h ^= words
            .iter()
            .rev()
            .step_by(2)
            .enumerate()
            .map(|(k, w)| (k as u32).wrapping_mul(w[1]))
            .fold(0, u32::wrapping_add);
        h ^= words.contains(&[x[i + 3], x[i + 4], x[i + 5]]) as u32
            ^ (words[1..] == words[..words.len() - 1]) as u32 * 2
            ^ words.starts_with(&words[..2]) as u32 * 4;
        h ^=
            words.get(2).map_or(7, |w| w[0]) ^ words.get(1..3).map_or(1, |p| p[1][1]) ^ words.get(100).is_none() as u32;
        for (a, b) in words.iter().zip(&words[1..]) {
            h = h.rotate_left(1) ^ a[2].abs_diff(b[0]);
        }
        let best = words.iter().max_by_key(|w| w[1] % 64).unwrap();
        let copy: [[u32; 3]; 2] = [words[0], words[1]];
        let own: [[u32; 3]; 4] = words[..4].try_into().unwrap();
        let second = copy[1];
        let (pairs, odd) = second.as_chunks::<2>();
        let found = words.iter().position(|&[a, b, c]| a > b && b > c).unwrap_or(50);
        let p = words.partition_point(|w| w[0] < 1000);
        let last_row = rest.iter().rev().next().copied().unwrap_or(11);
        h ^ best[2] ^ own[3][1] ^ pairs[0][1] ^ odd[0] ^ found as u32 ^ last_row ^ (p as u32) << 9
    }
});

use arrays as from_the_end;
use arrays as ends;

#[kernel(workgroup = 1)]
fn no_such_array(at: u32, out: &mut [u32]) {
    let own = [1, 2, 3, 4, 5u32];
    let (pairs, _) = own.as_chunks::<2>();
    out[0] = 8;
    out[1] = pairs[at][1];
}

/// Programs, and what rustc makes of them.
pub mod programs {
    use super::*;

    domain!("chunks", {
        arrays, Arrays, plain_arrays;
        from_the_end, FromTheEnd, plain_arrays;
        ends, Ends, plain_arrays;
        everywhere, Everywhere, plain_everywhere;
    });
}

/// The entries.
pub const CASES: &[Case] = &[
    programs::CASES[0],
    programs::CASES[1],
    programs::CASES[2],
    programs::CASES[3],
    case!("chunks::no_such_array", [NoSuchArray], |mgr| one(mgr, |seq, out| {
        NoSuchArray::dispatch(seq, Grid::items(1), 2, out)
    })),
];
