//! Type aliases: `#[device] type`, alone and in modules, generic, across crates.

use gridwise::prelude::*;
use gridwise_device_lib::{IntSpan, Span};

use super::case;
use crate::case::{Case, Output, moderate};

use shapes::{Grid3, Pixel, Point, Wide};

const N: usize = 128;

#[device]
type Count = u32;

#[device]
type Rows<T, const LEN: usize> = [[T; LEN]; 2];

#[device]
mod shapes {
    use gridwise::prelude::*;

    pub(super) type Point = Vec3;

    #[derive(Debug, Clone, Copy)]
    pub(super) struct Named<T> {
        pub(super) value: T,
        pub(super) id: u32,
    }

    impl<T: Copy> Named<T> {
        pub(super) const NONE: u32 = 7;

        pub(super) fn of(value: T) -> Self {
            Named { value, id: Self::NONE }
        }
    }

    pub(super) type Pixel = Named<Point>;
    pub(super) type Wide<T> = Named<(T, T)>;
    pub(super) type Grid3<T> = [T; 3];

    #[derive(Debug, Clone, Copy)]
    pub(super) enum Sign {
        Plus,
        Minus(f32),
    }

    pub(super) type Direction = Sign;

    impl Direction {
        pub(super) fn factor(self) -> f32 {
            match self {
                Direction::Plus => 1.0,
                Direction::Minus(by) => -by,
            }
        }
    }
}

use shapes::Direction;

#[device]
fn total(values: Grid3<f32>) -> f32 {
    let mut sum = 0.0;
    for value in values {
        sum += value;
    }
    sum
}

#[kernel(workgroup = 64)]
fn aliases(x: &[f32], points: &mut [Point], scale: Count, out: &mut [f32]) {
    let i: Count = global_id().x;
    let pixel = Pixel { value: Point::new(x[i], 1.0, 2.0) + Point::ONE, id: i };
    let other = Pixel::of(Point::splat(x[i])).value * scale as f32;
    let wide: Wide<Count> = Wide::of((i, scale));
    let rows: Rows<f32, 3> = [[x[i], 1.0, 2.0], [0.5; 3]];
    let sign = if i % 2 == 0 { Direction::Plus } else { Direction::Minus(0.5) };
    let span: IntSpan = Span::between(i as i32, 9);
    points[i] = pixel.value + other;
    out[i] = (total(rows[0]) + total(rows[1])) * sign.factor()
        + (wide.value.0 * wide.value.1 + wide.id + pixel.id + Pixel::NONE) as f32
        + span.width() as f32
        + (Count::MAX - i) as f32 * 0.0;
}

fn apart(i: usize, x: f32) -> (Vec3, f32) {
    let point = (Vec3::new(x, 1.0, 2.0) + Vec3::ONE) + Vec3::splat(x) * 3.0;
    let sum = (x + 1.0 + 2.0) + 1.5;
    let sign = if i % 2 == 0 { 1.0 } else { -0.5 };
    (point, sum * sign + (i * 3 + 7 + i + 7) as f32 + (i as i32 - 9).abs() as f32)
}

/// The cases of this file.
pub const CASES: &[Case] = &[case!(
    "aliases::everywhere",
    [Aliases],
    |mgr| {
        let x = mgr.tensor(&moderate(N, 3, 8.0))?;
        let (mut points, mut out) = (mgr.tensor(&vec![Vec3::ZERO; N])?, mgr.tensor(&vec![0f32; N])?);
        let seq = mgr.sequence()?;
        Aliases::dispatch(&seq, Grid::items(N), &x, &mut points, 3, &mut out)?;
        seq.eval()?;
        let points = points.to_vec()?.iter().flat_map(|point| point.to_array()).collect();
        Ok(vec![Output::exact(points), Output::exact(out.to_vec()?)])
    },
    || {
        let both: Vec<_> = moderate(N, 3, 8.0).into_iter().enumerate().map(|(i, x)| apart(i, x)).collect();
        let points = both.iter().flat_map(|(point, _)| point.to_array()).collect();
        vec![Output::exact(points), Output::exact(both.iter().map(|(_, value)| *value).collect())]
    }
)];
