//! Loads that fail in loops. Their trap stands behind the loop, and reports the load that failed first.

use gridwise::prelude::*;

use super::case;
use super::traps::report;
use crate::case::{Case, Output};

/// The sum of a row, whose columns tell which elements.
#[kernel(workgroup = 64)]
fn sparse_row(starts: &[u32], columns: &[u32], x: &[i32], sums: &mut [i32]) {
    let row = global_id().x;
    if row >= sums.len() as u32 {
        return;
    }
    let mut sum = 0i32;
    for k in starts[row]..starts[row + 1] {
        sum = sum.wrapping_add(x[columns[k]]);
    }
    sums[row] = sum;
}

fn rows(mgr: &Manager, starts: &[u32], columns: &[u32]) -> gridwise::Result<Vec<Output>> {
    let x: Vec<i32> = (0..8).map(|i| 10 + i).collect();
    let (starts, columns, x) = (mgr.tensor(starts)?, mgr.tensor(columns)?, mgr.tensor(&x)?);
    let mut sums = mgr.tensor(&[-1i32; 4])?;
    let seq = mgr.sequence()?;
    SparseRow::dispatch(&seq, Grid::items(4), &starts, &columns, &x, &mut sums)?;
    let report = report(&seq)?;
    // The sum of a row without a fault is right, whatever happens in the others.
    Ok(vec![report, Output::I32(sums.to_vec()?[1..].to_vec())])
}

/// Two loads a round, of which either may fail first.
#[kernel(workgroup = 1)]
fn two_loads(rounds: u32, a: &[u32], b: &[u32], out: &mut [u32]) {
    let mut sum = 0u32;
    for i in 0..rounds {
        let at = a[i];
        if at != 3 {
            sum = sum.wrapping_add(b[at]);
        }
    }
    out[0] = sum;
}

fn two(mgr: &Manager, rounds: u32, a: &[u32]) -> gridwise::Result<Vec<Output>> {
    let (a, b, mut out) = (mgr.tensor(a)?, mgr.tensor(&[5u32, 6, 7])?, mgr.tensor(&[0u32])?);
    let seq = mgr.sequence()?;
    TwoLoads::dispatch(&seq, Grid::items(1), rounds, &a, &b, &mut out)?;
    Ok(vec![report(&seq)?])
}

/// A loop in a loop, both with loads that may fail, behind a test that may leave both out.
#[kernel(workgroup = 1)]
fn nested(skips: u32, lens: &[u32], values: &[u32], out: &mut [u32]) {
    let mut sum = 0u32;
    if skips == 0 {
        let mut first = 0u32;
        for row in 0..lens.len() as u32 {
            let len = lens[row];
            for k in 0..len {
                let value = values[first.wrapping_add(k)];
                if value == 9 {
                    break;
                }
                sum = sum.wrapping_mul(3).wrapping_add(value);
            }
            first = first.wrapping_add(len);
        }
    }
    out[0] = sum;
}

fn nest(mgr: &Manager, skips: u32, lens: &[u32]) -> gridwise::Result<Vec<Output>> {
    let (lens, values, mut out) = (mgr.tensor(lens)?, mgr.tensor(&[1u32, 2, 3, 9, 5, 6])?, mgr.tensor(&[0u32])?);
    let seq = mgr.sequence()?;
    Nested::dispatch(&seq, Grid::items(1), skips, &lens, &values, &mut out)?;
    let report = report(&seq)?;
    Ok(vec![report, Output::U32(if skips == 0 { Vec::new() } else { out.to_vec()? })])
}

/// A loop whose end hangs on what it reads: its trap stands at the load.
#[kernel(workgroup = 1)]
fn followed(next: &[u32], out: &mut [u32]) {
    let (mut at, mut steps) = (0u32, 0u32);
    while at != 0xffff {
        at = next[at];
        steps += 1;
        if at == 0 {
            break;
        }
    }
    out[0] = steps;
}

/// Loads that may fail in front of a barrier, which all invocations come to.
#[kernel(workgroup = 4)]
fn before_barrier(places: &[u32], x: &[u32], sums: &mut [u32]) {
    let mut shared = Shared::<[u32; 4]>::new();
    let me = local_id().x;
    let mut sum = 0u32;
    for k in (2 * me)..(2 * me + 2) {
        sum = sum.wrapping_add(x[places[k]]);
    }
    shared[me] = sum;
    barrier();
    sums[me] = shared[3 - me];
}

fn behind(mgr: &Manager, places: &[u32]) -> gridwise::Result<Vec<Output>> {
    let (places, x, mut sums) = (mgr.tensor(places)?, mgr.tensor(&[5u32, 6, 7])?, mgr.tensor(&[0u32; 4])?);
    let seq = mgr.sequence()?;
    BeforeBarrier::dispatch(&seq, Grid::items(4), &places, &x, &mut sums)?;
    let report = report(&seq)?;
    // The first three are sums of invocations without a fault.
    Ok(vec![report, Output::U32(sums.to_vec()?[..3].to_vec())])
}

/// A loop that loads in front of its test, so that it loads the element at its end, too.
#[kernel(workgroup = 1)]
fn before_test(ends: &[u32], x: &[u32], out: &mut [u32]) {
    let (mut at, end) = (ends[0], ends[1]);
    let mut sum = 0u32;
    loop {
        sum = sum.wrapping_add(x[at]);
        if at < end {
        } else {
            break;
        }
        at += 1;
    }
    out[0] = sum;
}

fn up_to(mgr: &Manager, ends: &[u32]) -> gridwise::Result<Vec<Output>> {
    let (ends, x, mut out) = (mgr.tensor(ends)?, mgr.tensor(&[5u32, 6, 7, 8])?, mgr.tensor(&[0u32])?);
    let seq = mgr.sequence()?;
    BeforeTest::dispatch(&seq, Grid::items(1), &ends, &x, &mut out)?;
    Ok(vec![report(&seq)?])
}

/// A loop that stores to an array of its own, which tells what the next rounds load.
#[kernel(workgroup = 1)]
fn by_own_array(rounds: u32, steps: &[u32], x: &[u32], out: &mut [u32]) {
    let mut own = [0u32; 4];
    for i in 0..rounds {
        let step = steps[i];
        own[step % 4] = own[step % 4].wrapping_add(step);
        own[(step + 1) % 4] ^= x[own[step % 4]];
    }
    out[0] = own[0] ^ own[1] ^ own[2] ^ own[3];
}

fn own(mgr: &Manager, rounds: u32, steps: &[u32]) -> gridwise::Result<Vec<Output>> {
    let (steps, x, mut out) = (mgr.tensor(steps)?, mgr.tensor(&[1u32, 0, 2, 3, 0, 1])?, mgr.tensor(&[0u32])?);
    let seq = mgr.sequence()?;
    ByOwnArray::dispatch(&seq, Grid::items(1), rounds, &steps, &x, &mut out)?;
    Ok(vec![report(&seq)?])
}

/// The entries.
pub const CASES: &[Case] = &[
    case!("loop_traps::none", [SparseRow], |mgr| rows(mgr, &[0, 2, 2, 5, 6], &[7, 0, 1, 2, 3, 4])),
    case!("loop_traps::element", [SparseRow], |mgr| rows(mgr, &[0, 3, 3, 4, 6], &[1, 8, 2, 2, 3, 4])),
    case!("loop_traps::largest_index", [SparseRow], |mgr| rows(mgr, &[0, 2, 2, 2, 2], &[u32::MAX, 1])),
    case!("loop_traps::index_of_the_index", [SparseRow], |mgr| rows(mgr, &[0, 8, 2, 2, 2], &[1, 2])),
    case!("loop_traps::second_load_first", [TwoLoads], |mgr| two(mgr, 9, &[0, 1, 17, 3])),
    case!("loop_traps::first_load_first", [TwoLoads], |mgr| two(mgr, 5, &[0, 1, 2, 3])),
    case!("loop_traps::both_loads_pass", [TwoLoads], |mgr| two(mgr, 4, &[0, 1, 2, 3])),
    case!("loop_traps::inner_loop", [Nested], |mgr| nest(mgr, 0, &[2, 1, 0, 7])),
    case!("loop_traps::inner_loop_left", [Nested], |mgr| nest(mgr, 0, &[2, 2, 2])),
    case!("loop_traps::left_out", [Nested], |mgr| nest(mgr, 1, &[2, 1, 0, 7])),
    case!("loop_traps::no_row", [Nested], |mgr| nest(mgr, 0, &[])),
    case!("loop_traps::unknown_end", [Followed], |mgr| {
        let (next, mut out) = (mgr.tensor(&[1u32, 2, 99])?, mgr.tensor(&[0u32])?);
        let seq = mgr.sequence()?;
        Followed::dispatch(&seq, Grid::items(1), &next, &mut out)?;
        Ok(vec![report(&seq)?])
    }),
    case!("loop_traps::before_barrier", [BeforeBarrier], |mgr| behind(mgr, &[3, 0, 0, 1, 1, 2, 2, 0])),
    case!("loop_traps::before_barrier_whole", [BeforeBarrier], |mgr| behind(mgr, &[2, 0, 0, 1, 1, 2, 2, 0])),
    case!("loop_traps::own_array", [ByOwnArray], |mgr| own(mgr, 4, &[1, 2, 3, 2])),
    case!("loop_traps::own_array_outside", [ByOwnArray], |mgr| own(mgr, 4, &[1, 2, 7, 2])),
    case!("loop_traps::own_array_steps", [ByOwnArray], |mgr| own(mgr, 5, &[1, 2, 3, 2])),
    case!("loop_traps::before_test", [BeforeTest], |mgr| up_to(mgr, &[1, 3])),
    case!("loop_traps::before_test_at_the_end", [BeforeTest], |mgr| up_to(mgr, &[1, 4])),
];
