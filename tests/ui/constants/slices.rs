//! Consts that are slices, where these cannot be.
use gridwise::prelude::*;

#[device]
const WORDS: &[&[u8]] = &[b"one", b"three"];

#[device]
const NONE: &[u32] = &[];

#[device]
const WRITTEN: &mut [u32] = &mut [];

#[device]
const SHORT: &[u32] = &[1, 2];

#[device]
const FLOATS: &[f32] = &[1, 2];

#[device]
fn total(x: &[u32]) -> u32 {
    x.iter().sum()
}

#[kernel]
fn chosen(out: &mut [u32]) {
    const LONG: &[u32] = &[1, 2, 3];
    let table = if out.len() > 2 { SHORT } else { LONG };
    out[0] = table[0];
}

#[kernel]
fn empty(out: &mut [u32]) {
    let none = NONE;
    out[0] = total(NONE);
}

#[kernel]
fn assigned(out: &mut [u32]) {
    SHORT[0] = out[0];
}

fn main() {}
