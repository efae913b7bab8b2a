//! Slices as parameters of methods, of functions of traits, and of generic functions: the type of their elements is a parameter.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

const N: usize = 96;

#[device]
fn dot<T: Copy + Default + core::ops::Add<Output = T> + core::ops::Mul<Output = T>>(a: &[T], b: &[T]) -> T {
    let mut total = T::default();
    for i in 0..a.len() {
        total = total + a[i] * b[i];
    }
    total
}

#[device]
fn scale<T: Copy + core::ops::MulAssign>(x: &mut [T], by: T) {
    for v in x.iter_mut() {
        *v *= by;
    }
    x[0] *= by;
}

#[device]
fn largest<T: Copy + PartialOrd>(x: &[T], otherwise: T) -> T {
    let mut found = otherwise;
    for v in x {
        if *v > found {
            found = *v;
        }
    }
    found
}

/// Through another generic function, whole and in part.
#[device]
fn of_halves<T: Copy + PartialOrd>(x: &[T]) -> (T, T) {
    let half = x.len() / 2;
    let behind = &x[half..];
    (largest(&x[..half], x[0]), largest(behind, behind[0]))
}

#[device]
fn column<T: Copy, const N: usize>(rows: &[[T; N]], to: &mut [T], at: usize) {
    for (i, row) in rows.iter().enumerate() {
        to[i] = row[at];
    }
    to.swap(0, 1);
}

#[device]
fn rising<T: Copy + PartialOrd>(x: &[T]) -> u32 {
    x.windows(2).filter(|w| w[0] < w[1]).count() as u32 + x.chunks(3).map(|c| c.len() as u32).sum::<u32>()
}

#[device]
mod views {
    #[derive(Debug, Clone, Copy)]
    pub(super) struct View {
        pub(super) width: usize,
        pub(super) seen: u32,
    }

    impl View {
        /// As wide as the first number says.
        pub(super) fn of(cells: &[u32]) -> Self {
            Self { width: cells[0] as usize % 4 + 1, seen: 0 }
        }

        pub(super) fn at(&self, cells: &[u32], column: usize, row: usize) -> u32 {
            cells[row * self.width + column]
        }

        pub(super) fn put(&mut self, cells: &mut [u32], at: usize, value: u32) -> bool {
            if at >= cells.len() {
                return false;
            }
            self.seen += cells[at];
            cells[at] = value + self.width as u32;
            true
        }
    }

    pub(super) trait Weigh {
        const BASE: u32;

        fn weigh(&self, x: &[u32]) -> u32;

        fn both(&self, x: &[u32]) -> u32 {
            self.weigh(x) * 2 + self.weigh(&x[1..]) + Self::BASE
        }

        fn cleared(x: &mut [u32]) -> u32;
    }

    impl Weigh for View {
        const BASE: u32 = 7;

        fn weigh(&self, x: &[u32]) -> u32 {
            x.iter().sum::<u32>() + self.width as u32
        }

        fn cleared(x: &mut [u32]) -> u32 {
            x.fill(1);
            3
        }
    }

    #[derive(Debug, Clone, Copy)]
    pub(super) struct Last;

    impl Weigh for Last {
        const BASE: u32 = 9;

        fn weigh(&self, x: &[u32]) -> u32 {
            x[x.len() - 1]
        }

        fn cleared(x: &mut [u32]) -> u32 {
            let last = x.len() - 1;
            x[last] = 2;
            x[0]
        }
    }

    /// Of a type that is not known.
    pub(super) fn weighed<W: Weigh>(by: W, x: &[u32]) -> u32 {
        let own = [x[0], 3];
        by.both(x) ^ by.weigh(&x[2..4]) ^ W::weigh(&by, x) ^ by.weigh(&own[..])
    }

    pub(super) fn cleared_by<W: Weigh>(x: &mut [u32]) -> u32 {
        W::cleared(x) + W::cleared(&mut x[1..3])
    }

    #[derive(Debug, Clone, Copy)]
    pub(super) struct Sum<T> {
        pub(super) start: T,
    }

    impl<T: Copy + core::ops::Add<Output = T>> Sum<T> {
        pub(super) fn of(&self, x: &[T]) -> T {
            let mut total = self.start;
            for v in x.iter() {
                total = total + *v;
            }
            total
        }
    }
}

use views::{Last, Sum, View, Weigh, cleared_by, weighed};

#[kernel(workgroup = 32)]
fn elements(x: &[f32], n: &[u32], rows: &[[u32; 3]], places: &mut [Vec2], out: &mut [[f32; 8]]) {
    let i = global_id().x as usize;
    let own = [1.5, x[i], -2.0];
    let mut numbers = [n[i], 5, 7, 1];
    scale(&mut numbers[1..], 3);
    scale(&mut places[2 * i..2 * i + 2], vec2(2.0, 0.5));
    let (low, high) = of_halves(&x[i..i + 5]);
    let mut cells = [0; 4];
    column(&rows[i..i + 3], &mut cells, i % 3);
    out[i] = [
        dot(&x[i..i + 3], &own),
        dot(&numbers, &n[i..]) as f32,
        low,
        high,
        largest(&own, 0.0),
        (cells[0] * 100 + cells[1] * 10 + cells[2]) as f32,
        (rising(&n[i..i + 6]) * 10 + rising(&own)) as f32,
        dot(&places[2 * i..2 * i + 2], &[Vec2::ONE, vec2(2.0, 3.0)]).y,
    ];
}

#[kernel(workgroup = 32)]
fn methods(n: &[u32], y: &mut [u32], out: &mut [[u32; 8]]) {
    let tile = Shared::<[u32; 128]>::new();
    let (i, lane) = (global_id().x as usize, local_index() as usize);
    let mut view = View::of(&n[i..]);
    for k in 0..4 {
        tile[4 * lane + k] = n[i + k] ^ 1;
    }
    let at = view.at(n, i % 2, 1) + view.at(&tile[4 * lane..4 * lane + 4], 0, 0);
    let put =
        view.put(&mut y[4 * i..4 * i + 4], i % 6, 40) as u32 + 2 * view.put(&mut tile[4 * lane..][..4], 1, 9) as u32;
    let mut own = [n[i], 8, 2, 4, 1];
    let cleared = cleared_by::<Last>(&mut own) + 10 * View::cleared(&mut y[4 * i + 3..4 * i + 4]);
    out[i] = [
        at,
        put,
        view.seen,
        weighed(view, &own) + weighed(Last, &tile[4 * lane..4 * lane + 4]),
        view.both(&y[4 * i..4 * i + 4]),
        cleared + own[1] * 64 + own[4] * 256,
        Sum { start: 5 }.of(&n[i..i + 3]) + Sum { start: 1.5 }.of(&[0.5, 2.0]) as u32,
        Last.weigh(&n[..i + 1]),
    ];
}

fn small(len: usize) -> Vec<u32> {
    patterns(len, 91).into_iter().map(|v| v % 9).collect()
}

fn floats(len: usize) -> Vec<f32> {
    small(len).into_iter().map(|v| v as f32 * 0.5 - 2.0).collect()
}

fn rows() -> Vec<[u32; 3]> {
    (0..N as u32 + 2).map(|i| [i % 10, i * 7 % 10, i * 3 % 10]).collect()
}

fn places() -> Vec<Vec2> {
    (0..2 * N as u16).map(|i| vec2(f32::from(i % 7), f32::from(i % 5))).collect()
}

fn expected_elements() -> Vec<Output> {
    let (x, n, rows, mut places) = (floats(N + 8), small(N + 8), rows(), places());
    let mut out = Vec::new();
    let max = |x: &[f32], start: f32| x.iter().copied().fold(start, f32::max);
    for i in 0..N {
        let own = [1.5, x[i], -2.0];
        let numbers = [n[i], 45, 21, 3];
        for place in &mut places[2 * i..2 * i + 2] {
            *place *= vec2(2.0, 0.5);
        }
        places[2 * i] *= vec2(2.0, 0.5);
        let mut cells: Vec<u32> = rows[i..i + 3].iter().map(|row| row[i % 3]).collect();
        cells.swap(0, 1);
        let rising = n[i..i + 6].windows(2).filter(|w| w[0] < w[1]).count() as u32 + 6;
        let own_rising = own.windows(2).filter(|w| w[0] < w[1]).count() as u32 + 3;
        out.extend([
            x[i] * 1.5 + x[i + 1] * x[i] + x[i + 2] * -2.0,
            numbers.iter().zip(&n[i..]).map(|(a, b)| a * b).sum::<u32>() as f32,
            max(&x[i..i + 2], x[i]),
            max(&x[i + 2..i + 5], x[i + 2]),
            max(&own, 0.0),
            (cells[0] * 100 + cells[1] * 10 + cells[2]) as f32,
            (rising * 10 + own_rising) as f32,
            places[2 * i].y + places[2 * i + 1].y * 3.0,
        ]);
    }
    let places = places.iter().flat_map(|place| place.to_array()).collect();
    vec![Output::exact(places), Output::exact(out)]
}

fn expected_methods() -> Vec<Output> {
    let n = small(N + 8);
    let (mut y, mut out) = (small(4 * N), Vec::new());
    for i in 0..N {
        let width = n[i] as usize % 4 + 1;
        let mut tile = [n[i] ^ 1, n[i + 1] ^ 1, n[i + 2] ^ 1, n[i + 3] ^ 1];
        let at = n[width + i % 2] + tile[0];
        let mut seen = 0;
        let y = &mut y[4 * i..4 * i + 4];
        let mut put = 2;
        if i % 6 < 4 {
            seen += y[i % 6];
            y[i % 6] = 40 + width as u32;
            put += 1;
        }
        seen += tile[1];
        tile[1] = 9 + width as u32;
        let mut own = [n[i], 8, 2, 4, 1];
        own[4] = 2;
        let mut cleared = own[0];
        own[2] = 2;
        cleared += own[1];
        y[3] = 1;
        cleared += 30;
        let sum = |x: &[u32]| x.iter().sum::<u32>() + width as u32;
        let both = |x: &[u32]| sum(x) * 2 + sum(&x[1..]) + 7;
        let of_view = both(&own) ^ sum(&own[2..4]) ^ sum(&own) ^ sum(&[own[0], 3]);
        let of_last = (tile[3] * 3 + 9) ^ 3;
        out.extend([
            at,
            put,
            seen,
            of_view + of_last,
            both(y),
            cleared + own[1] * 64 + own[4] * 256,
            5 + n[i..i + 3].iter().sum::<u32>() + 4,
            n[i],
        ]);
    }
    vec![Output::U32(y), Output::U32(out)]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "slice_parameters::elements",
        [Elements],
        |mgr| {
            let (x, n, rows) = (mgr.tensor(&floats(N + 8))?, mgr.tensor(&small(N + 8))?, mgr.tensor(&rows())?);
            let (mut places, mut out) = (mgr.tensor(&places())?, mgr.tensor(&[[0f32; 8]; N])?);
            let seq = mgr.sequence()?;
            Elements::dispatch(&seq, Grid::items(N), &x, &n, &rows, &mut places, &mut out)?;
            seq.eval()?;
            let places = places.to_vec()?.into_iter().flat_map(|place| place.to_array()).collect();
            Ok(vec![Output::exact(places), Output::exact(out.to_vec()?.concat())])
        },
        expected_elements
    ),
    case!(
        "slice_parameters::methods",
        [Methods],
        |mgr| {
            let (n, mut y) = (mgr.tensor(&small(N + 8))?, mgr.tensor(&small(4 * N))?);
            let mut out = mgr.tensor(&[[0u32; 8]; N])?;
            let seq = mgr.sequence()?;
            Methods::dispatch(&seq, Grid::items(N), &n, &mut y, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?), Output::U32(out.to_vec()?.concat())])
        },
        expected_methods
    ),
];
