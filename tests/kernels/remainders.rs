//! `remainder` of `chunks_exact` and `rchunks_exact`, and iterators that `&mut` lends to loops. rustc compiles the program, too.

#![allow(dead_code, reason = "a program as people write it")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(remainders, plain_remainders, {
    fn tail<T: Copy>(x: &[T], n: usize) -> &[T] {
        x.chunks_exact(n).remainder()
    }
    fn sum_in_fours<T: Copy + core::ops::Add<Output = T>>(x: &[T], zero: T) -> T {
        let mut parts = [zero; 4];
        let fours = x.chunks_exact(4);
        let rest = fours.remainder();
        for four in fours {
            for (part, v) in parts.iter_mut().zip(four) {
                *part = *part + *v;
            }
        }
        rest.iter().fold(parts[0] + parts[1] + parts[2] + parts[3], |sum, v| sum + *v)
    }
    fn hash(bytes: &[u8]) -> u32 {
        let mut words = bytes.chunks_exact(4);
        let mut h = 0x811c_9dc5_u32;
        for word in &mut words {
            h = (h ^ u32::from_le_bytes(word.try_into().unwrap())).wrapping_mul(0x0100_0193);
        }
        match words.remainder() {
            [] => h,
            rest => rest.iter().rev().fold(h, |h, b| h.rotate_left(7) ^ u32::from(*b)),
        }
    }
    pub(super) fn remainders(i: u32, x: &[u32]) -> u32 {
        let from = &x[i as usize..];
        let small: [u32; 19] = core::array::from_fn(|k| x[k] & 255);
        let mut n = i as usize % 5 + 1;
        let parts = from.rchunks_exact(n);
        n += 3;
        let left = parts.remainder();
        let mut h = hash(b"a word and five")
            .wrapping_add(left.len() as u32)
            .wrapping_add(parts.map(|part| part[0] & 7).sum::<u32>());
        h ^= left.first().copied().unwrap_or(9) ^ from.chunks_exact(n).remainder().iter().fold(0, |a, b| a ^ b);
        h = h.wrapping_add(sum_in_fours(&small[..n + 6], 0)) ^ tail(&small, n).len() as u32;
        h = h.wrapping_add(sum_in_fours(&[1.0f32, 2.5, 3.0, 4.0, i as f32], 0.5) as u32);
        let (rows, _) = from.as_chunks::<3>();
        h ^ rows.chunks_exact(2).remainder().iter().map(|row| row[1]).fold(0, |a, b| a ^ b)
    }
});

both!(lent_to_loops, plain_lent_to_loops, {
    pub(super) fn lent_to_loops(i: u32, x: &[u32]) -> u32 {
        let mut all = x.iter().filter(|v| **v != 3);
        let mut sum = 0u32;
        for v in &mut all {
            if *v > i {
                break;
            }
            sum += v;
        }
        for (v, k) in x.iter().zip(&mut all).take(3) {
            sum = sum.wrapping_mul(5).wrapping_add(v ^ k);
        }
        let mut span = i..i + 9;
        for k in &mut span {
            if k % 4 == 3 {
                break;
            }
            sum = sum.wrapping_add(k);
        }
        sum = sum.wrapping_mul(3).wrapping_add(span.start);
        for k in &mut span {
            sum = sum.wrapping_add(k * k);
        }
        let mut pairs = x.chunks_exact(2);
        for pair in &mut pairs {
            if pair[1] > 2 * i {
                break;
            }
        }
        sum.wrapping_add(pairs.count() as u32).wrapping_add(span.len() as u32) ^ all.next().copied().unwrap_or(1)
    }
});

domain!("remainders", {
    remainders, Remainders, plain_remainders;
    lent_to_loops, LentToLoops, plain_lent_to_loops;
});
