//! Additions to atomic floats, which some devices do by an instruction of theirs: the sums are those of loops of exchanges.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "float_atomics::sums",
        [Sums],
        |mgr| {
            let sums = mgr.tensor(&[1.0f32; 5])?;
            let mut last = mgr.tensor(&[0.0f32; 4])?;
            let seq = mgr.sequence()?;
            Sums::dispatch(&seq, Grid::items(256), &sums, &mut last)?;
            seq.eval()?;
            Ok(vec![Output::exact(sums.to_vec()?), Output::exact(last.to_vec()?)])
        },
        || {
            let of = |k: u32| (0..256).filter(|i| i % 5 == k).map(|i| i as f32 * 0.25).sum::<f32>();
            let sums = (0..5).map(|k| 1.0 + of(k));
            vec![Output::exact(sums.collect()), Output::exact(vec![-32.0; 4])]
        }
    ),
    case!(
        "float_atomics::edges",
        [Edges],
        |mgr| {
            let edges = EDGES.map(|[start, _]| Atomic::new(f32::from_bits(start)));
            let cells = mgr.tensor(&[Sum { values: edges, count: Atomic::new(0) }])?;
            let addends = mgr.tensor(&EDGES.map(|[_, addend]| f32::from_bits(addend)))?;
            let mut shared = mgr.tensor(&[0.0f32; 8])?;
            let seq = mgr.sequence()?;
            Edges::dispatch(&seq, Grid::items(8), &addends, &cells, &mut shared)?;
            seq.eval()?;
            let Sum { values, count } = cells.to_vec()?[0];
            // Which NaN it is, is open.
            let bits = |value: f32| if value.is_nan() { 1 } else { value.to_bits() };
            Ok(vec![
                Output::U32(values.map(|value| bits(value.into_inner())).to_vec()),
                Output::U32(shared.to_vec()?.into_iter().map(bits).collect()),
                Output::U32(vec![count.into_inner()]),
            ])
        },
        || {
            let sums = EDGES.map(|[start, addend]| f32::from_bits(start) + f32::from_bits(addend));
            let bits = |value: f32| if value.is_nan() { 1 } else { value.to_bits() };
            vec![
                Output::U32(sums.map(bits).to_vec()),
                Output::U32(EDGES.map(|[_, addend]| bits(0.0 - f32::from_bits(addend))).to_vec()),
                Output::U32(vec![8]),
            ]
        }
    ),
    case!(
        "float_atomics::doubles",
        [Doubles],
        |mgr| {
            let sums = mgr.tensor(&[0.5f64, 0.0, 1e18])?;
            let mut groups = mgr.tensor(&[0.0f64; 4])?;
            let seq = mgr.sequence()?;
            Doubles::dispatch(&seq, Grid::items(256), &sums, &mut groups)?;
            seq.eval()?;
            let bits = sums.to_vec()?.into_iter().chain(groups.to_vec()?).map(f64::to_bits);
            Ok(vec![Output::U32(bits.flat_map(|bits| [bits as u32, (bits >> 32) as u32]).collect())])
        },
        || {
            let groups = (0..4u32).map(|group| (0..64).map(|l| f64::from(64 * group + l) / 1024.0).sum());
            let sums = [0.5 + 256.0 / f64::from(1 << 20), -256.0, 1e18 + 256.0 * 128.0];
            let bits = sums.into_iter().chain(groups).map(f64::to_bits);
            vec![Output::U32(bits.flat_map(|bits| [bits as u32, (bits >> 32) as u32]).collect())]
        }
    ),
    case!(
        "float_atomics::gathered",
        [Gathered],
        |mgr| {
            let sums = mgr.tensor(&[0.0f32; 32])?;
            let wide = mgr.tensor(&[0.0f64; 2])?;
            let table = mgr.tensor(&[5u32, 21])?;
            let seq = mgr.sequence()?;
            Gathered::dispatch(&seq, Grid::items(1000), &table, &sums, &wide)?;
            seq.eval()?;
            let wide = wide.to_vec()?.into_iter().map(|sum| sum as f32);
            Ok(vec![Output::exact(sums.to_vec()?), Output::exact(wide.collect())])
        },
        || {
            let (mut sums, mut wide) = (vec![0.0f32; 32], vec![0.0f32; 2]);
            for i in 0..1000u32 {
                let x = i as f32;
                sums[0] += if i % 3 == 0 { x } else { 0.0 };
                for round in 0..i % 7 {
                    sums[1 + round as usize] += if (i + round) % 4 == 1 { 0.0 } else { 1.0 };
                }
                sums[8 + (i % 7) as usize] -= 2.0;
                sums[16 + (i % 4).min(2) as usize] += 0.5;
                wide[1] += 1.0;
                if i % 5 == 4 {
                    continue;
                }
                sums[21] += x;
                wide[0] += x;
            }
            vec![Output::exact(sums), Output::exact(wide)]
        }
    ),
];

/// A number and what is added: zeros of both signs, cancellation, overflow, infinities, NaN. None is subnormal: devices may take
/// these for zero.
const EDGES: [[u32; 2]; 8] = [
    [0x0000_0000, 0x8000_0000],
    [0x0080_0000, 0x8080_0000],
    [0x8000_0000, 0x8000_0000],
    [0x3f80_0001, 0xbf80_0000],
    [0x7f7f_ffff, 0x7f7f_ffff],
    [0x7f80_0000, 0xff80_0000],
    [0x3f80_0000, 0x7fc0_0000],
    [0x4b80_0000, 0x3f80_0001],
];

/// Sums behind an index, and one in shared memory.
#[kernel(workgroup = 64)]
fn sums(sums: &[Atomic<f32>], last: &mut [f32]) {
    let total = Shared::<[Atomic<f32>; 2]>::new();
    let (i, l) = (global_id().x, local_id().x);
    sums[i % 5].fetch_add(i as f32 * 0.25, Relaxed);
    total[l % 2].fetch_sub(0.5, AcqRel);
    barrier();
    if l == 0 {
        let first = total[0].swap(3.0, Relaxed);
        total[0].store(first + total[0].load(Relaxed) - 3.0, Relaxed);
        last[workgroup_id().x] = total[0].load(Relaxed) + total[1].load(Relaxed);
    }
}

/// Atomics in a struct, beside others.
#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
pub struct Sum {
    values: [Atomic<f32>; 8],
    count: Atomic<u32>,
}

#[kernel(workgroup = 8)]
fn edges(addends: &[f32], sums: &[Sum], shared: &mut [f32]) {
    let cells = Shared::<[Atomic<f32>; 8]>::new();
    let l = local_id().x;
    sums[0].values[l].fetch_add(addends[l], Relaxed);
    sums[0].count.fetch_add(1, Relaxed);
    cells[l].fetch_sub(addends[l], Relaxed);
    shared[l] = cells[l].load(Relaxed);
}

#[kernel(workgroup = 64)]
fn doubles(sums: &[Atomic<f64>], groups: &mut [f64]) {
    let total = Shared::<[Atomic<f64>; 1]>::new();
    sums[0].fetch_add(1.0 / (1 << 20) as f64, Relaxed);
    sums[1].fetch_sub(1.0, Relaxed);
    sums[2].fetch_add(128.0, Relaxed);
    total[0].fetch_add(global_id().x as f64 / 1024.0, Relaxed);
    barrier();
    if local_index() == 0 {
        groups[workgroup_id().x] = total[0].load(Relaxed);
    }
}

/// Additions to elements that all invocations know, where control flow differs; and to one that only seems to be the same.
#[kernel(workgroup = 64)]
fn gathered(table: &[u32], sums: &[Atomic<f32>], wide: &[Atomic<f64>]) {
    let i = global_id().x;
    if i % 3 == 0 {
        sums[0].fetch_add(i as f32, Relaxed);
    }
    // Invocations leave after different rounds, and the number of rounds is another in each.
    let mut round = 0;
    while round < i % 7 {
        let own = round;
        round += 1;
        if (i + own) % 4 == 1 {
            continue;
        }
        sums[1 + own].fetch_add(1.0, Relaxed);
    }
    sums[8 + round].fetch_sub(2.0, Relaxed);
    match i % 4 {
        0 => {
            sums[16].fetch_add(0.5, Relaxed);
        }
        1 => {
            sums[17].fetch_add(0.5, Relaxed);
        }
        _ => {
            sums[18].fetch_add(0.5, Relaxed);
        }
    }
    wide[1].fetch_add(1.0, Relaxed);
    if i % 5 == 4 {
        return;
    }
    sums[table[1]].fetch_add(i as f32, Relaxed);
    wide[0].fetch_add(i as f64, Relaxed);
}
