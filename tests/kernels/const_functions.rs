//! `const fn`s, called by consts and by kernels, and methods of numbers in consts. Each also stands in a module that only rustc compiles.

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

const N: usize = 256;

both!(functions, plain_functions, {
    /// The table of CRC-32, reflected.
    pub(super) const CRC: [u32; 256] = table(POLYNOMIAL);
    const POLYNOMIAL: u32 = reversed(0x04c1_1db7);
    /// Consts that name each other by way of functions, in another order than they are needed.
    pub(super) const NAMED: [Color; 3] = [ORANGE, Color::hex(0x10_20_30).mixed(ORANGE), Color::BLACK];
    const ORANGE: Color = Color::hex(0xff_80_00);
    const SHIFTS: [u32; 3] = [16, 8, 0];
    /// Of array lengths, too.
    pub(super) const LEN: usize = longest(&[3, 11, 7]) as usize + Level::High.weight() as usize;

    const fn reversed(polynomial: u32) -> u32 {
        polynomial.reverse_bits()
    }

    const fn table(polynomial: u32) -> [u32; 256] {
        let mut table = [0; 256];
        let mut i = 0;
        while i < table.len() {
            table[i] = of_byte(i as u8, polynomial);
            i += 1;
        }
        table
    }

    pub(super) const fn of_byte(byte: u8, polynomial: u32) -> u32 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ polynomial } else { crc >> 1 };
            bit += 1;
        }
        crc
    }

    /// The largest, of a slice.
    const fn longest(lens: &[u32]) -> u32 {
        let mut longest = 0;
        let mut i = 0;
        while i < lens.len() {
            if lens[i] > longest {
                longest = lens[i];
            }
            i += 1;
        }
        longest
    }

    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum Level {
        Low,
        Middle(u32),
        High,
    }

    impl Level {
        pub(super) const fn weight(self) -> u32 {
            if let Level::Middle(n) = self
                && n > 50
            {
                return 99;
            }
            match self {
                Level::Low => 1,
                Level::Middle(n @ 1..=9) => n * 10,
                Level::Middle(n) if n > 40 => 98,
                Level::Middle(_) => 2,
                Level::High => 5,
            }
        }
    }

    pub(super) const WEIGHTS: [u32; 4] =
        [Level::Low.weight(), Level::Middle(7).weight(), Level::Middle(51).weight(), Level::Middle(10).weight()];

    #[derive(Clone, Copy)]
    pub(super) struct Color {
        pub(super) r: u8,
        pub(super) g: u8,
        pub(super) b: u8,
    }

    impl Color {
        pub(super) const BLACK: Self = Self::hex(0);

        pub(super) const fn hex(rgb: u32) -> Self {
            Self { r: part(rgb, 0), g: part(rgb, 1), b: part(rgb, 2) }
        }

        pub(super) const fn mixed(self, other: Self) -> Self {
            let Self { r, g, b } = self;
            Self { r: r / 2 + other.r / 2, g: g.wrapping_add(other.g), b: b.saturating_add(other.b) }
        }

        /// A pattern binds by reference; `*` reads the value.
        pub(super) const fn luma(&self) -> u32 {
            match self {
                Self { r: 255, .. } => 1000,
                Self { g: 101.., .. } => 500,
                Self { r, g, b } => *r as u32 + *g as u32 + *b as u32,
            }
        }
    }

    const fn part(rgb: u32, k: usize) -> u8 {
        (rgb >> SHIFTS[k]) as u8
    }

    /// The first pair whose product is this, by labels and what loops give.
    pub(super) const fn factors(product: u32) -> (u32, u32) {
        let mut a = 2;
        let found = 'all: loop {
            let mut b = a;
            while b < product {
                if a * b == product {
                    break 'all (a, b);
                }
                b += 1;
                if b > 40 {
                    a += 1;
                    continue 'all;
                }
            }
            break (1, product);
        };
        let (a, b) = found;
        (b, a)
    }

    const PAIRS: [(u32, u32); 3] = [factors(91), factors(37), factors(64)];

    pub(super) fn all(i: u32) -> [u32; 8] {
        let at = i as usize;
        let color = NAMED[at % 3];
        let own = [i; LEN];
        [
            CRC[at],
            of_byte(i as u8, POLYNOMIAL),
            color.luma() << 8 | Color::hex(i * 70_000).luma(),
            own.len() as u32 + own[LEN - 1],
            WEIGHTS[at % 4] + Level::Middle(i).weight(),
            PAIRS[at % 3].0 * 1000 + PAIRS[at % 3].1,
            factors(i % 50 + 2).0 * 1000 + factors(i % 50 + 2).1,
            u32::from(color.r) << 16 | u32::from(color.g) << 8 | u32::from(color.b),
        ]
    }
});

both!(limits, plain_limits, {
    /// Names that numbers have themselves: those come first, but for a type parameter.
    pub(super) trait Limits: Copy {
        const MAX: Self;
        const BITS: u32 = 5;
        const LEAST: Self;
    }

    impl Limits for u32 {
        const MAX: Self = u32::MAX - 9;
        const LEAST: Self = u32::MIN + 2;
    }

    impl Limits for f32 {
        const MAX: Self = f32::MAX / 2.0;
        const LEAST: Self = f32::EPSILON;
    }

    fn most<T: Limits>() -> (T, u32) {
        (T::MAX, T::BITS)
    }

    pub(super) fn all() -> [u32; 6] {
        let (number, float) = (most::<u32>(), most::<f32>());
        let own = u32::MAX ^ u32::BITS ^ u32::LEAST;
        [number.0, number.1, float.0.to_bits(), float.1, own, f32::MAX.to_bits() ^ f32::LEAST.to_bits()]
    }
});

/// A `const fn` of its own, and a const that calls it.
#[device]
const fn spread(seed: u32) -> u32 {
    let mixed = (seed ^ (seed >> 16)).wrapping_mul(0x7feb_352d);
    (mixed ^ (mixed >> 15)).rotate_left(mixed & 7)
}

#[device]
const SEEDS: [u32; 4] = [spread(1), spread(2), spread(3), spread(u32::MAX)];

const fn plain_spread(seed: u32) -> u32 {
    let mixed = (seed ^ (seed >> 16)).wrapping_mul(0x7feb_352d);
    (mixed ^ (mixed >> 15)).rotate_left(mixed & 7)
}

const PLAIN_SEEDS: [u32; 4] = [plain_spread(1), plain_spread(2), plain_spread(3), plain_spread(u32::MAX)];

#[kernel(workgroup = 32)]
fn called(out: &mut [[u32; 8]], seeds: &mut [u32]) {
    let i = global_id().x;
    out[i] = functions::all(i);
    seeds[i] = SEEDS[i as usize % 4] ^ spread(i);
}

both!(numbers, plain_numbers, {
    /// Methods of integers, as numbers of 64 bits.
    pub(super) const RESULTS: [u64; 72] = [
        7u8.wrapping_add(250) as u64,
        3u8.wrapping_sub(9) as u64,
        200u8.wrapping_mul(77) as u64,
        (-128i8).wrapping_neg() as u64,
        (-128i8).wrapping_abs() as u64,
        (-128i8).wrapping_div(-1) as u64,
        (-128i8).wrapping_rem(-1) as u64,
        1u32.wrapping_shl(37) as u64,
        (-100i16).wrapping_shr(19) as u64,
        13u32.wrapping_pow(30) as u64,
        (-3i64).wrapping_pow(61) as u64,
        u64::MAX.wrapping_mul(u64::MAX - 4),
        7u8.saturating_add(250) as u64,
        3u8.saturating_sub(9) as u64,
        (-100i8).saturating_sub(77) as u64,
        (-100i8).saturating_mul(77) as u64,
        (-100i8).saturating_mul(-77) as u64,
        i64::MIN.saturating_mul(-3) as u64,
        (-7i8).saturating_pow(9) as u64,
        7u64.saturating_pow(90),
        (-128i8).saturating_neg() as u64,
        (-128i8).saturating_abs() as u64,
        5usize.saturating_sub(9) as u64,
        200u8.saturating_add_signed(-77) as u64,
        20u8.saturating_add_signed(-77) as u64,
        200u8.checked_add(56).is_none() as u64,
        matches!(200u8.checked_add(55), Some(255)) as u64,
        3u32.checked_sub(4).is_none() as u64,
        i32::MIN.checked_div(-1).is_none() as u64,
        7i32.checked_div(0).is_none() as u64,
        1u16.checked_shl(16).is_none() as u64,
        3usize.checked_sub(4).is_none() as u64,
        200u8.overflowing_add(77).0 as u64,
        200u8.overflowing_add(77).1 as u64,
        (-128i8).overflowing_rem(-1).1 as u64,
        1u8.overflowing_shl(9).0 as u64,
        1u8.overflowing_shl(9).1 as u64,
        0x81u8.rotate_left(3) as u64,
        0x81u8.rotate_right(3) as u64,
        (-2i16).rotate_left(5) as u64,
        (-2i16).rotate_left(16) as u64,
        0x1234_5678u32.rotate_right(0) as u64,
        0x8000_0000_0000_0001u64.rotate_left(1),
        (-2i8).count_ones() as u64,
        0x0fu16.count_zeros() as u64,
        0x0fu16.leading_zeros() as u64,
        (-1i32).leading_zeros() as u64,
        0u8.leading_zeros() as u64,
        0u32.trailing_zeros() as u64,
        40i64.trailing_zeros() as u64,
        0x12u8.reverse_bits() as u64,
        0x1234i16.swap_bytes() as u64,
        0x0102_0304_0506_0708u64.swap_bytes(),
        (-7i32).abs().pow(2) as u64,
        (-7i8).abs_diff(120) as u64,
        3u32.abs_diff(9) as u64,
        (-7i32).rem_euclid(4) as u64,
        (-7i32).div_euclid(4) as u64,
        (-7i32).div_euclid(-4) as u64,
        17u32.div_ceil(5) as u64,
        17u32.next_multiple_of(5) as u64,
        17usize.next_power_of_two() as u64,
        0u32.next_power_of_two() as u64,
        16u16.is_power_of_two() as u64,
        0u16.is_power_of_two() as u64,
        (-9i64).signum() as u64,
        (-9i64).is_negative() as u64,
        9i8.is_positive() as u64,
        3u64.pow(40),
        (-3i64).pow(39) as u64,
        1.5f32.to_bits() as u64,
        (-1.5f64).abs().to_bits(),
    ];

    pub(super) fn result(i: u32) -> [u32; 2] {
        let result = RESULTS[i as usize % 72];
        [result as u32, (result >> 32) as u32]
    }
});

#[kernel(workgroup = 32)]
fn results(out: &mut [[u32; 2]], most: &mut [u32]) {
    let i = global_id().x;
    out[i] = numbers::result(i);
    most[i] = limits::all()[i as usize % 6];
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "const_functions::called",
        [Called],
        |mgr| {
            let mut out = mgr.tensor(&vec![[0u32; 8]; N])?;
            let mut seeds = mgr.tensor_of_len(N)?;
            let seq = mgr.sequence()?;
            Called::dispatch(&seq, Grid::items(N), &mut out, &mut seeds)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat()), Output::U32(seeds.to_vec()?)])
        },
        || {
            let seeds = (0..N as u32).map(|i| PLAIN_SEEDS[i as usize % 4] ^ plain_spread(i)).collect();
            vec![Output::U32((0..N as u32).flat_map(plain_functions::all).collect()), Output::U32(seeds)]
        }
    ),
    case!(
        "const_functions::results",
        [Results],
        |mgr| {
            let (mut out, mut most) = (mgr.tensor(&vec![[0u32; 2]; 96])?, mgr.tensor_of_len(96)?);
            let seq = mgr.sequence()?;
            Results::dispatch(&seq, Grid::items(96), &mut out, &mut most)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat()), Output::U32(most.to_vec()?)])
        },
        || {
            let most = (0..96).map(|i| plain_limits::all()[i % 6]).collect();
            vec![Output::U32((0..96).flat_map(plain_numbers::result).collect()), Output::U32(most)]
        }
    ),
];
