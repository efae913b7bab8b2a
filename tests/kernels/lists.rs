//! Lists of buffers: how many there are and which one is read, an invocation decides.

use gridwise::prelude::*;

use super::case;
use super::traps::report;
use crate::case::{Case, Output, bits, patterns};

const PARTS: usize = 7;

/// An element with parts.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(C)]
pub struct Item {
    key: u16,
    marks: [u8; 3],
    weight: f32,
}

#[device]
fn total(x: &[u32]) -> u32 {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i] * (i as u32 + 1);
    }
    sum
}

/// A function that divides a slice, and does not know that the slice is a member of a list.
#[device]
fn largest_pair(x: &[u32]) -> u32 {
    let mut most = 0u32;
    for pair in x.windows(2) {
        most = most.max(pair[0] ^ pair[1]);
    }
    for chunk in x.chunks(3) {
        most = most.max(chunk.len() as u32);
    }
    most
}

#[device]
fn bump(value: &u32, by: u32) -> u32 {
    *value + by
}

/// Each invocation a buffer.
#[kernel(workgroup = 4)]
fn lengths(parts: &[&[u32]], to: &mut [u32]) {
    let k = global_id().x;
    let mut sum = 0;
    if k < parts.len() as u32 {
        for i in 0..parts[k].len() {
            sum += parts[k][i] * (i as u32 + 1);
        }
        sum ^= (parts[k].len() as u32) << 24;
    }
    to[k] = sum ^ (parts.len() as u32) << 16 ^ u32::from(parts.is_empty()) << 15;
}

/// All invocations through all buffers, each in an order of its own.
#[kernel(workgroup = 32)]
fn gather(parts: &[&[u32]], indices: &[u32], to: &mut [u32]) {
    let i = global_id().x;
    let mut sum = i;
    for step in 0..parts.len() as u32 {
        let k = (indices[i] + step * 3) % parts.len() as u32;
        let part = parts[k];
        if part.is_empty() {
            sum = sum.rotate_left(3);
            continue;
        }
        sum ^= part[(indices[i] ^ sum) as usize % part.len()];
        sum = sum.wrapping_mul(31);
    }
    to[i] = sum;
}

/// Members of a list in all forms in which slices are used.
#[kernel(workgroup = 8)]
fn forms(parts: &[&[u32]], to: &mut [u32]) {
    let k = global_id().x as usize;
    let part = parts[k];
    let middle = part.len() / 2;
    let (left, right): (u32, u32) = (total(&part[..middle]), total(&parts[k][middle..]));
    let tail = &part[middle..];
    let typed: &[u32] = parts[k];
    let mut own = left ^ right.rotate_left(7);
    own = own.wrapping_add(part.iter().copied().filter(|v| v % 2 == 1).map(|v| v / 3).fold(0, |a, v| a ^ v));
    own ^= parts[k].iter().zip(typed.iter().rev()).map(|(a, b)| a & b).max().unwrap_or(7);
    own ^= largest_pair(parts[k]) ^ largest_pair(tail);
    own ^=
        part.first().copied().unwrap_or(1) ^ parts[k].last().copied().unwrap_or(2) ^ typed.get(3).copied().unwrap_or(3);
    own ^= u32::from(part.contains(&7)) << 9 ^ u32::from(part == typed) << 10 ^ u32::from(*tail == parts[0][..]) << 11;
    own ^= part.partition_point(|&v| v < 100) as u32;
    let at = |i: usize| if i < part.len() { parts[k][i] } else { 5 };
    own ^= at(0) ^ at(1000);
    if let Some(v) = parts[k].get(1) {
        own = own.wrapping_add(*v);
    }
    if !part.is_empty() {
        let first = &parts[k][0];
        own ^= bump(first, 3) ^ bump(&part[part.len() - 1], 4);
    }
    for (i, v) in parts[k].iter().enumerate() {
        own = own.rotate_left(1) ^ v ^ i as u32;
    }
    own ^= (0..parts.len()).flat_map(|j| parts[j].iter().copied().take(2)).fold(0u32, |a, v| a.rotate_left(5) ^ v);
    own ^= (0..parts.len()).map(|j| parts[j].len() as u32).sum::<u32>() << 4;
    to[k] = own;
}

/// Structs, a list beside a value, a buffer and another list.
#[kernel(workgroup = 16)]
fn records(scale: f32, tables: &[&[Item]], keys: &[u32], bytes: &[&[u8]], to: &mut [f32]) {
    let i = global_id().x;
    let table = tables[keys[i] % 3];
    let item = table[i as usize % table.len()];
    let byte = bytes[keys[i] as usize % bytes.len()][i];
    to[i] = scale * tables[(keys[i] + 1) % 3][0].weight
        + item.weight
        + f32::from(item.key)
        + f32::from(table[1].marks[i as usize % 3])
        + f32::from(byte);
}

#[kernel(workgroup = 16, T = [u64, u16, f64])]
fn reversed<T: Copy + Default>(parts: &[&[T]], to: &mut [T]) {
    let i = global_id().x;
    let mut left = i as usize;
    let mut value = T::default();
    for k in (0..parts.len()).rev() {
        if left < parts[k].len() {
            value = parts[k][left];
            break;
        }
        left -= parts[k].len();
    }
    to[i] = value;
}

/// Behind a barrier, and in all of a workgroup the same.
#[kernel(workgroup = 32)]
fn together(parts: &[&[u32]], to: &mut [u32]) {
    let tile = Shared::<[u32; 32]>::new();
    let i = local_index();
    let mut sum = 0;
    for k in 0..parts.len() {
        let part = parts[k];
        let mut start = 0;
        while start < part.len() as u32 {
            tile[i] = if start + i < part.len() as u32 { part[start + i] } else { 0 };
            barrier();
            sum = sum * 3 + tile[31 - i];
            barrier();
            start += 32;
        }
    }
    to[global_id().x] = sum;
}

/// Several items for each invocation.
#[kernel(workgroup = 16, items_per_invocation = 4)]
fn batched(parts: &[&[u32]], x: &[u32], to: &mut [u32]) {
    let i = global_id().x;
    let mut value = x[i] + parts.len() as u32;
    for k in 0..parts.len() {
        let part = parts[k];
        for j in 0..part.len() {
            value = value * 3 + part[j];
        }
        value ^= part.len() as u32;
    }
    to[i] = value;
}

/// Some panic, and the others wait for them no longer.
#[kernel(workgroup = 8)]
fn panics(parts: &[&[u32]], to: &mut [u32]) {
    let tile = Shared::<[u32; 8]>::new();
    let i = local_index();
    let part = parts[i as usize % parts.len()];
    assert!(!part.is_empty(), "part {i} is empty");
    tile[i] = part[i as usize % part.len()];
    barrier();
    to[i] = tile[7 - i] + parts[0][i as usize % parts[0].len()];
}

/// A list that only some variants look at.
#[kernel(workgroup = 8)]
fn asked<const LOOKS: bool>(parts: &[&[u32]], to: &mut [u32]) {
    let i = global_id().x;
    to[i] = if LOOKS { parts[0][i as usize % parts[0].len()] } else { i };
}

#[kernel(workgroup = 1)]
fn one_element(parts: &[&[u32]], k: u32, i: u32, to: &mut [u32]) {
    to[0] = 1;
    to[1] = parts[k][i];
    to[2] = 2;
}

/// A guarded read is not made, however far away it would lie.
#[kernel(workgroup = 32)]
fn guarded(parts: &[&[u32]], k: u32, i: u32, to: &mut [u32]) {
    let mut found = 77;
    if k < parts.len() as u32 && i < parts[k].len() as u32 {
        found = parts[k][i];
    }
    to[global_id().x] = found;
}

#[kernel(workgroup = 1)]
fn one_part(parts: &[&[u32]], k: u32, to: &mut [u32]) {
    let part = &parts[k][1..];
    to[0] = part.len() as u32;
    to[1] = part[0];
}

#[kernel]
fn fill(value: u32, to: &mut [u32]) {
    let i = global_id().x;
    to[i] = value + i;
}

/// Of different lengths, one of them empty.
fn some_parts() -> Vec<Vec<u32>> {
    (0..PARTS).map(|k| patterns(if k == 4 { 0 } else { 5 + 13 * k }, k as u32)).collect()
}

fn tensors<T: GpuData>(mgr: &Manager, parts: &[Vec<T>]) -> gridwise::Result<Vec<Tensor<T>>> {
    parts.iter().map(|part| mgr.tensor(part)).collect()
}

fn weighted(part: &[u32]) -> u32 {
    part.iter().zip(1u32..).fold(0, |sum, (v, i)| sum.wrapping_add(v.wrapping_mul(i)))
}

fn length_of(parts: &[Vec<u32>], k: usize) -> u32 {
    let own = parts.get(k).map_or(0, |part| weighted(part) ^ (part.len() as u32) << 24);
    own ^ (parts.len() as u32) << 16 ^ u32::from(parts.is_empty()) << 15
}

/// A kernel's launch: a list and the results.
type OfList<T> = for<'s> fn(&'s Sequence, Grid, &[&Tensor<T>], &mut Tensor<T>) -> gridwise::Result<&'s Sequence>;

fn run_reversed<T: crate::case::Scalar + GpuData + Default>(
    mgr: &Manager,
    dispatch: OfList<T>,
) -> gridwise::Result<Output> {
    let parts: Vec<_> = [9, 1, 0, 30].into_iter().zip(2..).map(|(len, seed)| T::samples(len, seed)).collect();
    let tensors = tensors(mgr, &parts)?;
    let mut to = mgr.tensor(&[T::default(); 48])?;
    let seq = mgr.sequence()?;
    dispatch(&seq, Grid::items(48), &tensors.iter().collect::<Vec<_>>(), &mut to)?;
    seq.eval()?;
    Ok(bits(&to.to_vec()?))
}

/// The report of a launch over a wrong element, and its writes.
fn faulty(
    mgr: &Manager,
    run: impl for<'s> FnOnce(&'s Sequence, &[&Tensor<u32>], &mut Tensor<u32>) -> gridwise::Result<&'s Sequence>,
) -> gridwise::Result<Vec<Output>> {
    let tensors = tensors(mgr, &[vec![11, 12, 13], vec![], vec![21]])?;
    let mut to = mgr.tensor(&[9u32; 3])?;
    let seq = mgr.sequence()?;
    run(&seq, &tensors.iter().collect::<Vec<_>>(), &mut to)?;
    let report = report(&seq)?;
    Ok(vec![report, Output::U32(to.to_vec()?)])
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "lists::lengths",
        [Lengths],
        |mgr| {
            let tensors = tensors(mgr, &some_parts())?;
            let mut to = mgr.tensor_of_len::<u32>(9)?;
            let seq = mgr.sequence()?;
            Lengths::dispatch(&seq, Grid::items(9), &tensors.iter().collect::<Vec<_>>(), &mut to)?;
            seq.eval()?;
            Ok(vec![Output::U32(to.to_vec()?)])
        },
        || vec![Output::U32((0..9).map(|k| length_of(&some_parts(), k)).collect())]
    ),
    case!(
        "lists::none",
        [Lengths],
        |mgr| {
            let mut to = mgr.tensor_of_len::<u32>(5)?;
            let seq = mgr.sequence()?;
            Lengths::dispatch(&seq, Grid::items(5), &[], &mut to)?;
            seq.eval()?;
            Ok(vec![Output::U32(to.to_vec()?)])
        },
        || vec![Output::U32(vec![1 << 15; 5])]
    ),
    case!(
        "lists::many",
        [Lengths],
        |mgr| {
            let parts: Vec<_> = (0..300).map(|k| vec![k; k as usize % 4]).collect();
            let tensors = tensors(mgr, &parts)?;
            // Each twice.
            let list: Vec<_> = tensors.iter().chain(&tensors).collect();
            let mut to = mgr.tensor_of_len::<u32>(601)?;
            let seq = mgr.sequence()?;
            Lengths::dispatch(&seq, Grid::items(601), &list, &mut to)?;
            // Behind the recording they live on in it.
            drop(list);
            drop(tensors);
            seq.eval()?;
            Ok(vec![Output::U32(to.to_vec()?)])
        },
        || {
            let parts: Vec<_> = (0..600).map(|k| vec![k % 300; k as usize % 300 % 4]).collect();
            vec![Output::U32((0..601).map(|k| length_of(&parts, k)).collect())]
        }
    ),
    case!("lists::gather", [Gather], |mgr| {
        let (tensors, indices) = (tensors(mgr, &some_parts())?, mgr.tensor(&patterns(1000, 3))?);
        let mut to = mgr.tensor_of_len::<u32>(1000)?;
        let seq = mgr.sequence()?;
        Gather::dispatch(&seq, Grid::items(1000), &tensors.iter().collect::<Vec<_>>(), &indices, &mut to)?;
        seq.eval()?;
        Ok(vec![Output::U32(to.to_vec()?)])
    }),
    case!("lists::forms", [Forms], |mgr| {
        let tensors = tensors(mgr, &some_parts())?;
        let mut to = mgr.tensor_of_len::<u32>(PARTS)?;
        let seq = mgr.sequence()?;
        Forms::dispatch(&seq, Grid::items(PARTS), &tensors.iter().collect::<Vec<_>>(), &mut to)?;
        seq.eval()?;
        Ok(vec![Output::U32(to.to_vec()?)])
    }),
    case!("lists::records", [Records], |mgr| {
        let item = |k: u16, i: u16| Item { key: k + i, marks: [i as u8, 2, k as u8], weight: f32::from(i) / 4.0 };
        let items: Vec<Vec<Item>> = (0..3).map(|k| (0..4 + 3 * k).map(|i| item(k, i)).collect()).collect();
        let bytes: Vec<Vec<u8>> = (0..5).map(|k| (0..100).map(|i| (i * k) as u8).collect()).collect();
        let (items, bytes) = (tensors(mgr, &items)?, tensors(mgr, &bytes)?);
        let (items, bytes): (Vec<_>, Vec<_>) = (items.iter().collect(), bytes.iter().collect());
        let keys = mgr.tensor(&patterns(100, 2).into_iter().map(|v| v / 2).collect::<Vec<_>>())?;
        let mut to = mgr.tensor_of_len::<f32>(100)?;
        let seq = mgr.sequence()?;
        Records::dispatch(&seq, Grid::items(100), 0.5, &items, &keys, &bytes, &mut to)?;
        seq.eval()?;
        Ok(vec![Output::exact(to.to_vec()?)])
    }),
    case!("lists::of_types", [Reversed<u64>, Reversed<u16>, Reversed<f64>], |mgr| {
        Ok(vec![
            run_reversed::<u64>(mgr, |seq, grid, parts, to| Reversed::<u64>::dispatch(seq, grid, parts, to))?,
            run_reversed::<u16>(mgr, |seq, grid, parts, to| Reversed::<u16>::dispatch(seq, grid, parts, to))?,
            run_reversed::<f64>(mgr, |seq, grid, parts, to| Reversed::<f64>::dispatch(seq, grid, parts, to))?,
        ])
    }),
    case!("lists::together", [Together], |mgr| {
        let tensors = tensors(mgr, &some_parts())?;
        let mut to = mgr.tensor_of_len::<u32>(64)?;
        let seq = mgr.sequence()?;
        Together::dispatch(&seq, Grid::items(64), &tensors.iter().collect::<Vec<_>>(), &mut to)?;
        seq.eval()?;
        Ok(vec![Output::U32(to.to_vec()?)])
    }),
    case!(
        "lists::in_order",
        [Fill, Lengths],
        |mgr| {
            // Each of the list is written before, and again after it was read; the grid comes from the device.
            let mut parts = tensors(mgr, &vec![vec![0u32; 10]; 3])?;
            let (mut first, mut second) = (mgr.tensor_of_len::<u32>(4)?, mgr.tensor_of_len::<u32>(4)?);
            let counts = mgr.tensor(&[1u32, 1, 1])?;
            let seq = mgr.sequence()?;
            for (part, value) in parts.iter_mut().zip(1u32..) {
                Fill::dispatch(&seq, Grid::items(10), value * 100, part)?;
            }
            Lengths::dispatch(&seq, Grid::items(4), &parts.iter().collect::<Vec<_>>(), &mut first)?;
            Fill::dispatch(&seq, Grid::items(10), 7, &mut parts[1])?;
            Lengths::dispatch(&seq, Grid::indirect(&counts), &parts.iter().collect::<Vec<_>>(), &mut second)?;
            seq.eval()?;
            parts[1].write(&[1; 10])?;
            seq.eval()?;
            Ok(vec![Output::U32(first.to_vec()?), Output::U32(second.to_vec()?)])
        },
        || {
            let part = |start: u32| (start..start + 10).collect::<Vec<_>>();
            let all = |parts: [Vec<u32>; 3]| Output::U32((0..4).map(|k| length_of(&parts, k)).collect());
            vec![all([part(100), part(200), part(300)]), all([part(100), part(7), part(300)])]
        }
    ),
    case!(
        "lists::guarded",
        [Guarded],
        |mgr| {
            let tensors = tensors(mgr, &[vec![11, 12, 13], vec![], vec![21]])?;
            let (list, mut all) = (tensors.iter().collect::<Vec<_>>(), Vec::new());
            for (k, i) in [(0, 2), (0, 3), (0, 1 << 30), (0, u32::MAX), (1, 0), (1, 1 << 28), (3, 0), (u32::MAX, 9)] {
                let mut to = mgr.tensor_of_len::<u32>(40)?;
                let seq = mgr.sequence()?;
                Guarded::dispatch(&seq, Grid::items(40), &list, k, i, &mut to)?;
                seq.eval()?;
                all.push(Output::U32(to.to_vec()?));
            }
            Ok(all)
        },
        || [13, 77, 77, 77, 77, 77, 77, 77].map(|found| Output::U32(vec![found; 40])).to_vec()
    ),
    case!("lists::batched", [Batched], |mgr| {
        let tensors = tensors(mgr, &some_parts())?;
        let list: Vec<_> = tensors.iter().collect();
        let (x, mut all) = (mgr.tensor(&patterns(300, 5))?, Vec::new());
        for (items, list) in [(1, &list[..]), (63, &list[..2]), (300, &list[..]), (300, &[])] {
            let mut to = mgr.tensor_of_len::<u32>(300)?;
            let seq = mgr.sequence()?;
            Batched::dispatch(&seq, Grid::items(items), list, &x, &mut to)?;
            seq.eval()?;
            all.push(Output::U32(to.to_vec()?));
        }
        Ok(all)
    }),
    case!("lists::panics", [Panics], |mgr| {
        let (all, mut to) = (tensors(mgr, &[vec![5, 6, 7], vec![1, 2]])?, mgr.tensor_of_len::<u32>(8)?);
        let (seq, empty) = (mgr.sequence()?, mgr.tensor::<u32>(&[])?);
        Panics::dispatch(&seq, Grid::items(8), &[&all[0], &all[1]], &mut to)?;
        seq.eval()?;
        let found = to.to_vec()?;
        let seq = mgr.sequence()?;
        Panics::dispatch(&seq, Grid::items(8), &[&all[0], &all[1], &all[0], &all[1], &all[0], &empty], &mut to)?;
        Ok(vec![Output::U32(found), report(&seq)?])
    }),
    case!("lists::asked", [Asked<true>, Asked<false>], |mgr| {
        let (tensors, mut to) = (tensors(mgr, &[vec![5, 6, 7]])?, mgr.tensor_of_len::<u32>(8)?);
        let seq = mgr.sequence()?;
        Asked::<true>::dispatch(&seq, Grid::items(8), &[&tensors[0]], &mut to)?;
        seq.eval()?;
        let (looked, seq) = (to.to_vec()?, mgr.sequence()?);
        Asked::<false>::dispatch(&seq, Grid::items(8), &[], &mut to)?;
        seq.eval()?;
        Ok(vec![Output::U32(looked), Output::U32(to.to_vec()?)])
    }),
    case!("lists::far_behind_the_end", [OneElement], |mgr| {
        faulty(mgr, |seq, parts, to| OneElement::dispatch(seq, Grid::items(1), parts, 0, 1 << 30, to))
    }),
    case!("lists::no_such_buffer", [OneElement], |mgr| {
        faulty(mgr, |seq, parts, to| OneElement::dispatch(seq, Grid::items(1), parts, 3, 0, to))
    }),
    case!("lists::far_behind_the_last", [OneElement], |mgr| {
        faulty(mgr, |seq, parts, to| OneElement::dispatch(seq, Grid::items(1), parts, u32::MAX, u32::MAX, to))
    }),
    case!("lists::no_such_element", [OneElement], |mgr| {
        faulty(mgr, |seq, parts, to| OneElement::dispatch(seq, Grid::items(1), parts, 0, 3, to))
    }),
    case!("lists::of_an_empty_buffer", [OneElement], |mgr| {
        faulty(mgr, |seq, parts, to| OneElement::dispatch(seq, Grid::items(1), parts, 1, 0, to))
    }),
    case!("lists::no_such_part", [OnePart], |mgr| {
        faulty(mgr, |seq, parts, to| OnePart::dispatch(seq, Grid::items(1), parts, 1, to))
    }),
    case!("lists::part_without_elements", [OnePart], |mgr| {
        faulty(mgr, |seq, parts, to| OnePart::dispatch(seq, Grid::items(1), parts, 2, to))
    }),
];
