//! Integer methods that wrap, saturate or say that they overflowed, and others: all pairs of bytes, edges and noise of wider ones.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, Scalar, bits, pairs, run_pairs};

/// Operands of the kernel on `isize`.
const N: usize = 8192;
/// Results of one pair.
const K: usize = 32;

/// The entries.
pub const CASES: &[Case] = &[
    case!("overflow::i8", [I8Overflow], i8_run, i8_expected),
    case!("overflow::i16", [I16Overflow], i16_run, i16_expected),
    case!("overflow::i32", [I32Overflow], i32_run, i32_expected),
    case!("overflow::i64", [I64Overflow], i64_run, i64_expected),
    case!("overflow::u8", [U8Overflow], u8_run, u8_expected),
    case!("overflow::u16", [U16Overflow], u16_run, u16_expected),
    case!("overflow::u32", [U32Overflow], u32_run, u32_expected),
    case!("overflow::u64", [U64Overflow], u64_run, u64_expected),
    case!(
        "overflow::isize",
        [IsizeOverflow],
        |mgr| {
            let (a, b) = (mgr.tensor(&i32::samples(N, 2))?, mgr.tensor(&i32::samples(N, 3))?);
            let mut out = mgr.tensor(&vec![0i32; N * 5])?;
            let seq = mgr.sequence()?;
            IsizeOverflow::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::I32(out.to_vec()?)])
        },
        || {
            let results = i32::samples(N, 2).into_iter().zip(i32::samples(N, 3)).flat_map(|(a, b)| {
                let (product, lost) = a.overflowing_mul(b);
                [a.checked_add(b).unwrap_or(7), product, lost.into(), a.saturating_sub(b), a.wrapping_pow(3)]
            });
            vec![Output::I32(results.collect())]
        }
    ),
];

macro_rules! overflow {
    ($($kernel:ident $entry:ident $run:ident $expected:ident $ty:ident;)+) => { $(
        #[kernel(workgroup = 64)]
        fn $kernel(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
            let i = global_id().x;
            let (a, b) = (a[i], b[i]);
            let n = b as u32;
            let d = if b == 0 { 3 } else { b };
            let o = i * 32;
            let (sum, lost) = a.overflowing_add(b);
            out[o] = sum;
            out[o + 1] = if lost { 1 } else { 0 };
            let (difference, lost) = a.overflowing_sub(b);
            out[o + 2] = difference;
            out[o + 3] = if lost { 1 } else { 0 };
            let (product, lost) = a.overflowing_mul(b);
            out[o + 4] = product;
            out[o + 5] = if lost { 1 } else { 0 };
            out[o + 6] = a.checked_add(b).unwrap_or(77);
            out[o + 7] = a.checked_mul(b).unwrap_or(78);
            out[o + 8] = a.checked_div(b).unwrap_or(79);
            out[o + 9] = a.checked_rem(b).unwrap_or(80);
            out[o + 10] = a.checked_rem_euclid(b).unwrap_or(81);
            out[o + 11] = a.checked_shl(n).unwrap_or(82);
            out[o + 12] = a.checked_shr(n).unwrap_or(83);
            out[o + 13] = a.checked_pow(n % 12).unwrap_or(84);
            out[o + 14] = a.checked_neg().unwrap_or(85);
            out[o + 15] = a.saturating_add(b);
            out[o + 16] = a.saturating_sub(b);
            out[o + 17] = a.saturating_mul(b);
            out[o + 18] = a.saturating_pow(n % 12);
            out[o + 19] = a.wrapping_div(d);
            out[o + 20] = a.wrapping_rem(d);
            out[o + 21] = a.wrapping_div_euclid(d);
            out[o + 22] = a.wrapping_rem_euclid(d);
            out[o + 23] = a.saturating_div(d);
            out[o + 24] = a.midpoint(b);
            out[o + 25] = a.rotate_left(n);
            out[o + 26] = a.rotate_right(n);
            out[o + 27] = a.swap_bytes();
            out[o + 28] = a.leading_ones() as $ty;
            out[o + 29] = a.trailing_ones() as $ty;
            out[o + 30] = a.checked_ilog2().unwrap_or(99) as $ty;
            out[o + 31] = (a.abs_diff(b) / 2) as $ty;
        }

        fn $run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
            run_pairs(mgr, pairs(|byte| byte as $ty, $ty::BITS), K, $entry::dispatch)
        }

        fn $expected() -> Vec<Output> {
            let (a, b) = pairs(|byte| byte as $ty, $ty::BITS);
            let results = a.into_iter().zip(b).flat_map(|(a, b)| {
                let n = b as u32;
                let d = if b == 0 { 3 } else { b };
                [
                    a.wrapping_add(b),
                    a.overflowing_add(b).1.into(),
                    a.wrapping_sub(b),
                    a.overflowing_sub(b).1.into(),
                    a.wrapping_mul(b),
                    a.overflowing_mul(b).1.into(),
                    a.checked_add(b).unwrap_or(77),
                    a.checked_mul(b).unwrap_or(78),
                    a.checked_div(b).unwrap_or(79),
                    a.checked_rem(b).unwrap_or(80),
                    a.checked_rem_euclid(b).unwrap_or(81),
                    a.checked_shl(n).unwrap_or(82),
                    a.checked_shr(n).unwrap_or(83),
                    a.checked_pow(n % 12).unwrap_or(84),
                    a.checked_neg().unwrap_or(85),
                    a.saturating_add(b),
                    a.saturating_sub(b),
                    a.saturating_mul(b),
                    a.saturating_pow(n % 12),
                    a.wrapping_div(d),
                    a.wrapping_rem(d),
                    a.wrapping_div_euclid(d),
                    a.wrapping_rem_euclid(d),
                    a.saturating_div(d),
                    a.midpoint(b),
                    a.rotate_left(n),
                    a.rotate_right(n),
                    a.swap_bytes(),
                    a.leading_ones() as $ty,
                    a.trailing_ones() as $ty,
                    a.checked_ilog2().unwrap_or(99) as $ty,
                    (a.abs_diff(b) / 2) as $ty,
                ]
            });
            vec![bits(&results.collect::<Vec<_>>())]
        }
    )+ };
}

overflow! {
    i8_overflow I8Overflow i8_run i8_expected i8;
    i16_overflow I16Overflow i16_run i16_expected i16;
    i32_overflow I32Overflow i32_run i32_expected i32;
    i64_overflow I64Overflow i64_run i64_expected i64;
    u8_overflow U8Overflow u8_run u8_expected u8;
    u16_overflow U16Overflow u16_run u16_expected u16;
    u32_overflow U32Overflow u32_run u32_expected u32;
    u64_overflow U64Overflow u64_run u64_expected u64;
}

#[kernel(workgroup = 64)]
fn isize_overflow(a: &[i32], b: &[i32], out: &mut [i32]) {
    let i = global_id().x;
    let (a, b) = (a[i] as isize, b[i] as isize);
    out[i * 5] = a.checked_add(b).unwrap_or(7) as i32;
    let (product, lost) = a.overflowing_mul(b);
    out[i * 5 + 1] = product as i32;
    out[i * 5 + 2] = if lost { 1 } else { 0 };
    out[i * 5 + 3] = a.saturating_sub(b) as i32;
    out[i * 5 + 4] = a.wrapping_pow(3) as i32;
}
