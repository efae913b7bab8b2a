//! Lifetimes in the signatures of functions and methods: what lives how long rustc checks, and nothing else depends on it.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

const N: usize = 64;

#[device]
fn nearest<'a>(x: &'a [f32], to: &'a f32) -> f32 {
    x.iter().copied().min_by(|a, b| (a - to).abs().total_cmp(&(b - to).abs())).unwrap_or(*to)
}

#[device]
fn larger<'a, 'b: 'a, T: Copy + PartialOrd>(a: &'a T, b: &'b T) -> T
where
    T: 'a,
{
    if *a > *b { *a } else { *b }
}

#[device]
fn count_up<'x, 'y>(count: &'x mut u32, marks: &'y mut [u32]) {
    *count += 1;
    marks[0] += *count;
}

#[device]
mod shapes {
    pub(super) trait Weigh {
        fn weigh<'x>(&'x self, values: &'x [f32]) -> f32;
    }

    #[derive(Clone, Copy)]
    pub(super) struct Scale(pub(super) f32);

    impl<'x> Scale {
        pub(super) fn of_first<'s>(&'s self, values: &'x [f32]) -> f32 {
            self.0 * values[0]
        }

        pub(super) fn grow<'s>(&'s mut self, by: &'x f32) {
            self.0 += *by;
        }
    }

    impl Weigh for Scale {
        fn weigh<'x>(&'x self, values: &'x [f32]) -> f32 {
            values.iter().map(|value| value * self.0).sum()
        }
    }
}
use shapes::{Scale, Weigh};

#[kernel]
fn named(x: &[f32], marks: &mut [u32], y: &mut [f32]) {
    let i = global_id().x as usize;
    let (mut count, limit) = (i as u32, 40);
    count_up(&mut count, &mut marks[i..]);
    let mut scale = Scale(0.5);
    scale.grow(&x[i]);
    let near = nearest(&x[..8], &(i as f32 * 0.125));
    y[i] = near + scale.of_first(&x[i..]) + scale.weigh(&x[i..i + 2]) + larger(&count, &limit) as f32
        - larger::<f32>(&x[i], &x[i + 1]);
}

fn input() -> Vec<f32> {
    (0..N + 2).map(|i| ((i * 37) % 50) as f32 * 0.25 - 4.0).collect()
}

fn expected_named() -> Vec<Output> {
    let x = input();
    let marks = (0..N as u32).map(|i| i + 1).collect();
    let y = (0..N).map(|i| {
        let scale = 0.5 + x[i];
        let to = i as f32 * 0.125;
        let near = x[..8].iter().copied().min_by(|a, b| (a - to).abs().total_cmp(&(b - to).abs())).unwrap_or(to);
        let weight: f32 = x[i..i + 2].iter().map(|value| value * scale).sum();
        near + scale * x[i] + weight + (i as u32 + 1).max(40) as f32 - if x[i] > x[i + 1] { x[i] } else { x[i + 1] }
    });
    vec![Output::U32(marks), Output::exact(y.collect())]
}

/// The entries.
pub const CASES: &[Case] = &[case!(
    "lifetimes::named",
    [Named],
    |mgr| {
        let (x, mut marks) = (mgr.tensor(&input())?, mgr.tensor(&[0u32; N])?);
        let mut y = mgr.tensor_of_len::<f32>(N)?;
        let seq = mgr.sequence()?;
        Named::dispatch(&seq, Grid::items(N), &x, &mut marks, &mut y)?;
        seq.eval()?;
        Ok(vec![Output::U32(marks.to_vec()?), Output::exact(y.to_vec()?)])
    },
    expected_named
)];
