//! Invocations that work together: shared memory, barriers, atomics.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, moderate, patterns};

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "parallel::tree_reduction",
        [TreeReduction],
        |mgr| {
            let x = mgr.tensor(&whole(2048))?;
            let mut sums = mgr.tensor_of_len::<f32>(8)?;
            let seq = mgr.sequence()?;
            TreeReduction::dispatch(&seq, Grid::items(2048), &x, &mut sums)?;
            seq.eval()?;
            Ok(vec![Output::exact(sums.to_vec()?)])
        },
        || vec![Output::exact(whole(2048).chunks(256).map(|chunk| chunk.iter().sum()).collect())]
    ),
    case!(
        "parallel::histogram",
        [Histogram],
        |mgr| {
            let x = mgr.tensor(&patterns(5000, 3))?;
            let bins = mgr.tensor(&[0u32; 16])?;
            let seq = mgr.sequence()?;
            Histogram::dispatch(&seq, Grid::items(5000), &x, &bins)?;
            seq.eval()?;
            Ok(vec![Output::U32(bins.to_vec()?)])
        },
        || {
            let mut bins = vec![0; 16];
            patterns(5000, 3).into_iter().for_each(|value| bins[value as usize % 16] += 1);
            vec![Output::U32(bins)]
        }
    ),
    case!(
        "parallel::shared_histogram",
        [SharedHistogram],
        |mgr| {
            let x = mgr.tensor(&patterns(4096, 5))?;
            let bins = mgr.tensor(&[7u32; 32])?;
            let seq = mgr.sequence()?;
            SharedHistogram::dispatch(&seq, Grid::items(4096), &x, &bins)?;
            seq.eval()?;
            Ok(vec![Output::U32(bins.to_vec()?)])
        },
        || {
            let mut bins = vec![7; 32];
            patterns(4096, 5).into_iter().for_each(|value| bins[(value >> 27) as usize] += 1);
            vec![Output::U32(bins)]
        }
    ),
    case!(
        "parallel::transpose",
        [Transpose],
        |mgr| {
            let (width, height) = (64, 32);
            let x = mgr.tensor(&patterns(width * height, 8))?;
            let mut y = mgr.tensor_of_len::<u32>(width * height)?;
            let seq = mgr.sequence()?;
            Transpose::dispatch(&seq, Grid::items([width, height]), width as u32, height as u32, &x, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let x = patterns(64 * 32, 8);
            vec![Output::U32((0..64 * 32).map(|i| x[(i % 32) * 64 + i / 32]).collect())]
        }
    ),
    case!(
        "parallel::tiled_matmul",
        [TiledMatmul],
        |mgr| {
            let n = 48;
            let (a, b) = (mgr.tensor(&moderate(n * n, 1, 2.0))?, mgr.tensor(&moderate(n * n, 2, 2.0))?);
            let mut c = mgr.tensor_of_len::<f32>(n * n)?;
            let seq = mgr.sequence()?;
            TiledMatmul::dispatch(&seq, Grid::items([n, n]), n as u32, &a, &b, &mut c)?;
            seq.eval()?;
            Ok(vec![Output::exact(c.to_vec()?)])
        },
        || {
            let (n, a, b) = (48, moderate(48 * 48, 1, 2.0), moderate(48 * 48, 2, 2.0));
            let cell = |i: usize| (0..n).fold(0.0, |sum, k| sum + a[i / n * n + k] * b[k * n + i % n]);
            vec![Output::exact((0..n * n).map(cell).collect())]
        }
    ),
    case!(
        "parallel::scan",
        [Scan],
        |mgr| {
            let x = mgr.tensor(&patterns(1024, 2))?;
            let mut y = mgr.tensor_of_len::<u32>(1024)?;
            let seq = mgr.sequence()?;
            Scan::dispatch(&seq, Grid::groups(4), &x, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let exclusive = |chunk: &[u32]| {
                let mut sum = 0u32;
                chunk
                    .iter()
                    .map(|value| {
                        sum = sum.wrapping_add(*value);
                        sum.wrapping_sub(*value)
                    })
                    .collect::<Vec<_>>()
            };
            vec![Output::U32(patterns(1024, 2).chunks(256).flat_map(exclusive).collect())]
        }
    ),
    case!(
        "parallel::bitonic_sort",
        [BitonicSort],
        |mgr| {
            let mut x = mgr.tensor(&patterns(1024, 9))?;
            let seq = mgr.sequence()?;
            BitonicSort::dispatch(&seq, Grid::groups(2), &mut x)?;
            seq.eval()?;
            Ok(vec![Output::U32(x.to_vec()?)])
        },
        || {
            let mut x = patterns(1024, 9);
            x.chunks_mut(512).for_each(<[u32]>::sort_unstable);
            vec![Output::U32(x)]
        }
    ),
    case!("parallel::n_body", [NBody], |mgr| {
        let count = 256;
        let coordinates = moderate(count * 4, 6, 1.0);
        let bodies: Vec<Body> = coordinates
            .chunks(4)
            .map(|c| Body { position: Vec3::new(c[0], c[1], c[2]), mass: c[3].abs(), velocity: Vec3::ZERO })
            .collect();
        let (bodies, mut next) = (mgr.tensor(&bodies)?, mgr.tensor_of_len::<Body>(count)?);
        let seq = mgr.sequence()?;
        NBody::dispatch(&seq, Grid::items(count), 0.01, &bodies, &mut next)?;
        seq.eval()?;
        let next = next.to_vec()?;
        let values = next.iter().flat_map(|body| (body.position + body.velocity).to_array()).collect();
        Ok(vec![Output::near(values, 1e-4)])
    }),
    case!(
        "parallel::atomic_operations",
        [AtomicOperations],
        |mgr| {
            let words = mgr.tensor(&[0u32, 0, u32::MAX, 0, 0xffff, 0, 77, 5])?;
            let ints = mgr.tensor(&[0i32, 0, i32::MAX, i32::MIN])?;
            let floats = mgr.tensor(&[0.5f32, 0.5, 1e30, -1e30, 0.0])?;
            let mut seen = mgr.tensor_of_len::<u32>(256)?;
            let seq = mgr.sequence()?;
            AtomicOperations::dispatch(&seq, Grid::items(256), &words, &ints, &floats, &mut seen)?;
            seq.eval()?;
            let mut order = seen.to_vec()?;
            order.sort_unstable();
            Ok(vec![
                Output::U32(words.to_vec()?),
                Output::I32(ints.to_vec()?),
                Output::exact(floats.to_vec()?),
                Output::U32(order),
            ])
        },
        || {
            let sum = (0..256).sum::<u32>();
            vec![
                Output::U32(vec![sum, sum.wrapping_neg(), 0, 255, 0xf0, 255, 0, 77]),
                Output::I32(vec![-(sum as i32), sum as i32, -255, 0]),
                // The greatest is what the first invocation gave: `-(0 as f32)`.
                Output::exact(vec![256.5, -255.5, -255.0, -0.0, 128.0]),
                Output::U32((0..256).collect()),
            ]
        }
    ),
    case!(
        "parallel::atomic_fields",
        [AtomicFields],
        |mgr| {
            let empty = Cell { mass: Atomic::new(0.0), counts: [Atomic::new(1); 3], scale: 2.0 };
            let cells = mgr.tensor(&[empty; 4])?;
            let seq = mgr.sequence()?;
            AtomicFields::dispatch(&seq, Grid::items(300), &cells)?;
            seq.eval()?;
            let cells = cells.to_vec()?;
            Ok(vec![
                Output::exact(cells.iter().map(|cell| cell.mass.into_inner()).collect()),
                Output::U32(cells.iter().flat_map(|cell| cell.counts.map(Atomic::into_inner)).collect()),
            ])
        },
        || vec![
            Output::exact(vec![150.0; 4]),
            Output::U32(
                (0..4)
                    .flat_map(
                        |cell| (0..3).map(move |k| 1 + (0..300).filter(|i| i % 4 == cell && i % 3 == k).count() as u32)
                    )
                    .collect()
            ),
        ]
    ),
    case!(
        "parallel::shared_forms",
        [SharedForms],
        |mgr| {
            let (mut out, mut limits) = (mgr.tensor_of_len::<f32>(128)?, mgr.tensor(&[0u32; 2])?);
            let seq = mgr.sequence()?;
            SharedForms::dispatch(&seq, Grid::groups(4), &mut out, &mut limits)?;
            seq.eval()?;
            Ok(vec![Output::exact(out.to_vec()?), Output::U32(limits.to_vec()?)])
        },
        || {
            let value = |l: u32| {
                let v = vec3(l as f32, 1.0, (l % 4) as f32);
                let lane = v[(l % 3) as usize] + 8.0;
                let matched = if l % 3 == 0 { 2.0 } else { -lane };
                matched + (v.x * v.x + 1.0 + v.z * v.z) + 3.0 * lane
            };
            vec![Output::exact((0..128).map(|i| value(i % 32)).collect()), Output::U32(vec![127, 4])]
        }
    ),
    case!(
        "parallel::shared_structs",
        [SharedStructs],
        |mgr| {
            let mut out = mgr.tensor_of_len::<f32>(64)?;
            let seq = mgr.sequence()?;
            SharedStructs::dispatch(&seq, Grid::groups(2), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::exact(out.to_vec()?)])
        },
        || vec![Output::exact(
            (0..64u32)
                .map(|i| {
                    let (group, l) = (i / 32, i % 32);
                    let other = 31 - l;
                    (other + group) as f32 + (other % 4 * 10 + group) as f32 + 0.5 + (other * 3) as f32
                })
                .collect()
        )]
    ),
];

/// Whole numbers: their sums are exact in any order.
fn whole(len: usize) -> Vec<f32> {
    patterns(len, 4).into_iter().map(|bits| (bits % 1000) as f32 - 500.0).collect()
}

#[kernel(workgroup = 256)]
fn tree_reduction(x: &[f32], sums: &mut [f32]) {
    let tile = Shared::<[f32; 256]>::new();
    let (i, l) = (global_id().x, local_id().x);
    tile[l] = x[i];
    barrier();
    let mut step = 128;
    while step > 0 {
        if l < step {
            tile[l] += tile[l + step];
        }
        barrier();
        step /= 2;
    }
    if l == 0 {
        sums[workgroup_id().x] = tile[0];
    }
}

#[kernel]
fn histogram(x: &[u32], bins: &[Atomic<u32>]) {
    let bin = x[global_id().x] % bins.len() as u32;
    bins[bin].fetch_add(1, Relaxed);
}

#[kernel(workgroup = 128)]
fn shared_histogram(x: &[u32], bins: &[Atomic<u32>]) {
    let counts = Shared::<[Atomic<u32>; 32]>::new();
    counts[x[global_id().x] >> 27].fetch_add(1, Relaxed);
    barrier();
    let l = local_index();
    if l < 32 {
        bins[l].fetch_add(counts[l].load(Relaxed), Relaxed);
    }
}

#[kernel(workgroup = [16, 16])]
fn transpose(width: u32, height: u32, x: &[u32], y: &mut [u32]) {
    let tile = Shared::<[[u32; 17]; 16]>::new();
    let (l, g, i) = (local_id(), workgroup_id(), global_id());
    tile[l.y][l.x] = x[i.y * width + i.x];
    barrier();
    let (column, row) = (g.y * 16 + l.x, g.x * 16 + l.y);
    y[row * height + column] = tile[l.x][l.y];
}

#[kernel(workgroup = [16, 16])]
fn tiled_matmul(n: u32, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (tile_a, tile_b) = (local_id().y * 16, local_id().x);
    let left = Shared::<[f32; 256]>::new();
    let right = Shared::<[f32; 256]>::new();
    let (row, column, l) = (global_id().y, global_id().x, local_index());
    let mut sum = 0.0;
    for tile in 0..n / 16 {
        left[l] = a[row * n + tile * 16 + tile_b];
        right[l] = b[(tile * 16 + local_id().y) * n + column];
        barrier();
        for k in 0..16 {
            sum += left[tile_a + k] * right[k * 16 + tile_b];
        }
        barrier();
    }
    c[row * n + column] = sum;
}

/// Blelloch's scan: sums on the way up a tree, prefixes on the way down.
#[kernel(workgroup = 128)]
fn scan(x: &[u32], y: &mut [u32]) {
    let tree = Shared::<[u32; 256]>::new();
    let (l, base) = (local_id().x, workgroup_id().x * 256);
    tree[2 * l] = x[base + 2 * l];
    tree[2 * l + 1] = x[base + 2 * l + 1];
    let mut offset = 1;
    while offset < 256 {
        barrier();
        if l < 128 / offset {
            tree[offset * (2 * l + 2) - 1] += tree[offset * (2 * l + 1) - 1];
        }
        offset *= 2;
    }
    barrier();
    if l == 0 {
        tree[255] = 0;
    }
    while offset > 1 {
        offset /= 2;
        barrier();
        if l < 128 / offset {
            let (left, right) = (offset * (2 * l + 1) - 1, offset * (2 * l + 2) - 1);
            let sum = tree[left];
            tree[left] = tree[right];
            tree[right] += sum;
        }
    }
    barrier();
    y[base + 2 * l] = tree[2 * l];
    y[base + 2 * l + 1] = tree[2 * l + 1];
}

#[kernel(workgroup = 256)]
fn bitonic_sort(x: &mut [u32]) {
    let keys = Shared::<[u32; 512]>::new();
    let (l, base) = (local_id().x, workgroup_id().x * 512);
    keys[l] = x[base + l];
    keys[l + 256] = x[base + l + 256];
    let mut size = 2;
    while size <= 512 {
        let mut stride = size / 2;
        while stride > 0 {
            barrier();
            let i = 2 * l - (l & (stride - 1));
            let (low, high) = (keys[i], keys[i + stride]);
            let ascending = i & size == 0;
            if (low > high) == ascending {
                keys[i] = high;
                keys[i + stride] = low;
            }
            stride /= 2;
        }
        size *= 2;
    }
    barrier();
    x[base + l] = keys[l];
    x[base + l + 256] = keys[l + 256];
}

/// A point mass.
#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
pub struct Body {
    position: Vec3,
    mass: f32,
    velocity: Vec3,
}

#[kernel(workgroup = 64)]
fn n_body(dt: f32, bodies: &[Body], next: &mut [Body]) {
    let tile = Shared::<[Body; 64]>::new();
    let (i, l) = (global_id().x, local_id().x);
    let body = bodies[i];
    let mut force = Vec3::ZERO;
    for group in 0..num_workgroups().x {
        tile[l] = bodies[group * 64 + l];
        barrier();
        for k in 0..64 {
            let way = tile[k].position - body.position;
            let square = way.length_squared() + 0.01;
            force += way * (tile[k].mass / (square * square.sqrt()));
        }
        barrier();
    }
    let velocity = body.velocity + force * dt;
    next[i] = Body { position: body.position + velocity * dt, mass: body.mass, velocity };
}

#[kernel]
fn atomic_operations(words: &[Atomic<u32>], ints: &[Atomic<i32>], floats: &[Atomic<f32>], seen: &mut [u32]) {
    let i = global_id().x;
    let before = words[0].fetch_add(i, Relaxed);
    words[1].fetch_sub(i, AcqRel);
    words[2].fetch_min(i, Relaxed);
    words[3].fetch_max(i, Acquire);
    words[4].fetch_and(!(i << 8) & 0xf0, Release);
    words[5].fetch_or(i, Relaxed);
    words[6].fetch_xor(words[7].load(Acquire).min(5) * 0, Relaxed);
    if i == 9 {
        let old = words[6].swap(0, Relaxed);
        words[7].store(old, Release);
    }
    ints[0].fetch_sub(i as i32, Relaxed);
    ints[1].fetch_add(i as i32, Relaxed);
    ints[2].fetch_min(-(i as i32), Relaxed);
    ints[3].fetch_max(-(i as i32), Relaxed);
    floats[0].fetch_add(1.0, Relaxed);
    floats[1].fetch_sub(1.0, Relaxed);
    floats[2].fetch_min(-(i as f32), Relaxed);
    floats[3].fetch_max(-(i as f32), Relaxed);
    // Adding by exchange: as often as it takes.
    let mut old = floats[4].load(Relaxed);
    while let Err(found) = floats[4].compare_exchange(old, old + 0.5, Relaxed, Relaxed) {
        old = found;
    }
    seen[i] = i + before * 0;
}

/// Atomics among other members.
#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
pub struct Cell {
    mass: Atomic<f32>,
    counts: [Atomic<u32>; 3],
    scale: f32,
}

#[kernel]
fn atomic_fields(cells: &[Cell]) {
    let i = global_id().x;
    let cell = i % 4;
    cells[cell].mass.fetch_add(cells[cell].scale, Relaxed);
    cells[cell].counts[i % 3].fetch_add(1, Relaxed);
}

/// Three kinds of numbers.
#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
pub struct Mixed {
    vector: Vec4,
    words: [u32; 2],
}

#[kernel(workgroup = 32)]
fn shared_structs(out: &mut [f32]) {
    let all = Shared::<[Mixed; 32]>::new();
    let one = Shared::<Mixed>::new();
    let (l, group) = (local_id().x, workgroup_id().x);
    all[l].vector = Vec4::new((l + group) as f32, 0.5, 0.0, 0.0);
    all[l].words[l % 2] = l % 4 * 10 + group;
    all[l].vector.z = l as f32;
    all[l].vector.z *= 3.0;
    if l == 0 {
        one.words[1] = 1;
    }
    barrier();
    let other = all.len() as u32 - 1 - l;
    let mixed = all[other];
    let word = mixed.words[other % 2] * one.words[1];
    out[global_id().x] = mixed.vector.x + word as f32 + mixed.vector.y + all[other].vector.z;
}

#[device]
const WIDTH: usize = 32;

#[device]
fn apply<F: Fn(u32) -> u32>(f: F, x: u32) -> u32 {
    f(x)
}

#[device]
fn square(v: Vec3) -> f32 {
    v.dot(v)
}

/// Shared memory in all places where a value or a variable may stand.
#[kernel(workgroup = WIDTH)]
fn shared_forms(out: &mut [f32], limits: &mut [Atomic<u32>]) {
    let vectors = Shared::<[Vec3; WIDTH]>::new();
    let marks: Shared<[u32; WIDTH + 1]> = Shared::new();
    let lanes = Shared::<[f32; 32]>::new();
    let l = local_id().x;
    vectors[l] = vec3(l as f32, 1.0, 0.0);
    vectors[l].z = (l % 4) as f32;
    marks[l as usize] = l % 3;
    barrier();
    lanes[l] = vectors[l][(l % 3) as usize];
    lanes[l] += (marks.len() / 4) as f32;
    let matched = match marks[l] {
        0 => 2.0,
        1 | 2 if lanes[l] > 0.0 => -lanes[l],
        _ => 0.0,
    };
    assert_eq!(marks[l], l % 3);
    barrier();
    // Closures name shared memory and buffers, and may wait.
    let all_marks = |i: u32| {
        barrier();
        limits[1].fetch_or(0, Relaxed);
        subgroup::add(marks[i]) / subgroup_size()
    };
    let mut sum = matched + square(vectors[l]) + (apply(all_marks, 31) * 100 - marks[31] * 100) as f32;
    for _ in 0..3 {
        sum += {
            barrier();
            lanes[l]
        };
    }
    if vectors[l].cmplt(Vec3::splat(-1.0)).any() || vectors[l].length() < 0.0 {
        sum = 0.0;
    }
    out[global_id().x] = sum;
    limits[0].fetch_max(global_id().x, Relaxed);
    if subgroup::broadcast_first(l) == 0 && l == 0 {
        limits[1].fetch_add(1, Relaxed);
    }
}
