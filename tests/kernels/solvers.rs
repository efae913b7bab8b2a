//! Solvers that work in place, as people write them: elimination, sweeps along columns, colours of a chessboard, antidiagonals, parts
//! of a tensor for each workgroup. None of them races, and none says so.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

/// The entries.
pub const CASES: &[Case] = &[
    case!("solvers::eliminate", [Eliminate], run_eliminate, || vec![Output::U32(eliminated())]),
    case!("solvers::chessboard", [Chessboard], run_chessboard, || vec![Output::U32(relaxed())]),
    case!("solvers::sweep_columns", [SweepColumns], run_sweep_columns, || vec![Output::U32(swept())]),
    case!("solvers::edit_distance", [Antidiagonal], run_edit_distance, || vec![Output::U32(distances())]),
    case!("solvers::rotate", [Rotate], run_rotate, || {
        vec![Output::U32((0..N).map(|i| number((i + N - 29) % N)).collect())]
    }),
    case!("solvers::stream", [Stream], run_stream, || vec![Output::U32(streamed())]),
    case!("solvers::parts_of_groups", [PartsOfGroups], |mgr| run_parts(mgr, Parts::OfGroups), || vec![parts()]),
    case!("solvers::parts_of_invocations", [PartsOfInvocations], |mgr| run_parts(mgr, Parts::OfInvocations), || {
        vec![parts()]
    }),
    case!("solvers::row_of_subgroup", [RowOfSubgroup], run_row_of_subgroup, || {
        vec![Output::U32(vec![(0..40).map(|c| c * 3 + 1).sum(); 64])]
    }),
    case!("solvers::matrix_of_each", [MatrixOfEach], run_matrix_of_each, || vec![Output::U32(matrices_eliminated())]),
    case!("solvers::by_position", [ByPosition], run_by_position, positions),
];

/// Elements along a side.
const SIDE: u32 = 21;
/// Elements of a row of numbers.
const N: u32 = 1000;

fn number(i: u32) -> u32 {
    (i.wrapping_mul(0x9e37_79b9) >> 7) % 1000
}

fn numbers(len: u32) -> Vec<u32> {
    (0..len).map(number).collect()
}

/// A step of an elimination, without the division: rows and columns behind the pivot.
#[kernel(workgroup = (8, 8))]
fn eliminate(k: u32, n: u32, a: &mut [u32]) {
    let i = k + 1 + global_id().y;
    let j = k + 1 + global_id().x;
    if i < n && j < n {
        let factor = a[i * n + k].wrapping_mul(a[k * n + k]);
        a[i * n + j] = a[i * n + j].wrapping_sub(factor.wrapping_mul(a[k * n + j]));
    }
}

fn run_eliminate(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut a = mgr.tensor(&numbers(SIDE * SIDE))?;
    let seq = mgr.sequence()?;
    for k in 0..SIDE - 1 {
        Eliminate::dispatch(&seq, Grid::items((SIDE, SIDE)), k, SIDE, &mut a)?;
    }
    seq.eval()?;
    Ok(vec![Output::U32(a.to_vec()?)])
}

fn eliminated() -> Vec<u32> {
    let (mut a, n) = (numbers(SIDE * SIDE), SIDE as usize);
    for k in 0..n - 1 {
        for i in k + 1..n {
            let factor = a[i * n + k].wrapping_mul(a[k * n + k]);
            for j in k + 1..n {
                a[i * n + j] = a[i * n + j].wrapping_sub(factor.wrapping_mul(a[k * n + j]));
            }
        }
    }
    a
}

/// Half a step of a relaxation: places of one colour from their neighbours, which have the other one.
#[kernel(workgroup = (8, 8))]
fn chessboard(color: u32, w: u32, h: u32, u: &mut [u32]) {
    let (x, y) = (global_id().x, global_id().y);
    if x > 0 && y > 0 && x < w - 1 && y < h - 1 && (x + y) % 2 == color {
        let i = y * w + x;
        u[i] = (u[i - 1] + u[i + 1] + u[i - w] + u[i + w]) / 4;
    }
}

fn run_chessboard(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut u = mgr.tensor(&numbers(SIDE * N))?;
    let seq = mgr.sequence()?;
    for step in 0..6 {
        Chessboard::dispatch(&seq, Grid::items((SIDE, N)), step % 2, SIDE, N, &mut u)?;
    }
    seq.eval()?;
    Ok(vec![Output::U32(u.to_vec()?)])
}

fn relaxed() -> Vec<u32> {
    let (mut u, w) = (numbers(SIDE * N), SIDE as usize);
    for step in 0..6 {
        for i in w..u.len() - w {
            let (x, y) = (i % w, i / w);
            if x > 0 && x < w - 1 && (x + y) % 2 == step % 2 {
                u[i] = (u[i - 1] + u[i + 1] + u[i - w] + u[i + w]) / 4;
            }
        }
    }
    u
}

/// A recurrence down each column, and one up again.
#[kernel(workgroup = 64)]
fn sweep_columns(n: u32, m: u32, d: &mut [u32]) {
    let s = global_id().x;
    if s >= n {
        return;
    }
    d[s] = d[s].wrapping_mul(5);
    for k in 1..m {
        let i = k * n + s;
        d[i] = d[i].wrapping_add(d[i - n].wrapping_mul(3));
    }
    for k in (0..m - 1).rev() {
        let i = k * n + s;
        d[i] = d[i].wrapping_sub(d[i + n]);
    }
}

fn run_sweep_columns(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut d = mgr.tensor(&numbers(SIDE * 100))?;
    let seq = mgr.sequence()?;
    SweepColumns::dispatch(&seq, Grid::items(100), 100, SIDE, &mut d)?.eval()?;
    Ok(vec![Output::U32(d.to_vec()?)])
}

fn swept() -> Vec<u32> {
    let mut d = numbers(SIDE * 100);
    d[..100].iter_mut().for_each(|first| *first = first.wrapping_mul(5));
    for i in 100..d.len() {
        d[i] = d[i].wrapping_add(d[i - 100].wrapping_mul(3));
    }
    for i in (0..d.len() - 100).rev() {
        d[i] = d[i].wrapping_sub(d[i + 100]);
    }
    d
}

/// The distances on an antidiagonal, from those on the two before.
#[kernel(workgroup = 32)]
fn antidiagonal(k: u32, w: u32, a: &[u8], b: &[u8], d: &mut [u32]) {
    let i = global_id().x + 1;
    if i < k && k - i < w && i < w {
        let j = k - i;
        let cost = (a[i - 1] != b[j - 1]) as u32;
        let at = i * w + j;
        d[at] = (d[(i - 1) * w + j] + 1).min(d[i * w + j - 1] + 1).min(d[(i - 1) * w + j - 1] + cost);
    }
}

const WORDS: [&[u8; 30]; 2] = [b"a kernel is a function in Rust", b"the kernel was no function: ow"];

fn borders() -> Vec<u32> {
    let w = WORDS[0].len() as u32 + 1;
    (0..w * w)
        .map(|at| {
            if at < w {
                at
            } else if at % w == 0 {
                at / w
            } else {
                0
            }
        })
        .collect()
}

fn run_edit_distance(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let [a, b] = [mgr.tensor(WORDS[0])?, mgr.tensor(WORDS[1])?];
    let w = a.len() as u32 + 1;
    let mut d = mgr.tensor(&borders())?;
    let seq = mgr.sequence()?;
    for k in 2..2 * w - 1 {
        Antidiagonal::dispatch(&seq, Grid::items(w - 1), k, w, &a, &b, &mut d)?;
    }
    seq.eval()?;
    Ok(vec![Output::U32(d.to_vec()?)])
}

fn distances() -> Vec<u32> {
    let ([a, b], mut d) = (WORDS, borders());
    let w = a.len() + 1;
    for i in 1..w {
        for j in 1..w {
            let cost = u32::from(a[i - 1] != b[j - 1]);
            let (up, left) = (d[(i - 1) * w + j] + 1, d[i * w + j - 1] + 1);
            d[i * w + j] = up.min(left).min(d[(i - 1) * w + j - 1] + cost);
        }
    }
    d
}

#[kernel(workgroup = 64)]
fn rotate(by: u32, x: &[u32], y: &mut [u32]) {
    let i = global_id().x as usize;
    let n = y.len();
    if i < n {
        y[(i + by as usize) % n] = x[i];
    }
}

fn run_rotate(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (x, mut y) = (mgr.tensor(&numbers(N))?, mgr.tensor_of_len::<u32>(N as usize)?);
    let seq = mgr.sequence()?;
    Rotate::dispatch(&seq, Grid::items(N + 24), 29, &x, &mut y)?.eval()?;
    Ok(vec![Output::U32(y.to_vec()?)])
}

/// Streams the numbers of each place of a torus to its eight neighbours, each direction in a plane of its own.
#[kernel(workgroup = (8, 8))]
fn stream(n: u32, from: &[u32], to: &mut [u32]) {
    let p = global_id();
    if p.x < n && p.y < n {
        for q in 0..9u32 {
            let (dx, dy) = (q % 3, q / 3);
            let x = (p.x + dx + n - 1) % n;
            let y = (p.y + dy + n - 1) % n;
            to[(q * n + y) * n + x] = from[(q * n + p.y) * n + p.x];
        }
    }
}

fn run_stream(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (from, mut to) =
        (mgr.tensor(&numbers(9 * SIDE * SIDE))?, mgr.tensor_of_len::<u32>((9 * SIDE * SIDE) as usize)?);
    let seq = mgr.sequence()?;
    Stream::dispatch(&seq, Grid::items((SIDE, SIDE)), SIDE, &from, &mut to)?.eval()?;
    Ok(vec![Output::U32(to.to_vec()?)])
}

fn streamed() -> Vec<u32> {
    let (from, n) = (numbers(9 * SIDE * SIDE), SIDE as usize);
    let mut to = vec![0; from.len()];
    for (at, value) in from.into_iter().enumerate() {
        let (q, y, x) = (at / (n * n), at / n % n, at % n);
        to[(q * n + (y + q / 3 + n - 1) % n) * n + (x + q % 3 + n - 1) % n] = value;
    }
    to
}

enum Parts {
    OfGroups,
    OfInvocations,
}

#[kernel(workgroup = 64)]
fn parts_of_groups(n: u32, x: &[u32], y: &mut [u32]) {
    let per = n.div_ceil(num_workgroups().x);
    let start = workgroup_id().x * per;
    let end = (start + per).min(n);
    let mut i = start + local_id().x;
    while i < end {
        y[i] = x[i] + 1;
        i += 64;
    }
}

#[kernel(workgroup = 64)]
fn parts_of_invocations(n: u32, x: &[u32], y: &mut [u32]) {
    let per = n.div_ceil(num_workgroups().x * 64);
    let start = global_id().x * per;
    for i in start..(start + per).min(n) {
        y[i] = x[i] + 1;
    }
}

fn run_parts(mgr: &Manager, which: Parts) -> gridwise::Result<Vec<Output>> {
    let (x, mut y) = (mgr.tensor(&numbers(N))?, mgr.tensor_of_len::<u32>(N as usize)?);
    let (seq, grid) = (mgr.sequence()?, Grid::groups(3));
    match which {
        Parts::OfGroups => PartsOfGroups::dispatch(&seq, grid, N, &x, &mut y)?.eval()?,
        Parts::OfInvocations => PartsOfInvocations::dispatch(&seq, grid, N, &x, &mut y)?.eval()?,
    };
    Ok(vec![Output::U32(y.to_vec()?)])
}

fn parts() -> Output {
    Output::U32(numbers(N).into_iter().map(|x| x + 1).collect())
}

/// A row for each subgroup: one of its invocations writes the sum.
#[kernel(workgroup = 64)]
fn row_of_subgroup(rows: u32, n: u32, x: &[u32], y: &mut [u32]) {
    let row = workgroup_id().x * num_subgroups() + subgroup_id();
    let mut sum = 0;
    let mut c = subgroup_local_id();
    while c < n {
        sum += x[c];
        c += subgroup_size();
    }
    let total = subgroup::add(sum);
    if subgroup::elect() {
        if row < rows {
            y[row] = total;
        }
    }
}

fn run_row_of_subgroup(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let x: Vec<u32> = (0..40).map(|c| c * 3 + 1).collect();
    let (x, mut y) = (mgr.tensor(&x)?, mgr.tensor_of_len::<u32>(64)?);
    let seq = mgr.sequence()?;
    // A subgroup has at most 64 invocations here, so that each row has one.
    RowOfSubgroup::dispatch(&seq, Grid::groups(64), 64, 40, &x, &mut y)?.eval()?;
    Ok(vec![Output::U32(y.to_vec()?)])
}

/// A matrix for each invocation, as a chunk of its own.
#[kernel(workgroup = 32)]
fn matrix_of_each(n: u32, a: &mut [u32]) {
    let m = global_id().x as usize;
    let n = n as usize;
    if let Some(a) = a.chunks_exact_mut(n * n).nth(m) {
        for k in 0..n {
            for i in k + 1..n {
                a[i * n + k] = a[i * n + k].wrapping_mul(a[k * n + k]);
                for j in k + 1..n {
                    a[i * n + j] = a[i * n + j].wrapping_sub(a[i * n + k].wrapping_mul(a[k * n + j]));
                }
            }
        }
    }
}

fn run_matrix_of_each(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut a = mgr.tensor(&numbers(50 * 25 + 7))?;
    let seq = mgr.sequence()?;
    MatrixOfEach::dispatch(&seq, Grid::items(64), 5, &mut a)?.eval()?;
    Ok(vec![Output::U32(a.to_vec()?)])
}

fn matrices_eliminated() -> Vec<u32> {
    let (mut all, n) = (numbers(50 * 25 + 7), 5);
    for a in all.chunks_exact_mut(n * n) {
        for k in 0..n {
            for i in k + 1..n {
                a[i * n + k] = a[i * n + k].wrapping_mul(a[k * n + k]);
                for j in k + 1..n {
                    a[i * n + j] = a[i * n + j].wrapping_sub(a[i * n + k].wrapping_mul(a[k * n + j]));
                }
            }
        }
    }
    all
}

/// Elements by position of what has positions: rows, strides, the first, the last and the number of them.
#[kernel(workgroup = 32)]
fn by_position(n: u32, x: &[u32], y: &mut [u32], z: &mut [u32]) {
    let i = global_id().x as usize;
    let n = n as usize;
    if let Some(row) = y.get_mut(i * n..(i + 1) * n) {
        row.fill(i as u32);
    }
    let total = (num_workgroups().x * 32) as usize;
    for v in z.iter_mut().skip(i).step_by(total) {
        let odd = x.iter().skip(1).step_by(2);
        let last = x.iter().last().copied().unwrap_or(1);
        let from_end = x.iter().rev().enumerate().nth(i).map_or(2, |(at, v)| v + at as u32);
        *v = odd.count() as u32
            + last
            + from_end
            + x[..0].iter().next().copied().unwrap_or(3)
            + (3..9u32).nth(i).unwrap_or(4);
    }
}

fn run_by_position(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (x, mut y, mut z) = (mgr.tensor(&numbers(20))?, mgr.tensor(&[77u32; 100])?, mgr.tensor_of_len::<u32>(100)?);
    let seq = mgr.sequence()?;
    ByPosition::dispatch(&seq, Grid::groups(1), 7, &x, &mut y, &mut z)?.eval()?;
    Ok(vec![Output::U32(y.to_vec()?), Output::U32(z.to_vec()?)])
}

fn positions() -> Vec<Output> {
    let x = numbers(20);
    let y = (0..100).map(|at| if at < 98 { at / 7 } else { 77 }).collect();
    let z = (0..100).map(|at| {
        let i = at % 32;
        let from_end = if i < 20 { x[19 - i] + i as u32 } else { 2 };
        10 + x[19] + from_end + 3 + if i < 6 { 3 + i as u32 } else { 4 }
    });
    vec![Output::U32(y), Output::U32(z.collect())]
}
