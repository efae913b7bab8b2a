//! Several items per invocation: elements that travel as vectors, at all lengths, with what is left over, and what must stay scalar.

use gridwise::descriptor::KernelDescriptor;
use gridwise::half::f16;
use gridwise::prelude::*;
use gridwise::{Error, Kernel};

use super::case;
use crate::case::{Case, Output, bits};

/// Numbers of items: none, less than a batch, and around the ends of batches and workgroups.
const ITEMS: [usize; 19] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 255, 256, 257, 258, 511, 512, 513, 1000, 1003, 1024];
/// Elements behind the last item, which no launch may touch.
const BEHIND: usize = 3;

/// Items of an invocation of each kernel.
fn items(kernels: &[&KernelDescriptor]) -> Output {
    Output::U32(kernels.iter().map(|kernel| kernel.batch.map_or(1, |batch| batch.items)).collect())
}

/// Runs a launch for each number of items: it gets an element more than there are items, and some behind.
fn each<T: GpuData>(
    mgr: &Manager,
    start: impl Fn(usize) -> T,
    launch: impl for<'s> Fn(&'s Sequence, usize, &Tensor<T>, &mut Tensor<T>) -> gridwise::Result<&'s Sequence>,
) -> gridwise::Result<Vec<T>> {
    let mut found = Vec::new();
    for items in ITEMS {
        let input: Vec<T> = (0..items + BEHIND).map(&start).collect();
        let (x, mut y) = (mgr.tensor(&input)?, mgr.tensor(&input)?);
        let seq = mgr.sequence()?;
        launch(&seq, items, &x, &mut y)?;
        seq.eval()?;
        found.extend(y.to_vec()?);
    }
    Ok(found)
}

/// The elements that such launches leave.
fn after<T>(start: impl Fn(usize) -> T, item: impl Fn(usize) -> T) -> Vec<T> {
    let of = |items: usize| (0..items + BEHIND).map(|i| if i < items { item(i) } else { start(i) }).collect::<Vec<_>>();
    ITEMS.into_iter().flat_map(of).collect()
}

/// The report of a launch that may panic, and the elements that it leaves.
fn report(seq: &Sequence, y: &Tensor<u32>) -> gridwise::Result<Vec<Output>> {
    let report = match seq.eval() {
        Ok(()) => "complete".to_owned(),
        Err(Error::KernelPanic { message, text, count, invocation, .. }) => {
            format!("{message} ({text}, {count}, at {invocation:?})")
        }
        Err(error) => return Err(error),
    };
    Ok(vec![Output::Report(report), Output::U32(y.to_vec()?)])
}

fn float(i: usize) -> f32 {
    i as f32 * 0.25 - 7.0
}

fn word(i: usize) -> u32 {
    (i as u32).wrapping_mul(0x9e37_79b9) ^ 0x55
}

macro_rules! numbers {
    ($($name:literal $dispatch:ident $kernel:ident $ty:ty, $items:literal;)+) => {
        /// One for each type of element.
        pub const OF_NUMBERS: &[Case] = &[$(
            case!($name, [$dispatch], |mgr| {
                let start = |i: usize| <$ty>::from(word(i) as u8 & 63);
                let found = each(mgr, start, |seq, len, x, y| $dispatch::dispatch(seq, Grid::items(len), x, y))?;
                Ok(vec![bits(&found), items(&[$dispatch::DESCRIPTOR])])
            }, || {
                let start = |i: usize| <$ty>::from(word(i) as u8 & 63);
                vec![bits(&after(start, |i| start(i) + start(i))), Output::U32(vec![$items])]
            }),
        )+];
        $(
            #[kernel(workgroup = 64)]
            fn $kernel(x: &[$ty], y: &mut [$ty]) {
                let i = global_id().x;
                y[i] += x[i];
            }
        )+
    };
}

numbers! {
    "batches::u8" U8Sum u8_sum u8, 4;
    "batches::u16" U16Sum u16_sum u16, 4;
    "batches::f16" F16Sum f16_sum f16, 4;
    "batches::i32" I32Sum i32_sum i32, 4;
    "batches::u64" U64Sum u64_sum u64, 2;
    "batches::f64" F64Sum f64_sum f64, 2;
}

fn pair(i: usize) -> Vec2 {
    Vec2::new(float(i), float(i + 1000))
}

fn triple(i: usize) -> Vec3 {
    Vec3::new(float(i), float(i + 1000), float(2 * i))
}

fn lanes<const N: usize>(values: &[impl Into<[f32; N]> + Copy]) -> Output {
    Output::exact(values.iter().flat_map(|value| (*value).into()).collect())
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "batches::saxpy",
        [Saxpy],
        |mgr| {
            let found = each(mgr, float, |seq, len, x, y| Saxpy::dispatch(seq, Grid::items(len), 3.0, x, y))?;
            Ok(vec![Output::exact(found), items(&[Saxpy::DESCRIPTOR])])
        },
        || vec![Output::exact(after(float, |i| 3.0 * float(i) + float(i))), Output::U32(vec![4])]
    ),
    // Two buffers of one length, one of which is not read.
    case!(
        "batches::copy",
        [Xored],
        |mgr| {
            let found = each(mgr, word, |seq, len, x, y| Xored::dispatch(seq, Grid::items(len), x, y))?;
            Ok(vec![Output::U32(found), items(&[Xored::DESCRIPTOR])])
        },
        || vec![Output::U32(after(word, |i| word(i) ^ i as u32)), Output::U32(vec![4])]
    ),
    case!(
        "batches::pairs",
        [Pairs],
        |mgr| {
            let found = each(mgr, pair, |seq, len, x, y| Pairs::dispatch(seq, Grid::items(len), x, y))?;
            Ok(vec![lanes(&found), items(&[Pairs::DESCRIPTOR])])
        },
        || {
            let item = |i: usize| Vec2::new(pair(i).y + pair(i).x, pair(i).y);
            vec![lanes(&after(pair, item)), Output::U32(vec![2])]
        }
    ),
    case!(
        "batches::triples",
        [Triples],
        |mgr| {
            let found = each(mgr, triple, |seq, len, x, y| Triples::dispatch(seq, Grid::items(len), 2.0, x, y))?;
            Ok(vec![lanes(&found), items(&[Triples::DESCRIPTOR])])
        },
        || vec![lanes(&after(triple, |i| triple(i) * 2.0 + triple(i).zxy())), Output::U32(vec![4])]
    ),
    // Widths that differ in one kernel, and two outputs.
    case!(
        "batches::mixed",
        [Mixed],
        |mgr| {
            let mut outputs = vec![items(&[Mixed::DESCRIPTOR])];
            for len in ITEMS {
                let bytes: Vec<u8> = (0..len).map(|i| word(i) as u8).collect();
                let (bytes, mut wide) = (mgr.tensor(&bytes)?, mgr.tensor(&vec![7u64; len + BEHIND])?);
                let mut sums = mgr.tensor(&vec![9u32; len + BEHIND])?;
                let seq = mgr.sequence()?;
                Mixed::dispatch(&seq, Grid::items(len), &bytes, &mut wide, &mut sums)?;
                seq.eval()?;
                outputs.extend([bits(&wide.to_vec()?), Output::U32(sums.to_vec()?)]);
            }
            Ok(outputs)
        },
        || {
            let mut outputs = vec![Output::U32(vec![4])];
            for len in ITEMS {
                let byte = |i: usize| u64::from(word(i) as u8);
                let mut wide: Vec<u64> = (0..len).map(|i| byte(i) << 33 | i as u64).collect();
                let mut sums: Vec<u32> = (0..len).map(|i| byte(i) as u32 + 9).collect();
                wide.extend([7; BEHIND]);
                sums.extend([9; BEHIND]);
                outputs.extend([bits(&wide), Output::U32(sums)]);
            }
            outputs
        }
    ),
    // Guards that let all pass, some or none: the whole grid of workgroups runs.
    case!(
        "batches::guards",
        [Guarded, Returning],
        |mgr| {
            let mut outputs = vec![items(&[Guarded::DESCRIPTOR, Returning::DESCRIPTOR])];
            for len in ITEMS {
                for (extra, short) in [(0, 0), (0, 2), (70, 0)] {
                    let x: Vec<u32> = (0..len).map(word).collect();
                    let (x, mut y, mut z) = (mgr.tensor(&x)?, mgr.tensor(&vec![1; len])?, mgr.tensor(&vec![1; len])?);
                    let (seq, grid) = (mgr.sequence()?, Grid::items(len + extra));
                    Guarded::dispatch(&seq, grid, &x, &mut y)?;
                    let limit = Limit { scale: 2, n: (len as u32).saturating_sub(short) };
                    Returning::dispatch(&seq, grid, limit, &x, &mut z)?;
                    seq.eval()?;
                    outputs.extend([Output::U32(y.to_vec()?), Output::U32(z.to_vec()?)]);
                }
            }
            Ok(outputs)
        },
        || {
            let mut outputs = vec![Output::U32(vec![4, 4])];
            for len in ITEMS {
                for short in [0, 2, 0] {
                    outputs.push(Output::U32((0..len).map(|i| word(i) / 2).collect()));
                    let item = |i: usize| if i + short < len { word(i).wrapping_mul(2) } else { 1 };
                    outputs.push(Output::U32((0..len).map(item).collect()));
                }
            }
            outputs
        }
    ),
    // What is not written stays; loops, early returns, branches and calls in between.
    case!(
        "batches::branches",
        [Branches],
        |mgr| {
            let found = each(mgr, word, |seq, len, x, y| Branches::dispatch(seq, Grid::items(len), 5, x, y))?;
            Ok(vec![Output::U32(found), items(&[Branches::DESCRIPTOR])])
        },
        || {
            let item = |i: usize| {
                let v = word(i);
                match v % 4 {
                    0 => v,
                    1 => v.wrapping_add(5),
                    2 => (0..v % 7).fold(v, |sum, round| sum.rotate_left(3) ^ round),
                    _ if i % 2 == 0 => 11,
                    _ => 12,
                }
            };
            vec![Output::U32(after(word, item)), Output::U32(vec![8])]
        }
    ),
    // Elements of others are read as they are; one buffer is read in both ways.
    case!(
        "batches::elsewhere",
        [Elsewhere, Shifted],
        |mgr| {
            let shared = each(mgr, word, |seq, len, x, y| Elsewhere::dispatch(seq, Grid::items(len), x, y))?;
            let shifted = each(mgr, word, |seq, len, x, y| Shifted::dispatch(seq, Grid::items(len), x, y))?;
            Ok(vec![
                Output::U32(shared),
                Output::U32(shifted),
                items(&[Elsewhere::DESCRIPTOR, Shifted::DESCRIPTOR, Neighbours::DESCRIPTOR]),
            ])
        },
        || {
            let shared = after(word, |i| word(i) ^ word(0) ^ word(1));
            let shifted = after(word, |i| word(i) ^ word(i + 1));
            vec![Output::U32(shared), Output::U32(shifted), Output::U32(vec![4, 2, 1])]
        }
    ),
    // A panic's place and invocation, and what it leaves, are those of one item per invocation.
    case!(
        "batches::panics",
        [Short],
        |mgr| {
            let mut outputs = vec![items(&[Short::DESCRIPTOR])];
            for (len, items) in [(8, 8), (8, 9), (1001, 1000), (1001, 1002)] {
                let x: Vec<u32> = (0..len).map(word).collect();
                let (x, mut y) = (mgr.tensor(&x)?, mgr.tensor(&vec![3u32; 1024])?);
                let seq = mgr.sequence()?;
                Short::dispatch(&seq, Grid::items(items), &x, &mut y)?;
                outputs.extend(report(&seq, &y)?);
            }
            Ok(outputs)
        },
        || {
            let mut outputs = vec![Output::U32(vec![4])];
            for (len, items) in [(8, 8), (8, 9), (1001, 1000), (1001, 1002)] {
                let text = match items > len {
                    true => format!(
                        "index out of bounds: the len is {len} but the index is {len} (x[i], 1, at [{len}, 0, 0])"
                    ),
                    false => "complete".to_owned(),
                };
                // What cannot be read is zero.
                let item = |i: usize| if i < len { word(i) } else { 0 };
                let y = (0..1024).map(|i| if i < items { item(i) } else { 3 });
                outputs.extend([Output::Report(text), Output::U32(y.collect())]);
            }
            outputs
        }
    ),
    // Grids with more axes, by workgroups, and two launches of which one takes the batch.
    case!(
        "batches::grids",
        [Position],
        |mgr| {
            let mut y = mgr.tensor(&vec![0u32; 640])?;
            let mut z = mgr.tensor(&vec![0u32; 640])?;
            let seq = mgr.sequence()?;
            // SAFETY: there is one along y and z.
            unsafe { Position::dispatch(&seq, Grid::groups(10), 1, &mut y) }?;
            // SAFETY: there is one along y and z.
            unsafe { Position::dispatch(&seq, Grid::items(130), 1000, &mut y) }?;
            // Of three rows, each writes the same elements; one row at a time, to leave no race.
            // SAFETY: there is one along y and z.
            unsafe { Position::dispatch(&seq, Grid::items([70u32, 1, 1]), 7, &mut z) }?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?), Output::U32(z.to_vec()?), items(&[Position::DESCRIPTOR])])
        },
        || {
            let y = (0..640).map(|i| if i < 130 { i + 1000 } else { i + 1 });
            let z = (0..640).map(|i| if i < 70 { i + 7 } else { 0 });
            vec![Output::U32(y.collect()), Output::U32(z.collect()), Output::U32(vec![4])]
        }
    ),
    // One item per invocation where that is said, where code tells invocations apart, and where memory is not what it waits for.
    case!(
        "batches::single",
        [One, Rounds, ByGroup],
        |mgr| {
            let one = each(mgr, word, |seq, len, x, y| One::dispatch(seq, Grid::items(len), x, y))?;
            let rounds = each(mgr, word, |seq, len, x, y| Rounds::dispatch(seq, Grid::items(len), x, y))?;
            let group = each(mgr, word, |seq, len, x, y| ByGroup::dispatch(seq, Grid::items(len), x, y))?;
            let kernels = [One::DESCRIPTOR, Rounds::DESCRIPTOR, ByGroup::DESCRIPTOR];
            Ok(vec![Output::U32(one), Output::U32(rounds), Output::U32(group), items(&kernels)])
        },
        || {
            let rounds = |i: usize| (0..20).fold(word(i), |v, round| v.rotate_left(5) ^ round);
            let group = |i: usize| word(i) ^ (i / 64) as u32;
            vec![
                Output::U32(after(word, word)),
                Output::U32(after(word, rounds)),
                Output::U32(after(word, group)),
                Output::U32(vec![1, 1, 1]),
            ]
        }
    ),
];

#[kernel(workgroup = 64)]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i] + y[i];
}

#[kernel(workgroup = 128)]
fn xored(x: &[u32], y: &mut [u32]) {
    let i = global_id().x as usize;
    y[i] = x[i] ^ i as u32;
}

#[kernel(workgroup = 64)]
fn pairs(x: &[Vec2], y: &mut [Vec2]) {
    let i = global_id().x;
    y[i].x += x[i].y;
}

#[kernel(workgroup = 64)]
fn triples(a: f32, x: &[Vec3], y: &mut [Vec3]) {
    let i = global_id().x;
    y[i] = x[i] * a + y[i].zxy();
}

#[kernel(workgroup = 32)]
fn mixed(bytes: &[u8], wide: &mut [u64], sums: &mut [u32]) {
    let i = global_id().x;
    let byte = bytes[i];
    wide[i] = (byte as u64) << 33 | i as u64;
    sums[i] += byte as u32;
}

#[kernel(workgroup = 64)]
fn guarded(x: &[u32], y: &mut [u32]) {
    let i = global_id().x as usize;
    if i < y.len() && i < x.len() {
        y[i] = x[i] / 2;
    }
}

/// A parameter with the number of items in it.
#[derive(GpuData, Debug, Clone, Copy)]
#[repr(C)]
pub struct Limit {
    scale: u32,
    n: u32,
}

#[kernel(workgroup = 64)]
fn returning(limit: Limit, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i >= limit.n {
        return;
    }
    y[i] = x[i] * limit.scale;
}

#[device]
mod parts {
    #[device]
    pub(super) fn mixed(start: u32, rounds: u32) -> u32 {
        let mut sum = start;
        for round in 0..rounds {
            sum = sum.rotate_left(3) ^ round;
        }
        sum
    }
}

#[kernel(workgroup = 64, items_per_invocation = 8)]
fn branches(add: u32, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let v = x[i];
    if v % 4 == 0 {
        return;
    }
    match v % 4 {
        1 => y[i] += add,
        2 => y[i] = parts::mixed(v, v % 7),
        _ => {
            y[i] = 11;
            if i % 2 == 0 {
                return;
            }
            y[i] += 1;
        }
    }
}

#[kernel(workgroup = 64)]
fn elsewhere(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = x[i] ^ x[0] ^ x[1];
}

#[kernel(workgroup = 64, items_per_invocation = 2)]
fn shifted(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = x[i] ^ x[i + 1];
}

#[kernel(workgroup = 64)]
fn neighbours(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = x[i] ^ x[i + 1];
}

#[kernel(workgroup = 64, items_per_invocation = 4)]
fn short(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    // Not all come there, so that the launch runs.
    if i < 1 << 20 {
        y[i] = x[i];
    }
}

/// # Safety
/// One invocation runs along y and z.
#[kernel(workgroup = 64)]
unsafe fn position(add: u32, y: &mut [u32]) {
    let id = global_id();
    y[id.x] = id.x + add + id.y * 5 + id.z;
}

#[kernel(workgroup = 64, items_per_invocation = 1)]
fn one(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = x[i];
}

#[kernel(workgroup = 64)]
fn rounds(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = parts::mixed(x[i], 0);
    let mut v = x[i];
    for round in 0..20u32 {
        v = v.rotate_left(5) ^ round;
    }
    y[i] = v;
}

#[kernel(workgroup = 64)]
fn by_group(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = x[i] ^ workgroup_id().x;
}
