//! Programs as people port them: a random number generator, a decomposition, an edit distance, a parser, checksums, a sort with a stack
//! of its own. Each function also stands in a module that only rustc compiles.

#![allow(
    clippy::excessive_precision,
    clippy::many_single_char_names,
    clippy::needless_range_loop,
    clippy::unreadable_literal,
    clippy::while_let_on_iterator,
    reason = "ported as they were"
)]

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

both!(ported, plain_ported, {
    use std::ops::Range;
    fn pcg(state: &mut u64) -> u32 {
        let old = *state;
        *state = old.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let xorshifted = (((old >> 18) ^ old) >> 27) as u32;
        let rot = (old >> 59) as u32;
        xorshifted.rotate_right(rot)
    }
    pub(super) fn random(n: u32) -> [u32; 4] {
        let mut state = n as u64 * 7919 + 1;
        std::array::from_fn(|_| pcg(&mut state))
    }
    fn lu(mut a: [[f32; 4]; 4]) -> ([[f32; 4]; 4], [usize; 4], bool) {
        let mut perm = [0usize, 1, 2, 3];
        for k in 0..4 {
            let p = (k..4).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
            if a[p][k] == 0.0 {
                return (a, perm, false);
            }
            a.swap(k, p);
            perm.swap(k, p);
            for i in k + 1..4 {
                a[i][k] /= a[k][k];
                let f = a[i][k];
                for j in k + 1..4 {
                    a[i][j] -= f * a[k][j];
                }
            }
        }
        (a, perm, true)
    }
    fn tail(x: &mut [f32]) {
        x[0] += 3.0;
        x.swap(0, 1);
    }
    fn fill(row: &mut [f32; 4], n: u32) {
        row[n as usize % 4] += 0.5;
    }
    fn scale(m: &mut [[f32; 4]; 4]) {
        for row in m.iter_mut().skip(1) {
            for v in row.iter_mut().rev().take(2) {
                *v += 1.0;
            }
            let first = row[0];
            for (a, b) in row.iter_mut().zip([1.0f32, 2.0, 3.0, 4.0]) {
                *a += b * first;
            }
        }
    }
    pub(super) fn det(n: u32) -> [u32; 4] {
        let mut a = [[0.0f32; 4]; 4];
        for (i, row) in a.iter_mut().enumerate() {
            for (j, v) in row.iter_mut().enumerate() {
                *v = ((n as usize * 31 + i * 7 + j * 13) % 11) as f32 - 5.0;
            }
            for v in &mut row[1..3] {
                *v *= 2.0;
            }
            row.reverse();
            fill(row, n);
            tail(&mut row[2..]);
        }
        scale(&mut a);
        let mut cube = [[[n; 2]; 2]; 2];
        for (i, plane) in cube.iter_mut().enumerate() {
            for row in plane.iter_mut() {
                for (k, v) in row.iter_mut().enumerate() {
                    *v += (i * 2 + k) as u32;
                }
            }
        }
        let (lu, perm, ok) = lu(a);
        let d: f32 = (0..4).map(|i| lu[i][i]).product();
        [
            (d.to_bits() & !0xff) * (ok as u32),
            perm[0] as u32 * 4 + perm[1] as u32,
            ok as u32,
            cube[1][0][1] + cube[0][1][0] * 100,
        ]
    }
    fn levenshtein(a: &[u8], b: &[u8]) -> u32 {
        let mut row = [0u32; 9];
        for (i, v) in row.iter_mut().enumerate() {
            *v = i as u32;
        }
        for (i, &ca) in a.iter().enumerate() {
            let mut prev = row[0];
            row[0] = i as u32 + 1;
            for (j, &cb) in b.iter().enumerate() {
                let cost = if ca == cb { prev } else { 1 + prev.min(row[j]).min(row[j + 1]) };
                prev = std::mem::replace(&mut row[j + 1], cost);
            }
        }
        row[b.len()]
    }
    pub(super) fn edit(x: &[u8], n: u32) -> [u32; 4] {
        let at = n as usize % 40;
        let words: Range<usize> = at..at + 8;
        let d = levenshtein(&x[words.clone()], &x[words.start + 8..words.end + 6]);
        let runs = x[words].windows(2).filter(|w| w[0] == w[1]).count() as u32;
        [d, runs, 0, 0]
    }

    fn number(x: &[u8], at: &mut Range<usize>) -> Option<i32> {
        let mut value = 0i32;
        let mut any = false;
        while at.start < at.end {
            let c = x[at.start];
            if !c.is_ascii_digit() {
                break;
            }
            value = value * 10 + (c - b'0') as i32;
            at.next();
            any = true;
        }
        any.then_some(value)
    }
    fn sum(x: &[u8], at: &mut Range<usize>) -> Option<i32> {
        let mut total = number(x, at)?;
        while let Some(i) = at.next() {
            match x[i] {
                b'+' => total += number(x, at)?,
                b'-' => total -= number(x, at)?,
                b' ' => continue,
                _ => return None,
            }
        }
        Some(total)
    }
    pub(super) fn parse(x: &[u8], n: u32) -> [u32; 4] {
        let mut at = 0..x.len().min(n as usize);
        let v = sum(x, &mut at);
        [v.is_some() as u32, v.unwrap_or(-1) as u32, at.start as u32, at.len() as u32]
    }
    const CRC: [u32; 16] = [
        0, 498536548, 997073096, 651767980, 1994146192, 1802195444, 1303535960, 1342533948, 3988292384, 4027552580,
        3604390888, 3412177804, 2607071920, 2262029012, 2685067896, 3183342108,
    ];
    pub(super) fn crc(x: &[u8], n: u32) -> [u32; 4] {
        let mut c = !0u32;
        for &b in x.iter().take(n as usize) {
            c = CRC[((c ^ b as u32) & 15) as usize] ^ (c >> 4);
            c = CRC[((c ^ (b as u32 >> 4)) & 15) as usize] ^ (c >> 4);
        }
        let fnv = x[..n as usize].iter().fold(0x811c9dc5u32, |h, &b| (h ^ b as u32).wrapping_mul(0x01000193));
        [!c, fnv, 0, 0]
    }
    fn quicksort(v: &mut [u32; 16]) -> u32 {
        let mut stack = [(0usize, 0usize); 16];
        let mut top = 1;
        let mut steps = 0;
        stack[0] = (0, v.len());
        while top > 0 {
            top -= 1;
            let (lo, hi) = stack[top];
            if hi - lo < 2 {
                continue;
            }
            let pivot = v[hi - 1];
            let mut store = lo;
            for i in lo..hi - 1 {
                steps += 1;
                if v[i] < pivot {
                    v.swap(i, store);
                    store += 1;
                }
            }
            v.swap(store, hi - 1);
            stack[top] = (lo, store);
            stack[top + 1] = (store + 1, hi);
            top += 2;
        }
        steps
    }
    pub(super) fn sorted(n: u32) -> [u32; 4] {
        let mut state = n as u64;
        let mut v: [u32; 16] = std::array::from_fn(|_| pcg(&mut state) % 100);
        let steps = quicksort(&mut v);
        [
            steps,
            v.is_sorted() as u32,
            v.iter().rev().fold(0, |h: u32, x| h.wrapping_mul(31) + x),
            v.binary_search(&v[7]).is_ok() as u32,
        ]
    }
});

#[kernel]
fn use_ported(x: &[u8], text: &[u8], out: &mut [[u32; 4]]) {
    let n = global_id().x;
    out[n * 6] = ported::random(n);
    out[n * 6 + 1] = ported::det(n);
    out[n * 6 + 2] = ported::edit(x, n);
    out[n * 6 + 3] = ported::parse(text, n);
    out[n * 6 + 4] = ported::crc(x, n);
    out[n * 6 + 5] = ported::sorted(n);
}

const COUNT: usize = 40;

const TEXT: &[u8] = b"12+30-7 +100-9999+5x+3";

fn letters() -> Vec<u8> {
    (0..80u32).map(|i| b'a' + (i * i / 3 % 4) as u8).collect()
}

fn expected() -> Vec<Output> {
    use plain_ported as plain;
    let x = letters();
    let each = |n| {
        let rest = [plain::parse(TEXT, n), plain::crc(&x, n), plain::sorted(n)];
        [[plain::random(n), plain::det(n), plain::edit(&x, n)], rest].concat()
    };
    vec![Output::U32((0..COUNT as u32).flat_map(each).flatten().collect())]
}

/// The entries.
pub const CASES: &[Case] = &[case!(
    "ported::programs",
    [UsePorted],
    |mgr| {
        let (x, text) = (mgr.tensor(&letters())?, mgr.tensor(TEXT)?);
        let mut out = mgr.tensor(&vec![[0u32; 4]; COUNT * 6])?;
        let seq = mgr.sequence()?;
        UsePorted::dispatch(&seq, Grid::items(COUNT), &x, &text, &mut out)?;
        seq.eval()?;
        Ok(vec![Output::U32(out.to_vec()?.concat())])
    },
    expected
)];
