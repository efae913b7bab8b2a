//! Ranges as values that Rust refuses, or that have no place in a kernel: moved, changed without `mut` or a name, without an end.

use gridwise::prelude::*;

#[device]
fn rows(i: u32) -> std::ops::Range<u32> {
    i..i + 4
}

#[kernel]
fn changed(y: &mut [u32]) {
    let range = 0..4u32;
    y[0] = range.next().unwrap();
    y[1] = range.any(|i| i == 3) as u32;
    y[2] = (0..3u32).next().unwrap();
    let open = 3..;
    let halves = 0.0..1.5f32;
    for half in halves {
        y[3] += 1;
    }
}

#[kernel]
fn parameter(range: std::ops::Range<u32>, y: &mut [u32]) {
    y[0] = range.start;
}

#[kernel]
fn compared(y: &mut [u32]) {
    let closed = 0..=3u32;
    y[0] = (closed == (0..=4)) as u32 + closed.end;
    y[1] = y[rows(3)][0];
}

#[device]
fn backwards(range: &mut std::ops::Range<u32>) -> u32 {
    range.enumerate().rev().map(|(i, v)| i as u32 * v).sum()
}

#[kernel]
fn paired(y: &mut [u32]) {
    let mut range = 0..9u32;
    for (i, v) in range.by_ref().zip(3..6u32) {
        y[i] = v;
    }
    y[0] = backwards(&mut range);
}

fn main() {}
