//! Iterators as parameters: what the function asks of the chain that is passed, and elements that are no values.

use gridwise::prelude::*;

#[device]
mod asked {
    fn first(mut it: impl Iterator<Item = u32>) -> u32 {
        it.next().unwrap_or(0)
    }

    fn skipped(it: impl Iterator<Item = u32>) -> u32 {
        it.skip(1).sum()
    }

    fn total(it: impl Iterator<Item = u32>) -> u32 {
        it.sum()
    }

    pub fn one_at_a_time(n: u32) -> u32 {
        first((0..n).take_while(|v| v % 3 != 2))
    }

    pub fn behind(n: u32) -> u32 {
        skipped((0..n).map(|v| v * 2))
    }

    pub fn other_elements(n: u32) -> u32 {
        total((0..n).map(|v| v as f32))
    }

    pub fn no_iterator(n: u32) -> u32 {
        total(n)
    }
}

#[device]
fn backwards(it: impl DoubleEndedIterator<Item = u32>) -> u32 {
    it.rev().fold(0, |a, b| a * 2 + b)
}

#[device]
fn write<'a>(it: impl Iterator<Item = &'a mut u32>) {
    it.for_each(|v| *v += 1);
}

#[device]
fn pairs<'a>(it: impl Iterator<Item = (usize, &'a u32)>) -> u32 {
    it.map(|(i, v)| i as u32 * *v).sum()
}

#[device]
fn parts<'a>(it: impl Iterator<Item = &'a [u32]>) -> u32 {
    it.map(|part| part[0]).sum()
}

#[kernel]
fn asks(y: &mut [u32]) {
    let i = global_id().x;
    y[i] = asked::one_at_a_time(i) + asked::behind(i);
}

fn main() {}
