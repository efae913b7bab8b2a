//! Patterns of slices that leave lengths out, and slices that have no patterns.

use gridwise::prelude::*;

#[kernel]
fn in_a_kernel(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = match &x[1..] {
        [] => 0,
        [a, b, ..] => a + b,
    };
}

#[device]
fn by_slice(x: &[u32]) -> u32 {
    match x {
        [first, ..] if *first > 1 => 2,
        [] => 1,
    }
}

#[device]
fn by_value(own: [u32; 4], n: usize) -> u32 {
    match &own[n..] {
        [_, second, ..] => *second,
        [1 | 2] => 1,
        [] => 2,
    }
}

#[kernel]
fn calls(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = by_slice(x) + by_value([1, 2, 3, 4], 2);
}

#[kernel]
fn elsewhere(x: &[u32], parts: &[&[u32]], rows: &[[u32; 4]], y: &mut [u32]) {
    let i = global_id().x;
    let [first, ..] = x;
    if let [a, ..] = y {
        *a = 1;
    }
    if let [a, ..] = &parts[i][..] {
        y[i] = *a;
    }
    if let [a, ..] = &rows[i][1..] {
        y[i] = *a;
    }
    y[i] = x.windows(2).map(|[a, b]| a + b).sum();
    for [a, ..] in x.chunks(2) {
        y[i] = *a;
    }
}

fn main() {}
