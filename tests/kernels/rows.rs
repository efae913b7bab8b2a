//! Methods of slices on arrays that are elements or fields: of buffers, of shared memory, by way of references and in device functions.

#![allow(clippy::manual_memcpy, reason = "these are the forms that are tried")]

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

const N: usize = 64;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Record {
    name: [u8; 6],
    marks: [[i8; 2]; 3],
}

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Cell {
    sums: [f32; 5],
    at: Vec4,
    names: [[u32; 3]; 2],
}

#[kernel(workgroup = 32)]
fn digests(x: &[u8], digests: &mut [[u8; 4]], out: &mut [u32]) {
    let i = global_id().x as usize;
    digests[i].copy_from_slice(&x[4 * i..4 * i + 4]);
    digests[i].reverse();
    digests[i][1..3].swap(0, 1);
    digests[i][..2].fill(x[i] / 2);
    for (k, v) in digests[i].iter_mut().enumerate() {
        *v = v.wrapping_add(k as u8);
    }
    if let Some(v) = digests[i].get_mut(i % 6) {
        *v ^= 0x55;
    }
    digests[i][..].rotate_left(1);
    out[i] = digests[i].iter().map(|&v| u32::from(v)).sum::<u32>()
        + u32::from(digests[i].contains(&7)) * 10_000
        + u32::from(digests[i][1..] == x[i..i + 3]) * 100_000
        + digests[i].iter().position(|v| v % 2 == 1).map_or(77, |k| k as u32) * 1000;
}

fn expected_digests() -> Vec<Output> {
    let x = bytes();
    let mut out = Vec::new();
    for i in 0..N {
        let mut d = [0u8; 4];
        d.copy_from_slice(&x[4 * i..4 * i + 4]);
        d.reverse();
        d[1..3].swap(0, 1);
        d[..2].fill(x[i] / 2);
        d.iter_mut().enumerate().for_each(|(k, v)| *v = v.wrapping_add(k as u8));
        if let Some(v) = d.get_mut(i % 6) {
            *v ^= 0x55;
        }
        d.rotate_left(1);
        out.push(
            d.iter().map(|&v| u32::from(v)).sum::<u32>()
                + u32::from(d.contains(&7)) * 10_000
                + u32::from(d[1..] == x[i..i + 3]) * 100_000
                + d.iter().position(|v| v % 2 == 1).map_or(77, |k| k as u32) * 1000,
        );
        out.push(u32::from_le_bytes(d));
    }
    vec![Output::U32(out)]
}

fn bytes() -> Vec<u8> {
    patterns(4 * N, 12).into_iter().map(|v| (v >> 7) as u8).collect()
}

#[device]
fn spread(x: &[u32], to: &mut [u32]) {
    for k in 0..to.len() {
        to[k] += x[k % x.len()] * 2;
    }
}

#[device]
fn of_rows(rows: &mut [[u32; 4]], i: usize) -> u32 {
    rows[i].reverse();
    let row = &mut rows[i];
    row[2..].fill(9);
    for v in row.iter_mut() {
        *v += 1;
    }
    let first = [rows[i][0]];
    spread(&first, &mut rows[i][1..]);
    rows[i].iter().zip(&rows[i][1..]).map(|(a, b)| a * b).sum()
}

#[kernel(workgroup = 32)]
fn tiles(x: &[u32], rows: &mut [[u32; 4]], out: &mut [u32]) {
    let shared = Shared::<[[u32; 4]; 32]>::new();
    let (t, i) = (local_id().x as usize, global_id().x as usize);
    shared[t].copy_from_slice(&x[4 * i..4 * i + 4]);
    barrier();
    let next = (t + 1) % 32;
    let mut sum = shared[t].iter().sum::<u32>() + shared[next].iter().max().copied().unwrap_or(0) * 3;
    for (k, v) in shared[next].iter().rev().enumerate() {
        sum += k as u32 * v;
    }
    for v in shared[t] {
        sum = sum.rotate_left(1) ^ v;
    }
    barrier();
    shared[t].rotate_right(1);
    let row = &mut shared[t];
    row[1..].reverse();
    row.swap(0, 3);
    barrier();
    spread(&shared[next], &mut rows[i]);
    sum ^= of_rows(rows, i);
    out[i] = sum + rows[i].last().copied().unwrap_or(0) + u32::from(shared[t].starts_with(&shared[next][..1]));
}

fn expected_tiles() -> Vec<Output> {
    let x = numbers();
    let mut out = Vec::new();
    for group in 0..N / 32 {
        let mut shared: Vec<[u32; 4]> =
            (0..32).map(|t| <[u32; 4]>::try_from(&x[4 * (32 * group + t)..][..4]).unwrap_or_default()).collect();
        let mut sums = Vec::new();
        for t in 0..32 {
            let next = &shared[(t + 1) % 32];
            let mut sum = shared[t].iter().sum::<u32>() + next.iter().max().copied().unwrap_or(0) * 3;
            next.iter().rev().enumerate().for_each(|(k, v)| sum += k as u32 * v);
            shared[t].iter().for_each(|v| sum = sum.rotate_left(1) ^ v);
            sums.push(sum);
        }
        for row in &mut shared {
            row.rotate_right(1);
            row[1..].reverse();
            row.swap(0, 3);
        }
        for t in 0..32 {
            let i = 32 * group + t;
            let mut rows = vec![[i as u32, 1, 2, 3]; 1];
            spread_plain(&shared[(t + 1) % 32], &mut rows[0]);
            rows[0].reverse();
            rows[0][2..].fill(9);
            rows[0].iter_mut().for_each(|v| *v += 1);
            let first = [rows[0][0]];
            spread_plain(&first, &mut rows[0][1..]);
            sums[t] ^= rows[0].iter().zip(&rows[0][1..]).map(|(a, b)| a * b).sum::<u32>();
            out.push(sums[t] + rows[0][3] + u32::from(shared[t].starts_with(&shared[(t + 1) % 32][..1])));
            out.extend(rows[0]);
        }
    }
    vec![Output::U32(out)]
}

fn spread_plain(x: &[u32], to: &mut [u32]) {
    for k in 0..to.len() {
        to[k] += x[k % x.len()] * 2;
    }
}

fn numbers() -> Vec<u32> {
    patterns(4 * N, 5).into_iter().map(|v| v % 50).collect()
}

/// # Safety
/// At most 64 invocations.
#[kernel(workgroup = 32)]
unsafe fn fields(records: &mut [Record], cells: &mut [Cell], parts: &mut [&mut [[u32; 2]]]) {
    let i = global_id().x as usize;
    records[i].name.rotate_left(i % 6);
    records[i].marks[i % 3].fill(-3);
    for row in records[i].marks.iter_mut() {
        row[0] += 1;
    }
    let sums = &mut cells[i].sums;
    sums.fill(0.5);
    sums[1..3].copy_from_slice(&[i as f32, 2.0]);
    cells[i].names[1].copy_from_slice(&[1, 2, i as u32]);
    cells[i].names.swap(0, 1);
    cells[i].at.x = cells[i].sums.iter().fold(1.0, |a, b| a * 2.0 + b);
    parts[i % 2][i / 2].reverse();
    parts[(i + 1) % 2][32 + i / 2].fill(i as u32);
}

fn records() -> (Vec<Record>, Vec<Cell>, [Vec<[u32; 2]>; 2]) {
    let record = |i: usize| {
        let i = i as u8;
        Record { name: [i, 1, 2, 3, 4, i / 2], marks: [[1, 2], [i as i8, 3], [5, 6]] }
    };
    let cell = |i: usize| Cell { sums: [1.0; 5], at: Vec4::splat(i as f32), names: [[7, 8, 9], [i as u32, 0, 1]] };
    let part = |k: u32| (0..N as u32).map(|i| [i, i * k]).collect();
    ((0..N).map(record).collect(), (0..N).map(cell).collect(), [part(3), part(5)])
}

fn seen(records: &[Record], cells: &[Cell], parts: [Vec<[u32; 2]>; 2]) -> Vec<Output> {
    let words = records.iter().flat_map(|r| r.name.into_iter().chain(r.marks.into_iter().flatten().map(|v| v as u8)));
    let floats = cells.iter().flat_map(|c| c.sums.into_iter().chain(c.at.to_array()));
    let names = cells.iter().flat_map(|c| c.names.into_iter().flatten()).chain(parts.into_iter().flatten().flatten());
    vec![Output::U32(words.map(u32::from).chain(names).collect()), Output::exact(floats.collect())]
}

fn expected_fields() -> Vec<Output> {
    let (mut records, mut cells, mut parts) = records();
    for i in 0..N {
        records[i].name.rotate_left(i % 6);
        records[i].marks[i % 3].fill(-3);
        records[i].marks.iter_mut().for_each(|row| row[0] += 1);
        cells[i].sums.fill(0.5);
        cells[i].sums[1..3].copy_from_slice(&[i as f32, 2.0]);
        cells[i].names[1].copy_from_slice(&[1, 2, i as u32]);
        cells[i].names.swap(0, 1);
        cells[i].at.x = cells[i].sums.iter().fold(1.0, |a, b| a * 2.0 + b);
        parts[i % 2][i / 2].reverse();
        parts[(i + 1) % 2][32 + i / 2].fill(i as u32);
    }
    seen(&records, &cells, parts)
}

fn report(end: gridwise::Result<()>) -> Output {
    Output::Report(match end {
        Ok(()) => "done".to_owned(),
        Err(gridwise::Error::KernelPanic { message, text, .. }) => format!("{message} in {text}"),
        Err(error) => error.to_string(),
    })
}

/// The row is not there, which panics before the lengths are compared.
#[kernel(workgroup = 32)]
fn no_such_row(x: &[u32], rows: &mut [[u32; 4]]) {
    let i = global_id().x as usize;
    if i == 1 << 20 {
        return;
    }
    rows[i + 1].copy_from_slice(&x[..i % 2 + 3]);
}

/// Nothing is read of a row that is not there, and still it panics.
#[kernel(workgroup = 32)]
fn nothing_of_a_row(n: u32, rows: &[[u32; 4]], out: &mut [u32]) {
    let i = global_id().x as usize;
    if i == 1 << 20 {
        return;
    }
    out[i] = rows[i * 2].iter().take(n as usize).sum();
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "rows::digests",
        [Digests],
        |mgr| {
            let (x, mut rows) = (mgr.tensor(&bytes())?, mgr.tensor(&vec![[0u8; 4]; N])?);
            let mut out = mgr.tensor_of_len::<u32>(N)?;
            let seq = mgr.sequence()?;
            Digests::dispatch(&seq, Grid::items(N), &x, &mut rows, &mut out)?;
            seq.eval()?;
            let both = out.to_vec()?.into_iter().zip(rows.to_vec()?);
            Ok(vec![Output::U32(both.flat_map(|(sum, row)| [sum, u32::from_le_bytes(row)]).collect())])
        },
        expected_digests
    ),
    case!(
        "rows::tiles",
        [Tiles],
        |mgr| {
            let rows: Vec<[u32; 4]> = (0..N as u32).map(|i| [i, 1, 2, 3]).collect();
            let (x, mut rows) = (mgr.tensor(&numbers())?, mgr.tensor(&rows)?);
            let mut out = mgr.tensor_of_len::<u32>(N)?;
            let seq = mgr.sequence()?;
            Tiles::dispatch(&seq, Grid::items(N), &x, &mut rows, &mut out)?;
            seq.eval()?;
            let both = out.to_vec()?.into_iter().zip(rows.to_vec()?);
            Ok(vec![Output::U32(both.flat_map(|(sum, row)| std::iter::once(sum).chain(row)).collect())])
        },
        expected_tiles
    ),
    case!(
        "rows::fields",
        [Fields],
        |mgr| {
            let (records, cells, parts) = records();
            let (mut records, mut cells) = (mgr.tensor(&records)?, mgr.tensor(&cells)?);
            let (mut even, mut odd) = (mgr.tensor(&parts[0])?, mgr.tensor(&parts[1])?);
            let seq = mgr.sequence()?;
            // SAFETY: there are.
            unsafe { Fields::dispatch(&seq, Grid::items(N), &mut records, &mut cells, &mut [&mut even, &mut odd]) }?;
            seq.eval()?;
            Ok(seen(&records.to_vec()?, &cells.to_vec()?, [even.to_vec()?, odd.to_vec()?]))
        },
        expected_fields
    ),
    case!("rows::no_such_row", [NoSuchRow], |mgr| {
        let (x, mut rows) = (mgr.tensor(&[1u32; 4])?, mgr.tensor(&[[0u32; 4]; 1])?);
        let seq = mgr.sequence()?;
        NoSuchRow::dispatch(&seq, Grid::items(1), &x, &mut rows)?;
        Ok(vec![report(seq.eval()), Output::U32(rows.to_vec()?.concat())])
    }),
    case!("rows::nothing_of_a_row", [NothingOfARow], |mgr| {
        let (rows, mut out) = (mgr.tensor(&[[1u32; 4]; 3])?, mgr.tensor_of_len::<u32>(3)?);
        let seq = mgr.sequence()?;
        NothingOfARow::dispatch(&seq, Grid::items(3), 0, &rows, &mut out)?;
        Ok(vec![report(seq.eval())])
    }),
];
