//! `for` loops over arrays, and over ranges backwards, in steps and with numbers.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

const N: usize = 500;

fn map(
    mgr: &Manager,
    run: impl FnOnce(&Sequence, Grid, &Tensor<u32>, &mut Tensor<u32>) -> gridwise::Result<()>,
) -> gridwise::Result<Vec<Output>> {
    let (x, mut out) = (mgr.tensor(&patterns(N, 3))?, mgr.tensor(&vec![0u32; N])?);
    let seq = mgr.sequence()?;
    run(&seq, Grid::items(N), &x, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?)])
}

fn expect(f: impl Fn(u32) -> u32) -> Vec<Output> {
    vec![Output::U32(patterns(N, 3).into_iter().map(f).collect())]
}

fn mix(hash: u32, value: u32) -> u32 {
    hash.wrapping_mul(31) ^ value
}

/// The entries.
pub const CASES: &[Case] = &[
    case!("loops::arrays", [Arrays], |mgr| map(mgr, Arrays::dispatch), || expect(|x| {
        let table = [x, x >> 8, 5, 7];
        let forward = table.iter().fold(1, |hash, &value| mix(hash, value));
        let numbered = table.iter().rev().enumerate().fold(forward, |hash, (i, &value)| mix(hash, value ^ i as u32));
        [(1, 2), (3, 4)].iter().fold(numbered, |hash, &(a, b)| mix(hash, a * b))
    })),
    case!("loops::backwards", [Backwards], |mgr| map(mgr, Backwards::dispatch), || expect(|x| {
        let (a, b) = (x % 13, x / 16 % 17);
        let hash = (a..b).rev().fold(1, mix);
        let hash = (a..=b).rev().fold(hash, mix);
        (-(a as i32)..=b as i32).rev().fold(hash, |hash, i| mix(hash, i as u32))
    })),
    case!("loops::steps", [Steps], |mgr| map(mgr, Steps::dispatch), || expect(|x| {
        let (a, step) = (x % 40, (x / 64 % 7 + 1) as usize);
        let hash = (3..a).step_by(step).fold(1, mix);
        let hash = (3..=a).rev().step_by(step).fold(hash, mix);
        let hash = (0..a).step_by(step).rev().enumerate().fold(hash, |hash, (i, v)| mix(hash, v + i as u32));
        let hash = (u32::MAX - a..=u32::MAX).step_by(step).fold(hash, mix);
        (i32::MIN..=i32::MAX).step_by(0x4000_0000).fold(hash, |hash, i| mix(hash, i as u32))
    })),
    case!("loops::jumps", [Jumps], |mgr| map(mgr, Jumps::dispatch), || expect(|x| {
        let mut hash = 1;
        'rows: for row in (0..6u32).rev() {
            for (i, value) in [x, row, 9].into_iter().enumerate() {
                if (value ^ row) % 5 == 3 {
                    continue 'rows;
                }
                if i == 2 && row == x % 4 {
                    break 'rows;
                }
                hash = mix(hash, value);
            }
            hash = mix(hash, row);
        }
        hash
    })),
    case!(
        "loops::step_of_zero",
        [StepOfZero],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&[1u32, 2, 0, 3])?, mgr.tensor(&[7u32; 4])?);
            let seq = mgr.sequence()?;
            StepOfZero::dispatch(&seq, Grid::items(4), &x, &mut out)?;
            let report = match seq.eval() {
                Err(gridwise::Error::KernelPanic { message, .. }) => message,
                _ => String::new(),
            };
            Ok(vec![Output::U32(out.to_vec()?), Output::Report(report)])
        },
        || vec![Output::U32(vec![3, 2, 7, 1]), Output::Report("assertion failed: step != 0".to_owned())]
    ),
];

#[device]
fn mixed(hash: u32, value: u32) -> u32 {
    hash * 31 ^ value
}

#[kernel]
fn arrays(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let table = [x[me], x[me] >> 8, 5, 7];
    let mut hash = 1;
    for value in table {
        hash = mixed(hash, value);
    }
    for (i, value) in table.iter().copied().rev().enumerate() {
        hash = mixed(hash, value ^ i as u32);
    }
    for (a, b) in [(1, 2), (3, 4)] {
        hash = mixed(hash, a * b);
    }
    out[me] = hash;
}

#[kernel]
fn backwards(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let (a, b) = (x[me] % 13, x[me] / 16 % 17);
    let mut hash = 1;
    for i in (a..b).rev() {
        hash = mixed(hash, i);
    }
    for i in (a..=b).rev() {
        hash = mixed(hash, i);
    }
    for i in (-(a as i32)..=b as i32).rev() {
        hash = mixed(hash, i as u32);
    }
    out[me] = hash;
}

#[kernel]
fn steps(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let (a, step) = (x[me] % 40, (x[me] / 64 % 7 + 1) as usize);
    let mut hash = 1;
    for i in (3..a).step_by(step) {
        hash = mixed(hash, i);
    }
    for i in (3..=a).rev().step_by(step) {
        hash = mixed(hash, i);
    }
    for (i, value) in (0..a).step_by(step).rev().enumerate() {
        hash = mixed(hash, value + i as u32);
    }
    for i in (u32::MAX - a..=u32::MAX).step_by(step) {
        hash = mixed(hash, i);
    }
    for i in (i32::MIN..=i32::MAX).step_by(0x4000_0000) {
        hash = mixed(hash, i as u32);
    }
    out[me] = hash;
}

#[kernel]
fn jumps(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let mut hash = 1;
    'rows: for row in (0..6u32).rev() {
        for (i, value) in [x[me], row, 9].into_iter().enumerate() {
            if (value ^ row) % 5 == 3 {
                continue 'rows;
            }
            if i == 2 && row == x[me] % 4 {
                break 'rows;
            }
            hash = mixed(hash, value);
        }
        hash = mixed(hash, row);
    }
    out[me] = hash;
}

#[kernel]
fn step_of_zero(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let mut count = 0;
    for _ in (0..3u32).step_by(x[me] as usize) {
        count += 1;
    }
    out[me] = count;
}
