//! Writes at any index: an invocation claims an element before it writes it.

use gridwise::prelude::*;
use gridwise::{Error, ScatterTensor};

use super::case;
use crate::case::{Case, Output, patterns};

const ITEMS: usize = 300;

/// The numbers below 2^9 in another order, without a promise: odd factors permute them.
fn order(len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| (i * 173 + 5) % 512).collect()
}

/// The indices are data.
#[kernel(workgroup = 32)]
fn permuted(to: &[u32], x: &[u32], y: &mut Scatter<u32>) {
    let i = global_id().x;
    y[to[i]] = x[i];
}

/// Two numbers of 4 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub struct Pair {
    low: u32,
    high: f32,
}

/// Structs, in two dimensions; an element that is written twice by one invocation, and another parameter behind.
#[kernel(workgroup = (8, 4))]
fn records(width: u32, y: &mut Scatter<Pair>, z: &mut Scatter<u32>, seen: &mut [u32]) {
    let g = global_id();
    let i = g.y * width + g.x;
    if g.x < width {
        seen[i] = i + 1;
        let at = (i * 7 % 320) as usize;
        y[at] = Pair { low: 0, high: 0.5 };
        y[at] = Pair { low: i, high: g.y as f32 };
        if i % 2 == 0 && z.len() > 100 {
            z[319 - i] = i * i;
        }
    }
}

/// All invocations of a pair write one element.
#[kernel(workgroup = 64)]
fn collided(y: &mut Scatter<u32>) {
    let i = global_id().x;
    if i == 5 || i == 70 {
        y[9] = 7;
    } else if i < 9 {
        y[i as usize] = i;
    }
}

/// A barrier behind a claim that fails.
#[kernel(workgroup = 64)]
fn collided_before_a_barrier(y: &mut Scatter<u32>, z: &mut [u32]) {
    let tile = Shared::<[u32; 64]>::new();
    let t = local_index();
    y[t / 63] = 1;
    tile[t] = t + 1;
    barrier();
    z[global_id().x] = tile[63 - t];
}

/// The words of a panic that do not depend on which invocation came first.
fn collision(seq: &Sequence) -> Output {
    let report = match seq.eval() {
        Err(Error::KernelPanic { kernel, message, .. }) => {
            let (writers, element) = message.split_once(" both ").unwrap_or((&message, "nothing"));
            let mut writers: Vec<&str> = writers.trim_start_matches("invocations ").split(" and ").collect();
            writers.sort_unstable();
            format!("{kernel}: {} both {element}", if writers.len() == 2 { "two" } else { "none" })
        }
        other => format!("{other:?}"),
    };
    Output::Report(report)
}

fn empty<T: gridwise::GpuData>(mgr: &Manager, len: usize) -> gridwise::Result<ScatterTensor<T>> {
    mgr.scatter(mgr.tensor_of_len(len)?)
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "scatter::permuted",
        [Permuted],
        |mgr| {
            let to = mgr.tensor(&order(ITEMS))?;
            let (x, mut y) = (mgr.tensor(&patterns(ITEMS, 7))?, empty(mgr, 512)?);
            let seq = mgr.sequence()?;
            // Each launch, and each run, begins without claims.
            for _ in 0..2 {
                Permuted::dispatch(&seq, Grid::items(ITEMS), &to, &x, &mut y)?;
            }
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let (x, mut y): (Vec<u32>, _) = (patterns(ITEMS, 7), vec![0; 512]);
            order(ITEMS).into_iter().zip(x).for_each(|(to, x)| y[to as usize] = x);
            vec![Output::U32(y)]
        }
    ),
    case!(
        "scatter::records",
        [Records],
        |mgr| {
            let (mut y, mut z, mut seen) = (empty::<Pair>(mgr, 320)?, empty(mgr, 320)?, mgr.tensor_of_len::<u32>(320)?);
            let seq = mgr.sequence()?;
            Records::dispatch(&seq, Grid::items([20, 16]), 20, &mut y, &mut z, &mut seen)?.eval()?;
            let pairs = y.to_vec()?;
            let (low, high) = pairs.into_iter().map(|pair| (pair.low, pair.high.to_bits())).unzip();
            Ok(vec![Output::U32(low), Output::U32(high), Output::U32(z.to_vec()?), Output::U32(seen.to_vec()?)])
        },
        || {
            let (mut low, mut high, mut z) = (vec![0u32; 320], vec![0u32; 320], vec![0u32; 320]);
            for i in 0..320 {
                let at = i * 7 % 320;
                (low[at], high[at]) = (i as u32, ((i / 20) as f32).to_bits());
                if i % 2 == 0 {
                    z[319 - i] = (i * i) as u32;
                }
            }
            vec![Output::U32(low), Output::U32(high), Output::U32(z), Output::U32((1..=320).collect())]
        }
    ),
    case!(
        "scatter::collided",
        [Collided],
        |mgr| {
            let mut y = empty::<u32>(mgr, 10)?;
            let seq = mgr.sequence()?;
            Collided::dispatch(&seq, Grid::items(128), &mut y)?;
            Ok(vec![collision(&seq), Output::U32(y.to_vec()?)])
        },
        || {
            let report = "collided: two both write element 9 of `y`".to_owned();
            vec![Output::Report(report), Output::U32(vec![0, 1, 2, 3, 4, 0, 6, 7, 8, 7])]
        }
    ),
    case!(
        "scatter::collided_before_a_barrier",
        [CollidedBeforeABarrier],
        |mgr| {
            let (mut y, mut z) = (empty::<u32>(mgr, 2)?, mgr.tensor_of_len::<u32>(64)?);
            let seq = mgr.sequence()?;
            CollidedBeforeABarrier::dispatch(&seq, Grid::items(64), &mut y, &mut z)?;
            Ok(vec![collision(&seq), Output::U32(y.to_vec()?)])
        },
        || {
            let report = "collided_before_a_barrier: two both write element 0 of `y`".to_owned();
            vec![Output::Report(report), Output::U32(vec![1, 1])]
        }
    ),
];
