//! `for` loops over arrays, and over ranges backwards, in steps and with numbers; what loops are left with.

use gridwise::Error;
use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

const N: usize = 500;

fn map(
    mgr: &Manager,
    run: impl for<'s> FnOnce(&'s Sequence, Grid, &Tensor<u32>, &mut Tensor<u32>) -> gridwise::Result<&'s Sequence>,
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

/// An array of the kernel's own, indexed by counters alone.
fn registers_of(x: u32) -> u32 {
    let (mut sums, mut rows) = ([0u32; 8], [[x; 3]; 4]);
    let quad = [x, x ^ 1, x >> 3, 9];
    for (i, value) in quad.into_iter().enumerate() {
        for j in 0..2 {
            sums[i + 4 * j] = mix(sums[i], value.wrapping_add(j as u32));
        }
    }
    for (row, cells) in rows.iter_mut().enumerate().rev() {
        for column in (0..3).step_by(2) {
            cells[column] = mix(cells[column], sums[7 - row]);
        }
    }
    if x % 5 == 2 {
        return sums[3];
    }
    let hash = sums.into_iter().fold(1, mix);
    rows.into_iter().flatten().fold(hash, mix)
}

/// Loops with requests to be unrolled, or not.
fn unrolled_of(x: u32) -> u32 {
    let mut hash = (0..5).fold(1, |hash, i| (0..3).fold(hash, |hash, j| mix(hash, (x >> i) ^ j)));
    hash = (0..x % 7).fold(hash, mix);
    if x % 11 == 4 {
        return hash;
    }
    hash = (0..9).take_while(|i| x >> i & 3 != 1).fold(hash, |hash, i| mix(hash, i + 2));
    hash = [3, x, 8].into_iter().fold(hash, mix);
    mix(hash, (0..6).filter(|i| x >> i & 1 == 1).sum::<u32>())
}

/// Loops that are unrolled by a part of their rounds.
fn unrolled_partly_of(x: u32) -> u32 {
    let mut hash = (0..24).fold(1, |hash, i| mix(hash, x >> (i % 8)));
    hash = (0..10).fold(hash, |hash, i| (0..3).fold(hash, |hash, j| mix(hash, i * j ^ x)));
    hash = (3..=100).rev().step_by(7).fold(hash, mix);
    hash = (0..3).fold(hash, |hash, i| mix(hash, i ^ x));
    hash = (0..9).take_while(|i| x % 5 != *i).fold(hash, mix);
    let mut lanes = [x, 1, 2, 3];
    (0..16).for_each(|i| lanes[i % 4] = mix(lanes[i % 4], lanes[(i + 1) % 4]));
    lanes.into_iter().fold(hash, mix)
}

/// The entries.
pub const CASES: &[Case] = &[
    case!("loops::registers", [Registers], |mgr| map(mgr, Registers::dispatch), || expect(registers_of)),
    case!(
        "loops::past_the_end",
        [Past],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&[6, 7, 8])?, mgr.tensor(&[0u32; 3])?);
            let seq = mgr.sequence()?;
            Past::dispatch(&seq, Grid::items(3), &x, &mut out)?;
            let report = match seq.eval() {
                Err(Error::KernelPanic { text, count, .. }) => format!("{text}, {count}"),
                other => format!("{other:?}"),
            };
            Ok(vec![Output::Report(report), Output::U32(out.to_vec()?)])
        },
        // Each invocation ends where it panics.
        || vec![Output::Report("table[i + (x[me] % 2) as usize], 3".into()), Output::U32(vec![0; 3])]
    ),
    case!("loops::unrolled", [Unrolled], |mgr| map(mgr, Unrolled::dispatch), || expect(unrolled_of)),
    case!("loops::unrolled_partly", [UnrolledPartly], |mgr| map(mgr, UnrolledPartly::dispatch), || {
        expect(unrolled_partly_of)
    }),
    case!("loops::arrays", [Arrays], |mgr| map(mgr, Arrays::dispatch), || expect(|x| {
        let table = [x, x >> 8, 5, 7];
        let forward = table.iter().fold(1, |hash, &value| mix(hash, value));
        let numbered = table.iter().rev().enumerate().fold(forward, |hash, (i, &value)| mix(hash, value ^ i as u32));
        [(1, 2), (3, 4)].iter().fold(numbered, |hash, &(a, b)| mix(hash, a * b))
    })),
    case!("loops::left_with_what_was_read", [LeftWith], |mgr| map(mgr, LeftWith::dispatch), || {
        let x = patterns(N, 3);
        let found = (0..x.len())
            .map(|i| {
                let read = |k: usize| x[(i + k) % x.len()];
                let first = (0..).map(read).find(|value| value % 4 == 1).expect("there is one");
                let last = read(i % 3);
                let nested = (0..=i % 4).map(|k| (0..).map(|j| read(j + k)).find(|value| value % 3 == 0)).next_back();
                mix(mix(mix(1, first), last), nested.flatten().expect("there is one"))
            })
            .collect();
        vec![Output::U32(found)]
    }),
    // Conditions from before a loop go round it: no constant among them, and the loops stay loops.
    case!("loops::conditions", [Conditions], |mgr| map(mgr, Conditions::dispatch), || expect(|x| {
        let (is_odd, is_large) = (x % 2 == 1, x > 1 << 20);
        let was = |rounds: u32, first: bool, later: bool| if rounds == 0 { first } else { later };
        let counted = mix(1, u32::from(was(x % 7, is_odd, is_large)));
        let searched = (0..).find(|i| x >> (i % 32) & 1 == 1 || *i == 40).unwrap_or(0);
        mix(mix(counted, u32::from(was(searched, is_large, is_odd))), searched)
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
fn conditions(x: &[u32], out: &mut [u32]) {
    let value = x[global_id().x];
    let (is_odd, is_large) = (value % 2 == 1, value > 1 << 20);
    let mut state = is_odd;
    #[unroll(never)]
    for _ in 0..value % 7 {
        state = is_large;
    }
    let counted = mixed(1, state as u32);
    state = is_large;
    let mut i = 0;
    while value >> (i % 32) & 1 == 0 && i != 40 {
        state = is_odd;
        i += 1;
    }
    out[global_id().x] = mixed(mixed(counted, state as u32), i);
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

#[kernel]
fn registers(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let value = x[me];
    let mut sums = [0u32; 8];
    let mut rows = [[value; 3]; 4];
    let quad = UVec4::new(value, value ^ 1, value >> 3, 9);
    for i in 0..4 {
        for j in 0..2u32 {
            sums[i + 4 * j as usize] = mixed(sums[i], quad[i] + j);
        }
    }
    for row in (0..4).rev() {
        for column in (0..3).step_by(2) {
            rows[row][column] = mixed(rows[row][column], sums[7 - row]);
        }
    }
    if value % 5 == 2 {
        out[me] = sums[3];
        return;
    }
    let mut hash = 1;
    for i in 0..8 {
        hash = mixed(hash, sums[i]);
    }
    let mut row = 0;
    while row < 4 {
        for column in 0..3 {
            hash = mixed(hash, rows[row][column]);
        }
        row += 1;
    }
    out[me] = hash;
}

/// The sum of the positions of ones, by any of the forms in a function of its own.
#[device]
fn positions<const N: u32>(x: u32) -> u32 {
    let mut sum = 0;
    #[unroll]
    for i in 0..N {
        if x >> i & 1 == 0 {
            continue;
        }
        sum += i;
    }
    sum
}

#[kernel]
fn unrolled(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let value = x[me];
    let mut hash = 1;
    #[unroll]
    for i in 0..5u32 {
        let mut j = 0;
        #[unroll(never)]
        while j < 3 {
            hash = mixed(hash, (value >> i) ^ j);
            j += 1;
        }
    }
    #[unroll(4)]
    for i in 0..value % 7 {
        hash = mixed(hash, i);
    }
    let mut i = 0;
    #[unroll]
    'bits: loop {
        if value % 11 == 4 {
            out[me] = hash;
            return;
        }
        if i == 9 || value >> i & 3 == 1 {
            break 'bits;
        }
        hash = mixed(hash, i + 2);
        i += 1;
    }
    #[allow(unused)]
    #[unroll]
    for part in [3, value, 8] {
        hash = mixed(hash, part);
    }
    out[me] = mixed(hash, positions::<6>(value));
}

#[kernel]
fn unrolled_partly(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let value = x[me];
    let mut hash = 1;
    #[unroll(8)]
    for i in 0..24u32 {
        hash = mixed(hash, value >> (i % 8));
    }
    // Two at a time leave none over, and three.
    #[unroll(4)]
    for i in 0..10u32 {
        #[unroll(2)]
        for j in 0..3u32 {
            hash = mixed(hash, i * j ^ value);
        }
    }
    let mut i = 100;
    #[unroll(4)]
    loop {
        if i < 3 {
            break;
        }
        hash = mixed(hash, i);
        i = u32::saturating_sub(i, 7);
    }
    // Fewer than at a time, and one that may end in between.
    #[unroll(4)]
    for i in 0..3u32 {
        hash = mixed(hash, i ^ value);
    }
    #[unroll(4)]
    for i in 0..9u32 {
        if value % 5 == i {
            break;
        }
        hash = mixed(hash, i);
    }
    let mut lanes = [value, 1, 2, 3];
    #[unroll(4)]
    for i in 0..16 {
        lanes[i % 4] = mixed(lanes[i % 4], lanes[(i + 1) % 4]);
    }
    for lane in lanes {
        hash = mixed(hash, lane);
    }
    out[me] = hash;
}

/// An array that is read past its end.
#[kernel]
fn past(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let table = [x[me], 5, x[me] >> 2];
    let mut hash = 1;
    let mut i = 0;
    while i < 4 {
        hash = mixed(hash, table[i + (x[me] % 2) as usize]);
        i += 1;
    }
    out[me] = hash;
}

/// Lanes leave loops in different rounds, with what they read last.
#[kernel]
fn left_with(x: &[u32], out: &mut [u32]) {
    let me = global_id().x as usize;
    let len = x.len();
    let mut n = 0;
    let first = loop {
        let value = x[(me + n) % len];
        n += 1;
        if value % 4 == 1 {
            break value;
        }
    };
    let mut last = 0;
    for k in 0..=(me % 3) {
        last = x[(me + k) % len];
    }
    let mut nested = 0;
    for k in 0..=(me % 4) {
        let mut j = 0;
        nested = loop {
            let value = x[(me + j + k) % len];
            j += 1;
            if value % 3 == 0 {
                break value;
            }
        };
    }
    out[me] = mixed(mixed(mixed(1, first), last), nested);
}
