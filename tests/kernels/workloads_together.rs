//! Kernels as people write them who come from CUDA or WGSL, several launches or invocations that work together: sums, particles, a
//! solver, a fluid, clusters. Expected are the same steps in plain Rust.

#![allow(clippy::needless_range_loop, clippy::too_many_arguments, reason = "written as for a kernel")]

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output, moderate, patterns};

#[device]
const BLOCK: usize = 256;

/// Up and down a tree: what stands before each element, within its block.
#[kernel(workgroup = 256)]
fn scan_blocks(x: &[u32], out: &mut [u32], sums: &mut [u32]) {
    let mut temp = Shared::<[u32; BLOCK]>::new();
    let tid = local_id().x as usize;
    let gid = global_id().x as usize;
    temp[tid] = if gid < x.len() { x[gid] } else { 0 };
    let mut offset = 1;
    let mut d = BLOCK >> 1;
    while d > 0 {
        barrier();
        if tid < d {
            let ai = offset * (2 * tid + 1) - 1;
            let bi = offset * (2 * tid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
        d >>= 1;
    }
    if tid == 0 {
        sums[workgroup_id().x as usize] = temp[BLOCK - 1];
        temp[BLOCK - 1] = 0;
    }
    let mut d = 1;
    while d < BLOCK {
        offset >>= 1;
        barrier();
        if tid < d {
            let ai = offset * (2 * tid + 1) - 1;
            let bi = offset * (2 * tid + 2) - 1;
            let t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
        d *= 2;
    }
    barrier();
    if gid < out.len() {
        out[gid] = temp[tid];
    }
}

#[kernel(workgroup = 256)]
fn add_sums(out: &mut [u32], sums: &[u32]) {
    let before = sums.iter().take(workgroup_id().x as usize).sum::<u32>();
    if let Some(value) = out.get_mut(global_id().x as usize) {
        *value += before;
    }
}

const ITEMS: usize = 700;

fn expected_scan() -> Vec<Output> {
    let mut sum = 0u32;
    let before = |v: u32| {
        sum = sum.wrapping_add(v);
        sum.wrapping_sub(v)
    };
    vec![Output::U32(patterns(ITEMS, 91).into_iter().map(before).collect())]
}

/// A body of the galaxy.
#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
pub struct Body {
    pos: Vec3,
    mass: f32,
    vel: Vec3,
    life: f32,
}

/// Each body is drawn to all others, which come in tiles.
#[kernel(workgroup = 64)]
fn gravity(from: &[Body], to: &mut [Body], dt: f32, softening: f32) {
    let i = global_id().x as usize;
    let mut tile = Shared::<[Vec4; 64]>::new();
    let me = if i < from.len() { from[i] } else { Body { pos: Vec3::ZERO, mass: 0.0, vel: Vec3::ZERO, life: 0.0 } };
    let mut force = Vec3::ZERO;
    let tiles = from.len().div_ceil(64);
    for t in 0..tiles {
        let j = t * 64 + local_id().x as usize;
        tile[local_id().x as usize] = if j < from.len() { from[j].pos.extend(from[j].mass) } else { Vec4::ZERO };
        barrier();
        for k in 0..64 {
            let other = tile[k];
            let d = other.truncate() - me.pos;
            let inv = 1.0 / (d.length_squared() + softening).sqrt();
            force += d * (other.w * inv * inv * inv);
        }
        barrier();
    }
    if i < to.len() {
        let vel = me.vel + force * dt;
        to[i] = Body { vel, pos: me.pos + vel * dt, life: me.life - dt, ..me };
    }
}

fn bodies() -> Vec<Body> {
    let body = |c: &[f32]| Body {
        pos: Vec3::new(c[0], c[1], c[2]),
        mass: c[3].abs(),
        vel: Vec3::new(c[4], c[5], c[6]),
        life: 1.0,
    };
    moderate(100 * 7, 92, 2.0).chunks(7).map(body).collect()
}

fn flat(bodies: &[Body]) -> Output {
    let numbers = bodies.iter().flat_map(|b| [b.pos.x, b.pos.y, b.pos.z, b.vel.x, b.vel.y, b.vel.z, b.mass, b.life]);
    Output::near(numbers.collect(), 1e-3)
}

fn expected_gravity() -> Vec<Output> {
    let from = bodies();
    let moved = |me: &Body| {
        let pulls = from.iter().map(|other| {
            let d = other.pos - me.pos;
            d * (other.mass / (d.length_squared() + 0.05).powf(1.5))
        });
        let vel = me.vel + pulls.sum::<Vec3>() * 0.01;
        Body { vel, pos: me.pos + vel * 0.01, life: me.life - 0.01, ..*me }
    };
    vec![flat(&from.iter().map(moved).collect::<Vec<_>>())]
}

#[device]
fn laplacian(p: &[f32], x: usize, y: usize, n: usize) -> f32 {
    let get = |dx: isize, dy: isize| -> f32 {
        let (xx, yy) = (x as isize + dx, y as isize + dy);
        if xx < 0 || yy < 0 || xx >= n as isize || yy >= n as isize { 0.0 } else { p[yy as usize * n + xx as usize] }
    };
    4.0 * p[y * n + x] - get(-1, 0) - get(1, 0) - get(0, -1) - get(0, 1)
}

/// A product with a matrix that nobody stores.
#[kernel(workgroup = [8, 8])]
fn apply(p: &[f32], ap: &mut [f32], n: u32) {
    let (x, y, n) = (global_id().x as usize, global_id().y as usize, n as usize);
    if x < n && y < n {
        ap[y * n + x] = laplacian(p, x, y, n);
    }
}

/// One workgroup's dot product of all elements, one of several sums.
#[kernel(workgroup = 128)]
fn dot(a: &[f32], b: &[f32], sums: &mut [f32], slot: u32) {
    let mut cache = Shared::<[f32; 128]>::new();
    let tid = local_id().x as usize;
    let mut sum = 0.0;
    let mut i = tid;
    while i < a.len() {
        sum += a[i] * b[i];
        i += workgroup_size().x as usize;
    }
    cache[tid] = sum;
    barrier();
    let mut s = workgroup_size().x as usize / 2;
    while s > 0 {
        if tid < s {
            cache[tid] += cache[tid + s];
        }
        barrier();
        s /= 2;
    }
    if tid == 0 {
        sums[slot as usize] = cache[0];
    }
}

#[kernel(workgroup = 64)]
fn advance(x: &mut [f32], r: &mut [f32], p: &[f32], ap: &[f32], sums: &[f32]) {
    let i = global_id().x as usize;
    let [rr, pap] = [sums[0], sums[1]];
    let alpha = if pap > 1e-20 { rr / pap } else { 0.0 };
    x[i] += alpha * p[i];
    r[i] -= alpha * ap[i];
}

#[kernel(workgroup = 64)]
fn turn(p: &mut [f32], r: &[f32], sums: &[f32]) {
    let i = global_id().x as usize;
    let beta = if sums[0] > 1e-20 { sums[2] / sums[0] } else { 0.0 };
    p[i] = r[i] + beta * p[i];
}

const SIDE: usize = 12;
const CELLS: usize = SIDE * SIDE;

fn solution() -> Vec<f32> {
    moderate(CELLS, 93, 1.0)
}

/// The right side whose solution is known.
fn right_side() -> Vec<f32> {
    let x = solution();
    let at = |col: isize, row: isize| {
        let is_inside = (0..SIDE as isize).contains(&col) && (0..SIDE as isize).contains(&row);
        if is_inside { x[row as usize * SIDE + col as usize] } else { 0.0 }
    };
    let cells = (0..CELLS as isize).map(|i| (i % SIDE as isize, i / SIDE as isize));
    cells.map(|(c, r)| 4.0 * at(c, r) - at(c - 1, r) - at(c + 1, r) - at(c, r - 1) - at(c, r + 1)).collect()
}

fn solve(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let b = right_side();
    let (mut x, mut r, mut p) = (mgr.tensor(&vec![0f32; CELLS])?, mgr.tensor(&b)?, mgr.tensor(&b)?);
    let (mut ap, mut sums) = (mgr.tensor(&vec![0f32; CELLS])?, mgr.tensor(&[0f32; 3])?);
    let seq = mgr.sequence()?;
    Dot::dispatch(&seq, Grid::groups(1), &r, &r, &mut sums, 0)?;
    Apply::dispatch(&seq, Grid::items([SIDE, SIDE]), &p, &mut ap, SIDE as u32)?;
    Dot::dispatch(&seq, Grid::groups(1), &p, &ap, &mut sums, 1)?;
    Advance::dispatch(&seq, Grid::items(CELLS), &mut x, &mut r, &p, &ap, &sums)?;
    Dot::dispatch(&seq, Grid::groups(1), &r, &r, &mut sums, 2)?;
    Turn::dispatch(&seq, Grid::items(CELLS), &mut p, &r, &sums)?;
    for _ in 0..60 {
        seq.eval()?;
    }
    Ok(vec![Output::near(x.to_vec()?, 1e-3)])
}

both!(fluid, plain_fluid, {
    const W: [f32; 9] =
        [4.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0];
    const C: [(i32, i32); 9] = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)];
    const OPPOSITE: [usize; 9] = [0, 3, 4, 1, 2, 7, 8, 5, 6];

    /// The streams into a cell, and their collision.
    pub(super) fn cell(f: &[f32], is_solid: bool, x: usize, y: usize, nx: usize, ny: usize, omega: f32) -> [f32; 9] {
        let cells = nx * ny;
        let mut fi = [0.0f32; 9];
        for (q, (cx, cy)) in C.iter().enumerate() {
            let sx = (x as i32 - cx).rem_euclid(nx as i32) as usize;
            let sy = (y as i32 - cy).rem_euclid(ny as i32) as usize;
            fi[q] = f[q * cells + sy * nx + sx];
        }
        if is_solid {
            return OPPOSITE.map(|q| fi[q]);
        }
        let rho: f32 = fi.iter().sum();
        let ux = fi.iter().zip(C).map(|(f, c)| f * c.0 as f32).sum::<f32>() / rho;
        let uy = fi.iter().zip(&C).map(|(f, &(_, cy))| f * cy as f32).sum::<f32>() / rho;
        let usq = 1.5 * (ux * ux + uy * uy);
        let directions = 0..9;
        for q in directions {
            let (cx, cy) = C[q];
            let cu = 3.0 * (cx as f32 * ux + cy as f32 * uy);
            let feq = W[q] * rho * (1.0 + cu + 0.5 * cu * cu - usq);
            fi[q] += omega * (feq - fi[q]);
        }
        fi
    }
});

#[kernel(workgroup = [16, 8])]
fn flow(f: &[f32], solid: &[u8], out: &mut [f32], nx: u32, ny: u32, omega: f32) {
    let [x, y] = [global_id().x as usize, global_id().y as usize];
    let (nx, ny) = (nx as usize, ny as usize);
    if x >= nx || y >= ny {
        return;
    }
    let at = y * nx + x;
    let made = fluid::cell(f, solid[at] != 0, x, y, nx, ny, omega);
    for q in 0..9 {
        out[q * nx * ny + at] = made[q];
    }
}

const NX: usize = 20;
const NY: usize = 12;

fn start_of_flow() -> (Vec<f32>, Vec<u8>) {
    let f = moderate(9 * NX * NY, 94, 0.05).into_iter().map(|v| v + 0.12).collect();
    let solid = (0..NX * NY).map(|at| u8::from((at % NX).abs_diff(6) + (at / NX).abs_diff(5) < 3)).collect();
    (f, solid)
}

fn expected_flow() -> Vec<Output> {
    let (mut f, solid) = start_of_flow();
    for _ in 0..4 {
        let mut next = vec![0.0; f.len()];
        for at in 0..NX * NY {
            let made = plain_fluid::cell(&f, solid[at] != 0, at % NX, at / NX, NX, NY, 1.25);
            (0..9).for_each(|q| next[q * NX * NY + at] = made[q]);
        }
        f = next;
    }
    vec![Output::near(f, 1e-5)]
}

/// The nearest center of each point, and how many each has.
#[kernel(workgroup = 64)]
fn assign<const K: usize>(points: &[Vec2], centers: &[Vec2], labels: &mut [u32], counts: &[Atomic<u32>]) {
    let i = global_id().x as usize;
    let mut cache = Shared::<[Vec2; K]>::new();
    let mut k = local_index() as usize;
    while k < K {
        cache[k] = centers[k];
        k += 64;
    }
    barrier();
    if i < points.len() {
        let (best, _) = (0..K)
            .map(|k| (k, points[i].distance_squared(cache[k])))
            .min_by(|a, b| a.1.partial_cmp(&b.1).unwrap())
            .unwrap();
        labels[i] = best as u32;
        counts[best].fetch_add(1, Relaxed);
    }
}

fn points(count: usize, seed: u32) -> Vec<Vec2> {
    patterns(count, seed).into_iter().map(|v| Vec2::new((v % 64) as f32, (v >> 8 & 63) as f32)).collect()
}

fn expected_assign() -> Vec<Output> {
    let centers = points(7, 96);
    let mut counts = vec![0; 7];
    let nearest = |p: Vec2| {
        let distances = centers.iter().map(|c| p.distance_squared(*c)).enumerate();
        let (best, _) = distances.min_by(|a, b| a.1.total_cmp(&b.1)).expect("seven");
        counts[best] += 1;
        best as u32
    };
    vec![Output::U32(points(150, 95).into_iter().map(nearest).collect()), Output::U32(counts)]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "workloads_together::scan",
        [ScanBlocks, AddSums],
        |mgr| {
            let x = mgr.tensor(&patterns(ITEMS, 91))?;
            let (mut out, mut sums) =
                (mgr.tensor_of_len::<u32>(ITEMS)?, mgr.tensor_of_len::<u32>(ITEMS.div_ceil(256))?);
            let seq = mgr.sequence()?;
            ScanBlocks::dispatch(&seq, Grid::groups(ITEMS.div_ceil(256) as u32), &x, &mut out, &mut sums)?;
            AddSums::dispatch(&seq, Grid::items(ITEMS), &mut out, &sums)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        expected_scan
    ),
    case!(
        "workloads_together::gravity",
        [Gravity],
        |mgr| {
            let from = mgr.tensor(&bodies())?;
            let mut to = mgr.tensor(&bodies())?;
            let seq = mgr.sequence()?;
            Gravity::dispatch(&seq, Grid::groups(2), &from, &mut to, 0.01, 0.05)?;
            seq.eval()?;
            Ok(vec![flat(&to.to_vec()?)])
        },
        expected_gravity
    ),
    case!("workloads_together::solver", [Apply, Dot, Advance, Turn], solve, || vec![Output::near(solution(), 1e-3)]),
    case!(
        "workloads_together::flow",
        [Flow],
        |mgr| {
            let (f, solid) = start_of_flow();
            let (mut a, mut b, solid) = (mgr.tensor(&f)?, mgr.tensor(&f)?, mgr.tensor(&solid)?);
            let seq = mgr.sequence()?;
            let (grid, nx, ny) = (Grid::items([NX, NY]), NX as u32, NY as u32);
            Flow::dispatch(&seq, grid, &a, &solid, &mut b, nx, ny, 1.25)?;
            Flow::dispatch(&seq, grid, &b, &solid, &mut a, nx, ny, 1.25)?;
            seq.eval()?;
            seq.eval()?;
            Ok(vec![Output::near(a.to_vec()?, 1e-5)])
        },
        expected_flow
    ),
    case!(
        "workloads_together::assign",
        [Assign<7>],
        |mgr| {
            let (at, centers) = (mgr.tensor(&points(150, 95))?, mgr.tensor(&points(7, 96))?);
            let (mut labels, counts) = (mgr.tensor_of_len::<u32>(150)?, mgr.tensor_of_len::<u32>(7)?);
            let seq = mgr.sequence()?;
            Assign::<7>::dispatch(&seq, Grid::groups(3), &at, &centers, &mut labels, &counts)?;
            seq.eval()?;
            Ok(vec![Output::U32(labels.to_vec()?), Output::U32(counts.to_vec()?)])
        },
        expected_assign
    ),
];
