//! Methods of `Option`, `Result` and `bool`: which of their closures run, in which order, and what comes out.

use gridwise::prelude::*;

use super::{case, twice};
use crate::case::{Case, Output, patterns};

const N: usize = 500;

fn input() -> Vec<u32> {
    patterns(N, 5).into_iter().enumerate().map(|(i, v)| if i % 4 == 0 { v } else { v % 60 }).collect()
}

fn map(
    mgr: &Manager,
    run: impl for<'s> FnOnce(&'s Sequence, Grid, &Tensor<u32>, &mut Tensor<u32>) -> gridwise::Result<&'s Sequence>,
) -> gridwise::Result<Vec<Output>> {
    let (x, mut out) = (mgr.tensor(&input())?, mgr.tensor(&vec![0u32; N])?);
    let seq = mgr.sequence()?;
    run(&seq, Grid::items(N), &x, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?)])
}

fn expect(f: impl Fn(u32) -> u32) -> Vec<Output> {
    vec![Output::U32(input().into_iter().map(f).collect())]
}

twice! {
    fn small(x: u32) -> Option<u32> {
        if x < 40 { Some(x) } else { None }
    }
    fn odd(x: u32) -> Result<u32, i32> {
        if x % 2 == 1 { Ok(x) } else { Err(-(x as i32 & 0xff)) }
    }
    fn half(x: u32) -> f32 {
        x as f32 * 0.5
    }
    fn options(x: u32) -> u32 {
        let o = small(x);
        let scale = x % 7;
        let a = o.map(|v| v * 3 + scale).unwrap_or(7);
        let b = o.and_then(|v| if v > 20 { Some(v - 20) } else { None }).unwrap_or_else(|| small(x).map_or(x & 15, |v| v * v));
        let c = o.or_else(|| small(x >> 3)).map_or(1, |v| v + 2);
        let d = o.map_or_else(|| scale + 100, |v| v ^ scale);
        let e = o.is_some_and(|v| v % 3 == 0) as u32 + 2 * o.is_none_or(|v| v % 5 == 0) as u32;
        let f = o.ok_or_else(|| small(x >> 3).map_or(-5, |v| v as i32)).map_err(|e| e & 0xff).unwrap_or_else(|e| e as u32 + 1);
        let g = o.map(half).map_or(0, |v| (v * 4.0) as u32);
        let h = o.zip(small(x / 2)).map(|(p, q)| (q, p)).unzip();
        let i = h.0.xor(h.1.and_then(|v| odd(v).ok())).unwrap_or_default();
        a ^ b << 3 ^ c << 6 ^ d << 9 ^ e << 15 ^ f << 17 ^ g << 20 ^ i << 24
    }
    fn results(x: u32) -> u32 {
        let r = odd(x);
        let a = r.map(|v| v as f32 * 0.5).map_or_else(|e| (-e) as u32, |v| v as u32 & 0xfff);
        let b = r.and_then(|v| if v > 30 { Err(7) } else { Ok(v as u8) }).unwrap_or_default() as u32;
        let c = r.or_else(|e| if e > -9 { Ok::<u32, u8>(e.unsigned_abs()) } else { Err(3) });
        let d = c.is_ok_and(|v| v > 3) as u32 + 2 * c.is_err_and(|e| e == 3) as u32;
        let e = r.ok().map_or(5, |v| v & 31) + r.err().map_or(9, |e| e as u32 & 63);
        let f = r.map(small).map(|o| o.is_some()).unwrap_or(false) as u32;
        let g: Option<Result<u32, i32>> = r.map(small).transpose();
        let h: Result<Option<u32>, i32> = small(x).map(odd).transpose();
        let i = match (g, h) {
            (Some(Ok(v)), Ok(Some(w))) => v * 2 + w,
            (Some(Err(e)), Err(f)) => (e + f) as u32 & 0xff,
            (None, Ok(None)) => 3,
            (Some(_), _) => 4,
            (None, _) => 5,
        };
        a ^ b << 4 ^ c.unwrap_or(2) << 8 ^ d << 12 ^ e << 14 ^ f << 22 ^ i << 23
    }
    /// A trace that each branch extends when it runs.
    fn marks(x: u32) -> u32 {
        let mut trace = 1u32;
        let o = small(x);
        let a = o.map(|v| {
            trace = trace * 3 + 1;
            v + trace
        });
        let b = a.or_else(|| {
            trace = trace * 5 + 2;
            None
        });
        let mut last = b.unwrap_or({
            trace += 1;
            trace
        });
        (x % 3 == 0).then(|| last += 10);
        let c = (x % 5 == 1).then_some(x & 7).map_or(0, |v| v + 1);
        let copied = (x % 2 == 0).then(move || last + 1).map(|v| v ^ last);
        for step in 0..4 {
            let found = small(x + step * 10).map(|v| if v % 2 == 0 { v } else { trace ^= v; 0 });
            if let Some(0) = found {
                last += 1;
            }
        }
        trace ^ last << 8 ^ c << 16 ^ copied.unwrap_or(9) << 20
    }
    /// `return` and `?` leave the closure, not the function.
    fn leaving(x: u32) -> u32 {
        let a = small(x).map(|v| {
            if v > 30 {
                return 1;
            }
            for i in 0..v {
                if i * i > v {
                    return i;
                }
            }
            v + 2
        });
        let b = small(x).and_then(|v| {
            let next = small(v + 15)?;
            let other = odd(next).ok()?;
            Some(other * 2)
        });
        let c: Result<u32, i32> = odd(x >> 1).and_then(|v| {
            let other = small(v).map(odd).unwrap_or(Err(4))?;
            Ok(other + 1)
        });
        let d = small(x).map(|v| small(v * 3).map(|w| {
            if w == 9 {
                return 5;
            }
            w + v
        }).unwrap_or(v));
        a.unwrap_or(99) ^ b.unwrap_or(98) << 8 ^ c.unwrap_or_else(|e| e as u32 & 0xff) << 16 ^ d.unwrap_or(3) << 24
    }
    fn exchanges(x: u32) -> u32 {
        let mut o = small(x);
        let a = o.take();
        let b = o.replace(x % 11);
        let c = o.replace(o.map_or(3, |v| v + 1));
        let mut pair = (a, Some(x));
        let d = pair.0.take().or(pair.1.take());
        let after = o.is_some() as u32 + 2 * pair.0.is_some() as u32 + 4 * pair.1.is_some() as u32;
        a.unwrap_or(1) ^ b.unwrap_or(2) << 6 ^ c.unwrap_or(3) << 12 ^ d.unwrap_or(4) << 18 ^ after << 28
    }
}

#[kernel]
fn of_options(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = options(x[i]);
}

#[kernel]
fn of_results(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = results(x[i]);
}

#[kernel]
fn in_order(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = marks(x[i]);
}

#[kernel]
fn left_early(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = leaving(x[i]);
}

#[kernel]
fn exchanged(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = exchanges(x[i]);
}

/// Closures that name buffers, write one of them, and trap.
#[kernel]
fn in_kernels(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let next = (x[i] < 40).then(|| x[i + 1]);
    next.map(|v| out[i] = v + x[i]);
    if next.is_none() {
        out[i] = next.or_else(|| x.is_empty().then_some(3)).map_or(x[i] % 100, |v| v);
    }
}

/// The entries.
pub const CASES: &[Case] = &[
    case!("choices::options", [OfOptions], |mgr| map(mgr, OfOptions::dispatch), || expect(plain::options)),
    case!("choices::results", [OfResults], |mgr| map(mgr, OfResults::dispatch), || expect(plain::results)),
    case!("choices::marks", [InOrder], |mgr| map(mgr, InOrder::dispatch), || expect(plain::marks)),
    case!("choices::leaving", [LeftEarly], |mgr| map(mgr, LeftEarly::dispatch), || expect(plain::leaving)),
    case!("choices::exchanges", [Exchanged], |mgr| map(mgr, Exchanged::dispatch), || expect(plain::exchanges)),
    case!(
        "choices::in_kernels",
        [InKernels],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&[50u32, 7, 39, 100, 3])?, mgr.tensor(&[9u32; 5])?);
            let seq = mgr.sequence()?;
            InKernels::dispatch(&seq, Grid::items(5), &x, &mut out)?;
            let report = match seq.eval() {
                Err(gridwise::Error::KernelPanic { message, .. }) => message,
                _ => String::new(),
            };
            Ok(vec![Output::U32(out.to_vec()?), Output::Report(report)])
        },
        || vec![
            Output::U32(vec![50, 46, 139, 0, 3]),
            Output::Report("index out of bounds: the len is 5 but the index is 5".to_owned())
        ]
    ),
];
