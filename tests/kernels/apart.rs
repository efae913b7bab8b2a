//! Patterns that take apart what references lead to. Each function also stands in a module that only rustc compiles.

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output, patterns};

const N: usize = 96;

/// In buffers.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(C)]
pub struct Body {
    at: [u32; 2],
    speed: Speed,
    mass: u32,
}

/// A tuple struct in a struct.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(C)]
pub struct Speed(u32, u32);

both!(taken, plain_taken, {
    #[derive(Clone, Copy)]
    pub(super) enum Shape {
        Dot,
        Line(u32),
        Box { width: u32, height: u32 },
    }

    #[derive(Clone, Copy)]
    pub(super) struct Part {
        pub(super) shape: Shape,
        pub(super) marks: (u32, u32),
    }

    #[derive(Clone, Copy)]
    pub(super) struct Walk(pub(super) u32, pub(super) (u32, u32), pub(super) u32);

    impl Walk {
        fn step(&mut self, by: u32) -> u32 {
            let Self(at, (least, most), ..) = self;
            *at = at.wrapping_add(by);
            *least = (*least).min(*at);
            *most = (*most).max(*at);
            *most - *least
        }

        fn span(&self) -> u32 {
            let Self(_, (least, most), bias) = self;
            most - least + bias
        }
    }

    pub(super) fn area(shape: &Shape) -> u32 {
        match shape {
            Shape::Dot => 1,
            Shape::Line(length) if *length > 50 => 50,
            Shape::Line(length) => *length,
            Shape::Box { width, height } => width.wrapping_mul(*height),
        }
    }

    fn total(part: &Part) -> u32 {
        let Part { shape, marks } = part;
        let (a, b) = marks;
        area(shape).wrapping_add(*a) ^ b
    }

    fn of_some(value: &Option<u32>, other: &Result<u32, u32>) -> u32 {
        let Some(value) = value else { return 7 };
        if let Ok(more) | Err(more) = other
            && value > more
        {
            value - more
        } else {
            *value
        }
    }

    pub(super) fn all(n: u32) -> [u32; 6] {
        let mut part = Part { shape: Shape::Box { width: n, height: 3 }, marks: (n / 2, 9) };
        let sum = total(&part);
        let Part { shape, marks: (first, second) } = &mut part;
        *first = first.wrapping_mul(3);
        core::mem::swap(first, second);
        if n % 3 == 0 {
            *shape = Shape::Line(n % 80);
        }
        let shapes = [Shape::Dot, part.shape, Shape::Line(n % 64)];
        let mut areas = 0u32;
        for shape in &shapes {
            areas = areas.wrapping_add(area(shape));
        }
        let kinds = shapes.iter().filter(|shape| matches!(shape, Shape::Line(_) | Shape::Dot)).count() as u32;
        let mut walk = Walk(n, (n, n), 2);
        let walked = walk.step(5).wrapping_add(walk.step(n)) ^ walk.span();
        let mut pair = (n, 4);
        let (low, _) = &mut pair;
        *low /= 2;
        let chosen = of_some(&if n % 2 == 0 { Some(n) } else { None }, &Err(n / 3));
        [sum, areas ^ part.marks.0, kinds, walked, pair.0, chosen]
    }
});

#[kernel(workgroup = 32)]
fn everywhere(x: &[u32], out: &mut [[u32; 6]]) {
    let i = global_id().x;
    out[i] = taken::all(x[i]);
}

/// Parts of elements of buffers and of shared memory, read and written.
#[kernel(workgroup = 32)]
fn in_buffers(old: &[Body], new: &mut [Body], out: &mut [u32]) {
    let tile = Shared::<[Body; 32]>::new();
    let (i, t) = (global_id().x as usize, local_id().x as usize);
    tile[t] = old[i];
    let Body { mass, speed: Speed(_, slow), .. } = &mut tile[t];
    *mass += 1;
    *slow ^= *mass;
    barrier();
    let Body { at, speed: Speed(fast, _), mass } = &mut new[i];
    at[1] += tile[31 - t].mass;
    *fast = tile[31 - t].speed.1;
    core::mem::swap(fast, mass);
    let near = &old[(i + 1) % old.len()];
    out[i] = match near {
        Body { mass: 0..5, at: [a, _], .. } => *a,
        Body { speed, mass, .. } if mass % 2 == 0 => speed.0,
        other => other.at[1],
    };
    if let Body { at: [a, 0..=99], .. } = &old[i] {
        out[i] += a;
    }
}

fn numbers() -> Vec<u32> {
    patterns(N, 411).into_iter().map(|v| v % 10_000).collect()
}

fn bodies() -> Vec<Body> {
    let values = patterns(5 * N, 412);
    let values: Vec<u32> = values.into_iter().map(|v| v % 200).collect();
    values.chunks(5).map(|v| Body { at: [v[0], v[1]], speed: Speed(v[2], v[3]), mass: v[4] % 10 }).collect()
}

fn flat(bodies: &[Body]) -> Output {
    Output::U32(
        bodies.iter().flat_map(|body| [body.at[0], body.at[1], body.speed.0, body.speed.1, body.mass]).collect(),
    )
}

fn expected_in_buffers() -> Vec<Output> {
    let old = bodies();
    let mut new = old.clone();
    let mut out = Vec::new();
    for (i, body) in new.iter_mut().enumerate() {
        let other = old[i / 32 * 32 + 31 - i % 32];
        body.at[1] += other.mass + 1;
        body.speed.0 = body.mass;
        body.mass = other.speed.1 ^ (other.mass + 1);
        let near = old[(i + 1) % N];
        let found = match near {
            Body { mass: 0..5, at, .. } => at[0],
            _ if near.mass % 2 == 0 => near.speed.0,
            _ => near.at[1],
        };
        out.push(found + if old[i].at[1] < 100 { old[i].at[0] } else { 0 });
    }
    vec![flat(&new), Output::U32(out)]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "apart::everywhere",
        [Everywhere],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&numbers())?, mgr.tensor(&vec![[0u32; 6]; N])?);
            let seq = mgr.sequence()?;
            Everywhere::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        },
        || vec![Output::U32(numbers().into_iter().flat_map(plain_taken::all).collect())]
    ),
    case!(
        "apart::in_buffers",
        [InBuffers],
        |mgr| {
            let (old, mut new) = (mgr.tensor(&bodies())?, mgr.tensor(&bodies())?);
            let mut out = mgr.tensor_of_len::<u32>(N)?;
            let seq = mgr.sequence()?;
            InBuffers::dispatch(&seq, Grid::items(N), &old, &mut new, &mut out)?;
            seq.eval()?;
            Ok(vec![flat(&new.to_vec()?), Output::U32(out.to_vec()?)])
        },
        expected_in_buffers
    ),
];
