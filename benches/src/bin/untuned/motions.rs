//! Motions: waves of an electromagnetic field, flocks, reactions by chance, orbits, water on land, the nearest town.

use gridwise::prelude::*;

use crate::data::{doubles, floats, words};
use crate::workload::Workload;

/// A step of the electric field on Yee's grid, with an absorbing rim.
#[kernel(workgroup = [16, 16])]
fn electromagnetic(width: u32, height: u32, hx: &[f32], hy: &[f32], losses: &[f32], ez: &mut [f32]) {
    let (x, y) = (global_id().x, global_id().y);
    if x == 0 || y == 0 || x >= width - 1 || y >= height - 1 {
        return;
    }
    let at = (y * width + x) as usize;
    let curl = (hy[at] - hy[at - 1]) - (hx[at] - hx[at - width as usize]);
    let loss = losses[at];
    ez[at] = ez[at] * (1.0 - loss) / (1.0 + loss) + 0.5 * curl / (1.0 + loss);
}

const ELECTROMAGNETIC: &str = r"
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x == 0u || y == 0u || x >= width - 1u || y >= height - 1u) return;
    uint at = y * width + x;
    float curl = (hy[at] - hy[at - 1u]) - (hx[at] - hx[at - width]);
    float loss = losses[at];
    ez[at] = ez[at] * (1.0f - loss) / (1.0f + loss) + 0.5f * curl / (1.0f + loss);
}
";

/// One step of birds that keep together, apart, and in one direction.
#[kernel(workgroup = [128])]
fn flock(places: &[[f32; 2]], speeds: &[[f32; 2]], moved: &mut [[f32; 4]]) {
    let i = global_id().x as usize;
    if i >= moved.len() {
        return;
    }
    let ([x, y], [vx, vy]) = (places[i], speeds[i]);
    let (mut count, mut sum_x, mut sum_y, mut sum_vx, mut sum_vy) = (0, 0.0, 0.0, 0.0, 0.0);
    let (mut away_x, mut away_y) = (0.0, 0.0);
    for (j, (&[px, py], &[wx, wy])) in places.iter().zip(speeds).enumerate() {
        let (dx, dy) = (px - x, py - y);
        let square = dx * dx + dy * dy;
        if j == i || square > 0.01 {
            continue;
        }
        count += 1;
        sum_x += px;
        sum_y += py;
        sum_vx += wx;
        sum_vy += wy;
        if square < 0.001 {
            away_x -= dx;
            away_y -= dy;
        }
    }
    let (mut new_vx, mut new_vy) = (vx + 0.05 * away_x, vy + 0.05 * away_y);
    if count > 0 {
        let n = count as f32;
        new_vx += 0.01 * (sum_x / n - x) + 0.05 * (sum_vx / n - vx);
        new_vy += 0.01 * (sum_y / n - y) + 0.05 * (sum_vy / n - vy);
    }
    let speed = new_vx.hypot(new_vy);
    if speed > 0.03 {
        new_vx *= 0.03 / speed;
        new_vy *= 0.03 / speed;
    }
    moved[i] = [x + new_vx, y + new_vy, new_vx, new_vy];
}

const FLOCK: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    float x = places[i].v[0], y = places[i].v[1], vx = speeds[i].v[0], vy = speeds[i].v[1];
    uint count = 0u;
    float sum_x = 0.0f, sum_y = 0.0f, sum_vx = 0.0f, sum_vy = 0.0f, away_x = 0.0f, away_y = 0.0f;
    for (uint j = 0u; j < len; j++) {
        float px = places[j].v[0], py = places[j].v[1];
        float dx = px - x, dy = py - y;
        float square = dx * dx + dy * dy;
        if (j == i || square > 0.01f) continue;
        count++;
        sum_x += px;
        sum_y += py;
        sum_vx += speeds[j].v[0];
        sum_vy += speeds[j].v[1];
        if (square < 0.001f) {
            away_x -= dx;
            away_y -= dy;
        }
    }
    float new_vx = vx + 0.05f * away_x, new_vy = vy + 0.05f * away_y;
    if (count > 0u) {
        float n = float(count);
        new_vx += 0.01f * (sum_x / n - x) + 0.05f * (sum_vx / n - vx);
        new_vy += 0.01f * (sum_y / n - y) + 0.05f * (sum_vy / n - vy);
    }
    float speed = sqrt(new_vx * new_vx + new_vy * new_vy);
    if (speed > 0.03f) {
        new_vx *= 0.03f / speed;
        new_vy *= 0.03f / speed;
    }
    moved[i].v[0] = x + new_vx;
    moved[i].v[1] = y + new_vy;
    moved[i].v[2] = new_vx;
    moved[i].v[3] = new_vy;
}
";

#[device]
mod random {
    pub(crate) struct Random {
        state: u32,
    }

    impl Random {
        pub(crate) fn new(seed: u32) -> Self {
            Self { state: seed | 1 }
        }

        /// A number from 0, exclusive, to 1 (xorshift, by George Marsaglia).
        pub(crate) fn next(&mut self) -> f32 {
            self.state ^= self.state << 13;
            self.state ^= self.state >> 17;
            self.state ^= self.state << 5;
            ((self.state >> 8) + 1) as f32 / 16_777_216.0
        }
    }
}

/// Prey and predators as molecules that react by chance (Gillespie's direct method).
#[kernel(workgroup = [128])]
fn reactions(until: f32, seeds: &[u32], counts: &mut [[u32; 2]]) {
    let i = global_id().x as usize;
    let Some(&seed) = seeds.get(i) else { return };
    let mut random = random::Random::new(seed);
    let (mut prey, mut predators) = (100u32, 60u32);
    let mut time = 0.0;
    while time < until {
        let rates = [1.0 * prey as f32, 0.01 * (prey * predators) as f32, 0.6 * predators as f32];
        let total: f32 = rates.iter().sum();
        if total == 0.0 {
            break;
        }
        time -= random.next().ln() / total;
        let mut pick = random.next() * total;
        let event = rates.iter().position(|rate| {
            pick -= rate;
            pick <= 0.0
        });
        match event {
            Some(0) => prey += 1,
            Some(1) => {
                prey -= 1;
                predators += 1;
            }
            _ => predators = predators.saturating_sub(1),
        }
    }
    counts[i] = [prey, predators];
}

const REACTIONS: &str = r"
DEVICE float next(INOUT(uint) state) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return float((state >> 8) + 1u) / 16777216.0f;
}
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint state = seeds[i] | 1u;
    uint prey = 100u, predators = 60u;
    float time = 0.0f;
    while (time < until) {
        float born = float(prey), eaten = 0.01f * float(prey * predators), died = 0.6f * float(predators);
        float total = born + eaten + died;
        if (total == 0.0f) break;
        time -= log(next(state)) / total;
        float pick = next(state) * total;
        if (pick - born <= 0.0f) {
            prey++;
        } else if (pick - born - eaten <= 0.0f) {
            prey--;
            predators++;
        } else if (predators > 0u) {
            predators--;
        }
    }
    counts[i].v[0] = prey;
    counts[i].v[1] = predators;
}
";

/// Places on orbits at a time: Kepler's equation by Newton's method.
#[kernel(workgroup = [128])]
fn orbits(time: f32, anomalies: &[f64], eccentricities: &[f64], axes: &[f64], x: &mut [f64], y: &mut [f64]) {
    let i = global_id().x as usize;
    if i >= x.len() || i >= y.len() {
        return;
    }
    let (e, a) = (eccentricities[i], axes[i]);
    let mean = anomalies[i] + f64::from(time) / (a * a * a).sqrt();
    let mut eccentric = mean;
    for _ in 0..20 {
        let (sine, cosine) = eccentric.sin_cos();
        let step = (eccentric - e * sine - mean) / (1.0 - e * cosine);
        eccentric -= step;
        if step.abs() < 1e-12 {
            break;
        }
    }
    let (sine, cosine) = eccentric.sin_cos();
    x[i] = a * (cosine - e);
    y[i] = a * (1.0 - e * e).sqrt() * sine;
}

const ORBITS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    double e = eccentricities[i], a = axes[i];
    double mean = anomalies[i] + double(time) / sqrt(a * a * a);
    double eccentric = mean;
    for (int k = 0; k < 20; k++) {
        double step_ = (eccentric - e * D_sin(eccentric) - mean) / (DOUBLE(1.0) - e * D_cos(eccentric));
        eccentric -= step_;
        if (abs(step_) < DOUBLE(1e-12)) break;
    }
    x[i] = a * (D_cos(eccentric) - e);
    y[i] = a * sqrt(DOUBLE(1.0) - e * e) * D_sin(eccentric);
}
";

/// The direction of the steepest way down from each place of a land, or 8 where there is none.
#[kernel(workgroup = [16, 16])]
fn runoff(width: u32, heights: &[f32], directions: &mut [u8]) {
    const STEPS: [(i32, i32); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
    let (x, y) = (global_id().x as i32, global_id().y as i32);
    let (width, height) = (width as i32, heights.len() as i32 / width as i32);
    if x >= width || y >= height {
        return;
    }
    let here = heights[(y * width + x) as usize];
    let mut steepest = (0.0, 8);
    for (direction, &(dx, dy)) in STEPS.iter().enumerate() {
        let (nx, ny) = (x + dx, y + dy);
        if nx < 0 || ny < 0 || nx >= width || ny >= height {
            continue;
        }
        let distance = if dx != 0 && dy != 0 { std::f32::consts::SQRT_2 } else { 1.0 };
        let slope = (here - heights[(ny * width + nx) as usize]) / distance;
        if slope > steepest.0 {
            steepest = (slope, direction as u8);
        }
    }
    directions[(y * width + x) as usize] = steepest.1;
}

const RUNOFF: &str = r"
#ifdef __CUDACC__
TABLE int DX[8] = { 1, 1, 0, -1, -1, -1, 0, 1 };
TABLE int DY[8] = { 0, 1, 1, 1, 0, -1, -1, -1 };
#else
TABLE int DX[8] = int[8](1, 1, 0, -1, -1, -1, 0, 1);
TABLE int DY[8] = int[8](0, 1, 1, 1, 0, -1, -1, -1);
#endif
KERNEL {
    int x = int(GLOBAL_X), y = int(GLOBAL_Y), w = int(width), h = int(height);
    if (x >= w || y >= h) return;
    float here = heights[y * w + x];
    float most = 0.0f;
    uint steepest = 8u;
    for (int d = 0; d < 8; d++) {
        int nx = x + DX[d], ny = y + DY[d];
        if (nx < 0 || ny < 0 || nx >= w || ny >= h) continue;
        float distance_ = DX[d] != 0 && DY[d] != 0 ? 1.41421356f : 1.0f;
        float slope = (here - heights[ny * w + nx]) / distance_;
        if (slope > most) {
            most = slope;
            steepest = uint(d);
        }
    }
    directions[y * w + x] = uint8_t(steepest);
}
";

/// The nearest town of each place on the earth, and how far it is (haversines).
#[kernel(workgroup = [128])]
fn nearest_town(places: &[[f32; 2]], towns: &[[f32; 2]], nearest: &mut [u32], kilometers: &mut [f32]) {
    let i = global_id().x as usize;
    if i >= places.len() {
        return;
    }
    let [latitude, longitude] = places[i].map(f32::to_radians);
    let distance = |town: &[f32; 2]| {
        let [other, along] = town.map(f32::to_radians);
        let across = ((other - latitude) / 2.0).sin().powi(2);
        let turn = ((along - longitude) / 2.0).sin().powi(2);
        let part = across + latitude.cos() * other.cos() * turn;
        2.0 * 6371.0 * part.sqrt().min(1.0).asin()
    };
    let (mut best, mut least) = (0, f32::INFINITY);
    for (at, town) in towns.iter().enumerate() {
        let far = distance(town);
        if far < least {
            (best, least) = (at as u32, far);
        }
    }
    nearest[i] = best;
    kilometers[i] = least;
}

const NEAREST_TOWN: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    const float DEGREE = 0.017453292f;
    float latitude = places[i].v[0] * DEGREE, longitude = places[i].v[1] * DEGREE;
    uint best = 0u;
    float least = 1.0f / 0.0f;
    for (uint k = 0u; k < towns_len; k++) {
        float other = towns[k].v[0] * DEGREE, along = towns[k].v[1] * DEGREE;
        float p = sin((other - latitude) / 2.0f), q = sin((along - longitude) / 2.0f);
        float part = p * p + cos(latitude) * cos(other) * q * q;
        float far = 2.0f * 6371.0f * asin(min(sqrt(part), 1.0f));
        if (far < least) {
            best = k;
            least = far;
        }
    }
    nearest[i] = best;
    kilometers[i] = least;
}
";

const DOUBLE_SINES: &str = r"
#ifdef __CUDACC__
#define D_sin(x) sin(x)
#define D_cos(x) cos(x)
#else
#define D_sin(x) double(sin(float(x)))
#define D_cos(x) double(cos(float(x)))
#endif
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n: usize = if large { 1 << 20 } else { 1 << 12 };
    let side = n.isqrt();
    let birds = if large { 1 << 14 } else { 1 << 9 };
    let pairs = |len: usize, skipped: usize, scale: [f32; 2], shift: [f32; 2]| -> Vec<[f32; 2]> {
        let numbers = floats(2 * len + skipped);
        let pairs = numbers[skipped..].as_chunks().0.iter();
        pairs.map(|&[a, b]: &[f32; 2]| [a * scale[0] + shift[0], b * scale[1] + shift[1]]).collect()
    };
    let towns = if large { 1000 } else { 40 };
    vec![
        Workload::new::<Electromagnetic>("electromagnetic waves", [2 * side / 16, 2 * side / 16, 1], ELECTROMAGNETIC)
            .value("width", 2 * side as u32)
            .value("height", 2 * side as u32)
            .read("hx", floats(4 * n))
            .read("hy", floats(4 * n + 4)[4..].to_vec())
            .read("losses", floats(4 * n + 8)[8..].to_vec())
            .update("ez", floats(4 * n + 12)[12..].to_vec()),
        Workload::new::<Flock>("flocks", [birds / 128, 1, 1], FLOCK)
            .peer_value("len", birds as u32)
            .read("places", pairs(birds, 0, [1.0; 2], [0.0; 2]))
            .read("speeds", pairs(birds, 2, [0.02; 2], [-0.01; 2]))
            .write::<[f32; 4]>("moved", birds),
        Workload::new::<Reactions>("reactions by chance", [n / 16 / 128, 1, 1], REACTIONS)
            .peer_value("len", (n / 16) as u32)
            .value("until", 5.0)
            .read("seeds", words(n / 16))
            .write::<[u32; 2]>("counts", n / 16)
            .roughly(0.02),
        Workload::new::<Orbits>("orbits", [n / 4 / 128, 1, 1], ORBITS)
            .with_helper(DOUBLE_SINES)
            .peer_value("len", (n / 4) as u32)
            .value("time", 12.5)
            .read("anomalies", doubles(n / 4).into_iter().map(|x| std::f64::consts::TAU * x).collect())
            .read("eccentricities", doubles(n / 4 + 1)[1..].iter().map(|x| 0.9 * x).collect())
            .read("axes", doubles(n / 4 + 2)[2..].iter().map(|x| 1.0 + 4.0 * x).collect())
            .write::<f64>("x", n / 4)
            .write::<f64>("y", n / 4),
        Workload::new::<Runoff>("water on land", [2 * side / 16, 2 * side / 16, 1], RUNOFF)
            .value("width", 2 * side as u32)
            .peer_value("height", 2 * side as u32)
            .read("heights", floats(4 * n))
            .write::<u8>("directions", 4 * n)
            .roughly(0.000_01),
        Workload::new::<NearestTown>("nearest towns", [n / 16 / 128, 1, 1], NEAREST_TOWN)
            .peer_value("len", (n / 16) as u32)
            .peer_value("towns_len", towns as u32)
            .read("places", pairs(n / 16, 0, [140.0, 360.0], [-70.0, -180.0]))
            .read("towns", pairs(towns, 2, [140.0, 360.0], [-70.0, -180.0]))
            .write::<u32>("nearest", n / 16)
            .write::<f32>("kilometers", n / 16)
            .roughly(0.001),
    ]
}
