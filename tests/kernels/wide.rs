//! Division of 64-bit integers, beside other uses of its operands.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

pub(super) const CASES: &[Case] = &[case!("wide::divisions", [Divisions], divisions_run, divisions_expected)];

const HALVES: [u32; 16] = [
    0,
    1,
    2,
    3,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x1_0001,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x9e37_79b9,
];
const COLUMNS: usize = 6;

/// All pairs of numbers made of these halves.
fn pairs() -> (Vec<u64>, Vec<u64>) {
    let number = |k: usize| u64::from(HALVES[k / 16]) << 32 | u64::from(HALVES[k % 16]);
    (0..256).flat_map(|a| (1..256).map(move |b| (number(a), number(b)))).unzip()
}

#[kernel(workgroup = 64)]
fn divisions(a: &[u64], b: &[u64], out: &mut [u64]) {
    let i = global_id().x;
    let (a, b) = (a[i], b[i]);
    let o = i * 6;
    out[o] = a / b;
    out[o + 1] = a % b;
    out[o + 2] = a.saturating_sub(b);
    out[o + 3] = (a as i64).wrapping_div(b as i64) as u64;
    out[o + 4] = (a as i64).wrapping_rem(b as i64) as u64;
    out[o + 5] = if (a as i64) < (b as i64) { a } else { b };
}

fn divisions_run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (a, b) = pairs();
    let count = a.len();
    let (a, b) = (mgr.tensor(&a)?, mgr.tensor(&b)?);
    let mut out = mgr.tensor(&vec![0u64; count * COLUMNS])?;
    let seq = mgr.sequence()?;
    Divisions::dispatch(&seq, Grid::items(count as u32), &a, &b, &mut out)?;
    seq.eval()?;
    Ok(vec![words(out.to_vec()?)])
}

fn divisions_expected() -> Vec<Output> {
    let (a, b) = pairs();
    let row = |(a, b): (u64, u64)| {
        let (x, y) = (a as i64, b as i64);
        let lesser = if x < y { a } else { b };
        [a / b, a % b, a.saturating_sub(b), x.wrapping_div(y) as u64, x.wrapping_rem(y) as u64, lesser]
    };
    vec![words(a.into_iter().zip(b).flat_map(row).collect())]
}

fn words(values: Vec<u64>) -> Output {
    Output::U32(values.into_iter().flat_map(|value| [value as u32, (value >> 32) as u32]).collect())
}
