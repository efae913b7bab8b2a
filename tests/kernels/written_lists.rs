//! Lists of buffers that are written: each invocation decides which, and where.

use gridwise::ops::{OpCopy, OpFill};
use gridwise::prelude::*;

use super::case;
use super::traps::report;
use crate::case::{Case, Output, patterns};

/// An element with parts.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(C)]
pub struct Item {
    key: u16,
    marks: [u8; 3],
    at: Vec3,
}

#[device]
fn fill(x: &mut [u32], value: u32) {
    for i in 0..x.len() {
        x[i] = value + i as u32;
    }
}

#[device]
fn total(x: &[u32]) -> u32 {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i] * (i as u32 + 1);
    }
    sum
}

#[device]
fn bump(value: &mut u32, by: u32) {
    *value += by;
}

/// Rows of a matrix become buffers, each of a length of its own.
#[kernel(workgroup = 32)]
fn deal(x: &[u32], parts: &mut [&mut [u32]]) {
    let i = global_id().x as usize;
    let (k, at) = (i % parts.len(), i / parts.len());
    if at < parts[k].len() {
        parts[k][at] = x[i % x.len()] ^ (parts[k].len() as u32) << 16;
    }
}

/// One buffer for each invocation, in all the ways in which one is written.
#[kernel(workgroup = 4)]
fn forms(parts: &mut [&mut [u32]], to: &mut [u32]) {
    let k = global_id().x;
    fill(parts[k], k * 10);
    to[k] = total(parts[k]);
    if parts[k].len() > 4 {
        let part = &mut parts[k];
        part[0] = 7;
        part[1] += part[2] * 3;
        part.swap(0, 3);
        for v in part.iter_mut() {
            *v = *v * 2 + 1;
        }
        let rest = &mut parts[k][2..];
        rest[0] = rest[1] - 5;
        fill(&mut parts[k][3..5], 99);
        bump(&mut parts[k][1], 1000);
        let last = &mut parts[k][4];
        *last ^= 0xff00;
        let read = &parts[k];
        to[k] += read[read.len() - 1] + total(&parts[k][1..]) * 100;
    }
    to[k] ^= (parts.len() as u32) << 24;
}

/// Elements with fields and arrays, and of eight bytes.
#[kernel(workgroup = 16)]
fn records(items: &mut [&mut [Item]], numbers: &mut [&mut [f64]], bytes: &mut [&mut [u8]]) {
    let i = global_id().x as usize;
    let k = i % items.len();
    let j = i / items.len();
    if j < items[k].len() {
        items[k][j].marks[i % 3] += k as u8;
        items[k][j].key = items[k][j].key * 3 + u16::from(items[k][j].marks[1]);
        items[k][j].at.y = 0.5;
        items[k][j].at *= 2.0;
        numbers[k][j] = f64::from(items[k][j].at.x) + numbers[k][j] / 4.0;
    }
    bytes[0][i] = bytes[0][i] ^ i as u8;
}

/// Elements that one invocation writes and others read behind a barrier.
#[kernel(workgroup = 32)]
fn together(parts: &mut [&mut [u32]], to: &mut [u32]) {
    let i = local_index();
    let group = workgroup_id().x;
    parts[group][i] = i * i + group;
    barrier();
    let seen = parts[group][31 - i];
    barrier();
    parts[group][i] += seen * 1000;
    to[global_id().x] = seen;
}

/// From a list to a list.
#[kernel(workgroup = 8)]
fn transpose(from: &[&[u32]], to: &mut [&mut [u32]]) {
    let id = global_id();
    if id.y < from.len() as u32 && id.x < to.len() as u32 {
        to[id.x][id.y] = from[id.y][id.x];
    }
}

/// The value is asked for first, then which buffer, then which element; what cannot be written is not.
#[kernel(workgroup = 1)]
fn one_element(parts: &mut [&mut [u32]], from: &[u32], k: u32, i: u32, j: u32) {
    if j == 1 << 20 {
        return;
    }
    from[0];
    parts[0][0] = 1;
    parts[k][i] = from[j];
    parts[2][0] = 3;
}

#[kernel(workgroup = 1)]
fn one_sum(parts: &mut [&mut [u32]], from: &[u32], k: u32, i: u32, j: u32) {
    if j == 1 << 20 {
        return;
    }
    parts[0][0] = 1;
    parts[k][i] += from[j];
    let part = &mut parts[k][1..];
    part[i] = 5;
    parts[2][0] = 3;
}

/// Several items for each invocation, beside an element of their own.
#[kernel(workgroup = 16, items_per_invocation = 4)]
fn beside(x: &[u32], parts: &[&[u32]], to: &mut [u32], sums: &mut [&mut [u32]]) {
    let i = global_id().x;
    to[i] = x[i] * 3 + parts.len() as u32 + sums.len() as u32;
}

/// A list of any type.
#[kernel(workgroup = 8, T = [u64, i16, f32])]
fn reverse<T: Copy>(parts: &mut [&mut [T]]) {
    let i = global_id().x as usize;
    for k in 0..parts.len() {
        let len = parts[k].len();
        if i < len / 2 {
            let kept = parts[k][i];
            let other = parts[k][len - 1 - i];
            // SAFETY: nobody else has this pair of elements.
            unsafe {
                parts[k].unordered()[i] = other;
                parts[k].unordered()[len - 1 - i] = kept;
            }
        }
    }
}

const LENS: [usize; 6] = [5, 1, 0, 33, 4, 12];

fn tensors(mgr: &Manager, lens: &[usize]) -> gridwise::Result<Vec<Tensor<u32>>> {
    lens.iter().zip(1..).map(|(len, seed)| mgr.tensor(&patterns(*len, seed))).collect()
}

fn all<T: GpuData>(tensors: &[Tensor<T>]) -> gridwise::Result<Vec<T>> {
    let contents = tensors.iter().map(Tensor::to_vec).collect::<gridwise::Result<Vec<_>>>()?;
    Ok(contents.concat())
}

fn reversed<T: GpuData>(
    mgr: &Manager,
    parts: [Vec<T>; 2],
    dispatch: for<'s> fn(&'s Sequence, Grid, &mut [&mut Tensor<T>]) -> gridwise::Result<&'s Sequence>,
) -> gridwise::Result<Vec<T>> {
    let mut tensors = parts.iter().map(|part| mgr.tensor(part)).collect::<gridwise::Result<Vec<_>>>()?;
    let seq = mgr.sequence()?;
    dispatch(&seq, Grid::items(32), &mut tensors.iter_mut().collect::<Vec<_>>())?;
    seq.eval()?;
    all(&tensors)
}

/// A launch with the positions of a buffer, an element and a value.
type AtPlaces =
    for<'s> fn(&'s Sequence, &mut [&mut Tensor<u32>], &Tensor<u32>, [u32; 3]) -> gridwise::Result<&'s Sequence>;

/// The report of a launch over wrong elements, and its writes.
fn faulty(mgr: &Manager, run: AtPlaces, positions: &[[u32; 3]]) -> gridwise::Result<Vec<Output>> {
    let from = mgr.tensor(&[40u32, 50])?;
    let mut found = Vec::new();
    for at in positions {
        let mut tensors =
            [mgr.tensor(&[11u32, 12, 13])?, mgr.tensor::<u32>(&[])?, mgr.tensor(&[21u32])?, mgr.tensor(&[8u32; 3])?];
        let seq = mgr.sequence()?;
        run(&seq, &mut tensors.each_mut(), &from, *at)?;
        let report = report(&seq)?;
        found.extend([report, Output::U32(all(&tensors)?)]);
    }
    Ok(found)
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "written_lists::deal",
        [Deal],
        |mgr| {
            let (x, mut parts) = (mgr.tensor(&patterns(300, 9))?, tensors(mgr, &LENS)?);
            let seq = mgr.sequence()?;
            Deal::dispatch(&seq, Grid::items(300), &x, &mut parts.iter_mut().collect::<Vec<_>>())?;
            seq.eval()?;
            Ok(vec![Output::U32(all(&parts)?)])
        },
        || {
            let x: Vec<u32> = patterns(300, 9);
            let part = |k: usize, len: usize| (0..len).map(move |at| (at * LENS.len() + k, len));
            let places = LENS.iter().enumerate().flat_map(|(k, len)| part(k, *len));
            vec![Output::U32(places.map(|(i, len)| x[i] ^ (len as u32) << 16).collect())]
        }
    ),
    case!("written_lists::forms", [Forms], |mgr| {
        let (mut parts, mut to) = (tensors(mgr, &LENS)?, mgr.tensor_of_len::<u32>(LENS.len())?);
        let seq = mgr.sequence()?;
        Forms::dispatch(&seq, Grid::items(LENS.len()), &mut parts.iter_mut().collect::<Vec<_>>(), &mut to)?;
        seq.eval()?;
        Ok(vec![Output::U32(all(&parts)?), Output::U32(to.to_vec()?)])
    }),
    case!("written_lists::records", [Records], |mgr| {
        let item = |k: u16, i: u16| Item { key: k + i, marks: [i as u8, 2, k as u8], at: Vec3::splat(f32::from(i)) };
        let items: Vec<Vec<Item>> = (0..3).map(|k| (0..9 - k).map(|i| item(k, i)).collect()).collect();
        let mut items = items.iter().map(|items| mgr.tensor(items)).collect::<gridwise::Result<Vec<_>>>()?;
        let mut numbers = [9u8, 8, 7].map(|len| vec![f64::from(len) / 7.0; 9]).map(|of| mgr.tensor(&of));
        let mut numbers = numbers.iter_mut().map(|of| of.as_mut()).collect::<Result<Vec<_>, _>>().expect("memory");
        let mut bytes = mgr.tensor(&(0..64).collect::<Vec<u8>>())?;
        let seq = mgr.sequence()?;
        let list = &mut items.iter_mut().collect::<Vec<_>>();
        Records::dispatch(&seq, Grid::items(64), list, &mut numbers, &mut [&mut bytes])?;
        seq.eval()?;
        let words = all(&items)?.into_iter().flat_map(|item| {
            let [a, b, c] = item.marks.map(u32::from);
            [item.key.into(), a, b, c].into_iter().chain(item.at.to_array().map(f32::to_bits)).collect::<Vec<_>>()
        });
        let mut of_numbers = Vec::new();
        for number in &numbers {
            of_numbers.extend(number.to_vec()?.into_iter().map(|value| value as f32));
        }
        let of_bytes = bytes.to_vec()?.into_iter().map(u32::from).collect();
        Ok(vec![Output::U32(words.collect()), Output::exact(of_numbers), Output::U32(of_bytes)])
    }),
    case!("written_lists::together", [Together], |mgr| {
        let (mut parts, mut to) = (tensors(mgr, &[32, 32, 40])?, mgr.tensor_of_len::<u32>(96)?);
        let seq = mgr.sequence()?;
        Together::dispatch(&seq, Grid::items(96), &mut parts.iter_mut().collect::<Vec<_>>(), &mut to)?;
        seq.eval()?;
        Ok(vec![Output::U32(all(&parts)?), Output::U32(to.to_vec()?)])
    }),
    case!(
        "written_lists::in_order",
        [Transpose],
        |mgr| {
            // There and back, and what lies between is read again; a transfer of one of them stands between launches.
            let (mut rows, mut columns) = (tensors(mgr, &[20, 20, 20])?, tensors(mgr, &[3; 20])?);
            let (seq, mut kept) = (mgr.sequence()?, mgr.tensor_of_len::<u32>(3)?);
            let grid = Grid::items((20, 3));
            Transpose::dispatch(
                &seq,
                grid,
                &rows.iter().collect::<Vec<_>>(),
                &mut columns.iter_mut().collect::<Vec<_>>(),
            )?;
            seq.record(OpCopy::new(&columns[4], &mut kept))?;
            seq.record(OpFill::new(&mut columns[4], 9))?;
            let back = Grid::items((3, 20));
            Transpose::dispatch(
                &seq,
                back,
                &columns.iter().collect::<Vec<_>>(),
                &mut rows.iter_mut().collect::<Vec<_>>(),
            )?;
            seq.eval()?;
            Ok(vec![Output::U32(all(&rows)?), Output::U32(all(&columns)?), Output::U32(kept.to_vec()?)])
        },
        || {
            let mut rows: Vec<Vec<u32>> = (1..4).map(|seed| patterns(20, seed)).collect();
            let kept = rows.iter().map(|row| row[4]).collect();
            rows.iter_mut().for_each(|row| row[4] = 9);
            let columns = (0..20).flat_map(|i| rows.iter().map(move |row| row[i])).collect();
            vec![Output::U32(rows.concat()), Output::U32(columns), Output::U32(kept)]
        }
    ),
    case!("written_lists::none", [Transpose], |mgr| {
        let (rows, mut columns) = (tensors(mgr, &[3])?, tensors(mgr, &[3])?);
        let seq = mgr.sequence()?;
        Transpose::dispatch(&seq, Grid::items((8, 2)), &[&rows[0]], &mut [])?;
        Transpose::dispatch(&seq, Grid::items((8, 2)), &[], &mut [&mut columns[0]])?;
        seq.eval()?;
        Ok(vec![Output::U32(all(&columns)?)])
    }),
    case!("written_lists::beside", [Beside], |mgr| {
        let (x, parts, mut sums) = (mgr.tensor(&patterns(100, 4))?, tensors(mgr, &[3, 4])?, tensors(mgr, &[2, 2])?);
        let mut to = mgr.tensor_of_len::<u32>(100)?;
        let seq = mgr.sequence()?;
        let list = &mut sums.iter_mut().collect::<Vec<_>>();
        Beside::dispatch(&seq, Grid::items(100), &x, &parts.iter().collect::<Vec<_>>(), &mut to, list)?;
        seq.eval()?;
        Ok(vec![Output::U32(to.to_vec()?)])
    }),
    case!(
        "written_lists::of_types",
        [Reverse<u64>, Reverse<i16>, Reverse<f32>],
        |mgr| {
            let wide = reversed(mgr, [(0..9).collect(), vec![5, 1 << 40]], |seq, grid, parts| Reverse::<u64>::dispatch(seq, grid, parts))?;
            let narrow = reversed(mgr, [(-7..9).collect(), vec![5]], |seq, grid, parts| Reverse::<i16>::dispatch(seq, grid, parts))?;
            let floats = reversed(mgr, [vec![0.5, 1.5, 2.5], vec![]], |seq, grid, parts| Reverse::<f32>::dispatch(seq, grid, parts))?;
            Ok(vec![
                Output::U32(wide.into_iter().map(|v| (v >> 20) as u32 ^ v as u32).collect()),
                Output::U32(narrow.into_iter().map(|v| v as u32).collect()),
                Output::exact(floats),
            ])
        },
        || {
            vec![
                Output::U32((0..9).rev().chain([1 << 20, 5]).collect()),
                Output::U32((-7..9i32).rev().chain([5]).map(|v| v as u32).collect()),
                Output::exact(vec![2.5, 1.5, 0.5]),
            ]
        }
    ),
    case!("written_lists::outside", [OneElement], |mgr| {
        let run: AtPlaces =
            |seq, parts, from, [k, i, j]| OneElement::dispatch(seq, Grid::items(1), parts, from, k, i, j);
        let far = u32::MAX;
        faulty(
            mgr,
            run,
            &[[0, 1, 1], [0, 3, 0], [1, 0, 0], [4, 0, 0], [4, 7, 9], [0, far, 1], [far, 0, 0], [2, 0, far]],
        )
    }),
    case!("written_lists::sums_outside", [OneSum], |mgr| {
        let run: AtPlaces = |seq, parts, from, [k, i, j]| OneSum::dispatch(seq, Grid::items(1), parts, from, k, i, j);
        faulty(mgr, run, &[[0, 1, 1], [0, 2, 0], [3, 3, 0], [1, 0, 0], [9, 0, 9], [2, 0, 1]])
    }),
];
