//! Physics: electromagnetic waves, smoke carried by a flow, atoms and their neighbours, gas in a tube, shortest paths, residuals.

use gridwise::prelude::*;

use crate::data::{floats, words};
use crate::workload::Workload;

/// A step of the electric field of a transverse wave (Yee's scheme).
#[kernel(workgroup = [32, 8])]
fn electric(width: u32, height: u32, scale: f32, hx: &[f32], hy: &[f32], ez: &mut [f32]) {
    let (x, y) = (global_id().x, global_id().y);
    if x == 0 || y == 0 || x >= width || y >= height {
        return;
    }
    let at = (y * width + x) as usize;
    let curl = hy[at] - hy[at - 1] - hx[at] + hx[at - width as usize];
    ez[at] += scale * curl;
}

const ELECTRIC: &str = r"
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x == 0u || y == 0u || x >= width || y >= height) return;
    uint at = y * width + x;
    ez[at] += scale * (hy[at] - hy[at - 1u] - hx[at] + hx[at - width]);
}
";

/// Reads a field between its points; outside the border counts.
#[device]
fn between_points(field: &[f32], width: u32, height: u32, x: f32, y: f32) -> f32 {
    let x = x.clamp(0.0, (width - 1) as f32);
    let y = y.clamp(0.0, (height - 1) as f32);
    let (left, top) = (x.floor(), y.floor());
    let (tx, ty) = (x - left, y - top);
    let (x0, y0) = (left as u32, top as u32);
    let (x1, y1) = ((x0 + 1).min(width - 1), (y0 + 1).min(height - 1));
    let read = |x: u32, y: u32| field[(y * width + x) as usize];
    let upper = read(x0, y0) * (1.0 - tx) + read(x1, y0) * tx;
    let lower = read(x0, y1) * (1.0 - tx) + read(x1, y1) * tx;
    upper * (1.0 - ty) + lower * ty
}

/// Carries a density back along a flow.
#[kernel(workgroup = [16, 16])]
fn advect(width: u32, height: u32, time: f32, u: &[f32], v: &[f32], density: &[f32], carried: &mut [f32]) {
    let (x, y) = (global_id().x, global_id().y);
    if x >= width || y >= height {
        return;
    }
    let at = (y * width + x) as usize;
    let from_x = x as f32 - time * u[at];
    let from_y = y as f32 - time * v[at];
    carried[at] = between_points(density, width, height, from_x, from_y);
}

const ADVECT: &str = r"
KERNEL {
    uint px = GLOBAL_X, py = GLOBAL_Y;
    if (px >= width || py >= height) return;
    uint at = py * width + px;
    float x = min(max(float(px) - time * u[at], 0.0f), float(width - 1u));
    float y = min(max(float(py) - time * v[at], 0.0f), float(height - 1u));
    float left = floor(x), top = floor(y);
    float tx = x - left, ty = y - top;
    uint x0 = uint(left), y0 = uint(top);
    uint x1 = min(x0 + 1u, width - 1u), y1 = min(y0 + 1u, height - 1u);
    float upper = density[y0 * width + x0] * (1.0f - tx) + density[y0 * width + x1] * tx;
    float lower = density[y1 * width + x0] * (1.0f - tx) + density[y1 * width + x1] * tx;
    carried[at] = upper * (1.0f - ty) + lower * ty;
}
";

#[device]
mod force {
    #[derive(Clone, Copy, Default)]
    pub(crate) struct Force {
        pub(crate) x: f32,
        pub(crate) y: f32,
        pub(crate) z: f32,
    }

    impl core::ops::AddAssign for Force {
        fn add_assign(&mut self, other: Self) {
            self.x += other.x;
            self.y += other.y;
            self.z += other.z;
        }
    }
}

use force::Force;

/// The force of Lennard and Jones between two atoms in a periodic box, if they are near.
#[device]
fn lennard_jones(a: [f32; 4], b: [f32; 4], side: f32) -> Option<Force> {
    let mut d = [0.0f32; 3];
    for k in 0..3 {
        d[k] = a[k] - b[k];
        d[k] -= side * (d[k] / side).round();
    }
    let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if square >= 0.01 || square == 0.0 {
        return None;
    }
    let inverse = 0.0004 / square;
    let sixth = inverse * inverse * inverse;
    let scale = 24.0 * sixth * (2.0 * sixth - 1.0) / square;
    Some(Force { x: d[0] * scale, y: d[1] * scale, z: d[2] * scale })
}

/// Forces between atoms and those in their lists of neighbours.
#[kernel(workgroup = [128])]
fn atoms(side: f32, most: u32, places: &[[f32; 4]], neighbours: &[u32], forces: &mut [[f32; 4]]) {
    let i = global_id().x as usize;
    if i >= places.len() {
        return;
    }
    let own = places[i];
    let mut sum = Force::default();
    for k in 0..most as usize {
        let j = neighbours[k * places.len() + i] as usize;
        if let Some(force) = lennard_jones(own, places[j], side) {
            sum += force;
        }
    }
    forces[i] = [sum.x, sum.y, sum.z, 0.0];
}

const ATOMS: &str = r"
#ifdef __CUDACC__
#define ROUND(x) roundf(x)
#else
#define ROUND(x) (sign(x) * floor(abs(x) + 0.5f))
#endif
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    f32x4 own = places[i];
    f32x4 sum;
    for (int k = 0; k < 4; k++) sum.v[k] = 0.0f;
    for (uint k = 0u; k < most; k++) {
        uint j = neighbours[k * len + i];
        f32x4 other = places[j];
        float d[3];
        for (int m = 0; m < 3; m++) {
            d[m] = own.v[m] - other.v[m];
            d[m] -= side * ROUND(d[m] / side);
        }
        float square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (square < 0.01f && square != 0.0f) {
            float inverse_of = 0.0004f / square;
            float sixth = inverse_of * inverse_of * inverse_of;
            float scale = 24.0f * sixth * (2.0f * sixth - 1.0f) / square;
            for (int m = 0; m < 3; m++) sum.v[m] += d[m] * scale;
        }
    }
    forces[i] = sum;
}
";

#[device]
mod gas {
    /// Density, momentum and energy of a cell.
    #[derive(Clone, Copy)]
    pub(crate) struct Gas {
        pub(crate) density: f32,
        pub(crate) momentum: f32,
        pub(crate) energy: f32,
    }

    impl Gas {
        pub(crate) fn speed(&self) -> f32 {
            self.momentum / self.density
        }

        pub(crate) fn pressure(&self) -> f32 {
            0.4 * (self.energy - 0.5 * self.momentum * self.speed())
        }

        pub(crate) fn sound(&self) -> f32 {
            (1.4 * self.pressure() / self.density).sqrt()
        }

        pub(crate) fn flux(&self) -> Self {
            let (speed, pressure) = (self.speed(), self.pressure());
            Self {
                density: self.momentum,
                momentum: self.momentum * speed + pressure,
                energy: (self.energy + pressure) * speed,
            }
        }

        pub(crate) fn map2(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
            Self {
                density: f(self.density, other.density),
                momentum: f(self.momentum, other.momentum),
                energy: f(self.energy, other.energy),
            }
        }
    }

    /// The flux between two cells (Rusanov).
    pub(crate) fn between(left: Gas, right: Gas) -> Gas {
        let fastest = (left.speed().abs() + left.sound()).max(right.speed().abs() + right.sound());
        let mean = left.flux().map2(right.flux(), |a, b| 0.5 * (a + b));
        let jump = right.map2(left, |a, b| a - b);
        mean.map2(jump, |m, d| m - 0.5 * fastest * d)
    }
}

use gas::Gas;

/// A step of Euler's equations for gas in a tube.
#[kernel(workgroup = [256])]
fn tube(ratio: f32, density: &[f32], momentum: &[f32], energy: &[f32], next: &mut [[f32; 4]]) {
    let i = global_id().x as usize;
    let cell = |i: usize| Gas { density: density[i], momentum: momentum[i], energy: energy[i] };
    let last = density.len() - 1;
    if i > last {
        return;
    }
    let here = cell(i);
    let before = if i > 0 { cell(i - 1) } else { here };
    let after = if i < last { cell(i + 1) } else { here };
    let change = gas::between(before, here).map2(gas::between(here, after), |a, b| ratio * (a - b));
    let new = here.map2(change, |a, b| a + b);
    next[i] = [new.density, new.momentum, new.energy, new.pressure()];
}

const TUBE: &str = r"
struct Gas { float density, momentum, energy; };
DEVICE float speed(Gas g) { return g.momentum / g.density; }
DEVICE float pressure(Gas g) { return 0.4f * (g.energy - 0.5f * g.momentum * speed(g)); }
DEVICE float sound(Gas g) { return sqrt(1.4f * pressure(g) / g.density); }
DEVICE Gas between(Gas l, Gas r) {
    float fastest = max(abs(speed(l)) + sound(l), abs(speed(r)) + sound(r));
    float pl = pressure(l), pr = pressure(r), ul = speed(l), ur = speed(r);
    Gas f;
    f.density = 0.5f * (l.momentum + r.momentum) - 0.5f * fastest * (r.density - l.density);
    f.momentum = 0.5f * (l.momentum * ul + pl + r.momentum * ur + pr) - 0.5f * fastest * (r.momentum - l.momentum);
    f.energy = 0.5f * ((l.energy + pl) * ul + (r.energy + pr) * ur) - 0.5f * fastest * (r.energy - l.energy);
    return f;
}
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint b = i > 0u ? i - 1u : i, a = i + 1u < len ? i + 1u : i;
    Gas here, before, after;
    here.density = density[i]; here.momentum = momentum[i]; here.energy = energy[i];
    before.density = density[b]; before.momentum = momentum[b]; before.energy = energy[b];
    after.density = density[a]; after.momentum = momentum[a]; after.energy = energy[a];
    Gas f = between(before, here), g = between(here, after);
    here.density += ratio * (f.density - g.density);
    here.momentum += ratio * (f.momentum - g.momentum);
    here.energy += ratio * (f.energy - g.energy);
    f32x4 result;
    result.v[0] = here.density; result.v[1] = here.momentum; result.v[2] = here.energy; result.v[3] = pressure(here);
    next[i] = result;
}
";

/// A round of Floyd's and Warshall's shortest paths, by copies of the node's row and column.
#[kernel(workgroup = [16, 16])]
fn shortest(n: u32, from_via: &[u32], to_via: &[u32], lengths: &mut [u32]) {
    let (column, row) = (global_id().x, global_id().y);
    if column < n && row < n {
        let whole = to_via[row as usize].saturating_add(from_via[column as usize]);
        let at = (row * n + column) as usize;
        if whole < lengths[at] {
            lengths[at] = whole;
        }
    }
}

const SHORTEST: &str = r"
KERNEL {
    uint column = GLOBAL_X, row = GLOBAL_Y;
    if (column >= n || row >= n) return;
    uint first = to_via[row];
    uint whole = first + from_via[column];
    if (whole < first) whole = 0xffffffffu;
    uint at = row * n + column;
    if (whole < lengths[at]) lengths[at] = whole;
}
";

/// The residual of Poisson's equation, its square summed by workgroup.
#[kernel(workgroup = [16, 16])]
fn residual(n: u32, x: &[f32], b: &[f32], sums: &mut [f32]) {
    let mut squares = Shared::<[f32; 256]>::new();
    let (column, row) = (global_id().x as usize, global_id().y as usize);
    let n = n as usize;
    let mut square = 0.0;
    if column < n && row < n {
        let at = row * n + column;
        let mut value = 4.0 * x[at];
        if column > 0 {
            value -= x[at - 1];
        }
        if column + 1 < n {
            value -= x[at + 1];
        }
        if row > 0 {
            value -= x[at - n];
        }
        if row + 1 < n {
            value -= x[at + n];
        }
        let rest = b[at] - value;
        square = rest * rest;
    }
    let local = (local_id().y * 16 + local_id().x) as usize;
    squares[local] = square;
    barrier();
    let mut step = 128;
    while step > 0 {
        if local < step {
            squares[local] += squares[local + step];
        }
        barrier();
        step >>= 1;
    }
    if local == 0 {
        sums[(workgroup_id().y * num_workgroups().x + workgroup_id().x) as usize] = squares[0];
    }
}

const RESIDUAL: &str = r"
SHARED float squares[256];
KERNEL {
    uint column = GLOBAL_X, row = GLOBAL_Y;
    float square = 0.0f;
    if (column < n && row < n) {
        uint at = row * n + column;
        float value = 4.0f * x[at];
        if (column > 0u) value -= x[at - 1u];
        if (column + 1u < n) value -= x[at + 1u];
        if (row > 0u) value -= x[at - n];
        if (row + 1u < n) value -= x[at + n];
        float rest = b[at] - value;
        square = rest * rest;
    }
    uint local = LOCAL_Y * 16u + LOCAL_X;
    squares[local] = square;
    BARRIER;
    for (uint step = 128u; step > 0u; step >>= 1u) {
        if (local < step) squares[local] += squares[local + step];
        BARRIER;
    }
    if (local == 0u) sums[GROUP_Y * GROUPS_X + GROUP_X] = squares[0];
}
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let (width, height) = if large { (4096, 2048) } else { (64, 32) };
    let cells = width * height;
    let (atoms, most) = if large { (1 << 18, 64) } else { (1 << 9, 8) };
    let n = if large { 2048 } else { 64 };
    let (wide, high) = (width as u32, height as u32);
    let places = floats(4 * atoms).as_chunks().0.to_vec();
    let neighbours = words(atoms * most).into_iter().map(|word| word % atoms as u32).collect();
    vec![
        Workload::new::<Electric>("electric field", [width / 32, height / 8, 1], ELECTRIC)
            .value("width", wide)
            .value("height", high)
            .value("scale", 0.5f32)
            .read("hx", floats(cells))
            .read("hy", floats(cells))
            .update("ez", floats(cells)),
        Workload::new::<Advect>("smoke in a flow", [width / 16, height / 16, 1], ADVECT)
            .value("width", wide)
            .value("height", high)
            .value("time", 6.0f32)
            .read("u", floats(cells))
            .read("v", floats(cells))
            .read("density", floats(cells))
            .write::<f32>("carried", cells)
            .roughly(0.001),
        Workload::new::<Atoms>("atoms and neighbours", [atoms / 128, 1, 1], ATOMS)
            .value("side", 1.0f32)
            .value("most", most as u32)
            .peer_value("len", atoms as u32)
            .read::<[f32; 4]>("places", places)
            .read("neighbours", neighbours)
            .write::<[f32; 4]>("forces", atoms)
            .roughly(0.001),
        Workload::new::<Tube>("gas in a tube", [cells / 256, 1, 1], TUBE)
            .value("ratio", 0.1f32)
            .peer_value("len", cells as u32)
            .read("density", floats(cells).into_iter().map(|x| 1.0 + x).collect())
            .read("momentum", floats(cells))
            .read("energy", floats(cells).into_iter().map(|x| 2.0 + x).collect())
            .write::<[f32; 4]>("next", cells),
        Workload::new::<Shortest>("shortest paths", [n / 16, n / 16, 1], SHORTEST)
            .value("n", n as u32)
            .read("from_via", words(n).into_iter().map(|word| word / 2).collect())
            .read("to_via", words(n).into_iter().map(|word| word / 2).collect())
            .update("lengths", words(n * n)),
        Workload::new::<Residual>("residual", [n / 16, n / 16, 1], RESIDUAL)
            .value("n", n as u32)
            .read("x", floats(n * n))
            .read("b", floats(n * n))
            .write::<f32>("sums", n * n / 256),
    ]
}
