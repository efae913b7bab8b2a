//! Indices that were found to differ: writes at them need no promise.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

const ITEMS: usize = 300;

/// The numbers below 2^9 in another order: odd factors permute them.
fn order(len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| (i * 173 + 5) % 512).collect()
}

/// A scatter without a condition: as many invocations as indices.
#[kernel(workgroup = 32)]
fn moved(to: &Distinct<u32>, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[to[i]] = x[i];
}

#[device]
fn sum_of(ix: &[u32], first: u32) -> u32 {
    let mut sum = 0;
    for k in first..first + 4 {
        if k < ix.len() as u32 {
            sum += ix[k];
        }
    }
    sum
}

/// Reads and writes behind a condition, and a slice of the indices for a function.
#[kernel(workgroup = 32)]
fn added(ix: &Distinct<u32>, x: &[u32], y: &mut [u32]) {
    let i = global_id().x as usize;
    if i < ix.len() {
        let at = ix[i];
        y[at] += x[i] % 1000 + sum_of(ix, i as u32);
    }
}

/// Two elements each, in a loop with the stride of the grid.
#[kernel(workgroup = 16)]
fn swapped(pairs: &Distinct<u32>, y: &mut [u32]) {
    let mut i = global_id().x;
    let half = pairs.len() as u32 / 2;
    while i < half {
        let (a, b) = (pairs[2 * i], pairs[2 * i + 1]);
        if 2 * i + 1 < pairs.len() as u32 && 2 * i < pairs.len() as u32 {
            let left = y[a];
            y[a] = y[b];
            y[b] = left;
        }
        i += num_workgroups().x * 16;
    }
}

/// Within a workgroup: everybody puts its number where an index says.
#[kernel(workgroup = 64)]
fn shuffled(ix: &Distinct<u32>, y: &mut [u32]) {
    let tile = Shared::<[u32; 128]>::new();
    let t = local_index();
    if t < ix.len() as u32 {
        tile[ix[t]] = t + 1;
    }
    barrier();
    let i = global_id().x;
    y[i] = tile[2 * t] * 1000 + tile[2 * t + 1];
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "distinct::moved",
        [Moved],
        |mgr| {
            let to = mgr.distinct(&mgr.tensor(&order(ITEMS))?)?;
            let (x, mut y) = (mgr.tensor(&patterns(ITEMS, 7))?, mgr.tensor_of_len::<u32>(512)?);
            let seq = mgr.sequence()?;
            Moved::dispatch(&seq, Grid::items(ITEMS), &to, &x, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let (x, mut y): (Vec<u32>, _) = (patterns(ITEMS, 7), vec![0; 512]);
            order(ITEMS).into_iter().zip(x).for_each(|(to, x)| y[to as usize] = x);
            vec![Output::U32(y)]
        }
    ),
    case!(
        "distinct::added",
        [Added],
        |mgr| {
            let ix = mgr.distinct(&mgr.tensor(&order(ITEMS))?)?;
            let (x, mut y) = (mgr.tensor(&patterns(ITEMS, 9))?, mgr.tensor_of_len::<u32>(512)?);
            let seq = mgr.sequence()?;
            for _ in 0..2 {
                Added::dispatch(&seq, Grid::items(ITEMS + 50), &ix, &x, &mut y)?;
            }
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?), Output::U32(ix.to_vec()?)])
        },
        || {
            let (x, ix, mut y): (Vec<u32>, _, _) = (patterns(ITEMS, 9), order(ITEMS), vec![0u32; 512]);
            for (i, at) in ix.iter().enumerate() {
                let sum: u32 = ix[i..(i + 4).min(ITEMS)].iter().sum();
                y[*at as usize] = 2 * (x[i] % 1000 + sum);
            }
            vec![Output::U32(y), Output::U32(ix)]
        }
    ),
    case!(
        "distinct::swapped",
        [Swapped],
        |mgr| {
            let pairs = mgr.distinct(&mgr.tensor(&order(ITEMS))?)?;
            let mut y = mgr.tensor(&(0..512u32).collect::<Vec<_>>())?;
            let seq = mgr.sequence()?;
            Swapped::dispatch(&seq, Grid::groups(2), &pairs, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let mut y: Vec<u32> = (0..512).collect();
            order(ITEMS).chunks_exact(2).for_each(|pair| y.swap(pair[0] as usize, pair[1] as usize));
            vec![Output::U32(y)]
        }
    ),
    case!(
        "distinct::shuffled",
        [Shuffled],
        |mgr| {
            let ix = mgr.distinct(&mgr.tensor(&(0..64u32).map(|i| i * 77 % 128).collect::<Vec<_>>())?)?;
            let mut y = mgr.tensor_of_len::<u32>(128)?;
            let seq = mgr.sequence()?;
            Shuffled::dispatch(&seq, Grid::groups(2), &ix, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let mut tile = [0; 128];
            (0..64).for_each(|t| tile[t * 77 % 128] = t as u32 + 1);
            let group: Vec<u32> = tile.chunks(2).map(|pair| pair[0] * 1000 + pair[1]).collect();
            vec![Output::U32(group.repeat(2))]
        }
    ),
];
