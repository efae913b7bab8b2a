//! Methods of arrays and slices, and loops that write the elements they go through.

use gridwise::prelude::*;

use super::traps::report;
use super::{case, twice};
use crate::case::{Case, Output, patterns};

const N: usize = 128;

fn small(len: usize) -> Vec<u32> {
    patterns(len, 33).into_iter().map(|v| v % 9).collect()
}

twice! {
    fn bumped(x: &mut u32, by: u32) -> u32 {
        *x += by;
        *x
    }

    fn reads(x: &[u32], at: usize) -> [u32; 8] {
        let own = [x[0], x[1], 7, at as u32];
        let pairs = [(1u32, true), (x[2], false), (3, true)];
        let flags = [x[0] % 2 == 0, true, x[1] > 3];
        let mut found = 0;
        if let Some(v) = x.get(at) {
            found += *v;
        }
        if let Some(&v) = x[1..].first() {
            found ^= v * 16;
        }
        let last = x.last().copied().unwrap_or(9) + x[..0].last().copied().unwrap_or(5);
        let some = own.get(at).is_some() as u32 + 2 * own[1..3].get(at).is_none() as u32;
        let has = x.contains(&7) as u32
            + 2 * own.contains(&x[3]) as u32
            + 4 * pairs.contains(&(3, true)) as u32
            + 8 * pairs[..2].contains(&(x[2], true)) as u32
            + 16 * flags.contains(&false) as u32;
        let pair = pairs.last().map(|pair| pair.0 + pair.1 as u32).unwrap_or(0);
        let lengths = x[2..].len() as u32 * 2 + x[1..1].is_empty() as u32;
        let behind = own.iter().rev().nth(1).copied().unwrap_or(1);
        [found, last, some, has, pair, x.first().map_or(0, |v| *v * 2), lengths, behind]
    }

    fn writes(x: &mut [u32], from: &[u32], at: usize) -> [u32; 8] {
        let mut own = [1, 2, 3, 4, 5, 6u32];
        own.swap(at % 6, 2);
        own[1..4].reverse();
        own[..2].copy_from_slice(&from[1..3]);
        let mut flags = [false; 5];
        flags[1..3].fill(true);
        flags.reverse();
        flags.swap(0, at % 5);
        let mut rows = [[1, 2], [3, 4u32]];
        rows[at % 2].swap(0, 1);
        rows.reverse();
        rows[0].fill(from[0]);
        let len = x.len();
        x.swap(0, len - 1);
        x[1..].reverse();
        x[..2].fill(at as u32 + own[0]);
        x[len - 2..].copy_from_slice(&own[4..]);
        let mut marks = 0;
        for flag in flags {
            marks = marks * 2 + flag as u32;
        }
        [own[0], own[1], own[2], own[3], own[4] * 16 + own[5], marks, rows[0][0], rows[1][0] * 16 + rows[1][1]]
    }

    fn looped(x: &mut [u32], by: &[u32]) -> [u32; 8] {
        for v in x.iter_mut() {
            *v += 1;
        }
        for (i, v) in x.iter_mut().enumerate() {
            *v ^= i as u32;
            if i == 2 {
                continue;
            }
            *v += 10;
        }
        for (a, b) in x.iter_mut().zip(by) {
            *a += *b;
        }
        for v in &mut x[1..] {
            *v *= 3;
        }
        let mut total = 0;
        for v in x[..2].iter_mut().rev() {
            total = total * 5 + bumped(v, total + 1);
        }
        let mut own = [(1u32, 2u32), (3, 4), (5, 6)];
        for (i, (a, b)) in own.iter_mut().zip(by.iter()).enumerate().skip(1) {
            a.0 += b;
            a.1 = i as u32;
        }
        for (at, pair) in own.iter_mut().enumerate() {
            pair.1 += at as u32 + 1;
            if pair.0 == 3 {
                break;
            }
        }
        let mut flags = [false; 4];
        for flag in flags.iter_mut().step_by(2) {
            *flag = !*flag;
        }
        for (flag, i) in flags[1..].iter_mut().zip(0..2u32) {
            *flag |= i == 1;
        }
        let mut marks = 0;
        for flag in &flags {
            marks = marks * 2 + *flag as u32;
        }
        [own[0].0, own[0].1, own[1].0, own[1].1, own[2].0, own[2].1, marks, total]
    }

    fn all_of_three(x: &mut [u32], from: &[u32], at: usize) -> [u32; 24] {
        let (a, b, c) = (reads(x, at), writes(x, from, at), looped(x, from));
        let mut all = [0; 24];
        all[..8].copy_from_slice(&a);
        all[8..16].copy_from_slice(&b);
        all[16..].copy_from_slice(&c);
        all
    }
}

/// On parts of buffers.
///
/// # Safety
/// Tensors are so short that no index wraps around.
#[kernel(workgroup = 32)]
unsafe fn on_buffers(x: &[u32], y: &mut [u32], out: &mut [[u32; 24]]) {
    let i = global_id().x as usize;
    out[i] = all_of_three(&mut y[5 * i..5 * i + 5], &x[i..i + 6], i % 7);
}

/// On arrays of the invocation's own, and on shared memory.
#[kernel(workgroup = 32)]
fn elsewhere(x: &[u32], y: &mut [u32], out: &mut [[u32; 24]]) {
    let tile = Shared::<[u32; 160]>::new();
    let (i, lane) = (global_id().x as usize, local_index() as usize);
    if i % 2 == 0 {
        let mut own = [0; 5];
        own.copy_from_slice(&y[5 * i..5 * i + 5]);
        out[i] = all_of_three(&mut own, &x[i..i + 6], i % 7);
        y[5 * i..][..5].copy_from_slice(&own);
    } else {
        tile[5 * lane..5 * lane + 5].copy_from_slice(&y[5 * i..=5 * i + 4]);
        out[i] = all_of_three(&mut tile[5 * lane..5 * lane + 5], &x[i..i + 6], i % 7);
        for (to, from) in y[5 * i..5 * i + 5].iter_mut().zip(&tile[5 * lane..]) {
            *to = *from;
        }
    }
}

fn expected() -> Vec<Output> {
    let (x, mut y) = (small(N + 8), start());
    let each = |i: usize| plain::all_of_three(&mut y[5 * i..5 * i + 5], &x[i..i + 6], i % 7);
    let out: Vec<_> = (0..N).flat_map(each).collect();
    vec![Output::U32(y), Output::U32(out)]
}

fn start() -> Vec<u32> {
    patterns(5 * N, 34).into_iter().map(|v| v % 11).collect()
}

type Dispatch = for<'s> fn(
    &'s Sequence,
    Grid,
    &Tensor<u32>,
    &mut Tensor<u32>,
    &mut Tensor<[u32; 24]>,
) -> gridwise::Result<&'s Sequence>;

fn run(mgr: &Manager, dispatch: Dispatch) -> gridwise::Result<Vec<Output>> {
    let (x, mut y) = (mgr.tensor(&small(N + 8))?, mgr.tensor(&start())?);
    let mut out = mgr.tensor(&vec![[0u32; 24]; N])?;
    let seq = mgr.sequence()?;
    dispatch(&seq, Grid::items(N), &x, &mut y, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(y.to_vec()?), Output::U32(out.to_vec()?.concat())])
}

/// Of unknown elements and lengths.
#[device]
fn turned<T: Copy + PartialEq, const LEN: usize>(mut x: [T; LEN], needle: T) -> ([T; LEN], bool) {
    x.reverse();
    x.swap(0, LEN / 2);
    let has = x[1..].contains(&needle) && x.get(LEN).is_none();
    for v in x.iter_mut().skip(2) {
        *v = needle;
    }
    (x, has)
}

/// An element with parts, in memory that others reach too.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(C)]
pub struct Item {
    key: u32,
    counts: [u32; 2],
}

#[device]
mod queue {
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(super) struct Queue<const LEN: usize> {
        pub(super) keys: [u32; LEN],
        pub(super) len: usize,
    }

    impl<const LEN: usize> Queue<LEN> {
        pub(super) fn push(&mut self, key: u32) -> bool {
            if self.keys[..self.len].contains(&key) {
                return false;
            }
            self.keys[self.len] = key;
            self.len += 1;
            // The smallest comes first.
            let mut at = self.len - 1;
            while at > 0 && self.keys[at - 1] > self.keys[at] {
                self.keys.swap(at - 1, at);
                at -= 1;
            }
            true
        }

        pub(super) fn first(&self) -> Option<u32> {
            self.keys[..self.len].first().copied()
        }
    }
}

use queue::Queue;

#[kernel(workgroup = 32)]
fn typed(x: &[u32], items: &mut [Item], out: &mut [u32]) {
    let i = global_id().x as usize;
    let (turned_numbers, has) = turned([x[i], x[i + 1], 3, 4], 3);
    let (turned_vectors, has_vector) = turned([UVec2::splat(x[i]), UVec2::ONE, UVec2::ZERO], UVec2::ONE);
    let mut queue = Queue::<6> { keys: [0; 6], len: 0 };
    let mut pushed = 0;
    for key in &x[i..i + 6] {
        pushed += queue.push(*key) as u32;
    }
    for item in &mut items[2 * i..2 * i + 2] {
        item.key += queue.first().unwrap_or(50);
        item.counts[1] ^= item.key;
        let counts = item.counts;
        item.counts[0] += counts.iter().sum::<u32>();
    }
    items[2 * i..2 * i + 2].swap(0, 1);
    let twins = items[2 * i..2 * i + 2].iter().any(|item| item.key % 4 == 1 && item.counts[0] > x[i]) as u32;
    out[i] = turned_numbers.iter().fold(0, |all, v| all * 11 + v)
        ^ turned_vectors[0].x
        ^ (has as u32 + 2 * has_vector as u32 + 4 * pushed + 64 * queue.keys[1] + 1024 * twins);
}

fn expected_typed() -> Vec<Output> {
    let x = small(N + 8);
    let (mut items, mut out) = (Vec::new(), Vec::new());
    for i in 0..N {
        let mut a = [x[i], x[i + 1], 3, 4];
        a.reverse();
        a.swap(0, 2);
        let has = a[1..].contains(&3);
        a[2..].fill(3);
        let mut b = [[x[i]; 2], [1; 2], [0; 2]];
        b.reverse();
        b.swap(0, 1);
        let has_vector = b[1..].contains(&[1; 2]);
        let mut keys: Vec<u32> = x[i..i + 6].to_vec();
        keys.sort_unstable();
        keys.dedup();
        let pushed = keys.len() as u32;
        let first = keys[0];
        keys.resize(6, 0);
        let item = |at: u32| {
            let (key, mut counts) = (at + first, [x[i], at]);
            counts[1] ^= key;
            counts[0] = 2 * counts[0] + counts[1];
            (key, counts)
        };
        let own = [item(2 * i as u32 + 1), item(2 * i as u32)];
        let twins = own.iter().any(|(key, counts)| key % 4 == 1 && counts[0] > x[i]) as u32;
        items.extend(own.map(|(key, counts)| [key, counts[0], counts[1]]).concat());
        out.push(
            a.iter().fold(0, |all, v| all * 11 + v)
                ^ b[0][0]
                ^ (has as u32 + 2 * has_vector as u32 + 4 * pushed + 64 * keys[1] + 1024 * twins),
        );
    }
    vec![Output::U32(items), Output::U32(out)]
}

#[kernel(workgroup = 1)]
fn swap_outside(at: u32, out: &mut [u32]) {
    out[0] = 5;
    out[1..3].swap(0, at as usize);
}

#[kernel(workgroup = 1)]
fn copy_too_much(len: u32, out: &mut [u32]) {
    let own = [1, 2, 3];
    out[0] = 5;
    out[1..].copy_from_slice(&own[..len]);
}

pub(super) fn one(
    mgr: &Manager,
    run: impl for<'s> FnOnce(&'s Sequence, &mut Tensor<u32>) -> gridwise::Result<&'s Sequence>,
) -> gridwise::Result<Vec<Output>> {
    let mut out = mgr.tensor(&[4u32, 5, 6])?;
    let seq = mgr.sequence()?;
    run(&seq, &mut out)?;
    let report = report(&seq)?;
    Ok(vec![report, Output::U32(out.to_vec()?)])
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "slice_methods::on_buffers",
        [OnBuffers],
        |mgr| {
            // SAFETY: the tensors have a few hundred elements.
            run(mgr, |seq, grid, x, y, out| unsafe { OnBuffers::dispatch(seq, grid, x, y, out) })
        },
        expected
    ),
    case!("slice_methods::elsewhere", [Elsewhere], |mgr| run(mgr, Elsewhere::dispatch), expected),
    case!(
        "slice_methods::typed",
        [Typed],
        |mgr| {
            let x = small(N + 8);
            let item = |i: usize| Item { key: i as u32, counts: [x[i / 2], i as u32] };
            let items: Vec<Item> = (0..2 * N).map(item).collect();
            let (x, mut items, mut out) = (mgr.tensor(&x)?, mgr.tensor(&items)?, mgr.tensor(&[0u32; N])?);
            let seq = mgr.sequence()?;
            Typed::dispatch(&seq, Grid::items(N), &x, &mut items, &mut out)?;
            seq.eval()?;
            let items = items.to_vec()?.into_iter().flat_map(|item| [item.key, item.counts[0], item.counts[1]]);
            Ok(vec![Output::U32(items.collect()), Output::U32(out.to_vec()?)])
        },
        expected_typed
    ),
    case!("slice_methods::swap_out_of_range", [SwapOutside], |mgr| {
        one(mgr, |seq, out| SwapOutside::dispatch(seq, Grid::items(1), 2, out))
    }),
    case!("slice_methods::copy_of_another_length", [CopyTooMuch], |mgr| {
        one(mgr, |seq, out| CopyTooMuch::dispatch(seq, Grid::items(1), 3, out))
    }),
];
