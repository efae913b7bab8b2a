//! Slices that are one of several. Each function also stands in a module that only rustc compiles.

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

const N: usize = 64;

both!(several, plain_several, {
    /// One of three, by an `else if`, with an early return behind it.
    fn sum(a: &[u32], b: &[u32], low: bool) -> u32 {
        let from = if low {
            a
        } else if a[0] > 9 {
            &a[1..]
        } else {
            b
        };
        let mut sum = 0u32;
        for v in from {
            if *v == 77 {
                return sum;
            }
            sum = sum.wrapping_mul(3).wrapping_add(*v);
        }
        sum ^ from.len() as u32
    }

    /// By a `match`, with a type, an array of its own and an arm that leaves the function.
    fn table(a: &[u32], b: &[u32], kind: u32) -> u32 {
        let own = [kind, 5, 7, 11];
        let t: &[u32] = match kind {
            0 => a,
            1 | 2 => &b[kind as usize..],
            3 => return 99,
            4..=6 => &own,
            _ => &own[1..3],
        };
        t.iter().fold(0, |hash, v| (hash << 1) ^ v)
    }

    /// In a loop that goes on early, and of parts of what was chosen before.
    fn rounds(a: &[u32], b: &[u32]) -> u32 {
        let mut sum = 0u32;
        for k in 0..5usize {
            let s = if k % 2 == 0 { a } else { b };
            if s[k] % 3 == 0 {
                continue;
            }
            let (left, right) = s.split_at(k);
            let half = if left.len() > 2 { left } else { right };
            sum = sum.wrapping_mul(5).wrapping_add(half[0]);
            let last = if sum % 7 == 3 { break } else { half[half.len() - 1] };
            sum ^= last;
        }
        sum
    }

    /// To write: two arrays whose places change, and one of two parts.
    fn exchange(seed: u32) -> u32 {
        let (mut even, mut odd) = ([seed, 1, 2, 3], [0u32; 4]);
        for round in 0..3u32 {
            let (from, to) = if round % 2 == 0 { (&even[..], &mut odd[..]) } else { (&odd[..], &mut even[..]) };
            for k in 0..4 {
                to[k] = from[(k + 1) % 4].wrapping_mul(3).wrapping_add(round);
            }
        }
        let part = if seed % 3 == 0 { &mut even[..2] } else { &mut odd[1..] };
        part.fill(seed);
        part[0] += 1;
        let (first, last) = (&even[0], &odd[3]);
        first ^ last << 7 ^ even[2] << 13
    }

    /// Numbers with the names of slices: no choice multiplies what stands behind it.
    fn network(a: &mut [u32], b: &mut [u32], i: usize) -> u32 {
        for (a, b) in a.iter_mut().zip(b.iter_mut()) {
            let least = if *a < *b { *a } else { *b };
            *a ^= least;
        }
        let (last, a, b) = (a[2], a[i], b[i]);
        let low = if a < b { a } else { b };
        let high = if a < b { b } else { a };
        let near = if last < low { a } else { b };
        let far = if last < high { b } else { a };
        let odd = if near % 2 == 1 { b } else { a };
        low ^ high << 3 ^ near << 5 ^ far << 7 ^ odd << 11
    }

    /// Of two arrays with one name.
    fn shadowed(seed: u32) -> u32 {
        let own = [seed, 1, 2];
        let first = &own[1..];
        let own = [seed ^ 9, 5, 6, 7];
        let part = if seed % 2 == 0 { first } else { &own[2..] };
        part[0] ^ part[1] << 4 ^ own[0]
    }

    pub(super) fn all(a: &[u32], b: &[u32], i: u32) -> u32 {
        let (mut x, mut y) = ([a[0], a[1], a[2]], [b[0], b[1], b[2]]);
        let numbers = network(&mut x, &mut y, i as usize % 3);
        let sums = numbers ^ sum(a, b, i % 2 == 0) ^ table(a, b, i % 8) << 3;
        sums ^ rounds(a, b).rotate_left(9) ^ exchange(i).rotate_left(20) ^ shadowed(i)
    }
});

both!(parts, plain_parts, {
    /// A number behind its sign, by a pattern, and once more beside what the sign was.
    fn number(text: &[u32]) -> i32 {
        let digits = match text {
            [45, rest @ ..] | [43, rest @ ..] => rest,
            _ => text,
        };
        let (is_negative, same) = match text {
            [45, rest @ ..] => (true, rest),
            [43, rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let size = digits.iter().zip(same).fold(0i32, |n, (a, b)| n * 10 + (*a + *b) as i32 / 2 - 48);
        if is_negative { -size } else { size }
    }

    /// Ends with a part of what a call gave.
    fn given(x: &[u32], i: usize) -> &[u32] {
        match x[i % 3..].split_first() {
            Some((first, rest)) if *first as usize > i => &rest[1..],
            Some((_, rest)) => rest,
            None => x,
        }
    }

    fn behind(part: &[u32], i: usize) -> &[u32] {
        &part[i.min(part.len())..]
    }

    /// In rounds, from what calls gave, from a block, several in a tuple, and with arms that go on or leave.
    fn rounds(x: &[u32], i: usize) -> u32 {
        let (low, high) = x.split_at(x.len() / 3);
        let own = [i as u32, 3, 5, 7];
        let mut total = given(x, i).iter().sum::<u32>() << 3;
        for round in 0..6usize {
            let part = if let Some(k) = i.checked_sub(round + 2) { behind(x, k) } else { high };
            let (n, side, other) = match part.len() {
                0 => (0, part, low),
                n if n % 2 == 0 => (n, &part[..n / 2], high),
                n => (n, behind(part, i), x),
            };
            total = total.wrapping_mul(31) ^ side.iter().sum::<u32>() ^ (n as u32) << 9 ^ (other.len() as u32) << 17;
            let mine = match round {
                0 => &own[..1],
                1 | 2 => {
                    let from = i % 2;
                    &own[from..3]
                }
                3 => continue,
                _ if total % 5 == 0 => break,
                _ => &own[..],
            };
            total = total.wrapping_add(mine.iter().product::<u32>() ^ mine[0]);
        }
        total
    }

    /// One that moves on from what it was chosen as, is compared, and is an argument.
    fn moving(x: &[u32], i: usize) -> u32 {
        let half = if let [first, ..] = x
            && first % 2 == 0
        {
            &x[..x.len() / 2]
        } else {
            x
        };
        let mut rest = match half.split_first() {
            Some((first, more)) if *first as usize > i => more,
            _ => half,
        };
        let is_whole = rest == half;
        let mut sum = rest.len() as u32;
        while let Some((first, more)) = rest.split_first() {
            sum = sum.wrapping_mul(7) ^ first;
            rest = if *first % 3 == 0 && more.len() > 1 { &more[1..] } else { more };
        }
        sum ^ (is_whole as u32) << 30 ^ sum_of(if is_whole { half } else { &x[1..] })
    }

    fn sum_of(x: &[u32]) -> u32 {
        x.iter().sum::<u32>() << 3
    }

    /// The first word, or nothing.
    fn word(x: &[u32], i: usize) -> &[u32] {
        match x.iter().position(|v| *v as usize > 10 * i) {
            Some(0) => &[],
            Some(n) => &x[..n],
            None => x,
        }
    }

    /// Others in the place of slices that are not there, also of those that all have one length.
    fn others(x: &[u32], i: usize) -> u32 {
        let a = x.get(i..i + 4).unwrap_or(&[]);
        let b = x.get(i..i + 5).unwrap_or(x);
        let c = x.chunks_exact(3).nth(i).unwrap_or(&x[1..]);
        let d = x.chunks_exact(2).nth(i).unwrap_or(&[]);
        let (e, f) = if let Some(k) = i.checked_sub(2) { (&x[..k], 0) } else { (&[][..], 5) };
        let lengths = a.len() | b.len() << 4 | c.len() << 8 | d.len() << 12 | e.len() << 16 | word(x, i).len() << 20;
        let first = b.iter().sum::<u32>() ^ c[2] << 5 ^ d.iter().sum::<u32>() << 9;
        lengths as u32 ^ first ^ f << 27
    }

    pub(super) fn all(x: &[u32], i: u32) -> u32 {
        let text = [43 + i % 5, 48 + i % 10, 50, 51];
        let numbers = number(&text[..2 + i as usize % 3]) as u32;
        let moved = moving(x, i as usize % 5).rotate_left(7);
        numbers ^ rounds(x, i as usize % 9) ^ moved ^ others(x, i as usize % 9).rotate_left(17)
    }
});

#[kernel(workgroup = 32)]
fn parts_of_one(a: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let from = match i % 4 {
        0 => &a[..],
        n if n + 8 < a.len() as u32 => {
            let skipped = n + i % 8;
            &a[skipped as usize..]
        }
        _ => a,
    };
    barrier();
    y[i] = parts::all(&from[..8], i) ^ from[i] << 4;
}

/// Barriers stand behind choices that vary, as these are starts and lengths.
#[kernel(workgroup = 32)]
fn behind_a_choice(a: &[u32], y: &mut [u32]) {
    let (i, t) = (global_id().x as usize, local_id().x as usize);
    let part = if a[i] % 2 == 0 { &a[..32] } else { &a[8..] };
    let typed: &[u32] = match t % 3 {
        0 => part,
        1 => &a[t..],
        _ => &part[1..],
    };
    let tile = Shared::<[u32; 32]>::new();
    tile[t] = part[t] ^ typed[3] << 8;
    barrier();
    let half = if part[t] % 3 == 0 { &tile[..16] } else { &tile[16..] };
    let (near, far) = if t % 2 == 0 { (&half[..8], half) } else { (&half[8..], &tile[t..]) };
    let own = [t as u32, 5, 7, 11];
    let mine = if part.len() == 32 { &own[1..] } else { &own[..2] };
    barrier();
    y[i] = near[t % 8].wrapping_mul(31) ^ far[far.len() / 2] << 3 ^ mine.iter().sum::<u32>() << 17 ^ far.len() as u32;
}

#[kernel(workgroup = 32)]
fn one_of_several(a: &[u32], b: &[u32], swapped: bool, y: &mut [u32], z: &mut [u32]) {
    let i = global_id().x as usize;
    let (first, second): ([u32; 8], [u32; 8]) = (std::array::from_fn(|k| a[i + k]), std::array::from_fn(|k| b[i + k]));
    let hash = several::all(&first, &second, i as u32);
    let tile = Shared::<[u32; 32]>::new();
    let t = local_id().x as usize;
    let from = if swapped { b } else { a };
    tile[t] = from[i];
    barrier();
    let near = if t < 16 { &tile[..16] } else { &from[..16] };
    let to = if swapped { z } else { y };
    to[i] = hash ^ from[i + 1] ^ near[t % 16];
}

fn a() -> Vec<u32> {
    (0..N as u32 + 8).map(|k| k * k % 83).collect()
}

fn b() -> Vec<u32> {
    (0..N as u32 + 8).map(|k| k * 5 % 79).collect()
}

fn expected(swapped: bool) -> Vec<u32> {
    let (a, b) = (a(), b());
    let from = if swapped { &b } else { &a };
    let near = |i: usize| if i % 32 < 16 { from[i / 32 * 32 + i % 16] } else { from[i % 16] };
    (0..N).map(|i| plain_several::all(&a[i..i + 8], &b[i..i + 8], i as u32) ^ from[i + 1] ^ near(i)).collect()
}

fn expected_behind() -> Vec<u32> {
    let a = a();
    let part = |i: usize| if a[i] % 2 == 0 { &a[..32] } else { &a[8..] };
    let tile_of = |group: usize| -> Vec<u32> {
        let value = |t: usize| {
            let part = part(group * 32 + t);
            part[t] ^ [part[3], a.get(t + 3).copied().unwrap_or(0), part[4]][t % 3] << 8
        };
        (0..32).map(value).collect()
    };
    let of = |i: usize| {
        let (t, tile) = (i % 32, tile_of(i / 32));
        let half = if part(i)[t] % 3 == 0 { &tile[..16] } else { &tile[16..] };
        let (near, far) = if t % 2 == 0 { (&half[..8], half) } else { (&half[8..], &tile[t..]) };
        let mine = if part(i).len() == 32 { 23 } else { t as u32 + 5 };
        near[t % 8].wrapping_mul(31) ^ far[far.len() / 2] << 3 ^ mine << 17 ^ far.len() as u32
    };
    (0..N).map(of).collect()
}

fn expected_parts() -> Vec<u32> {
    let a = a();
    let from = |i: usize| &a[if i % 4 == 0 { 0 } else { i % 4 + i % 8 }..];
    (0..N / 2).map(|i| plain_parts::all(&from(i)[..8], i as u32) ^ from(i)[i] << 4).collect()
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "choices_of_slices::of_one",
        [PartsOfOne],
        |mgr| {
            let (a, mut y) = (mgr.tensor(&a())?, mgr.tensor_of_len::<u32>(N / 2)?);
            let seq = mgr.sequence()?;
            PartsOfOne::dispatch(&seq, Grid::items(N / 2), &a, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || vec![Output::U32(expected_parts())]
    ),
    case!(
        "choices_of_slices::before_barriers",
        [BehindAChoice],
        |mgr| {
            let (a, mut y) = (mgr.tensor(&a())?, mgr.tensor_of_len::<u32>(N)?);
            let seq = mgr.sequence()?;
            BehindAChoice::dispatch(&seq, Grid::items(N), &a, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || vec![Output::U32(expected_behind())]
    ),
    case!(
        "choices_of_slices::everywhere",
        [OneOfSeveral],
        |mgr| {
            let (a, b) = (mgr.tensor(&a())?, mgr.tensor(&b())?);
            let (mut y, mut z) = (mgr.tensor_of_len::<u32>(N)?, mgr.tensor_of_len::<u32>(N)?);
            let seq = mgr.sequence()?;
            OneOfSeveral::dispatch(&seq, Grid::items(N), &a, &b, false, &mut y, &mut z)?;
            OneOfSeveral::dispatch(&seq, Grid::items(N), &a, &b, true, &mut y, &mut z)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?), Output::U32(z.to_vec()?)])
        },
        || vec![Output::U32(expected(false)), Output::U32(expected(true))]
    ),
];
