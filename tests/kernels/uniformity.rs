//! Barriers in loops and branches, and behind returns, that all invocations of a workgroup reach.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "uniformity::bounds_from_data",
        [RelaxRows],
        |mgr| {
            let (rounds, x) = (mgr.tensor(&ROUNDS)?, mgr.tensor(&patterns(256, 3))?);
            let mut y = mgr.tensor(&[0u32; 256])?;
            let seq = mgr.sequence()?;
            RelaxRows::dispatch(&seq, Grid::items(256), 3, &rounds, &x, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let mut y = vec![0; 256];
            for (group, x) in patterns(256, 3).chunks(64).enumerate().take(3) {
                let mut tile = x.to_vec();
                for _ in 0..ROUNDS[group] {
                    tile = (0..64).map(|i| tile[(i + 1) % 64] ^ tile[i].rotate_left(3)).collect();
                    if tile[0] % 5 == 0 {
                        break;
                    }
                }
                y[64 * group..64 * group + 64].copy_from_slice(&tile);
            }
            vec![Output::U32(y)]
        }
    ),
    case!(
        "uniformity::until_nothing_changes",
        [Distances],
        |mgr| {
            let next = mgr.tensor(&successors())?;
            let mut distances = mgr.tensor(&[0u32; 64])?;
            let seq = mgr.sequence()?;
            Distances::dispatch(&seq, Grid::items(64), &next, &mut distances)?;
            seq.eval()?;
            Ok(vec![Output::U32(distances.to_vec()?)])
        },
        || {
            let next = successors();
            let steps = |from: usize| {
                let path = std::iter::successors(Some(from), |&at| (at != 0).then(|| next[at] as usize));
                path.take(65).count() as u32 - 1
            };
            vec![Output::U32((0..64).map(|from| if steps(from) < 64 { steps(from) } else { u32::MAX }).collect())]
        }
    ),
    case!(
        "uniformity::jumps_behind_barriers",
        [Prefixes],
        |mgr| {
            let x = mgr.tensor(&patterns(128, 6))?;
            let mut y = mgr.tensor(&[0u32; 128])?;
            let seq = mgr.sequence()?;
            Prefixes::dispatch(&seq, Grid::items(128), &x, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let sums = patterns(128, 6);
            let sums = sums.chunks(32).flat_map(|chunk| {
                chunk.iter().scan(0u32, |sum, value| {
                    *sum = sum.wrapping_add(*value);
                    Some(*sum)
                })
            });
            vec![Output::U32(sums.collect())]
        }
    ),
    case!(
        "uniformity::vouched_for",
        [Drain],
        |mgr| {
            let left = mgr.tensor(&[5u32, 0, 2, 9])?;
            let mut y = mgr.tensor(&[0u32; 128])?;
            let seq = mgr.sequence()?;
            Drain::dispatch(&seq, Grid::items(128), &left, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::U32(left.to_vec()?), Output::U32(y.to_vec()?)])
        },
        || {
            let rounds = [5, 0, 2, 9];
            let y = (0..128usize).map(|i| rounds[i / 32] * (i as u32 % 32));
            vec![Output::U32(vec![0; 4]), Output::U32(y.collect())]
        }
    ),
];

const ROUNDS: [u32; 4] = [4, 0, 9, 7];

/// A cell's successor; some go round in circles and never come to 0.
fn successors() -> Vec<u32> {
    (0..64u32).map(|i| if i % 7 == 6 { (i + 7) % 63 / 7 * 7 + 6 } else { i * 5 / 8 }).collect()
}

/// How many rounds a workgroup takes, its data says; what leaves early does so together.
#[kernel(workgroup = 64)]
fn relax_rows(groups: u32, rounds: &[u32], x: &[u32], y: &mut [u32]) {
    if workgroup_id().x >= groups {
        return;
    }
    let tile = Shared::<[u32; 64]>::new();
    let (i, l) = (global_id().x, local_id().x);
    tile[l] = x[i];
    for _ in 0..rounds[workgroup_id().x] {
        barrier();
        let value = tile[(l + 1) % 64] ^ tile[l].rotate_left(3);
        barrier();
        tile[l] = value;
        barrier();
        if tile[0] % 5 == 0 {
            break;
        }
    }
    y[i] = tile[l];
}

/// Rounds until a whole one changes nothing.
#[kernel(workgroup = 64)]
fn distances(next: &[u32], distances: &mut [u32]) {
    let found = Shared::<[u32; 64]>::new();
    let changes = Shared::<[u32; 1]>::new();
    let l = local_index();
    found[l] = if l == 0 { 0 } else { u32::MAX };
    let mut round = 0;
    loop {
        round += 1;
        barrier();
        let ahead = found[next[l]];
        if l == 0 {
            changes[0] = 0;
        }
        barrier();
        if found[l] == u32::MAX && ahead == round - 1 {
            found[l] = round;
        }
        barrier();
        if l == 0 {
            for at in 0..64u32 {
                changes[0] += (found[at] == round) as u32;
            }
        }
        barrier();
        if changes[0] == 0 {
            break;
        }
    }
    distances[l] = found[l];
}

#[device]
fn settle(value: u32) -> u32 {
    barrier();
    value
}

/// Invocations with nothing to add go on to the next round, where all wait again.
#[kernel(workgroup = 32)]
fn prefixes(x: &[u32], y: &mut [u32]) {
    let tile = Shared::<[u32; 32]>::new();
    let (i, l) = (global_id().x, local_id().x);
    tile[l] = x[i];
    for step in 0..5u32 {
        barrier();
        let before = settle(if l >= 1 << step { tile[l - (1 << step)] } else { 0 });
        if l < 1 << step {
            continue;
        }
        tile[l] += before;
    }
    y[i] = tile[l];
}

/// Atomics may give each invocation something else; here barriers see to it that they do not.
#[kernel(workgroup = 32)]
fn drain(left: &[Atomic<u32>], y: &mut [u32]) {
    let (group, l) = (workgroup_id().x, local_id().x);
    let mut sum = 0;
    while workgroup_uniform(left[group].load(Relaxed)) > 0 {
        barrier();
        sum += l;
        if l == 0 {
            left[group].fetch_sub(1, Relaxed);
        }
        barrier();
    }
    y[global_id().x] = sum;
}
