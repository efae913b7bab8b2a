//! Loops and iterators over the elements of arrays, slices, buffers and shared memory.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

const N: usize = 192;

fn small(len: usize) -> Vec<u32> {
    patterns(len, 21).into_iter().map(|v| v % 5000).collect()
}

#[device]
fn total(x: &[u32]) -> u32 {
    x.iter().sum()
}

/// Slices of all kinds, as arguments.
#[device]
fn weighed(x: &[u32], to: &mut [u32]) -> u32 {
    let mut sum = 0;
    for v in x {
        sum += v;
    }
    for (i, v) in to.iter().enumerate() {
        sum ^= *v * i as u32;
    }
    for v in &x[1..] {
        sum += *v;
    }
    let pairs: u32 = x.iter().zip(&to[..3]).map(|(a, b)| a * b).sum();
    let last = x[1..=2].iter().rev().fold(0, |all, v| all * 3 + v);
    to[0] = pairs;
    sum + last + x[2..].iter().skip(1).step_by(2).copied().max().unwrap_or(7)
}

#[kernel(workgroup = 32)]
fn iterated(x: &[u32], y: &mut [u32], out: &mut [u32]) {
    let (i, lane) = (global_id().x, local_id().x);
    let tile = Shared::<[u32; 32]>::new();
    tile[lane] = x[i];
    barrier();
    let shared = tile[..=lane].iter().sum::<u32>() ^ total(&tile[lane / 2..]) ^ tile.iter().take(3).sum::<u32>();
    let own = [x[i], 3, i, 7];
    let mut sum = 0;
    for v in &own {
        sum = sum * 3 + v;
    }
    for &v in &own[1..] {
        sum ^= v;
    }
    for (a, b) in own[..2].iter().zip(&own[2..]) {
        sum += *a * *b;
    }
    for v in x {
        if *v == 77 {
            break;
        }
        sum += v & 1;
    }
    let weight = weighed(&x[i..i + 5], &mut y[4 * i..4 * i + 4]);
    let part = &x[i..i + 7];
    let rest: u32 = part.iter().chain(&own).chain(&part[..2]).filter(|v| **v % 2 == 1).sum();
    let nothing = x[3..3].iter().count() as u32 + (&x[..0]).iter().sum::<u32>();
    out[i] = shared ^ sum ^ weight ^ total(part) ^ rest ^ nothing;
}

fn expected_iterated() -> Vec<Output> {
    let x = small(N + 8);
    let (mut y, mut out) = (Vec::new(), Vec::new());
    for i in 0..N {
        let (group, lane) = (&x[i / 32 * 32..][..32], i % 32);
        let sum = |part: &[u32]| part.iter().sum::<u32>();
        let shared = sum(&group[..=lane]) ^ sum(&group[lane / 2..]) ^ sum(&group[..3]);
        let own = [x[i], 3, i as u32, 7];
        let mut all = own.iter().fold(0, |all, v| all * 3 + v);
        all ^= 3 ^ i as u32 ^ 7;
        all += own[0] * own[2] + own[1] * own[3];
        all += x.iter().take_while(|v| **v != 77).map(|v| v & 1).sum::<u32>();
        let mut to = [i as u32, 5, 6, 7];
        let p = &x[i..i + 5];
        let mut weight = sum(p);
        for (at, v) in to.iter().enumerate() {
            weight ^= v * at as u32;
        }
        weight += sum(&p[1..]);
        let last = p[2] * 3 + p[1];
        to[0] = p[0] * to[0] + p[1] * 5 + p[2] * 6;
        weight += last + p[3];
        let part = &x[i..i + 7];
        let rest: u32 = part.iter().chain(&own).chain(&part[..2]).filter(|v| **v % 2 == 1).sum();
        out.push(shared ^ all ^ weight ^ sum(part) ^ rest);
        y.extend(to);
    }
    vec![Output::U32(y), Output::U32(out)]
}

/// The entries.
pub const CASES: &[Case] = &[case!(
    "elements::iterated",
    [Iterated],
    |mgr| {
        let start: Vec<u32> = (0..N as u32).flat_map(|i| [i, 5, 6, 7]).collect();
        let (x, mut y, mut out) = (mgr.tensor(&small(N + 8))?, mgr.tensor(&start)?, mgr.tensor(&[0u32; N])?);
        let seq = mgr.sequence()?;
        Iterated::dispatch(&seq, Grid::items(N), &x, &mut y, &mut out)?;
        seq.eval()?;
        Ok(vec![Output::U32(y.to_vec()?), Output::U32(out.to_vec()?)])
    },
    expected_iterated
)];
