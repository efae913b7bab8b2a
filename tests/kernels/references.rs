//! References: as parameters, to variables, elements and fields, in local variables, in buffers and shared memory.

use gridwise::prelude::*;
use gridwise_device_lib::{exchange, largest_of};

use super::case;
use crate::case::{Case, Output, patterns};

use queue::{Ring, drain};

const N: usize = 200;

/// Any `Copy` struct of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(C)]
pub struct Cell {
    count: u32,
    marks: [u32; 3],
}

#[device]
fn bump(x: &mut u32, by: u32) {
    *x += by;
}

/// Gives back the quotient; nothing changes when there is none.
#[device]
fn divided(a: u32, b: u32, rest: &mut u32) -> Option<u32> {
    if b == 0 {
        return None;
    }
    *rest = a % b;
    bump(rest, 100);
    Some(a / b)
}

#[device]
fn twice_divided(a: u32, b: u32, rest: &mut u32) -> Option<u32> {
    let first = divided(a, b, rest)?;
    let second = divided(first + *rest, 7, &mut *rest)?;
    Some(second)
}

#[device]
fn order(a: &mut u32, b: &mut u32) -> bool {
    if *a <= *b {
        return false;
    }
    let low = *b;
    *b = *a;
    *a = low;
    true
}

/// Sorts by exchanging neighbours.
#[device]
fn sort<const LEN: usize>(values: &mut [u32; LEN]) -> u32 {
    let mut exchanges = 0;
    for round in 0..LEN {
        for i in 0..LEN - 1 - round {
            let (mut a, mut b) = (values[i], values[i + 1]);
            if order(&mut a, &mut b) {
                exchanges += 1;
                values[i] = a;
                values[i + 1] = b;
            }
        }
    }
    exchanges
}

#[device]
fn weighted(values: &[u32; 5], weights: &[u32; 5]) -> u32 {
    let mut sum = 0;
    for i in 0..5 {
        sum += values[i] * weights[i];
    }
    sum
}

#[device]
fn marked(cell: &mut Cell, mark: u32) -> u32 {
    let slot = &mut cell.marks[cell.count as usize % 3];
    let old = *slot;
    *slot = mark;
    cell.count += 1;
    old
}

#[device]
fn clamped<T: PartialOrd + Copy>(x: &mut T, low: &T, high: &T) {
    if *x < *low {
        *x = *low;
    } else if *x > *high {
        *x = *high;
    }
}

/// Moves the largest element to the front.
#[device]
fn largest_first<T: PartialOrd + Copy, const LEN: usize>(values: &mut [T; LEN]) {
    for i in 1..LEN {
        let other = values[i];
        let first = &mut values[0];
        if other > *first {
            let old = *first;
            *first = other;
            let slot = &mut values[i];
            *slot = old;
        }
    }
}

#[device]
mod queue {
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Ring {
        pub(super) items: [u32; 4],
        pub(super) head: u32,
        pub(super) len: u32,
    }

    impl Ring {
        pub(super) fn push(&mut self, item: &u32) -> bool {
            if self.len == 4 {
                return false;
            }
            self.items[(self.head + self.len) % 4] = *item;
            self.len += 1;
            true
        }

        /// The first item goes to `to`.
        pub(super) fn pop(&mut self, to: &mut u32) -> bool {
            if self.len == 0 {
                return false;
            }
            *to = self.items[self.head];
            self.head = (self.head + 1) % 4;
            self.len -= 1;
            true
        }
    }

    /// All items, as digits of one number.
    pub(super) fn drain(ring: &mut Ring, limit: u32) -> u32 {
        let (mut sum, mut item) = (0, 0);
        let mut left = limit;
        while left > 0 && ring.pop(&mut item) {
            sum = sum * 31 + item;
            left -= 1;
        }
        sum
    }
}

#[kernel(workgroup = 64)]
fn parameters(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let v = x[i];
    let mut count = v % 10;
    bump(&mut count, 3);
    let mut rest = 5;
    let a = twice_divided(v, i % 4, &mut rest).unwrap_or(77);
    let mut values = [v, v >> 3, i, 9, v % 17];
    // The index is evaluated once, and before the value.
    let mut at = i % 5;
    bump(&mut values[at], {
        at += 1;
        at
    });
    let mut pair = (v % 9, v % 5);
    order(&mut pair.0, &mut pair.1);
    let exchanges = sort(&mut values);
    let sum = weighted(&values, &[1, 2, 3, 4, 5]);
    let mut level = i as f32;
    clamped(&mut level, &3.5, &(v as f32 % 50.0 + 4.0));
    let mut three = [v % 50, 20, i];
    largest_first(&mut three);
    out[i] = three[0] ^ count ^ rest ^ a ^ at ^ pair.0 ^ (pair.1 << 8) ^ (exchanges << 16) ^ sum ^ level as u32;
}

#[kernel(workgroup = 64)]
fn methods(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let mut ring = Ring { items: [0; 4], head: i % 4, len: 0 };
    let mut pushed = 0;
    for k in 0..x[i] % 7 {
        pushed += ring.push(&(x[i] >> k)) as u32;
    }
    let first = drain(&mut ring, 2);
    let all = drain(&mut ring, 9);
    let mut top = 0;
    let (mut a, mut b) = (x[i], i);
    exchange(&mut a, &mut b);
    let position = largest_of(&[a, b, 40, i * 3], &mut top);
    out[i] = pushed ^ first ^ all ^ ring.head ^ a ^ (b << 1) ^ position ^ top;
}

#[kernel(workgroup = 32)]
fn buffers(x: &[u32], cells: &mut [Cell], out: &mut [u32]) {
    let (i, lane) = (global_id().x, local_id().x);
    let tile = Shared::<[Cell; 32]>::new();
    let old = marked(&mut cells[i], x[i]) + marked(&mut cells[i], 7);
    bump(&mut cells[i].marks[x[i] % 3], 1000);
    marked(&mut tile[lane], i + 5);
    let slot = &mut tile[lane].marks[1];
    *slot = x[i] / 3;
    bump(slot, 4);
    *slot += old;
    barrier();
    let other = &tile[31 - lane];
    let far = &mut out[i];
    *far = other.marks[0] + other.marks[1];
    order(far, &mut cells[i].count);
    *far ^= other.count;
}

#[kernel(workgroup = 64)]
fn locals(x: &[u32], out: &mut [u32]) {
    let mut i = global_id().x;
    let mut table = [[1u32, 2, 3], [4, 5, 6]];
    let mut at = x[i] % 3;
    let slot = &mut table[(i % 2) as usize][at];
    at += 100;
    *slot += at;
    *slot *= 3;
    let again = &mut *slot;
    *again -= 1;
    let row: &[u32; 3] = &table[1];
    let (sum, first) = (row[0] + row[1] + row[2], row[0]);
    let mut cell = Cell { count: 1, marks: [x[i], 2, 3] };
    let marks = &mut cell.marks;
    marks[1] = 50;
    let mark = &mut marks[0];
    *mark = *mark / 2;
    let count = &cell.count;
    let both = *count + count + cell.marks[0];
    let here = &x[i];
    let place = &mut out[i];
    i = 0;
    *place = sum ^ first ^ both ^ at ^ table[0][0] ^ *here ^ i ^ cell.marks[1];
}

fn marked_plainly(cell: &mut Cell, mark: u32) -> u32 {
    let slot = cell.count as usize % 3;
    let old = std::mem::replace(&mut cell.marks[slot], mark);
    cell.count += 1;
    old
}

fn expected_parameters() -> Vec<Output> {
    let one = |(i, v): (usize, u32)| {
        let i = i as u32;
        let count = v % 10 + 3;
        let mut rest = 5;
        let mut divide = |a: u32, b: u32| {
            let quotient = a.checked_div(b)?;
            rest = a % b + 100;
            Some((quotient, rest))
        };
        let a = divide(v, i % 4)
            .and_then(|(first, rest)| divide(first.wrapping_add(rest), 7))
            .map_or(77, |(second, _)| second);
        let mut values = [v, v >> 3, i, 9, v % 17];
        let at = i % 5 + 1;
        values[i as usize % 5] = values[i as usize % 5].wrapping_add(at);
        let exchanges = (0..5).map(|a| (a + 1..5).filter(|b| values[a] > values[*b]).count() as u32).sum::<u32>();
        values.sort_unstable();
        let sum = values.iter().zip(1u32..).fold(0u32, |sum, (v, w)| sum.wrapping_add(v.wrapping_mul(w)));
        let (low, high) = ((v % 9).min(v % 5), (v % 9).max(v % 5));
        let level = (i as f32).clamp(3.5, v as f32 % 50.0 + 4.0);
        let largest = (v % 50).max(20).max(i);
        largest ^ count ^ rest ^ a ^ at ^ low ^ (high << 8) ^ (exchanges << 16) ^ sum ^ level as u32
    };
    vec![Output::U32(patterns(N, 4).into_iter().enumerate().map(one).collect())]
}

fn expected_methods() -> Vec<Output> {
    let one = |(i, v): (usize, u32)| {
        let i = i as u32;
        let pushed = (v % 7).min(4);
        let items: Vec<u32> = (0..pushed).map(|k| v >> k).collect();
        let number = |items: &[u32]| items.iter().fold(0u32, |sum, item| sum.wrapping_mul(31).wrapping_add(*item));
        let (first, rest) = items.split_at(items.len().min(2));
        let head = (i % 4 + pushed) % 4;
        let numbers = [i, v, 40, i * 3];
        let top = *numbers.iter().max().expect("four of them");
        let position = numbers.iter().position(|n| *n == top).expect("it is there") as u32;
        pushed ^ number(first) ^ number(rest) ^ head ^ i ^ (v << 1) ^ position ^ top
    };
    vec![Output::U32(patterns(N, 4).into_iter().enumerate().map(one).collect())]
}

fn start_cells() -> Vec<Cell> {
    (0..64u32).map(|i| Cell { count: i % 5, marks: [i, 2 * i, 3 * i] }).collect()
}

fn flat(cells: &[Cell]) -> Output {
    Output::U32(cells.iter().flat_map(|cell| [cell.count, cell.marks[0], cell.marks[1], cell.marks[2]]).collect())
}

fn expected_buffers() -> Vec<Output> {
    let (x, mut cells) = (small(64), start_cells());
    let mut tile = vec![Cell { count: 0, marks: [0; 3] }; 64];
    for i in 0..64 {
        let old = marked_plainly(&mut cells[i], x[i]) + marked_plainly(&mut cells[i], 7);
        cells[i].marks[x[i] as usize % 3] += 1000;
        marked_plainly(&mut tile[i], i as u32 + 5);
        tile[i].marks[1] = x[i] / 3 + 4 + old;
    }
    let mut out = Vec::new();
    for i in 0..64 {
        let other = tile[i / 32 * 32 + 31 - i % 32];
        let (a, b) = (other.marks[0] + other.marks[1], cells[i].count);
        cells[i].count = a.max(b);
        out.push(a.min(b) ^ other.count);
    }
    vec![flat(&cells), Output::U32(out)]
}

fn small(len: usize) -> Vec<u32> {
    patterns(len, 6).into_iter().map(|v| v % 10_000).collect()
}

fn expected_locals() -> Vec<Output> {
    let one = |(i, v): (usize, u32)| {
        let mut table = [[1u32, 2, 3], [4, 5, 6]];
        let at = v % 3;
        let slot = &mut table[i % 2][at as usize];
        *slot = (*slot + at + 100) * 3 - 1;
        let both = 2 + v / 2;
        table[1].iter().sum::<u32>() ^ table[1][0] ^ both ^ (at + 100) ^ table[0][0] ^ v ^ 50
    };
    vec![Output::U32(small(N).into_iter().enumerate().map(one).collect())]
}

macro_rules! plain {
    ($name:literal, $kernel:ty, $input:expr, $expected:expr) => {
        case!(
            $name,
            [$kernel],
            |mgr| {
                let (x, mut out) = (mgr.tensor(&$input)?, mgr.tensor(&vec![0u32; N])?);
                let seq = mgr.sequence()?;
                <$kernel>::dispatch(&seq, Grid::items(N), &x, &mut out)?;
                seq.eval()?;
                Ok(vec![Output::U32(out.to_vec()?)])
            },
            $expected
        )
    };
}

/// The entries.
pub const CASES: &[Case] = &[
    plain!("references::parameters", Parameters, patterns(N, 4), expected_parameters),
    plain!("references::methods", Methods, patterns(N, 4), expected_methods),
    case!(
        "references::buffers",
        [Buffers],
        |mgr| {
            let (x, mut cells) = (mgr.tensor(&small(64))?, mgr.tensor(&start_cells())?);
            let mut out = mgr.tensor(&[0u32; 64])?;
            let seq = mgr.sequence()?;
            Buffers::dispatch(&seq, Grid::items(64), &x, &mut cells, &mut out)?;
            seq.eval()?;
            Ok(vec![flat(&cells.to_vec()?), Output::U32(out.to_vec()?)])
        },
        expected_buffers
    ),
    plain!("references::locals", Locals, small(N), expected_locals),
];
