//! Methods of numbers: logarithms, roots, bytes, carries, and those that panic on overflow in every build.

use gridwise::Error;
use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, Scalar as _, bits};

const N: usize = 512;

/// The text of each way to panic, in order.
fn panic_texts(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut texts = String::new();
    for which in 0..12 {
        let mut out = mgr.tensor(&[0i32; 4])?;
        let seq = mgr.sequence()?;
        Panics::dispatch(&seq, Grid::items(1), which, -7, &mut out)?;
        match seq.eval() {
            Err(Error::KernelPanic { message, .. }) => texts += &format!("{message}\n"),
            other => texts += &format!("{other:?} {:?}\n", out.to_vec()?),
        }
    }
    Ok(vec![Output::Report(texts)])
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "numbers::signed",
        [Signed],
        |mgr| {
            let (a, b) = (mgr.tensor(&i32::samples(N, 1))?, mgr.tensor(&i32::samples(N, 2))?);
            let (mut out, seq) = (mgr.tensor(&vec![0i32; N * 8])?, mgr.sequence()?);
            Signed::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
            seq.eval()?;
            Ok(vec![bits(&out.to_vec()?)])
        },
        || {
            let out: Vec<i32> =
                i32::samples(N, 1).into_iter().zip(i32::samples(N, 2)).flat_map(|(a, b)| signed_of(a, b)).collect();
            vec![bits(&out)]
        }
    ),
    case!(
        "numbers::unsigned",
        [Unsigned],
        |mgr| {
            let (a, b) = (mgr.tensor(&u64::samples(N, 3))?, mgr.tensor(&u64::samples(N, 4))?);
            let (mut out, seq) = (mgr.tensor(&vec![0u64; N * 8])?, mgr.sequence()?);
            Unsigned::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
            seq.eval()?;
            Ok(vec![bits(&out.to_vec()?)])
        },
        || {
            let out: Vec<u64> =
                u64::samples(N, 3).into_iter().zip(u64::samples(N, 4)).flat_map(|(a, b)| unsigned_of(a, b)).collect();
            vec![bits(&out)]
        }
    ),
    case!(
        "numbers::as_bytes",
        [AsBytes],
        |mgr| {
            let (a, mut out) = (mgr.tensor(&u64::samples(N, 5))?, mgr.tensor(&vec![0u8; N * 8])?);
            let (mut back, seq) = (mgr.tensor(&vec![0u32; N * 4])?, mgr.sequence()?);
            AsBytes::dispatch(&seq, Grid::items(N), &a, &mut out, &mut back)?;
            seq.eval()?;
            Ok(vec![bits(&out.to_vec()?), Output::U32(back.to_vec()?)])
        },
        || {
            let all = u64::samples(N, 5);
            let out: Vec<u8> = all.iter().flat_map(|a| a.to_be_bytes()).collect();
            let back = all.iter().flat_map(|a| {
                let half = (*a as u32).to_le_bytes();
                let folded = u16::from_be_bytes([half[1], half[2]]);
                [
                    u32::from_be_bytes(half),
                    u32::from(folded),
                    (*a as u32).to_be(),
                    u32::from((*a as u8 as i8).to_ne_bytes()[0]),
                ]
            });
            vec![bits(&out), Output::U32(back.collect())]
        }
    ),
    case!(
        "numbers::midpoints",
        [Midpoints],
        |mgr| {
            let (a, b) = (mgr.tensor(&crate::case::floats(N, 6))?, mgr.tensor(&crate::case::floats(N, 7))?);
            let (mut out, seq) = (mgr.tensor(&vec![0f32; N])?, mgr.sequence()?);
            Midpoints::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::near(out.to_vec()?, f32::MIN_POSITIVE)])
        },
        || {
            let pairs = crate::case::floats(N, 6).into_iter().zip(crate::case::floats(N, 7));
            vec![Output::near(pairs.map(|(a, b)| a.midpoint(b)).collect(), f32::MIN_POSITIVE)]
        }
    ),
    case!("numbers::panics", [Panics], panic_texts, || {
        let texts = [
            "argument of integer logarithm must be positive",
            "argument of integer logarithm must be positive",
            "argument of integer logarithm must be positive",
            "base of integer logarithm must be at least 2",
            "argument of integer square root cannot be negative",
            "attempt to add with overflow",
            "attempt to subtract with overflow",
            "attempt to multiply with overflow",
            "attempt to divide with overflow",
            "attempt to negate with overflow",
            "attempt to shift left with overflow",
            "Ok(()) [3, 5, 0, 0]",
        ];
        vec![Output::Report(texts.map(|text| format!("{text}\n")).concat())]
    }),
];

/// Operands without a logarithm or root are replaced by 1.
fn signed_of(a: i32, b: i32) -> [i32; 8] {
    let (positive, base) = (a.max(1), b.max(2));
    [
        positive.ilog2() as i32,
        positive.ilog10() as i32,
        positive.ilog(base) as i32,
        a.checked_ilog(b).map_or(-1, |log| log as i32),
        positive.isqrt(),
        a.checked_isqrt().unwrap_or(-1),
        a.unbounded_shr(b as u32 % 40),
        (a / 4).strict_add(b / 4).strict_sub(7).strict_rem(1000),
    ]
}

#[kernel(workgroup = 64)]
fn signed(a: &[i32], b: &[i32], out: &mut [i32]) {
    let i = global_id().x;
    let (a, b) = (a[i], b[i]);
    let (positive, base) = (a.max(1), b.max(2));
    out[i * 8] = positive.ilog2() as i32;
    out[i * 8 + 1] = positive.ilog10() as i32;
    out[i * 8 + 2] = positive.ilog(base) as i32;
    out[i * 8 + 3] = match a.checked_ilog(b) {
        Some(log) => log as i32,
        None => -1,
    };
    out[i * 8 + 4] = positive.isqrt();
    out[i * 8 + 5] = a.checked_isqrt().unwrap_or(-1);
    out[i * 8 + 6] = a.unbounded_shr(b as u32 % 40);
    out[i * 8 + 7] = (a / 4).strict_add(b / 4).strict_sub(7).strict_rem(1000);
}

fn unsigned_of(a: u64, b: u64) -> [u64; 8] {
    let (low, high) = a.carrying_mul(b, 77);
    let (sum, carry) = a.carrying_add(b, b % 2 == 1);
    let (difference, borrow) = a.borrowing_sub(b, b % 2 == 0);
    [
        low,
        high,
        sum,
        difference,
        u64::from(carry) + 2 * u64::from(borrow) + 4 * u64::from(a.is_multiple_of(b)),
        a.checked_next_multiple_of(b).unwrap_or(99),
        u64::from(a.checked_ilog10().unwrap_or(99)),
        a.unbounded_shl(b as u32 % 80),
    ]
}

#[kernel(workgroup = 64)]
fn unsigned(a: &[u64], b: &[u64], out: &mut [u64]) {
    let i = global_id().x;
    let (a, b) = (a[i], b[i]);
    let (low, high) = a.carrying_mul(b, 77);
    let (sum, carry) = a.carrying_add(b, b % 2 == 1);
    let (difference, borrow) = a.borrowing_sub(b, b % 2 == 0);
    out[i * 8] = low;
    out[i * 8 + 1] = high;
    out[i * 8 + 2] = sum;
    out[i * 8 + 3] = difference;
    out[i * 8 + 4] = carry as u64 + 2 * borrow as u64 + 4 * a.is_multiple_of(b) as u64;
    out[i * 8 + 5] = a.checked_next_multiple_of(b).unwrap_or(99);
    out[i * 8 + 6] = a.checked_ilog10().unwrap_or(99) as u64;
    out[i * 8 + 7] = a.unbounded_shl(b as u32 % 80);
}

#[kernel(workgroup = 64)]
fn as_bytes(a: &[u64], out: &mut [u8], back: &mut [u32]) {
    let i = global_id().x;
    let bytes = a[i].to_be_bytes();
    for k in 0..8 {
        out[i * 8 + k] = bytes[k];
    }
    let half = (a[i] as u32).to_le_bytes();
    back[i * 4] = u32::from_be_bytes(half);
    back[i * 4 + 1] = u16::from_be_bytes([half[1], half[2]]) as u32;
    back[i * 4 + 2] = (a[i] as u32).to_be();
    back[i * 4 + 3] = (a[i] as u8 as i8).to_ne_bytes()[0] as u32;
}

#[kernel(workgroup = 64)]
fn midpoints(a: &[f32], b: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    out[i] = a[i].midpoint(b[i]);
}

#[device]
fn root(x: i32) -> i32 {
    x.isqrt()
}

#[kernel(workgroup = 1)]
fn panics(which: u32, x: i32, out: &mut [i32]) {
    match which {
        0 => out[0] = x.ilog2() as i32,
        1 => out[0] = x.ilog10() as i32,
        2 => out[0] = x.ilog(10) as i32,
        3 => out[0] = 5i32.ilog(x) as i32,
        4 => out[0] = root(x),
        5 => out[0] = i32::MIN.strict_add(x),
        6 => out[0] = i32::MAX.strict_sub(x),
        7 => out[0] = i32::MIN.strict_mul(x),
        8 => out[0] = i32::MIN.strict_div(x / 7),
        9 => out[0] = (i32::MAX + (x + 8)).strict_neg(),
        10 => out[0] = 1i32.strict_shl(x as u32),
        _ => {
            out[0] = root(x + 18);
            out[1] = out.len().isqrt() as i32 + 3u32.strict_pow(1) as i32;
        }
    }
}
