//! Accesses whose author vouches for them: `unordered`, and kernels that are `unsafe fn`s. Their results do not depend on the order.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

const ITEMS: usize = 200;

#[device]
fn mark(found: &mut [u32], bit: u32) {
    // SAFETY: all that write an element write the same.
    unsafe { found.unordered()[bit] = 1 << bit };
}

/// Which bits any number has: in a buffer, in shared memory, and in the buffers of a list.
#[kernel(workgroup = 32)]
fn bits(x: &[u32], found: &mut [u32], of_groups: &mut [u32], parts: &mut [&mut [u32]]) {
    let seen = Shared::<[u32; 8]>::new();
    let (i, local) = (global_id().x, local_id().x);
    let value = if i < x.len() as u32 { x[i] & 0x5b } else { 0 };
    for bit in 0..8u32 {
        if value >> bit & 1 != 0 {
            mark(found, bit);
            // SAFETY: all that write an element write the same.
            unsafe {
                seen.unordered()[bit] = bit + 1;
                parts[bit % 2].unordered()[bit / 2] = value >> bit & 1;
            }
        }
    }
    barrier();
    if local < 8 {
        of_groups[workgroup_id().x * 8 + local] = seen[local];
    }
}

/// A pair whose halves are written by different ways of access.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(C)]
pub struct Pair {
    flag: u32,
    count: u32,
}

/// Reads what others may write meanwhile: it finds a number that is there for certain.
#[kernel(workgroup = 16)]
fn read_anyway(pairs: &mut [Pair], to: &mut [u32]) {
    let i = global_id().x;
    if i >= pairs.len() as u32 {
        return;
    }
    // SAFETY: element 0 holds 7 before and after, and nobody's result depends on the number of writes.
    let flag = unsafe {
        pairs.unordered()[0].flag = 7;
        pairs.unordered()[0].flag
    };
    // A value loaded so is no index that the host vouches for.
    to[i] = flag + if flag < pairs.len() as u32 { i } else { 0 };
}

/// Each invocation writes the element that `places` names.
///
/// # Safety
/// `places` names no element twice.
#[kernel(workgroup = 32)]
unsafe fn scattered(places: &[u32], to: &mut [u32]) {
    let i = global_id().x;
    to[places[i]] = i;
}

/// The same for several types, and with a const parameter.
///
/// # Safety
/// As [`scattered`].
#[kernel(workgroup = 32, T = [u32, f32])]
unsafe fn scattered_any<T: Copy, const N: u32>(value: T, places: &[u32], to: &mut [T]) {
    to[places[global_id().x] + N] = value;
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "unordered::bits",
        [Bits],
        |mgr| {
            let (x, mut found) = (mgr.tensor(&patterns(ITEMS, 3))?, mgr.tensor_of_len::<u32>(8)?);
            let mut of_groups = mgr.tensor_of_len::<u32>(8 * ITEMS.div_ceil(32))?;
            let (mut even, mut odd) = (mgr.tensor_of_len::<u32>(4)?, mgr.tensor_of_len::<u32>(4)?);
            let seq = mgr.sequence()?;
            let grid = Grid::groups(ITEMS.div_ceil(32) as u32);
            Bits::dispatch(&seq, grid, &x, &mut found, &mut of_groups, &mut [&mut even, &mut odd])?.eval()?;
            let parts = [even.to_vec()?, odd.to_vec()?].concat();
            Ok(vec![Output::U32(found.to_vec()?), Output::U32(of_groups.to_vec()?), Output::U32(parts)])
        },
        || {
            let x: Vec<u32> = patterns(ITEMS, 3);
            let any = |x: &[u32], bit: u32| x.iter().any(|x| x & 0x5b & 1 << bit != 0);
            let found = (0..8).map(|bit| u32::from(any(&x, bit)) << bit).collect();
            let of_group = |x: &[u32]| (0..8).map(|bit| u32::from(any(x, bit)) * (bit + 1)).collect::<Vec<_>>();
            let of_groups = x.chunks(32).flat_map(of_group).collect();
            let parts = [0, 2, 4, 6, 1, 3, 5, 7].map(|bit| u32::from(any(&x, bit))).to_vec();
            vec![Output::U32(found), Output::U32(of_groups), Output::U32(parts)]
        }
    ),
    case!(
        "unordered::read_anyway",
        [ReadAnyway],
        |mgr| {
            let mut pairs = mgr.tensor(&[Pair { flag: 7, count: 3 }; 100])?;
            let mut to = mgr.tensor_of_len::<u32>(100)?;
            let seq = mgr.sequence()?;
            ReadAnyway::dispatch(&seq, Grid::items(100), &mut pairs, &mut to)?.eval()?;
            Ok(vec![Output::U32(to.to_vec()?), Output::U32(pairs.to_vec()?.iter().map(|pair| pair.flag).collect())])
        },
        || vec![Output::U32((7..107).collect()), Output::U32(vec![7; 100])]
    ),
    case!(
        "unordered::scattered",
        [Scattered, ScatteredAny<u32, 6>, ScatteredAny<f32, 1>],
        |mgr| {
            let (places, two) = (mgr.tensor(&[3u32, 0, 5, 1, 4, 2])?, mgr.tensor(&[1u32, 0])?);
            let (mut to, mut floats) = (mgr.tensor_of_len::<u32>(8)?, mgr.tensor_of_len::<f32>(3)?);
            let seq = mgr.sequence()?;
            // SAFETY: no place is named twice.
            unsafe {
                Scattered::dispatch(&seq, Grid::items(6), &places, &mut to)?;
                ScatteredAny::<u32, 6>::dispatch(&seq, Grid::items(2), 9, &two, &mut to)?;
                ScatteredAny::<f32, 1>::dispatch(&seq, Grid::items(2), 0.5, &two, &mut floats)?;
            }
            seq.eval()?;
            Ok(vec![Output::U32(to.to_vec()?), Output::exact(floats.to_vec()?)])
        },
        || vec![Output::U32(vec![1, 3, 5, 0, 4, 2, 9, 9]), Output::exact(vec![0.0, 0.5, 0.5])]
    ),
];
