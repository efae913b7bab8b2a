//! Items, patterns, paths and types as people write them: what is found by the type of a receiver, and what is inferred in
//! generic items. Each function also stands in a module that only rustc compiles.

#![allow(
    clippy::let_and_return,
    clippy::manual_unwrap_or,
    clippy::toplevel_ref_arg,
    reason = "these are the forms that are tried"
)]

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output, patterns};

pub(super) const N: usize = 96;

both!(found, plain_found, {
    use core::ops::{Add, Mul};

    /// Has methods named like those of slices.
    #[derive(Clone, Copy)]
    pub(super) struct Bag {
        pub(super) values: [u32; 4],
    }

    impl Bag {
        /// Not a reference, but the value that it left.
        pub(super) fn get_mut(&mut self, i: usize) -> Option<u32> {
            if i >= 3 {
                return None;
            }
            self.values[i] += 10;
            Some(self.values[i])
        }

        pub(super) fn first_mut(&self) -> Option<u32> {
            if self.values[0] % 3 == 0 { None } else { Some(self.values[0]) }
        }

        pub(super) fn last_mut(&self) -> Option<u32> {
            self.values.last().copied().filter(|v| v % 2 == 0)
        }
    }

    /// Asked in generic functions.
    pub(super) trait Store: Copy {
        fn get_mut(&mut self, i: usize) -> Option<u32>;
    }

    #[derive(Clone, Copy)]
    pub(super) struct Line(pub(super) u32);

    impl Store for Line {
        fn get_mut(&mut self, i: usize) -> Option<u32> {
            self.0 = self.0.wrapping_mul(5) + i as u32;
            if i % 2 == 0 { Some(self.0) } else { None }
        }
    }

    pub(super) fn asked<S: Store>(mut store: S, i: usize) -> u32 {
        let mut sum = 0;
        if let Some(v) = store.get_mut(i) {
            sum += v;
        }
        let Some(w) = store.get_mut(i + 1) else { return sum };
        sum ^ w
    }

    pub(super) fn own(n: u32) -> [u32; 6] {
        let mut bag = Bag { values: [n, n + 1, n + 2, n + 3] };
        let mut found = [0; 6];
        if let Some(v) = bag.get_mut(n as usize % 5) {
            found[0] = v;
        } else if let Some(v) = bag.first_mut() {
            found[0] = v * 100;
        }
        found[1] = match bag.last_mut() {
            Some(v) => v,
            None => 7,
        };
        for k in 0..5 {
            let Some(v) = bag.get_mut(k) else { break };
            found[2] += v;
            // That of the array.
            let Some(slot) = bag.values.get_mut(k + 1) else { continue };
            *slot *= 2;
        }
        if let Some(slot) = found.get_mut(3) {
            *slot = bag.values[1] + bag.values[3];
        }
        found[4] = asked(Line(n), n as usize);
        found
    }

    pub(super) trait Zero: Copy + Add<Output = Self> + Mul<Output = Self> {
        fn zero() -> Self;
    }

    impl Zero for f32 {
        fn zero() -> f32 {
            0.0
        }
    }

    impl Zero for u32 {
        fn zero() -> u32 {
            0
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Matrix<T, const R: usize, const C: usize> {
        pub(super) cells: [[T; C]; R],
    }

    impl<T: Zero, const R: usize, const C: usize> Matrix<T, R, C> {
        pub(super) fn zero() -> Self {
            Self { cells: [[T::zero(); C]; R] }
        }

        pub(super) fn product<const K: usize>(&self, other: &Matrix<T, C, K>) -> Matrix<T, R, K> {
            let mut out = Matrix::zero();
            for i in 0..R {
                for j in 0..K {
                    let mut sum = T::zero();
                    for k in 0..C {
                        sum = sum + self.cells[i][k] * other.cells[k][j];
                    }
                    out.cells[i][j] = sum;
                }
            }
            out
        }

        pub(super) fn transposed(&self) -> Matrix<T, C, R> {
            let mut out = Matrix::zero();
            for (i, row) in self.cells.iter().enumerate() {
                for (j, &v) in row.iter().enumerate() {
                    out.cells[j][i] = v;
                }
            }
            out
        }

        pub(super) fn diagonal(values: [T; R]) -> Self {
            let mut out = Matrix::zero();
            for (i, &v) in values.iter().enumerate() {
                out.cells[i][i % C] = v;
            }
            out
        }

        pub(super) fn sum(&self) -> T {
            let mut total = T::zero();
            for row in self.cells.iter() {
                for &v in row {
                    total = total + v;
                }
            }
            total
        }
    }

    pub(super) fn scaled<T: Copy + Mul<Output = T>, const LEN: usize>(x: [T; LEN], by: T) -> [T; LEN] {
        std::array::from_fn(|i| x[i] * by)
    }

    pub(super) fn reversed<T: Copy, const LEN: usize>(x: &[T; LEN]) -> [T; LEN] {
        let made = core::array::from_fn(|i| x[LEN - 1 - i]);
        made
    }

    /// Of a slice, as its type says.
    pub(super) fn spread<T: Zero>(x: &mut [T], by: T) -> T {
        let front: &mut [T] = &mut x[..2];
        front[0] = front[0] * by;
        front[1] = front[1] + by;
        let all: &[T] = x;
        let mut total = T::zero();
        for (i, &v) in all.iter().enumerate() {
            if i != 1 {
                total = total + v;
            }
        }
        total
    }

    pub(super) fn inferred(n: u32) -> [u32; 6] {
        let k = n % 7;
        let a = Matrix::<u32, 2, 3> { cells: [[k, 1, 2], [3, k + 1, 5]] };
        let square = a.product(&a.transposed());
        let both = Matrix::<f32, 2, 2>::diagonal([k as f32, 0.5]).product(&Matrix { cells: [[1.0, 2.0], [3.0, 4.0]] });
        let mut own = [n, n + 1, n + 2];
        let total = spread(&mut own, 3);
        let table: &[u32] = &own;
        let first: &[u32] = &table[..1];
        [
            square.sum(),
            square.cells[1][0],
            both.sum() as u32,
            scaled([1, 2, k], 3)[2] + reversed(&own)[0] * 10,
            total,
            table.iter().sum::<u32>() + first[0],
        ]
    }
});

both!(types, plain_types, {
    use core::ops::{Add, Mul, Neg, Shl, Sub};

    pub(super) const SIDE: usize = 3;

    /// With defaults, of which one names another parameter.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(super) struct Grid<T = u32, const LEN: usize = SIDE, U = T> {
        pub(super) cells: [T; LEN],
        pub(super) scale: U,
    }

    pub(super) type Row<T = f32> = Grid<T, 2>;

    impl Grid {
        pub(super) fn usual(n: u32) -> Self {
            Self { cells: [n, n + 1, n + 2], scale: 2 }
        }
    }

    impl<T: Copy + Add<U>, const LEN: usize, U: Copy> Grid<T, LEN, U> {
        pub(super) fn shifted(&self, i: usize) -> T::Output {
            self.cells[i % LEN] + self.scale
        }
    }

    #[derive(Clone, Copy)]
    pub(super) enum Found<T = u32, E = bool> {
        Here(T),
        Nowhere(E),
    }

    pub(super) fn find(grid: &Grid, v: u32) -> Found {
        if grid.cells.contains(&v) { Found::Here(v) } else { Found::Nowhere(v > 10) }
    }

    /// Products of which are of other types.
    #[derive(Clone, Copy)]
    pub(super) struct Meters(pub(super) f32);

    #[derive(Clone, Copy)]
    pub(super) struct Area(pub(super) f32);

    impl Mul for Meters {
        type Output = Area;
        fn mul(self, other: Meters) -> Area {
            Area(self.0 * other.0)
        }
    }

    impl Mul<f32> for Meters {
        type Output = Meters;
        fn mul(self, by: f32) -> Meters {
            Meters(self.0 * by)
        }
    }

    impl Sub<Meters> for Area {
        type Output = f32;
        fn sub(self, side: Meters) -> f32 {
            self.0 - side.0
        }
    }

    impl Neg for Area {
        type Output = i32;
        fn neg(self) -> i32 {
            -(self.0 as i32)
        }
    }

    pub(super) fn product<A: Copy + Mul<B>, B: Copy>(a: A, b: B) -> <A as Mul<B>>::Output {
        a * b
    }

    pub(super) fn twice<A>(a: A, b: A) -> (A::Output, <A as Add>::Output)
    where
        A: Copy + Add,
    {
        let sum: <A as Add>::Output = a + b;
        (sum, b + a)
    }

    pub(super) fn less<A: Copy + Mul, B: Copy>(a: A, b: B) -> <<A as Mul>::Output as Sub<B>>::Output
    where
        <A as Mul>::Output: Sub<B>,
    {
        a * a - b
    }

    pub(super) fn shifted<A: Copy + Shl<u32>>(a: A, by: u32) -> Option<A::Output> {
        if by < 8 { Some(a << by) } else { None }
    }

    pub(super) trait Shape: Copy {
        type Point: Copy;
        const SIDES: usize;
        fn at(&self, i: usize) -> Self::Point;
        fn ends(&self) -> [Self::Point; 2] {
            [self.at(0), self.at(Self::SIDES - 1)]
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Stair(pub(super) u32);

    impl Shape for Stair {
        type Point = u32;
        const SIDES: usize = 4;
        fn at(&self, i: usize) -> u32 {
            self.0 + i as u32 * 3
        }
    }

    pub(super) fn second<S: Shape>(shape: &S) -> <S as Shape>::Point {
        shape.at(1)
    }

    pub(super) fn last<S>(shape: S) -> Option<S::Point>
    where
        S: Shape,
    {
        let [_, last] = shape.ends();
        if S::SIDES > 2 { Some(last) } else { None }
    }

    pub(super) fn all(n: u32) -> [u32; 12] {
        let grid: Grid = Grid::usual(n);
        let row: Row = Row { cells: [n as f32, 0.5], scale: 1.5 };
        let wide = Grid::<u64, 1> { cells: [n as u64], scale: 1 << 33 };
        let side = Meters(n as f32);
        let found = [find(&grid, n + 1), find(&grid, 5)].map(|found| match found {
            Found::Here(v) => v,
            Found::Nowhere(is_large) => 1000 + is_large as u32,
        });
        let (sum, same) = twice(n, 7);
        [
            grid.shifted(4),
            row.shifted(1) as u32 + row.shifted(0) as u32,
            (wide.shifted(0) >> 30) as u32,
            found[0],
            found[1],
            product(side, side).0 as u32,
            product(product(side, 0.5f32), side).0 as u32 + product(3u32, n),
            less(side, side) as i32 as u32,
            (-product(side, side)) as u32,
            sum * 2 + same,
            shifted(n as u64, n % 10).map_or(9, |v| v as u32),
            second(&Stair(n)) * 100 + last(Stair(n)).unwrap_or(0),
        ]
    }
});

both!(state, plain_state, {
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(super) enum State {
        Idle,
        Moving { from: u32, by: i32 },
        Jumped(u32),
        Lost,
    }

    impl State {
        pub(super) const START: State = State::Jumped(1);
    }

    pub(super) fn longer(a: u32) -> u32 {
        a * 10
    }

    #[derive(Clone, Copy)]
    pub(super) struct Pair<T> {
        pub(super) first: T,
        pub(super) rest: (T, u32),
    }

    pub(super) fn first_of<T: Copy + PartialOrd>(pair: &Option<Pair<T>>, or: T) -> T {
        match *pair {
            Some(Pair { ref first, rest: (ref second, _) }) if *first > *second => *first,
            Some(Pair { rest: (second, ref count), .. }) if *count > 2 => second,
            Some(_) | None => or,
        }
    }

    /// By `ref`, which lends what a plain name would copy.
    pub(super) fn lent(n: u32) -> [u32; 5] {
        let state = if n % 2 == 0 { State::Moving { from: n, by: -3 } } else { State::Jumped(n + 1) };
        let moved = match state {
            State::Moving { ref from, by: ref distance } => *from + distance.unsigned_abs(),
            State::Jumped(ref to) => longer(*to),
            _ => 0,
        };
        let pairs = [(n, 2u32), (3, n)];
        let ref last = pairs[1];
        let (ref a, b) = pairs[0];
        let mut sum = *a + b + last.1;
        for &(ref v, w) in pairs.iter() {
            sum += *v * w;
        }
        let pair = if n % 3 == 0 { None } else { Some(Pair { first: n % 7, rest: (3, n % 5) }) };
        let [ref start, .., end] = [n, n + 1, n + 2];
        let Some(ref whole @ Pair { first, .. }) = pair else {
            return [moved, sum, first_of(&pair, 9), *start, end];
        };
        [moved, sum, first_of(&pair, 9), first + whole.rest.1, *start * end]
    }
});

#[kernel(workgroup = 32)]
fn elements(x: &[u32], out: &mut [[u32; 12]]) {
    let i = global_id().x as usize;
    let mut all = [0; 12];
    all[..6].copy_from_slice(&found::own(x[i]));
    let rest: &mut [u32] = &mut all[6..];
    rest.copy_from_slice(&found::inferred(x[i]));
    out[i] = all;
}

pub(super) fn numbers() -> Vec<u32> {
    patterns(N, 311).into_iter().map(|v| v % 1000).collect()
}

fn expected_elements() -> Vec<Output> {
    let all = numbers().into_iter().flat_map(|n| plain_found::own(n).into_iter().chain(plain_found::inferred(n)));
    vec![Output::U32(all.collect())]
}

#[kernel(workgroup = 32)]
fn typed(x: &[u32], out: &mut [[u32; 12]]) {
    let i = global_id().x;
    out[i] = types::all(x[i]);
}

fn expected_typed() -> Vec<Output> {
    vec![Output::U32(numbers().into_iter().flat_map(plain_types::all).collect())]
}

/// Names imported in functions, before and behind their use, and in blocks within.
macro_rules! imports {
    ($(#[$attr:meta])* fn $name:ident, $state:ident) => {
        $(#[$attr])*
        fn $name(n: u32) -> [u32; 6] {
            use std::f32::consts::{PI, TAU as TURN};
            use std::mem;

            use gridwise_device_lib::color::to_byte;
            use $state::State::{self as Now, Idle, Jumped, Lost, Moving};

            let mut state = match n % 5 {
                0 => Idle,
                1 => Moving { from: n, by: -2 },
                2 => Jumped(n),
                3 => Now::START,
                _ => Lost,
            };
            let before = mem::replace(&mut state, Jumped(scaled(n)));
            let is_still = matches!(before, Idle | Lost);
            let number = match before {
                Idle => 1,
                Moving { from, by: -2 } => from + 2,
                Moving { .. } => 3,
                Jumped(to) if to > 100 => to,
                Jumped(_) => 4,
                Lost => {
                    // Another one by the same name.
                    use $state::longer as scaled;
                    scaled(n)
                }
            };
            use $state::longer as once;
            let scaled_again = |v: u32| once(v) + 1;
            let angle = PI * n as f32 + TURN;
            let Jumped(now) = state else { return [0; 6] };
            use super::forms::scaled;
            [number, is_still as u32, now, scaled_again(n), angle.to_bits(), to_byte(n as f32 / 1000.0)]
        }
    };
}

#[device]
fn scaled(n: u32) -> u32 {
    n * 3 + 1
}

imports!(#[device] fn imported_all, state);
imports!(fn plain_imported, plain_state);

#[kernel(workgroup = 32)]
fn imported(x: &[u32], out: &mut [[u32; 6]]) {
    use super::forms::imported_all as all;
    let i = global_id().x;
    out[i] = all(x[i]);
}

fn expected_imported() -> Vec<Output> {
    vec![Output::U32(numbers().into_iter().flat_map(plain_imported).collect())]
}

/// In the kernel itself, of what lies in buffers.
#[kernel(workgroup = 32)]
fn by_ref(x: &[u32], out: &mut [[u32; 6]]) {
    let i = global_id().x;
    let ref n = x[i];
    let [a, b, ref c, d, e] = state::lent(*n);
    let largest = match x.first() {
        Some(&v) if v > *n => v,
        _ => *n,
    };
    out[i] = [a, b, *c, d, e, largest];
}

fn expected_by_ref() -> Vec<Output> {
    let numbers = numbers();
    let all = numbers.iter().flat_map(|&n| plain_state::lent(n).into_iter().chain([n.max(numbers[0])]));
    vec![Output::U32(all.collect())]
}

macro_rules! run {
    ($kernel:ident, $count:literal) => {
        |mgr| {
            let (x, mut out) = (mgr.tensor(&numbers())?, mgr.tensor(&vec![[0u32; $count]; N])?);
            let seq = mgr.sequence()?;
            $kernel::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        }
    };
}

/// The entries.
pub const CASES: &[Case] = &[
    case!("forms::elements", [Elements], run!(Elements, 12), expected_elements),
    case!("forms::typed", [Typed], run!(Typed, 12), expected_typed),
    case!("forms::by_ref", [ByRef], run!(ByRef, 6), expected_by_ref),
    case!("forms::imported", [Imported], run!(Imported, 6), expected_imported),
];
