//! Slices: buffers, shared memory and arrays as arguments of device functions, whole and in part.

#![allow(clippy::misrefactored_assign_op, reason = "each operator is tried on a place that its right side reads")]

use gridwise::prelude::*;
use gridwise_device_lib::sum_of_squares;

use super::case;
use crate::case::{Case, Output, patterns};

use scan::prefix_sums;

const N: usize = 192;

/// An element with parts.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(C)]
pub struct Item {
    key: u32,
    counts: [u32; 2],
}

#[device]
fn sum_row(x: &[u32], row: u32, width: u32) -> u32 {
    let mut sum = 0;
    for column in 0..width {
        sum += x[row * width + column];
    }
    sum
}

#[device]
fn total(x: &[u32]) -> u32 {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

/// The position of a key in a sorted slice, halving it each time.
#[device]
fn position_of(sorted: &[u32], key: u32) -> Option<u32> {
    if sorted.is_empty() {
        return None;
    }
    let (mut low, mut high) = (0, sorted.len() as u32);
    while low < high {
        let middle = (low + high) / 2;
        if sorted[middle] == key {
            return Some(middle);
        }
        if sorted[middle] < key {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    None
}

#[device]
fn put(to: &mut [u32], at: u32, value: u32) -> u32 {
    let old = to[at];
    to[at] = value;
    to[at] ^= old;
    old
}

/// Both halves, each by the function above: what is a part of a part is one of the whole.
#[device]
fn halves(x: &[u32], to: &mut [u32], scale: u32) -> u32 {
    let middle = x.len() as u32 / 2;
    let (left, right) = (total(&x[..middle]), total(&x[middle..]));
    let tail = &mut to[1..];
    tail[0] = left * scale;
    put(tail, 1, right);
    put(&mut to[..1], 0, left ^ right)
}

#[device]
fn mapped(x: &mut [u32], f: impl Fn(u32, u32) -> u32) {
    for i in 0..x.len() as u32 {
        x[i] = f(i, x[i]);
    }
}

#[device]
fn swapped(x: &mut u32, y: &mut u32) {
    let old = *x;
    *x = *y;
    *y = old;
}

#[device]
fn counted(items: &mut [Item], key: u32) -> u32 {
    let item = &mut items[key % 3];
    item.key += 1;
    item.counts[key % 2] += key;
    let first = &items[0];
    first.key + items[1].counts[1]
}

#[device]
fn tally(bins: &[Atomic<u32>], at: u32) -> u32 {
    bins[at % bins.len() as u32].fetch_add(at, Relaxed)
}

#[device]
mod scan {
    use super::swapped;

    pub(super) fn prefix_sums<const LEN: usize>(values: &mut [u32], scratch: &mut [u32; LEN]) {
        let mut sum = 0;
        for i in 0..LEN {
            sum += values[i];
            scratch[i] = sum;
        }
        for i in 0..LEN {
            values[i] = scratch[i];
        }
        // Its own elements, one after the other.
        let mut last = values[LEN - 1];
        swapped(&mut values[0], &mut last);
        values[LEN - 1] = last;
    }
}

#[kernel(workgroup = 32)]
fn parts(x: &[u32], sorted: &[u32], y: &mut [u32], out: &mut [u32]) {
    let (i, lane) = (global_id().x, local_id().x);
    let tile = Shared::<[u32; 32]>::new();
    let row = sum_row(x, i % 8, 4) + sum_row(&x[i..i + 8], 1, 3);
    let found = position_of(sorted, x[i]).unwrap_or(1000);
    let none = position_of(&sorted[4..4], 3).is_none() as u32;
    put(&mut tile[..], lane, x[i]);
    barrier();
    let shared = total(&tile[..]) + total(&tile[lane / 2..lane]);
    let own = &mut y[i * 4..(i + 1) * 4];
    let old = halves(&x[i..i + 6], own, 3);
    own[3] = own.len() as u32;
    out[i] = row ^ found ^ none ^ shared ^ old ^ total(&y[i * 4..i * 4 + 3]) ^ sum_of_squares(&x[..2]);
}

#[kernel(workgroup = 64)]
fn arrays(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let mut values = [x[i], 3, i, 7, 1, 9];
    let factor = i + 1;
    mapped(&mut values[2..5], |at, v| v * factor + at);
    let mut scratch = [0; 6];
    prefix_sums::<6>(&mut values, &mut scratch);
    let mut grid = [[1, 2, 3], [4, 5, x[i]]];
    put(&mut grid[i % 2], i % 3, 50);
    let mut items = [Item { key: i % 4, counts: [1, 2] }; 3];
    let counted = counted(&mut items, x[i]) + counted(&mut items, i);
    let window = &values[1..];
    let sums = total(window) ^ total(&window[1..4]) ^ total(&grid[1]) ^ grid[0][1] ^ sum_row(&grid[0], 0, 2);
    out[i] = sums ^ counted ^ items[2].counts[1] ^ window[0] ^ window.len() as u32;
}

#[kernel(workgroup = 64)]
fn atomics(x: &[u32], bins: &[Atomic<u32>]) {
    let i = global_id().x;
    tally(bins, x[i]);
    tally(&bins[2..7], x[i] + 1);
}

fn small(len: usize) -> Vec<u32> {
    patterns(len, 9).into_iter().map(|v| v % 5000).collect()
}

fn sorted() -> Vec<u32> {
    let mut keys = small(N);
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter().step_by(2).collect()
}

fn expected_parts() -> Vec<Output> {
    let (x, sorted) = (small(N + 8), sorted());
    let sum = |part: &[u32]| part.iter().sum::<u32>();
    let (mut y, mut out) = (Vec::new(), Vec::new());
    for i in 0..N {
        let (group, lane) = (i / 32 * 32, i % 32);
        let row = sum(&x[i % 8 * 4..][..4]) + sum(&x[i + 3..i + 6]);
        // Of equal keys there is one.
        let found = sorted.binary_search(&x[i]).map_or(1000, |at| at as u32);
        let shared = sum(&x[group..group + 32]) + sum(&x[group + lane / 2..group + lane]);
        let (left, right) = (sum(&x[i..i + 3]), sum(&x[i + 3..i + 6]));
        let start = [4 * i as u32, 5, 6, 7];
        let own = [start[0] ^ left ^ right, left * 3, start[2] ^ right, 4];
        let squares = x[0] * x[0] + x[1] * x[1];
        out.push(row ^ found ^ 1 ^ shared ^ start[0] ^ sum(&own[..3]) ^ squares);
        y.extend(own);
    }
    vec![Output::U32(y), Output::U32(out)]
}

fn expected_arrays() -> Vec<Output> {
    let one = |(i, v): (usize, u32)| {
        let i = i as u32;
        let mut values = [v, 3, i, 7, 1, 9];
        for at in 0..3u32 {
            values[at as usize + 2] = values[at as usize + 2] * (i + 1) + at;
        }
        for at in 1..6 {
            values[at] += values[at - 1];
        }
        values.swap(0, 5);
        let mut grid = [[1, 2, 3], [4, 5, v]];
        let slot = &mut grid[i as usize % 2][i as usize % 3];
        *slot ^= 50 ^ *slot ^ *slot;
        let mut items = [(i % 4, [1, 2]); 3];
        let mut count = |key: u32| {
            items[key as usize % 3].0 += 1;
            items[key as usize % 3].1[key as usize % 2] += key;
            items[0].0 + items[1].1[1]
        };
        let counted = count(v) + count(i);
        let sum = |part: &[u32]| part.iter().sum::<u32>();
        let sums = sum(&values[1..]) ^ sum(&values[2..5]) ^ sum(&grid[1]) ^ grid[0][1] ^ sum(&grid[0][..2]);
        sums ^ counted ^ items[2].1[1] ^ values[1] ^ 5
    };
    vec![Output::U32(small(N).into_iter().enumerate().map(one).collect())]
}

fn expected_atomics() -> Vec<Output> {
    let mut bins = [0u32; 9];
    for v in small(N) {
        bins[v as usize % 9] += v;
        bins[2 + (v as usize + 1) % 5] += v + 1;
    }
    vec![Output::U32(bins.to_vec())]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "slices::parts",
        [Parts],
        |mgr| {
            let start: Vec<u32> = (0..N as u32).flat_map(|i| [4 * i, 5, 6, 7]).collect();
            let (x, sorted, mut y) = (mgr.tensor(&small(N + 8))?, mgr.tensor(&sorted())?, mgr.tensor(&start)?);
            let mut out = mgr.tensor(&[0u32; N])?;
            let seq = mgr.sequence()?;
            Parts::dispatch(&seq, Grid::items(N), &x, &sorted, &mut y, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?), Output::U32(out.to_vec()?)])
        },
        expected_parts
    ),
    case!(
        "slices::arrays",
        [Arrays],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&small(N))?, mgr.tensor(&[0u32; N])?);
            let seq = mgr.sequence()?;
            Arrays::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        expected_arrays
    ),
    case!(
        "slices::atomics",
        [Atomics],
        |mgr| {
            let (x, bins) = (mgr.tensor(&small(N))?, mgr.tensor(&[0u32; 9])?);
            let seq = mgr.sequence()?;
            Atomics::dispatch(&seq, Grid::items(N), &x, &bins)?;
            seq.eval()?;
            Ok(vec![Output::U32(bins.to_vec()?)])
        },
        expected_atomics
    ),
];
