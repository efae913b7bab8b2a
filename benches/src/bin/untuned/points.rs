//! Points and noise: nearest neighbours, sums over cells, surfaces by distances, spins, gradients at random.

use gridwise::prelude::*;

use crate::data::{bytes, floats, words};
use crate::workload::Workload;

#[device]
const NEAREST: usize = 8;

/// The nearest points of all, kept in order.
#[kernel(workgroup = [128])]
fn neighbours(queries: &[[f32; 4]], points: &[[f32; 4]], found: &mut [u32]) {
    let i = global_id().x as usize;
    let Some(query) = queries.get(i) else { return };
    let mut best = [(f32::INFINITY, u32::MAX); NEAREST];
    for (j, point) in points.iter().enumerate() {
        let (dx, dy, dz) = (point[0] - query[0], point[1] - query[1], point[2] - query[2]);
        let distance = dx * dx + dy * dy + dz * dz;
        if distance < best[NEAREST - 1].0 {
            let mut at = NEAREST - 1;
            while at > 0 && best[at - 1].0 > distance {
                best[at] = best[at - 1];
                at -= 1;
            }
            best[at] = (distance, j as u32);
        }
    }
    for (k, (_, j)) in best.iter().enumerate() {
        found[i * NEAREST + k] = *j;
    }
}

const NEIGHBOURS: &str = r"
struct Best { float distance; uint index; };
KERNEL {
    uint i = GLOBAL_X;
    if (i >= queries_len) return;
    f32x4 query = queries[i];
    Best best[8];
    for (int k = 0; k < 8; k++) { best[k].distance = 1e38f; best[k].index = 0xffffffffu; }
    for (uint j = 0u; j < points_len; j++) {
        float dx = points[j].v[0] - query.v[0], dy = points[j].v[1] - query.v[1], dz = points[j].v[2] - query.v[2];
        float distance = dx * dx + dy * dy + dz * dz;
        if (distance < best[7].distance) {
            int at = 7;
            while (at > 0 && best[at - 1].distance > distance) {
                best[at] = best[at - 1];
                at--;
            }
            best[at].distance = distance;
            best[at].index = j;
        }
    }
    for (uint k = 0u; k < 8u; k++) found[i * 8u + k] = best[k].index;
}
";

/// Densities: for each point the others of its cell and of those around.
#[kernel(workgroup = [128])]
fn densities(cells: u32, radius: f32, starts: &[u32], points: &[[f32; 4]], density: &mut [f32]) {
    let i = global_id().x as usize;
    if i >= points.len() {
        return;
    }
    let own = points[i];
    let (cx, cy) = ((own[0] * cells as f32) as u32, (own[1] * cells as f32) as u32);
    let mut sum = 0.0;
    for y in cy.saturating_sub(1)..=(cy + 1).min(cells - 1) {
        for x in cx.saturating_sub(1)..=(cx + 1).min(cells - 1) {
            let cell = (y * cells + x) as usize;
            for other in &points[starts[cell] as usize..starts[cell + 1] as usize] {
                let (dx, dy) = (other[0] - own[0], other[1] - own[1]);
                let near = radius * radius - (dx * dx + dy * dy);
                if near > 0.0 {
                    sum += near * near * near;
                }
            }
        }
    }
    density[i] = sum;
}

const DENSITIES: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    f32x4 own = points[i];
    uint cx = uint(own.v[0] * float(cells)), cy = uint(own.v[1] * float(cells));
    float sum = 0.0f;
    for (uint y = cy - min(cy, 1u); y <= min(cy + 1u, cells - 1u); y++) {
        for (uint x = cx - min(cx, 1u); x <= min(cx + 1u, cells - 1u); x++) {
            uint cell = y * cells + x;
            for (uint j = starts[cell]; j < starts[cell + 1u]; j++) {
                float dx = points[j].v[0] - own.v[0], dy = points[j].v[1] - own.v[1];
                float near = radius * radius - (dx * dx + dy * dy);
                if (near > 0.0f) sum += near * near * near;
            }
        }
    }
    density[i] = sum;
}
";

#[device]
fn surface(p: Vec3) -> f32 {
    let ball = p.length() - 1.0;
    let ring = Vec2::new(Vec2::new(p.x, p.z).length() - 1.4, p.y).length() - 0.25;
    let floor = p.y + 1.2;
    ball.min(ring).min(floor)
}

/// Rays that walk by the distance to the next surface.
#[kernel(workgroup = [16, 16])]
fn march(width: u32, height: u32, light: &mut [f32]) {
    let (px, py) = (global_id().x, global_id().y);
    if px >= width || py >= height {
        return;
    }
    let along = Vec3::new(px as f32 / width as f32 * 2.0 - 1.0, 1.0 - py as f32 / height as f32 * 2.0, 1.5).normalize();
    let from = Vec3::new(0.0, 0.3, -4.0);
    let mut distance = 0.0;
    let mut is_hit = false;
    for _ in 0..96 {
        let step = surface(from + along * distance);
        if step < 1e-3 {
            is_hit = true;
            break;
        }
        distance += step;
        if distance > 20.0 {
            break;
        }
    }
    let mut value = 0.1;
    if is_hit {
        let p = from + along * distance;
        let e = 1e-3;
        let normal = Vec3::new(
            surface(p + Vec3::new(e, 0.0, 0.0)) - surface(p - Vec3::new(e, 0.0, 0.0)),
            surface(p + Vec3::new(0.0, e, 0.0)) - surface(p - Vec3::new(0.0, e, 0.0)),
            surface(p + Vec3::new(0.0, 0.0, e)) - surface(p - Vec3::new(0.0, 0.0, e)),
        )
        .normalize();
        value = normal.dot(Vec3::new(0.5, 0.7, -0.5)).max(0.0);
    }
    light[(py * width + px) as usize] = value;
}

const MARCH: &str = r"
struct P { float x, y, z; };
DEVICE P make(float x, float y, float z) { P p; p.x = x; p.y = y; p.z = z; return p; }
DEVICE P unit(P p) {
    float scale = 1.0f / sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
    return make(p.x * scale, p.y * scale, p.z * scale);
}
DEVICE float surface(P p) {
    float ball = sqrt(p.x * p.x + p.y * p.y + p.z * p.z) - 1.0f;
    float out_of = sqrt(p.x * p.x + p.z * p.z) - 1.4f;
    float ring = sqrt(out_of * out_of + p.y * p.y) - 0.25f;
    return min(min(ball, ring), p.y + 1.2f);
}
KERNEL {
    uint px = GLOBAL_X, py = GLOBAL_Y;
    if (px >= width || py >= height) return;
    P along = unit(make(float(px) / float(width) * 2.0f - 1.0f, 1.0f - float(py) / float(height) * 2.0f, 1.5f));
    float distance = 0.0f;
    bool is_hit = false;
    for (int i = 0; i < 96; i++) {
        float step = surface(make(along.x * distance, 0.3f + along.y * distance, -4.0f + along.z * distance));
        if (step < 1e-3f) { is_hit = true; break; }
        distance += step;
        if (distance > 20.0f) break;
    }
    float value = 0.1f;
    if (is_hit) {
        P p = make(along.x * distance, 0.3f + along.y * distance, -4.0f + along.z * distance);
        float e = 1e-3f;
        P normal = unit(make(surface(make(p.x + e, p.y, p.z)) - surface(make(p.x - e, p.y, p.z)),
                             surface(make(p.x, p.y + e, p.z)) - surface(make(p.x, p.y - e, p.z)),
                             surface(make(p.x, p.y, p.z + e)) - surface(make(p.x, p.y, p.z - e))));
        value = max(normal.x * 0.5f + normal.y * 0.7f + normal.z * -0.5f, 0.0f);
    }
    light[py * width + px] = value;
}
";

#[device]
fn hash(mut x: u32) -> u32 {
    x = x.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    x = ((x >> ((x >> 28) + 4)) ^ x).wrapping_mul(277_803_737);
    (x >> 22) ^ x
}

/// Half a sweep of a magnet's spins: those of one colour of the checkerboard.
#[kernel(workgroup = [32, 8])]
fn spins(width: u32, height: u32, colour: u32, seed: u32, chances: &[f32], others: &[i8], own: &mut [i8]) {
    let (x, y) = (global_id().x, global_id().y);
    let half = width / 2;
    if x >= half || y >= height {
        return;
    }
    let left = if (y + colour) % 2 == 0 { (x + half - 1) % half } else { (x + 1) % half };
    let at = |x: u32, y: u32| i32::from(others[(y * half + x) as usize]);
    let sum = at(x, y) + at(left, y) + at(x, (y + 1) % height) + at(x, (y + height - 1) % height);
    let here = (y * half + x) as usize;
    let spin = own[here];
    let energy = sum * i32::from(spin);
    let chance = chances[((energy + 4) / 2) as usize];
    if (hash(seed ^ here as u32) >> 8) as f32 / 16_777_216.0 < chance {
        own[here] = -spin;
    }
}

const SPINS: &str = r"
DEVICE uint mix_bits(uint x) {
    x = x * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28) + 4u)) ^ x) * 277803737u;
    return (x >> 22) ^ x;
}
#define AT(x, y) int(others[(y) * half_width + (x)])
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    uint half_width = width / 2u;
    if (x >= half_width || y >= height) return;
    uint left = (y + colour) % 2u == 0u ? (x + half_width - 1u) % half_width : (x + 1u) % half_width;
    int sum = AT(x, y) + AT(left, y) + AT(x, (y + 1u) % height) + AT(x, (y + height - 1u) % height);
    uint here = y * half_width + x;
    int spin = int(own[here]);
    float chance = chances[(sum * spin + 4) / 2];
    if (float(mix_bits(seed ^ here) >> 8) / 16777216.0f < chance) own[here] = int8_t(-spin);
}
";

#[device]
fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

#[device]
fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

#[device]
fn corner(hash: u8, x: f32, y: f32) -> f32 {
    match hash & 7 {
        0 => x + y,
        1 => y - x,
        2 => x - y,
        3 => -x - y,
        4 => x,
        5 => -x,
        6 => y,
        _ => -y,
    }
}

/// Perlin's noise in five octaves.
#[kernel(workgroup = [16, 16])]
fn noise(width: u32, scale: f32, permutation: &[u8], out: &mut [f32]) {
    let (px, py) = (global_id().x, global_id().y);
    let (mut sum, mut amplitude, mut frequency) = (0.0, 1.0, scale);
    for _ in 0..5 {
        let (x, y) = (px as f32 * frequency, py as f32 * frequency);
        let (left, top) = (x.floor(), y.floor());
        let (column, row) = (left as u32 % 256, top as u32 % 256);
        let at = |dx: u32, dy: u32| {
            let first = permutation[((column + dx) % 256) as usize];
            permutation[(u32::from(first) + row + dy) as usize % 256]
        };
        let (fx, fy) = (x - left, y - top);
        let (u, v) = (fade(fx), fade(fy));
        let above = mix(corner(at(0, 0), fx, fy), corner(at(1, 0), fx - 1.0, fy), u);
        let below = mix(corner(at(0, 1), fx, fy - 1.0), corner(at(1, 1), fx - 1.0, fy - 1.0), u);
        sum += amplitude * mix(above, below, v);
        amplitude *= 0.5;
        frequency *= 2.0;
    }
    out[(py * width + px) as usize] = sum;
}

const NOISE: &str = r"
DEVICE float fade(float t) { return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f); }
DEVICE float between(float a, float b, float t) { return a + (b - a) * t; }
DEVICE float corner(uint hash, float x, float y) {
    switch (hash & 7u) {
        case 0u: return x + y;
        case 1u: return y - x;
        case 2u: return x - y;
        case 3u: return -x - y;
        case 4u: return x;
        case 5u: return -x;
        case 6u: return y;
        default: return -y;
    }
}
#define AT(dx, dy) uint(permutation[(uint(permutation[(column + dx) % 256u]) + row + dy) % 256u])
KERNEL {
    uint px = GLOBAL_X, py = GLOBAL_Y;
    float sum = 0.0f, amplitude = 1.0f, frequency = scale;
    for (int octave = 0; octave < 5; octave++) {
        float x = float(px) * frequency, y = float(py) * frequency;
        float left = floor(x), top = floor(y);
        uint column = uint(left) % 256u, row = uint(top) % 256u;
        float fx = x - left, fy = y - top;
        float u = fade(fx), v = fade(fy);
        float above = between(corner(AT(0u, 0u), fx, fy), corner(AT(1u, 0u), fx - 1.0f, fy), u);
        float below = between(corner(AT(0u, 1u), fx, fy - 1.0f), corner(AT(1u, 1u), fx - 1.0f, fy - 1.0f), u);
        sum += amplitude * between(above, below, v);
        amplitude *= 0.5f;
        frequency *= 2.0f;
    }
    result[py * width + px] = sum;
}
";

fn fours(numbers: Vec<f32>) -> Vec<[f32; 4]> {
    numbers.as_chunks().0.to_vec()
}

/// Points in cells, cell after cell, and where each cell starts.
fn in_cells(cells: usize, count: usize) -> (Vec<u32>, Vec<[f32; 4]>) {
    let cell_of = |point: &[f32; 4]| (point[1] * cells as f32) as usize * cells + (point[0] * cells as f32) as usize;
    let mut points: Vec<[f32; 4]> = fours(floats(4 * count));
    points.sort_by_key(cell_of);
    let mut starts = vec![0; cells * cells + 1];
    points.iter().for_each(|point| starts[cell_of(point) + 1] += 1);
    for cell in 0..cells * cells {
        starts[cell + 1] += starts[cell];
    }
    (starts, points)
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 16 } else { 1 << 8 };
    let width = if large { 2048usize } else { 64 };
    let cells = if large { 512 } else { 16 };
    let (starts, cloud) = in_cells(cells, 16 * n);
    let (queries, points) = (fours(floats(4 * n)), fours(floats(4 * 2048 + 4).split_off(4)));
    let spin = |len| bytes(len).into_iter().map(|byte| if byte & 1 == 0 { -1 } else { 1 }).collect::<Vec<i8>>();
    let mut permutation: Vec<u8> = (0..=255).collect();
    words(256).into_iter().enumerate().for_each(|(i, word)| permutation.swap(i, word as usize % (i + 1)));
    let field = if large { 4096usize } else { 64 };
    vec![
        Workload::new::<Neighbours>("nearest neighbours", [n / 128, 1, 1], NEIGHBOURS)
            .peer_value("queries_len", n as u32)
            .peer_value("points_len", 2048)
            .read("queries", queries)
            .read("points", points)
            .write::<u32>("found", NEAREST * n)
            .roughly(0.001),
        Workload::new::<Densities>("sums over cells", [16 * n / 128, 1, 1], DENSITIES)
            .value("cells", cells as u32)
            .value("radius", 1.0 / cells as f32)
            .peer_value("len", 16 * n as u32)
            .read("starts", starts)
            .read("points", cloud)
            .write::<f32>("density", 16 * n),
        Workload::new::<March>("surfaces by distance", [width / 16, width / 16, 1], MARCH)
            .value("width", width as u32)
            .value("height", width as u32)
            .write::<f32>("light", width * width)
            .roughly(0.01),
        Workload::new::<Spins>("spins of a magnet", [field / 64, field / 8, 1], SPINS)
            .value("width", field as u32)
            .value("height", field as u32)
            .value("colour", 0)
            .value("seed", 12345)
            .read("chances", vec![1.0f32, 1.0, 0.5, 0.17, 0.03])
            .read("others", spin(field * field / 2))
            .update("own", spin(field * field / 2)),
        Workload::new::<Noise>("noise", [width / 16, width / 16, 1], NOISE)
            .value("width", width as u32)
            .value("scale", 0.013f32)
            .read("permutation", permutation)
            .write::<f32>("result", width * width)
            .roughly(0.001),
    ]
}
