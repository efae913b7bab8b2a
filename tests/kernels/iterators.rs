//! Chains with a state, chains within chains, chains that begin anew, chains that are compared; ends of slices.

#![allow(
    clippy::map_flatten,
    clippy::infinite_iter,
    clippy::redundant_guards,
    reason = "each method is tried as it is; slices have no patterns in kernels"
)]

use gridwise::prelude::*;

use super::traps::report;
use super::{case, twice};
use crate::case::{Case, Output, patterns};

const N: usize = 256;

fn small(len: usize) -> Vec<u32> {
    patterns(len, 91).into_iter().map(|v| v % 9).collect()
}

twice! {
    fn mix(hash: u32, value: u32) -> u32 {
        hash.wrapping_mul(31) ^ value
    }

    fn neighbours(v: u32) -> [u32; 3] {
        [v, v + 1, v * 2]
    }

    fn half(v: u32) -> Option<u32> {
        if v % 2 == 0 { Some(v / 2) } else { None }
    }

    fn scanned(x: &[u32], n: u32) -> u32 {
        let running = x.iter().scan(n, |sum, v| { *sum += v; Some(*sum) }).fold(1, mix);
        let mut calls = 0;
        let until = x.iter().enumerate().scan((0, 1), |state, (i, v)| {
            calls += 1;
            state.0 += v;
            state.1 = state.1 * 3 + i as u32;
            if state.0 > 9 { return None; }
            Some(state.1)
        }).filter(|v| v % 2 == 0).fold(running, mix);
        let zipped = (0..n).zip(x.iter().scan(0u64, |sum, &v| { *sum = *sum * 5 + v as u64; (*sum < 900).then_some(*sum) }))
            .map(|(a, b)| a + b as u32).fold(until, mix);
        let mut best = 0;
        for (i, v) in x.iter().scan([0u32; 2], |last, &v| { *last = [last[1], v]; Some(last[0] * 16 + v) }).enumerate() {
            if v == 0x22 { continue; }
            if i == 5 { break; }
            best = mix(best, v);
        }
        let chained = x.iter().copied().scan((), |_, v| (v < 7).then_some(v)).chain(3..n % 5).fold(best, mix);
        mix(zipped, chained) ^ calls
    }

    fn nested(x: &[u32], n: u32) -> u32 {
        let mut hash = (0..n % 7).flat_map(|i| (0..i).map(move |j| i * 10 + j)).fold(1, mix);
        hash = x.iter().flat_map(|&v| neighbours(v)).take(n as usize % 11).fold(hash, mix);
        hash = x.iter().copied().flat_map(neighbours).fold(hash, mix);
        hash = x.chunks(2).flat_map(|c| c.iter().rev()).fold(hash, |h, v| mix(h, *v));
        hash = x.iter().flat_map(|v| half(*v)).map(|v| v + 1).fold(hash, mix);
        hash = x.iter().flat_map(|&v| { let w = v % 4; let k = w + 1; (w..=k).rev() }).enumerate().filter(|(i, _)| i % 3 != 1)
            .map(|(i, v)| v * 8 + i as u32).fold(hash, mix);
        let mut seen = 0;
        let found = (0..6u32).flat_map(|i| (i..i + 3).inspect(|_| ()).map(move |j| i * j)).find(|v| { seen += 1; *v > n });
        hash = mix(hash, found.unwrap_or(77) + seen * 128);
        // What `take` does not give is not computed.
        let mut made = 0;
        for (i, v) in x.iter().flat_map(|&v| { made += 16; (0..v).map(move |j| v * j) }).skip(1).step_by(2).take(3).enumerate() {
            if v == 2 { continue; }
            if i as u32 + v > 9 { break; }
            hash = mix(hash, v);
        }
        hash = mix(hash, made);
        let deep = (0..3u32).flat_map(|i| (0..i + 1).flat_map(move |j| [i, j, n % 3])).zip(x.iter().cycle()).map(|(a, b)| a * 16 + b).fold(0, mix);
        let none = x.iter().flat_map(|&v| 0..v).take(0).count() as u32;
        let all = x.iter().flat_map(|&v| v..v + 2).take(4).take(n as usize % 6).map(|v| v + 1).sum::<u32>();
        mix(hash, deep) + none + all
    }

    fn flattened(grid: [[u32; 3]; 2], x: &[u32]) -> u32 {
        let mut hash = grid.iter().flatten().fold(1, |h, v| mix(h, *v));
        hash = grid.into_iter().flatten().skip(2).fold(hash, mix);
        hash = x.windows(2).flatten().zip(0..).map(|(v, i)| v + i).fold(hash, mix);
        hash = x.iter().map(|&v| neighbours(v)).flatten().filter(|v| v % 3 > 0).fold(hash, mix);
        hash = grid.iter().flat_map(|row| row.iter().map(|v| v + 1)).position(|v| v == 4).map_or(hash, |at| mix(hash, at as u32));
        let rows = grid.iter().map(|row| row.iter().sum::<u32>()).max().unwrap_or(0);
        x.iter().map(|v| v.checked_sub(2)).flatten().fold(hash, mix) + rows
    }

    fn cycled(x: &[u32], n: u32) -> u32 {
        let own = [3u32, 1, 4];
        let mut hash = own.iter().cycle().take(n as usize % 9).fold(1, |h, v| mix(h, *v));
        hash = x.iter().zip(own.iter().cycle().skip(1)).map(|(a, b)| a * b).fold(hash, mix);
        hash = x.iter().rev().enumerate().cycle().skip(3).step_by(2).take(8).map(|(i, v)| v + i as u32 * 16).fold(hash, mix);
        hash = (0..n % 4).cycle().zip(x.iter()).map(|(a, b)| a + b).fold(hash, mix);
        hash = (250..=255u8).cycle().take(9).map(|v| v as u32).fold(hash, mix);
        hash = (0..=u64::MAX).cycle().skip(2).take(3).map(|v| v as u32).fold(hash, mix);
        for (i, v) in x.iter().cycle().enumerate() {
            if i as u32 + v > 14 { break; }
            hash = mix(hash, *v);
        }
        // Of nothing there is nothing.
        mix(hash, x[..0].iter().cycle().count() as u32)
    }

    fn compared(x: &[u32], y: &[u32], n: u32) -> u32 {
        let k = n as usize % 4;
        let a = &x[..k];
        let b = &y[..3];
        let mut bits = a.iter().eq(b.iter()) as u32;
        bits = bits * 2 + a.iter().ne(b) as u32;
        bits = bits * 2 + a.iter().lt(b.iter()) as u32;
        bits = bits * 2 + a.iter().le(b.iter()) as u32;
        bits = bits * 2 + a.iter().rev().gt(b.iter().rev()) as u32;
        bits = bits * 2 + a.iter().copied().ge([1, 5, 2]) as u32;
        bits = bits * 2 + (0..k as u32).eq(0..n % 4) as u32;
        bits = bits * 2 + (0..3).eq(x.iter().filter(|v| **v < 3).map(|v| v % 3)) as u32;
        let order = a.iter().map(|v| v / 2).cmp(b.iter().map(|v| v / 2));
        bits = bits * 4 + (order as i32 + 1) as u32;
        let floats = [0.5, if n % 5 == 0 { f32::NAN } else { n as f32 }, 2.0];
        let of_floats = floats[..k].iter().partial_cmp(floats.iter().skip(1));
        bits = bits * 4 + of_floats.map_or(3, |order| (order as i32 + 1) as u32);
        bits = bits * 2 + floats.iter().le(floats.iter()) as u32;
        bits = bits * 2 + x.iter().zip(y).map(|(a, b)| (a % 2, *b)).lt(y.iter().map(|v| (v % 2, 4))) as u32;
        bits = bits * 2 + x.iter().filter(|v| **v > n % 9).eq(y.iter().filter(|v| **v > n % 9)) as u32;
        bits
    }

    fn sorted(x: &[u32], n: u32) -> u32 {
        let k = n as usize % 4 + 1;
        let mut own = [x[0], x[1], x[2], x[3]];
        let mut bits = x[..k].is_sorted() as u32;
        bits = bits * 2 + own.is_sorted() as u32;
        own.reverse();
        bits = bits * 2 + own[..k].iter().is_sorted() as u32;
        bits = bits * 2 + x.is_sorted_by_key(|v| v / 4) as u32;
        let mut calls = 0;
        bits = bits * 2 + x.iter().is_sorted_by(|a, b| { calls += 1; **a + 3 > **b }) as u32;
        bits = bits * 2 + x[..k].is_sorted_by(|a, b| a < b) as u32;
        bits = bits * 2 + (0..n % 5).map(|i| i * i % 7).is_sorted() as u32;
        bits = bits * 2 + (n % 3..3).is_sorted() as u32;
        bits = bits * 2 + (0..=n % 4).is_sorted_by_key(|v| v ^ 1) as u32;
        bits = bits * 2 + own.iter().map(|&v| if v == 3 { f32::NAN } else { v as f32 }).is_sorted_by_key(|v| -v) as u32;
        bits * 16 + calls
    }

    fn backwards(x: &[u32], n: u32) -> u32 {
        let mut calls = 0;
        let mut hash = x.iter().rposition(|v| { calls += 1; *v == n % 9 }).map_or(99, |at| at as u32);
        hash = mix(hash, calls);
        hash = mix(hash, x.iter().map(|v| v * 2).rposition(|v| v == 6).map_or(98, |at| at as u32));
        hash = mix(hash, x.iter().rev().rposition(|v| *v == 3).map_or(97, |at| at as u32));
        hash = mix(hash, x.iter().skip(1).step_by(2).rposition(|v| *v == 3).map_or(96, |at| at as u32));
        hash = mix(hash, x[..0].iter().rposition(|_| true).map_or(95, |at| at as u32));
        hash = mix(hash, (0..n % 9).rposition(|v| v % 3 == 1).map_or(94, |at| at as u32));
        mix(hash, x.iter().enumerate().rposition(|(i, v)| i as u32 == *v).map_or(93, |at| at as u32))
    }

    fn all_of_them(x: &[u32], y: &[u32], n: u32) -> [u32; 8] {
        [
            scanned(x, n),
            nested(x, n),
            flattened([[x[0], x[1], 3], [x[2], n % 5, 4]], y),
            cycled(x, n),
            compared(x, y, n),
            sorted(x, n),
            backwards(x, n),
            ends(x, n as usize),
        ]
    }

    fn ends(x: &[u32], n: usize) -> u32 {
        let k = n % 4 + 1;
        let mut hash = x.rchunks(k).map(|c| c.iter().fold(c.len() as u32, |h, v| mix(h, *v))).fold(1, mix);
        hash = x.rchunks(k).rev().skip(1).map(|c| c[0]).fold(hash, mix);
        hash = x.rchunks_exact(k).zip(x.chunks_exact(k)).map(|(a, b)| a[0] * 16 + b[k - 1]).fold(hash, mix);
        let part = x.get(n % 9..n % 7).map_or(50, |part| part.iter().sum::<u32>() + 64 * part.len() as u32);
        hash = mix(hash, part);
        hash = mix(hash, x.get(n % 9..).map_or(51, |part| part.len() as u32));
        hash = mix(hash, x.get(0..=n % 9).map_or(52, |part| part[n % 9]));
        hash = mix(hash, x.get(1..=u32::MAX as usize).map_or(53, |part| part.len() as u32));
        if let Some((first, rest)) = x[n % 7..].split_first() {
            hash = mix(hash, first + 16 * rest.iter().sum::<u32>());
        }
        if let Some((last, rest)) = x.split_last() && let Some((before, rest)) = rest.split_last() {
            hash = mix(hash, last * 32 + before + rest.len() as u32);
        }
        if let Some((head, tail)) = x.split_at_checked(n % 9) {
            hash = mix(hash, head.len() as u32 * 16 + tail.first().copied().unwrap_or(9));
        }
        match x[..k - 1].split_first() {
            Some((first, rest)) if rest.is_empty() => mix(hash, *first),
            Some((first, rest)) => mix(hash, first * rest[0]),
            None => hash + 1,
        }
    }

    fn turned(x: &mut [u32], n: usize) -> u32 {
        x.rotate_left(n % (x.len() + 1));
        let first = x[0];
        let by = n / 8 % x.len();
        x[1..].rotate_right(by);
        for (i, c) in x.rchunks_mut(3).enumerate() {
            c[0] += i as u32;
            c.rotate_left(1);
        }
        for c in x.rchunks_exact_mut(2) {
            c.swap(0, 1);
        }
        let mut own = [1, 2, 3, first, 5];
        own.rotate_right(n % 6);
        own.iter().fold(0, |h, v| mix(h, *v))
    }
}

/// On parts of buffers.
///
/// # Safety
/// Tensors are so short that no index wraps around.
#[kernel(workgroup = 32)]
unsafe fn on_buffers(x: &[u32], y: &mut [u32], out: &mut [[u32; 8]]) {
    let i = global_id().x as usize;
    out[i] = all_of_them(&x[i..i + 6], &x[i + 1..i + 4], i as u32);
    out[i][7] ^= turned(&mut y[7 * i..7 * i + 7], i);
}

/// On arrays of the invocation's own, and on shared memory.
///
/// # Safety
/// Tensors are so short that no index wraps around.
#[kernel(workgroup = 32)]
unsafe fn elsewhere(x: &[u32], y: &mut [u32], out: &mut [[u32; 8]]) {
    let tile = Shared::<[u32; 224]>::new();
    let (i, lane) = (global_id().x as usize, local_index() as usize);
    let own = [x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5]];
    tile[7 * lane..7 * lane + 6].copy_from_slice(&own);
    out[i] = all_of_them(&own, &tile[7 * lane + 1..7 * lane + 4], i as u32);
    tile[7 * lane..7 * lane + 7].copy_from_slice(&y[7 * i..7 * i + 7]);
    out[i][7] ^= turned(&mut tile[7 * lane..7 * lane + 7], i);
    for (to, from) in y[7 * i..].iter_mut().zip(tile[7 * lane..].iter().take(7)) {
        *to = *from;
    }
}

/// A sparse matrix by rows: what a row is made of is a chain within a chain, and whoever has enough returns.
#[kernel(workgroup = 32)]
fn in_a_kernel(starts: &[u32], columns: &[u32], y: &mut [u32]) {
    let i = global_id().x as usize;
    let mut sum = 0;
    for column in (i / 2..i / 2 + 3).flat_map(|row| starts[row]..starts[row + 1]).map(|at| columns[at as usize]) {
        if column == 7 {
            y[i] = sum | 0x8000_0000;
            return;
        }
        sum = sum * 3 + column;
    }
    y[i] = sum + (0..2).map(|k| starts[k]).sum::<u32>();
}

/// # Safety
/// One invocation runs.
#[kernel(workgroup = 1)]
unsafe fn rotated_too_far(at: u32, out: &mut [u32]) {
    out[0] = 5;
    out.rotate_left(at as usize);
    out[1] = 6;
}

fn start() -> Vec<u32> {
    patterns(7 * N, 92).into_iter().map(|v| v % 11).collect()
}

fn expected() -> Vec<Output> {
    let (x, mut y) = (small(N + 6), start());
    let each = |i: usize| {
        let mut all = plain::all_of_them(&x[i..i + 6], &x[i + 1..i + 4], i as u32);
        all[7] ^= plain::turned(&mut y[7 * i..7 * i + 7], i);
        all
    };
    let out: Vec<_> = (0..N).flat_map(each).collect();
    vec![Output::U32(y), Output::U32(out)]
}

type Dispatch = for<'s> fn(
    &'s Sequence,
    Grid,
    &Tensor<u32>,
    &mut Tensor<u32>,
    &mut Tensor<[u32; 8]>,
) -> gridwise::Result<&'s Sequence>;

fn run(mgr: &Manager, dispatch: Dispatch) -> gridwise::Result<Vec<Output>> {
    let (x, mut y) = (mgr.tensor(&small(N + 6))?, mgr.tensor(&start())?);
    let mut out = mgr.tensor(&vec![[0u32; 8]; N])?;
    let seq = mgr.sequence()?;
    dispatch(&seq, Grid::items(N), &x, &mut y, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(y.to_vec()?), Output::U32(out.to_vec()?.concat())])
}

fn starts() -> Vec<u32> {
    small(N).into_iter().scan(0, |sum, v| std::mem::replace(sum, *sum + v % 4).into()).collect()
}

fn columns() -> Vec<u32> {
    patterns(4 * N, 93).into_iter().map(|v| v % 12).collect()
}

fn expected_in_a_kernel() -> Vec<Output> {
    let (starts, columns) = (starts(), columns());
    let y = (0..N).map(|i| {
        let mut sum = 0u32;
        for row in i / 2..i / 2 + 3 {
            for at in starts[row]..starts[row + 1] {
                if columns[at as usize] == 7 {
                    return sum | 0x8000_0000;
                }
                sum = sum.wrapping_mul(3).wrapping_add(columns[at as usize]);
            }
        }
        sum.wrapping_add(starts[0] + starts[1])
    });
    vec![Output::U32(y.collect())]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "iterators::on_buffers",
        [OnBuffers],
        |mgr| {
            // SAFETY: the tensors have a few hundred elements.
            run(mgr, |seq, grid, x, y, out| unsafe { OnBuffers::dispatch(seq, grid, x, y, out) })
        },
        expected
    ),
    case!(
        "iterators::elsewhere",
        [Elsewhere],
        |mgr| {
            // SAFETY: the tensors have a few hundred elements.
            run(mgr, |seq, grid, x, y, out| unsafe { Elsewhere::dispatch(seq, grid, x, y, out) })
        },
        expected
    ),
    case!(
        "iterators::in_a_kernel",
        [InAKernel],
        |mgr| {
            let (starts, columns) = (mgr.tensor(&starts())?, mgr.tensor(&columns())?);
            let mut y = mgr.tensor(&[0u32; N])?;
            let seq = mgr.sequence()?;
            InAKernel::dispatch(&seq, Grid::items(N), &starts, &columns, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        expected_in_a_kernel
    ),
    case!("iterators::rotated_too_far", [RotatedTooFar], |mgr| {
        let mut out = mgr.tensor(&[4u32, 5, 6])?;
        let seq = mgr.sequence()?;
        // SAFETY: it does.
        unsafe { RotatedTooFar::dispatch(&seq, Grid::items(1), 4, &mut out) }?;
        let report = report(&seq)?;
        Ok(vec![report, Output::U32(out.to_vec()?)])
    }),
];
