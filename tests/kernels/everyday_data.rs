//! Programs that people bring along, on numbers in buffers: particles under forces, sparse rows, clusters, a search through a graph, a
//! filter of images.

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output, moderate, patterns};

#[derive(GpuData, Clone, Copy, Debug)]
#[repr(C)]
struct Particle {
    position: Vec3,
    mass: f32,
    velocity: Vec3,
    age: f32,
}

both!(forces, plain_forces, {
    use super::Particle;
    use gridwise::prelude::*;

    pub(super) trait Force {
        const SCALE: f32 = 1.0;
        fn at(&self, p: &Particle) -> Vec3;
        fn scaled(&self, p: &Particle) -> Vec3 {
            self.at(p) * Self::SCALE
        }
    }

    #[derive(Clone, Copy)]
    struct Gravity(Vec3);

    impl Force for Gravity {
        fn at(&self, p: &Particle) -> Vec3 {
            self.0 * p.mass
        }
    }

    #[derive(Clone, Copy)]
    struct Drag {
        coefficient: f32,
    }

    impl Force for Drag {
        const SCALE: f32 = -0.5;
        fn at(&self, p: &Particle) -> Vec3 {
            p.velocity * p.velocity.abs() * self.coefficient
        }
    }

    #[derive(Clone, Copy)]
    struct Both<A, B>(A, B);

    impl<A: Force, B: Force> Force for Both<A, B> {
        fn at(&self, p: &Particle) -> Vec3 {
            Force::scaled(&self.0, p) + self.1.scaled(p)
        }
    }

    fn moved<F: Force>(p: &mut Particle, force: &F, dt: f32) {
        let a = Force::scaled(force, p) / p.mass;
        p.velocity += a * dt;
        p.position += p.velocity * dt;
        p.age += dt;
    }

    pub(super) fn simulate(p: &mut Particle, steps: u32) {
        let force = Both(Gravity(vec3(0.0, -9.75, 0.0)), Drag { coefficient: 0.125 });
        for _ in 0..steps {
            moved(p, &force, 0.0625);
            if p.position.y < 0.0 {
                p.position.y = -p.position.y;
                p.velocity.y *= -0.75;
            }
        }
        *p = if p.age > 2.0 { Particle { age: 0.0, velocity: Vec3::ZERO, ..*p } } else { *p };
    }
});

#[kernel(workgroup = 32)]
fn particles(all: &mut [Particle]) {
    let i = global_id().x;
    let Some(p) = all.get_mut(i as usize) else { return };
    forces::simulate(p, i % 48);
}

fn some_particles() -> Vec<Particle> {
    let v = moderate(96 * 4, 31, 4.0);
    let made = v.chunks(4).map(|v| Particle {
        position: vec3(v[0], v[1].abs(), v[2]),
        mass: 0.5 + v[3].abs(),
        velocity: vec3(v[2], v[0], v[1]),
        age: 0.0,
    });
    made.collect()
}

fn outputs(all: &[Particle]) -> Vec<Output> {
    let values = all.iter().flat_map(|p| p.position.to_array().into_iter().chain(p.velocity.to_array()).chain([p.age]));
    vec![Output::exact(values.collect())]
}

fn expected_particles() -> Vec<Output> {
    let mut all = some_particles();
    all.iter_mut().zip(0..).for_each(|(p, i)| plain_forces::simulate(p, i % 48));
    outputs(&all)
}

both!(sparse, plain_sparse, {
    pub(super) fn dot(columns: &[u32], values: &[f32], x: &[f32]) -> f32 {
        columns.iter().zip(values.iter()).map(|(&c, v)| v * x[c as usize]).sum()
    }
});

#[kernel(workgroup = 32)]
fn multiply(offsets: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_id().x as usize;
    let [start, end] = [offsets[row], offsets[row + 1]].map(|o| o as usize);
    y[row] = sparse::dot(&columns[start..end], &values[start..end], x);
}

fn rows() -> (Vec<u32>, Vec<u32>, Vec<f32>, Vec<f32>) {
    let mut offsets = vec![0];
    for row in 0..64u32 {
        offsets.push(offsets[row as usize] + row * 5 % 7);
    }
    let count = offsets[64] as usize;
    let columns = patterns(count, 3).into_iter().map(|v| v % 64).collect();
    (offsets, columns, moderate(count, 8, 2.0), moderate(64, 9, 3.0))
}

fn expected_multiply() -> Vec<Output> {
    let (offsets, columns, values, x) = rows();
    let row = |ends: &[u32]| {
        let ends = ends[0] as usize..ends[1] as usize;
        plain_sparse::dot(&columns[ends.clone()], &values[ends], &x)
    };
    vec![Output::exact(offsets.windows(2).map(row).collect())]
}

#[device]
const CLUSTERS: usize = 4;

/// A step of k-means: each point's nearest centre, and how many there are of each.
#[kernel(workgroup = 32)]
fn assign(points: &[Vec2], centres: &[Vec2], labels: &mut [u32], counts: &[Atomic<u32>]) {
    let local = Shared::<[Atomic<u32>; CLUSTERS]>::new();
    let i = global_id().x as usize;
    if let Some(&p) = points.get(i) {
        let (best, distance) = centres
            .iter()
            .enumerate()
            .map(|(k, c)| (k, (c.x - p.x) * (c.x - p.x) + (c.y - p.y) * (c.y - p.y)))
            .min_by(|(_, a), (_, b)| a.total_cmp(b))
            .unwrap();
        labels[i] = best as u32;
        local[best].fetch_add(1, Relaxed);
        debug_assert!(distance.is_finite(), "distance {distance}");
    }
    barrier();
    let t = local_id().x as usize;
    if t < CLUSTERS {
        counts[t].fetch_add(local[t].load(Relaxed), Relaxed);
    }
}

fn points() -> (Vec<Vec2>, Vec<Vec2>) {
    let v = moderate(2 * 90 + 8, 44, 8.0);
    let all: Vec<Vec2> = v.chunks(2).map(|v| vec2(v[0], v[1])).collect();
    (all[4..].to_vec(), all[..4].to_vec())
}

fn expected_assign() -> Vec<Output> {
    let (points, centres) = points();
    let mut counts = vec![0; CLUSTERS];
    let mut labels = Vec::new();
    for p in points {
        let mut best = (0, f32::INFINITY);
        for (k, c) in centres.iter().enumerate() {
            let distance = (c.x - p.x) * (c.x - p.x) + (c.y - p.y) * (c.y - p.y);
            if distance < best.1 {
                best = (k, distance);
            }
        }
        labels.push(best.0 as u32);
        counts[best.0] += 1;
    }
    vec![Output::U32(labels), Output::U32(counts)]
}

/// A step of a breadth-first search: the neighbours that nobody reached before are the next frontier.
#[kernel(workgroup = 32)]
fn step(
    offsets: &[u32],
    edges: &[u32],
    now: &[u32],
    levels: &[Atomic<u32>],
    next: &mut [u32],
    tail: &[Atomic<u32>],
    depth: u32,
) {
    let count = now[0] as usize;
    let Some(&node) = now[1..].get(global_id().x as usize).filter(|_| (global_id().x as usize) < count) else { return };
    let range = [node, node + 1].map(|at| offsets[at as usize] as usize);
    for &to in &edges[range[0]..range[1]] {
        if levels[to].compare_exchange(u32::MAX, depth, Relaxed, Relaxed).is_ok() {
            next[tail[0].fetch_add(1, Relaxed) + 1] = to;
        }
    }
}

const NODES: usize = 100;

fn graph() -> (Vec<u32>, Vec<u32>) {
    let targets = patterns(NODES * 3, 12);
    let edges: Vec<u32> = (0..NODES * 3).map(|i| (targets[i] as usize % 37 + i / 3) as u32 % NODES as u32).collect();
    ((0..=NODES as u32).map(|node| node * 3).collect(), edges)
}

fn expected_search() -> Vec<Output> {
    let (offsets, edges) = graph();
    let mut levels = vec![u32::MAX; NODES];
    levels[0] = 0;
    let mut queue = std::collections::VecDeque::from([0usize]);
    while let Some(node) = queue.pop_front() {
        for &to in &edges[offsets[node] as usize..offsets[node + 1] as usize] {
            if levels[to as usize] == u32::MAX {
                levels[to as usize] = levels[node] + 1;
                queue.push_back(to as usize);
            }
        }
    }
    vec![Output::U32(levels)]
}

fn search(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (offsets, edges) = graph();
    let (offsets, edges) = (mgr.tensor(&offsets)?, mgr.tensor(&edges)?);
    let mut first = vec![u32::MAX; NODES];
    first[0] = 0;
    let levels = mgr.tensor(&first)?;
    let mut frontier = vec![1, 0];
    for depth in 1.. {
        frontier.resize(NODES + 1, 0);
        let (now, tail) = (mgr.tensor(&frontier)?, mgr.tensor(&[0u32])?);
        let mut next = mgr.tensor(&vec![0u32; NODES + 1])?;
        let seq = mgr.sequence()?;
        Step::dispatch(&seq, Grid::items(NODES), &offsets, &edges, &now, &levels, &mut next, &tail, depth)?;
        seq.eval()?;
        let count = tail.to_vec()?[0];
        if count == 0 {
            break;
        }
        frontier = next.to_vec()?;
        frontier[0] = count;
    }
    Ok(vec![Output::U32(levels.to_vec()?)])
}

both!(filter, plain_filter, {
    use gridwise::prelude::*;

    const RADIUS: i32 = 2;

    #[derive(Clone, Copy)]
    pub(super) struct View {
        pub(super) width: i32,
        pub(super) height: i32,
    }

    impl View {
        pub(super) fn contains(&self, p: IVec2) -> bool {
            (0..self.width).contains(&p.x) && (0..self.height).contains(&p.y)
        }

        pub(super) fn position(&self, x: i32, y: i32) -> usize {
            (y.clamp(0, self.height - 1) * self.width + x.clamp(0, self.width - 1)) as usize
        }
    }

    fn gaussian(d2: f32, sigma: f32) -> f32 {
        (-d2 / (2.0 * sigma.powi(2))).exp()
    }

    /// The mean of what is near in place and in value.
    pub(super) fn bilateral(x: &[f32], view: View, p: IVec2, sigma: f32) -> f32 {
        let centre = x[view.position(p.x, p.y)];
        let (sum, weight) = (-RADIUS..=RADIUS).flat_map(|dy| (-RADIUS..=RADIUS).map(move |dx| (dx, dy))).fold(
            (0.0, 0.0),
            |(s, w), (dx, dy)| {
                let v = x[view.position(p.x + dx, p.y + dy)];
                let k = gaussian((dx * dx + dy * dy) as f32, 1.5) * gaussian((v - centre) * (v - centre), sigma);
                (s + k * v, w + k)
            },
        );
        sum / weight
    }
});

/// # Safety
/// The image has fewer than 2^31 pixels.
#[kernel(workgroup = [8, 8])]
unsafe fn smooth(x: &[f32], y: &mut [f32], size: IVec2, sigma: f32) {
    let view = filter::View { width: size.x, height: size.y };
    let p = global_id().xy().as_ivec2();
    if view.contains(p) {
        y[view.position(p.x, p.y)] = filter::bilateral(x, view, p, sigma);
    }
}

fn expected_smooth() -> Vec<Output> {
    let (x, view) = (moderate(20 * 13, 6, 1.0), plain_filter::View { width: 20, height: 13 });
    let places = (0..20 * 13).map(|i| ivec2(i % 20, i / 20)).filter(|p| view.contains(*p));
    let all = places.map(|p| plain_filter::bilateral(&x, view, p, 0.4));
    vec![Output::F32 { values: all.collect(), ulp: 32, absolute: 1e-5 }]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "everyday::particles",
        [Particles],
        |mgr| {
            let mut all = mgr.tensor(&some_particles())?;
            let seq = mgr.sequence()?;
            Particles::dispatch(&seq, Grid::items(96), &mut all)?;
            seq.eval()?;
            Ok(outputs(&all.to_vec()?))
        },
        expected_particles
    ),
    case!(
        "everyday::sparse_rows",
        [Multiply],
        |mgr| {
            let (offsets, columns, values, x) = rows();
            let (offsets, columns) = (mgr.tensor(&offsets)?, mgr.tensor(&columns)?);
            let (values, x, mut y) = (mgr.tensor(&values)?, mgr.tensor(&x)?, mgr.tensor(&vec![0f32; 64])?);
            let seq = mgr.sequence()?;
            Multiply::dispatch(&seq, Grid::items(64), &offsets, &columns, &values, &x, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::exact(y.to_vec()?)])
        },
        expected_multiply
    ),
    case!(
        "everyday::clusters",
        [Assign],
        |mgr| {
            let (points, centres) = points();
            let (points, centres) = (mgr.tensor(&points)?, mgr.tensor(&centres)?);
            let (mut labels, counts) = (mgr.tensor(&vec![0u32; 90])?, mgr.tensor(&vec![0u32; CLUSTERS])?);
            let seq = mgr.sequence()?;
            Assign::dispatch(&seq, Grid::groups(3), &points, &centres, &mut labels, &counts)?;
            seq.eval()?;
            Ok(vec![Output::U32(labels.to_vec()?), Output::U32(counts.to_vec()?)])
        },
        expected_assign
    ),
    case!("everyday::search", [Step], search, expected_search),
    case!(
        "everyday::filter",
        [Smooth],
        |mgr| {
            let (x, mut y) = (mgr.tensor(&moderate(20 * 13, 6, 1.0))?, mgr.tensor(&vec![0f32; 20 * 13])?);
            let seq = mgr.sequence()?;
            // SAFETY: it has.
            unsafe { Smooth::dispatch(&seq, Grid::items([20, 13]), &x, &mut y, ivec2(20, 13), 0.4) }?;
            seq.eval()?;
            Ok(vec![Output::F32 { values: y.to_vec()?, ulp: 32, absolute: 1e-5 }])
        },
        expected_smooth
    ),
];
