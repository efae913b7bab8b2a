//! Chains that cannot go on with an iterator of a function.

use gridwise::prelude::*;

#[device]
fn squares(x: &[u32]) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + Clone + '_ {
    x.iter().map(|v| v * v)
}

#[device]
fn low(x: &[u32]) -> impl Iterator<Item = u32> + '_ {
    x.iter().copied().take_while(|v| *v < 9)
}

#[device]
fn pairs(n: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..n).flat_map(move |i| (0..i).map(move |j| (i, j)))
}

#[kernel]
fn reversed(x: &[u32], out: &mut [u32]) {
    out[0] = squares(x).rev().fold(0, |h, v| h * 3 ^ v);
}

#[kernel]
fn cycled(x: &[u32], out: &mut [u32]) {
    out[0] = squares(x).cycle().take(9).sum();
}

#[kernel]
fn skipped(x: &[u32], out: &mut [u32]) {
    out[0] = squares(x).skip(3).sum();
}

#[kernel]
fn asked(x: &[u32], out: &mut [u32]) {
    let mut it = low(x);
    out[0] = it.next().unwrap_or(0);
}

#[kernel]
fn nested(x: &[u32], out: &mut [u32]) {
    out[0] = x.iter().zip(pairs(3)).map(|(a, (b, c))| a + b * c).sum();
}

#[kernel]
fn value(x: &[u32], out: &mut [u32]) {
    let both = (squares(x), 1);
    out[0] = both.1;
}

/// A vertex of a graph.
#[derive(GpuData, Clone, Copy)]
#[repr(C)]
pub struct Vertex {
    first: u32,
}

#[device]
fn behind(vertex: &Vertex, n: u32) -> impl Iterator<Item = u32> {
    let first = vertex.first;
    (0..n).map(move |k| first + k)
}

#[kernel]
fn remote(vertices: &[Vertex], out: &mut [u32]) {
    let it = behind(&vertices[0], 3).filter(|v| v % 2 == 0);
    out[0] = it.sum();
}

fn main() {}
