//! Stacks and tables of tuples and structs in local variables, which are indexed by what is computed; and loops of unknown ends that trap.

use gridwise::prelude::*;

use super::case;
use super::traps::report;
use crate::case::{Case, Output};

/// Whole boards of queens, the first two of which the invocation's number places.
#[kernel(workgroup = 16)]
fn boards(n: u32, counts: &mut [u32]) {
    let id = global_id().x;
    if id >= counts.len() as u32 {
        return;
    }
    let all = (1u32 << n) - 1;
    let (a, b) = (1 << (id % n), 1 << (id / n % n));
    let mut count = 0;
    if b & (a | (a << 1) | (a >> 1)) == 0 {
        let mut state = [(a | b, ((a << 1) | b) << 1, ((a >> 1) | b) >> 1); 12];
        let mut open = [0u32; 12];
        let (columns, left, right) = state[0];
        open[0] = all & !(columns | left | right);
        let mut depth = 1usize;
        while depth > 0 {
            let free = open[depth - 1];
            if free == 0 {
                depth -= 1;
                continue;
            }
            let queen = free & free.wrapping_neg();
            open[depth - 1] = free & !queen;
            let (columns, left, right) = state[depth - 1];
            let next = (columns | queen, (left | queen) << 1, (right | queen) >> 1);
            if next.0 == all {
                count += 1;
            } else {
                state[depth] = next;
                open[depth] = all & !(next.0 | next.1 | next.2);
                depth += 1;
            }
        }
    }
    counts[id as usize] = count;
}

#[device]
mod stack {
    #[derive(Clone, Copy, Default)]
    pub(super) struct Entry {
        pub(super) node: u32,
        pub(super) length: f32,
        pub(super) turns: [u8; 3],
    }

    pub(super) struct Stack {
        entries: [Entry; 6],
        len: usize,
    }

    impl Stack {
        pub(super) fn new() -> Self {
            Self { entries: [Entry::default(); 6], len: 0 }
        }

        pub(super) fn push(&mut self, entry: Entry) {
            self.entries[self.len] = entry;
            self.len += 1;
        }

        pub(super) fn pop(&mut self) -> Option<Entry> {
            if self.len == 0 {
                return None;
            }
            self.len -= 1;
            Some(self.entries[self.len])
        }
    }
}

use stack::{Entry, Stack};

/// The longest way from a node to a leaf, by a stack with room for six. A child of zero is none.
#[kernel(workgroup = 4)]
fn longest(children: &[[u32; 2]], lengths: &[f32], ways: &mut [f32], turns: &mut [u32]) {
    let id = global_id().x as usize;
    let mut stack = Stack::new();
    stack.push(Entry { node: id as u32, ..Entry::default() });
    let mut longest = Entry::default();
    while let Some(top) = stack.pop() {
        let length = top.length + lengths[top.node as usize];
        let [left, right] = children[top.node as usize];
        if left == 0 && right == 0 {
            if length > longest.length {
                longest = Entry { length, ..top };
            }
            continue;
        }
        for (side, child) in [(0usize, left), (2, right)] {
            if child != 0 {
                let mut turns = top.turns;
                turns[side] += 1;
                stack.push(Entry { node: child, length, turns });
            }
        }
    }
    ways[id] = longest.length;
    turns[id] = u32::from(longest.turns[0]) * 100 + u32::from(longest.turns[2]);
}

fn ways(mgr: &Manager, children: &[[u32; 2]]) -> gridwise::Result<Vec<Output>> {
    let lengths: Vec<f32> = (0..children.len()).map(|node| (node * 7 % 5) as f32 + 0.5).collect();
    let (children, lengths) = (mgr.tensor(children)?, mgr.tensor(&lengths)?);
    let (mut ways, mut turns) = (mgr.tensor(&[0f32; 4])?, mgr.tensor(&[0u32; 4])?);
    let seq = mgr.sequence()?;
    Longest::dispatch(&seq, Grid::items(4), &children, &lengths, &mut ways, &mut turns)?;
    let report = report(&seq)?;
    let is_whole = matches!(&report, Output::Report(text) if text == "no kernel panic");
    let turns = if is_whole { turns.to_vec()? } else { Vec::new() };
    let ways = if is_whole { ways.to_vec()?.iter().map(|way| way.to_bits()).collect() } else { Vec::new() };
    Ok(vec![report, Output::U32(ways), Output::U32(turns)])
}

/// Tables of pairs: in two dimensions, zero from the start, longer than what is copied by parts, and copied as a whole.
#[kernel(workgroup = 8)]
fn tables(x: &[u32], y: &mut [u32]) {
    let i = global_id().x as usize;
    if i >= y.len() {
        return;
    }
    let v = x[i];
    let (row, column) = ((v % 3) as usize, (v / 3 % 4) as usize);
    let mut grid = [[(0u32, (1u8, 2u16)); 4]; 3];
    grid[row][column] = (v, (v as u8, v as u16));
    grid[2][column].1.1 += 1;
    grid[row][1].0 ^= 5;
    let mut zero = [(0u32, 0i64); 90];
    zero[(v % 90) as usize].1 = -(v as i64);
    zero[(v * v % 90) as usize].0 += 3;
    let mut small = [(v, true); 5];
    small[(v % 5) as usize] = (7, false);
    let copy = small;
    small[(v % 3) as usize].0 += 1;
    let mut sum = 0u32;
    for k in 0..x.len() {
        let at = x[k] as usize;
        let (a, (b, c)) = grid[at % 3][at % 4];
        let (d, e) = zero[at % 90];
        let (f, g) = copy[at % 5];
        sum = sum.rotate_left(3) ^ a ^ u32::from(b) << 8 ^ u32::from(c) << 4;
        sum = sum.wrapping_add(d).wrapping_sub(e as u32) ^ f ^ u32::from(g) ^ small[at % 5].0 << 16;
    }
    y[i] = sum;
}

/// A walk with stores, divisions and loads that may trap in a loop whose end hangs on what it reads.
#[kernel(workgroup = 4)]
fn walk(steps: &[u32], divisors: &[u32], marks: &mut [u32], out: &mut [u32]) {
    let i = global_id().x as usize;
    if i >= out.len() {
        return;
    }
    let mut seen = [(0u32, 0u32); 8];
    let (mut at, mut rest, mut count) = (steps[i], 1_000_000u32, 0usize);
    while at != 0 {
        rest /= divisors[at as usize % divisors.len()];
        seen[count] = (at, rest);
        if i == 0 {
            marks[at as usize] = rest;
        }
        at = steps[at as usize];
        count += 1;
    }
    let mut sum = 0u32;
    for k in 0..count {
        let (at, rest) = seen[k];
        sum = sum.wrapping_mul(31).wrapping_add(at ^ rest);
    }
    out[i] = sum;
}

fn walks(mgr: &Manager, steps: &[u32], divisors: &[u32], marks: usize) -> gridwise::Result<Vec<Output>> {
    let (steps, divisors) = (mgr.tensor(steps)?, mgr.tensor(divisors)?);
    let (mut marks, mut out) = (mgr.tensor(&vec![0u32; marks])?, mgr.tensor(&[0u32; 3])?);
    let seq = mgr.sequence()?;
    Walk::dispatch(&seq, Grid::items(4), &steps, &divisors, &mut marks, &mut out)?;
    let report = report(&seq)?;
    let is_whole = matches!(&report, Output::Report(text) if text == "no kernel panic");
    let out = if is_whole { [out.to_vec()?, marks.to_vec()?].concat() } else { Vec::new() };
    Ok(vec![report, Output::U32(out)])
}

const TREE: [[u32; 2]; 9] = [[1, 2], [3, 4], [0, 5], [0, 0], [6, 0], [7, 8], [0, 0], [0, 0], [0, 0]];

/// The entries.
pub const CASES: &[Case] = &[
    case!("stacks::boards", [Boards], |mgr| {
        let mut counts = mgr.tensor(&[0u32; 49])?;
        let seq = mgr.sequence()?;
        Boards::dispatch(&seq, Grid::items(49), 7, &mut counts)?.eval()?;
        Ok(vec![Output::U32(counts.to_vec()?)])
    }),
    case!("stacks::longest", [Longest], |mgr| ways(mgr, &TREE)),
    // A ring: the stack overflows.
    case!("stacks::overflow", [Longest], |mgr| {
        let mut tree = TREE;
        tree[7] = [1, 2];
        tree[8] = [5, 2];
        ways(mgr, &tree)
    }),
    case!("stacks::tables", [Tables], |mgr| {
        let x: Vec<u32> = (0..24).map(|i| i * 2_654_435 % 1_000).collect();
        let (x, mut y) = (mgr.tensor(&x)?, mgr.tensor(&[0u32; 24])?);
        let seq = mgr.sequence()?;
        Tables::dispatch(&seq, Grid::items(24), &x, &mut y)?.eval()?;
        Ok(vec![Output::U32(y.to_vec()?)])
    }),
    case!("stacks::walk", [Walk], |mgr| walks(mgr, &[1, 4, 3, 5, 2, 0], &[3, 2, 5], 6)),
    case!("stacks::walk_divides_by_zero", [Walk], |mgr| walks(mgr, &[5, 5, 4, 5, 0, 3, 2], &[3, 2, 5, 0, 7], 7)),
    case!("stacks::walk_marks_nothing", [Walk], |mgr| walks(mgr, &[5, 4, 0, 4, 0, 3], &[3, 2, 5], 4)),
    case!("stacks::walk_leaves_its_table", [Walk], |mgr| walks(mgr, &[1, 2, 3, 4, 1], &[1], 5)),
];
