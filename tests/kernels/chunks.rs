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
    });
}

/// The entries.
pub const CASES: &[Case] = &[
    programs::CASES[0],
    programs::CASES[1],
    programs::CASES[2],
    case!("chunks::no_such_array", [NoSuchArray], |mgr| one(mgr, |seq, out| {
        NoSuchArray::dispatch(seq, Grid::items(1), 2, out)
    })),
];
