//! Generic structs and enums: with methods, operators and traits, in buffers and in shared memory, across crates.

use gridwise::prelude::*;
use gridwise_device_lib::{Reading, Span};

use super::case;
use crate::case::{Case, Output, moderate, patterns};

use data::{Complex, Line, Node, Pair, Rounded, Step, Tile, Weight};

const N: usize = 256;

#[device]
mod data {
    use std::ops::{Add, Mul, Neg};

    use gridwise::prelude::*;

    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(super) struct Pair<A, B> {
        pub(super) first: A,
        pub(super) second: B,
    }

    impl<A: Copy, B: Copy> Pair<A, B> {
        pub(super) fn new(first: A, second: B) -> Self {
            Self { first, second }
        }

        pub(super) fn swapped(self) -> Pair<B, A> {
            Pair::new(self.second, self.first)
        }

        pub(super) fn with_first<C: Copy>(self, first: C) -> Pair<C, B> {
            Pair { first, second: self.second }
        }
    }

    /// Only for some arguments.
    impl Pair<u32, u32> {
        pub(super) fn sum(&self) -> u32 {
            self.first + self.second
        }
    }

    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(super) struct Complex<T> {
        pub(super) re: T,
        pub(super) im: T,
    }

    impl<T: Copy + Add<Output = T> + Mul<Output = T>> Complex<T> {
        pub(super) fn norm(self) -> T {
            self.re * self.re + self.im * self.im
        }

        pub(super) fn scale(&mut self, by: T) {
            self.re = self.re * by;
            self.im = self.im * by;
        }
    }

    impl<T: Add<Output = T>> Add for Complex<T> {
        type Output = Self;
        fn add(self, other: Self) -> Self {
            Complex { re: self.re + other.re, im: self.im + other.im }
        }
    }

    impl<T: Copy + Add<Output = T> + Mul<Output = T> + Neg<Output = T>> Mul for Complex<T> {
        type Output = Self;
        fn mul(self, other: Self) -> Self {
            Complex { re: self.re * other.re + -(self.im * other.im), im: self.re * other.im + self.im * other.re }
        }
    }

    impl<T: Copy + Mul<Output = T>> Mul<T> for Complex<T> {
        type Output = Self;
        fn mul(self, by: T) -> Self {
            Complex { re: self.re * by, im: self.im * by }
        }
    }

    /// A value with what it is worth; a trait that a generic struct implements for all arguments with a bound.
    pub(super) trait Weight {
        fn weight(&self) -> u32;
    }

    impl Weight for u32 {
        fn weight(&self) -> u32 {
            *self % 7
        }
    }

    impl Weight for f32 {
        fn weight(&self) -> u32 {
            self.to_bits() >> 24
        }
    }

    impl<A: Weight, B: Weight> Weight for Pair<A, B> {
        fn weight(&self) -> u32 {
            self.first.weight() * 3 + self.second.weight()
        }
    }

    /// With a length.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Tile<T, const LEN: usize> {
        pub(super) cells: [T; LEN],
        pub(super) next: usize,
    }

    impl<T: Copy + Add<Output = T>, const LEN: usize> Tile<T, LEN> {
        pub(super) const SIZE: u32 = LEN as u32;

        pub(super) fn filled(value: T) -> Self {
            Self { cells: [value; LEN], next: 0 }
        }

        pub(super) fn push(&mut self, value: T) {
            self.cells[self.next % LEN] = value;
            self.next += 1;
        }

        pub(super) fn total(&self, zero: T) -> T {
            let mut sum = zero;
            for cell in self.cells {
                sum = sum + cell;
            }
            sum
        }
    }

    /// An enum with members of its parameters.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(super) enum Step<T, E> {
        Stay,
        Go(T),
        Fail { at: u32, why: E },
    }

    impl<T: Copy, E: Copy> Step<T, E> {
        pub(super) fn value_or(self, other: T) -> T {
            match self {
                Step::Go(value) => value,
                _ => other,
            }
        }

        pub(super) fn map<U, F: Fn(T) -> U>(self, f: F) -> Step<U, E> {
            match self {
                Self::Stay => Step::Stay,
                Self::Go(value) => Step::Go(f(value)),
                Self::Fail { at, why } => Step::Fail { at, why },
            }
        }
    }

    /// With an equality of its own, and a const parameter that is no number.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Rounded<const UP: bool, T>(pub(super) T);

    impl<const UP: bool, T: Copy + Weight> PartialEq for Rounded<UP, T> {
        fn eq(&self, other: &Self) -> bool {
            if UP { self.0.weight() == other.0.weight() } else { self.0.weight() > other.0.weight() }
        }
    }

    /// A tuple struct around others.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Line<T>(pub(super) Complex<T>, pub(super) Option<Pair<T, u32>>);

    /// In buffers.
    #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
    #[repr(C)]
    pub(super) struct Node<T, const LEN: usize> {
        pub(super) key: u32,
        pub(super) value: T,
        pub(super) links: [u32; LEN],
    }
}

#[device]
fn step(x: u32) -> Step<u32, f32> {
    match x % 3 {
        0 => Step::Stay,
        1 => Step::Go(x / 3),
        _ => Step::Fail { at: x, why: 0.5 },
    }
}

#[device]
fn checked(x: u32) -> Option<Pair<u32, u32>> {
    let half = if x % 4 == 1 { None } else { Some(x / 2) }?;
    Some(Pair::new(half, x % 4))
}

#[device]
fn heavier<W: Weight>(a: W, b: W) -> u32 {
    let (a, b) = (a.weight(), b.weight());
    if a > b { a } else { b }
}

#[kernel(workgroup = 64)]
fn structs(x: &[u32], y: &[f32], out: &mut [u32]) {
    let i = global_id().x;
    let (n, f) = (x[i], y[i]);
    let pair = Pair::new(n, f).swapped();
    let Pair { first, second } = pair;
    let mut numbers = Pair { first: n, ..Pair { first: 1, second: 5 } };
    numbers.first += second / 2;
    let again = pair.with_first(2u32).with_first(n);
    let weight = heavier(pair, Pair { first, second: 3 })
        + Pair::<Pair<u32, f32>, u32>::new(
            again.swapped().swapped().with_first(n).with_first(Pair::new(n, f)).first,
            n,
        )
        .weight();
    out[i] = numbers.sum() ^ weight ^ first.to_bits() ^ if pair == pair.swapped().swapped() { again.first } else { 1 };
}

fn structs_apart(n: u32, f: f32) -> u32 {
    let weigh = |n: u32| n % 7;
    let weigh_float = |f: f32| f.to_bits() >> 24;
    let sum = n.wrapping_add(n / 2).wrapping_add(5);
    let first = weigh_float(f) * 3 + weigh(n);
    let second = weigh_float(f) * 3 + weigh(3);
    let nested = (weigh(n) * 3 + weigh_float(f)) * 3 + weigh(n);
    let last = if f.is_nan() { 1 } else { n };
    sum ^ (first.max(second) + nested) ^ f.to_bits() ^ last
}

#[kernel(workgroup = 64)]
fn operators(x: &[f32], n: &[i32], floats: &mut [f32], ints: &mut [i32]) {
    let i = global_id().x;
    let mut z = Complex { re: x[i], im: 1.0 - x[i] };
    z = z * z + z * 0.5;
    z.scale(2.0);
    let line = Line(z, Some(Pair { first: z.im, second: i }));
    let extra = if let Line(_, Some(pair)) = line { pair.first * pair.second as f32 } else { 0.0 };
    floats[i] = z.norm() + extra + line.0.re;
    let mut w = Complex { re: n[i], im: 7 };
    w.scale(n[i]);
    ints[i] = (w * w + w).norm() ^ w.re;
}

#[kernel(workgroup = 64)]
fn tiles(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let mut small = Tile::<_, 3>::filled(i);
    let mut wide: Tile<u64, 5> = Tile::filled(1);
    for k in 0..4 {
        small.push(x[i] + k);
        wide.push(x[i] as u64 * 1_000_003);
    }
    let nested = Tile::<Tile<u32, 2>, 2> { cells: [Tile::<u32, 2>::filled(x[i]); 2], next: 1 };
    out[i] = small.total(0)
        ^ wide.total(0) as u32
        ^ (wide.total(0) >> 32) as u32
        ^ Tile::<u32, 3>::SIZE * 1000
        ^ nested.cells[nested.next].total(9);
}

fn tiles_apart(i: u32, x: u32) -> u32 {
    let small = x.wrapping_add(3).wrapping_add(x.wrapping_add(1)).wrapping_add(x.wrapping_add(2));
    let _ = i;
    let wide = (u64::from(x) * 1_000_003).wrapping_mul(4).wrapping_add(1);
    small ^ wide as u32 ^ (wide >> 32) as u32 ^ 3000 ^ x.wrapping_mul(2).wrapping_add(9)
}

#[kernel(workgroup = 64)]
fn enums(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let found = step(x[i]);
    let doubled = found.map(|value| value as f32 * 2.0);
    let mut sum = found.value_or(3) + doubled.value_or(0.25).to_bits();
    match found {
        Step::Fail { at, why } if why > 0.25 => sum ^= at,
        Step::Go(4..) => sum += 1,
        Step::Go(_) | Step::Fail { .. } => sum += 2,
        Step::Stay => {}
    }
    let other: Step<u32, f32> = Step::Stay;
    if found == other || doubled == Step::<f32, f32>::Go(4.0) {
        sum += 100;
    }
    if let Some(pair) = checked(x[i]) {
        sum += pair.sum();
    }
    if Rounded::<true, _>(i) == Rounded(x[i]) {
        sum += 1000;
    }
    if Rounded::<false, u32>(i) != Rounded(x[i]) {
        sum += 5000;
    }
    out[i] = sum;
}

fn enums_apart(i: u32, x: u32) -> u32 {
    let go = (x % 3 == 1).then_some(x / 3);
    let mut sum = go.unwrap_or(3).wrapping_add(go.map_or(0.25, |value| value as f32 * 2.0).to_bits());
    match go {
        Some(4..) => sum = sum.wrapping_add(1),
        Some(_) => sum = sum.wrapping_add(2),
        None if x % 3 == 2 => sum ^= x,
        None => {}
    }
    if x % 3 == 0 || go.map(|value| value as f32 * 2.0) == Some(4.0) {
        sum = sum.wrapping_add(100);
    }
    if x % 4 != 1 {
        sum = sum.wrapping_add(x / 2).wrapping_add(x % 4);
    }
    if i % 7 == x % 7 {
        sum = sum.wrapping_add(1000);
    }
    if i % 7 > x % 7 { sum } else { sum.wrapping_add(5000) }
}

/// In buffers, as parameters, in shared memory.
#[kernel(workgroup = 64)]
fn buffers(nodes: &mut [Node<Vec3, 2>], bias: Node<u32, 1>, sums: &mut [Node<f32, 3>]) {
    let tile = Shared::<[Node<f32, 3>; 64]>::new();
    let (i, l) = (global_id().x, local_index());
    nodes[i].value.y += 1.0;
    nodes[i].links[1] = nodes[i].key + bias.value + bias.links[0];
    let node = nodes[i];
    tile[l] = Node { key: node.key, value: node.value.x + node.value.y, links: [l, bias.key, 7] };
    barrier();
    sums[i] = tile[63 - l];
    sums[i].links[2] += 1;
}

/// From another crate: a struct with a constructor, a trait for it, and an enum.
#[kernel(workgroup = 64)]
fn foreign(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let span = Span::between(x[i], 2.0);
    let ints = Span::between(i as i32, 7);
    let reading = if span.contains(1.0) { Reading::Value(span.from) } else { Reading::Missing };
    out[i] = span.width() + ints.width() as f32 + reading.or(-5.0);
}

fn foreign_apart(i: usize, x: f32) -> f32 {
    let (from, to) = if x <= 2.0 { (x, 2.0) } else { (2.0, x) };
    let reading = if from <= 1.0 && 1.0 <= to { from } else { -5.0 };
    (to - from) + (i as i32 - 7).abs() as f32 + reading
}

/// Overflow and an index out of range inside of generic methods.
#[kernel(workgroup = 64)]
fn traps(at: u32, out: &mut [u32]) {
    let mut tile = Tile::<u32, 3>::filled(u32::MAX);
    tile.next = at as usize;
    tile.push(5);
    let pair = Pair::new(tile.cells[at], tile.total(1));
    assert!(out[0] == 0, "{pair:?}, {:?}", Step::<Pair<u32, f32>, u32>::Go(Pair { first: at, second: 0.5 }));
    out[0] = pair.second;
}

fn nodes() -> Vec<Node<Vec3, 2>> {
    let floats = moderate(128, 5, 8.0);
    let node = |(i, x): (usize, &f32)| Node { key: i as u32 * 3, value: Vec3::new(*x, 1.0, 2.0), links: [9, 9] };
    floats.iter().enumerate().map(node).collect()
}

fn ints() -> Vec<i32> {
    patterns(N, 6).into_iter().map(|x| x as i32).collect()
}

/// The cases of this file.
pub const CASES: &[Case] = &[
    case!(
        "generic_types::structs",
        [Structs],
        |mgr| {
            let (x, y) = (mgr.tensor(&patterns(N, 1))?, mgr.tensor(&moderate(N, 2, 9.0))?);
            let mut out = mgr.tensor(&vec![0u32; N])?;
            let seq = mgr.sequence()?;
            Structs::dispatch(&seq, Grid::items(N), &x, &y, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || {
            let (x, y) = (patterns(N, 1), moderate(N, 2, 9.0));
            vec![Output::U32(x.into_iter().zip(y).map(|(x, y)| structs_apart(x, y)).collect())]
        }
    ),
    case!(
        "generic_types::operators",
        [Operators],
        |mgr| {
            let (x, n) = (mgr.tensor(&moderate(N, 3, 4.0))?, mgr.tensor(&ints())?);
            let (mut floats, mut ints) = (mgr.tensor(&vec![0f32; N])?, mgr.tensor(&vec![0i32; N])?);
            let seq = mgr.sequence()?;
            Operators::dispatch(&seq, Grid::items(N), &x, &n, &mut floats, &mut ints)?;
            seq.eval()?;
            Ok(vec![Output::exact(floats.to_vec()?), Output::I32(ints.to_vec()?)])
        },
        || {
            let float = |(i, x): (usize, f32)| {
                let (re, im) = (x, 1.0 - x);
                let (re, im) = ((re * re + -(im * im)) + re * 0.5, (re * im + im * re) + im * 0.5);
                let (re, im) = (re * 2.0, im * 2.0);
                (re * re + im * im) + im * i as f32 + re
            };
            let int = |n: i32| {
                let (re, im) = (n.wrapping_mul(n), 7i32.wrapping_mul(n));
                let square = re.wrapping_mul(re).wrapping_add(im.wrapping_mul(im).wrapping_neg());
                let twice = re.wrapping_mul(im).wrapping_add(im.wrapping_mul(re));
                let (a, b) = (square.wrapping_add(re), twice.wrapping_add(im));
                a.wrapping_mul(a).wrapping_add(b.wrapping_mul(b)) ^ re
            };
            vec![
                Output::exact(moderate(N, 3, 4.0).into_iter().enumerate().map(float).collect()),
                Output::I32(ints().into_iter().map(int).collect()),
            ]
        }
    ),
    case!(
        "generic_types::tiles",
        [Tiles],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&patterns(N, 4))?, mgr.tensor(&vec![0u32; N])?);
            let seq = mgr.sequence()?;
            Tiles::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32((0..).zip(patterns(N, 4)).map(|(i, x)| tiles_apart(i, x)).collect())]
    ),
    case!(
        "generic_types::enums",
        [Enums],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&patterns(N, 5))?, mgr.tensor(&vec![0u32; N])?);
            let seq = mgr.sequence()?;
            Enums::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32((0..).zip(patterns(N, 5)).map(|(i, x)| enums_apart(i, x)).collect())]
    ),
    case!(
        "generic_types::buffers",
        [Buffers],
        |mgr| {
            let mut before = mgr.tensor(&nodes())?;
            let mut sums = mgr.tensor(&[Node { key: 0, value: 0f32, links: [0; 3] }; 128])?;
            let seq = mgr.sequence()?;
            let bias = Node { key: 11, value: 40, links: [2] };
            Buffers::dispatch(&seq, Grid::items(128), &mut before, bias, &mut sums)?;
            seq.eval()?;
            let (nodes, sums) = (before.to_vec()?, sums.to_vec()?);
            Ok(vec![
                Output::exact(nodes.iter().flat_map(|node| node.value.to_array()).collect()),
                Output::U32(nodes.iter().flat_map(|node| [node.key, node.links[0], node.links[1]]).collect()),
                Output::exact(sums.iter().map(|node| node.value).collect()),
                Output::U32(sums.iter().flat_map(|node| [[node.key; 1].as_slice(), &node.links].concat()).collect()),
            ])
        },
        || {
            let nodes = nodes();
            let other = |i: usize| i / 64 * 64 + 63 - i % 64;
            vec![
                Output::exact(nodes.iter().flat_map(|node| [node.value.x, 2.0, 2.0]).collect()),
                Output::U32(nodes.iter().flat_map(|node| [node.key, 9, node.key + 42]).collect()),
                Output::exact((0..128).map(|i| nodes[other(i)].value.x + 2.0).collect()),
                Output::U32((0..128).flat_map(|i| [nodes[other(i)].key, 63 - i as u32 % 64, 11, 8]).collect()),
            ]
        }
    ),
    case!(
        "generic_types::across_crates",
        [Foreign],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&moderate(N, 7, 4.0))?, mgr.tensor(&vec![0f32; N])?);
            let seq = mgr.sequence()?;
            Foreign::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::exact(out.to_vec()?)])
        },
        || vec![Output::exact(moderate(N, 7, 4.0).into_iter().enumerate().map(|(i, x)| foreign_apart(i, x)).collect())]
    ),
    case!(
        "generic_types::traps",
        [Traps],
        |mgr| {
            let mut outputs = Vec::new();
            for (at, before) in [(2, 0), (4, 0), (1, 7)] {
                let mut out = mgr.tensor(&[before])?;
                let seq = mgr.sequence()?;
                Traps::dispatch(&seq, Grid::items(1), at, &mut out)?;
                let report = match seq.eval() {
                    Err(gridwise::Error::KernelPanic { message, text, count, .. }) => {
                        format!("{message}; {text}; {count}")
                    }
                    other => format!("{other:?}"),
                };
                outputs.extend([Output::U32(out.to_vec()?), Output::Report(report)]);
            }
            Ok(outputs)
        },
        || {
            vec![
                Output::U32(vec![4]),
                Output::Report("Ok(())".to_owned()),
                Output::U32(vec![4]),
                Output::Report("index out of bounds: the len is 3 but the index is 4; tile.cells[at]; 1".to_owned()),
                Output::U32(vec![7]),
                Output::Report(
                    "Pair { first: 5, second: 4 }, Go(Pair { first: 1, second: 0.5 }); assert!(out[0] == 0); 1"
                        .to_owned(),
                ),
            ]
        }
    ),
];
