//! Elements that atomic operations hand out: ranges of counters, and cells that one invocation is the first to change.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

const ITEMS: usize = 300;

/// Odd numbers side by side: a subgroup draws for its lanes.
#[kernel(workgroup = 64)]
fn compacted(x: &[u32], count: &[Atomic<u32>], y: &mut [u32]) {
    let i = global_id().x as usize;
    let is_kept = i < x.len() && x[i] % 2 == 1;
    let before = subgroup::exclusive_add(is_kept as u32);
    let all = subgroup::add(is_kept as u32);
    let mut first = 0;
    if subgroup::elect() {
        first = count[0].fetch_add(all, Relaxed);
    }
    let first = subgroup::broadcast_first(first);
    if is_kept {
        y[first + before] = x[i];
    }
}

/// So many copies of a number, limited by a parameter.
#[kernel(workgroup = 32)]
fn repeated(most: u32, x: &[u32], count: &[Atomic<u32>], y: &mut [u32]) {
    let i = global_id().x as usize;
    if i < x.len() {
        let times = (x[i] % 7).min(most);
        let first = count[0].fetch_add(times, Relaxed);
        for k in 0..times {
            y[first + k] = x[i];
        }
    }
}

/// Ranges of two lengths, and a number with three of its own.
#[kernel(workgroup = 32)]
fn in_pieces(x: &[u32], count: &[Atomic<u32>], y: &mut [u32], z: &mut [u32]) {
    let v = x[global_id().x];
    if v % 2 == 0 {
        let at = count[0].fetch_add(2, Relaxed);
        y[at] = v;
        y[at + 1] = v;
    } else {
        let at = count[0].fetch_add(3, Relaxed);
        for k in 0..3 {
            y[at + k] = v;
        }
        let at = 3 * count[1].fetch_add(1, Relaxed);
        z[at] = v;
        z[at + 2] = v;
    }
}

/// A workgroup draws for its invocations.
#[kernel(workgroup = 64)]
fn drawn_by_group(x: &[u32], count: &[Atomic<u32>], y: &mut [u32]) {
    let first = Shared::<[u32; 1]>::new();
    if local_id().x == 0 {
        first[0] = count[0].fetch_add(64, Relaxed);
    }
    barrier();
    y[first[0] + local_id().x] = x[global_id().x];
}

/// Workgroups that stay, and draw one tile after the other.
#[kernel(workgroup = 32)]
fn persistent(tiles: u32, x: &[u32], next: &[Atomic<u32>], y: &mut [u32]) {
    let tile = Shared::<[u32; 1]>::new();
    loop {
        if local_id().x == 0 {
            tile[0] = next[0].fetch_add(1, Relaxed);
        }
        barrier();
        let t = tile[0];
        barrier();
        if t >= tiles {
            break;
        }
        let i = t * 32 + local_id().x;
        y[i] = x[i] / 3;
    }
}

/// A level of a search: who sees a vertex first, writes its depth.
#[kernel(workgroup = 32)]
fn search_level(edges: &[u32], seen: &[Atomic<u32>], depth: &mut [u32], count: &[Atomic<u32>], next: &mut [u32]) {
    let i = global_id().x as usize;
    for e in 4 * i..4 * i + 4 {
        if e < edges.len() {
            let v = edges[e] as usize;
            if seen[v].swap(1, Relaxed) == 0 {
                depth[v] = 5;
                next[count[0].fetch_add(1, Relaxed)] = v as u32;
            }
        }
    }
}

/// The same with a bit for each vertex, and with the owner's number.
#[kernel(workgroup = 32)]
fn marked(edges: &[u32], bits: &[Atomic<u32>], owners: &[Atomic<u32>], y: &mut [u32], z: &mut [u32]) {
    let i = global_id().x as usize;
    if i < edges.len() {
        let v = edges[i];
        let bit = 1 << (v % 32);
        if bits[v / 32].fetch_or(bit, Relaxed) & bit == 0 {
            y[v] += 1;
        }
        if owners[v].compare_exchange(u32::MAX, 7, Relaxed, Relaxed).is_ok() {
            z[v] += 1;
        }
    }
}

/// The lower half of a matrix, rows of which each is one longer than the one before.
#[kernel(workgroup = (8, 8))]
fn triangle(n: u32, x: &[u32], y: &mut [u32], z: &mut [u32]) {
    let (j, i) = (global_id().x, global_id().y);
    if i < n && j <= i {
        y[i * (i + 1) / 2 + j] = x[i * n + j];
    }
    if j < i && i < n {
        z[i * (i - 1) / 2 + j] = x[i * n + j];
    }
}

/// A matrix with rows in place of columns.
#[kernel(workgroup = (8, 8))]
fn transposed(n: u32, a: &mut [u32]) {
    let (j, i) = (global_id().x, global_id().y);
    if i < n && j < i {
        let kept = a[i * n + j];
        a[i * n + j] = a[j * n + i];
        a[j * n + i] = kept;
    }
}

/// Rows of two slices at a time, and a step of a wavelet.
#[kernel(workgroup = 16)]
fn rows_of_two(width: u32, x: &[u32], y: &mut [u32], z: &mut [u32]) {
    let i = global_id().x as usize;
    let at = 2 * i * width as usize;
    if at + (width as usize) < z.len() {
        let (a, b) = (z[at], z[at + width as usize]);
        z[at] = a.wrapping_add(b);
        z[at + width as usize] = a.wrapping_sub(b);
    }
    let Some((to, from)) = y.chunks_mut(width as usize).zip(x.chunks(width as usize)).nth(i) else { return };
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from ^ 1;
    }
}

fn sorted(mut values: Vec<u32>) -> Output {
    values.sort_unstable();
    Output::U32(values)
}

fn edges() -> Vec<u32> {
    patterns(ITEMS, 11).into_iter().map(|v| v % 97).collect()
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "drawn::compacted",
        [Compacted],
        |mgr| {
            let (x, count) = (mgr.tensor(&patterns(ITEMS, 3))?, mgr.tensor_of_len::<u32>(1)?);
            let mut y = mgr.tensor_of_len::<u32>(ITEMS)?;
            let seq = mgr.sequence()?;
            Compacted::dispatch(&seq, Grid::groups(5), &x, &count, &mut y)?.eval()?;
            Ok(vec![sorted(y.to_vec()?), Output::U32(count.to_vec()?)])
        },
        || {
            let odd: Vec<u32> = patterns(ITEMS, 3).into_iter().filter(|x| x % 2 == 1).collect();
            let mut y = odd.clone();
            y.resize(ITEMS, 0);
            vec![sorted(y), Output::U32(vec![odd.len() as u32])]
        }
    ),
    case!(
        "drawn::repeated",
        [Repeated],
        |mgr| {
            let (x, count) = (mgr.tensor(&patterns(ITEMS, 5))?, mgr.tensor_of_len::<u32>(1)?);
            let mut y = mgr.tensor_of_len::<u32>(7 * ITEMS)?;
            let seq = mgr.sequence()?;
            Repeated::dispatch(&seq, Grid::items(ITEMS), 5, &x, &count, &mut y)?.eval()?;
            Ok(vec![sorted(y.to_vec()?)])
        },
        || {
            let copies = |x: u32| std::iter::repeat_n(x, (x % 7).min(5) as usize);
            let mut y: Vec<u32> = patterns(ITEMS, 5).into_iter().flat_map(copies).collect();
            y.resize(7 * ITEMS, 0);
            vec![sorted(y)]
        }
    ),
    case!(
        "drawn::in_pieces",
        [InPieces],
        |mgr| {
            let (x, count) = (mgr.tensor(&patterns(ITEMS, 6))?, mgr.tensor_of_len::<u32>(2)?);
            let (mut y, mut z) = (mgr.tensor_of_len::<u32>(3 * ITEMS)?, mgr.tensor_of_len::<u32>(3 * ITEMS)?);
            let seq = mgr.sequence()?;
            InPieces::dispatch(&seq, Grid::items(ITEMS), &x, &count, &mut y, &mut z)?.eval()?;
            Ok(vec![sorted(y.to_vec()?), sorted(z.to_vec()?)])
        },
        || {
            let x = patterns(ITEMS, 6);
            let copies = |x: &u32| std::iter::repeat_n(*x, 2 + (*x % 2) as usize);
            let (mut y, mut z): (Vec<u32>, Vec<u32>) = (
                x.iter().flat_map(copies).collect(),
                x.iter().filter(|x| **x % 2 == 1).flat_map(|x| [*x; 2]).collect(),
            );
            y.resize(3 * ITEMS, 0);
            z.resize(3 * ITEMS, 0);
            vec![sorted(y), sorted(z)]
        }
    ),
    case!(
        "drawn::by_group",
        [DrawnByGroup],
        |mgr| {
            let (x, count) = (mgr.tensor(&patterns(256, 3))?, mgr.tensor_of_len::<u32>(1)?);
            let mut y = mgr.tensor_of_len::<u32>(256)?;
            let seq = mgr.sequence()?;
            DrawnByGroup::dispatch(&seq, Grid::groups(4), &x, &count, &mut y)?.eval()?;
            Ok(vec![sorted(y.to_vec()?)])
        },
        || vec![sorted(patterns(256, 3))]
    ),
    case!(
        "drawn::persistent",
        [Persistent],
        |mgr| {
            let (x, next) = (mgr.tensor(&patterns(320, 3))?, mgr.tensor_of_len::<u32>(1)?);
            let mut y = mgr.tensor_of_len::<u32>(320)?;
            let seq = mgr.sequence()?;
            Persistent::dispatch(&seq, Grid::groups(3), 10, &x, &next, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || vec![Output::U32(patterns(320, 3).into_iter().map(|x| x / 3).collect())]
    ),
    case!(
        "drawn::search_level",
        [SearchLevel],
        |mgr| {
            let (edges, seen) = (mgr.tensor(&edges())?, mgr.tensor_of_len::<u32>(97)?);
            let (mut depth, count) = (mgr.tensor_of_len::<u32>(97)?, mgr.tensor_of_len::<u32>(1)?);
            let mut next = mgr.tensor_of_len::<u32>(97)?;
            let seq = mgr.sequence()?;
            let grid = Grid::items(ITEMS.div_ceil(4));
            SearchLevel::dispatch(&seq, grid, &edges, &seen, &mut depth, &count, &mut next)?.eval()?;
            Ok(vec![Output::U32(depth.to_vec()?), sorted(next.to_vec()?), Output::U32(count.to_vec()?)])
        },
        || {
            let mut depth = vec![0; 97];
            edges().into_iter().for_each(|v| depth[v as usize] = 5);
            let mut next: Vec<u32> = (0..97).filter(|v| depth[*v as usize] == 5).collect();
            let count = next.len() as u32;
            next.resize(97, 0);
            vec![Output::U32(depth), sorted(next), Output::U32(vec![count])]
        }
    ),
    case!(
        "drawn::marked",
        [Marked],
        |mgr| {
            let (edges, bits) = (mgr.tensor(&edges())?, mgr.tensor_of_len::<u32>(4)?);
            let owners = mgr.tensor(&[u32::MAX; 97])?;
            let (mut y, mut z) = (mgr.tensor_of_len::<u32>(97)?, mgr.tensor_of_len::<u32>(97)?);
            let seq = mgr.sequence()?;
            Marked::dispatch(&seq, Grid::items(ITEMS), &edges, &bits, &owners, &mut y, &mut z)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?), Output::U32(z.to_vec()?), Output::U32(owners.to_vec()?)])
        },
        || {
            let mut y = vec![0; 97];
            edges().into_iter().for_each(|v| y[v as usize] = 1);
            let owners = y.iter().map(|seen| if *seen == 1 { 7 } else { u32::MAX }).collect();
            vec![Output::U32(y.clone()), Output::U32(y), Output::U32(owners)]
        }
    ),
    case!(
        "drawn::triangle",
        [Triangle],
        |mgr| {
            let x = mgr.tensor(&patterns(19 * 19, 4))?;
            let (mut y, mut z) = (mgr.tensor_of_len::<u32>(190)?, mgr.tensor_of_len::<u32>(171)?);
            let seq = mgr.sequence()?;
            Triangle::dispatch(&seq, Grid::items((19, 19)), 19, &x, &mut y, &mut z)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?), Output::U32(z.to_vec()?)])
        },
        || {
            let x = patterns(19 * 19, 4);
            let rows = |more: usize| (0..19).flat_map(move |i| (0..i + more).map(move |j| 19 * i + j));
            vec![Output::U32(rows(1).map(|at| x[at]).collect()), Output::U32(rows(0).map(|at| x[at]).collect())]
        }
    ),
    case!(
        "drawn::transposed",
        [Transposed],
        |mgr| {
            let mut a = mgr.tensor(&patterns(13 * 13, 4))?;
            let seq = mgr.sequence()?;
            Transposed::dispatch(&seq, Grid::items((13, 13)), 13, &mut a)?.eval()?;
            Ok(vec![Output::U32(a.to_vec()?)])
        },
        || {
            let a = patterns(13 * 13, 4);
            vec![Output::U32((0..169).map(|at| a[at % 13 * 13 + at / 13]).collect())]
        }
    ),
    case!(
        "drawn::rows_of_two",
        [RowsOfTwo],
        |mgr| {
            let (x, mut y) = (mgr.tensor(&patterns(101, 4))?, mgr.tensor_of_len::<u32>(95)?);
            let mut z = mgr.tensor(&patterns(90, 8))?;
            let seq = mgr.sequence()?;
            RowsOfTwo::dispatch(&seq, Grid::items(20), 7, &x, &mut y, &mut z)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?), Output::U32(z.to_vec()?)])
        },
        || {
            let y = patterns(101, 4)[..95].iter().map(|x| x ^ 1).collect();
            let mut z = patterns(90, 8);
            for at in (0..83).step_by(14) {
                let (a, b) = (z[at], z[at + 7]);
                (z[at], z[at + 7]) = (a.wrapping_add(b), a.wrapping_sub(b));
            }
            vec![Output::U32(y), Output::U32(z)]
        }
    ),
];
