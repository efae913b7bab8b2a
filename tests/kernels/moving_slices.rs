//! Slices in variables that become other slices of the same elements. Each function also stands in a module that only rustc compiles.

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

const N: usize = 64;

both!(moved, plain_moved, {
    /// The number that a text begins with, and how many letters it has.
    fn number(text: &[u8]) -> (u32, usize) {
        let mut rest = text;
        let mut number = 0u32;
        while let Some(letter) = rest.first() {
            if !letter.is_ascii_digit() {
                break;
            }
            number = number.wrapping_mul(10).wrapping_add((*letter - b'0') as u32);
            rest = &rest[1..];
        }
        (number, text.len() - rest.len())
    }

    /// The sum of the numbers in a text, between any other letters.
    pub(super) fn sum(text: &[u8]) -> u32 {
        let mut line: &[u8] = text;
        let mut sum = 0u32;
        while !line.is_empty() {
            let (number, used) = number(line);
            sum = sum.wrapping_add(number);
            line = &line[used..];
            if !line.is_empty() {
                line = &line[1..];
            }
        }
        sum
    }

    /// How many numbers are not above another one, by halves.
    pub(super) fn bisect(sorted: &[u32], number: u32) -> u32 {
        let mut part = sorted;
        let mut before = 0u32;
        while let [_, ..] = part {
            let half = part.len() / 2;
            if part[half] <= number {
                before += half as u32 + 1;
                part = &part[half + 1..];
            } else {
                part = &part[..half];
            }
        }
        before
    }

    /// Of an array of its own, with names of what the slice was before.
    pub(super) fn own(seed: u32) -> u32 {
        let numbers = [seed, seed ^ 5, seed.rotate_left(3), 7, seed / 3];
        let mut rest: &[u32] = &numbers;
        let mut sum = 0u32;
        let whole = rest;
        for k in 0..seed % 4 {
            let before = rest;
            rest = &rest[1..];
            sum = sum.wrapping_mul(31).wrapping_add(before[0] ^ rest[rest.len() - 1]).wrapping_add(k);
        }
        let length = |part: &[u32]| part.len() as u32;
        sum ^ length(rest) << 8 ^ whole[0]
    }

    /// Options of what slices lend, compared with options of references.
    pub(super) fn lent(text: &[u8], sorted: &[u32], seed: u32) -> u32 {
        let own = [seed, 9, seed / 2];
        let is = [
            text.first() == Some(&b'7'),
            text.get(2) != Some(&b' '),
            Some(&text[1]) == text.last(),
            sorted.iter().max() == Some(&324),
            own.iter().min() == Some(&(seed / 2)),
            own.last() == Some(&own[1]),
        ];
        is.iter().enumerate().map(|(k, is)| (*is as u32) << k).sum()
    }
});

#[kernel(workgroup = 32)]
fn slices_that_move(text: &[u8], sorted: &[u32], out: &mut [[u32; 5]]) {
    let i = global_id().x as usize;
    let mut rest = &text[4 * i..];
    rest = &rest[..24];
    let tile = Shared::<[u32; 32]>::new();
    tile[local_id().x] = 3 * i as u32;
    barrier();
    let mut near = &tile[local_id().x / 8 * 8..];
    let first = near[0];
    near = &near[1..3];
    out[i] = [
        moved::sum(rest),
        moved::bisect(sorted, 5 * i as u32),
        moved::own(i as u32),
        first + near[1] + near.len() as u32,
        moved::lent(rest, sorted, i as u32),
    ];
}

fn text() -> Vec<u8> {
    (0..4 * N + 24).map(|k| b"7 12,,305;9"[k * k % 11]).collect()
}

fn sorted() -> Vec<u32> {
    (0..37).map(|k| k * k / 4).collect()
}

/// The entry.
pub const CASES: &[Case] = &[case!(
    "moving_slices::everywhere",
    [SlicesThatMove],
    |mgr| {
        let (text, sorted) = (mgr.tensor(&text())?, mgr.tensor(&sorted())?);
        let mut out = mgr.tensor(&vec![[0u32; 5]; N])?;
        let seq = mgr.sequence()?;
        SlicesThatMove::dispatch(&seq, Grid::items(N), &text, &sorted, &mut out)?;
        seq.eval()?;
        Ok(vec![Output::U32(out.to_vec()?.concat())])
    },
    || {
        let of = |i: usize| {
            let (text, first) = (text(), 3 * (i as u32 / 8 * 8));
            let text = &text[4 * i..4 * i + 24];
            let (sum, near) = (plain_moved::sum(text), 2 * first + 8);
            let lent = plain_moved::lent(text, &sorted(), i as u32);
            [sum, plain_moved::bisect(&sorted(), 5 * i as u32), plain_moved::own(i as u32), near, lent]
        };
        vec![Output::U32((0..N).flat_map(of).collect())]
    }
)];
