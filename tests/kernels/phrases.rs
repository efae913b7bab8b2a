//! Turns of phrase of Rust programmers: literals whose type the result tells, temporaries that are exchanged, states
//! that are tuples, halves of `f64`, sums of one's own type in shared memory. Phrases that need no device also stand in
//! a module that only rustc compiles.

#![allow(
    clippy::manual_unwrap_or,
    clippy::needless_range_loop,
    clippy::redundant_closure,
    clippy::swap_with_temporary,
    clippy::unnecessary_fallible_conversions,
    clippy::unnecessary_fold,
    reason = "these are the forms that are tried"
)]

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output, patterns};

const N: usize = 64;

both!(phrases, plain, {
    use core::array::TryFromSliceError;
    use core::mem;
    use core::num::TryFromIntError;

    fn hash(v: [u32; 3]) -> u64 {
        v.iter().fold(1, |h, &v| h.wrapping_mul(0x0100_0000_01b3) ^ u64::from(v))
    }

    fn last(v: [u32; 3]) -> (u64, i64) {
        v.iter().rev().fold((0, -1), |(n, s), &v| (n + u64::from(v) * 4_000_000_000, s - i64::from(v)))
    }

    /// Literals that take the type of the result.
    pub(super) fn folds(i: u32) -> [u32; 4] {
        let v = [i, i * 7 + 3, i ^ 0xdead_beef];
        let back: u64 = v.iter().rfold(7, |h, &v| h.rotate_left(9) ^ u64::from(v));
        let other: u64 = Some(i).filter(|i| i % 3 > 0).map_or(1, |v| u64::from(v).wrapping_mul(u64::MAX / 3));
        let (n, s) = last(v);
        [(hash(v) >> 32) as u32 ^ hash(v) as u32, (back >> 17) as u32, (other >> 9) as u32, (n >> 20) as u32 ^ s as u32]
    }

    fn next(n: u32) -> u32 {
        n * 3 + 1
    }

    /// Exchanges with values that have no name.
    pub(super) fn swaps(i: u32) -> [u32; 4] {
        let (mut a, mut pair, mut table) = (i, (i, 2u64), [1, 2, 3, i]);
        mem::swap(&mut a, &mut next(i));
        mem::swap(&mut pair, &mut (7, u64::from(i) << 33));
        mem::swap(&mut table[(i % 4) as usize], &mut 99);
        mem::swap(&mut 5, &mut pair.0);
        [a, pair.0 + (pair.1 >> 32) as u32, table[(i % 4) as usize], table.iter().sum()]
    }

    /// 0 for what fails.
    fn told<T, E>(v: Result<T, E>, number: impl Fn(T) -> u32) -> u32 {
        match v {
            Ok(v) => number(v) ^ 0x8000,
            Err(_) => 0,
        }
    }

    fn small(n: i64) -> Result<i8, TryFromIntError> {
        let half = i8::try_from(n / 2)?;
        (i64::from(half) + n).try_into()
    }

    /// Conversions that may fail, at and beside all borders.
    pub(super) fn tries(i: u32) -> [u32; 4] {
        let edges = [0i64, 1 << 7, 1 << 8, 1 << 15, 1 << 16, 1 << 31, 1 << 32, i64::MAX];
        let sign = if i / 24 % 2 == 0 { 1 } else { -1 };
        let n = edges[(i % 8) as usize].wrapping_add(i64::from(i / 8 % 3) - 1).wrapping_mul(sign);
        let to_signed = told(i8::try_from(n), |v| v as u32)
            ^ told(i16::try_from(n), |v| v as u32) << 3
            ^ told(i32::try_from(n), |v| v as u32) << 7
            ^ told(i64::try_from(n as u64), |v| v as u32) << 11;
        let to_unsigned = told(u8::try_from(n), |v| u32::from(v))
            ^ told(u16::try_from(n), |v| u32::from(v)) << 3
            ^ told(u32::try_from(n), |v| v) << 7
            ^ told(u64::try_from(n), |v| v as u32) << 11;
        let narrow = n as i32;
        let same_size = told(u32::try_from(narrow), |v| v)
            ^ told(i32::try_from(narrow as u32), |v| v as u32) << 3
            ^ told(i8::try_from(narrow as u8), |v| v as u32) << 5
            ^ told(u16::try_from(narrow as u8), |v| u32::from(v)) << 9
            ^ told(usize::try_from(narrow), |v| v as u32) << 13;
        let into: Option<u16> = n.try_into().ok();
        let sum = u8::try_from(i).unwrap_or(u8::MAX).wrapping_mul(3);
        [to_signed, to_unsigned, same_size, into.map_or(1, u32::from) + u32::from(sum) ^ told(small(n), |v| v as u32)]
    }

    fn word(x: &[u8]) -> Option<u32> {
        Some(u32::from_be_bytes(x.get(1..5)?.try_into().ok()?))
    }

    fn sized<const LEN: usize>(x: &[u8]) -> Result<[u8; LEN], TryFromSliceError> {
        x.try_into()
    }

    /// Arrays of slices.
    pub(super) fn arrays(i: u32) -> [u32; 4] {
        let bytes: [u8; 24] = core::array::from_fn(|k| (i * 7 + k as u32 * 41) as u8);
        let at = (i % 20) as usize;
        let short: u32 = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let wide: Result<[u8; 20], _> = bytes[..at].try_into();
        let pair: [u8; 2] = match sized(&bytes[at..24usize.min(at + 1 + at % 3)]) {
            Ok(pair) => pair,
            Err(_) => [9, 8],
        };
        let long =
            bytes[at / 10..at / 10 + 20].try_into().map_or(3, |v: [u8; 20]| v.iter().map(|&v| u32::from(v)).sum());
        [
            short,
            word(&bytes[..at]).unwrap_or(5),
            wide.map_or(1, |v| u32::from(v[19])) + long,
            u32::from(pair[0]) << 8 | u32::from(pair[1]),
        ]
    }

    #[derive(Clone, Copy)]
    struct Slots {
        held: [Option<u32>; 3],
        pair: Option<(u32, u64)>,
    }

    /// Options after an insertion into those that held nothing.
    pub(super) fn inserts(i: u32) -> [u32; 4] {
        let mut slots = Slots { held: [None, Some(i), (i % 3 > 1).then_some(7)], pair: None };
        let mut asked = 0;
        let first = *slots.held[(i % 3) as usize].get_or_insert(i * 2);
        let second = *slots.held[0].get_or_insert_with(|| {
            asked += 1;
            i + 100
        });
        let third = *slots.held[2].insert(i ^ 5) + *slots.held[2].get_or_insert(3);
        let (n, wide) = *slots.pair.get_or_insert_with(|| (i, u64::from(i) << 40));
        let again = slots.pair.get_or_insert((9, 9)).1;
        let all: u32 = slots.held.iter().flatten().sum();
        [first, second * 10 + asked, third + all, n + (wide >> 38) as u32 + (again >> 39) as u32]
    }

    /// Options changed where they stand, after an insertion into those that held nothing.
    pub(super) fn counts(i: u32) -> [u32; 4] {
        let mut slots = Slots { held: [None, Some(i), (i % 3 > 1).then_some(7)], pair: None };
        let (mut made, k) = (0, (i % 3) as usize);
        *slots.held[k].get_or_insert(i * 2) += 5;
        *slots.held[k].get_or_insert(1000) <<= i % 7;
        *slots.held[0].get_or_insert_with(|| {
            made += 1;
            i + 100
        }) ^= 3;
        *slots.held[2].insert(9) = i * 3;
        let mut wide: Option<u64> = None;
        *wide.get_or_insert(1 << 40) -= 1;
        grow(&mut slots.held[1], i);
        let [a, b, c] = slots.held.map(|held| held.unwrap_or(77));
        [a * 10 + made, b, c, (wide.unwrap_or(0) >> 20) as u32]
    }

    fn grow(slot: &mut Option<u32>, by: u32) {
        *slot.get_or_insert(50) *= by + 2;
    }

    pub(super) trait Limits {
        const MAX: u64;
        const ROW: [u8; 3] = [1, 2, 3];
    }

    pub(super) trait Sides {
        const MAX: u64;
    }

    impl Limits for u32 {
        const MAX: u64 = 5_000_000_000;
    }

    impl Sides for u32 {
        const MAX: u64 = 7;
    }

    #[derive(Clone, Copy)]
    pub(super) struct Square(u32);

    impl Limits for Square {
        const MAX: u64 = <u32 as Limits>::MAX + 1;
        const ROW: [u8; 3] = [9, 8, 7];
    }

    impl Square {
        const MAX: u64 = 3;
    }

    fn most<T: Limits + Sides>() -> u64 {
        <T as Limits>::MAX * 10 + <T as Sides>::MAX
    }

    /// Consts by the traits that give them.
    pub(super) fn consts(i: u32) -> [u32; 4] {
        let row = <Square as Limits>::ROW[(i % 3) as usize] + <u32 as Limits>::ROW[(i / 2 % 3) as usize];
        [
            (<u32 as Limits>::MAX >> 3) as u32 ^ u32::MAX,
            (<Square as Limits>::MAX % 1000) as u32 + Square::MAX as u32 + Square(i).0,
            u32::from(row) + <u32 as Sides>::MAX as u32,
            (most::<u32>() >> 5) as u32,
        ]
    }

    /// States that are taken apart where they stand.
    pub(super) fn scans(i: u32) -> [u32; 4] {
        let fibonacci = (0..i % 20).scan((0, 1), |(a, b), _| {
            let next = *a + *b;
            (*a, *b) = (*b, next);
            Some(*a)
        });
        let nested = (0..9u32).scan(((1u64, [0u32; 2]), i), |((n, seen), left), k| {
            seen[(k % 2) as usize] += k;
            *n = n.wrapping_mul(31) ^ u64::from(*left);
            *left = left.checked_sub(k)?;
            Some(*n as u32 + seen[0] * 3 + seen[1])
        });
        let first = [i, 4, i / 2].into_iter().scan((i, 0, 1u32), |(a, ..), v| {
            *a += v;
            Some(*a)
        });
        let skipped = (0..5u32).scan((i, 3), |(_, n), v| {
            *n *= v + 1;
            (*n < 100).then_some(*n)
        });
        [fibonacci.sum(), nested.last().unwrap_or(5), first.sum(), skipped.max().unwrap_or(0)]
    }
});

macro_rules! kernels {
    ($($kernel:ident $name:ident)*) => {
        $(
            #[kernel(workgroup = 32)]
            fn $kernel(out: &mut [[u32; 4]]) {
                let i = global_id().x;
                out[i] = phrases::$name(i);
            }
        )*
    };
}

kernels! { run_folds folds  run_swaps swaps  run_scans scans  run_tries tries  run_arrays arrays }
kernels! { run_consts consts  run_inserts inserts  run_counts counts }

/// Panics with the words of Rust's own errors.
#[kernel(workgroup = 32)]
fn fails(n: u32, x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = u32::from(u8::try_from(n).expect("a byte"));
    let pair: [u32; 2] = x[..n as usize % 2].try_into().unwrap();
    out[i] += pair[0];
}

/// A value of each size around each border between two halves.
fn doubles() -> Vec<f64> {
    let halves = (0..0x7c00u16).step_by(37).chain([1, 2, 0x3ff, 0x400, 0x7bfe, 0x7bff]);
    let wide = halves.flat_map(|bits| {
        let (a, b) = (f16::from_bits(bits).to_f64(), f16::from_bits(bits + 1).to_f64());
        let middle = if b.is_finite() { (a + b) / 2.0 } else { 65520.0 };
        // Half way between two halves, and as near to that as an `f64` comes: an `f32` in between would round twice.
        [a, middle, middle.next_up(), middle.next_down()]
    });
    let edges = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 1e-30, 65519.999, -65520.0];
    wide.flat_map(|v| [v, -v]).chain(edges).collect()
}

#[kernel(workgroup = 64)]
fn halves(x: &[f64], out: &mut [f16]) {
    let i = global_id().x;
    out[i] = f16::from_f64(x[i]);
}

#[kernel(workgroup = 64)]
fn short_floats(x: &[f64], out: &mut [bf16]) {
    let i = global_id().x;
    out[i] = bf16::from_f64(x[i]);
}

/// The nearest of all numbers of a type, the even one of two.
fn nearest(value: f64, ordered: &[(f64, u16)], infinity: u16) -> u64 {
    if value.is_nan() {
        return u64::MAX;
    }
    let at = ordered.partition_point(|(known, _)| *known < value.abs());
    let last = ordered[ordered.len() - 1].0;
    let overflow = last + (last - ordered[ordered.len() - 2].0) / 2.0;
    let bits = match (at.checked_sub(1).map(|below| ordered[below]), ordered.get(at).copied()) {
        _ if value.abs() >= overflow => infinity,
        (None, Some((_, bits))) | (Some((_, bits)), None) => bits,
        (Some((below, low)), Some((above, high))) => {
            let (down, up) = (value.abs() - below, above - value.abs());
            if down < up || down == up && low % 2 == 0 { low } else { high }
        }
        (None, None) => 0,
    };
    u64::from(bits | u16::from(value.is_sign_negative()) << 15)
}

fn all_nearest(to_f64: impl Fn(u16) -> f64, infinity: u16) -> Vec<Output> {
    let ordered: Vec<_> = (0..infinity).map(|bits| (to_f64(bits), bits)).collect();
    vec![Output::Bits(doubles().into_iter().map(|value| nearest(value, &ordered, infinity)).collect())]
}

/// The sums of complex numbers, a type with operators of its own, in shared memory.
#[device]
mod complex {
    use core::ops::{Add, AddAssign, Mul, MulAssign};

    use gridwise::prelude::*;

    #[derive(Clone, Copy, GpuData)]
    #[repr(C)]
    pub(super) struct Complex {
        pub(super) re: i32,
        pub(super) im: i32,
    }

    impl Add for Complex {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            Self { re: self.re + other.re, im: self.im + other.im }
        }
    }

    impl AddAssign for Complex {
        fn add_assign(&mut self, other: Self) {
            *self = *self + other;
        }
    }

    impl Mul for Complex {
        type Output = Self;

        fn mul(self, other: Self) -> Self {
            Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
        }
    }

    impl MulAssign<i32> for Complex {
        fn mul_assign(&mut self, by: i32) {
            self.re *= by;
            self.im *= by;
        }
    }

    impl Complex {
        pub(super) fn turn(&mut self, by: Self) {
            *self = *self * by;
        }
    }
}

use complex::Complex;

#[kernel(workgroup = 32)]
fn in_shared_memory(x: &[Complex], out: &mut [Complex]) {
    let parts = Shared::<[Complex; 32]>::new();
    let lanes: Shared<[IVec4; 32]> = Shared::new();
    let (t, i) = (local_id().x as usize, global_id().x as usize);
    parts[t] = x[i];
    lanes[t] = IVec4::splat(x[i].re);
    barrier();
    let mut n = 16;
    while n > 0 {
        if t < n {
            parts[t] += parts[t + n];
            lanes[t] += lanes[t + n];
        }
        barrier();
        n /= 2;
    }
    out[i] = parts[0];
    out[i] *= lanes[0].z % 5;
    barrier();
    if t < 4 {
        parts[t] = x[i];
        parts[t].turn(x[i]);
        parts[t].re *= parts[t].im;
    }
    barrier();
    if t == 0 {
        parts[1].turn(parts[2]);
        parts[0] *= parts[1].im;
        out[i] += parts[0];
    }
}

fn complexes() -> Vec<Complex> {
    patterns(2 * N, 31)
        .chunks(2)
        .map(|v| Complex { re: (v[0] % 41) as i32 - 20, im: (v[1] % 37) as i32 - 18 })
        .collect()
}

fn expected_in_shared_memory() -> Vec<Output> {
    let all = complexes();
    let mut out = Vec::new();
    for group in all.chunks(32) {
        let sum = group[1..].iter().fold(group[0], |a, b| a + *b);
        let by = group.iter().map(|c| c.re).sum::<i32>() % 5;
        for lane in 0..32 {
            let mut own = sum;
            own *= by;
            if lane == 0 {
                let mut turned = [group[0], group[1], group[2]].map(|c| c * c);
                turned.iter_mut().for_each(|c| c.re *= c.im);
                let mut first = turned[0];
                first *= (turned[1] * turned[2]).im;
                own += first;
            }
            out.extend([own.re, own.im]);
        }
    }
    vec![Output::I32(out)]
}

macro_rules! compared {
    ($name:literal, $kernel:ident, $plain:ident) => {
        case!(
            $name,
            [$kernel],
            |mgr| {
                let mut out = mgr.tensor(&vec![[0u32; 4]; N])?;
                let seq = mgr.sequence()?;
                $kernel::dispatch(&seq, Grid::items(N), &mut out)?;
                seq.eval()?;
                Ok(vec![Output::U32(out.to_vec()?.concat())])
            },
            || vec![Output::U32((0..N as u32).flat_map(plain::$plain).collect())]
        )
    };
}

macro_rules! rounded {
    ($mgr:ident, $kernel:ident, $ty:ident) => {{
        let values = doubles();
        let (x, mut out) = ($mgr.tensor(&values)?, $mgr.tensor_of_len::<$ty>(values.len())?);
        let seq = $mgr.sequence()?;
        $kernel::dispatch(&seq, Grid::items(values.len()), &x, &mut out)?;
        seq.eval()?;
        let bits = |v: $ty| if v.is_nan() { u64::MAX } else { v.to_bits().into() };
        Ok(vec![Output::Bits(out.to_vec()?.into_iter().map(bits).collect())])
    }};
}

/// The entries.
pub const CASES: &[Case] = &[
    compared!("phrases::folds", RunFolds, folds),
    compared!("phrases::swaps", RunSwaps, swaps),
    compared!("phrases::scans", RunScans, scans),
    compared!("phrases::tries", RunTries, tries),
    compared!("phrases::arrays", RunArrays, arrays),
    compared!("phrases::consts", RunConsts, consts),
    compared!("phrases::inserts", RunInserts, inserts),
    compared!("phrases::counts", RunCounts, counts),
    case!("phrases::fails", [Fails], |mgr| {
        let (x, mut out) = (mgr.tensor(&[0u32; 2])?, mgr.tensor(&[0u32; 2])?);
        let seq = mgr.sequence()?;
        Fails::dispatch(&seq, Grid::items(1), 300, &x, &mut out)?;
        let first = super::traps::report(&seq)?;
        let seq = mgr.sequence()?;
        Fails::dispatch(&seq, Grid::items(1), 3, &x, &mut out)?;
        Ok(vec![first, super::traps::report(&seq)?])
    }),
    case!("phrases::halves", [Halves], |mgr| rounded!(mgr, Halves, f16), || {
        all_nearest(|bits| f16::from_bits(bits).to_f64(), 0x7c00)
    }),
    case!("phrases::short_floats", [ShortFloats], |mgr| rounded!(mgr, ShortFloats, bf16), || {
        all_nearest(|bits| bf16::from_bits(bits).to_f64(), 0x7f80)
    }),
    case!(
        "phrases::in_shared_memory",
        [InSharedMemory],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&complexes())?, mgr.tensor_of_len::<Complex>(N)?);
            let seq = mgr.sequence()?;
            InSharedMemory::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::I32(out.to_vec()?.into_iter().flat_map(|c| [c.re, c.im]).collect())])
        },
        expected_in_shared_memory
    ),
];
