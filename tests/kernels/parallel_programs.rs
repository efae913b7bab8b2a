//! Whole programs of invocations that work together: a hash map, a Fourier transform, a material simulation.

use std::collections::BTreeMap;

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, moderate, patterns};

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "parallel_programs::common_subsequence",
        [CommonSubsequence],
        |mgr| {
            let mut lengths = Vec::new();
            for (n, m) in TEXTS {
                let [a, b] = texts(n, m);
                let mut table = mgr.tensor(&vec![0u32; ((n + 1) * (m + 1)) as usize])?;
                let (a, b) = (mgr.tensor(&a)?, mgr.tensor(&b)?);
                let seq = mgr.sequence()?;
                for diagonal in 2..=n + m {
                    CommonSubsequence::dispatch(&seq, Grid::items(n), &mut table, &a, &b, n, m, diagonal)?;
                }
                seq.eval()?;
                lengths.push(table.to_vec()?[((n + 1) * (m + 1) - 1) as usize]);
            }
            Ok(vec![Output::U32(lengths)])
        },
        || {
            let length = |(n, m): (u32, u32)| {
                let [a, b] = texts(n, m);
                let mut row = vec![0; b.len() + 1];
                for letter in &a {
                    let before = row.clone();
                    for j in 1..row.len() {
                        row[j] = if *letter == b[j - 1] { before[j - 1] + 1 } else { before[j].max(row[j - 1]) };
                    }
                }
                row[b.len()]
            };
            vec![Output::U32(TEXTS.map(length).to_vec())]
        }
    ),
    case!(
        "parallel_programs::halved_by_a_table",
        [HalvedByATable],
        |mgr| {
            let x = mgr.tensor(&patterns(256, 5))?;
            let mut out = mgr.tensor_of_len::<u32>(4)?;
            let seq = mgr.sequence()?;
            HalvedByATable::dispatch(&seq, Grid::groups(4u32), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || {
            let sum = |part: &[u32]| part.iter().fold(0u32, |sum, word| sum.wrapping_add(*word));
            vec![Output::U32(patterns(256, 5).chunks(64).map(sum).collect())]
        }
    ),
    case!(
        "parallel_programs::filled_by_parts",
        [FilledByParts],
        |mgr| {
            let mut out = mgr.tensor_of_len::<u32>(4 * 256)?;
            let seq = mgr.sequence()?;
            FilledByParts::dispatch(&seq, Grid::groups(4u32), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || {
            let group = |group: u32| {
                let (mut whole, mut gaps) = ([0u32; 128], [0u32; 128]);
                for (t, part) in (0..32).flat_map(|t| (0..4).map(move |part| (t, part))) {
                    whole[((t ^ t >> 2) << 2 | 3 - part) as usize] = group * 1000 + t * 4 + part;
                    gaps[(t << 2 | part & 1) as usize] = t + 1;
                }
                [whole, gaps].concat()
            };
            vec![Output::U32((0..4).flat_map(group).collect())]
        }
    ),
    case!(
        "parallel_programs::padded_tiles",
        [LeaveBehind, PaddedTiles],
        |mgr| {
            let mut out = mgr.tensor_of_len::<u32>(4 * 168)?;
            let seq = mgr.sequence()?;
            LeaveBehind::dispatch(&seq, Grid::groups(64u32), &mut out)?;
            PaddedTiles::dispatch(&seq, Grid::groups(4u32), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || {
            let group = |group: u32| {
                let turned = (0..64).map(move |at| group * 1000 + (at % 8) * 8 + at / 8);
                let rows = (0..72).map(move |at| if at % 9 < 8 { group * 1000 + at / 9 * 8 + at % 9 } else { 0 });
                turned.chain(rows).chain((0..32).map(move |at| group * 100 + at))
            };
            vec![Output::U32((0..4).flat_map(group).collect())]
        }
    ),
    case!(
        "parallel_programs::hash_map",
        [Count],
        |mgr| {
            let keys = mgr.tensor(&keys())?;
            let (slots, counts) = (mgr.tensor(&[0u32; 4096])?, mgr.tensor(&[0u32; 4096])?);
            let seq = mgr.sequence()?;
            Count::dispatch(&seq, Grid::items(10_000), &keys, &slots, &counts)?;
            seq.eval()?;
            let pairs = slots.to_vec()?.into_iter().zip(counts.to_vec()?);
            Ok(entries(pairs.filter(|(key, _)| *key != 0).collect()))
        },
        || {
            let mut counts = BTreeMap::new();
            keys().into_iter().for_each(|key| *counts.entry(key).or_insert(0) += 1);
            entries(counts)
        }
    ),
    case!(
        "parallel_programs::fourier_transform",
        [FourierTransform],
        |mgr| {
            let x = mgr.tensor(&signal())?;
            let mut y = mgr.tensor_of_len::<Vec2>(512)?;
            let seq = mgr.sequence()?;
            FourierTransform::dispatch(&seq, Grid::groups(2), &x, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::near(y.to_vec()?.into_iter().flat_map(|v| v.to_array()).collect(), 1e-4)])
        },
        || {
            // By definition, in double precision.
            let transform = |x: &[Vec2], k: usize| {
                let turn = |j: usize| -std::f64::consts::TAU * (j * k % 256) as f64 / 256.0;
                let terms = x.iter().enumerate().map(|(j, v)| {
                    let ((sin, cos), x, y) = (turn(j).sin_cos(), f64::from(v.x), f64::from(v.y));
                    (x * cos - y * sin, x * sin + y * cos)
                });
                let (re, im) = terms.fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1));
                [re as f32, im as f32]
            };
            let x = signal();
            vec![Output::near(x.chunks(256).flat_map(|x| (0..256).flat_map(move |k| transform(x, k))).collect(), 1e-4)]
        }
    ),
    case!("parallel_programs::material_points", [Clear, Scatter, Advance, Gather], |mgr| {
        let start = moderate(PARTICLES * 2, 3, 0.2);
        let particle = |c: &[f32]| Particle {
            position: vec2(c[0] + 0.4, c[1] + 0.5),
            velocity: vec2(0.0, -1.0),
            affine: Vec4::ZERO,
            volume: 1.0,
            rest: 0.0,
            padding: [0.0; 2],
        };
        let mut particles = mgr.tensor(&start.chunks(2).map(particle).collect::<Vec<_>>())?;
        let mut nodes = mgr.tensor_of_len::<Node>(GRID * GRID)?;
        let seq = mgr.sequence()?;
        let (grid, all) = (Grid::items([GRID, GRID]), Grid::items(PARTICLES));
        let mut masses = Vec::new();
        for _ in 0..10 {
            Clear::dispatch(&seq, grid, &mut nodes)?;
            Scatter::dispatch(&seq, all, &particles, &nodes)?;
            seq.eval()?;
            seq.clear()?;
            masses.push(nodes.to_vec()?.iter().map(|node| node.mass.into_inner()).sum::<f32>() / PARTICLES as f32);
            Advance::dispatch(&seq, grid, &mut nodes)?;
            Gather::dispatch(&seq, all, &mut particles, &nodes)?;
        }
        seq.eval()?;
        assert!(masses.iter().all(|mass| (mass - 1.0).abs() < 1e-4), "mass is conserved: {masses:?}");
        let inside =
            |particle: &Particle| particle.position.min_element() > 0.0 && particle.position.max_element() < 1.0;
        let particles = particles.to_vec()?;
        assert!(particles.iter().all(inside), "the material stays in the box");
        let positions = particles.iter().flat_map(|particle| particle.position.to_array()).collect();
        Ok(vec![Output::near(masses, 1e-4), Output::near(positions, 1e-3)])
    }),
];

fn keys() -> Vec<u32> {
    patterns(10_000, 11).into_iter().map(|bits| bits % 2500 + 1).collect()
}

fn entries(counts: BTreeMap<u32, u32>) -> Vec<Output> {
    vec![Output::U32(counts.keys().copied().collect()), Output::U32(counts.values().copied().collect())]
}

fn signal() -> Vec<Vec2> {
    moderate(1024, 5, 0.5).chunks(2).map(|c| vec2(c[0], c[1])).collect()
}

/// Lengths of texts that are compared: rows of two cells, and of more than a workgroup has invocations.
const TEXTS: [(u32, u32); 4] = [(1, 1), (5, 1), (2, 3), (70, 40)];

/// Two texts of four letters.
fn texts(n: u32, m: u32) -> [Vec<u32>; 2] {
    [n, m].map(|len| patterns(len as usize, len + 1).iter().map(|word| word >> 7 & 3).collect())
}

/// The cells along a diagonal of the table of longest common subsequences.
#[kernel(workgroup = 32)]
pub fn common_subsequence(table: &mut [u32], a: &[u32], b: &[u32], n: u32, m: u32, diagonal: u32) {
    let i = global_id().x + 1;
    if i > n || i >= diagonal || diagonal - i > m {
        return;
    }
    let j = diagonal - i;
    let width = m + 1;
    table[i * width + j] = if a[i - 1] == b[j - 1] {
        table[(i - 1) * width + j - 1] + 1
    } else {
        table[(i - 1) * width + j].max(table[i * width + j - 1])
    };
}

#[device]
const HALVES: [u32; 6] = [32, 16, 8, 4, 2, 1];

/// Sums of workgroups, whose steps stand in a table.
#[kernel(workgroup = 32)]
pub fn halved_by_a_table(x: &[u32], out: &mut [u32]) {
    let tile = Shared::<[u32; 64]>::new();
    let (own, group) = (local_id().x, workgroup_id().x);
    tile[own] = x[group * 64 + own];
    tile[own + 32] = x[group * 64 + own + 32];
    barrier();
    for step in HALVES {
        if own < step {
            tile[own] = tile[own].wrapping_add(tile[own + step]);
        }
        barrier();
    }
    if own == 0 {
        out[group] = tile[0];
    }
}

/// Counts equal keys: an open hash map whose slots are claimed by compare-exchange; no key is zero.
#[kernel]
fn count(keys: &[u32], slots: &[Atomic<u32>], counts: &[Atomic<u32>]) {
    let key = keys[global_id().x];
    let mut slot = (key * 2654435761) >> 20;
    loop {
        match slots[slot].compare_exchange(0, key, Relaxed, Relaxed) {
            Err(other) if other != key => slot = (slot + 1) % 4096,
            _ => break,
        }
    }
    counts[slot].fetch_add(1, Relaxed);
}

/// Radix 2, decimation in time, 256 points per workgroup.
#[kernel(workgroup = 128)]
fn fourier_transform(x: &[Vec2], y: &mut [Vec2]) {
    let data = Shared::<[Vec2; 256]>::new();
    let (l, base) = (local_id().x, workgroup_id().x * 256);
    data[l.reverse_bits() >> 24] = x[base + l];
    data[(l + 128).reverse_bits() >> 24] = x[base + l + 128];
    let mut half = 1;
    while half < 256 {
        barrier();
        let (k, first) = (l % half, l / half * half * 2);
        let (sin, cos) = (-std::f32::consts::PI * k as f32 / half as f32).sin_cos();
        let (even, odd) = (data[first + k], data[first + k + half]);
        let turned = vec2(odd.x * cos - odd.y * sin, odd.x * sin + odd.y * cos);
        data[first + k] = even + turned;
        data[first + k + half] = even - turned;
        half *= 2;
    }
    barrier();
    y[base + l] = data[l];
    y[base + l + 128] = data[l + 128];
}

const PARTICLES: usize = 1024;
const GRID: usize = 32;

/// Nodes along each side of the box.
#[device]
const NODES: u32 = 32;
/// Seconds of a step.
#[device]
const STEP: f32 = 2e-4;

/// A piece of material (MLS-MPM, Hu et al. 2018).
#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
pub struct Particle {
    affine: Vec4,
    position: Vec2,
    velocity: Vec2,
    volume: f32,
    rest: f32,
    padding: [f32; 2],
}

/// A node of the grid: momentum and mass, then velocity.
#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
pub struct Node {
    momentum: [Atomic<f32>; 2],
    mass: Atomic<f32>,
    velocity: Vec2,
}

/// Weight of the node `offset` away from the particle's first, at distance `d` of it, in nodes.
#[device]
fn weight(offset: u32, d: f32) -> f32 {
    if offset == 0 {
        0.5 * (1.5 - d) * (1.5 - d)
    } else if offset == 1 {
        0.75 - (d - 1.0) * (d - 1.0)
    } else {
        0.5 * (d - 0.5) * (d - 0.5)
    }
}

#[kernel(workgroup = [8, 8])]
fn clear(nodes: &mut [Node]) {
    let i = global_id().y * NODES + global_id().x;
    nodes[i].momentum[0].store(0.0, Relaxed);
    nodes[i].momentum[1].store(0.0, Relaxed);
    nodes[i].mass.store(0.0, Relaxed);
}

#[kernel]
fn scatter(particles: &[Particle], nodes: &[Node]) {
    let p = particles[global_id().x];
    let place = p.position * NODES as f32;
    let first = (place - Vec2::splat(0.5)).as_uvec2();
    let d = place - first.as_vec2();
    let stress = -4.0 * STEP * 400.0 * (p.volume - 1.0) * NODES as f32 * NODES as f32 / 1024.0;
    for k in 0..9u32 {
        let offset = uvec2(k % 3, k / 3);
        let (node, way) = (first + offset, (offset.as_vec2() - d) / NODES as f32);
        let share = weight(offset.x, d.x) * weight(offset.y, d.y);
        let turned = vec2(p.affine.x * way.x + p.affine.y * way.y, p.affine.z * way.x + p.affine.w * way.y);
        let momentum = (p.velocity + turned + way * stress) * share;
        let i = node.y * NODES + node.x;
        nodes[i].momentum[0].fetch_add(momentum.x, Relaxed);
        nodes[i].momentum[1].fetch_add(momentum.y, Relaxed);
        nodes[i].mass.fetch_add(share, Relaxed);
    }
}

#[kernel(workgroup = [8, 8])]
fn advance(nodes: &mut [Node]) {
    let (id, i) = (global_id(), global_id().y * NODES + global_id().x);
    let mass = nodes[i].mass.load(Relaxed);
    let mut velocity = Vec2::ZERO;
    if mass > 0.0 {
        velocity = vec2(nodes[i].momentum[0].load(Relaxed), nodes[i].momentum[1].load(Relaxed)) / mass;
        velocity.y -= STEP * 9.8;
    }
    if id.x < 3 && velocity.x < 0.0 || id.x > NODES - 3 && velocity.x > 0.0 {
        velocity.x = 0.0;
    }
    if id.y < 3 && velocity.y < 0.0 || id.y > NODES - 3 && velocity.y > 0.0 {
        velocity.y = 0.0;
    }
    nodes[i].velocity = velocity;
}

#[kernel]
fn gather(particles: &mut [Particle], nodes: &[Node]) {
    let i = global_id().x;
    let place = particles[i].position * NODES as f32;
    let first = (place - Vec2::splat(0.5)).as_uvec2();
    let d = place - first.as_vec2();
    let (mut velocity, mut affine) = (Vec2::ZERO, Vec4::ZERO);
    for k in 0..9u32 {
        let offset = uvec2(k % 3, k / 3);
        let (node, way) = (first + offset, offset.as_vec2() - d);
        let share = nodes[node.y * NODES + node.x].velocity * (weight(offset.x, d.x) * weight(offset.y, d.y));
        velocity += share;
        affine += vec4(share.x * way.x, share.x * way.y, share.y * way.x, share.y * way.y) * (4.0 * NODES as f32);
    }
    particles[i].velocity = velocity;
    particles[i].position += velocity * STEP;
    particles[i].volume *= 1.0 + STEP * (affine.x + affine.w);
    particles[i].affine = affine;
}

/// Shared memory that several stores fill together, so that it needs no zeros, and such that as many stores do not fill.
#[kernel(workgroup = 32)]
fn filled_by_parts(out: &mut [u32]) {
    let whole = Shared::<[u32; 128]>::new();
    let gaps = Shared::<[u32; 128]>::new();
    let (t, group) = (local_id().x, workgroup_id().x);
    #[unroll]
    for part in 0..4u32 {
        whole[((t ^ t >> 2) << 2 | 3 - part) & 127] = group * 1000 + t * 4 + part;
        gaps[(t << 2 | part & 1) & 127] = t + 1;
    }
    barrier();
    for part in 0..4u32 {
        out[group * 256 + part * 32 + t] = whole[part * 32 + t];
        out[group * 256 + 128 + part * 32 + t] = gaps[part * 32 + t];
    }
}

/// Leaves something behind where shared memory of others begins.
#[kernel(workgroup = 32)]
fn leave_behind(out: &mut [u32]) {
    let cells = Shared::<[u32; 2048]>::new();
    for k in 0..64 {
        cells[k * 32 + local_id().x] = 0xdead_beef;
    }
    barrier();
    if local_id().x == 0 && global_id().x < 8 {
        out[global_id().x] = cells[workgroup_id().x * 7];
    }
}

/// Tiles with a column more than there is: one of which that column is never read, so that it needs no zeros, and one of which it is. And
/// vectors that several invocations fill together.
#[kernel(workgroup = [8, 4])]
fn padded_tiles(out: &mut [u32]) {
    let turned = Shared::<[u32; 72]>::new();
    let rows = Shared::<[u32; 72]>::new();
    let parts = Shared::<[[UVec4; 3]; 4]>::new();
    let (column, row, t, group) = (local_id().x, local_id().y, local_index(), workgroup_id().x);
    #[unroll(never)]
    for k in 0..2u32 {
        let y = row + 4 * k;
        turned[y * 9 + column] = group * 1000 + y * 8 + column;
        rows[y * 9 + column] = group * 1000 + y * 8 + column;
    }
    parts[row][column / 4][(column % 4) as usize] = group * 100 + t;
    barrier();
    let first = group * 168;
    #[unroll(never)]
    for k in 0..2u32 {
        let y = row + 4 * k;
        out[first + y * 8 + column] = turned[column * 9 + y];
    }
    for k in 0..3 {
        let at = k * 32 + t;
        if at < 72 {
            out[first + 64 + at] = rows[at];
        }
    }
    let vector = parts[t / 8][t / 4 % 2];
    out[first + 136 + t] = vector[t as usize % 4];
}
