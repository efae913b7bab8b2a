//! Closures whose parameters are references. Each function also stands in a module that only rustc compiles.

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output, patterns};

const N: usize = 96;

both!(calls, plain_calls, {
    #[derive(Clone, Copy)]
    pub(super) struct Ball {
        pub(super) at: [u32; 3],
        pub(super) hits: u32,
    }

    fn each(values: &mut [u32; 4], change: impl Fn(&mut u32)) {
        for value in values.iter_mut() {
            change(value);
        }
    }

    fn each_with<F: FnMut(&mut u32, &Ball) -> bool>(values: &mut [u32; 4], ball: &Ball, mut change: F) -> u32 {
        let mut count = 0;
        for i in 0..4 {
            if change(&mut values[i], ball) {
                count += 1;
            }
        }
        count
    }

    fn once<T: Copy>(mut of: T, change: impl FnOnce(&mut T)) -> T {
        change(&mut of);
        of
    }

    fn largest<T: Copy, const LEN: usize>(of: &[T; LEN], is_less: impl Fn(&T, &T) -> bool) -> T {
        let mut best = of[0];
        for i in 1..LEN {
            if is_less(&best, &of[i]) {
                best = of[i];
            }
        }
        best
    }

    fn twice(v: &mut u32, mut change: impl FnMut(&mut u32)) {
        change(v);
        once_more(v, &mut change);
    }

    fn once_more(v: &mut u32, change: &mut impl FnMut(&mut u32)) {
        change(v);
    }

    pub(super) fn all(n: u32) -> [u32; 11] {
        let add = |sum: &mut u32, v: &u32| *sum = sum.wrapping_add(*v);
        let mut sum = n;
        let table = [3, n, 5, 7];
        for v in table {
            add(&mut sum, &v);
        }
        add(&mut sum, &table[n as usize % 4]);

        let mut ball = Ball { at: [n, 2, 3], hits: 0 };
        let hit = |ball: &mut Ball, axis: usize| -> u32 {
            if ball.at[axis] % 2 == 0 {
                return 0;
            }
            ball.hits += 1;
            ball.at[axis] /= 2;
            ball.at[axis]
        };
        let left = hit(&mut ball, 0).wrapping_add(hit(&mut ball, 2));

        // It changes what it captures, too.
        let mut calls = 0;
        let mut step = |v: &mut u32, by: u32| {
            calls += 1;
            *v ^= by;
            *v
        };
        let mut own = [n; 4];
        step(&mut own[n as usize % 4], 5);
        let stepped = step(&mut own[1], 9);

        let by = n | 1;
        each(&mut own, |v| *v = v.wrapping_mul(by));
        each(&mut own, |v: &mut u32| {
            if *v % 2 == 0 {
                return;
            }
            *v -= 1;
        });
        let mut seen = 0;
        let count = each_with(&mut own, &ball, |v, ball| {
            seen ^= *v;
            *v = v.wrapping_add(ball.hits);
            *v > ball.at[0]
        });
        let changed = once(ball, |ball| {
            ball.at[1] = seen;
            ball.hits *= 3;
        });
        let best = largest(&[4.5, n as f32, 7.25], |a: &f32, b: &f32| *a < *b);
        let far = largest(&[[n, 2], [3, n]], |a, b| a[1] < b[1]);
        let mut last = 1;
        twice(&mut last, |v| *v = *v * 10 + calls);
        own.iter_mut().enumerate().for_each(|(i, v)| *v = v.wrapping_add(i as u32 * calls));
        own[1..].iter_mut().rev().zip(table.iter()).for_each(|(v, with)| {
            calls += 1;
            *v ^= with + calls;
        });
        let own = own[0] ^ own[1] << 3 ^ own[2] << 7 ^ own[3] << 11;
        [sum, left, calls, stepped, seen, count, changed.at[1] ^ changed.hits, best.to_bits(), far[0], last, own]
    }
});

#[kernel(workgroup = 32)]
fn everywhere(x: &[u32], out: &mut [[u32; 11]]) {
    let i = global_id().x;
    out[i] = calls::all(x[i]);
}

both!(passed, plain_passed, {
    #[derive(Clone, Copy)]
    pub(super) struct Point {
        pub(super) at: [u32; 2],
        pub(super) mass: u32,
    }

    impl Point {
        fn distance(&self, other: &Point) -> u32 {
            apart(&self.at, &other.at)
        }

        // `self` is a reference here, and goes on as one.
        pub(super) fn pull(&self, others: &[Point; 4]) -> u32 {
            others.iter().map(|other| weigh(self, other)).fold(0, |sum: u32, pull| sum.wrapping_add(pull))
        }

        fn heavier(&mut self, other: &Point) {
            if weigh(self, other) % 2 == 0 {
                self.mass += other.mass;
            }
        }
    }

    pub(super) fn apart<const LEN: usize>(a: &[u32; LEN], b: &[u32; LEN]) -> u32 {
        a.iter().zip(b).map(|(a, b)| gap(a, b)).fold(0, |sum: u32, gap| sum.wrapping_add(gap))
    }

    fn gap(a: &u32, b: &u32) -> u32 {
        a.abs_diff(*b)
    }

    fn weigh(a: &Point, b: &Point) -> u32 {
        a.distance(b).wrapping_mul(b.mass)
    }

    fn pick<T: Copy + PartialOrd>(a: &T, b: &T) -> T {
        if *a < *b { *a } else { *b }
    }

    pub(super) fn all(n: u32) -> [u32; 7] {
        let points = [[n, 3], [5, n / 2], [n ^ 77, n], [8, 9]].map(|at| Point { at, mass: 2 + at[0] % 5 });
        let mut me = Point { at: [n % 50, 7], mass: 1 };
        let pull = me.pull(&points);
        let near = points.iter().min_by_key(|other| me.distance(other)).map_or(0, |point| point.mass);
        let mut sum = 0u32;
        for (i, other) in points.iter().enumerate() {
            me.heavier(other);
            sum = sum.wrapping_add(weigh(other, &me)) ^ i as u32;
        }
        let Some(first) = points.first() else { return [0; 7] };
        let first = weigh(first, &me);
        let far = points.iter().max_by(|a, b| a.distance(b).cmp(&7)).map_or(0, |point| point.at[1]);
        let least = points.iter().map(|point| point.at).fold([n, n], |least, at| pick(&least, &at));
        let near_it = |point: &Point| weigh(point, &me) % 3;
        let thirds = points.iter().filter(|point| near_it(point) == 1).count() as u32;
        [pull, near, sum, first, far, least[0] ^ least[1], thirds]
    }
});

/// References into a buffer, passed on.
#[kernel(workgroup = 32)]
fn passed_on(x: &[u32], rows: &[[u32; 2]], out: &mut [[u32; 8]]) {
    let i = global_id().x as usize;
    let [a, b, c, d, e, f, g] = passed::all(x[i]);
    let own = [x[i] % 100, 3];
    let near = rows.iter().map(|row| passed::apart(&own, row)).min().unwrap_or(0);
    out[i] = [a, b, c, d, e, f, g, near];
}

fn expected_passed_on() -> Vec<Output> {
    let rows = rows();
    let out = numbers().into_iter().flat_map(|v| {
        let near = rows.iter().map(|row| plain_passed::apart(&[v % 100, 3], row)).min().unwrap_or(0);
        plain_passed::all(v).into_iter().chain([near])
    });
    vec![Output::U32(out.collect())]
}

fn rows() -> Vec<[u32; 2]> {
    (0..20).map(|k| [k * 7 % 50, k]).collect()
}

fn numbers() -> Vec<u32> {
    patterns(N, 913).into_iter().map(|v| v % 10_000).collect()
}

fn expected_everywhere() -> Vec<Output> {
    vec![Output::U32(numbers().into_iter().flat_map(plain_calls::all).collect())]
}

/// References to what others reach: elements of buffers and shared memory.
#[kernel(workgroup = 32)]
fn in_buffers(x: &[u32], y: &mut [[u32; 2]], total: &mut [u32]) {
    let tile = Shared::<[u32; 32]>::new();
    let (i, t) = (global_id().x as usize, local_id().x as usize);
    let put = |to: &mut u32, from: &u32| *to = from.wrapping_mul(3);
    put(&mut tile[t], &x[i]);
    barrier();
    put(&mut y[i][0], &tile[31 - t]);
    let mut calls = 0;
    let mut swap = |pair: &mut [u32; 2]| {
        let first = pair[0];
        pair[0] = pair[1];
        pair[1] = first;
        calls += 1;
    };
    swap(&mut y[i]);
    let of_this = &mut total[i];
    let add = |to: &mut u32| *to += 5;
    add(of_this);
    *of_this += calls;
}

fn expected_in_buffers() -> Vec<Output> {
    let x = numbers();
    let y = (0..N).flat_map(|i| [1, x[i / 32 * 32 + 31 - i % 32].wrapping_mul(9)]);
    vec![Output::U32(y.collect()), Output::U32(vec![8; N])]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "lent::everywhere",
        [Everywhere],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&numbers())?, mgr.tensor(&vec![[0u32; 11]; N])?);
            let seq = mgr.sequence()?;
            Everywhere::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        },
        expected_everywhere
    ),
    case!(
        "lent::in_buffers",
        [InBuffers],
        |mgr| {
            let x = mgr.tensor(&numbers())?;
            let (mut y, mut total) = (mgr.tensor(&vec![[0u32, 1]; N])?, mgr.tensor(&vec![2u32; N])?);
            let seq = mgr.sequence()?;
            InBuffers::dispatch(&seq, Grid::items(N), &x, &mut y, &mut total)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?.concat()), Output::U32(total.to_vec()?)])
        },
        expected_in_buffers
    ),
    case!(
        "lent::passed_on",
        [PassedOn],
        |mgr| {
            let (x, rows) = (mgr.tensor(&numbers())?, mgr.tensor(&rows())?);
            let mut out = mgr.tensor(&vec![[0u32; 8]; N])?;
            let seq = mgr.sequence()?;
            PassedOn::dispatch(&seq, Grid::items(N), &x, &rows, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        },
        expected_passed_on
    ),
];
