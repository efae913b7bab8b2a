//! Consts that are slices. Each also stands in a module that only rustc compiles.

#![allow(clippy::redundant_static_lifetimes, clippy::needless_return, reason = "kernels are written in every way")]

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

const N: usize = 64;

both!(tables, plain_tables, {
    /// As written.
    const DIGITS: &[u32] = &[3, 1, 4, 1, 5];
    /// Bytes of a text.
    const TEXT: &'static [u8] = b"slices";
    /// Rows, all alike.
    const ROWS: &[[f32; 2]] = &[[1.5, 2.0]; 3];
    /// Another one.
    const SAME: &[u32] = DIGITS;
    const NONE: &[u32] = &[];
    /// Computed from a table, as long as it is.
    const SQUARES: &[u32] = &{
        let mut made = [0; DIGITS.len()];
        let mut i = 0;
        while i < DIGITS.len() {
            made[i] = DIGITS[i] * DIGITS[i];
            i += 1;
        }
        made
    };
    const FIRST: u32 = DIGITS[0] + SQUARES[2];

    #[derive(Clone, Copy, PartialEq)]
    pub(super) struct Stop {
        at: u32,
        color: (u8, bool),
    }

    const STOPS: &[Stop] = &[Stop { at: 0, color: (9, true) }, Stop { at: 40, color: (7, false) }];

    impl Stop {
        const NAMED: &'static [u32] = &[7, 8, 9];

        fn named(self, i: usize) -> u32 {
            Self::NAMED[i % Self::NAMED.len()] + self.at
        }
    }

    pub(super) trait Primes {
        const PRIMES: &'static [u32];

        fn last() -> u32 {
            Self::PRIMES[Self::PRIMES.len() - 1]
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Few;
    #[derive(Clone, Copy)]
    pub(super) struct Some5;

    impl Primes for Few {
        const PRIMES: &'static [u32] = &[2, 3];
    }

    impl Primes for Some5 {
        const PRIMES: &'static [u32] = &[2, 3, 5, 7, 11];
    }

    fn total(x: &[u32]) -> u32 {
        x.iter().sum()
    }

    fn sum_of<T: Primes>(i: usize) -> u32 {
        let mut sum = T::PRIMES.len() as u32;
        for prime in T::PRIMES {
            sum += prime;
        }
        sum * 10 + T::PRIMES[i % T::PRIMES.len()]
    }

    fn names(i: usize) -> [u32; 4] {
        const LOCAL: &[u32] = &[10, 20, 30];
        let by_name = DIGITS;
        let typed: &[u32] = SAME;
        let part = &DIGITS[1..];
        let named = Stop::NAMED;
        let (head, tail) = DIGITS.split_at(2);
        [
            by_name[i % 5] + typed[1] + part[i % 4],
            total(DIGITS) + total(&SAME[..2]) + total(typed) * 100 + total(Stop::NAMED) + u32::from(NONE.is_empty()),
            LOCAL[i % LOCAL.len()] + named[i % named.len()] + total(LOCAL),
            head[1] + tail[i % 3] * 10 + NONE.len() as u32,
        ]
    }

    fn loops(i: u32) -> [u32; 4] {
        let (mut sum, mut letters, mut rows, mut stops) = (FIRST, 0, 0.0, 0);
        for none in NONE {
            sum += none;
        }
        for digit in DIGITS {
            sum += digit;
        }
        for (k, &digit) in SAME.iter().enumerate() {
            sum += digit * k as u32;
        }
        for (a, b) in DIGITS.iter().zip(SQUARES) {
            sum += a * b;
        }
        for letter in TEXT {
            if *letter == b's' {
                letters += 1;
                continue;
            }
            letters += u32::from(*letter) * i;
        }
        for row in ROWS {
            rows += row[0] * row[i as usize % 2];
        }
        for stop in STOPS {
            if stop.at > i {
                break;
            }
            stops += u32::from(stop.color.0) + u32::from(stop.color.1);
        }
        [sum, letters, rows as u32, stops]
    }

    fn methods(i: usize) -> [u32; 4] {
        let found = DIGITS.iter().map(|digit| digit + 1).filter(|digit| digit % 2 == 0).sum::<u32>();
        let compared = u32::from(DIGITS == SAME)
            + 2 * u32::from(TEXT == b"slices")
            + 4 * u32::from(DIGITS.contains(&(i as u32)))
            + 8 * u32::from(TEXT.starts_with(b"sl"))
            + 16 * u32::from(Stop::NAMED != DIGITS);
        let got = DIGITS.get(i).copied().unwrap_or(77) + SAME.first().copied().unwrap_or(0);
        let windows = DIGITS.windows(2).filter(|pair| pair[0] < pair[1]).count() as u32;
        [found, compared, got * 100 + windows, STOPS[i % STOPS.len()].named(i)]
    }

    /// A variable hides a table.
    fn hidden(i: u32) -> u32 {
        const LOCAL: &[u32] = &[1];
        let sum = LOCAL[0];
        {
            const LOCAL: &[u32] = &[5, 6];
            let len = LOCAL.len() as u32;
            return sum + LOCAL[i as usize % LOCAL.len()] * len;
        }
    }

    pub(super) fn all(i: u32) -> [[u32; 4]; 4] {
        let at = i as usize;
        let last = [Few::last() * 100 + Some5::last(), sum_of::<Few>(at), sum_of::<Some5>(at), hidden(i)];
        [names(at), loops(i), methods(at), last]
    }
});

#[kernel(workgroup = 32)]
fn everywhere(out: &mut [[[u32; 4]; 4]]) {
    let i = global_id().x;
    out[i] = tables::all(i);
}

/// Behind the last element.
#[kernel]
fn out_of_range(x: &[u32], out: &mut [u32]) {
    const WEIGHTS: &[u32] = &[1, 2, 4];
    let i = global_id().x as usize;
    out[i] = WEIGHTS[x[i] as usize];
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "slice_tables::everywhere",
        [Everywhere],
        |mgr| {
            let mut out = mgr.tensor(&vec![[[0u32; 4]; 4]; N])?;
            let seq = mgr.sequence()?;
            Everywhere::dispatch(&seq, Grid::items(N), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat().concat())])
        },
        || vec![Output::U32((0..N as u32).flat_map(plain_tables::all).flatten().collect())]
    ),
    case!("slice_tables::out_of_range", [OutOfRange], |mgr| {
        let (x, mut out) = (mgr.tensor(&[2u32, 0, 3, 1])?, mgr.tensor_of_len::<u32>(4)?);
        let seq = mgr.sequence()?;
        OutOfRange::dispatch(&seq, Grid::items(4), &x, &mut out)?;
        let report = match seq.eval() {
            Err(error) => error.to_string(),
            Ok(()) => String::new(),
        };
        Ok(vec![
            Output::U32(vec![u32::from(report.contains("the len is 3 but the index is 3"))]),
            Output::U32(out.to_vec()?),
        ])
    }),
];
