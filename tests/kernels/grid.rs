//! Grids: ids and sizes in one to three dimensions, tails, groups, empty grids, several dispatches in one sequence.

use gridwise::Error;
use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "grid::tail_1d",
        [CountOnce],
        |mgr| {
            let mut out = mgr.tensor(&vec![0u32; 1000])?;
            let seq = mgr.sequence()?;
            CountOnce::dispatch(&seq, Grid::items(777), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32((0..1000).map(|i| if i < 777 { i + 1 } else { 0 }).collect())]
    ),
    case!(
        "grid::groups",
        [CountOnce],
        |mgr| {
            let mut out = mgr.tensor(&vec![0u32; 300])?;
            let seq = mgr.sequence()?;
            CountOnce::dispatch(&seq, Grid::groups(2), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32((0..300).map(|i| if i < 256 { i + 1 } else { 0 }).collect())]
    ),
    case!(
        "grid::empty",
        [CountOnce],
        |mgr| {
            let mut out = mgr.tensor(&vec![5u32; 10])?;
            let seq = mgr.sequence()?;
            CountOnce::dispatch(&seq, Grid::items(0), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32(vec![5; 10])]
    ),
    case!(
        "grid::two_dimensions",
        [TwoDimensions],
        |mgr| {
            let (width, height) = (37, 21);
            let mut out = mgr.tensor(&vec![0u32; width * height])?;
            let seq = mgr.sequence()?;
            TwoDimensions::dispatch(&seq, Grid::items([width, height]), width as u32, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32(
            (0..37 * 21)
                .map(|i| {
                    let (x, y) = (i % 37, i / 37);
                    x + 100 * y + 10_000 * (x % 8) + 100_000 * (y / 4) + 10_000_000 * 5
                })
                .collect()
        )]
    ),
    case!(
        "grid::three_dimensions",
        [ThreeDimensions],
        |mgr| {
            let mut out = mgr.tensor(&vec![0u32; 5 * 6 * 7])?;
            let seq = mgr.sequence()?;
            ThreeDimensions::dispatch(&seq, Grid::items((5, 6, 7)), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32((0..210).map(|i| i * 3).collect())]
    ),
    case!(
        "grid::dependent_dispatches",
        [Double, CountOnce],
        |mgr| {
            let (mut a, mut b) = (mgr.tensor(&vec![0u32; 512])?, mgr.tensor(&vec![0u32; 512])?);
            let seq = mgr.sequence()?;
            CountOnce::dispatch(&seq, Grid::items(512), &mut a)?;
            for _ in 0..5 {
                Double::dispatch(&seq, Grid::items(512), &a, &mut b)?;
                Double::dispatch(&seq, Grid::items(512), &b, &mut a)?;
            }
            seq.eval()?;
            seq.eval()?;
            Ok(vec![Output::U32(a.to_vec()?), Output::U32(b.to_vec()?)])
        },
        || vec![
            Output::U32((0..512).map(|i| (i + 1) << 10).collect()),
            Output::U32((0..512).map(|i| (i + 1) << 9).collect()),
        ]
    ),
    case!(
        "grid::wide",
        [Wide],
        |mgr| {
            // More workgroups along x than Vulkan guarantees.
            let mut out = mgr.tensor(&vec![0u32; 70_001])?;
            let seq = mgr.sequence()?;
            Wide::dispatch(&seq, Grid::items(70_001), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32((0..70_001).map(|i| i * 2 + 70_001).collect())]
    ),
    case!(
        "grid::const_workgroup",
        [ConstWorkgroup],
        |mgr| {
            let mut out = mgr.tensor(&vec![0u32; 50])?;
            let seq = mgr.sequence()?;
            ConstWorkgroup::dispatch(&seq, Grid::items(50), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32((0..50).map(|i| i % 24).collect())]
    ),
    case!(
        "grid::indirect",
        [ChooseGrid, OverFoundGrid],
        |mgr| {
            let mut counts = mgr.tensor(&[0u32; 5])?;
            let mut out = mgr.tensor(&vec![0u32; 1000])?;
            let seq = mgr.sequence()?;
            ChooseGrid::dispatch(&seq, Grid::items(1), 70, 2, &mut counts)?;
            // SAFETY: each invocation has an element of its own.
            unsafe { OverFoundGrid::dispatch(&seq, Grid::indirect(&counts).at(1), &mut out)? };
            seq.eval()?;
            let first = out.to_vec()?;
            // The same recording with another grid, and once more with none.
            let again = mgr.sequence()?;
            // SAFETY: each invocation has an element of its own.
            unsafe { OverFoundGrid::dispatch(&again, Grid::indirect(&counts).at(1), &mut out)? };
            counts.write(&[9, 1, 1, 3, 9])?;
            again.eval()?;
            counts.write(&[9, 7, 0, 3, 9])?;
            again.eval()?;
            Ok(vec![Output::U32(first), Output::U32(out.to_vec()?)])
        },
        || {
            let over = |out: &mut [u32], groups: [u32; 3]| {
                for (at, out) in (0..groups.iter().product::<u32>() * 64).zip(out) {
                    *out += at + 1_000_000 * groups[0] + 10_000_000 * groups[1] + 100_000_000 * groups[2];
                }
            };
            let mut out = vec![0; 1000];
            over(&mut out, [3, 2, 1]);
            let first = out.clone();
            over(&mut out, [1, 1, 3]);
            vec![Output::U32(first), Output::U32(out)]
        }
    ),
    case!(
        "grid::indirect_keeps_checks",
        [CountOnce, SumTogether],
        |mgr| {
            // 384 invocations for 300 elements: the launch cannot know.
            let counts = mgr.tensor(&[uvec3(1, 1, 1), uvec3(3, 1, 1)])?;
            let mut out = mgr.tensor(&vec![0u32; 300])?;
            let seq = mgr.sequence()?;
            CountOnce::dispatch(&seq, Grid::indirect(&counts).at(1), &mut out)?;
            let report = match seq.eval() {
                Err(Error::KernelPanic { kernel, message, count, .. }) => {
                    format!("{kernel}: {} {count}", message.split(" but").next().unwrap_or_default())
                }
                other => format!("{other:?}"),
            };
            let mut sums = mgr.tensor(&[0u32; 3])?;
            let together = mgr.sequence()?;
            SumTogether::dispatch(&together, Grid::indirect(&counts).at(1), &out, &mut sums)?;
            together.eval()?;
            Ok(vec![Output::Report(report), Output::U32(out.to_vec()?), Output::U32(sums.to_vec()?)])
        },
        || vec![
            Output::Report("count_once: index out of bounds: the len is 300 84".to_owned()),
            Output::U32((1..=300).collect()),
            Output::U32(vec![(1..=128).sum(), (129..=256).sum(), (257..=300).sum()]),
        ]
    ),
    case!(
        "grid::indirect_with_tables",
        [WeighAll],
        |mgr| {
            // Of the tables the launch knows the length, of the grid nothing.
            let counts = mgr.tensor(&[uvec3(2, 1, 1)])?;
            let mut outputs = Vec::new();
            for len in [8u32, 7, 0] {
                let table = mgr.tensor(&(1..=len).collect::<Vec<_>>())?;
                let mut out = mgr.tensor(&[0u32; 100])?;
                let seq = mgr.sequence()?;
                WeighAll::dispatch(&seq, Grid::indirect(&counts), &table, &mut out)?;
                let report = match seq.eval() {
                    Ok(()) => "complete".to_owned(),
                    // Which index comes first is not settled.
                    Err(Error::KernelPanic { message, .. }) => {
                        message.split(" but").next().unwrap_or_default().to_owned()
                    }
                    Err(error) => return Err(error),
                };
                outputs.push(Output::Report(report));
                if len == 8 {
                    outputs.push(Output::U32(out.to_vec()?));
                }
            }
            Ok(outputs)
        },
        || vec![
            // 28 invocations are beyond the 100 elements.
            Output::Report("index out of bounds: the len is 100".to_owned()),
            Output::U32((0..100).map(|i| (1..=8).fold(i, |sum, weight| sum * 3 + weight)).collect()),
            Output::Report("index out of bounds: the len is 7".to_owned()),
            Output::Report("index out of bounds: the len is 0".to_owned()),
        ]
    ),
    case!(
        "grid::indirect_too_large",
        [ChooseGrid, OverFoundGrid],
        |mgr| {
            let mut counts = mgr.tensor(&[0u32; 4])?;
            let mut out = mgr.tensor(&[7u32; 64])?;
            let seq = mgr.sequence()?;
            ChooseGrid::dispatch(&seq, Grid::items(1), u32::MAX, 1, &mut counts)?;
            // SAFETY: each invocation has an element of its own.
            unsafe { OverFoundGrid::dispatch(&seq, Grid::indirect(&counts).at(1), &mut out)? };
            let refused = match seq.eval() {
                Err(Error::IndirectGridTooLarge { kernel, asked, limit }) => {
                    format!("{kernel}: {asked:?} {}", limit[0] < asked[0])
                }
                other => format!("{other:?}"),
            };
            Ok(vec![Output::Report(refused), Output::U32(out.to_vec()?)])
        },
        || vec![Output::Report("over_found_grid: [134217728, 1, 1] true".to_owned()), Output::U32(vec![7; 64]),]
    ),
];

#[device]
const SIZE: u32 = 24;

#[kernel(workgroup = 128)]
fn count_once(out: &mut [u32]) {
    let i = global_id().x;
    out[i] = i + 1;
}

#[kernel(workgroup = 64)]
fn weigh_all(table: &[u32], out: &mut [u32]) {
    let mut sum = global_id().x;
    for k in 0..8 {
        sum = sum * 3 + table[k];
    }
    out[global_id().x as usize] = sum;
}

#[kernel(workgroup = [8, 4])]
fn two_dimensions(width: u32, out: &mut [u32]) {
    let id = global_id();
    let n = num_workgroups();
    out[id.y * width + id.x] =
        id.x + 100 * id.y + 10_000 * local_id().x + 100_000 * workgroup_id().y + 10_000_000 * n.x * n.z;
}

#[kernel(workgroup = [2, 4, 3])]
fn three_dimensions(out: &mut [u32]) {
    let id = global_id();
    out[(id.z * 6 + id.y) * 5 + id.x] += ((id.z * 6 + id.y) * 5 + id.x) * 3;
}

#[kernel(workgroup = 64)]
fn double(from: &[u32], to: &mut [u32]) {
    let i = global_id().x;
    to[i] = from[i] * 2;
}

#[kernel(workgroup = 1)]
fn wide(out: &mut [u32]) {
    let i = global_id().x;
    out[i] = i + workgroup_id().x + num_workgroups().x;
}

#[kernel]
fn choose_grid(items: u32, rows: u32, counts: &mut [u32]) {
    counts[1] = (items - 1) / 32 + 1;
    counts[2] = rows;
    counts[3] = 1;
}

/// # Safety
/// The grid is so small that no index wraps around.
#[kernel(workgroup = [32, 1, 2])]
unsafe fn over_found_grid(out: &mut [u32]) {
    let (id, n) = (global_id(), num_workgroups());
    let at = (id.z * n.y + id.y) * n.x * 32 + id.x;
    out[at] += at + 1_000_000 * n.x + 10_000_000 * n.y + 100_000_000 * n.z;
}

#[kernel(workgroup = 128)]
fn sum_together(values: &[u32], sums: &mut [u32]) {
    let parts: Shared<[u32; 128]> = Shared::new();
    let (i, at) = (global_id().x, local_id().x);
    parts[at] = if (i as usize) < values.len() { values[i] } else { 0 };
    barrier();
    if at == 0 {
        let mut sum = 0;
        for part in 0..128 {
            sum += parts[part];
        }
        sums[workgroup_id().x] = sum;
    }
}

#[kernel(workgroup = SIZE)]
fn const_workgroup(out: &mut [u32]) {
    out[global_id().x] = local_id().x;
}
