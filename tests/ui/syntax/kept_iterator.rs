//! Iterators in variables: what these cannot hold, and what cannot be done with them.

use gridwise::prelude::*;

#[kernel]
fn held(x: &[u32], y: &mut [u32]) {
    let mut below = x.iter().take_while(|v| **v < 9);
    let mut running = x.iter().scan(0, |sum, v| {
        *sum += v;
        Some(*sum)
    });
    let mut nested = (0..4u32).flat_map(|a| (0..a).map(move |b| a + b));
    let mut pairs = x.iter().map(|v| v + 1).zip(x.iter());
    let written = y.iter_mut();
    let mut parts = y.chunks_mut(4);
    let inner = x.iter().map_while(|v| v.checked_sub(1));
    let mut outer = inner.skip(1);
}

#[kernel]
fn used(x: &[u32], y: &mut [u32]) {
    let fixed = x.iter();
    y[0] = *fixed.next().unwrap();
    let mut it = x.iter();
    let back = it.next_back();
    let last = it.by_ref().rev().next();
    let position = it.rposition(|v| *v == 1);
    let around = it.by_ref().cycle().take(9).count();
    y[1] = it.by_ref().zip(x.iter()).map(|(a, b)| a * b).sum();
    y[2] = x.iter().map(|v| v + 1).zip(it.by_ref()).map(|(a, b)| a * b).sum();
    for v in &it {
        y[3] += *v;
    }
    let other = it.nth_back(1);
    let more = Some(3).map(|v| v + it.next().copied().unwrap_or(0));
    let same = it;
    let one = if y[0] > 1 { x.iter() } else { x[1..].iter() };
    let (a, b) = (x.iter(), x.iter());
    let same = x.iter().peekable().next_if_eq(&3);
}

fn main() {}
