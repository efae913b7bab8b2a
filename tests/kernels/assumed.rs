//! Launches that keep what launches keep as a rule, such as divisors that are not zero and widths that fit an `i32`, without checks on the
//! device; others with Rust's panic. And loops that go up in steps, whose end is known.

use gridwise::prelude::*;
use gridwise::{Error, Kernel};

use super::case;
use super::obligations::promises;
use crate::case::{Case, Output};

fn run<K: Kernel>(seq: &Sequence, out: &Tensor<u32>) -> gridwise::Result<Vec<Output>> {
    let report = match seq.eval() {
        Ok(()) => "complete".to_owned(),
        Err(Error::KernelPanic { message, text, count, .. }) => format!("{message} ({text}, {count})"),
        Err(error) => return Err(error),
    };
    Ok(vec![Output::Report(report), Output::U32(out.to_vec()?), promises::<K>()])
}

fn expected(report: &str, out: Vec<u32>) -> Vec<Output> {
    vec![Output::Report(report.to_owned()), Output::U32(out), Output::U32(vec![1, 0])]
}

fn numbers(len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| i * 7 % 31 + 1).collect()
}

/// The sums of an invocation's share of a row, one in four of its numbers.
#[kernel(workgroup = 4)]
fn strided(columns: u32, x: &[u32], out: &mut [u32]) {
    let row = workgroup_id().x as usize * columns as usize;
    let mut sum = 0;
    for i in (local_id().x as usize..columns as usize).step_by(4) {
        sum = sum * 3 + x[row + i];
    }
    out[global_id().x as usize] = sum;
}

fn strided_of(mgr: &Manager, columns: u32, len: usize) -> gridwise::Result<Vec<Output>> {
    let (x, mut out) = (mgr.tensor(&numbers(len))?, mgr.tensor(&[9u32; 8])?);
    let seq = mgr.sequence()?;
    Strided::dispatch(&seq, Grid::groups(2), columns, &x, &mut out)?;
    run::<Strided>(&seq, &out)
}

fn strided_sums(columns: usize, len: usize) -> Vec<u32> {
    let x = numbers(len);
    let sum = |row: usize, first: usize| {
        let share = (first..columns).step_by(4).map(|i| x.get(row * columns + i).copied());
        // What is not there counts as zero: the trap stands behind the loop.
        share.fold(0u32, |sum, x| sum.wrapping_mul(3).wrapping_add(x.unwrap_or(0)))
    };
    (0..8).map(|i| sum(i / 4, i % 4)).collect()
}

/// All that is left from an invocation's number on, in steps of all invocations.
#[kernel(workgroup = 8)]
fn spread(x: &[u32], out: &mut [u32]) {
    let all = (num_workgroups().x * 8) as usize;
    let mut sum = 0;
    for i in (global_id().x as usize..x.len()).step_by(all) {
        sum += x[i] * (i as u32 + 1);
    }
    for (k, i) in (0..x.len()).step_by(3).enumerate() {
        sum ^= x[i] << (k % 8);
    }
    out[global_id().x as usize] = sum;
}

/// The sum of the neighbours in a square, where those beyond the edge are the ones on it.
#[kernel(workgroup = [4, 4])]
fn around(width: u32, height: u32, image: &[u32], out: &mut [u32]) {
    let (x, y) = (global_id().x as i32, global_id().y as i32);
    let (w, h) = (width as i32, height as i32);
    let mut sum = 0;
    for dy in -1..=1 {
        for dx in -1..=1 {
            let sx = (x + dx).clamp(0, w - 1);
            let sy = (y + dy).clamp(0, h - 1);
            sum = sum * 5 + image[(sy * w + sx) as usize];
        }
    }
    out[(y * w + x) as usize] = sum;
}

fn around_of(mgr: &Manager, size: u32, len: usize) -> gridwise::Result<Vec<Output>> {
    let (image, mut out) = (mgr.tensor(&numbers(len))?, mgr.tensor(&[9u32; 16])?);
    let seq = mgr.sequence()?;
    Around::dispatch(&seq, Grid::items([size, size]), size, size, &image, &mut out)?;
    run::<Around>(&seq, &out)
}

fn around_sums(len: usize) -> Vec<u32> {
    let image = numbers(len);
    let at = |x: i32, y: i32| image.get((y.clamp(0, 3) * 4 + x.clamp(0, 3)) as usize).copied().unwrap_or(0);
    let sum = |x: i32, y: i32| {
        let places = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (x + dx, y + dy)));
        places.fold(0u32, |sum, (x, y)| sum.wrapping_mul(5).wrapping_add(at(x, y)))
    };
    (0..16).map(|i| sum(i % 4, i / 4)).collect()
}

/// The sum of the neighbours on a torus, by remainders.
#[kernel(workgroup = [4, 4])]
fn wrapped(width: u32, height: u32, old: &[u32], out: &mut [u32]) {
    let (x, y) = (global_id().x, global_id().y);
    let mut sum = 0;
    for dy in [height - 1, 0, 1] {
        for dx in [width - 1, 0, 1] {
            sum = sum * 5 + old[((y + dy) % height * width + (x + dx) % width) as usize];
        }
    }
    out[(y * 4 + x) as usize] = sum;
}

fn wrapped_of(mgr: &Manager, size: u32) -> gridwise::Result<Vec<Output>> {
    let (old, mut out) = (mgr.tensor(&numbers(16))?, mgr.tensor(&[9u32; 16])?);
    let seq = mgr.sequence()?;
    let items = if size == 0 { [1, 1] } else { [4, 4] };
    Wrapped::dispatch(&seq, Grid::items(items), size, size, &old, &mut out)?;
    run::<Wrapped>(&seq, &out)
}

fn wrapped_sums() -> Vec<u32> {
    let old = numbers(16);
    let sum = |x: u32, y: u32| {
        let places =
            [3, 0, 1].into_iter().flat_map(|dy| [3, 0, 1].map(|dx| ((y + dy) % 4 * 4 + (x + dx) % 4) as usize));
        places.fold(0u32, |sum, at| sum.wrapping_mul(5).wrapping_add(old[at]))
    };
    (0..16).map(|i| sum(i % 4, i / 4)).collect()
}

/// The numbers left of, right of, above and below an inner place.
#[kernel(workgroup = [4, 4])]
fn inner(width: u32, height: u32, x: &[u32], out: &mut [u32]) {
    let (i, j) = (global_id().x as usize, global_id().y as usize);
    let (w, h) = (width as usize, height as usize);
    let here = j * w + i;
    if i == 0 || j == 0 || i + 1 >= w || j + 1 >= h {
        out[here] = x[here];
        return;
    }
    out[here] = x[here - 1] + 3 * x[here + 1] + 5 * x[here - w] + 7 * x[here + w] + 11 * x[(j - 1) * w + i - 1];
}

fn inner_of(mgr: &Manager, len: usize) -> gridwise::Result<Vec<Output>> {
    let (x, mut out) = (mgr.tensor(&numbers(len))?, mgr.tensor(&[9u32; 16])?);
    let seq = mgr.sequence()?;
    Inner::dispatch(&seq, Grid::items([4, 4]), 4, 4, &x, &mut out)?;
    run::<Inner>(&seq, &out)
}

fn inner_sums(len: usize) -> Vec<u32> {
    let x = numbers(len);
    let at = |at: usize| x.get(at).copied().unwrap_or(0);
    let value = |here: usize| match (here % 4, here / 4) {
        (0 | 3, _) | (_, 0 | 3) => at(here),
        _ => at(here - 1) + 3 * at(here + 1) + 5 * at(here - 4) + 7 * at(here + 4) + 11 * at(here - 5),
    };
    (0..16).map(value).collect()
}

/// Two arrays of as many numbers as a device has room for in registers, and one that is chosen by what is read.
#[kernel(workgroup = 4)]
fn registers(x: &[u32], out: &mut [u32]) {
    let i = global_id().x as usize;
    let mut own = [0u32; 40];
    let mut sums = [1u32; 40];
    for k in 0..40 {
        own[k] = x[k] + i as u32;
    }
    for round in 0..3 {
        for k in 0..40 {
            sums[k] = sums[k] * 3 + own[k] + own[39 - k] * round;
        }
    }
    let mut seen = [0u32; 40];
    for k in 0..40 {
        seen[(x[k] % 40) as usize] += sums[k];
    }
    let mut all = 0u32;
    for k in (0..=39).rev() {
        all = all * 31 + sums[k] + seen[k];
    }
    out[i] = all;
}

fn registers_of(i: u32) -> u32 {
    let x = numbers(40);
    let own: Vec<u32> = x.iter().map(|x| x + i).collect();
    let mut sums = [1u32; 40];
    for round in 0..3 {
        for k in 0..40 {
            sums[k] = sums[k].wrapping_mul(3).wrapping_add(own[k]).wrapping_add(own[39 - k] * round);
        }
    }
    let mut seen = [0u32; 40];
    for k in 0..40 {
        seen[x[k] as usize % 40] = seen[x[k] as usize % 40].wrapping_add(sums[k]);
    }
    (0..40).rev().fold(0u32, |all, k| all.wrapping_mul(31).wrapping_add(sums[k]).wrapping_add(seen[k]))
}

/// Ranges that hold their ends, also where nothing is behind these.
#[kernel(workgroup = 4)]
fn ends(out: &mut [u32]) {
    let i = global_id().x;
    let mut sum = i;
    for b in 250..=255u8 {
        sum = sum * 3 + u32::from(b);
    }
    for b in (120..=126i8).rev().step_by(2) {
        sum = sum * 3 + b as u32;
    }
    for b in -3..=3 {
        sum = sum * 3 + (b + 3) as u32;
    }
    for b in (u32::MAX - i..=u32::MAX).chain(2..=1) {
        sum = sum * 3 + b;
    }
    out[i as usize] = sum;
}

fn ends_of(i: u32) -> u32 {
    let first = (250..=255u32).chain([126, 124, 122, 120]).chain(0..=6).chain(u32::MAX - i..=u32::MAX);
    first.fold(i, |sum, b| sum.wrapping_mul(3).wrapping_add(b))
}

/// Quotients by powers of two are exact, subnormal ones too where the device has them.
#[kernel(workgroup = 4)]
fn quotients(x: &[f32], out: &mut [f32]) {
    let i = global_id().x as usize;
    out[4 * i] = x[i] / 16777216.0;
    out[4 * i + 1] = x[i] / -0.125;
    out[4 * i + 2] = x[i] / 3.0;
    out[4 * i + 3] = x[i] / 1.7014118e38;
}

/// A remainder and a bounded number, once.
#[kernel(workgroup = 1)]
fn bounded(width: u32, first: i32, out: &mut [u32]) {
    let i = global_id().x;
    out[i as usize] = if first < 0 { (i + 7) % width } else { (first + i as i32).clamp(0, width as i32 - 1) as u32 };
}

fn bounded_of(mgr: &Manager, width: u32, first: i32) -> gridwise::Result<Vec<Output>> {
    let mut out = mgr.tensor(&[9u32; 1])?;
    let seq = mgr.sequence()?;
    Bounded::dispatch(&seq, Grid::items(1), width, first, &mut out)?;
    let mut outputs = run::<Bounded>(&seq, &out)?;
    // What is written where a bound was wrong is of no interest.
    if width == 0 {
        outputs.remove(1);
    }
    Ok(outputs)
}

fn bounded_report(report: &str) -> Vec<Output> {
    vec![Output::Report(report.to_owned()), Output::U32(vec![1, 0])]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!("assumed::strided", [Strided], |mgr| strided_of(mgr, 10, 20), || {
        expected("complete", strided_sums(10, 20))
    }),
    case!("assumed::strided_too_short", [Strided], |mgr| strided_of(mgr, 10, 19), || {
        expected("index out of bounds: the len is 19 but the index is 19 (x[row + i], 1)", strided_sums(10, 19))
    }),
    case!("assumed::strided_nothing", [Strided], |mgr| strided_of(mgr, 0, 1), || expected("complete", vec![0; 8])),
    case!(
        "assumed::spread",
        [Spread],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&numbers(50))?, mgr.tensor(&[9u32; 16])?);
            let seq = mgr.sequence()?;
            Spread::dispatch(&seq, Grid::groups(2), &x, &mut out)?;
            let mut outputs = run::<Spread>(&seq, &out)?;
            outputs.pop();
            Ok(outputs)
        },
        || {
            let x = numbers(50);
            let sum = |first: usize| (first..50).step_by(16).map(|i| x[i] * (i as u32 + 1)).sum::<u32>();
            let mixed = (0..50).step_by(3).enumerate().fold(0, |mixed, (k, i)| mixed ^ x[i] << (k % 8));
            vec![Output::Report("complete".into()), Output::U32((0..16).map(|i| sum(i) ^ mixed).collect())]
        }
    ),
    case!("assumed::around", [Around], |mgr| around_of(mgr, 4, 16), || expected("complete", around_sums(16))),
    case!("assumed::around_nothing", [Around], |mgr| around_of(mgr, 0, 1), || expected("complete", vec![9; 16])),
    case!("assumed::wrapped", [Wrapped], |mgr| wrapped_of(mgr, 4), || expected("complete", wrapped_sums())),
    case!("assumed::bounded", [Bounded], |mgr| bounded_of(mgr, 5, -1), || expected("complete", vec![2])),
    case!("assumed::bounded_signed", [Bounded], |mgr| bounded_of(mgr, 5, 8), || expected("complete", vec![4])),
    case!("assumed::bounded_large", [Bounded], |mgr| bounded_of(mgr, 1 << 31, 8), || expected("complete", vec![8])),
    case!("assumed::bounded_by_zero", [Bounded], |mgr| bounded_of(mgr, 0, -1), || {
        bounded_report("attempt to calculate the remainder with a divisor of zero ((i + 7) % width, 1)")
    }),
    case!("assumed::bounded_by_less", [Bounded], |mgr| bounded_of(mgr, 0, 8), || {
        bounded_report(
            "clamp with min > max, or a bound that is NaN ((first + i as i32).clamp(0, width as i32 - 1), 1)",
        )
    }),
    case!("assumed::inner", [Inner], |mgr| inner_of(mgr, 16), || expected("complete", inner_sums(16))),
    case!("assumed::inner_too_short", [Inner], |mgr| inner_of(mgr, 15), || {
        expected("index out of bounds: the len is 15 but the index is 15 (x[here], 1)", inner_sums(15))
    }),
    case!(
        "assumed::registers",
        [Registers],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&numbers(40))?, mgr.tensor(&[0u32; 4])?);
            let seq = mgr.sequence()?;
            Registers::dispatch(&seq, Grid::items(4), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32((0..4).map(registers_of).collect())]
    ),
    case!(
        "assumed::ends",
        [Ends],
        |mgr| {
            let mut out = mgr.tensor(&[0u32; 4])?;
            let seq = mgr.sequence()?;
            Ends::dispatch(&seq, Grid::items(4), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32((0..4).map(ends_of).collect())]
    ),
    case!(
        "assumed::quotients",
        [Quotients],
        |mgr| {
            let x = [1.0f32, -3.3, 1.2e-30, f32::MAX, 0.0, -0.0, f32::INFINITY, 7.7e20];
            let (x, mut out) = (mgr.tensor(&x)?, mgr.tensor(&[0f32; 32])?);
            let seq = mgr.sequence()?;
            Quotients::dispatch(&seq, Grid::items(8), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::F32 { values: out.to_vec()?, ulp: 3, absolute: f32::MIN_POSITIVE }])
        },
        || {
            let x = [1.0f32, -3.3, 1.2e-30, f32::MAX, 0.0, -0.0, f32::INFINITY, 7.7e20];
            let values = x.iter().flat_map(|x| [x / 16777216.0, x / -0.125, x / 3.0, x / 1.7014118e38]).collect();
            vec![Output::F32 { values, ulp: 3, absolute: f32::MIN_POSITIVE }]
        }
    ),
];
