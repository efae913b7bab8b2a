//! Slices of slices: `windows`, `chunks`, `chunks_exact` and `split_at`, read and written.

use gridwise::prelude::*;

use super::slice_methods::one;
use super::{case, twice};
use crate::case::{Case, Output, patterns};

const N: usize = 128;

fn small(len: usize) -> Vec<u32> {
    patterns(len, 61).into_iter().map(|v| v % 9).collect()
}

twice! {
    fn total(x: &[u32]) -> u32 {
        x.iter().sum::<u32>() + x.len() as u32
    }

    fn cleared(x: &mut [u32], to: u32) -> u32 {
        let before = x.first().copied().unwrap_or(7);
        x.fill(to);
        before
    }

    fn reads(x: &[u32], n: usize) -> [u32; 8] {
        let rising = x.windows(2).filter(|w| w[0] < w[1]).count() as u32;
        let largest = x.windows(3).map(|w| w[0] + 2 * w[1] + 3 * w[2]).max().unwrap_or(1);
        let sums = x.chunks(n).enumerate().fold(0, |all, (i, c)| all * 7 + total(c) * (i as u32 + 1));
        let backwards = x.chunks(3).rev().skip(1).fold(1, |all, c| all * 5 + c[c.len() - 1]);
        let dots: u32 = x.chunks_exact(n).zip(x[1..].chunks(n)).map(|(a, b)| a[n - 1] * b[0]).sum();
        let mut all = 0;
        for w in x.windows(n) {
            if w[0] == 3 {
                continue;
            }
            all = all * 3 + w.iter().rev().fold(0, |sum, v| sum * 2 + v) + w.contains(&5) as u32;
        }
        let (head, tail) = x.split_at(n);
        let joined = total(head) * 100 + total(tail) + tail.windows(n).count() as u32 + head[..1].chunks(1).last().map_or(0, |c| c[0]);
        // Slices in options, tuples and choices.
        let found = x.windows(2).find(|w| w[0] == w[1]);
        let twins = if let Some(w) = found { w[0] + 10 } else { 1 };
        let best = x.chunks(2).max_by_key(|c| c.iter().sum::<u32>()).map(|c| c[0]).unwrap_or(0);
        let part = if n > 2 { head } else { tail };
        [rising, largest, sums, backwards, dots + all, joined, twins + best * 64, total(part)]
    }

    fn writes(x: &mut [u32], n: usize) -> [u32; 8] {
        for (i, c) in x.chunks_mut(n).enumerate() {
            c[0] += i as u32;
            c.reverse();
        }
        for c in x.chunks_exact_mut(2).rev() {
            c.swap(0, 1);
            c[1] ^= c[0];
        }
        let mut sums = [0; 8];
        for (sum, c) in sums.iter_mut().zip(x.chunks(n)) {
            *sum = total(c);
        }
        let (head, tail) = x.split_at_mut(n);
        head[0] = tail[0] + 1;
        tail[0] *= 3;
        sums[6] += cleared(&mut head[1..], 2);
        let (left, right) = tail.split_at_mut(1);
        right[0] += left[0];
        for v in left.iter_mut() {
            *v += 1;
        }
        sums[7] = cleared(left, right.len() as u32);
        sums
    }

    fn own_arrays(x: &[u32], n: usize) -> [u32; 8] {
        let own = [x[0], x[1], 5, n as u32, x[2], 1];
        let mut grid = [[1, 2, 3u32], [4, x[0], 6]];
        let mut sums = [0; 8];
        for (sum, c) in sums.chunks_mut(4).zip(own.chunks_exact(3)) {
            sum[1..].copy_from_slice(c);
            sum[0] = c.windows(2).map(|w| w[0] * w[1]).sum();
        }
        for row in grid.iter_mut() {
            row[0] += 1;
        }
        let row = grid[n % 2];
        sums[0] += row.windows(2).map(|w| w[1] + 20 - w[0]).product::<u32>();
        let (_, behind) = own.split_at(n);
        sums[4] += behind.len() as u32;
        sums
    }

    fn all_of_three(x: &mut [u32], from: &[u32], n: usize) -> [u32; 24] {
        let (a, b, c) = (reads(x, n), own_arrays(from, n), writes(x, n));
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
    out[i] = all_of_three(&mut y[7 * i..7 * i + 7], &x[i..i + 6], 1 + i % 4);
}

/// On arrays of the invocation's own, and on shared memory.
///
/// # Safety
/// Tensors are so short that no index wraps around.
#[kernel(workgroup = 32)]
unsafe fn elsewhere(x: &[u32], y: &mut [u32], out: &mut [[u32; 24]]) {
    let tile = Shared::<[u32; 224]>::new();
    let (i, lane) = (global_id().x as usize, local_index() as usize);
    if i % 2 == 0 {
        let mut own = [0; 7];
        own.copy_from_slice(&y[7 * i..7 * i + 7]);
        out[i] = all_of_three(&mut own, &x[i..i + 6], 1 + i % 4);
        y[7 * i..][..7].copy_from_slice(&own);
    } else {
        tile[7 * lane..7 * lane + 7].copy_from_slice(&y[7 * i..=7 * i + 6]);
        out[i] = all_of_three(&mut tile[7 * lane..7 * lane + 7], &x[i..i + 6], 1 + i % 4);
        for (to, from) in y[7 * i..7 * i + 7].chunks_exact_mut(1).zip(tile[7 * lane..].chunks(1)) {
            to[0] = from[0];
        }
    }
}

/// Whole buffers, where they stand.
#[kernel(workgroup = 32)]
fn in_a_kernel(x: &[u32], places: &[Vec3], y: &mut [u32], z: &mut [f32]) {
    let i = global_id().x;
    let steps = x.windows(i as usize % 5 + 1).take(20).map(|w| w[w.len() - 1] ^ w[0]).fold(0, |a, b| a * 3 + b);
    let (low, high) = x.split_at(i as usize);
    let nearest = low.chunks(4).position(|c| c[0] == high[0]);
    y[i] = steps ^ nearest.map_or(77, |at| at as u32) ^ high.len() as u32;
    z[i] = places.windows(2).skip(i as usize).map(|w| (w[1] - w[0]).x).nth(0).unwrap_or(-1.0);
}

#[kernel(workgroup = 1)]
fn no_window(size: u32, out: &mut [u32]) {
    out[0] = 5;
    out[1] = out.windows(size as usize).count() as u32;
}

#[kernel(workgroup = 1)]
fn no_chunk(size: u32, out: &mut [u32]) {
    out[0] = 5;
    for c in out.chunks_mut(size as usize) {
        c[0] = 1;
    }
}

#[kernel(workgroup = 1)]
fn split_behind(at: u32, out: &mut [u32]) {
    out[0] = 5;
    let (head, tail) = out.split_at_mut(at as usize);
    head[1] = 8 + tail.len() as u32;
}

#[kernel(workgroup = 1)]
fn outside_a_part(at: u32, out: &mut [u32]) {
    out[0] = 5;
    let last = out.chunks(2).map(|c| c[at]).fold(0, |a, b| a + b);
    out[1] = last;
}

fn start() -> Vec<u32> {
    patterns(7 * N, 62).into_iter().map(|v| v % 11).collect()
}

fn expected() -> Vec<Output> {
    let (x, mut y) = (small(N + 8), start());
    let each = |i: usize| plain::all_of_three(&mut y[7 * i..7 * i + 7], &x[i..i + 6], 1 + i % 4);
    let out: Vec<_> = (0..N).flat_map(each).collect();
    vec![Output::U32(y), Output::U32(out)]
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

fn places() -> Vec<Vec3> {
    (0..N as u16 - 5).map(|i| vec3(f32::from(i * i % 77), 1.0, 2.0)).collect()
}

fn expected_in_a_kernel() -> Vec<Output> {
    let (x, places) = (small(N), places());
    let y = (0..N).map(|i| {
        let steps =
            x.windows(i % 5 + 1).take(20).map(|w| w[w.len() - 1] ^ w[0]).fold(0u32, |a, b| a.wrapping_mul(3) + b);
        let nearest = x[..i].chunks(4).position(|c| c[0] == x[i]);
        steps ^ nearest.map_or(77, |at| at as u32) ^ (N - i) as u32
    });
    let z = (0..N).map(|i| places.get(i + 1).map_or(-1.0, |next| next.x - places[i].x));
    vec![Output::U32(y.collect()), Output::exact(z.collect())]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "divided::on_buffers",
        [OnBuffers],
        |mgr| {
            // SAFETY: the tensors have a few hundred elements.
            run(mgr, |seq, grid, x, y, out| unsafe { OnBuffers::dispatch(seq, grid, x, y, out) })
        },
        expected
    ),
    case!(
        "divided::elsewhere",
        [Elsewhere],
        |mgr| {
            // SAFETY: the tensors have a few hundred elements.
            run(mgr, |seq, grid, x, y, out| unsafe { Elsewhere::dispatch(seq, grid, x, y, out) })
        },
        expected
    ),
    case!(
        "divided::in_a_kernel",
        [InAKernel],
        |mgr| {
            let (x, places) = (mgr.tensor(&small(N))?, mgr.tensor(&places())?);
            let (mut y, mut z) = (mgr.tensor(&[0u32; N])?, mgr.tensor(&[0f32; N])?);
            let seq = mgr.sequence()?;
            InAKernel::dispatch(&seq, Grid::items(N), &x, &places, &mut y, &mut z)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?), Output::exact(z.to_vec()?)])
        },
        expected_in_a_kernel
    ),
    case!("divided::no_window", [NoWindow], |mgr| one(mgr, |seq, out| {
        NoWindow::dispatch(seq, Grid::items(1), 0, out)
    })),
    case!("divided::no_chunk", [NoChunk], |mgr| one(mgr, |seq, out| {
        NoChunk::dispatch(seq, Grid::items(1), 0, out)
    })),
    case!("divided::split_behind_the_end", [SplitBehind], |mgr| one(mgr, |seq, out| {
        SplitBehind::dispatch(seq, Grid::items(1), 4, out)
    })),
    case!("divided::outside_a_part", [OutsideAPart], |mgr| one(mgr, |seq, out| {
        OutsideAPart::dispatch(seq, Grid::items(1), 1, out)
    })),
];
