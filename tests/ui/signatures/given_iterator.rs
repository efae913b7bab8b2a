//! Functions that give iterators: what their results may not be, and which chains cannot go on with them.

use gridwise::prelude::*;

#[device]
fn rows(x: &[f32], n: usize) -> impl Iterator<Item = &[f32]> {
    x.chunks(n)
}

#[device]
fn places(x: &mut [f32]) -> impl Iterator<Item = &mut f32> {
    x.iter_mut()
}

#[device]
fn unnamed(n: u32) -> impl Iterator {
    0..n
}

#[device]
fn peeked(n: u32) -> impl Iterator<Item = u32> + Send {
    0..n
}

#[device]
fn early(n: u32) -> impl Iterator<Item = u32> {
    if n > 9 {
        return 0..9;
    }
    0..n
}

#[device]
fn array(a: u32) -> impl Iterator<Item = u32> {
    [a, a + 1]
}

#[device]
fn maybe(n: u32) -> Option<impl Iterator<Item = u32>> {
    Some(0..n)
}

fn main() {}
