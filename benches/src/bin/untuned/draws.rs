//! Draws: Halton's points, prices with changing variance, paths of light.

use gridwise::prelude::*;

use crate::data::{floats, words};
use crate::workload::Workload;

/// The digits of a number, mirrored at the point.
#[device]
fn mirrored(mut n: u32, base: u32) -> f32 {
    let step = 1.0 / base as f32;
    let (mut result, mut place) = (0.0, step);
    while n > 0 {
        result += place * (n % base) as f32;
        n /= base;
        place *= step;
    }
    result
}

/// Points that fill a square evenly.
#[kernel(workgroup = [256])]
fn halton(first: u32, bases_a: u32, bases_b: u32, points: &mut [[f32; 2]]) {
    let i = global_id().x;
    if let Some(point) = points.get_mut(i as usize) {
        *point = [mirrored(first + i, bases_a), mirrored(first + i, bases_b)];
    }
}

const HALTON: &str = r"
DEVICE float mirrored(uint n, uint base) {
    float step = 1.0f / float(base), result = 0.0f, place = step;
    while (n > 0u) {
        result += place * float(n % base);
        n /= base;
        place *= step;
    }
    return result;
}
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    f32x2 point;
    point.v[0] = mirrored(first + i, bases_a);
    point.v[1] = mirrored(first + i, bases_b);
    points[i] = point;
}
";

#[device]
mod random {
    /// Numbers of PCG ("PCG: A family of simple fast space-efficient statistically good algorithms", O'Neill, 2014).
    pub(crate) struct Pcg {
        state: u64,
    }

    impl Pcg {
        pub(crate) fn new(seed: u32) -> Self {
            Self { state: (seed as u64) << 32 | 0x9e37_79b9 }
        }

        pub(crate) fn next(&mut self) -> u32 {
            let old = self.state;
            self.state = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mixed = ((old >> 18 ^ old) >> 27) as u32;
            mixed.rotate_right((old >> 59) as u32)
        }

        /// From 0 to 1.
        pub(crate) fn uniform(&mut self) -> f32 {
            (self.next() >> 8) as f32 * (1.0 / 16_777_216.0)
        }

        /// Two normal numbers (Box and Muller).
        pub(crate) fn normal(&mut self) -> (f32, f32) {
            let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
            let (sin, cos) = (std::f32::consts::TAU * self.uniform()).sin_cos();
            (radius * cos, radius * sin)
        }
    }
}

use random::Pcg;

/// Prices whose variance changes, too ("A closed-form solution for options with stochastic volatility", Heston, 1993).
#[kernel(workgroup = [128])]
fn heston(steps: u32, seeds: &[u32], prices: &mut [f32]) {
    let i = global_id().x as usize;
    let Some(&seed) = seeds.get(i) else { return };
    let mut random = Pcg::new(seed);
    let (dt, correlation) = (1.0 / steps as f32, -0.7f32);
    let across = (1.0 - correlation * correlation).sqrt();
    let (mut price, mut variance) = (0.0f32, 0.04f32);
    for _ in 0..steps {
        let (a, b) = random.normal();
        let b = correlation * a + across * b;
        let positive = variance.max(0.0);
        let deviation = (positive * dt).sqrt();
        price += (0.03 - 0.5 * positive) * dt + deviation * a;
        variance += 1.5 * (0.04 - positive) * dt + 0.3 * deviation * b;
    }
    prices[i] = 100.0 * price.exp();
}

const PCG: &str = r"
DEVICE uint drawn(INOUT(uint64_t) state) {
    uint64_t old = state;
    state = old * 6364136223846793005ul + 1442695040888963407ul;
    uint mixed = uint((old >> 18 ^ old) >> 27), by = uint(old >> 59);
    return mixed >> by | mixed << ((32u - by) & 31u);
}
DEVICE float uniform_of(INOUT(uint64_t) state) { return float(drawn(state) >> 8) * (1.0f / 16777216.0f); }
";

const HESTON: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint64_t state = uint64_t(seeds[i]) << 32 | uint64_t(0x9e3779b9u);
    float dt = 1.0f / float(steps), correlation = -0.7f;
    float across = sqrt(1.0f - correlation * correlation);
    float price = 0.0f, variance = 0.04f;
    for (uint k = 0u; k < steps; k++) {
        float radius = sqrt(-2.0f * log(1.0f - uniform_of(state)));
        float angle = 6.28318531f * uniform_of(state);
        float a = radius * cos(angle), b = radius * sin(angle);
        b = correlation * a + across * b;
        float positive = max(variance, 0.0f);
        float deviation = sqrt(positive * dt);
        price += (0.03f - 0.5f * positive) * dt + deviation * a;
        variance += 1.5f * (0.04f - positive) * dt + 0.3f * deviation * b;
    }
    prices[i] = 100.0f * exp(price);
}
";

#[device]
mod scene {
    use super::random::Pcg;
    use std::ops::{Add, Mul, Sub};

    #[derive(Clone, Copy, PartialEq)]
    pub(crate) struct Vec3 {
        pub(crate) x: f32,
        pub(crate) y: f32,
        pub(crate) z: f32,
    }

    impl Vec3 {
        pub(crate) const fn new(x: f32, y: f32, z: f32) -> Self {
            Self { x, y, z }
        }

        pub(crate) fn dot(self, other: Self) -> f32 {
            self.x * other.x + self.y * other.y + self.z * other.z
        }

        pub(crate) fn normalized(self) -> Self {
            self * (1.0 / self.dot(self).sqrt())
        }
    }

    impl Add for Vec3 {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
        }
    }

    impl Sub for Vec3 {
        type Output = Self;

        fn sub(self, other: Self) -> Self {
            Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
        }
    }

    impl Mul<f32> for Vec3 {
        type Output = Self;

        fn mul(self, by: f32) -> Self {
            Self::new(self.x * by, self.y * by, self.z * by)
        }
    }

    #[derive(Clone, Copy)]
    pub(crate) struct Ray {
        pub(crate) from: Vec3,
        pub(crate) along: Vec3,
    }

    #[derive(Clone, Copy)]
    pub(crate) struct Sphere {
        pub(crate) center: Vec3,
        pub(crate) radius: f32,
        pub(crate) material: Material,
    }

    #[derive(Clone, Copy)]
    pub(crate) enum Material {
        Light(f32),
        Rough(f32),
        Mirror(f32),
    }

    impl From<[f32; 8]> for Sphere {
        fn from([x, y, z, radius, kind, amount, ..]: [f32; 8]) -> Self {
            let material = match kind as u32 {
                0 => Material::Light(amount),
                1 => Material::Rough(amount),
                _ => Material::Mirror(amount),
            };
            Self { center: Vec3::new(x, y, z), radius, material }
        }
    }

    impl Sphere {
        /// How far along a ray it is.
        pub(crate) fn hit(&self, ray: &Ray) -> Option<f32> {
            let to = self.center - ray.from;
            let middle = to.dot(ray.along);
            let rest = self.radius * self.radius - (to.dot(to) - middle * middle);
            if rest < 0.0 {
                return None;
            }
            let half = rest.sqrt();
            [middle - half, middle + half].into_iter().find(|&at| at > 1e-3)
        }
    }

    pub(crate) fn any_direction(random: &mut Pcg) -> Vec3 {
        let z = 2.0 * random.uniform() - 1.0;
        let (sin, cos) = (std::f32::consts::TAU * random.uniform()).sin_cos();
        let around = (1.0 - z * z).max(0.0).sqrt();
        Vec3::new(around * cos, around * sin, z)
    }

    /// The light that comes along a ray.
    pub(crate) fn light(spheres: &[[f32; 8]], mut ray: Ray, random: &mut Pcg) -> f32 {
        let mut share = 1.0;
        for _ in 0..4 {
            let mut nearest: Option<(f32, Sphere)> = None;
            for &sphere in spheres {
                let sphere = Sphere::from(sphere);
                if let Some(at) = sphere.hit(&ray) {
                    if nearest.is_none_or(|(best, _)| at < best) {
                        nearest = Some((at, sphere));
                    }
                }
            }
            let Some((at, sphere)) = nearest else { return share * (0.5 + 0.5 * ray.along.y) };
            let place = ray.from + ray.along * at;
            let normal = (place - sphere.center).normalized();
            let along = match sphere.material {
                Material::Light(amount) => return share * amount,
                Material::Rough(amount) => {
                    share *= amount;
                    (normal + any_direction(random) * 0.999).normalized()
                }
                Material::Mirror(amount) => {
                    share *= amount;
                    ray.along - normal * (2.0 * ray.along.dot(normal))
                }
            };
            ray = Ray { from: place, along };
        }
        0.0
    }
}

use scene::{Ray, Vec3, light};

/// Light by the paths that it takes to each pixel, among spheres.
#[kernel(workgroup = [16, 8])]
fn light_paths(width: u32, samples: u32, spheres: &[[f32; 8]], image: &mut [f32]) {
    let id = global_id();
    let mut random = Pcg::new(id.y * width + id.x);
    let mut sum = 0.0;
    for _ in 0..samples {
        let x = (id.x as f32 + random.uniform()) / width as f32 - 0.5;
        let y = (id.y as f32 + random.uniform()) / width as f32 - 0.5;
        let ray = Ray { from: Vec3::new(0.0, 0.0, -3.0), along: Vec3::new(x, -y, 1.0).normalized() };
        sum += light(spheres, ray, &mut random);
    }
    image[(id.y * width + id.x) as usize] = sum / samples as f32;
}

const LIGHT_PATHS: &str = r"
KERNEL {
    uint64_t state = uint64_t(GLOBAL_Y * width + GLOBAL_X) << 32 | uint64_t(0x9e3779b9u);
    float sum = 0.0f;
    for (uint sample_at = 0u; sample_at < samples; sample_at++) {
        float dx = (float(GLOBAL_X) + uniform_of(state)) / float(width) - 0.5f;
        float dy = -((float(GLOBAL_Y) + uniform_of(state)) / float(width) - 0.5f);
        float dz = 1.0f, scale = 1.0f / sqrt(dx * dx + dy * dy + 1.0f);
        dx *= scale;
        dy *= scale;
        dz *= scale;
        float ox = 0.0f, oy = 0.0f, oz = -3.0f, share = 1.0f;
        for (uint bounce = 0u; bounce < 4u; bounce++) {
            float nearest = 1e30f;
            uint hit = 0xffffffffu;
            for (uint k = 0u; k < count; k++) {
                float tx = spheres[k].v[0] - ox, ty = spheres[k].v[1] - oy, tz = spheres[k].v[2] - oz;
                float radius = spheres[k].v[3];
                float middle = tx * dx + ty * dy + tz * dz;
                float rest = radius * radius - (tx * tx + ty * ty + tz * tz - middle * middle);
                if (rest < 0.0f) continue;
                float half_of = sqrt(rest);
                float at = middle - half_of > 1e-3f ? middle - half_of : middle + half_of;
                if (at > 1e-3f && at < nearest) {
                    nearest = at;
                    hit = k;
                }
            }
            if (hit == 0xffffffffu) {
                sum += share * (0.5f + 0.5f * dy);
                break;
            }
            ox += dx * nearest;
            oy += dy * nearest;
            oz += dz * nearest;
            f32x8 sphere = spheres[hit];
            float nx = ox - sphere.v[0], ny = oy - sphere.v[1], nz = oz - sphere.v[2];
            float by = 1.0f / sqrt(nx * nx + ny * ny + nz * nz);
            nx *= by;
            ny *= by;
            nz *= by;
            uint kind = uint(sphere.v[4]);
            if (kind == 0u) {
                sum += share * sphere.v[5];
                break;
            }
            share *= sphere.v[5];
            if (kind == 1u) {
                float z = 2.0f * uniform_of(state) - 1.0f;
                float angle = 6.28318531f * uniform_of(state);
                float around = sqrt(max(1.0f - z * z, 0.0f));
                dx = nx + around * cos(angle) * 0.999f;
                dy = ny + around * sin(angle) * 0.999f;
                dz = nz + z * 0.999f;
                float length_of = 1.0f / sqrt(dx * dx + dy * dy + dz * dz);
                dx *= length_of;
                dy *= length_of;
                dz *= length_of;
            } else {
                float twice = 2.0f * (dx * nx + dy * ny + dz * nz);
                dx -= nx * twice;
                dy -= ny * twice;
                dz -= nz * twice;
            }
        }
    }
    image[GLOBAL_Y * width + GLOBAL_X] = sum / float(samples);
}
";

/// Spheres in front of the eye, of all materials.
fn spheres(len: usize) -> Vec<[f32; 8]> {
    let numbers = floats(8 * len);
    let spheres = numbers.as_chunks::<8>().0.iter().enumerate();
    let sphere = |(k, &[x, y, z, radius, amount, ..]): (usize, &[f32; 8])| {
        let amount = if k % 3 == 0 { 4.0 * amount } else { 0.3 + 0.6 * amount };
        [3.0 * x - 1.5, 3.0 * y - 1.5, 2.0 * z, 0.1 + 0.3 * radius, (k % 3) as f32, amount, 0.0, 0.0]
    };
    spheres.map(sphere).collect()
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 22 } else { 1 << 12 };
    let width = if large { 512 } else { 64 };
    vec![
        Workload::new::<Halton>("points of Halton", [n / 256, 1, 1], HALTON)
            .value("first", 12_345)
            .value("bases_a", 2)
            .value("bases_b", 3)
            .peer_value("len", n as u32)
            .write::<[f32; 2]>("points", n),
        Workload::new::<Heston>("prices by Heston", [n / 32 / 128, 1, 1], HESTON)
            .with_helper(PCG)
            .value("steps", 100)
            .peer_value("len", n as u32 / 32)
            .read("seeds", words(n / 32))
            .write::<f32>("prices", n / 32),
        Workload::new::<LightPaths>("paths of light", [width / 16, width / 8, 1], LIGHT_PATHS)
            .with_helper(PCG)
            .value("width", width as u32)
            .value("samples", 8)
            .peer_value("count", 24)
            .read("spheres", spheres(24))
            .write::<f32>("image", width * width)
            .roughly(0.02),
    ]
}
