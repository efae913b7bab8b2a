//! Flows and reactions: fifth-order fluxes, patterns of two substances, shallow water.

use gridwise::prelude::*;

use crate::data::floats;
use crate::workload::Workload;

/// The value at a cell's right side, of five cells ("Efficient implementation of weighted ENO schemes", Jiang and Shu, 1996).
#[device]
fn reconstruct([a, b, c, d, e]: [f32; 5]) -> f32 {
    let square = |x: f32| x * x;
    let smoothness = [
        13.0 / 12.0 * square(a - 2.0 * b + c) + 0.25 * square(a - 4.0 * b + 3.0 * c),
        13.0 / 12.0 * square(b - 2.0 * c + d) + 0.25 * square(b - d),
        13.0 / 12.0 * square(c - 2.0 * d + e) + 0.25 * square(3.0 * c - 4.0 * d + e),
    ];
    let candidates =
        [(2.0 * a - 7.0 * b + 11.0 * c) / 6.0, (-b + 5.0 * c + 2.0 * d) / 6.0, (2.0 * c + 5.0 * d - e) / 6.0];
    let (mut sum, mut weights) = (0.0, 0.0);
    for ((share, smoothness), candidate) in [0.1, 0.6, 0.3].into_iter().zip(smoothness).zip(candidates) {
        let weight = share / square(1e-6 + smoothness);
        sum += weight * candidate;
        weights += weight;
    }
    sum / weights
}

/// A step of a quantity that moves to the right, periodic.
#[kernel(workgroup = [256])]
fn transport(ratio: f32, now: &[f32], next: &mut [f32]) {
    let i = global_id().x as usize;
    let len = now.len();
    if i >= len {
        return;
    }
    let at = |offset: usize| now[(i + len + offset - 3) % len];
    let left = reconstruct([at(0), at(1), at(2), at(3), at(4)]);
    let right = reconstruct([at(1), at(2), at(3), at(4), at(5)]);
    next[i] = now[i] - ratio * (right - left);
}

const TRANSPORT: &str = r"
DEVICE float square(float x) { return x * x; }
DEVICE float reconstruct(float a, float b, float c, float d, float e) {
    float s0 = 13.0f / 12.0f * square(a - 2.0f * b + c) + 0.25f * square(a - 4.0f * b + 3.0f * c);
    float s1 = 13.0f / 12.0f * square(b - 2.0f * c + d) + 0.25f * square(b - d);
    float s2 = 13.0f / 12.0f * square(c - 2.0f * d + e) + 0.25f * square(3.0f * c - 4.0f * d + e);
    float w0 = 0.1f / square(1e-6f + s0), w1 = 0.6f / square(1e-6f + s1), w2 = 0.3f / square(1e-6f + s2);
    float c0 = (2.0f * a - 7.0f * b + 11.0f * c) / 6.0f;
    float c1 = (-b + 5.0f * c + 2.0f * d) / 6.0f;
    float c2 = (2.0f * c + 5.0f * d - e) / 6.0f;
    return (w0 * c0 + w1 * c1 + w2 * c2) / (w0 + w1 + w2);
}
#define AT(offset) now[(i + len + offset - 3u) % len]
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    float left = reconstruct(AT(0u), AT(1u), AT(2u), AT(3u), AT(4u));
    float right = reconstruct(AT(1u), AT(2u), AT(3u), AT(4u), AT(5u));
    next[i] = now[i] - ratio * (right - left);
}
";

/// A step of two substances that spread and react (Gray and Scott), on a torus.
#[kernel(workgroup = [32, 8])]
fn reaction(width: u32, height: u32, feed: f32, kill: f32, now: &[[f32; 2]], next: &mut [[f32; 2]]) {
    let (x, y) = (global_id().x, global_id().y);
    if x >= width || y >= height {
        return;
    }
    let cell = |x: u32, y: u32| now[(y * width + x) as usize];
    let (left, right) = ((x + width - 1) % width, (x + 1) % width);
    let (above, below) = ((y + height - 1) % height, (y + 1) % height);
    let [u, v] = cell(x, y);
    let sides = [cell(left, y), cell(right, y), cell(x, above), cell(x, below)];
    let corners = [cell(left, above), cell(right, above), cell(left, below), cell(right, below)];
    let [spread_u, spread_v] = [0, 1].map(|k| {
        let sides: f32 = sides.iter().map(|side| side[k]).sum();
        let corners: f32 = corners.iter().map(|corner| corner[k]).sum();
        0.2 * sides + 0.05 * corners - [u, v][k]
    });
    let reacted = u * v * v;
    next[(y * width + x) as usize] =
        [u + 0.16 * spread_u - reacted + feed * (1.0 - u), v + 0.08 * spread_v + reacted - (feed + kill) * v];
}

const REACTION: &str = r"
#define CELL(x, y, k) now[(y) * width + (x)].v[k]
#define SPREAD(k) \
    (0.2f * (CELL(left, y, k) + CELL(right, y, k) + CELL(x, above, k) + CELL(x, below, k)) \
     + 0.05f * (CELL(left, above, k) + CELL(right, above, k) + CELL(left, below, k) + CELL(right, below, k)))
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x >= width || y >= height) return;
    uint left = (x + width - 1u) % width, right = (x + 1u) % width;
    uint above = (y + height - 1u) % height, below = (y + 1u) % height;
    float u = CELL(x, y, 0), v = CELL(x, y, 1);
    float spread_u = SPREAD(0) - u, spread_v = SPREAD(1) - v;
    float reacted = u * v * v;
    f32x2 result;
    result.v[0] = u + 0.16f * spread_u - reacted + feed * (1.0f - u);
    result.v[1] = v + 0.08f * spread_v + reacted - (feed + kill) * v;
    next[y * width + x] = result;
}
";

#[device]
mod water {
    /// The state of a column of water: its height, and its momentum along both axes.
    #[derive(Clone, Copy)]
    pub(crate) struct Column {
        pub(crate) height: f32,
        pub(crate) flow: [f32; 2],
    }

    impl Column {
        pub(crate) fn turned(self) -> Self {
            Self { flow: [self.flow[1], self.flow[0]], ..self }
        }

        pub(crate) fn mixed(self, other: Self, with: impl Fn(f32, f32) -> f32) -> Self {
            Self {
                height: with(self.height, other.height),
                flow: [with(self.flow[0], other.flow[0]), with(self.flow[1], other.flow[1])],
            }
        }

        fn flux(self) -> Self {
            let speed = self.flow[0] / self.height;
            Self {
                height: self.flow[0],
                flow: [self.flow[0] * speed + 0.5 * 9.81 * self.height * self.height, self.flow[1] * speed],
            }
        }

        fn fastest(self) -> f32 {
            (self.flow[0] / self.height).abs() + (9.81 * self.height).sqrt()
        }

        /// The flow from one column to the next one on its right (Rusanov's flux).
        pub(crate) fn passes(self, next: Self) -> Self {
            let fastest = self.fastest().max(next.fastest());
            let mean = self.flux().mixed(next.flux(), |a, b| 0.5 * (a + b));
            let jump = next.mixed(self, |a, b| 0.5 * fastest * (a - b));
            mean.mixed(jump, |a, b| a - b)
        }
    }
}

use water::Column;

/// A step of shallow water between walls that let it pass.
#[kernel(workgroup = [32, 8])]
fn shallow(width: u32, height: u32, ratio: f32, now: &[[f32; 4]], next: &mut [[f32; 4]]) {
    let (x, y) = (global_id().x as usize, global_id().y as usize);
    let (width, height) = (width as usize, height as usize);
    if x >= width || y >= height {
        return;
    }
    let column = |x: usize, y: usize| {
        let [height, east, south, _] = now[y * width + x];
        Column { height, flow: [east, south] }
    };
    let own = column(x, y);
    let west = column(x.saturating_sub(1), y);
    let east = column((x + 1).min(width - 1), y);
    let north = column(x, y.saturating_sub(1)).turned();
    let south = column(x, (y + 1).min(height - 1)).turned();
    let along = own.passes(east).mixed(west.passes(own), |a, b| a - b);
    let down = own.turned().passes(south).mixed(north.passes(own.turned()), |a, b| a - b).turned();
    let change = along.mixed(down, |a, b| a + b);
    let Column { height, flow } = own.mixed(change, |a, b| a - ratio * b);
    next[y * width + x] = [height.max(0.001), flow[0], flow[1], 0.0];
}

const SHALLOW: &str = r"
struct Column { float h, u, v; };
DEVICE Column column(float h, float u, float v) {
    Column result;
    result.h = h;
    result.u = u;
    result.v = v;
    return result;
}
DEVICE float fastest(Column a) { return abs(a.u / a.h) + sqrt(9.81f * a.h); }
DEVICE Column passes(Column a, Column b) {
    float s = max(fastest(a), fastest(b));
    float p = a.u / a.h, q = b.u / b.h;
    return column(0.5f * (a.u + b.u) - 0.5f * s * (b.h - a.h),
                  0.5f * (a.u * p + 0.5f * 9.81f * a.h * a.h + b.u * q + 0.5f * 9.81f * b.h * b.h) - 0.5f * s * (b.u - a.u),
                  0.5f * (a.v * p + b.v * q) - 0.5f * s * (b.v - a.v));
}
#define COLUMN(x, y) column(now[(y) * width + (x)].v[0], now[(y) * width + (x)].v[1], now[(y) * width + (x)].v[2])
#define TURNED(x, y) column(now[(y) * width + (x)].v[0], now[(y) * width + (x)].v[2], now[(y) * width + (x)].v[1])
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x >= width || y >= height) return;
    uint left = x > 0u ? x - 1u : 0u, right = min(x + 1u, width - 1u);
    uint above = y > 0u ? y - 1u : 0u, below = min(y + 1u, height - 1u);
    Column own = COLUMN(x, y), turned = TURNED(x, y);
    Column e = passes(own, COLUMN(right, y)), w = passes(COLUMN(left, y), own);
    Column s = passes(turned, TURNED(x, below)), n = passes(TURNED(x, above), turned);
    f32x4 result;
    result.v[0] = max(own.h - ratio * (e.h - w.h + (s.h - n.h)), 0.001f);
    result.v[1] = own.u - ratio * (e.u - w.u + (s.v - n.v));
    result.v[2] = own.v - ratio * (e.v - w.v + (s.u - n.u));
    result.v[3] = 0.0f;
    next[y * width + x] = result;
}
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 22 } else { 1 << 12 };
    let (width, height) = if large { (2048, 1024) } else { (64, 32) };
    let sides = |workload: Workload| workload.value("width", width as u32).value("height", height as u32);
    let groups = [width / 32, height / 8, 1];
    let pairs = floats(2 * width * height).as_chunks().0.to_vec();
    let columns = floats(4 * width * height);
    let columns = columns.as_chunks().0.iter().map(|&[h, u, v, _]| [1.0 + h, u - 0.5, v - 0.5, 0.0]).collect();
    vec![
        Workload::new::<Transport>("fluxes of fifth order", [n / 256, 1, 1], TRANSPORT)
            .value("ratio", 0.3f32)
            .peer_value("len", n as u32)
            .read("now", floats(n))
            .write::<f32>("next", n),
        sides(Workload::new::<Reaction>("two substances", groups, REACTION))
            .value("feed", 0.035f32)
            .value("kill", 0.06f32)
            .read::<[f32; 2]>("now", pairs)
            .write::<[f32; 2]>("next", width * height),
        sides(Workload::new::<Shallow>("shallow water", groups, SHALLOW))
            .value("ratio", 0.1f32)
            .read::<[f32; 4]>("now", columns)
            .write::<[f32; 4]>("next", width * height),
    ]
}
