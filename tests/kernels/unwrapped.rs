//! Elements to write that are looked for and there, or else a panic or `None`. Each function also stands in a module that only rustc
//! compiles.

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

const N: usize = 64;

both!(found, plain_found, {
    /// Nothing behind the first element that is not there.
    fn put(x: &mut [u32], at: usize, value: u32) -> Option<u32> {
        *x.get_mut(at)? = value;
        let next = x.get_mut(at + 1)?;
        *next ^= 5;
        *x.last_mut()? += value;
        Some(value + 1)
    }

    fn next(count: &mut u32) -> u32 {
        *count += 1;
        *count
    }

    /// Of a slice and of arrays; the value is computed before the element is looked for.
    pub(super) fn all(x: &[u32], seed: u32) -> u32 {
        let mut own = [x[0], x[1], seed, 9];
        let put = put(&mut own, seed as usize % 6, seed).unwrap_or(77);
        let mut count = 0u32;
        *own.first_mut().unwrap() = x[2] ^ put;
        *own.get_mut(next(&mut count) as usize).expect("four elements") = 3;
        *own.get_mut(count as usize % 4).unwrap() = next(&mut count);
        *own.last_mut().unwrap() <<= &1;
        let second = own.get_mut(1).unwrap();
        *second += 4;
        own.iter().fold(count, |hash, v| hash.rotate_left(5) ^ v)
    }
});

#[kernel(workgroup = 32)]
fn unwrapped(x: &[u32], y: &mut [u32]) {
    let i = global_id().x as usize;
    *y.get_mut(i).unwrap() = found::all(&x[i..i + 3], i as u32);
}

#[kernel(workgroup = 32)]
fn missing(y: &mut [u32]) {
    let i = global_id().x as usize;
    let part = &mut y[..63];
    *part.get_mut(i).unwrap() = 2;
}

#[kernel(workgroup = 32)]
fn expected(y: &mut [u32]) {
    let i = global_id().x as usize;
    let part = &mut y[..63];
    let last = part.get_mut(i).expect("an element for each");
    *last = 2;
}

fn x() -> Vec<u32> {
    (0..N as u32 + 3).map(|k| k * k % 83).collect()
}

/// The entry.
pub const CASES: &[Case] = &[
    case!(
        "unwrapped::elements",
        [Unwrapped],
        |mgr| {
            let (x, mut y) = (mgr.tensor(&x())?, mgr.tensor_of_len::<u32>(N)?);
            let seq = mgr.sequence()?;
            Unwrapped::dispatch(&seq, Grid::items(N), &x, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let x = x();
            vec![Output::U32((0..N).map(|i| plain_found::all(&x[i..i + 3], i as u32)).collect())]
        }
    ),
    case!(
        "unwrapped::missing",
        [Missing, Expected],
        |mgr| {
            let mut y = mgr.tensor_of_len::<u32>(N)?;
            let seq = mgr.sequence()?;
            Missing::dispatch(&seq, Grid::items(N), &mut y)?;
            let first = panic_of(seq.eval())?;
            let seq = mgr.sequence()?;
            Expected::dispatch(&seq, Grid::items(N), &mut y)?;
            Ok(vec![Output::U32(vec![first, panic_of(seq.eval())?])])
        },
        || vec![Output::U32(vec![1, 2])]
    ),
];

/// Which of the two panics a result is, or 0 for none of them.
///
/// # Errors
///
/// All that are no panic of a kernel.
fn panic_of<T>(result: gridwise::Result<T>) -> gridwise::Result<u32> {
    let text = match result {
        Ok(_) => return Ok(0),
        Err(error @ gridwise::Error::KernelPanic { .. }) => error.to_string(),
        Err(error) => return Err(error),
    };
    Ok(["called `Option::unwrap()` on a `None` value", "an element for each"]
        .iter()
        .position(|part| text.contains(part))
        .map_or(0, |position| position as u32 + 1))
}
