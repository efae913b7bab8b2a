//! Shapes: rays in a tree of boxes, triangles hit by rays, skin on bones, a tree of prices, contours, orbits of rotations.

use std::sync::atomic::Ordering;

use gridwise::prelude::*;

use crate::data::{floats, words};
use crate::workload::Workload;

#[device]
mod ray {
    use gridwise::prelude::Vec3;

    #[derive(Clone, Copy)]
    pub(crate) struct Ray {
        pub(crate) from: Vec3,
        pub(crate) along: Vec3,
    }

    impl Ray {
        /// The distance at which the ray meets a triangle (Möller and Trumbore).
        pub(crate) fn meets(&self, a: Vec3, b: Vec3, c: Vec3) -> Option<f32> {
            let (ab, ac) = (b - a, c - a);
            let p = self.along.cross(ac);
            let determinant = ab.dot(p);
            if determinant.abs() < 1e-6 {
                return None;
            }
            let inverse = 1.0 / determinant;
            let t = self.from - a;
            let u = t.dot(p) * inverse;
            if !(0.0..=1.0).contains(&u) {
                return None;
            }
            let q = t.cross(ab);
            let v = self.along.dot(q) * inverse;
            if v < 0.0 || u + v > 1.0 {
                return None;
            }
            let distance = ac.dot(q) * inverse;
            (distance > 1e-4).then_some(distance)
        }
    }
}

use ray::Ray;

/// The nearest of some triangles for each ray.
#[kernel(workgroup = [128])]
fn hits(corners: &[[f32; 4]], rays: &[[f32; 8]], nearest: &mut [f32]) {
    let i = global_id().x as usize;
    if i >= rays.len() {
        return;
    }
    let r = rays[i];
    let ray = Ray { from: Vec3::new(r[0], r[1], r[2]), along: Vec3::new(r[3], r[4], r[5]) };
    let point = |p: [f32; 4]| Vec3::new(p[0], p[1], p[2]);
    let mut best = f32::INFINITY;
    for triangle in corners.chunks_exact(3) {
        if let Some(distance) = ray.meets(point(triangle[0]), point(triangle[1]), point(triangle[2])) {
            best = best.min(distance);
        }
    }
    nearest[i] = best;
}

const HITS: &str = r"
DEVICE vec3 make3(float x, float y, float z) { vec3 p; p.x = x; p.y = y; p.z = z; return p; }
DEVICE vec3 minus(vec3 a, vec3 b) { return make3(a.x - b.x, a.y - b.y, a.z - b.z); }
DEVICE float times(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
DEVICE vec3 across(vec3 a, vec3 b) {
    return make3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    f32x8 r = rays[i];
    vec3 from = make3(r.v[0], r.v[1], r.v[2]), along = make3(r.v[3], r.v[4], r.v[5]);
    float best = 1.0f / 0.0f;
    for (uint k = 0u; k < triangles; k++) {
        f32x4 pa = corners[3u * k], pb = corners[3u * k + 1u], pc = corners[3u * k + 2u];
        vec3 a = make3(pa.v[0], pa.v[1], pa.v[2]);
        vec3 ab = minus(make3(pb.v[0], pb.v[1], pb.v[2]), a), ac = minus(make3(pc.v[0], pc.v[1], pc.v[2]), a);
        vec3 p = across(along, ac);
        float determinant_of = times(ab, p);
        if (abs(determinant_of) < 1e-6f) continue;
        float inverse_of = 1.0f / determinant_of;
        vec3 t = minus(from, a);
        float u = times(t, p) * inverse_of;
        if (!(u >= 0.0f && u <= 1.0f)) continue;
        vec3 q = across(t, ab);
        float v = times(along, q) * inverse_of;
        if (v < 0.0f || u + v > 1.0f) continue;
        float distance_of = times(ac, q) * inverse_of;
        if (distance_of > 1e-4f) best = min(best, distance_of);
    }
    nearest[i] = best;
}
";

/// Counts the leaves of a tree of boxes that a ray passes: a node has its box, its children are `2 i + 1` and `2 i + 2`.
#[kernel(workgroup = [128])]
fn boxes(inner: u32, low: &[[f32; 4]], high: &[[f32; 4]], rays: &[[f32; 8]], counts: &mut [u32]) {
    let i = global_id().x as usize;
    if i >= rays.len() {
        return;
    }
    let r = rays[i];
    let (from, inverse) = ([r[0], r[1], r[2]], [1.0 / r[3], 1.0 / r[4], 1.0 / r[5]]);
    let mut stack = [0u32; 24];
    let mut len = 1;
    let mut count = 0;
    while len > 0 {
        len -= 1;
        let node = stack[len];
        let (low, high) = (low[node as usize], high[node as usize]);
        let (mut near, mut far) = (0.0f32, f32::INFINITY);
        for k in 0..3 {
            let a = (low[k] - from[k]) * inverse[k];
            let b = (high[k] - from[k]) * inverse[k];
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
        if near > far {
            continue;
        }
        if node >= inner {
            count += 1;
        } else {
            stack[len] = 2 * node + 1;
            stack[len + 1] = 2 * node + 2;
            len += 2;
        }
    }
    counts[i] = count;
}

const BOXES: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    f32x8 r = rays[i];
    float from[3], inverse_of[3];
    for (int k = 0; k < 3; k++) { from[k] = r.v[k]; inverse_of[k] = 1.0f / r.v[3 + k]; }
    uint stack[24];
    stack[0] = 0u;
    uint used = 1u, count = 0u;
    while (used > 0u) {
        used--;
        uint node = stack[used];
        f32x4 l = low[node], h = high[node];
        float near_at = 0.0f, far_at = 1.0f / 0.0f;
        for (int k = 0; k < 3; k++) {
            float a = (l.v[k] - from[k]) * inverse_of[k], b = (h.v[k] - from[k]) * inverse_of[k];
            near_at = max(near_at, min(a, b));
            far_at = min(far_at, max(a, b));
        }
        if (near_at > far_at) continue;
        if (node >= inner) count++;
        else {
            stack[used] = 2u * node + 1u;
            stack[used + 1u] = 2u * node + 2u;
            used += 2u;
        }
    }
    counts[i] = count;
}
";

/// Moves points by the four bones that hold them.
#[kernel(workgroup = [256])]
fn skin(bones: &[[f32; 12]], points: &[[f32; 4]], holds: &[[u32; 4]], weights: &[[f32; 4]], moved: &mut [[f32; 4]]) {
    let i = global_id().x as usize;
    if i >= points.len() {
        return;
    }
    let (point, holds, weights) = (points[i], holds[i], weights[i]);
    let mut sum = [0.0f32; 4];
    for (bone, weight) in holds.into_iter().zip(weights) {
        let bone = bones[bone as usize];
        for row in 0..3 {
            let m = &bone[4 * row..4 * row + 4];
            sum[row] += weight * (m[0] * point[0] + m[1] * point[1] + m[2] * point[2] + m[3]);
        }
    }
    moved[i] = sum;
}

const SKIN: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    f32x4 point = points[i], weight = weights[i], sum;
    u32x4 hold = holds[i];
    for (int k = 0; k < 4; k++) sum.v[k] = 0.0f;
    for (int b = 0; b < 4; b++) {
        f32x12 bone = bones[hold.v[b]];
        for (int row = 0; row < 3; row++)
            sum.v[row] += weight.v[b] * (bone.v[4 * row] * point.v[0] + bone.v[4 * row + 1] * point.v[1]
                + bone.v[4 * row + 2] * point.v[2] + bone.v[4 * row + 3]);
    }
    moved[i] = sum;
}
";

/// Prices of American puts by trees of 256 steps, a workgroup an option.
#[kernel(workgroup = 256)]
fn price_tree(rate: f32, volatility: f32, time: f32, spots: &[f32], prices: &mut [f32]) {
    let mut values = Shared::<[f32; 257]>::new();
    let local = local_id().x as usize;
    let spot = spots[workgroup_id().x as usize];
    let step = time / 256.0;
    let up = (volatility * step.sqrt()).exp();
    let discount = (-rate * step).exp();
    let chance = ((rate * step).exp() - 1.0 / up) / (up - 1.0 / up);
    let spot_at = |step: usize, ups: usize| spot * up.powi(2 * ups as i32 - step as i32);
    values[local] = (1.0 - spot_at(256, local)).max(0.0);
    if local == 0 {
        values[256] = (1.0 - spot_at(256, 256)).max(0.0);
    }
    barrier();
    for level in (0..256).rev() {
        let mut value = 0.0;
        if local <= level {
            let held = discount * (chance * values[local + 1] + (1.0 - chance) * values[local]);
            value = held.max(1.0 - spot_at(level, local));
        }
        barrier();
        if local <= level {
            values[local] = value;
        }
        barrier();
    }
    if local == 0 {
        prices[workgroup_id().x as usize] = values[0];
    }
}

const PRICE_TREE: &str = r"
SHARED float values[257];
KERNEL {
    uint local = LOCAL_X;
    float spot = spots[GROUP_X];
    float size = time / 256.0f;
    float up = exp(volatility * sqrt(size));
    float discount = exp(-rate * size);
    float chance = (exp(rate * size) - 1.0f / up) / (up - 1.0f / up);
    values[local] = max(1.0f - spot * pow(up, float(2 * int(local) - 256)), 0.0f);
    if (local == 0u) values[256] = max(1.0f - spot * pow(up, 256.0f), 0.0f);
    BARRIER;
    for (int level = 255; level >= 0; level--) {
        float value = 0.0f;
        if (int(local) <= level) {
            float held = discount * (chance * values[local + 1u] + (1.0f - chance) * values[local]);
            value = max(held, 1.0f - spot * pow(up, float(2 * int(local) - level)));
        }
        BARRIER;
        if (int(local) <= level) values[local] = value;
        BARRIER;
    }
    if (local == 0u) prices[GROUP_X] = values[0];
}
";

/// Cells that a contour crosses, appended to a list with their case (marching squares).
#[kernel(workgroup = [16, 16])]
fn contours(width: u32, height: u32, level: f32, field: &[f32], count: &[Atomic<u32>], cells: &mut [u32]) {
    let (x, y) = (global_id().x, global_id().y);
    if x + 1 >= width || y + 1 >= height {
        return;
    }
    let at = |dx: u32, dy: u32| field[((y + dy) * width + x + dx) as usize] > level;
    let case = at(0, 0) as u32 | (at(1, 0) as u32) << 1 | (at(1, 1) as u32) << 2 | (at(0, 1) as u32) << 3;
    if case != 0 && case != 15 {
        let place = count[0].fetch_add(1, Ordering::Relaxed) as usize;
        if place < cells.len() {
            cells[place] = (y * width + x) << 4 | case;
        }
    }
}

const CONTOURS: &str = r"
#define ABOVE(dx, dy) (field[(y + dy) * width + x + dx] > level ? 1u : 0u)
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x + 1u >= width || y + 1u >= height) return;
    uint which = ABOVE(0u, 0u) | ABOVE(1u, 0u) << 1 | ABOVE(1u, 1u) << 2 | ABOVE(0u, 1u) << 3;
    if (which != 0u && which != 15u) {
        uint place = ATOMIC_ADD(count[0], 1u);
        if (place < len) cells[place] = (y * width + x) << 4 | which;
    }
}
";

#[device]
mod quaternion {
    use std::ops::Mul;

    #[derive(Clone, Copy)]
    pub(crate) struct Quaternion {
        pub(crate) w: f32,
        pub(crate) x: f32,
        pub(crate) y: f32,
        pub(crate) z: f32,
    }

    impl Mul for Quaternion {
        type Output = Self;
        fn mul(self, o: Self) -> Self {
            Self {
                w: self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
                x: self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
                y: self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
                z: self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
            }
        }
    }

    impl Quaternion {
        pub(crate) fn unit(self) -> Self {
            let scale = 1.0 / (self.w * self.w + self.x * self.x + self.y * self.y + self.z * self.z).sqrt();
            Self { w: self.w * scale, x: self.x * scale, y: self.y * scale, z: self.z * scale }
        }
    }
}

use quaternion::Quaternion;

/// Turns bodies by their spin for some steps.
#[kernel(workgroup = [256])]
fn turns(steps: u32, time: f32, spins: &[[f32; 4]], turned: &mut [[f32; 4]]) {
    let i = global_id().x as usize;
    let Some(spin) = spins.get(i) else { return };
    let half = 0.5 * time;
    let turn = Quaternion { w: 1.0, x: spin[0] * half, y: spin[1] * half, z: spin[2] * half };
    let mut q = Quaternion { w: 1.0, x: 0.0, y: 0.0, z: 0.0 };
    for _ in 0..steps {
        q = (q * turn).unit();
    }
    turned[i] = [q.w, q.x, q.y, q.z];
}

const TURNS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    f32x4 spin = spins[i], q;
    float tx = spin.v[0] * (0.5f * time), ty = spin.v[1] * (0.5f * time), tz = spin.v[2] * (0.5f * time);
    q.v[0] = 1.0f; q.v[1] = 0.0f; q.v[2] = 0.0f; q.v[3] = 0.0f;
    for (uint k = 0u; k < steps; k++) {
        float w = q.v[0] - q.v[1] * tx - q.v[2] * ty - q.v[3] * tz;
        float x = q.v[0] * tx + q.v[1] + q.v[2] * tz - q.v[3] * ty;
        float y = q.v[0] * ty - q.v[1] * tz + q.v[2] + q.v[3] * tx;
        float z = q.v[0] * tz + q.v[1] * ty - q.v[2] * tx + q.v[3];
        float scale = 1.0f / sqrt(w * w + x * x + y * y + z * z);
        q.v[0] = w * scale; q.v[1] = x * scale; q.v[2] = y * scale; q.v[3] = z * scale;
    }
    turned[i] = q;
}
";

/// A tree of boxes over leaves in a row along a curve, as low and high corners.
fn tree(leaves: usize) -> (Vec<[f32; 4]>, Vec<[f32; 4]>) {
    let numbers = floats(3 * leaves);
    let mut low = vec![[0.0f32; 4]; 2 * leaves - 1];
    let mut high = low.clone();
    for (leaf, p) in numbers.chunks_exact(3).enumerate() {
        let along = leaf as f32 / leaves as f32;
        let at = leaves - 1 + leaf;
        low[at] = [along, p[1] * 0.9, p[2] * 0.9, 0.0];
        high[at] = [along + 0.02, p[1] * 0.9 + 0.02, p[2] * 0.9 + 0.02, 0.0];
    }
    for node in (0..leaves - 1).rev() {
        for k in 0..3 {
            low[node][k] = low[2 * node + 1][k].min(low[2 * node + 2][k]);
            high[node][k] = high[2 * node + 1][k].max(high[2 * node + 2][k]);
        }
    }
    (low, high)
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 20 } else { 1 << 10 };
    let (triangles, leaves) = if large { (256, 1 << 12) } else { (16, 1 << 5) };
    let (width, height) = if large { (4096, 2048) } else { (64, 32) };
    let options = if large { 4096 } else { 16 };
    let rays = |count: usize| -> Vec<[f32; 8]> {
        let ray = |x: &[f32; 8]| [x[0], x[1], x[2], x[3] - 0.5, x[4] - 0.5, x[5] - 0.5, 0.0, 0.0];
        floats(8 * count).as_chunks().0.iter().map(ray).collect()
    };
    let (low, high) = tree(leaves);
    let fours = |count: usize| floats(4 * count).as_chunks().0.to_vec();
    let holds = words(4 * n).into_iter().map(|word| word % 64).collect::<Vec<_>>().as_chunks().0.to_vec();
    vec![
        Workload::new::<Hits>("triangles and rays", [n / 4 / 128, 1, 1], HITS)
            .peer_value("len", n as u32 / 4)
            .peer_value("triangles", triangles as u32)
            .read::<[f32; 4]>("corners", fours(3 * triangles))
            .read("rays", rays(n / 4))
            .write::<f32>("nearest", n / 4)
            .roughly(0.001),
        Workload::new::<Boxes>("tree of boxes", [n / 16 / 128, 1, 1], BOXES)
            .value("inner", leaves as u32 - 1)
            .peer_value("len", n as u32 / 16)
            .read("low", low)
            .read("high", high)
            .read("rays", rays(n / 16))
            .write::<u32>("counts", n / 16)
            .roughly(0.001),
        Workload::new::<Skin>("skin on bones", [n / 256, 1, 1], SKIN)
            .peer_value("len", n as u32)
            .read::<[f32; 12]>("bones", floats(12 * 64).as_chunks().0.to_vec())
            .read::<[f32; 4]>("points", fours(n))
            .read::<[u32; 4]>("holds", holds)
            .read::<[f32; 4]>("weights", fours(n))
            .write::<[f32; 4]>("moved", n),
        Workload::new::<PriceTree>("tree of prices", [options, 1, 1], PRICE_TREE)
            .value("rate", 0.05f32)
            .value("volatility", 0.3f32)
            .value("time", 1.0f32)
            .read("spots", floats(options).into_iter().map(|x| 0.5 + x).collect())
            .write::<f32>("prices", options),
        Workload::new::<Contours>("contours", [width / 16, height / 16, 1], CONTOURS)
            .value("width", width as u32)
            .value("height", height as u32)
            .value("level", 0.9f32)
            .peer_value("len", (width * height) as u32)
            .read("field", floats(width * height))
            .write::<u32>("count", 1)
            .write::<u32>("cells", width * height)
            .in_any_order(),
        Workload::new::<Turns>("turns of bodies", [n / 256, 1, 1], TURNS)
            .value("steps", 100)
            .value("time", 0.01f32)
            .peer_value("len", n as u32)
            .read::<[f32; 4]>("spins", fours(n))
            .write::<[f32; 4]>("turned", n),
    ]
}
