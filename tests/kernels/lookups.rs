//! Lookups: elements to write that may not be there, places in sorted slices, kinds of bytes; and arrays made by
//! closures.

use gridwise::prelude::*;

use super::{case, twice};
use crate::case::{Case, Output, patterns};

const N: usize = 160;

fn small(len: usize) -> Vec<u32> {
    patterns(len, 71).into_iter().map(|v| v % 12).collect()
}

twice! {
    fn bump(x: &mut [u32], i: usize, by: u32) -> u32 {
        let Some(v) = x.get_mut(i) else { return 1000 + by };
        *v += by;
        let before = *v;
        if let Some(first) = x.first_mut() {
            *first ^= by;
        }
        before
    }

    fn written(x: &mut [u32], n: usize) -> [u32; 6] {
        let mut found = [0; 6];
        found[0] = bump(x, n, 5);
        found[1] = bump(x, n + 4, 6);
        found[2] = bump(&mut x[..n % 3], n, 7) + bump(&mut found[..2], n, 3);
        if let Some(last) = x.last_mut() {
            let last_but = *last;
            *last = last_but * 2 + 1;
        } else {
            found[3] = 9;
        }
        let none = &mut x[3..3];
        if let Some(v) = none.last_mut() {
            *v = 77;
        } else if let Some(v) = none.first_mut() {
            *v = 78;
        } else {
            found[3] += 2;
        }
        let mut pairs = [(1u32, 2u32), (3, 4), (5, n as u32)];
        found[4] = match pairs.get_mut(n) {
            Some(pair) => {
                pair.0 = pair.1 + 10;
                pair.1
            }
            None => 50,
        };
        for k in 0..5 {
            let Some(slot) = found.get_mut(k + n) else { continue };
            *slot += pairs[k % 3].0;
        }
        found[5] += pairs.iter().map(|pair| pair.0).sum::<u32>();
        found
    }

    fn searched(x: &[u32], n: usize) -> [u32; 8] {
        let mut own = [x[0], x[0] + x[1], 0, 0, 0, 0, 0];
        for k in 2..7 {
            own[k] = own[k - 1] + x[k % x.len()];
        }
        let code = |found: Result<usize, usize>| match found {
            Ok(at) => at as u32 * 2 + 1,
            Err(at) => at as u32 * 2,
        };
        let key = n as u32 * 5;
        let mut asked = 0;
        let point = own.partition_point(|&v| {
            asked += 1;
            v < key
        }) as u32;
        let by = own[..n].binary_search_by(|v| v.cmp(&key));
        let by_key = own.binary_search_by_key(&(key / 2), |v| v / 2);
        let empty = own[n..n].binary_search(&key);
        // In no order, and with a closure of its own.
        let somewhere = x.partition_point(|v| *v < 6) as u32;
        let none = x[..n].partition_point(|_| true) as u32;
        [
            code(own.binary_search(&key)),
            point,
            asked,
            code(by),
            code(by_key).min(2 * own.len() as u32 - 1) / 16 + by_key.is_ok() as u32,
            code(empty),
            somewhere,
            none,
        ]
    }

    fn made(x: &[u32], n: usize) -> [u32; 6] {
        let mut calls = 0;
        let squares: [u32; 5] = std::array::from_fn(|k| {
            calls += 1;
            x[k % x.len()] * k as u32 + calls
        });
        let own = [x[0], x[1], n as u32];
        let doubled = own.map(|v| v as f32 * 2.0).map(|v| v as u32 + 1);
        let mut copied = [1, 2, 3];
        let sums = copied.map(|v| {
            copied[2] += v;
            copied[2] * 10 + v
        });
        let flags = own.map(|v| v > 3);
        let grid: [[u32; 2]; 2] = core::array::from_fn(|r| core::array::from_fn(|c| squares[r * 2 + c]));
        [
            squares.iter().sum::<u32>(),
            doubled[n % 3],
            sums[0] + sums[1] * 3 + sums[2] * 7,
            copied[2] + calls,
            flags[0] as u32 + 2 * flags[2] as u32,
            grid[n % 2][1] * 3 + grid[1][0],
        ]
    }

    fn kinds(b: u8) -> u32 {
        let kinds = [
            b.is_ascii(),
            b.is_ascii_digit(),
            b.is_ascii_hexdigit(),
            b.is_ascii_alphabetic(),
            b.is_ascii_alphanumeric(),
            b.is_ascii_uppercase(),
            b.is_ascii_lowercase(),
            b.is_ascii_whitespace(),
            b.is_ascii_punctuation(),
            b.is_ascii_graphic(),
            b.is_ascii_control(),
        ];
        let bits = kinds.iter().fold(0, |all, kind| all * 2 + *kind as u32);
        bits << 16 | (b.to_ascii_uppercase() as u32) << 8 | b.to_ascii_lowercase() as u32
    }

    fn digits(text: &[u8]) -> Option<u32> {
        let mut value = 0u32;
        for &b in text {
            value = match b {
                b'0'..=b'9' => value.checked_mul(10)?.checked_add((b - b'0') as u32)?,
                b'_' | b'\'' => continue,
                _ => return None,
            };
        }
        if text.iter().any(u8::is_ascii_digit) { Some(value) } else { None }
    }

    fn counted(x: &[u32], n: usize) -> [u32; 4] {
        let mut counts = [0u32; 4];
        let mut calls = 0;
        let mut add = |v: u32, weight: u32| {
            if v == 11 {
                return;
            }
            counts[(v % 4) as usize] += weight;
            calls += 1;
        };
        for (k, v) in x.iter().enumerate() {
            add(*v, 1);
            if k == n {
                (0..n as u32).for_each(|w| add(w, 10));
            }
        }
        counts[0] += 100 * calls;
        // Names a slice.
        let at = |k: usize| x[k % x.len()];
        let twice = |k: usize| at(k) + at(k + 1);
        counts[1] += twice(n) * 1000;
        counts
    }
}

/// On parts of buffers.
///
/// # Safety
/// Tensors are so short that no index wraps around.
#[kernel(workgroup = 32)]
unsafe fn in_buffers(x: &[u32], y: &mut [u32], out: &mut [[u32; 24]]) {
    let i = global_id().x as usize;
    let n = i % 4;
    let part = &x[i..i + 6];
    let mut all = [0; 24];
    all[..6].copy_from_slice(&written(&mut y[6 * i..6 * i + 6], n));
    all[6..14].copy_from_slice(&searched(part, n));
    all[14..20].copy_from_slice(&made(part, n));
    all[20..].copy_from_slice(&counted(part, n));
    out[i] = all;
}

/// The kernel's own buffers, shared memory and arrays.
///
/// # Safety
/// One invocation along y and z.
#[kernel(workgroup = 32)]
unsafe fn in_a_kernel(sorted: &[u32], y: &mut [u32], out: &mut [UVec2]) {
    let tile = Shared::<[u32; 8]>::new();
    let UVec3 { x: i, y: row, .. } = global_id();
    let lane = local_index() as usize;
    if let Some(slot) = tile.get_mut(lane) {
        *slot = i * 3;
    }
    barrier();
    let point = sorted.partition_point(|&v| v < i) as u32;
    let near = tile.partition_point(|&v| v <= i) as u32;
    let Some(slot) = y.get_mut(i as usize) else {
        out[i as usize] = uvec2(point, 7);
        return;
    };
    *slot += match sorted.binary_search(&(i * 2)) {
        Ok(at) => sorted[at],
        Err(at) => at as u32 + 1000,
    };
    let mut best = uvec2(row, near);
    let mut consider = |v: u32| {
        if v > best.x {
            best = uvec2(v, best.y + 1);
        }
    };
    consider(point);
    consider(*slot % 50);
    let UVec2 { x, y: count } = best;
    out[i as usize] = uvec2(x, count);
}

#[kernel(workgroup = 64)]
fn bytes(text: &[u8], kind: &mut [u32], number: &mut [u32]) {
    let i = global_id().x as usize;
    kind[i] = kinds(text[i]);
    let start = (0..i).rev().find(|&k| text[k].is_ascii_whitespace()).map_or(0, |k| k + 1);
    let word = &text[start..i];
    let magic = *b"42";
    let is_magic = word.len() == 2 && word[0] == magic[0] && word[1] == magic[1];
    let vowels = word.iter().filter(|b| b"aeiou".contains(b)).count() as u32;
    number[i] = digits(word).unwrap_or(900_000 + vowels) + is_magic as u32 * 5000;
}

fn start() -> Vec<u32> {
    patterns(6 * N, 72).into_iter().map(|v| v % 1000).collect()
}

fn expected() -> Vec<Output> {
    let (x, mut y) = (small(N + 8), start());
    let mut all = Vec::new();
    for i in 0..N {
        let (n, part) = (i % 4, &x[i..i + 6]);
        all.extend(plain::written(&mut y[6 * i..6 * i + 6], n));
        all.extend(plain::searched(part, n));
        all.extend(plain::made(part, n));
        all.extend(plain::counted(part, n));
    }
    vec![Output::U32(y), Output::U32(all)]
}

fn sorted() -> Vec<u32> {
    (0..90).map(|v| v * v / 30 + v % 2).scan(0, |last, v| Some(std::mem::replace(last, v.max(*last)))).collect()
}

fn expected_in_a_kernel() -> Vec<Output> {
    let (sorted, mut y, mut out) = (sorted(), small(N - 10), Vec::new());
    for i in 0..N as u32 {
        let tile: Vec<u32> = (i / 32 * 32..i / 32 * 32 + 8).map(|i| i * 3).collect();
        let point = sorted.partition_point(|&v| v < i) as u32;
        let near = tile.partition_point(|&v| v <= i) as u32;
        let Some(slot) = y.get_mut(i as usize) else {
            out.extend([point, 7]);
            continue;
        };
        *slot += match sorted.binary_search(&(i * 2)) {
            Ok(at) => sorted[at],
            Err(at) => at as u32 + 1000,
        };
        let mut best = (0, near);
        for v in [point, *slot % 50] {
            if v > best.0 {
                best = (v, best.1 + 1);
            }
        }
        out.extend([best.0, best.1]);
    }
    vec![Output::U32(y), Output::U32(out)]
}

fn text() -> Vec<u8> {
    let written = b"42 12_345 x 99999999999 aeiou-b 7' \x0b\x0c\t42\n{|}~\x7f@[`/:^ 0 ";
    (0..=255).chain(written.iter().copied()).collect()
}

fn expected_bytes() -> Vec<Output> {
    let text = text();
    let numbers = (0..text.len()).map(|i| {
        let start = text[..i].iter().rposition(u8::is_ascii_whitespace).map_or(0, |k| k + 1);
        let word = &text[start..i];
        let vowels = word.iter().filter(|b| b"aeiou".contains(b)).count() as u32;
        plain::digits(word).unwrap_or(900_000 + vowels) + u32::from(word == b"42") * 5000
    });
    vec![Output::U32(text.iter().map(|b| plain::kinds(*b)).collect()), Output::U32(numbers.collect())]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "lookups::in_buffers",
        [InBuffers],
        |mgr| {
            let (x, mut y) = (mgr.tensor(&small(N + 8))?, mgr.tensor(&start())?);
            let mut out = mgr.tensor(&vec![[0u32; 24]; N])?;
            let seq = mgr.sequence()?;
            // SAFETY: they have a few hundred elements.
            unsafe { InBuffers::dispatch(&seq, Grid::items(N), &x, &mut y, &mut out) }?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?), Output::U32(out.to_vec()?.concat())])
        },
        expected
    ),
    case!(
        "lookups::in_a_kernel",
        [InAKernel],
        |mgr| {
            let (sorted, mut y) = (mgr.tensor(&sorted())?, mgr.tensor(&small(N - 10))?);
            let mut out = mgr.tensor(&vec![UVec2::ZERO; N])?;
            let seq = mgr.sequence()?;
            // SAFETY: there is.
            unsafe { InAKernel::dispatch(&seq, Grid::items(N), &sorted, &mut y, &mut out) }?;
            seq.eval()?;
            let out = out.to_vec()?.into_iter().flat_map(|pair| pair.to_array()).collect();
            Ok(vec![Output::U32(y.to_vec()?), Output::U32(out)])
        },
        expected_in_a_kernel
    ),
    case!(
        "lookups::bytes",
        [Bytes],
        |mgr| {
            let text = text();
            let (mut kind, mut number) = (mgr.tensor(&vec![0u32; text.len()])?, mgr.tensor(&vec![0u32; text.len()])?);
            let seq = mgr.sequence()?;
            Bytes::dispatch(&seq, Grid::items(text.len()), &mgr.tensor(&text)?, &mut kind, &mut number)?;
            seq.eval()?;
            Ok(vec![Output::U32(kind.to_vec()?), Output::U32(number.to_vec()?)])
        },
        expected_bytes
    ),
];
