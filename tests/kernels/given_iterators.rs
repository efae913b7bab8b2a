//! Functions whose result is an iterator. Each function also stands in a module that only rustc compiles.

#![expect(clippy::while_let_on_iterator, reason = "this is the form that is tried")]

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

const N: usize = 64;

/// A vertex of a graph: where its edges begin.
#[derive(GpuData, Clone, Copy)]
#[repr(C)]
pub struct Vertex {
    first: u32,
    count: u32,
    weight: f32,
}

both!(given, plain_given, {
    use super::Vertex;

    fn evens(n: u32) -> impl Iterator<Item = u32> {
        (0..n).filter(|i| i % 2 == 0)
    }

    fn squares(x: &[u32], by: u32) -> impl Iterator<Item = u32> + '_ {
        x.iter().map(move |v| v * v ^ by)
    }

    fn span(from: u32, n: u32) -> impl Iterator<Item = u32> {
        let to = from + n;
        from..to
    }

    fn backwards(x: &[u32]) -> impl DoubleEndedIterator<Item = &u32> + ExactSizeIterator {
        x.iter().rev()
    }

    /// By way of others, with statements before the chain.
    fn both_ways<'a>(x: &'a [u32], y: &'a [u32]) -> impl Iterator<Item = (u32, &'a u32)> + 'a {
        let mut by = 0;
        for v in x {
            by ^= *v;
        }
        let half = x.len() / 2;
        squares(&x[half..], by).zip(backwards(y)).skip_while(move |(a, _)| a % 4 == by % 4)
    }

    fn pairs(n: u32) -> impl Iterator<Item = (u32, u32)> {
        (0..n).flat_map(move |i| (i..n).map(move |j| (i, j)))
    }

    fn rows(x: &[u32], width: usize) -> impl Iterator<Item = u32> + '_ {
        (0..x.len() / width).map(move |r| {
            let mut sum = 0;
            x[r * width..(r + 1) * width].iter().for_each(|v| sum += v);
            sum
        })
    }

    fn own(a: u32) -> impl Iterator<Item = u32> {
        let values = [a, a ^ 5, a + 2];
        values.into_iter().chain([7, a])
    }

    fn mapped<T: Copy>(x: &[T], f: impl Fn(T) -> u32) -> impl Iterator<Item = u32> {
        x.iter().map(move |v| f(*v)).filter(|v| v % 3 != 1)
    }

    fn strided<const K: usize>(x: &[u32], first: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        x.iter().copied().enumerate().skip(first).step_by(K)
    }

    fn running(x: &[u32]) -> impl Iterator<Item = u32> + '_ {
        x.iter()
            .scan(1u32, |total, v| {
                *total = total.wrapping_mul(3) ^ v;
                Some(*total)
            })
            .take_while(|v| v % 11 != 5)
    }

    pub(super) struct Edges {
        pub(super) first: u32,
        pub(super) count: u32,
    }

    impl Edges {
        fn of(vertex: Vertex) -> Self {
            Self { first: vertex.first, count: vertex.count }
        }

        fn edges<'a>(&self, edges: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
            let first = self.first as usize;
            edges[first..first + self.count as usize].iter().copied()
        }

        fn steps(&self, weight: f32) -> impl Iterator<Item = f32> {
            (0..self.count).map(move |k| weight * k as f32)
        }
    }

    pub(super) trait Walk {
        fn walk(&self, n: u32) -> impl Iterator<Item = u32>;

        fn far(&self) -> u32 {
            self.walk(9).last().unwrap_or(0)
        }
    }

    impl Walk for u32 {
        fn walk(&self, n: u32) -> impl Iterator<Item = u32> {
            let by = *self;
            (1..n).map(move |k| k * by)
        }
    }

    fn lightest<'a>(vertices: &'a [Vertex], limit: &'a u32) -> impl Iterator<Item = &'a Vertex> {
        vertices.iter().filter(move |vertex| vertex.count < *limit)
    }

    fn first_ones(n: u32) -> u32 {
        let mut it = evens(n);
        let mut h = it.next().unwrap_or(9);
        while let Some(v) = it.next() {
            h = h * 5 ^ v;
            if v > 7 {
                break;
            }
        }
        h ^ it.count() as u32
    }

    fn kept(x: &[u32], n: u32) -> u32 {
        let odd = squares(x, n).filter(|v| v % 2 == 1);
        let ends = span(n, 4).map(|v| v ^ 2);
        odd.zip(ends).map(|(a, b)| a ^ b << 3).sum()
    }

    pub(super) fn all(x: &[u32], vertices: &[Vertex], i: u32) -> u32 {
        let mut h: u32 = evens(i + 5).sum();
        for v in squares(x, i) {
            h = h.rotate_left(3) ^ v;
        }
        for (k, v) in span(i, 5).enumerate() {
            h ^= v << k;
        }
        h ^= backwards(x).fold(0, |h, v| h * 3 ^ v);
        h ^= both_ways(x, x).map(|(a, b)| a * 3 ^ b).sum::<u32>();
        h ^= pairs(i % 4 + 1).take(7).map(|(a, b)| a << 4 ^ b).sum::<u32>() << 5;
        h ^= rows(x, 2).max().unwrap_or(3) << 7;
        h = own(h % 9).fold(h, |h, v| h.rotate_left(5) ^ v);
        h ^= mapped(x, |v| v ^ i).sum::<u32>() << 3;
        h ^= mapped(vertices, |v| v.first + v.count).position(|v| v > 9).unwrap_or(5) as u32;
        h ^= strided::<3>(x, 1).map(|(k, v)| k as u32 ^ v).sum::<u32>();
        h ^= running(x).sum::<u32>();
        h ^= (0..3).flat_map(|k| span(k, k + 1)).sum::<u32>() << 9;
        let vertex = vertices[i as usize % vertices.len()];
        let edges = Edges::of(vertex);
        h ^= edges.edges(x).sum::<u32>() << 11;
        h ^= edges.steps(vertex.weight).map(|v| v as u32).sum::<u32>();
        h ^= vertices.iter().flat_map(|vertex| span(vertex.first, vertex.count)).sum::<u32>() << 1;
        h ^= lightest(vertices, &(i % 4 + 1)).map(|vertex| vertex.first).sum::<u32>() << 13;
        h ^= lightest(vertices, &3).max_by(|a, b| a.weight.total_cmp(&b.weight)).map_or(1, |vertex| vertex.count);
        h ^= i.walk(5).sum::<u32>() ^ i.far() << 2;
        h ^ first_ones(i + 3) ^ kept(x, i % 7) << 1 ^ evens(7).any(|v| v == i) as u32
    }
});

#[kernel(workgroup = 32)]
fn given_iterators(x: &[u32], vertices: &[Vertex], y: &mut [u32]) {
    let i = global_id().x as usize;
    y[i] = given::all(&x[i..i + 8], &vertices[i..i + 3], i as u32 % 13);
}

#[device]
fn looked_up(x: &[u32], at: u32) -> impl Iterator<Item = u32> + '_ {
    (at..at + 3).map(move |i| x[i as usize])
}

/// The closure of the function traps, in the second round.
#[kernel]
fn past_the_end(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i == 1 << 20 {
        return;
    }
    y[i as usize] = 1;
    y[i as usize] = looked_up(x, i * 3).sum();
}

fn x() -> Vec<u32> {
    (0..N as u32 + 8).map(|k| k * 37 % 41).collect()
}

fn vertices() -> Vec<Vertex> {
    let vertex = |k: u32| Vertex { first: k % 5, count: k * 7 % 4, weight: (k * 3 % 7) as f32 * 0.5 };
    (0..N as u32 + 3).map(vertex).collect()
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "given_iterators::everywhere",
        [GivenIterators],
        |mgr| {
            let (x, vertices) = (mgr.tensor(&x())?, mgr.tensor(&vertices())?);
            let mut y = mgr.tensor_of_len::<u32>(N)?;
            let seq = mgr.sequence()?;
            GivenIterators::dispatch(&seq, Grid::items(N), &x, &vertices, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let (x, vertices) = (x(), vertices());
            let one = |i: usize| plain_given::all(&x[i..i + 8], &vertices[i..i + 3], i as u32 % 13);
            vec![Output::U32((0..N).map(one).collect())]
        }
    ),
    case!("given_iterators::past_the_end", [PastTheEnd], |mgr| {
        let x = mgr.tensor(&[1u32, 2, 3, 4])?;
        let mut y = mgr.tensor(&[9u32; 2])?;
        let seq = mgr.sequence()?;
        PastTheEnd::dispatch(&seq, Grid::items(2), &x, &mut y)?;
        let report = super::traps::report(&seq)?;
        Ok(vec![report, Output::U32(y.to_vec()?)])
    }),
];
