//! Iterators in variables: asked for one element after the other, consumed in part, gone through later. Each body is compiled
//! twice, as a kernel and as it stands.

#![expect(
    clippy::iter_skip_next,
    clippy::map_flatten,
    clippy::while_let_loop,
    clippy::while_let_on_iterator,
    reason = "what authors write, too"
)]

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

const N: usize = 48;
const WIDTH: usize = 8;

/// A kernel `$kernel` and a function `$host` of the same body.
macro_rules! both {
    ($kernel:ident, $host:ident, ($x:ident, $i:ident, $out:ident) { $($body:tt)* }) => {
        #[kernel]
        fn $kernel($x: &[u32], y: &mut [u32]) {
            let $i = global_id().x as usize;
            let mut $out = [0u32; 8];
            { $($body)* }
            for k in 0..8 {
                y[$i * 8 + k] = $out[k];
            }
        }

        fn $host($x: &[u32], $i: usize) -> [u32; WIDTH] {
            let mut $out = [0u32; 8];
            { $($body)* }
            $out
        }
    };
}

both!(asked, asked_on_host, (x, i, out) {
    // One after the other, and behind the end.
    let mut it = x[i..i + 5].iter();
    out[0] = it.next().copied().unwrap_or(99) + it.next().copied().unwrap_or(98) * 256;
    while let Some(v) = it.next() {
        out[1] = out[1] * 31 + *v;
    }
    out[2] = it.next().copied().unwrap_or(97) + it.next().copied().unwrap_or(96);

    // In part, and then the rest.
    let mut it = x[i..i + 8].iter();
    let sum: u32 = it.by_ref().take(3).sum();
    let fifth = it.nth(1).copied().unwrap_or(77);
    let large = it.find(|v| **v > 20).copied().unwrap_or(7);
    out[3] = sum * 1000 + fifth * 100 + large * 10 + it.count() as u32;

    // Arrays by value are what they were.
    let mut own = [x[i], x[i + 1], x[i + 2]];
    let mut it = own.into_iter();
    own[0] = 1000;
    own[2] = 2000;
    let first = it.next().unwrap_or(0);
    out[4] = first + it.last().unwrap_or(0) + own[0] + own[2];

    // Parts of a slice, and chains up to the last number of a type.
    let mut parts = x[i..i + 7].chunks(3);
    while let Some(part) = parts.next() {
        out[5] = out[5] * 10 + part.len() as u32 + part[0] % 2;
    }
    let mut bytes = (250u8..=255).chain(3..5).step_by(3);
    while let Some(byte) = bytes.next() {
        out[6] = out[6] * 11 + byte as u32;
    }
    out[6] += bytes.next().is_some() as u32;

    // Of two, the one that goes on when the other has ended.
    let mut left = x[i..i + 4].iter();
    let mut right = (0..i as u32 % 6).rev();
    loop {
        let Some(l) = left.next() else { break };
        out[7] = out[7] * 13 + *l;
        if let Some(r) = right.next() {
            out[7] ^= r << 3;
        }
    }
    out[7] += right.next().unwrap_or(55);
});

both!(computed, computed_on_host, (x, i, out) {
    // Closures run when they are asked, and only then.
    let mut calls = 0;
    let mut it = x[i..].iter().copied().filter(|v| *v % 3 != 0).map(|v| {
        calls += 1;
        v * 5
    });
    let (a, b) = (it.next().unwrap_or(1), it.next().unwrap_or(2));
    let c = it.by_ref().skip(1).next().unwrap_or(3);
    out[0] = a ^ b << 4 ^ c << 8;
    out[1] = calls;

    // What a `move` closure took along stays as it was.
    let mut base = x[i] + 1;
    let mut it = x[i..i + 3].iter().map(move |v| v * base);
    let any = it.any(|v| v % 2 == 0);
    base += 100;
    out[2] = it.next().unwrap_or(any as u32 + 5) + base;

    // Left early, gone on with, and begun anew in each round.
    for round in 0..3u32 {
        let mut it = x[i..i + 6].iter().skip(round as usize);
        for v in it.by_ref() {
            out[3] += *v;
            if *v % 4 == round {
                break;
            }
        }
        out[3] = out[3] * 5 + it.next().copied().unwrap_or(round);
    }

    // What goes on with another one in a variable.
    let mut words = x[i..i + 9].iter().copied();
    let head = words.next().unwrap_or(0);
    let tail = words.skip(2).take_while(|v| *v != 11).scan(head, |state, v| {
        *state ^= v;
        Some(*state)
    });
    out[4] = tail.fold(1, |a, b| a * 3 + b % 100);

    // Beside others.
    let mut odd = x[i..i + 9].iter().filter(|v| **v % 2 == 1);
    out[5] = x[i..i + 3].iter().zip(odd.by_ref()).map(|(l, r)| l * r).sum();
    out[5] = out[5] * 10 + odd.count() as u32;
    let mut pairs = x[i..i + 4].iter().zip(x[i + 2..].iter()).enumerate();
    while let Some((k, (l, r))) = pairs.next() {
        out[6] += (k as u32 + 1) * l.abs_diff(*r);
    }
    let mut options = x[i..i + 4].iter().map(|v| v.checked_sub(9)).flatten().inspect(|v| out[7] += *v);
    let known = options.next().is_some() as u32 + options.next().is_some() as u32;
    out[7] = out[7] * 3 + known;
});

both!(later, later_on_host, (x, i, out) {
    // Not `mut`: the chain itself, with what its arguments were.
    let mut limit = 3 + i as u32 % 4;
    let evens = (0..limit * 2).step_by(2);
    let shifted = x.iter().skip(i % 7).map(|v| v + 2);
    let numbered = x[i % 5..i % 5 + 6].iter().rev().enumerate();
    limit += 50;
    for (even, v) in evens.zip(shifted) {
        out[0] = out[0] * 7 + (even ^ v);
    }
    for (k, v) in numbered {
        out[1] = out[1] * 3 + k as u32 * *v;
    }
    out[2] = limit;
    let pairs = x[i..i + 6].windows(2).map(|w| w[0] * w[1]);
    let largest = pairs.max().max(x[i..].iter().copied().map(|v| v % 7).next());
    out[3] = largest.unwrap_or(0);
    let nested = (0..3u32).flat_map(|a| (0..a).map(move |b| a * 10 + b)).map(|v| v + x[i]);
    out[4] = nested.take_while(|v| *v != 25).sum();
    let below = x[i..i + 8].iter().copied().take_while(|v| *v < 30);
    out[5] = below.count() as u32;
    let counted = x[i..i + 4].iter().enumerate();
    let doubled = counted.map(|(k, v)| (k as u32, v * 2));
    let kept = doubled.filter(|(k, _)| *k != 1);
    for (k, v) in kept {
        if v == 14 {
            continue;
        }
        out[6] += v << k;
    }
    let same = x[i..i + 3].iter();
    out[7] = same.eq(x[i + 1..i + 4].iter()) as u32 + 2 * x[i..i + 3].iter().lt(x[i + 1..].iter()) as u32;
});

fn input() -> Vec<u32> {
    (0..N as u32 + 12).map(|i| (i * 37 + i / 5) % 41).collect()
}

/// The expected result of a body at each position.
fn expected(body: fn(&[u32], usize) -> [u32; WIDTH]) -> Vec<Output> {
    let x = input();
    vec![Output::U32((0..N).flat_map(|i| body(&x, i)).collect())]
}

macro_rules! kept_case {
    ($name:literal, $kernel:ident, $host:ident) => {
        case!(
            $name,
            [$kernel],
            |mgr| {
                let (x, mut y) = (mgr.tensor(&input())?, mgr.tensor_of_len::<u32>(WIDTH * N)?);
                let seq = mgr.sequence()?;
                $kernel::dispatch(&seq, Grid::items(N), &x, &mut y)?;
                seq.eval()?;
                Ok(vec![Output::U32(y.to_vec()?)])
            },
            || expected($host)
        )
    };
}

/// A tile that a workgroup fills, gone through by an iterator that was made before.
#[kernel(workgroup = 8)]
fn of_a_tile(x: &[u32], y: &mut [u32]) {
    let (i, t) = (global_id().x as usize, local_id().x as usize);
    let mut tile = Shared::<[u32; 8]>::new();
    tile[t] = x[i];
    barrier();
    let mut it = tile.iter().skip(t).step_by(2);
    let first = it.next().copied().unwrap_or(0);
    let mut rest = 0;
    for v in it {
        rest = rest * 3 + *v;
    }
    y[i] = first * 1000 + rest;
}

fn expected_of_a_tile() -> Vec<Output> {
    let x = input();
    let y = (0..N).map(|i| {
        let tile = &x[i / 8 * 8..i / 8 * 8 + 8];
        let mut it = tile.iter().skip(i % 8).step_by(2);
        let first = it.next().copied().unwrap_or(0);
        first * 1000 + it.fold(0, |rest, v| rest * 3 + *v)
    });
    vec![Output::U32(y.collect())]
}

/// The entries.
pub const CASES: &[Case] = &[
    kept_case!("kept::asked", Asked, asked_on_host),
    kept_case!("kept::computed", Computed, computed_on_host),
    kept_case!("kept::later", Later, later_on_host),
    case!(
        "kept::of_a_tile",
        [OfATile],
        |mgr| {
            let (x, mut y) = (mgr.tensor(&input())?, mgr.tensor_of_len::<u32>(N)?);
            let seq = mgr.sequence()?;
            OfATile::dispatch(&seq, Grid::items(N), &x, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        expected_of_a_tile
    ),
];
