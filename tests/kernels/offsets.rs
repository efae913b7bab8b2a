//! Rows of different lengths that lie one behind the other: writes between elements of an `Offsets` need no promise.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

/// Rows, some of them empty.
const ROWS: usize = 97;
/// Elements, of which the first and the last belong to no row.
const LEN: usize = 600;

/// The places where rows begin, and where the last one ends: of 0 to 12 elements.
fn starts() -> Vec<u32> {
    (0..=ROWS as u32).scan(3, |at, i| Some(std::mem::replace(at, *at + (i * 7 + 5) % 13))).collect()
}

/// The places of each row.
fn rows() -> impl Iterator<Item = std::ops::Range<usize>> {
    let starts = starts();
    (0..ROWS).map(move |row| starts[row] as usize..starts[row + 1] as usize)
}

/// An invocation for each row, by a counter.
#[kernel(workgroup = 32)]
fn counted(starts: &Offsets<u32>, y: &mut [u32]) {
    let row = global_id().x as usize;
    if row + 1 < starts.len() {
        for k in starts[row]..starts[row + 1] {
            y[k] += row as u32 * 100 + k - starts[row];
        }
    }
}

/// A slice for each row, which is read and written.
#[kernel(workgroup = 32)]
fn normalized(starts: &Offsets<u32>, weights: &mut [u32]) {
    let row = global_id().x as usize;
    if row >= starts.len() - 1 {
        return;
    }
    let row = &mut weights[starts[row] as usize..starts[row + 1] as usize];
    let most = row.iter().copied().max().unwrap_or(1);
    for weight in row.iter_mut() {
        *weight = most - *weight;
    }
    if let Some(first) = row.first_mut() {
        *first += 1;
    }
}

/// A workgroup for each row.
#[kernel(workgroup = 8)]
fn by_groups(starts: &Offsets<u32>, x: &[u32], y: &mut [u32]) {
    let row = workgroup_id().x as usize;
    let (begin, end) = (starts[row], starts[row + 1]);
    for k in (begin + local_id().x..end).step_by(8) {
        y[k] = x[k] % 1000 + row as u32;
    }
    barrier();
    let mut k = begin + local_id().x;
    while k < end {
        y[k] *= 2;
        k += 8;
    }
}

/// A few invocations for each row, by the place in the whole grid.
#[kernel(workgroup = 32)]
fn by_fours(starts: &Offsets<u32>, y: &mut [u32]) {
    let (row, lane) = (global_id().x / 4, global_id().x % 4);
    if row < starts.len() as u32 - 1 {
        let len = starts[row + 1] - starts[row];
        for j in (lane..len).step_by(4) {
            y[starts[row] + j] = row * 16 + j;
        }
    }
}

/// The numbers that each row keeps, packed in its part of the result.
#[kernel(workgroup = 32)]
fn kept(starts: &Offsets<u32>, x: &[u32], counts: &mut [u32], y: &mut [u32]) {
    let row = global_id().x as usize;
    if row + 1 >= starts.len() || row >= counts.len() {
        return;
    }
    let (begin, end) = (starts[row] as usize, starts[row + 1] as usize);
    let (numbers, places) = (&x[begin..end], &mut y[begin..end]);
    let mut count = 0;
    for number in numbers {
        if number % 3 == 0 {
            places[count] = *number;
            count += 1;
        }
    }
    counts[row] = count as u32;
}

/// Two rows for each invocation, and members of elements.
#[kernel(workgroup = 32)]
fn by_pairs(starts: &Offsets<u32>, y: &mut [UVec2]) {
    let i = global_id().x as usize;
    if 2 * i + 2 < starts.len() {
        for k in starts[2 * i]..starts[2 * i + 2] {
            y[k].x = i as u32;
            y[k].y += k;
        }
    }
}

/// Rows by neighbours in the slice of their starts, and by a range.
#[kernel(workgroup = 32)]
fn by_windows(starts: &Offsets<u32>, y: &mut [u32]) {
    let row = global_id().x as usize;
    let Some(ends) = starts.windows(2).nth(row) else { return };
    for (j, place) in y[ends[0] as usize..ends[1] as usize].iter_mut().enumerate() {
        *place = (row * 100 + j) as u32;
    }
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "offsets::counted",
        [Counted],
        |mgr| {
            let starts = mgr.offsets(&mgr.tensor(&starts())?)?;
            let mut y = mgr.tensor(&patterns(LEN, 3))?;
            let seq = mgr.sequence()?;
            Counted::dispatch(&seq, Grid::items(ROWS + 20), &starts, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let mut y: Vec<u32> = patterns(LEN, 3);
            for (row, places) in rows().enumerate() {
                y[places].iter_mut().zip(0..).for_each(|(y, j)| *y = y.wrapping_add(row as u32 * 100 + j));
            }
            vec![Output::U32(y)]
        }
    ),
    case!(
        "offsets::normalized",
        [Normalized],
        |mgr| {
            let starts = mgr.offsets(&mgr.tensor(&starts())?)?;
            let mut y = mgr.tensor(&patterns(LEN, 3))?;
            let seq = mgr.sequence()?;
            Normalized::dispatch(&seq, Grid::items(ROWS), &starts, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let mut y: Vec<u32> = patterns(LEN, 3);
            for places in rows() {
                let row = &mut y[places];
                let most = row.iter().copied().max().unwrap_or(1);
                row.iter_mut().for_each(|y| *y = most - *y);
                row.iter_mut().take(1).for_each(|y| *y += 1);
            }
            vec![Output::U32(y)]
        }
    ),
    case!(
        "offsets::by_groups",
        [ByGroups],
        |mgr| {
            let starts = mgr.offsets(&mgr.tensor(&starts())?)?;
            let (x, mut y) = (mgr.tensor(&patterns(LEN, 5))?, mgr.tensor(&patterns(LEN, 3))?);
            let seq = mgr.sequence()?;
            ByGroups::dispatch(&seq, Grid::groups(ROWS), &starts, &x, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let mut y: Vec<u32> = patterns(LEN, 3);
            let x: Vec<u32> = patterns(LEN, 5);
            for (row, places) in rows().enumerate() {
                places.for_each(|k| y[k] = (x[k] % 1000 + row as u32) * 2);
            }
            vec![Output::U32(y)]
        }
    ),
    case!(
        "offsets::by_fours",
        [ByFours],
        |mgr| {
            let starts = mgr.offsets(&mgr.tensor(&starts())?)?;
            let mut y = mgr.tensor(&patterns(LEN, 3))?;
            let seq = mgr.sequence()?;
            ByFours::dispatch(&seq, Grid::items(4 * ROWS), &starts, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let mut y: Vec<u32> = patterns(LEN, 3);
            for (row, places) in rows().enumerate() {
                y[places].iter_mut().zip(0..).for_each(|(y, j)| *y = row as u32 * 16 + j);
            }
            vec![Output::U32(y)]
        }
    ),
    case!(
        "offsets::kept",
        [Kept],
        |mgr| {
            let starts = mgr.offsets(&mgr.tensor(&starts())?)?;
            let (x, mut y) = (mgr.tensor(&patterns(LEN, 5))?, mgr.tensor(&patterns(LEN, 3))?);
            let mut counts = mgr.tensor_of_len::<u32>(ROWS)?;
            let seq = mgr.sequence()?;
            Kept::dispatch(&seq, Grid::items(ROWS), &starts, &x, &mut counts, &mut y)?.eval()?;
            Ok(vec![Output::U32(counts.to_vec()?), Output::U32(y.to_vec()?)])
        },
        || {
            let mut y: Vec<u32> = patterns(LEN, 3);
            let (x, mut counts): (Vec<u32>, _) = (patterns(LEN, 5), vec![0; ROWS]);
            for (count, places) in counts.iter_mut().zip(rows()) {
                let numbers = x[places.clone()].iter().filter(|number| *number % 3 == 0);
                y[places].iter_mut().zip(numbers).for_each(|(y, number)| {
                    *y = *number;
                    *count += 1;
                });
            }
            vec![Output::U32(counts), Output::U32(y)]
        }
    ),
    case!(
        "offsets::by_pairs",
        [ByPairs],
        |mgr| {
            let starts = mgr.offsets(&mgr.tensor(&starts())?)?;
            let numbers: Vec<u32> = patterns(2 * LEN, 3);
            let pairs: Vec<UVec2> = numbers.chunks(2).map(|pair| UVec2::new(pair[0], pair[1] % 1000)).collect();
            let mut y = mgr.tensor(&pairs)?;
            let seq = mgr.sequence()?;
            ByPairs::dispatch(&seq, Grid::items(ROWS / 2), &starts, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?.into_iter().flat_map(|pair| [pair.x, pair.y]).collect())])
        },
        || {
            let mut y: Vec<u32> = patterns(2 * LEN, 3);
            y.iter_mut().skip(1).step_by(2).for_each(|y| *y %= 1000);
            for (row, places) in rows().enumerate().take(ROWS / 2 * 2) {
                for k in places {
                    y[2 * k] = row as u32 / 2;
                    y[2 * k + 1] += k as u32;
                }
            }
            vec![Output::U32(y)]
        }
    ),
    case!(
        "offsets::by_windows",
        [ByWindows],
        |mgr| {
            let starts = mgr.offsets(&mgr.tensor(&starts())?)?;
            let mut y = mgr.tensor(&patterns(LEN, 3))?;
            let seq = mgr.sequence()?;
            ByWindows::dispatch(&seq, Grid::items(ROWS), &starts, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let mut y: Vec<u32> = patterns(LEN, 3);
            for (row, places) in rows().enumerate() {
                y[places].iter_mut().zip(0..).for_each(|(y, j)| *y = row as u32 * 100 + j);
            }
            vec![Output::U32(y)]
        }
    ),
];
