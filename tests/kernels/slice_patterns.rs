//! Patterns of slices: `match`, `if let`, `while let`, `let … else` and `matches!` on buffers, arrays and shared memory.

#![expect(clippy::redundant_at_rest_pattern, clippy::match_ref_pats, reason = "these are the forms that are tried")]

use gridwise::prelude::*;

use super::{case, twice};
use crate::case::{Case, Output, patterns};

const N: usize = 192;
/// Elements of each invocation's part.
#[device]
const PART: usize = 7;
/// Results of each invocation.
const RESULTS: usize = 8;

#[device]
const LIMIT: u32 = 6;

fn small(len: usize) -> Vec<u32> {
    patterns(len, 83).into_iter().map(|v| v % 8).collect()
}

twice! {
    fn shape(x: &[u32]) -> u32 {
        match x {
            [] => 1000,
            [only] => 2000 + only,
            [first, last] if first == last => 3000 + *first,
            [first, .., last] if first < last => 4000 + 10 * first + last,
            [first, middle @ .., last] => 5000 + first * last + middle.len() as u32 + middle.iter().sum::<u32>(),
        }
    }

    fn literals(x: &[u32]) -> u32 {
        match *x {
            [0, ..] => 1,
            [.., 0] => 2,
            [1 | 2, 3..=5, ..] => 3,
            [a @ 4..=7, b, ..] | [.., a @ LIMIT, b] if a > b => 10 + a * 2 + b,
            [LIMIT, ref rest @ ..] => 50 + rest.len() as u32,
            [_, _, third, ..] => 100 + third,
            [_] | [_, _] => 200,
            [] => 300,
        }
    }

    fn alternatives(x: &[u32]) -> u32 {
        // The first alternative that matches binds, whatever the length is.
        let a = match x {
            [3, v, ..] | [.., v, 3] | [v] => 7 + *v,
            [v, .., 5] | [5, .., v] => 70 + v,
            _ => 0,
        };
        let b = match x {
            [1, rest @ ..] | [rest @ .., 1] | rest => rest_of(rest),
        };
        a * 1000 + b
    }

    fn rest_of(x: &[u32]) -> u32 {
        x.iter().fold(x.len() as u32, |all, v| all * 3 + v)
    }

    fn conditions(x: &[u32]) -> u32 {
        let mut sum = 0;
        if let [a, b, ..] = x && a > b {
            sum += a - b;
        } else if let [.., last] = &x[..x.len() / 2] {
            sum += 100 + last;
        }
        let mut i = 0;
        while let [a, b, ..] = &x[i..] {
            sum = sum * 3 + (a ^ b);
            i += 2;
        }
        while let [a, .., b] = x[(i / 2).min(x.len())..] && a != b && i < 10 {
            sum = sum * 5 + a + b;
            i += 1;
        }
        sum * 2 + u32::from(matches!(x, [a, .., b] if a == b)) + u32::from(matches!(x[x.len() / 3..], [] | [_] | [7, ..]))
    }

    fn otherwise(x: &[u32], n: usize) -> u32 {
        let [first, rest @ ..] = x else { return 9 };
        let [second, third, others @ ..] = rest else { return 90 + first };
        let &[.., last] = x else { return 95 };
        let Some([a, b]) = x.get(n..n + 2) else { return 900 + others.len() as u32 };
        let [all @ ..] = &x[n..];
        first + second * 10 + third * 100 + a * 1000 + b * 10_000 + all.len() as u32 * 100_000 + rest_of(others) + last
    }

    fn nested(x: &[u32], n: usize) -> u32 {
        let found = match x.get(..n) {
            Some([]) => 1,
            Some([a]) | Some([_, _, a]) => 10 + a,
            Some([_, rest @ ..]) => 20 + rest_of(rest),
            None => 5,
        };
        let (head, tail) = x.split_at(n.min(x.len()));
        let both = match (head, tail) {
            ([.., a], [b, ..]) => a * 8 + b,
            (part, []) | ([], part) => 500 + part.len() as u32,
        };
        let twins = x.windows(2).filter(|w| matches!(w, [a, b] if a == b)).count() as u32;
        let rising = x.chunks(3).map(|c| match c {
            [a, b, c] if a < b && b < c => 3,
            [a, b, ..] if a < b => 2,
            _ => 1,
        }).sum::<u32>();
        let split = match x.split_first() {
            Some((first, [second, ..])) => first * 9 + second,
            Some((first, whole @ [])) => first + whole.len() as u32,
            None => 77,
        };
        found + both * 100 + twins * 100_000 + rising * 7 + split
    }

    fn arrays(x: &[u32]) -> u32 {
        let own = [x[0], 3, x[1], x[2], 1];
        let pairs = [(x[0], 1.5f32), (2, 2.5), (x[2], 0.5)];
        let (mut p, mut q) = (own[1], own[2]);
        [p, .., q] = [p, q, own[0], p + q];
        [_, p, ..] = [q, p + 1, 8, p];
        let a = match &own[..] {
            [a, 3, rest @ .., 1] => a + rest[0] * 2 + rest.len() as u32,
            _ => 0,
        };
        let b = match own {
            [a, .., 1] if a > 4 => a,
            [_, b @ 1..=3, _, c, _] => b + c,
            _ => 99,
        };
        let c = match &own[x[0] as usize % 5..] {
            &[] => 0,
            &[v] => v,
            &[u, .., v] => u * 2 + v,
        };
        let [(d, _), .., (e, f)] = pairs;
        let sum = own.iter().zip(&own[1..]).map(|(a, b)| a * b).sum::<u32>();
        ((((p * 3 + q) * 3 + a) * 3 + b) * 3 + c) * 3 + d + e + f as u32 + sum
    }

    fn of_values(own: [u32; 4], n: usize) -> u32 {
        let (head, tail) = own.split_at(n);
        let both = match (head, tail) {
            ([], [a, ..]) => *a,
            ([.., a], [b, .., c]) if a != b => a * 8 + c,
            (_, rest @ [_, ..]) => rest.len() as u32,
            (_, []) => 9,
        };
        both * 10
            + match &own[n..] {
                [a] => *a,
                [a, others @ ..] => a + others.iter().sum::<u32>(),
                [] => 7,
            }
    }

    fn of_any(x: &[u32], n: usize) -> u32 {
        let floats = [n as f32, 2.5, -1.0];
        ends(x, 1) * 100 + ends(&x[..n.min(x.len())], 2) + ends(&floats[n % 3..], 0.5) as u32
    }

    // Each length, at each start.
    fn all(x: &[u32], i: usize) -> [u32; 8] {
        let (n, end) = (i % 4, i / 4 % (x.len() + 1));
        let part = &x[n.min(end)..end];
        let mut out = [0; 8];
        out[0] = shape(part);
        out[1] = literals(part);
        out[2] = alternatives(part);
        out[3] = conditions(part);
        out[4] = otherwise(part, n);
        out[5] = nested(part, n);
        out[6] = arrays(x);
        out[7] = of_values([x[0], x[1], x[2], x[3]], n) * 1000 + of_any(part, n);
        out
    }

    fn some(x: &[u32], i: usize) -> [u32; 8] {
        let part = &x[i % 4..4 + i / 4 % 4];
        [shape(part), nested(part, i % 3), 0, 0, 0, 0, 0, 0]
    }
}

#[device]
fn ends<T: Copy + core::ops::Add<Output = T>>(x: &[T], none: T) -> T {
    match x {
        [first, .., last] => *first + *last,
        [only] => *only,
        [] => none,
    }
}

/// On parts of buffers, of the invocation's own arrays and of shared memory.
///
/// # Safety
/// Tensors are so short that no index wraps around.
#[kernel(workgroup = 32)]
unsafe fn everywhere(x: &[u32], out: &mut [[u32; 8]]) {
    let tile = Shared::<[u32; 224]>::new();
    let (i, lane) = (global_id().x as usize, local_index() as usize);
    out[i] = match i % 5 {
        0 => {
            let mut own = [0; PART];
            own.copy_from_slice(&x[PART * i..PART * i + PART]);
            some(&own, i)
        }
        1 => {
            tile[PART * lane..PART * lane + PART].copy_from_slice(&x[PART * i..][..PART]);
            some(&tile[PART * lane..PART * lane + PART], i)
        }
        _ => all(&x[PART * i..PART * i + PART], i),
    };
}

/// A path in a kernel: positions in order, with a command before each.
#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Step {
    command: u32,
    to: Vec2,
}

/// In a kernel itself, whole buffers among them.
///
/// # Safety
/// Tensors are so short that no index wraps around.
#[kernel(workgroup = 32)]
unsafe fn in_a_kernel(x: &[u32], steps: &[Step], bytes: &[u8], y: &mut [u32], z: &mut [f32]) {
    let i = global_id().x as usize;
    let whole = match x {
        [first, .., last] => first * 8 + last,
        _ => 1,
    };
    let step = match &steps[i % steps.len()..] {
        [Step { command: 0, to }, ..] => to.x,
        [Step { command: 1 | 2, .. }, Step { to, .. }, ..] => to.y + 100.0,
        [.., Step { to: Vec2 { x, .. }, .. }] => -x,
        [] => 7.0,
    };
    let number = match bytes[i..] {
        [b'-', b'0'..=b'9', ..] => 1,
        [a @ b'0'..=b'9', b @ b'0'..=b'9', ..] => 10 * u32::from(a - b'0') + u32::from(b - b'0'),
        [b'+', ref rest @ .., _] if rest.is_empty() => 2,
        [sign, ..] => 1000 + u32::from(sign),
        [] => 3,
    };
    let own = [x[i], x[i + 1], 3];
    let of_own = if let [a, b, ..] = &own[x[i] as usize % 2..] { a * 16 + b } else { 0 };
    z[i] = step;
    y[i] = whole + number * 100 + of_own * 1_000_000;
    // What was written is seen.
    let seen = if let [v] = y[i..=i] { v / 2 } else { 0 };
    y[i] += seen;
}

fn steps() -> Vec<Step> {
    (0..50u16).map(|i| Step { command: u32::from(i) % 4, to: vec2(f32::from(i), f32::from(i * i)) }).collect()
}

fn text() -> Vec<u8> {
    small(N).into_iter().map(|v| b"-0195+x7"[v as usize]).collect()
}

fn expected() -> Vec<Output> {
    let x = small(PART * N);
    let each = |i: usize| {
        let part = &x[PART * i..PART * i + PART];
        if i % 5 < 2 { plain::some(part, i) } else { plain::all(part, i) }
    };
    vec![Output::U32((0..N).flat_map(each).collect())]
}

fn expected_in_a_kernel() -> Vec<Output> {
    let (x, steps, bytes) = (small(N + 1), steps(), text());
    let y = (0..N).map(|i| {
        let part = &bytes[i..];
        let digit = |at: usize| part.get(at).filter(|byte| byte.is_ascii_digit()).map(|byte| u32::from(byte - b'0'));
        let number = match (part[0], digit(0), digit(1)) {
            (b'-', _, Some(_)) => 1,
            (_, Some(a), Some(b)) => 10 * a + b,
            (b'+', ..) if part.len() == 2 => 2,
            (sign, ..) => 1000 + u32::from(sign),
        };
        let own = [x[i], x[i + 1], 3];
        let at = x[i] as usize % 2;
        let y = x[0] * 8 + x[N] + number * 100 + (own[at] * 16 + own[at + 1]) * 1_000_000;
        y + y / 2
    });
    let z = (0..N).map(|i| {
        let at = i % steps.len();
        match steps[at].command {
            0 => steps[at].to.x,
            1 | 2 if at + 1 < steps.len() => steps[at + 1].to.y + 100.0,
            _ => -steps[steps.len() - 1].to.x,
        }
    });
    vec![Output::U32(y.collect()), Output::exact(z.collect())]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "slice_patterns::everywhere",
        [Everywhere],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&small(PART * N))?, mgr.tensor(&vec![[0u32; RESULTS]; N])?);
            let seq = mgr.sequence()?;
            // SAFETY: the tensors have a few thousand elements.
            unsafe { Everywhere::dispatch(&seq, Grid::items(N), &x, &mut out)? };
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        },
        expected
    ),
    case!(
        "slice_patterns::in_a_kernel",
        [InAKernel],
        |mgr| {
            let (x, steps, bytes) = (mgr.tensor(&small(N + 1))?, mgr.tensor(&steps())?, mgr.tensor(&text())?);
            let (mut y, mut z) = (mgr.tensor(&[0u32; N])?, mgr.tensor(&[0f32; N])?);
            let seq = mgr.sequence()?;
            // SAFETY: the tensors have a few hundred elements.
            unsafe { InAKernel::dispatch(&seq, Grid::items(N), &x, &steps, &bytes, &mut y, &mut z)? };
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?), Output::exact(z.to_vec()?)])
        },
        expected_in_a_kernel
    ),
];
