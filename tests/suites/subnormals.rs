//! Subnormal numbers on the device that `GRIDWISE_DEVICE` selects: it does what `Manager::subnormals` says, all numbers tried for `f16` and
//! `bf16`, and with `GRIDWISE_LONG=1` all subnormal numbers of `f32`; moves keep them everywhere; kernels that ask for them get them or an error.

use gridwise::half::{bf16, f16};
use gridwise::prelude::*;
use gridwise::{DeviceKind, Error, Result};

/// The number of results for each pair of operands.
const RESULTS: usize = 11;
const QUOTIENT: usize = 3;
const EXTREMES: std::ops::Range<usize> = 6..8;
const MOVES: std::ops::Range<usize> = 8..11;

/// Kernels with all operations on one type of float, the same for devices that keep subnormal numbers, and what Rust says.
macro_rules! operations {
    ($float:ident, $bits:ident, $kernel:ident, $demanding:ident, $of:ident) => {
        #[kernel(workgroup = 64)]
        fn $kernel(x: &[$bits], y: &[$bits], found: &mut [$bits]) {
            let i = global_id().x as usize;
            let (a, b) = ($float::from_bits(x[i]), $float::from_bits(y[i]));
            let results = [
                (a + b).to_bits(),
                (a - b).to_bits(),
                (a * b).to_bits(),
                (a / b).to_bits(),
                if a < b { 1 } else { 0 },
                if a == b { 1 } else { 0 },
                a.min(b).to_bits(),
                a.max(b).to_bits(),
                (-a).to_bits(),
                a.copysign(b).to_bits(),
                a.to_bits(),
            ];
            for k in 0..11 {
                found[11 * i + k] = results[k];
            }
        }

        #[kernel(workgroup = 64, subnormals)]
        fn $demanding(x: &[$bits], y: &[$bits], found: &mut [$bits]) {
            let i = global_id().x as usize;
            let (a, b) = ($float::from_bits(x[i]), $float::from_bits(y[i]));
            found[i] = (a + b).to_bits();
        }

        fn $of(a: u64, b: u64) -> [u64; RESULTS] {
            let (a, b) = ($float::from_bits(a as $bits), $float::from_bits(b as $bits));
            let floats = [a + b, a - b, a * b, a / b].map(|result| u64::from(result.to_bits()));
            let rest = [a.min(b), a.max(b), -a, a.copysign(b), a].map(|result| u64::from(result.to_bits()));
            let truths = [a < b, a == b].map(u64::from);
            [&floats[..], &truths[..], &rest[..]].concat().try_into().expect("as many")
        }
    };
}

operations!(f16, u16, of_halves, ask_halves, halves);
operations!(bf16, u16, of_brains, ask_brains, brains);
operations!(f32, u32, of_singles, ask_singles, singles);
operations!(f64, u64, of_doubles, ask_doubles, doubles);

/// A type of float by its bits.
#[derive(Clone, Copy)]
struct Layout {
    bits: u32,
    /// The smallest normal number.
    normal: u64,
}

impl Layout {
    fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    fn size(self, number: u64) -> u64 {
        number & (self.sign() - 1)
    }

    fn is_subnormal(self, number: u64) -> bool {
        (1..self.normal).contains(&self.size(number))
    }

    fn is_nan(self, number: u64) -> bool {
        self.size(number) > self.sign() - self.normal
    }

    /// The zero that a device may take a subnormal number for.
    fn flushed(self, number: u64) -> u64 {
        if self.is_subnormal(number) { number & self.sign() } else { number }
    }

    /// Whether a result is that of Rust, but for the signs of zeros in minima and the last digits of quotients.
    fn is(self, at: usize, expected: u64, found: u64) -> bool {
        let is_close = at == QUOTIENT && self.size(expected) != 0 && expected.abs_diff(found) <= 4;
        let is_zero = EXTREMES.contains(&at) && self.size(expected) == 0 && self.size(found) == 0;
        expected == found || is_close || is_zero || self.is_nan(expected) && self.is_nan(found)
    }

    /// Whether it is what a device may give that takes subnormal numbers for zeros, before or behind.
    fn may_be(self, at: usize, (a, b): (u64, u64), found: u64, of: fn(u64, u64) -> [u64; RESULTS]) -> bool {
        let is_of = |a: u64, b: u64| {
            let expected = of(a, b)[at];
            // A result that is rounded up to the smallest normal number may be flushed before.
            let is_small = self.size(expected) <= self.normal && at <= QUOTIENT;
            self.is(at, expected, found) || is_small && found == expected & self.sign()
        };
        let either = EXTREMES.contains(&at) && [a, b].into_iter().any(|number| self.is_subnormal(number));
        is_of(a, b)
            || is_of(self.flushed(a), b)
            || is_of(a, self.flushed(b))
            || is_of(self.flushed(a), self.flushed(b))
            || either && [a, b, self.flushed(a), self.flushed(b)].contains(&found)
    }

    /// Checks what a device made of pairs; gives how many results are not Rust's.
    fn check(
        self,
        pairs: &[(u64, u64)],
        found: impl Iterator<Item = u64>,
        of: fn(u64, u64) -> [u64; RESULTS],
    ) -> usize {
        let mut others = 0;
        let mut found = found;
        for (a, b) in pairs {
            for (at, expected) in of(*a, *b).into_iter().enumerate() {
                let found = found.next().expect("a result for each");
                if self.is(at, expected, found) {
                    continue;
                }
                assert!(!MOVES.contains(&at), "moves change nothing: {at} of {a:#x}, {b:#x} gave {found:#x}");
                assert!(
                    self.may_be(at, (*a, *b), found, of),
                    "{at} of {a:#x} and {b:#x} gave {found:#x}, not {expected:#x}"
                );
                others += 1;
            }
        }
        others
    }
}

/// A few operands to go with all others, of both signs.
fn partners(layout: Layout, one: u64) -> Vec<u64> {
    let normal = layout.normal;
    let few = [0, 1, normal / 2 + 1, normal - 1, normal, normal + 3, one - normal, one, one + 4 * normal];
    few.into_iter().flat_map(|bits| [bits, bits | layout.sign()]).collect()
}

/// Tries pairs on the device, a part at a time; whether it did what it says of subnormal numbers.
macro_rules! tries {
    ($mgr:ident, $layout:expr, $numbers:expr, $one:expr, $bits:ident, $kernel:ident, $demanding:ident, $of:ident, $kept:expr) => {{
        let (layout, kept): (Layout, Option<bool>) = ($layout, $kept);
        let numbers: Vec<u64> = $numbers;
        let mut others = 0;
        for part in numbers.chunks(1 << 16).filter(|_| kept.is_some()) {
            let partners = partners(layout, $one);
            let pairs: Vec<(u64, u64)> =
                part.iter().zip(partners.iter().cycle()).flat_map(|(a, b)| [(*a, *b), (*b, *a), (*a, *a)]).collect();
            let (x, y): (Vec<$bits>, Vec<$bits>) = pairs.iter().map(|(a, b)| (*a as $bits, *b as $bits)).unzip();
            let (x, y) = ($mgr.tensor(&x)?, $mgr.tensor(&y)?);
            let mut found = $mgr.tensor_of_len::<$bits>(RESULTS * pairs.len())?;
            let seq = $mgr.sequence()?;
            $kernel::dispatch(&seq, Grid::items(pairs.len()), &x, &y, &mut found)?;
            seq.eval()?;
            others += layout.check(&pairs, found.to_vec()?.into_iter().map(u64::from), $of);
        }
        assert!(kept.is_none() || kept == Some(others == 0), "{others} results are not Rust's, it says {kept:?}");
        let (x, mut sum) = ($mgr.tensor(&[1 as $bits; 64])?, $mgr.tensor_of_len::<$bits>(64)?);
        let seq = $mgr.sequence()?;
        match $demanding::dispatch(&seq, Grid::items(64), &x, &x, &mut sum) {
            Ok(_) => {
                seq.eval()?;
                assert_eq!((kept, sum.to_vec()?), (Some(true), vec![2 as $bits; 64]));
            }
            Err(Error::MissingFeature { kernel, feature, file, line, device }) => {
                assert_ne!(kept, Some(true), "{feature}");
                assert_eq!(file, file!());
                assert!(line > 0 && kernel.starts_with("ask_"), "{kernel} at {line}");
                assert_eq!(device, $mgr.device().name);
            }
            Err(other) => panic!("{other}"),
        }
    }};
}

/// Numbers that spread over a range.
fn spread(count: u64, below: u64) -> Vec<u64> {
    (0..count).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % below).collect()
}

#[test]
fn devices_do_what_they_say() -> Result<()> {
    let mgr = Manager::new()?;
    let kept = mgr.subnormals()?;
    println!("{}: {kept:?}", mgr.device());
    let half = Layout { bits: 16, normal: 0x0400 };
    tries!(mgr, half, (0..1 << 16).collect(), 0x3c00, u16, OfHalves, AskHalves, halves, kept.f16);
    let brain = Layout { bits: 16, normal: 0x0080 };
    let has_16_bits = mgr.device().has(gridwise::descriptor::Feature::Storage16);
    let kept_brains = Some(kept.f32).filter(|_| has_16_bits);
    tries!(mgr, brain, (0..1 << 16).collect(), 0x3f80, u16, OfBrains, AskBrains, brains, kept_brains);
    let single = Layout { bits: 32, normal: 1 << 23 };
    let numbers = match std::env::var_os("GRIDWISE_LONG") {
        Some(_) => (0..1 << 23).collect(),
        None => spread(100_000, 1 << 23),
    };
    tries!(mgr, single, numbers, 0x3f80_0000, u32, OfSingles, AskSingles, singles, Some(kept.f32));
    let double = Layout { bits: 64, normal: 1 << 52 };
    tries!(mgr, double, spread(50_000, 1 << 52), 0x3ff << 52, u64, OfDoubles, AskDoubles, doubles, kept.f64);
    if mgr.device().kind == DeviceKind::Host {
        assert_eq!((kept.f16, kept.f32, kept.f64), (Some(true), true, Some(true)));
    }
    Ok(())
}

/// Conversions between widths, where the narrower number or both are subnormal.
#[kernel(workgroup = 64)]
fn convert(singles: &[u32], doubles: &[u64], narrow: &mut [u32], wide: &mut [u64]) {
    let i = global_id().x as usize;
    wide[i] = f64::from(f32::from_bits(singles[i])).to_bits();
    narrow[i] = (f64::from_bits(doubles[i]) as f32).to_bits();
}

#[test]
fn conversions_follow_the_same_rule() -> Result<()> {
    let mgr = Manager::new()?;
    let kept = mgr.subnormals()?;
    if kept.f64.is_none() {
        return Ok(());
    }
    let is_kept = kept.f32 && kept.f64 == Some(true);
    let singles: Vec<u32> = spread(10_000, 1 << 24).into_iter().map(|bits| bits as u32).collect();
    let doubles: Vec<u64> =
        singles.iter().map(|bits| (f64::from(f32::from_bits(*bits)) * 1.000_001).to_bits()).collect();
    let (x, y) = (mgr.tensor(&singles)?, mgr.tensor(&doubles)?);
    let (mut narrow, mut wide) = (mgr.tensor_of_len::<u32>(10_000)?, mgr.tensor_of_len::<u64>(10_000)?);
    let seq = mgr.sequence()?;
    Convert::dispatch(&seq, Grid::items(10_000), &x, &y, &mut narrow, &mut wide)?;
    seq.eval()?;
    let (narrow, wide) = (narrow.to_vec()?, wide.to_vec()?);
    for ((single, double), (narrow, wide)) in singles.iter().zip(&doubles).zip(narrow.iter().zip(&wide)) {
        let expected = f64::from(f32::from_bits(*single)).to_bits();
        let is_small = f32::from_bits(*single).is_subnormal();
        assert!(*wide == expected || !is_kept && is_small && *wide == 0, "{single:#x} became {wide:#x}");
        let expected = (f64::from_bits(*double) as f32).to_bits();
        let is_small = f32::from_bits(expected).abs() <= f32::MIN_POSITIVE;
        assert!(*narrow == expected || !is_kept && is_small && *narrow == 0, "{double:#x} became {narrow:#x}");
    }
    Ok(())
}
