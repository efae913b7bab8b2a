//! Meshes and trees: points in a polygon, a tree over sorted codes, a cloth of springs.

use gridwise::prelude::*;

use crate::data::{floats, words};
use crate::workload::Workload;

/// Whether points lie in a polygon: a ray to the right crosses its edges an odd number of times.
#[kernel(workgroup = [256])]
fn inside(points: &[[f32; 2]], polygon: &[[f32; 2]], is_inside: &mut [u8]) {
    let i = global_id().x as usize;
    let Some(&[x, y]) = points.get(i) else { return };
    let mut crossings = 0;
    let mut previous = polygon[polygon.len() - 1];
    for &corner in polygon {
        let ([x0, y0], [x1, y1]) = (previous, corner);
        if (y0 > y) != (y1 > y) && x < (x1 - x0) * (y - y0) / (y1 - y0) + x0 {
            crossings += 1;
        }
        previous = corner;
    }
    is_inside[i] = (crossings % 2) as u8;
}

const INSIDE: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    float x = points[i].v[0], y = points[i].v[1];
    uint crossings = 0u;
    f32x2 previous = polygon[corners - 1u];
    for (uint k = 0u; k < corners; k++) {
        f32x2 corner = polygon[k];
        float x0 = previous.v[0], y0 = previous.v[1], x1 = corner.v[0], y1 = corner.v[1];
        if ((y0 > y) != (y1 > y) && x < (x1 - x0) * (y - y0) / (y1 - y0) + x0) crossings++;
        previous = corner;
    }
    is_inside[i] = BYTE(crossings % 2u);
}
";

/// The inner nodes of a binary tree over sorted codes, each with its children ("Maximizing parallelism in the construction of BVHs, octrees, and
/// k-d trees", Karras, 2012).
#[kernel(workgroup = [256])]
fn radix_tree(codes: &[u32], children: &mut [[u32; 2]]) {
    let i = global_id().x as i32;
    let len = codes.len() as i32;
    if i >= len - 1 {
        return;
    }
    let common = |j: i32| {
        if (0..len).contains(&j) { (codes[i as usize] ^ codes[j as usize]).leading_zeros() as i32 } else { -1 }
    };
    let direction = if common(i + 1) > common(i - 1) { 1 } else { -1 };
    let least = common(i - direction);
    let mut most = 2;
    while common(i + most * direction) > least {
        most *= 2;
    }
    let mut extent = 0;
    let mut step = most / 2;
    while step > 0 {
        if common(i + (extent + step) * direction) > least {
            extent += step;
        }
        step /= 2;
    }
    let other_end = i + extent * direction;
    let of_node = common(other_end);
    let mut split = 0;
    let mut step = extent;
    while step > 1 {
        step = (step + 1) / 2;
        if common(i + (split + step) * direction) > of_node {
            split += step;
        }
    }
    let split = i + split * direction + direction.min(0);
    // Leaves have a bit of their own.
    let child = |at: i32, end: i32| if at == end { at as u32 | 1 << 31 } else { at as u32 };
    children[i as usize] = [child(split, i.min(other_end)), child(split + 1, i.max(other_end))];
}

const RADIX_TREE: &str = r"
#define COMMON(j) ((j) >= 0 && (j) < n ? ZEROS(code ^ codes[j]) : -1)
KERNEL {
    int i = int(GLOBAL_X), n = int(len);
    if (i >= n - 1) return;
    uint code = codes[i];
    int direction = COMMON(i + 1) > COMMON(i - 1) ? 1 : -1;
    int least = COMMON(i - direction);
    int most = 2;
    while (COMMON(i + most * direction) > least) most *= 2;
    int extent = 0;
    for (int step = most / 2; step > 0; step /= 2) {
        if (COMMON(i + (extent + step) * direction) > least) extent += step;
    }
    int other_end = i + extent * direction;
    int of_node = COMMON(other_end);
    int split = 0;
    int step = extent;
    while (step > 1) {
        step = (step + 1) / 2;
        if (COMMON(i + (split + step) * direction) > of_node) split += step;
    }
    split = i + split * direction + min(direction, 0);
    u32x2 both;
    both.v[0] = split == min(i, other_end) ? uint(split) | 0x80000000u : uint(split);
    both.v[1] = split + 1 == max(i, other_end) ? uint(split + 1) | 0x80000000u : uint(split + 1);
    children[i] = both;
}
";

const ZEROS: &str = "
#ifdef __CUDACC__
#define ZEROS(x) __clz(x)
#else
#define ZEROS(x) (31 - findMSB(x))
#endif
";

#[device]
mod space {
    use std::ops::{Add, AddAssign, Mul, Sub};

    #[derive(Clone, Copy, Default)]
    pub(crate) struct Vector {
        x: f32,
        y: f32,
        z: f32,
    }

    impl Vector {
        pub(crate) fn new([x, y, z, _]: [f32; 4]) -> Self {
            Self { x, y, z }
        }

        pub(crate) fn down(by: f32) -> Self {
            Self { y: -by, ..Self::default() }
        }

        pub(crate) fn dot(self, other: Self) -> f32 {
            self.x * other.x + self.y * other.y + self.z * other.z
        }

        pub(crate) fn length(self) -> f32 {
            self.dot(self).sqrt()
        }

        pub(crate) fn with(self, w: f32) -> [f32; 4] {
            [self.x, self.y, self.z, w]
        }
    }

    impl Add for Vector {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
        }
    }

    impl AddAssign for Vector {
        fn add_assign(&mut self, other: Self) {
            *self = *self + other;
        }
    }

    impl Sub for Vector {
        type Output = Self;

        fn sub(self, other: Self) -> Self {
            Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
        }
    }

    impl Mul<f32> for Vector {
        type Output = Self;

        fn mul(self, by: f32) -> Self {
            Self { x: self.x * by, y: self.y * by, z: self.z * by }
        }
    }
}

use space::Vector;

/// Steps to the knots that a spring joins with one, and how long it is at rest.
#[device]
const SPRINGS: [(i32, i32, f32); 8] = [
    (-1, 0, 1.0),
    (1, 0, 1.0),
    (0, -1, 1.0),
    (0, 1, 1.0),
    (-1, -1, std::f32::consts::SQRT_2),
    (1, -1, std::f32::consts::SQRT_2),
    (-1, 1, std::f32::consts::SQRT_2),
    (1, 1, std::f32::consts::SQRT_2),
];

/// A step of a cloth whose knots are joined by springs.
#[kernel(workgroup = [16, 16])]
fn cloth(
    width: u32,
    height: u32,
    stiffness: f32,
    step: f32,
    places: &[[f32; 4]],
    speeds: &[[f32; 4]],
    moved: &mut [[f32; 4]],
    changed: &mut [[f32; 4]],
) {
    let (x, y) = (global_id().x, global_id().y);
    if x >= width || y >= height {
        return;
    }
    let at = (y * width + x) as usize;
    let (place, speed) = (Vector::new(places[at]), Vector::new(speeds[at]));
    let mut force = Vector::down(9.81);
    for (dx, dy, rest) in SPRINGS {
        let (Some(x), Some(y)) = (x.checked_add_signed(dx), y.checked_add_signed(dy)) else { continue };
        if x >= width || y >= height {
            continue;
        }
        let to = Vector::new(places[(y * width + x) as usize]) - place;
        let length = to.length();
        if length > 1e-6 {
            force += to * (stiffness * (length - rest) / length);
        }
    }
    let speed = (speed + force * step) * 0.995;
    moved[at] = (place + speed * step).with(1.0);
    changed[at] = speed.with(0.0);
}

const CLOTH: &str = r"
TABLE int DX[8] = {-1, 1, 0, 0, -1, 1, -1, 1};
TABLE int DY[8] = {0, 0, -1, 1, -1, -1, 1, 1};
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x >= width || y >= height) return;
    uint at = y * width + x;
    f32x4 place = places[at], speed = speeds[at];
    float fx = 0.0f, fy = -9.81f, fz = 0.0f;
    for (uint k = 0u; k < 8u; k++) {
        int ox = int(x) + DX[k], oy = int(y) + DY[k];
        if (ox < 0 || oy < 0 || uint(ox) >= width || uint(oy) >= height) continue;
        float rest = k < 4u ? 1.0f : 1.41421356f;
        f32x4 other = places[uint(oy) * width + uint(ox)];
        float tx = other.v[0] - place.v[0], ty = other.v[1] - place.v[1], tz = other.v[2] - place.v[2];
        float size = sqrt(tx * tx + ty * ty + tz * tz);
        if (size > 1e-6f) {
            float by = stiffness * (size - rest) / size;
            fx += tx * by;
            fy += ty * by;
            fz += tz * by;
        }
    }
    float sx = (speed.v[0] + fx * step) * 0.995f;
    float sy = (speed.v[1] + fy * step) * 0.995f;
    float sz = (speed.v[2] + fz * step) * 0.995f;
    f32x4 result;
    result.v[0] = place.v[0] + sx * step;
    result.v[1] = place.v[1] + sy * step;
    result.v[2] = place.v[2] + sz * step;
    result.v[3] = 1.0f;
    moved[at] = result;
    result.v[0] = sx;
    result.v[1] = sy;
    result.v[2] = sz;
    result.v[3] = 0.0f;
    changed[at] = result;
}
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 20 } else { 1 << 12 };
    let side = if large { 1024 } else { 64 };
    let pairs = |len: usize| floats(2 * len).as_chunks().0.to_vec();
    let mut codes = words(2 * n);
    codes.sort_unstable();
    codes.dedup();
    codes.truncate(n);
    let corners = 100;
    let polygon = (0..corners).zip(floats(corners)).map(|(k, radius)| {
        let (sin, cos) = (k as f32 / corners as f32 * std::f32::consts::TAU).sin_cos();
        [0.5 + 0.5 * radius * cos, 0.5 + 0.5 * radius * sin]
    });
    let knots = floats(4 * side * side);
    let knots = knots
        .as_chunks::<4>()
        .0
        .iter()
        .enumerate()
        .map(|(at, &[x, y, z, _])| [(at % side) as f32 + 0.2 * x, (at / side) as f32 + 0.2 * y, 0.2 * z, 1.0]);
    vec![
        Workload::new::<Inside>("points in a polygon", [n / 256, 1, 1], INSIDE)
            .with_helper(super::pictures::BYTE)
            .peer_value("len", n as u32)
            .peer_value("corners", corners as u32)
            .read::<[f32; 2]>("points", pairs(n))
            .read::<[f32; 2]>("polygon", polygon.collect())
            .write::<u8>("is_inside", n)
            .roughly(0.001),
        Workload::new::<RadixTree>("tree over sorted codes", [n / 256, 1, 1], RADIX_TREE)
            .with_helper(ZEROS)
            .peer_value("len", n as u32)
            .read("codes", codes)
            .write::<[u32; 2]>("children", n),
        Workload::new::<Cloth>("cloth", [side / 16, side / 16, 1], CLOTH)
            .value("width", side as u32)
            .value("height", side as u32)
            .value("stiffness", 40.0f32)
            .value("step", 0.01f32)
            .read::<[f32; 4]>("places", knots.collect())
            .read::<[f32; 4]>("speeds", floats(4 * side * side).as_chunks().0.to_vec())
            .write::<[f32; 4]>("moved", side * side)
            .write::<[f32; 4]>("changed", side * side),
    ]
}
