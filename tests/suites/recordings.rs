//! Recordings that change between evaluations, with kernels of every kind of parameter.

use gridwise::image::Rgba8Unorm;
use gridwise::prelude::*;
use gridwise::{Error, KernelArgs, Parameter};
use std::time::{Duration, Instant};

#[derive(GpuData, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Wind {
    at: Vec3,
    force: f32,
    kind: u8,
}

#[kernel(workgroup = 64)]
fn mixed(narrow: u8, half: f16, flag: bool, wide: u64, wind: Wind, pair: [f32; 2], values: &mut [f32]) {
    let i = global_id().x;
    let sign = if flag { 1.0 } else { -1.0 };
    let sum = narrow as f32 + half.to_f32() + wide as f32 + wind.at.z + wind.force + wind.kind as f32 + pair[1];
    values[i] = sign * sum;
}

#[kernel(workgroup = 64)]
fn shifted(shift: u32, from: &[u32], to: &mut [u32]) {
    let i = global_id().x;
    to[i] = from[i + shift];
}

#[kernel(workgroup = 64, T = [f32, u32])]
fn scaled<T: Copy + core::ops::Mul<Output = T>>(factor: T, values: &mut [T]) {
    let i = global_id().x;
    values[i] = values[i] * factor;
}

#[kernel(workgroup = 64)]
fn told(limit: u32, values: &mut [u32]) {
    let i = global_id().x;
    if i == limit {
        println!("{} is the limit", limit);
    }
    assert!(i != limit + 1, "one more than {}", limit);
    values[i] = limit;
}

pub(super) fn parameters_of_every_type() {
    let mgr = super::manager();
    let seq = mgr.sequence().unwrap();
    let mut values = mgr.tensor_of_len::<f32>(100).unwrap();
    let wind = Wind { at: vec3(1.0, 2.0, 3.0), force: 4.0, kind: 5 };
    let (narrow, half, flag) = (seq.parameter(7u8), seq.parameter(f16::from_f32(0.5)), seq.parameter(true));
    let (wide, wind_of_now, pair) = (seq.parameter(11u64), seq.parameter(wind), seq.parameter([0.0f32, 13.0]));
    let grid = Grid::items(100);
    match Mixed::dispatch(&seq, grid, &narrow, &half, &flag, &wide, &wind_of_now, &pair, &mut values) {
        Err(Error::MissingFeature { .. }) => return,
        recorded => drop(recorded.unwrap()),
    }
    let run = || {
        seq.eval().unwrap();
        values.to_vec().unwrap()[99]
    };
    assert_eq!(run(), 43.5);
    flag.set(false);
    assert_eq!(run(), -43.5);
    narrow.set(8);
    half.set(f16::from_f32(1.5));
    wide.set(10);
    wind_of_now.set(Wind { at: Vec3::ZERO, force: 1.0, kind: 255 });
    pair.set([1.0, -13.0]);
    assert_eq!(run(), -(8.0 + 1.5 + 10.0 + 1.0 + 255.0 - 13.0));
    super::clean(&mgr);
}

pub(super) fn parameters_leave_checks() {
    let mgr = super::manager();
    let seq = mgr.sequence().unwrap();
    let from = mgr.tensor(&(0..200).collect::<Vec<u32>>()).unwrap();
    let mut to = mgr.tensor_of_len::<u32>(100).unwrap();
    // As a value it would be checked, and vouched for, when it is recorded.
    assert!(matches!(
        Shifted::dispatch(&seq, Grid::items(100), 101, &from, &mut to).map(drop),
        Err(Error::GridBeyondTensor(_)) | Ok(())
    ));
    seq.clear().unwrap();
    let shift: Parameter<u32> = seq.parameter(0);
    Shifted::dispatch(&seq, Grid::items(100), &shift, &from, &mut to).unwrap();
    for (value, is_right) in [(100, true), (101, false), (u32::MAX, false), (3, true)] {
        shift.set(value);
        let run = seq.eval();
        match is_right {
            true => assert_eq!((run.unwrap(), to.to_vec().unwrap()[99]), ((), 99 + value)),
            false => assert!(matches!(run, Err(Error::KernelPanic { .. })), "{run:?}"),
        }
    }
    super::clean(&mgr);
}

/// A launch that differs from the one before in a value, a length or the grid is decided on by itself.
pub(super) fn decisions_follow_each_launch() {
    let mgr = super::manager();
    let seq = mgr.sequence().unwrap();
    let [long, short] = [200, 150].map(|len| mgr.tensor(&(0..len).collect::<Vec<u32>>()).unwrap());
    let mut to = mgr.tensor_of_len::<u32>(100).unwrap();
    let launches = [
        (50, &long, 100, true),
        (101, &long, 100, false),
        (50, &long, 100, true),
        (51, &short, 100, false),
        (50, &short, 100, true),
        (49, &short, 101, false),
        (50, &short, 100, true),
        (40, &long, 100, true),
        (40, &short, 100, true),
        (60, &long, 100, true),
        (60, &short, 100, false),
    ];
    for (shift, from, items, fits) in launches {
        let recorded = Shifted::dispatch(&seq, Grid::items(items), shift, from, &mut to);
        let outcome = recorded.and_then(Sequence::eval);
        assert_eq!(outcome.is_ok(), fits, "{shift}, {items}: {outcome:?}");
        if fits {
            assert_eq!(to.to_vec().unwrap()[99], shift + 99);
        }
    }
}

/// No index of it is checked, so that only the condition of its race asks for the width.
#[kernel(workgroup = [8, 4])]
fn in_rows(cells: &mut [u32], width: u32) {
    let g = global_id();
    if let Some(cell) = cells.get_mut((g.y * width + g.x) as usize) {
        *cell = g.x;
    }
}

pub(super) fn conditions_of_races_follow_each_launch() {
    let mgr = super::manager();
    let seq = mgr.sequence().unwrap();
    let mut cells = mgr.tensor_of_len::<u32>(64).unwrap();
    for (width, is_free) in [(8, true), (8, true), (7, false), (8, true), (9, true), (1, false)] {
        let recorded = InRows::dispatch(&seq, Grid::items([8, 4]), &mut cells, width);
        match recorded.and_then(Sequence::eval) {
            Err(Error::MayRace(race)) => assert!(!is_free, "{width}: {race:?}"),
            outcome => assert!(is_free && outcome.is_ok(), "{width}: {outcome:?}"),
        }
    }
}

#[kernel]
fn first_of(images: &[&Image2D<Rgba8Unorm>], values: &mut [f32]) {
    let i = global_id().x;
    values[i] = images[i].load(uvec2(0, 0)).x;
}

/// Each compared with all before, they take 20 s.
pub(super) fn long_lists_of_images() {
    let mgr = super::manager();
    let image = mgr.image_2d::<Rgba8Unorm>(1, 1).unwrap();
    let begun = Instant::now();
    drop(KernelArgs::new::<FirstOf>().images(&vec![&image; 100_000]));
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

pub(super) fn parameters_of_generic_kernels_and_reports() {
    let mgr = super::manager();
    let (seq, other) = (mgr.sequence().unwrap(), mgr.sequence().unwrap());
    let mut numbers = mgr.tensor(&[1.0f32; 64]).unwrap();
    let factor = seq.parameter(2.0f32);
    Scaled::<f32>::dispatch(&seq, Grid::items(64), &factor, &mut numbers).unwrap();
    Scaled::<f32>::dispatch(&seq, Grid::items(64), 3.0, &mut numbers).unwrap();
    seq.eval().unwrap();
    factor.set(0.5);
    seq.eval().unwrap();
    assert_eq!(numbers.to_vec().unwrap(), [9.0; 64]);

    let mut values = mgr.tensor_of_len::<u32>(64).unwrap();
    let limit = other.parameter(1000u32);
    Told::dispatch(&other, Grid::items(64), &limit, &mut values).unwrap();
    other.eval().unwrap();
    assert_eq!(values.to_vec().unwrap(), [1000; 64]);
    limit.set(20);
    let error = other.eval().unwrap_err();
    assert!(matches!(&error, Error::KernelPanic { message, .. } if message == "one more than 20"), "{error}");
    let error = Told::dispatch(&seq, Grid::items(64), &limit, &mut values).unwrap_err();
    assert!(error.to_string().contains("`limit` is a parameter of another sequence"), "{error}");
    super::clean(&mgr);
}

/// The compiler cannot know that the index wraps around to zero.
#[kernel]
fn wrapped(n: u32, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if let Some(v) = y.get_mut(i as usize) {
        *v = x[(4 * i).wrapping_mul(n) as usize];
    }
}

pub(super) fn profiles_tell_which_launches_keep_checks() {
    let manager = super::manager();
    let (x, mut y) = (manager.tensor(&[7u32; 1024]).unwrap(), manager.tensor(&[0u32; 64]).unwrap());
    let sequence = manager.sequence().unwrap();
    Wrapped::dispatch(&sequence, Grid::items(64), 4, &x, &mut y).unwrap();
    Wrapped::dispatch(&sequence, Grid::items(64), 1 << 30, &x, &mut y).unwrap();
    let profile = sequence.eval_profiled().unwrap();
    let kept: Vec<bool> = profile.ops().iter().map(|op| op.keeps_checks).collect();
    assert_eq!(kept, [false, true]);
    assert!(profile.to_string().contains("wrapped, with checks"), "{profile}");
    assert_eq!(y.to_vec().unwrap(), [7; 64]);
    super::clean(&manager);
}
