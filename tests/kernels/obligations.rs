//! Indices the host can vouch for at launch: without checks on the device where it can, with Rust's panic where it cannot.

use gridwise::prelude::*;
use gridwise::{Error, Kernel};

use super::case;
use crate::case::{Case, Output};

/// Whether the host has something to check, and whether the kernel can trap beyond that.
pub(super) fn promises<K: Kernel>() -> Output {
    let descriptor = K::DESCRIPTOR;
    Output::U32(vec![(!descriptor.obligations.is_empty()).into(), descriptor.traps_anyway.into()])
}

fn run(seq: &Sequence, out: &Tensor<u32>) -> gridwise::Result<Vec<Output>> {
    let report = match seq.eval() {
        Ok(()) => "complete".to_owned(),
        Err(Error::KernelPanic { message, text, count, .. }) => format!("{message} ({text}, {count})"),
        Err(error) => return Err(error),
    };
    Ok(vec![Output::Report(report), Output::U32(out.to_vec()?)])
}

fn symbols(mgr: &Manager, last: usize) -> gridwise::Result<Vec<Output>> {
    let symbols: Vec<u8> = (0..40).map(|i| i % 5).collect();
    let table: Vec<u32> = (0..=last as u32).map(|i| i * 10).collect();
    let (symbols, table, x) = (mgr.tensor(&symbols)?, mgr.tensor(&table)?, mgr.tensor(&(0..40).collect::<Vec<u32>>())?);
    let mut out = mgr.tensor(&[7u32; 40])?;
    let seq = mgr.sequence()?;
    SymbolsOf::dispatch(&seq, Grid::items(40), &symbols, &table, &x, &mut out)?;
    run(&seq, &out)
}

fn bytes() -> Vec<u8> {
    (0..20 * 12u32).map(|i| (i * 37 % 251) as u8 + 1).collect()
}

/// The least of 7 by 7 bytes, the nearest ones at the border.
fn least_of_seven() -> Vec<u32> {
    let x = bytes();
    let at = |row: i32, column: i32| x[(row.clamp(0, 11) * 20 + column.clamp(0, 19)) as usize];
    let least = |row: i32, column: i32| (0..49).map(|k| at(row + k / 7 - 3, column + k % 7 - 3)).min();
    (0..12).flat_map(|row| (0..20).map(move |column| least(row, column).map_or(0, u32::from))).collect()
}

fn numbers(len: u32) -> Vec<u32> {
    (0..len).map(|i| i * 3 + 1).collect()
}

fn scaled(mgr: &Manager, len: u32) -> gridwise::Result<Vec<Output>> {
    let shape = Shape { scale: 2.0, rows: 3, columns: 5 };
    let (x, mut out) = (mgr.tensor(&numbers(15))?, mgr.tensor(&vec![7u32; len as usize])?);
    let seq = mgr.sequence()?;
    Rows::dispatch(&seq, Grid::items([5u32, 3]), shape, &x, &mut out)?;
    let mut outputs = run(&seq, &out)?;
    outputs.push(promises::<Rows>());
    Ok(outputs)
}

/// The entries.
pub const CASES: &[Case] = &[
    case!("obligations::rows", [Rows], |mgr| scaled(mgr, 15), || {
        let out = (0..15).map(|i| (i * 3 + 1) * 2).collect();
        vec![Output::Report("complete".into()), Output::U32(out), Output::U32(vec![1, 0])]
    }),
    case!("obligations::too_short", [Rows], |mgr| scaled(mgr, 14), || {
        let report = "index out of bounds: the len is 14 but the index is 14 (out[at], 1)";
        let out = (0..14).map(|i| (i * 3 + 1) * 2).collect();
        vec![Output::Report(report.into()), Output::U32(out), Output::U32(vec![1, 0])]
    }),
    case!(
        "obligations::loops",
        [Loops],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&numbers(40))?, mgr.tensor(&[0u32; 4])?);
            let seq = mgr.sequence()?;
            Loops::dispatch(&seq, Grid::items(4), 10, &x, &mut out)?;
            let mut outputs = run(&seq, &out)?;
            outputs.push(promises::<Loops>());
            Ok(outputs)
        },
        || {
            let x = numbers(40);
            let row =
                |row: usize| x[row * 10..][..10].iter().sum::<u32>() + x[(row * 7) % 10] + x[row.min(9)] + x[row >> 1];
            vec![Output::Report("complete".into()), Output::U32((0..4).map(row).collect()), Output::U32(vec![1, 0])]
        }
    ),
    // A table may be shorter than its symbols could tell: its check stays, and no other.
    case!("obligations::short_table", [SymbolsOf], |mgr| symbols(mgr, 4), || {
        let out = (0..40u32).map(|i| (i % 5) * 10 + i).collect();
        vec![Output::Report("complete".into()), Output::U32(out)]
    }),
    case!("obligations::table_too_short", [SymbolsOf], |mgr| symbols(mgr, 3), || {
        let report = "index out of bounds: the len is 4 but the index is 4 (table[usize::from(symbol)], 8)";
        let out = (0..40u32).map(|i| if i % 5 == 4 { i } else { (i % 5) * 10 + i }).collect();
        vec![Output::Report(report.into()), Output::U32(out)]
    }),
    case!(
        "obligations::tile_with_border",
        [Bordered],
        |mgr| {
            let (x, mut y) = (mgr.tensor(&bytes())?, mgr.tensor(&[0u8; 20 * 12])?);
            let seq = mgr.sequence()?;
            Bordered::dispatch(&seq, Grid::items([24u32, 16]), 20, 12, &x, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?.into_iter().map(u32::from).collect())])
        },
        || vec![Output::U32(least_of_seven())]
    ),
    case!(
        "obligations::flat_tile_with_border",
        [FlatBordered],
        |mgr| {
            let (x, mut y) = (mgr.tensor(&bytes())?, mgr.tensor(&[0u8; 20 * 12])?);
            let seq = mgr.sequence()?;
            FlatBordered::dispatch(&seq, Grid::items([24u32, 16]), 20, 12, &x, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?.into_iter().map(u32::from).collect())])
        },
        || vec![Output::U32(least_of_seven())]
    ),
    // Every index is in range, but only because the product wraps around: too much for the host to see.
    case!(
        "obligations::wrapping",
        [Wrapping],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&numbers(2))?, mgr.tensor(&[0u32; 8])?);
            let seq = mgr.sequence()?;
            Wrapping::dispatch(&seq, Grid::items(8), 0x8000_0000, &x, &mut out)?;
            run(&seq, &out)
        },
        || vec![Output::Report("complete".into()), Output::U32(vec![1, 0, 1, 0, 1, 0, 1, 0])]
    ),
    // Of two launches of one kernel in a sequence, the host can vouch for one.
    case!(
        "obligations::mixed",
        [Rows],
        |mgr| {
            let shape = Shape { scale: 1.0, rows: 2, columns: 2 };
            let x = mgr.tensor(&numbers(4))?;
            let (mut whole, mut short) = (mgr.tensor(&[0u32; 4])?, mgr.tensor(&[0u32; 2])?);
            let seq = mgr.sequence()?;
            Rows::dispatch(&seq, Grid::items([2u32, 2]), shape, &x, &mut whole)?;
            Rows::dispatch(&seq, Grid::items([2u32, 2]), shape, &x, &mut short)?;
            let mut outputs = run(&seq, &short)?;
            outputs.push(Output::U32(whole.to_vec()?));
            Ok(outputs)
        },
        || vec![
            // Which of the two invocations claims the record is not defined, so the index is left out by making it one.
            Output::Report("index out of bounds: the len is 2 but the index is 2 (out[at], 1)".into()),
            Output::U32(vec![1, 4]),
            Output::U32(vec![1, 4, 7, 0]),
        ]
    ),
    // Every invocation comes to these accesses, so that the host refuses what is beyond.
    case!(
        "obligations::known_when_recorded",
        [Everywhere, Corner],
        |mgr| {
            let (three, five) = (mgr.tensor(&numbers(3))?, mgr.tensor(&numbers(5))?);
            let (mut out, mut wide) = (mgr.tensor_of_len::<u32>(12)?, mgr.tensor_of_len::<u32>(80)?);
            let seq = mgr.sequence()?;
            let mut reports = String::new();
            let mut note = |recorded: gridwise::Result<&Sequence>| {
                reports += &match recorded {
                    Ok(_) => "recorded\n".to_owned(),
                    Err(Error::GridBeyondTensor(beyond)) => {
                        let (place, text) = (beyond.tensor.place().unwrap_or_default(), beyond.text);
                        format!("{text}: {} of {}, {place}\n", beyond.index, beyond.len)
                    }
                    Err(Error::MayRace(_)) => "may race\n".to_owned(),
                    Err(error) => return Err(error),
                };
                Ok(())
            };
            for items in [3, 4, 0] {
                note(Everywhere::dispatch(&seq, Grid::items(items), &five, &three, &mut out))?;
            }
            note(Everywhere::dispatch(&seq, Grid::groups(1), &five, &three, &mut out))?;
            note(Everywhere::dispatch(&seq, Grid::items(6), &five, &five, &mut out))?;
            for (width, grid) in [(4, [4, 3]), (5, [4, 3]), (1 << 31, [4, 3]), (12, [12, 1]), (0, [12, 7])] {
                note(Corner::dispatch(&seq, Grid::items(grid), width, &mut out))?;
            }
            // A part ends where it ends, whatever is behind it.
            note(Corner::dispatch(&seq, Grid::items(2), 0, &mut *wide.part_mut(64..65)?))?;
            Ok(vec![Output::Report(reports)])
        },
        || {
            let report = [
                "recorded",
                "short[i]: 3 of 3, argument 2, `short`, of kernel `everywhere`",
                "recorded",
                "long[i]: 7 of 5, argument 1, `long`, of kernel `everywhere`",
                "long[i]: 5 of 5, argument 1, `long`, of kernel `everywhere`",
                "recorded",
                "out[id.y * width + id.x]: 13 of 12, argument 2, `out`, of kernel `corner`",
                // The product wraps around, which the host does not follow.
                "may race",
                "recorded",
                "may race",
                "out[id.y * width + id.x]: 1 of 1, argument 2, `out`, of kernel `corner`",
            ];
            vec![Output::Report(report.join("\n") + "\n")]
        }
    ),
];

/// Each of them has its elements.
#[kernel(workgroup = 8)]
fn everywhere(long: &[u32], short: &[u32], out: &mut [u32]) {
    let i = global_id().x as usize;
    let mut sum = 0;
    for k in 0..long[i] % 3 {
        sum += k;
    }
    out[i] = sum + short[i];
}

#[kernel(workgroup = [4, 2])]
fn corner(width: u32, out: &mut [u32]) {
    let id = global_id();
    out[id.y * width + id.x] += 1;
}

/// The shape of a matrix.
#[derive(GpuData, Debug, Clone, Copy)]
#[repr(C)]
pub struct Shape {
    /// Factor of all numbers.
    scale: f32,
    rows: u32,
    columns: u32,
}

#[kernel(workgroup = [4, 4])]
fn rows(shape: Shape, x: &[u32], out: &mut [u32]) {
    let (column, row) = (global_id().x, global_id().y);
    // The last element of a small matrix is left alone.
    if row < shape.rows && column < shape.columns && (shape.rows > 2 || row + column < 2) {
        let at = row * shape.columns + column;
        out[at] = x[at] * shape.scale as u32;
    }
}

#[kernel(workgroup = 4)]
fn loops(depth: u32, x: &[u32], out: &mut [u32]) {
    let row = global_id().x;
    let mut sum = 0;
    for k in 0..depth {
        sum += x[row * depth + k];
    }
    out[row] = sum + x[row * 7 % depth.max(1)] + x[row.min(9)] + x[row >> 1];
}

#[kernel(workgroup = 8)]
fn wrapping(step: u32, x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    if i % 2 == 0 {
        out[i] = x[i * step];
    }
}

#[kernel(workgroup = 8)]
fn symbols_of(symbols: &[u8], table: &[u32], x: &[u32], out: &mut [u32]) {
    let i = global_id().x as usize;
    let symbol = symbols[i];
    out[i] = table[usize::from(symbol)] + x[i];
}

#[kernel(workgroup = [8, 8])]
fn bordered(width: i32, height: i32, x: &[u8], y: &mut [u8]) {
    let mut tile = Shared::<[[u8; 14]; 14]>::new();
    let (column, row) = (local_id().x as usize, local_id().y as usize);
    let (left, top) = (workgroup_id().x as i32 * 8 - 3, workgroup_id().y as i32 * 8 - 3);
    for r in (row..14).step_by(8) {
        for c in (column..14).step_by(8) {
            let from = (left + c as i32).clamp(0, width - 1);
            tile[r][c] = x[((top + r as i32).clamp(0, height - 1) * width + from) as usize];
        }
    }
    barrier();
    let (at_x, at_y) = (global_id().x as i32, global_id().y as i32);
    if at_x < width && at_y < height {
        let mut least = u8::MAX;
        for r in 0..7 {
            for c in 0..7 {
                least = least.min(tile[row + r][column + c]);
            }
        }
        y[(at_y * width + at_x) as usize] = least;
    }
}

#[kernel(workgroup = [8, 8])]
fn flat_bordered(width: i32, height: i32, x: &[u8], y: &mut [u8]) {
    let mut tile = Shared::<[[u8; 14]; 14]>::new();
    let (left, top) = (workgroup_id().x as i32 * 8 - 3, workgroup_id().y as i32 * 8 - 3);
    let mut i = local_index() as usize;
    while i < 14 * 14 {
        let (r, c) = (i / 14, i % 14);
        let from = (left + c as i32).clamp(0, width - 1);
        tile[r][c] = x[((top + r as i32).clamp(0, height - 1) * width + from) as usize];
        i += 64;
    }
    barrier();
    let (column, row) = (local_id().x as usize, local_id().y as usize);
    let (at_x, at_y) = (global_id().x as i32, global_id().y as i32);
    if at_x < width && at_y < height {
        let least = (0..49).map(|k| tile[row + k / 7][column + k % 7]).min();
        y[(at_y * width + at_x) as usize] = least.unwrap_or(0);
    }
}
