//! Ranges in variables, which are gone through, index, are compared with and have ends; ranges that functions take and give, and that
//! lose their elements one by one. Each function also stands in a module that only rustc compiles.

#![allow(
    clippy::map_flatten,
    clippy::redundant_clone,
    clippy::redundant_closure_call,
    clippy::shadow_unrelated,
    clippy::while_let_on_iterator,
    reason = "what is tested"
)]

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output, patterns};

both!(named, plain_named, {
    /// Loops over ranges.
    pub(super) fn looped(x: &[u32], n: u32) -> [u32; 6] {
        let rows = n % 5..n % 5 + 7;
        let columns = 1..=3;
        let mut sum = 0u32;
        for row in rows.clone() {
            for column in columns.clone() {
                sum = sum.wrapping_mul(31).wrapping_add(x[(row + column) as usize]);
            }
        }
        let back = rows.clone().rev().step_by(2).fold(0u32, |h, row| h * 10 + row);
        let odd = rows.clone().filter(|row| row % 2 == 1).count() as u32;
        let pairs: u32 = rows.clone().map(|a| (0..a).map(move |b| a * b)).flatten().sum();
        let (first, last) = (rows.start, rows.end);
        let bytes = (n as u8 & 0x7f)..0x80;
        [sum, back, odd, pairs, first * 100 + last, bytes.map(|b| b as u32).sum::<u32>() ^ columns.sum::<u32>()]
    }

    /// Indexing by ranges.
    pub(super) fn indexed(x: &[u32], own: &mut [u32], n: u32) -> [u32; 6] {
        let part = n as usize % 9..n as usize % 9 + 4;
        let closed = part.start..=part.end;
        let a = x[part.clone()].iter().fold(7u32, |h, v| h.wrapping_mul(33) ^ v);
        let b = x[closed.clone()].len() as u32;
        own[part.clone()].fill(n);
        own[part.start..].reverse();
        let behind = own.len() + n as usize % 3;
        let reach = behind - 2..behind;
        let c = own.get(reach.clone()).map_or(99, |found| found.len() as u32);
        let inner = &x[closed];
        let tail = 1..inner.len();
        let d = inner[tail].iter().copied().max().unwrap_or(0);
        let empty = part.end..part.start;
        let e = empty.clone().count() as u32 + x[part.start..part.end].len() as u32;
        [a, b, c, d, e, own.iter().fold(0u32, |h, v| h.wrapping_mul(7).wrapping_add(*v)) ^ reach.start as u32]
    }

    /// Membership in ranges, and other variables of the same name.
    pub(super) fn compared(n: u32) -> [u32; 6] {
        let range = n % 11..20;
        let unit = -0.5..=0.5f32;
        let inside = |v: u32| range.contains(&v);
        let a = (inside(5) as u32) << 1 | inside(20) as u32;
        let twice = |range: u32| range * 2;
        let b = twice(range.start) + range.end;
        let c = {
            let range = range.start + 3;
            range * range
        };
        let d = match n % 3 {
            0 => range.end - 1,
            range => range + 40,
        };
        let e = if let Some(range) = range.start.checked_sub(4) { range } else { range.len() as u32 };
        let at = (n % 16) as f32 / 8.0 - 1.0;
        let f = (unit.contains(&at) as u32) << 8 | (0..4u32).contains(&range.start) as u32;
        let none = range.is_empty() as u32 + (n..=5).is_empty() as u32 * 2 + (range.end..range.start).len() as u32;
        let range = range.start;
        [a, b, c, d, e, f + range + none * 1000]
    }
});

/// # Safety
/// `room` is so short that no index wraps around.
#[kernel(workgroup = 32)]
unsafe fn use_ranges(x: &[u32], room: &mut [u32], out: &mut [[u32; 6]]) {
    let n = global_id().x;
    let own = n as usize * 16..(n as usize + 1) * 16;
    out[n * 3] = named::looped(x, n);
    out[n * 3 + 1] = named::indexed(x, &mut room[own.start..own.end], n);
    out[n * 3 + 2] = named::compared(n);
    let words = x[own.clone()].iter().fold(0u32, |h, v| h.wrapping_mul(5) ^ v);
    for i in own {
        room[i] ^= words;
    }
}

both!(values, plain_values, {
    use std::ops::{Range, RangeInclusive};

    /// The elements of one row.
    pub(super) fn span(i: u32) -> Range<u32> {
        i * 3..i * 3 + 5
    }

    fn places(i: u32) -> Range<usize> {
        let at = i as usize % 7;
        at..at + 4
    }

    fn digits(mut left: Range<u32>) -> u32 {
        let mut number = 0;
        while let Some(digit) = left.next() {
            number = number * 10 + digit % 10;
        }
        number
    }

    fn middle(range: RangeInclusive<i32>) -> i32 {
        (*range.start() + *range.end()) / 2
    }

    fn pop(range: &mut Range<u32>) -> Option<u32> {
        range.next()
    }

    fn rest(range: &mut Range<u32>) -> u32 {
        let mut sum = 0;
        for i in range {
            sum += i;
        }
        sum
    }

    fn holds<T: Copy + PartialOrd>(range: &Range<T>, value: T) -> bool {
        range.start <= value && value < range.end
    }

    /// One element after the other, from both ends.
    pub(super) fn taken(n: u32) -> [u32; 6] {
        let mut range = span(n);
        let mut a = 0u32;
        while let Some(i) = range.next() {
            a = a.wrapping_mul(7).wrapping_add(i);
            if i % 4 == 3 {
                break;
            }
        }
        let b = range.clone().count() as u32 * 100 + range.len() as u32;
        let first = pop(&mut range);
        let c = digits(range.clone()) + rest(&mut range) * 1000;
        let mut closed = 1..=(n % 5 + 1) as u8;
        let mut d = 0u32;
        while let Some(i) = closed.next_back() {
            d = d * 10 + i as u32;
        }
        let e = closed.next().is_none() as u32 + closed.is_empty() as u32 * 2 + closed.contains(&1) as u32 * 4;
        let mut top = 253..=255u8;
        let mut count = 0;
        while let Some(i) = top.next() {
            count += i as u32;
        }
        [a, b, c, d, e + first.unwrap_or(9) * 10, count]
    }

    /// Ranges consumed in parts.
    pub(super) fn shared(n: u32) -> [u32; 6] {
        let mut numbers = 0..20u32;
        let found = numbers.find(|&i| i * i > n).unwrap_or(99);
        let mut sum = 0;
        for i in numbers.by_ref().take(3) {
            sum = sum * 31 + i;
        }
        let left = numbers.len() as u32;
        let nth = numbers.nth(2).unwrap_or(77);
        let any = numbers.any(|i| i % 7 == n % 7) as u32 * 50 + numbers.start;
        let pairs: u32 = (0..2u32).zip(numbers.by_ref()).map(|(a, b)| a * 10 + b).sum();
        let rest: u32 = numbers.sum();
        let mut signed = -3..3i32;
        let last = signed.rfind(|i| i % 2 == 0).unwrap_or(9);
        let mut both = (0..3u32, n);
        both.0.start += 1;
        let next = both.0.next().unwrap_or(5) + both.1;
        [
            found * 1000 + left,
            sum,
            nth,
            any * 100 + next,
            pairs.wrapping_mul(97) ^ rest,
            (last * 100 + signed.end) as u32,
        ]
    }

    /// Ranges chosen at run time, and slices by them.
    pub(super) fn chosen(x: &[u32], n: u32) -> [u32; 6] {
        let part = if n % 2 == 0 { places(n) } else { 0..n as usize };
        let a = x[part.clone()].iter().fold(3u32, |h, v| h.wrapping_mul(33) ^ v);
        let slice = &x[places(n)];
        let b = slice.iter().fold(0u32, |h, v| h.wrapping_mul(9) ^ v) ^ slice.len() as u32;
        let perhaps = if n > 9 { Some(span(n)) } else { None };
        let c = perhaps.map_or(5, |range| range.end - range.start);
        let (low, high) = (0..n, n..9);
        let d = low.len() as u32 * 100 + high.map(|i| i * 2).sum::<u32>();
        let e = holds(&places(n), 5) as u32 | (holds(&(0.5..1.5), n as f32) as u32) << 1;
        let mut closed = part.start..=part.end;
        if n % 3 == 0 {
            for _ in closed.by_ref() {}
        }
        let rest = &x[closed];
        let f = x.get(part).map_or(99, |part| part.len() as u32) + rest.len() as u32 * 100;
        [a, b, c, d, e + middle(-(n as i32)..=40) as u32 * 4, f]
    }
});

/// # Safety
/// `out` is so short that no index wraps around.
#[kernel]
unsafe fn use_range_values(x: &[u32], out: &mut [[u32; 6]]) {
    let n = global_id().x;
    for (at, place) in (n * 3..n * 3 + 3).enumerate() {
        out[place] = match at {
            0 => values::taken(n),
            1 => values::shared(n),
            _ => values::chosen(x, n),
        };
    }
}

fn expected_values() -> Vec<Output> {
    let x = words();
    let each = |n| [plain_values::taken(n), plain_values::shared(n), plain_values::chosen(&x, n)];
    vec![Output::U32((0..COUNT as u32).flat_map(each).flatten().collect())]
}

const COUNT: usize = 40;

fn words() -> Vec<u32> {
    patterns(COUNT * 16, 97)
}

fn expected() -> Vec<Output> {
    let (x, mut room) = (words(), vec![0; COUNT * 16]);
    let mut out = Vec::new();
    for n in 0..COUNT {
        let own = n * 16..(n + 1) * 16;
        out.push(plain_named::looped(&x, n as u32));
        out.push(plain_named::indexed(&x, &mut room[own.clone()], n as u32));
        out.push(plain_named::compared(n as u32));
        let words = x[own.clone()].iter().fold(0u32, |h, v| h.wrapping_mul(5) ^ v);
        room[own].iter_mut().for_each(|v| *v ^= words);
    }
    vec![Output::U32(out.concat()), Output::U32(room)]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "ranges::named",
        [UseRanges],
        |mgr| {
            let (x, mut room) = (mgr.tensor(&words())?, mgr.tensor_of_len::<u32>(COUNT * 16)?);
            let mut out = mgr.tensor(&vec![[0u32; 6]; COUNT * 3])?;
            let seq = mgr.sequence()?;
            // SAFETY: it has a few hundred elements.
            unsafe { UseRanges::dispatch(&seq, Grid::items(COUNT), &x, &mut room, &mut out) }?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat()), Output::U32(room.to_vec()?)])
        },
        expected
    ),
    case!(
        "ranges::values",
        [UseRangeValues],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&words())?, mgr.tensor(&vec![[0u32; 6]; COUNT * 3])?);
            let seq = mgr.sequence()?;
            // SAFETY: it has a few hundred elements.
            unsafe { UseRangeValues::dispatch(&seq, Grid::items(COUNT), &x, &mut out) }?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        },
        expected_values
    ),
];
