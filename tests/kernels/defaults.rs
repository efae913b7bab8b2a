//! `Default` of built-in types and of one's own, derived and written: asked for by name, by inference and by `unwrap_or_default`.

#![allow(
    clippy::obfuscated_if_else,
    clippy::double_ended_iterator_last,
    reason = "what gives a default is what is tried"
)]

use gridwise::prelude::*;
use gridwise_device_lib::grades::{Grade, Graded, Weight};

use super::{case, twice};
use crate::case::{Case, Output, patterns};

use plants::{Kind, Plant, Seed, Strict};

const N: usize = 300;

#[device]
mod plants {
    use gridwise::prelude::*;

    #[derive(Debug, Clone, Copy, Default, PartialEq)]
    pub(super) enum Kind {
        Moss(u32),
        #[default]
        Fern,
        Tree {
            rings: u32,
        },
    }

    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(super) struct Seed {
        pub(super) count: u32,
        pub(super) kind: Kind,
    }

    impl Default for Seed {
        fn default() -> Self {
            let count = (0..4u32).map(|i| i * i).sum::<u32>();
            Self { count, kind: Kind::Moss(count + 1) }
        }
    }

    #[derive(Debug, Clone, Copy, Default, GpuData)]
    #[repr(C)]
    pub(super) struct Plant {
        pub(super) height: f32,
        pub(super) turn: Quat,
        pub(super) roots: [u32; 3],
    }

    /// Has no default that can be asked for.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Strict(pub(super) u32);

    impl Default for Strict {
        fn default() -> Self {
            let nothing: Option<u32> = None;
            Self(nothing.expect("a strict value"))
        }
    }
}

#[device]
fn made<T: Default>(_like: T) -> T {
    T::default()
}

#[device]
fn number(kind: Kind) -> u32 {
    match kind {
        Kind::Moss(count) => 100 + count,
        Kind::Fern => 7,
        Kind::Tree { rings } => 1000 + rings,
    }
}

#[device]
fn grade_number(grade: Grade) -> u32 {
    match grade {
        Grade::Low => 1,
        Grade::Middle => 2,
        Grade::High => 3,
    }
}

twice! {
    fn built_in(x: u32) -> u32 {
        let matrix = Mat3::default();
        let quat: Quat = Default::default();
        let pair: (u32, Mat2) = Default::default();
        let list = Some([1.5f32, x as f32]).filter(|_| x & 1 == 0).unwrap_or_default();
        let vector = (x & 2 == 0).then_some(Vec3::ONE).unwrap_or_default();
        let turn = (x & 4 == 0).then_some(Mat2::ZERO).unwrap_or_default();
        let mut flag = bool::default();
        flag |= x & 8 == 0;
        let sum = matrix.x_axis.x + matrix.y_axis.x + quat.w + quat.x + pair.1.y_axis.y + list[0] + vector.y;
        pair.0 + (sum * 8.0) as u32 + (turn.x_axis.x as u32) * 1000 + flag as u32 * 5000 + made(x) + u32::default()
    }

    fn derived(x: u32) -> u32 {
        let kind = (x & 1 == 0).then_some(Kind::Tree { rings: x & 7 });
        let graded = Graded::default();
        let other: Graded = Graded { weight: Weight(3.0), ..Default::default() };
        let ok: Result<Kind, u32> = if x & 2 == 0 { Ok(Kind::Moss(1)) } else { Err(x) };
        let mut total = number(kind.unwrap_or_default()) * 3 + number(ok.unwrap_or_default());
        total += grade_number(graded.grade) + grade_number(other.grade) * 5 + grade_number(made(Grade::Low)) * 7;
        total += (graded.weight.0 + graded.others[1].0 * 10.0 + other.weight.0 * 100.0) as u32;
        total + graded.turn.y_axis.y as u32 + graded.parent.is_none() as u32 * 11
    }

    fn written(x: u32) -> u32 {
        let seed = (x % 3 == 0).then_some(Seed { count: x, kind: Kind::Fern }).unwrap_or_default();
        let [first, second]: [Seed; 2] = Default::default();
        let nested: (Option<Seed>, (Seed, Weight)) = Default::default();
        let weights = (x % 5 == 0).then_some((Weight(2.0), Grade::High)).unwrap_or_default();
        let counted = |n: u32| if n & 1 == 0 { Seed::default().count } else { made(Seed { count: n, kind: Kind::Fern }).count + 1 };
        seed.count + number(seed.kind) + first.count * 3 + number(second.kind) * 5 + nested.1.0.count
            + nested.0.unwrap_or_default().count + (weights.0.0 * 16.0) as u32 + grade_number(weights.1)
            + nested.1.1.0 as u32 + counted(x)
    }

    fn in_a_chain(x: u32) -> u32 {
        let found = (0..x % 9).map(|i| Seed { count: i * 7, kind: Kind::Fern }).find(|seed| seed.count > 20).unwrap_or_default();
        let last = (0..x % 4).map(|i| i + 1).last().unwrap_or_default();
        let mut total = found.count;
        for i in 0..3 {
            let some = if i > x % 3 { None } else { Some(Weight(i as f32)) };
            total += some.unwrap_or_default().0 as u32 * 10;
        }
        total + last
    }
}

#[kernel(workgroup = 64)]
fn all_defaults(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let v = x[i];
    let n = x.len() as u32;
    out[i] = built_in(v);
    out[i + n] = derived(v);
    out[i + 2 * n] = written(v);
    out[i + 3 * n] = in_a_chain(v);
}

#[kernel(workgroup = 64)]
fn shared_defaults(plants: &mut [Plant], out: &mut [u32]) {
    let kinds = Shared::<[u32; 64]>::new();
    let (i, l) = (global_id().x, local_index());
    kinds[l] = number(Kind::default()) + l;
    barrier();
    let plant = if l & 1 == 0 { Plant::default() } else { plants[i] };
    plants[i] = Plant { height: 2.0, ..plant };
    out[i] = kinds[63 - l] + plant.turn.w as u32;
}

#[kernel(workgroup = 64)]
fn strict_default(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let some = if x[i] & 1 == 0 { Some(Strict(x[i])) } else { None };
    if x[i] < 8 {
        out[i] = some.unwrap_or_default().0;
    }
}

fn input() -> Vec<u32> {
    patterns(N, 3).into_iter().map(|v| v % 1000).collect()
}

fn strict(mgr: &Manager, input: &[u32]) -> gridwise::Result<Vec<Output>> {
    let (x, mut out) = (mgr.tensor(input)?, mgr.tensor(&vec![9u32; input.len()])?);
    let seq = mgr.sequence()?;
    StrictDefault::dispatch(&seq, Grid::items(input.len()), &x, &mut out)?;
    let report = super::traps::report(&seq)?;
    Ok(vec![report, Output::U32(out.to_vec()?)])
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "defaults::values",
        [AllDefaults],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&input())?, mgr.tensor(&vec![0u32; 4 * N])?);
            let seq = mgr.sequence()?;
            AllDefaults::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || {
            let functions = [plain::built_in, plain::derived, plain::written, plain::in_a_chain];
            vec![Output::U32(functions.iter().flat_map(|f| input().into_iter().map(f)).collect())]
        }
    ),
    case!(
        "defaults::in_buffers",
        [SharedDefaults],
        |mgr| {
            let first = Plant { height: 1.0, turn: Quat::from_xyzw(1.0, 2.0, 3.0, 4.0), roots: [5, 6, 7] };
            let (mut plants, mut out) = (mgr.tensor(&[first; 128])?, mgr.tensor(&[0u32; 128])?);
            let seq = mgr.sequence()?;
            SharedDefaults::dispatch(&seq, Grid::items(128), &mut plants, &mut out)?;
            seq.eval()?;
            let turns =
                plants.to_vec()?.into_iter().flat_map(|it| [it.height, it.turn.w, it.turn.x, it.roots[2] as f32]);
            Ok(vec![Output::U32(out.to_vec()?), Output::exact(turns.collect())])
        },
        || {
            let out = (0..128u32).map(|i| 7 + 63 - i % 64 + if i & 1 == 0 { 1 } else { 4 });
            let turns = (0..128).flat_map(|i| if i & 1 == 0 { [2.0, 1.0, 0.0, 0.0] } else { [2.0, 4.0, 1.0, 7.0] });
            vec![Output::U32(out.collect()), Output::exact(turns.collect())]
        }
    ),
    case!("defaults::only_where_needed", [StrictDefault], |mgr| strict(mgr, &[0, 2, 4, 6, 9, 11, 13]), || {
        let report = "no kernel panic".to_owned();
        vec![Output::Report(report), Output::U32(vec![0, 2, 4, 6, 9, 9, 9])]
    }),
    case!("defaults::that_panic", [StrictDefault], |mgr| strict(mgr, &[0, 2, 5, 6, 9])),
];
