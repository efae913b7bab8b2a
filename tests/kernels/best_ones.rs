//! The best of several, by comparisons that fail for NaN, in loops and behind their first round.

use gridwise::prelude::*;

use super::case;
use super::traps::report;
use crate::case::{Case, Output};

const ROWS: usize = 40;

super::twice! {
    /// The last one of the greatest, the first one of the least, and how many there are by the order of neighbours.
    fn best_of(row: &[f32]) -> [u32; 6] {
        let last = row.iter().enumerate().max_by(|a, b| a.1.partial_cmp(b.1).unwrap()).map_or(99, |(at, _)| at as u32);
        let first = row.iter().enumerate().min_by(|a, b| a.1.partial_cmp(b.1).unwrap()).map_or(99, |(at, _)| at as u32);
        let mut orders = [0u32; 3];
        for pair in row.windows(2) {
            orders[(pair[0].partial_cmp(&pair[1]).unwrap() as i32 + 1) as usize] += 1;
        }
        let mut most: Option<f32> = None;
        for &number in row {
            most = Some(match most {
                Some(most) if most >= number => most,
                _ => number,
            });
        }
        [last, first, orders[0], orders[1], orders[2], most.map_or(7, |most| most as u32)]
    }

    /// As many rounds as a row has numbers that are wanted, of which none may be there.
    fn wanted_of(row: &[f32]) -> [u32; 6] {
        let last = row.iter().enumerate().filter(|(at, number)| at % 3 != 1 && **number > 2.0).max_by(|a, b| a.1.total_cmp(b.1)).map_or(99, |(at, _)| at as u32);
        let sum = row.iter().enumerate().filter(|(at, number)| at % 3 != 1 && **number > 2.0).map(|(_, number)| *number as u32).reduce(|a, b| a * 3 + b);
        let mut before: Option<(u32, f32)> = None;
        let mut rises = 0;
        for (at, &number) in row.iter().enumerate() {
            if at % 4 == 3 {
                continue;
            }
            if let Some((place, earlier)) = before {
                if earlier < number {
                    rises += place + 1;
                } else if number == 5.0 {
                    continue;
                }
            }
            before = Some((at as u32, number));
        }
        let near = row.iter().map(|number| (number - 3.5).abs()).fold(f32::INFINITY, f32::min);
        let wanted = row.iter().enumerate().filter(|(at, number)| at % 3 != 1 && **number > 2.0).count();
        [last, sum.unwrap_or(1), rises, (near * 2.0) as u32, wanted as u32, before.map_or(9, |(place, _)| place)]
    }
}

#[kernel]
fn best(starts: &[u32], numbers: &[f32], out: &mut [[u32; 6]]) {
    let i = global_id().x as usize;
    if i < out.len() && i + 1 < starts.len() {
        out[i] = best_of(&numbers[starts[i] as usize..starts[i + 1] as usize]);
    }
}

#[kernel]
fn wanted(starts: &[u32], numbers: &[f32], out: &mut [[u32; 6]]) {
    let i = global_id().x as usize;
    if i < out.len() && i + 1 < starts.len() {
        out[i] = wanted_of(&numbers[starts[i] as usize..starts[i + 1] as usize]);
    }
}

/// Rows of nothing to eight numbers, and where they begin.
fn rows() -> (Vec<u32>, Vec<f32>) {
    let mut numbers = Vec::new();
    let mut starts = vec![0];
    for row in 0..ROWS {
        numbers.extend((0..row % 9).map(|k| ((row * 7 + k * 5) % 11) as f32 * 0.5));
        starts.push(numbers.len() as u32);
    }
    (starts, numbers)
}

fn expected(of: fn(&[f32]) -> [u32; 6]) -> Vec<Output> {
    let (starts, numbers) = rows();
    let rows = starts.windows(2).flat_map(|ends| of(&numbers[ends[0] as usize..ends[1] as usize]));
    vec![Output::U32(rows.collect())]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "best_ones::of_rows",
        [Best],
        |mgr| {
            let (starts, numbers) = rows();
            let (starts, numbers) = (mgr.tensor(&starts)?, mgr.tensor(&numbers)?);
            let mut out = mgr.tensor(&[[0u32; 6]; ROWS])?;
            let seq = mgr.sequence()?;
            Best::dispatch(&seq, Grid::items(ROWS), &starts, &numbers, &mut out)?.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        },
        || expected(plain::best_of)
    ),
    case!(
        "best_ones::that_are_wanted",
        [Wanted],
        |mgr| {
            let (starts, numbers) = rows();
            let (starts, numbers) = (mgr.tensor(&starts)?, mgr.tensor(&numbers)?);
            let mut out = mgr.tensor(&[[0u32; 6]; ROWS])?;
            let seq = mgr.sequence()?;
            Wanted::dispatch(&seq, Grid::items(ROWS), &starts, &numbers, &mut out)?.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        },
        || expected(plain::wanted_of)
    ),
    // One invocation alone comes to a NaN, so that the report is the same on all devices.
    case!("best_ones::that_do_not_compare", [Best], |mgr| {
        let (starts, mut numbers) = rows();
        numbers[starts[5] as usize + 2] = f32::NAN;
        let (starts, numbers) = (mgr.tensor(&starts)?, mgr.tensor(&numbers)?);
        let mut out = mgr.tensor(&[[0u32; 6]; ROWS])?;
        let seq = mgr.sequence()?;
        Best::dispatch(&seq, Grid::items(ROWS), &starts, &numbers, &mut out)?;
        let report = report(&seq)?;
        Ok(vec![report, Output::U32(out.to_vec()?.concat())])
    }),
];
