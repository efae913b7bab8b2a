//! Loops that run several rounds at a time, and then the rest: counters at both ends of their type, steps, and rounds that load, store and meet.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

const N: usize = 512;
#[device]
const GROUP: usize = 64;

#[device]
fn mix(hash: u32, value: u32) -> u32 {
    hash.wrapping_mul(31) ^ value
}

/// The same on the host.
fn mixed(hash: u32, value: u32) -> u32 {
    hash.wrapping_mul(31) ^ value
}

#[kernel]
fn counters(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let value = x[me];
    let rounds = value % 23;
    let mut hash = 1;
    for i in 0..rounds {
        hash = mix(hash, i ^ value);
    }
    for i in u32::MAX - rounds..u32::MAX {
        hash = mix(hash, i >> 3);
    }
    for i in (3..rounds).step_by(5) {
        hash = mix(hash, i * 7);
    }
    let (start, end) = ((value % 40) as i32 - 20, (value / 64 % 40) as i32 - 20);
    for i in start..end {
        hash = mix(hash, (i * 3) as u32);
    }
    for i in i32::MIN..i32::MIN + (rounds % 6) as i32 {
        hash = mix(hash, i as u32);
    }
    let mut i = u32::MAX - 10;
    while i < u32::MAX - 1 - rounds % 3 {
        hash = mix(hash, i);
        i += 3;
    }
    out[me] = mix(hash, i);
}

fn counters_of(value: u32) -> u32 {
    let rounds = value % 23;
    let hash = (0..rounds).fold(1, |hash, i| mixed(hash, i ^ value));
    let hash = (u32::MAX - rounds..u32::MAX).fold(hash, |hash, i| mixed(hash, i >> 3));
    let hash = (3..rounds).step_by(5).fold(hash, |hash, i| mixed(hash, i * 7));
    let (start, end) = ((value % 40) as i32 - 20, (value / 64 % 40) as i32 - 20);
    let hash = (start..end).fold(hash, |hash, i| mixed(hash, (i * 3) as u32));
    let hash = (0..rounds % 6).fold(hash, |hash, i| mixed(hash, (i32::MIN + i as i32) as u32));
    let end = u32::MAX - 1 - rounds % 3;
    let counted = (u32::MAX - 10..end).step_by(3);
    let last = u32::MAX - 10 + 3 * counted.len() as u32;
    mixed(counted.fold(hash, mixed), last)
}

/// Values of several types go from round to round, and the end of a round's counter is a number that all share.
#[kernel]
fn carried(rounds: u32, x: &[f32], out: &mut [f32]) {
    let me = global_id().x;
    let (mut a, mut b, mut last) = (x[me], 1.0f32, 0u32);
    for i in 0..rounds {
        let next = a * 0.5 + b;
        b = a - i as f32;
        a = next;
        last = i;
    }
    out[me] = a - b + last as f32;
}

/// Rounds that were asked for: with loads, stores to what is read in the next round, and a barrier.
#[kernel(workgroup = 64)]
fn asked(rounds: u32, x: &[u32], out: &mut [u32]) {
    let mut tile = Shared::<[u32; GROUP]>::new();
    let me = global_id().x as usize;
    let local = local_id().x as usize;
    let mut hash = 1;
    #[unroll(4)]
    for i in 0..x[me] % 9 {
        hash = mix(hash, x[(me + i as usize) % x.len()]);
    }
    out[me] = hash;
    #[unroll(3)]
    for i in 0..x[me] % 7 {
        out[me] = mix(out[me], i);
    }
    let mut value = out[me];
    #[unroll(2)]
    for i in 0..rounds {
        tile[local] = value;
        barrier();
        value = mix(tile[(local + 1) % GROUP], i);
        barrier();
    }
    out[me] = value;
}

fn asked_of(rounds: u32, x: &[u32]) -> Vec<u32> {
    let first = |me: usize| {
        let hash = (0..x[me] as usize % 9).fold(1, |hash, i| mixed(hash, x[(me + i) % x.len()]));
        (0..x[me] % 7).fold(hash, mixed)
    };
    let mut values: Vec<u32> = (0..x.len()).map(first).collect();
    for group in values.chunks_mut(GROUP) {
        for i in 0..rounds {
            group.rotate_left(1);
            group.iter_mut().for_each(|value| *value = mixed(*value, i));
        }
    }
    values
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "open_ended::counters",
        [Counters],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&patterns(N, 5))?, mgr.tensor(&[0u32; N])?);
            let seq = mgr.sequence()?;
            Counters::dispatch(&seq, Grid::items(N), &x, &mut out)?.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32(patterns(N, 5).into_iter().map(counters_of).collect())]
    ),
    case!(
        "open_ended::carried",
        [Carried],
        |mgr| {
            let x: Vec<f32> = (0..N).map(|i| i as f32 / 8.0).collect();
            let x = mgr.tensor(&x)?;
            let mut outputs = Vec::new();
            for rounds in [0, 1, 3, 4, 5, 11] {
                let mut out = mgr.tensor(&[0f32; N])?;
                let seq = mgr.sequence()?;
                Carried::dispatch(&seq, Grid::items(N), rounds, &x, &mut out)?.eval()?;
                outputs.push(Output::exact(out.to_vec()?));
            }
            Ok(outputs)
        },
        || {
            let of = |rounds: u32, i: usize| {
                let (mut a, mut b, mut last) = (i as f32 / 8.0, 1.0f32, 0);
                for i in 0..rounds {
                    (a, b, last) = (a * 0.5 + b, a - i as f32, i);
                }
                a - b + last as f32
            };
            [0, 1, 3, 4, 5, 11].map(|rounds| Output::exact((0..N).map(|i| of(rounds, i)).collect())).into()
        }
    ),
    case!(
        "open_ended::asked",
        [Asked],
        |mgr| {
            let x = mgr.tensor(&patterns(N, 6))?;
            let mut outputs = Vec::new();
            for rounds in [0, 1, 2, 7] {
                let mut out = mgr.tensor(&[0u32; N])?;
                let seq = mgr.sequence()?;
                Asked::dispatch(&seq, Grid::items(N), rounds, &x, &mut out)?.eval()?;
                outputs.push(Output::U32(out.to_vec()?));
            }
            Ok(outputs)
        },
        || [0, 1, 2, 7].map(|rounds| Output::U32(asked_of(rounds, &patterns(N, 6)))).into()
    ),
];
