//! Indices that loops carry and guards keep in range: stacks, rings, ends of searches, rows of a matrix, chunks.

use gridwise::prelude::*;

use super::{case, twice};
use crate::case::{Case, Output};

const N: usize = 128;

twice! {
    /// A stack that a guard keeps from growing over its end.
    fn stacked(bits: u32) -> u32 {
        let mut stack = [0u32; 8];
        let mut top = 0;
        let mut sum = 0;
        let mut left = bits;
        for k in 0..24u32 {
            if left % 2 == 1 {
                if top < 8 {
                    stack[top] = k;
                    top += 1;
                }
            } else if top > 0 {
                top -= 1;
                sum = sum * 2 + stack[top];
            }
            left /= 2;
        }
        sum % 10007 + top as u32
    }

    /// A ring whose ends go around.
    fn ring(first: u32) -> u32 {
        let mut cells = [0u32; 6];
        let (mut head, mut len) = (0, 0);
        let mut sum = 0;
        let mut seed = first;
        for _ in 0..20 {
            seed = (seed * 5 + 3) % 64;
            if seed % 3 > 0 && len < 6 {
                cells[(head + len) % 6] = seed;
                len += 1;
            } else if len > 0 {
                sum += cells[head];
                head = (head + 1) % 6;
                len -= 1;
            }
        }
        sum * 8 + len as u32
    }

    /// A search in a table of the invocation's own, halved while something is left.
    fn halved(wanted: u32) -> u32 {
        let table = [1u32, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144];
        let (mut low, mut high) = (0, 12);
        while low < high {
            let middle = (low + high) / 2;
            if table[middle] < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low as u32
    }

    /// Sorted by insertion, from the back.
    fn inserted(seed: u32) -> u32 {
        let mut own = [0u32; 7];
        for k in 0..7u32 {
            own[k as usize] = (seed * 7 + k * k * 5) % 31;
        }
        for end in 1..7 {
            let value = own[end];
            let mut at = end;
            while at > 0 && own[at - 1] > value {
                own[at] = own[at - 1];
                at -= 1;
            }
            own[at] = value;
        }
        let mut sum = 0;
        for value in own {
            sum = sum * 3 + value;
        }
        sum
    }
}

#[kernel(workgroup = 32)]
fn carried(x: &[u32], out: &mut [[u32; 4]]) {
    let i = global_id().x as usize;
    out[i] = [stacked(x[i]), ring(x[i] % 64), halved(x[i] % 160), inserted(x[i] % 97)];
}

/// The last come first, the middles of chunks, and the sums over rows and columns of a square matrix each.
#[kernel(workgroup = 32)]
fn parts(side: u32, x: &[u32], out: &mut [[u32; 3]]) {
    let i = global_id().x as usize;
    let mut backwards = 0;
    for k in 0..x.len() {
        backwards = backwards * 3 + x[x.len() - 1 - k];
    }
    let mut middles = 0;
    for chunk in x.chunks(1 + i % 5) {
        middles += chunk[chunk.len() / 2] ^ chunk[0];
    }
    let matrix = &x[..(side * side) as usize];
    let mut trace = 0;
    for row in 0..side {
        for column in 0..side {
            trace += matrix[(row * side + column) as usize] * (matrix[(column * side + row) as usize] + 1);
        }
    }
    out[i] = [backwards, middles, trace];
}

fn data() -> Vec<u32> {
    (0..N as u32).map(|k| k * 2_654_435 % 16_777_216).collect()
}

fn expected_parts(side: usize) -> Vec<u32> {
    let x = data();
    let backwards = x.iter().rev().fold(0u32, |sum, v| sum.wrapping_mul(3).wrapping_add(*v));
    let mut trace = 0u32;
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        trace = trace.wrapping_add(x[row * side + column].wrapping_mul(x[column * side + row] + 1));
    }
    let middles = |i: usize| x.chunks(1 + i % 5).fold(0u32, |sum, c| sum.wrapping_add(c[c.len() / 2] ^ c[0]));
    (0..N).flat_map(|i| [backwards, middles(i), trace]).collect()
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "carried::own",
        [Carried],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&data())?, mgr.tensor(&vec![[0u32; 4]; N])?);
            let seq = mgr.sequence()?;
            Carried::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        },
        || {
            let each =
                |v: u32| [plain::stacked(v), plain::ring(v % 64), plain::halved(v % 160), plain::inserted(v % 97)];
            vec![Output::U32(data().into_iter().flat_map(each).collect())]
        }
    ),
    case!(
        "carried::parts",
        [Parts],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&data())?, mgr.tensor(&vec![[0u32; 3]; N])?);
            let seq = mgr.sequence()?;
            Parts::dispatch(&seq, Grid::items(N), 9, &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        },
        || vec![Output::U32(expected_parts(9))]
    ),
];
