//! Programs as somebody writes them who knows Rust and has read the README: numbers to the left of one's own types, consts that are
//! called `ZERO`, tables of bytes, `std::cmp::max`, errors called `Err`. Each function also stands in a module that only rustc
//! compiles.

#![allow(
    dead_code,
    unused_imports,
    clippy::explicit_iter_loop,
    clippy::identity_op,
    clippy::needless_range_loop,
    clippy::redundant_static_lifetimes,
    clippy::unnecessary_min_or_max,
    reason = "these are the forms that are tried"
)]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

/// Numbers that a function gets, and those that no buffer has to hold for it.
const N: usize = 256;

each_program! { firsts:

numbers_first plain_numbers_first run_numbers_first RunNumbersFirst NUMBERS_FIRST {
    use core::ops::{Add, AddAssign, Div, Mul, Shl, Sub};

    #[derive(Clone, Copy)]
    pub(super) struct Triple([i32; 3]);

    impl Mul<Triple> for i32 {
        type Output = Triple;
        fn mul(self, by: Triple) -> Triple {
            Triple(by.0.map(|x| x.wrapping_mul(self)))
        }
    }
    impl Add<Triple> for i32 {
        type Output = i32;
        fn add(self, other: Triple) -> i32 {
            self.wrapping_add(other.0[0])
        }
    }
    impl Sub<Triple> for u32 {
        type Output = u32;
        fn sub(self, other: Triple) -> u32 {
            self.wrapping_sub(other.0[1] as u32)
        }
    }
    impl Div<Triple> for u32 {
        type Output = u32;
        fn div(self, by: Triple) -> u32 {
            (self / 3).wrapping_add(by.0[1] as u32)
        }
    }
    impl Shl<Triple> for u32 {
        type Output = u32;
        fn shl(self, by: Triple) -> u32 {
            self << 3 ^ by.0[1] as u32
        }
    }
    impl AddAssign<Triple> for u32 {
        fn add_assign(&mut self, other: Triple) {
            *self = self.wrapping_add(other.0[2] as u32);
        }
    }

    pub(super) fn of(i: u32) -> u32 {
        let v = 3 * Triple([i as i32, 2, 3]);
        let w = -2 * v;
        let mut sum = i - v;
        sum += w;
        sum += v;
        ((5 + w) as u32).wrapping_add(sum).wrapping_add(i / v).wrapping_add(i << v)
    }
}

consts_named_zero plain_consts_named_zero run_consts_named_zero RunConstsNamedZero CONSTS_NAMED_ZERO {
    use core::ops::{Add, Mul};

    trait Number: Copy + Add<Output = Self> + Mul<Output = Self> {
        const ZERO: Self;
        const ONE: Self;
    }
    impl Number for u32 {
        const ZERO: u32 = 0;
        const ONE: u32 = 1;
    }
    impl Number for f32 {
        const ZERO: f32 = 0.0;
        const ONE: f32 = 1.0;
    }

    fn polynomial<T: Number>(factors: &[T], x: T) -> T {
        factors.iter().rev().fold(T::ZERO, |sum, &factor| sum * x + factor)
    }
    fn identity<T: Number, const N: usize>() -> [[T; N]; N] {
        let mut cells = [[T::ZERO; N]; N];
        for k in 0..N {
            cells[k][k] = T::ONE;
        }
        cells
    }

    pub(super) fn of(i: u32) -> u32 {
        let whole = polynomial(&[1u32, 2, i], 3) + identity::<u32, 3>()[1][1] + identity::<u32, 3>()[1][2];
        whole + polynomial(&[1.0f32, i as f32], 2.0) as u32
    }
}

tables_of_bytes plain_tables_of_bytes run_tables_of_bytes RunTablesOfBytes TABLES_OF_BYTES {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    const PRIMES: &'static [u32; 4] = &[2, 3, 5, 7];
    const LEN: usize = HEX.len();

    struct Named;
    impl Named {
        const ROW: &'static [u8; 3] = b"xyz";
    }

    fn sum(x: &[u32]) -> u32 {
        x.iter().sum()
    }
    fn sum_of_four(x: &[u32; 4]) -> u32 {
        x.iter().sum()
    }
    fn total<const LEN: usize>(x: &[u8; LEN]) -> u32 {
        x.iter().map(|&byte| u32::from(byte)).sum()
    }

    pub(super) fn of(i: u32) -> u32 {
        let mut all = b"\x01\xffab"[i as usize % 4] as u32 + HEX[(i & 15) as usize] as u32 + HEX.len() as u32 + LEN as u32;
        for &byte in HEX {
            all = all.wrapping_mul(3) + byte as u32;
        }
        for byte in HEX.iter().rev() {
            all = (all % 1_000_000) * 3 + *byte as u32;
        }
        all += sum(PRIMES) + sum(&PRIMES[1..]) + PRIMES.iter().max().unwrap() + HEX.contains(&(i as u8)) as u32;
        all += Named::ROW[i as usize % 3] as u32;
        all += HEX.iter().position(|&byte| byte == (i % 128) as u8).map_or(99, |at| at as u32);
        let own = *PRIMES;
        all + own[1] + sum_of_four(PRIMES) + total(HEX) + total(b"abc") + total(Named::ROW)
    }
}

larger_and_smaller plain_larger_and_smaller run_larger_and_smaller RunLargerAndSmaller LARGER_AND_SMALLER {
    use std::cmp::{max, min};

    pub(super) fn of(i: u32) -> u32 {
        let a = std::cmp::max(i, 7) + core::cmp::min(3, i) + max(i * 2, 9) + min(i as usize, 12) as u32;
        let mut best = 0;
        for k in 0..i % 9 {
            best = max(best, k * i % 7);
        }
        let b: i64 = std::cmp::min(i as i64 - 40, -3);
        let c = max(1, 2);
        (a + best + c).wrapping_add(b as u32)
    }
}

vectors_of_arrays plain_vectors_of_arrays run_vectors_of_arrays RunVectorsOfArrays VECTORS_OF_ARRAYS {
    pub(super) fn of(i: u32) -> u32 {
        let v = Vec3::from([i as f32, 2.0, 3.0]) + Vec3::from([1.0; 3]);
        let cells = [i, 4];
        let w = UVec2::from(cells);
        (v.x + v.y * v.z) as u32 + w.x * w.y
    }
}

errors_named_err plain_errors_named_err run_errors_named_err RunErrorsNamedErr ERRORS_NAMED_ERR {
    #[derive(Clone, Copy)]
    pub(super) enum Err {
        Small,
        Big(u32),
    }

    fn checked(i: u32) -> Result<u32, Err> {
        if i < 10 {
            Err(Err::Small)
        } else if i > 200 {
            Err(Err::Big(i))
        } else {
            Ok(i)
        }
    }

    pub(super) fn of(i: u32) -> u32 {
        let first = match checked(i) {
            Ok(value) => value,
            Err(Err::Small) => 1,
            Err(Err::Big(value)) => value * 2,
        };
        first + if let Ok(value) | Err(Err::Big(value)) = checked(i + 1) { value } else { 0 }
    }
}

sorted plain_sorted run_sorted RunSorted SORTED {
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) struct Card {
        suit: u32,
        rank: u32,
    }

    pub(super) struct Hand {
        cards: [Card; 4],
    }
    impl Hand {
        fn tidy(&mut self) {
            self.cards.sort();
        }
        fn by_rank(&mut self) {
            self.cards.sort_by_key(|card| (card.rank, !card.suit));
        }
        fn mixed(&self) -> u32 {
            self.cards.iter().fold(0u32, |sum, card| sum.wrapping_mul(7) + card.suit * 13 + card.rank)
        }
    }

    /// Has a method of that name.
    pub(super) struct Own(u32);
    impl Own {
        fn sort(&mut self) {
            self.0 += 5;
        }
    }

    fn median(values: &mut [f32]) -> f32 {
        values.sort_by(|a, b| a.partial_cmp(b).unwrap());
        values[values.len() / 2]
    }
    fn spread(mut values: [f32; 6]) -> f32 {
        values.sort_unstable_by(f32::total_cmp);
        values[1] + 2.0 * values[4]
    }

    pub(super) fn of(i: u32) -> u32 {
        let mut own = [i % 7, 3, i % 11, 9, 2];
        own.sort();
        let mut down = [i % 5, i % 3, 4, 1];
        down.sort_unstable_by(|a, b| b.cmp(a));
        let mut values = [i as f32 % 7.0, 3.5, 1.5, i as f32 % 3.0, 2.0];
        let middle = median(&mut values) + spread([i as f32, 2.0, -1.0, 0.5, 9.0, i as f32 / 4.0]);
        let card = |suit, rank| Card { suit, rank };
        let mut hand = Hand { cards: [card(i % 4, i % 13), card(2, 5), card(i % 3, 5), card(0, 11)] };
        hand.tidy();
        let tidy = hand.mixed();
        hand.by_rank();
        let mut other = Own(i);
        other.sort();
        // Stable: of equal keys, the first stays in front.
        let mut pairs = [(i % 3, 'a'), (1, 'b'), (i % 2, 'c'), (1, 'd')];
        pairs.sort_by_key(|pair| pair.0);
        let letters = pairs.iter().fold(0u32, |sum, pair| sum * 31 + pair.1 as u32);
        let mut rows = [[3, i % 4, 1], [i % 9, 2, 5]];
        for row in rows.iter_mut() {
            row.sort();
        }
        rows[1].sort_by(|a, b| b.cmp(a));
        let numbers = own[2] * 10 + own[4] + down[1] + (middle * 4.0) as u32 + rows[0][1] * 7 + rows[1][0] + other.0;
        numbers.wrapping_add(tidy).wrapping_add(hand.mixed()).wrapping_add(letters)
    }
}

operands_by_into plain_operands_by_into run_operands_by_into RunOperandsByInto OPERANDS_BY_INTO {
    use core::ops::{Mul, Sub};

    #[derive(Clone, Copy)]
    pub(super) struct Fixed(i32);
    impl From<i32> for Fixed {
        fn from(whole: i32) -> Self {
            Fixed(whole << 8)
        }
    }
    impl Sub for Fixed {
        type Output = Fixed;
        fn sub(self, other: Fixed) -> Fixed {
            Fixed(self.0 - other.0)
        }
    }
    impl Mul for Fixed {
        type Output = Fixed;
        fn mul(self, by: Fixed) -> Fixed {
            Fixed((self.0 as i64 * by.0 as i64 >> 8) as i32)
        }
    }

    fn twice(f: impl Fn(Fixed) -> Fixed, x: Fixed) -> Fixed {
        f(f(x))
    }

    pub(super) fn of(i: u32) -> u32 {
        let whole = i as i32 % 50;
        twice(|x| x * x - whole.into(), Fixed(i as i32)).0 as u32
    }
}

}

/// The entries.
pub const CASES: &[Case] = &[
    NUMBERS_FIRST,
    CONSTS_NAMED_ZERO,
    TABLES_OF_BYTES,
    LARGER_AND_SMALLER,
    VECTORS_OF_ARRAYS,
    ERRORS_NAMED_ERR,
    SORTED,
    OPERANDS_BY_INTO,
];
