//! Arithmetic: prices, random numbers, hashes, fractals, bodies, waves.

use gridwise::prelude::*;

use crate::data::{floats, words};
use crate::workload::Workload;

/// The normal distribution, by Abramowitz and Stegun's 26.2.17.
#[device]
fn normal(x: f32) -> f32 {
    let k = 1.0 / (1.0 + 0.2316419 * x.abs());
    let tail = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    let below = 1.0 - 0.39894228 * (-0.5 * x * x).exp() * tail;
    if x < 0.0 { 1.0 - below } else { below }
}

#[kernel(workgroup = 256)]
fn black_scholes(rate: f32, spread: f32, prices: &[f32], strikes: &[f32], years: &[f32], calls: &mut [f32]) {
    let i = global_id().x as usize;
    let (price, strike, time) = (prices[i] * 90.0 + 10.0, strikes[i] * 90.0 + 10.0, years[i] * 9.0 + 0.5);
    let root = time.sqrt();
    let d1 = ((price / strike).ln() + (rate + 0.5 * spread * spread) * time) / (spread * root);
    let d2 = d1 - spread * root;
    calls[i] = price * normal(d1) - strike * (-rate * time).exp() * normal(d2);
}

const BLACK_SCHOLES: &str = r"
DEVICE float normal(float x) {
    float k = 1.0f / (1.0f + 0.2316419f * abs(x));
    float tail = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float below = 1.0f - 0.39894228f * exp(-0.5f * x * x) * tail;
    return x < 0.0f ? 1.0f - below : below;
}
KERNEL {
    uint i = GLOBAL_X;
    float price = prices[i] * 90.0f + 10.0f, strike = strikes[i] * 90.0f + 10.0f, time = years[i] * 9.0f + 0.5f;
    float root = sqrt(time);
    float d1 = (log(price / strike) + (rate + 0.5f * spread * spread) * time) / (spread * root);
    float d2 = d1 - spread * root;
    calls[i] = price * normal(d1) - strike * exp(-rate * time) * normal(d2);
}
";

#[device]
fn pcg(state: &mut u32) -> u32 {
    let old = *state;
    *state = old.wrapping_mul(747796405).wrapping_add(2891336453);
    let word = ((old >> ((old >> 28) + 4)) ^ old).wrapping_mul(277803737);
    (word >> 22) ^ word
}

#[device]
fn unit(state: &mut u32) -> f32 {
    (pcg(state) >> 8) as f32 / 16777216.0
}

/// Random points that fall in a circle.
#[kernel(workgroup = 256)]
fn circle(rounds: u32, hits: &mut [u32]) {
    let i = global_id().x;
    let mut state = i * 9781 + 1;
    let mut count = 0;
    for _ in 0..rounds {
        let x = unit(&mut state);
        let y = unit(&mut state);
        if x * x + y * y < 1.0 {
            count += 1;
        }
    }
    hits[i as usize] = count;
}

const PCG: &str = r"
DEVICE uint pcg(INOUT(uint) state) {
    uint old = state;
    state = old * 747796405u + 2891336453u;
    uint word = ((old >> ((old >> 28u) + 4u)) ^ old) * 277803737u;
    return (word >> 22u) ^ word;
}
DEVICE float unit(INOUT(uint) state) { return float(pcg(state) >> 8u) / 16777216.0f; }
";

const CIRCLE: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    uint state = i * 9781u + 1u;
    uint count = 0u;
    for (uint n = 0u; n < rounds; n++) {
        float x = unit(state);
        float y = unit(state);
        if (x * x + y * y < 1.0f) count++;
    }
    hits[i] = count;
}
";

/// An Asian option by random paths: normal numbers by Box and Muller.
#[kernel(workgroup = 256)]
fn paths(steps: u32, drift: f32, spread: f32, strike: f32, payoffs: &mut [f32]) {
    let i = global_id().x;
    let mut state = i * 7919 + 17;
    let mut price = 100.0;
    let mut sum = 0.0;
    for _ in 0..steps {
        let radius = (-2.0 * (1.0 - unit(&mut state)).ln()).sqrt();
        let angle = 6.2831853 * unit(&mut state);
        price *= (drift + spread * radius * angle.cos()).exp();
        sum += price;
    }
    payoffs[i as usize] = (sum / steps as f32 - strike).max(0.0);
}

const PATHS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    uint state = i * 7919u + 17u;
    float price = 100.0f, sum = 0.0f;
    for (uint n = 0u; n < steps; n++) {
        float radius = sqrt(-2.0f * log(1.0f - unit(state)));
        float angle = 6.2831853f * unit(state);
        price *= exp(drift + spread * radius * cos(angle));
        sum += price;
    }
    payoffs[i] = max(sum / float(steps) - strike, 0.0f);
}
";

#[kernel(workgroup = [16, 16])]
fn mandelbrot(width: u32, height: u32, most: u32, rounds: &mut [u32]) {
    let (px, py) = (global_id().x, global_id().y);
    let x0 = px as f32 / width as f32 * 3.5 - 2.5;
    let y0 = py as f32 / height as f32 * 2.0 - 1.0;
    let (mut x, mut y, mut n) = (0.0, 0.0, 0);
    while x * x + y * y <= 4.0 && n < most {
        let next = x * x - y * y + x0;
        y = 2.0 * x * y + y0;
        x = next;
        n += 1;
    }
    rounds[(py * width + px) as usize] = n;
}

const MANDELBROT: &str = r"
KERNEL {
    uint px = GLOBAL_X, py = GLOBAL_Y;
    float x0 = float(px) / float(width) * 3.5f - 2.5f;
    float y0 = float(py) / float(height) * 2.0f - 1.0f;
    float x = 0.0f, y = 0.0f;
    uint n = 0u;
    while (x * x + y * y <= 4.0f && n < most) {
        float next = x * x - y * y + x0;
        y = 2.0f * x * y + y0;
        x = next;
        n++;
    }
    rounds[py * width + px] = n;
}
";

/// Points by a matrix of four by four.
#[kernel(workgroup = 256)]
fn transform(matrix: &[f32], points: &[[f32; 4]], moved: &mut [[f32; 4]]) {
    let i = global_id().x as usize;
    let point = points[i];
    let mut result = [0.0; 4];
    for row in 0..4 {
        for column in 0..4 {
            result[row] += matrix[4 * row + column] * point[column];
        }
    }
    moved[i] = result;
}

const TRANSFORM: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    f32x4 point = points[i];
    f32x4 result;
    for (int row = 0; row < 4; row++) {
        result.v[row] = 0.0f;
        for (int column = 0; column < 4; column++) result.v[row] += matrix[4 * row + column] * point.v[column];
    }
    moved[i] = result;
}
";

#[device]
const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
];
#[device]
const START: [u32; 8] =
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/// SHA-256 of a block, which an invocation makes of its number.
#[kernel(workgroup = 256)]
fn sha256(seed: u32, digests: &mut [u32]) {
    let i = global_id().x;
    let mut w = [0u32; 64];
    for t in 0..16 {
        w[t] = seed ^ i.wrapping_mul(t as u32 + 1);
    }
    for t in 16..64 {
        let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
        let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
        w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = START;
    for t in 0..64 {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(K[t]).wrapping_add(w[t]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let second = s0.wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    digests[i as usize] = (a + START[0]) ^ (b + START[1]) ^ (c + START[2]) ^ (d + START[3]) ^ e ^ f ^ g ^ h;
}

const SHA256: &str = r"
TABLE uint K[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u, 0xd807aa98u,
    0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u, 0xe49b69c1u, 0xefbe4786u,
    0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau, 0x983e5152u, 0xa831c66du, 0xb00327c8u,
    0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u, 0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u,
    0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u, 0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u,
    0xd6990624u, 0xf40e3585u, 0x106aa070u, 0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au,
    0x5b9cca4fu, 0x682e6ff3u, 0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u,
    0xc67178f2u
};
TABLE uint START[8] = { 0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u };
DEVICE uint turn(uint x, uint by) { return (x >> by) | (x << (32u - by)); }
KERNEL {
    uint i = GLOBAL_X;
    uint w[64];
    for (uint t = 0u; t < 16u; t++) w[t] = seed ^ (i * (t + 1u));
    for (uint t = 16u; t < 64u; t++) {
        uint s0 = turn(w[t - 15u], 7u) ^ turn(w[t - 15u], 18u) ^ (w[t - 15u] >> 3u);
        uint s1 = turn(w[t - 2u], 17u) ^ turn(w[t - 2u], 19u) ^ (w[t - 2u] >> 10u);
        w[t] = w[t - 16u] + s0 + w[t - 7u] + s1;
    }
    uint a = START[0], b = START[1], c = START[2], d = START[3], e = START[4], f = START[5], g = START[6], h = START[7];
    for (uint t = 0u; t < 64u; t++) {
        uint s1 = turn(e, 6u) ^ turn(e, 11u) ^ turn(e, 25u);
        uint choice = (e & f) ^ (~e & g);
        uint first = h + s1 + choice + K[t] + w[t];
        uint s0 = turn(a, 2u) ^ turn(a, 13u) ^ turn(a, 22u);
        uint majority = (a & b) ^ (a & c) ^ (b & c);
        uint second = s0 + majority;
        h = g; g = f; f = e; e = d + first; d = c; c = b; b = a; a = first + second;
    }
    digests[i] = (a + START[0]) ^ (b + START[1]) ^ (c + START[2]) ^ (d + START[3]) ^ e ^ f ^ g ^ h;
}
";

/// The activation of transformers.
#[kernel(workgroup = 256)]
fn gelu(x: &[f32], y: &mut [f32]) {
    let i = global_id().x as usize;
    let v = x[i] * 8.0 - 4.0;
    y[i] = 0.5 * v * (1.0 + (0.7978846 * (v + 0.044715 * v * v * v)).tanh());
}

const GELU: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    float v = x[i] * 8.0f - 4.0f;
    y[i] = 0.5f * v * (1.0f + tanh(0.7978846f * (v + 0.044715f * v * v * v)));
}
";

/// The power of a signal at some frequencies, by the definition.
#[kernel(workgroup = 128)]
fn fourier(len: u32, signal: &[f32], power: &mut [f32]) {
    let k = global_id().x;
    let (mut re, mut im) = (0.0, 0.0);
    for n in 0..len {
        let angle = -6.2831853 * (k * n % len) as f32 / len as f32;
        re += signal[n as usize] * angle.cos();
        im += signal[n as usize] * angle.sin();
    }
    power[k as usize] = re * re + im * im;
}

const FOURIER: &str = r"
KERNEL {
    uint k = GLOBAL_X;
    float re = 0.0f, im = 0.0f;
    for (uint n = 0u; n < len; n++) {
        float angle = -6.2831853f * float(k * n % len) / float(len);
        re += signal[n] * cos(angle);
        im += signal[n] * sin(angle);
    }
    power[k] = re * re + im * im;
}
";

/// Lorenz's system by Runge and Kutta.
#[device]
fn slope(p: [f32; 3]) -> [f32; 3] {
    [10.0 * (p[1] - p[0]), p[0] * (28.0 - p[2]) - p[1], p[0] * p[1] - 8.0 / 3.0 * p[2]]
}

#[device]
fn ahead(p: [f32; 3], by: f32, slope: [f32; 3]) -> [f32; 3] {
    [p[0] + by * slope[0], p[1] + by * slope[1], p[2] + by * slope[2]]
}

#[kernel(workgroup = 128)]
fn lorenz(steps: u32, h: f32, starts: &[f32], ends: &mut [f32]) {
    let i = global_id().x as usize;
    let mut p = [starts[i], 1.0, 20.0];
    for _ in 0..steps {
        let k1 = slope(p);
        let k2 = slope(ahead(p, 0.5 * h, k1));
        let k3 = slope(ahead(p, 0.5 * h, k2));
        let k4 = slope(ahead(p, h, k3));
        for axis in 0..3 {
            p[axis] += h / 6.0 * (k1[axis] + 2.0 * k2[axis] + 2.0 * k3[axis] + k4[axis]);
        }
    }
    ends[i] = p[0] + p[1] + p[2];
}

const LORENZ: &str = r"
DEVICE vec3 vec(float x, float y, float z) { vec3 v; v.x = x; v.y = y; v.z = z; return v; }
DEVICE vec3 slope(vec3 p) { return vec(10.0f * (p.y - p.x), p.x * (28.0f - p.z) - p.y, p.x * p.y - 8.0f / 3.0f * p.z); }
DEVICE vec3 ahead(vec3 p, float by, vec3 s) { return vec(p.x + by * s.x, p.y + by * s.y, p.z + by * s.z); }
KERNEL {
    uint i = GLOBAL_X;
    vec3 p = vec(starts[i], 1.0f, 20.0f);
    for (uint n = 0u; n < steps; n++) {
        vec3 k1 = slope(p);
        vec3 k2 = slope(ahead(p, 0.5f * h, k1));
        vec3 k3 = slope(ahead(p, 0.5f * h, k2));
        vec3 k4 = slope(ahead(p, h, k3));
        p.x += h / 6.0f * (k1.x + 2.0f * k2.x + 2.0f * k3.x + k4.x);
        p.y += h / 6.0f * (k1.y + 2.0f * k2.y + 2.0f * k3.y + k4.y);
        p.z += h / 6.0f * (k1.z + 2.0f * k2.z + 2.0f * k3.z + k4.z);
    }
    ends[i] = p.x + p.y + p.z;
}
";

/// Bodies that attract each other, all with all.
#[kernel(workgroup = 128)]
fn bodies(bodies: &[[f32; 4]], forces: &mut [[f32; 4]]) {
    let i = global_id().x as usize;
    let own = bodies[i];
    let mut force = [0.0f32; 4];
    for other in bodies {
        let (dx, dy, dz) = (other[0] - own[0], other[1] - own[1], other[2] - own[2]);
        let square = dx * dx + dy * dy + dz * dz + 1e-3;
        let pull = other[3] / (square * square.sqrt());
        force[0] += dx * pull;
        force[1] += dy * pull;
        force[2] += dz * pull;
    }
    forces[i] = force;
}

const BODIES: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    f32x4 own = bodies[i];
    f32x4 force;
    for (int axis = 0; axis < 4; axis++) force.v[axis] = 0.0f;
    for (uint j = 0u; j < bodies_len; j++) {
        f32x4 other = bodies[j];
        float dx = other.v[0] - own.v[0], dy = other.v[1] - own.v[1], dz = other.v[2] - own.v[2];
        float square = dx * dx + dy * dy + dz * dz + 1e-3f;
        float pull = other.v[3] / (square * sqrt(square));
        force.v[0] += dx * pull;
        force.v[1] += dy * pull;
        force.v[2] += dz * pull;
    }
    forces[i] = force;
}
";

fn fours(len: usize) -> Vec<[f32; 4]> {
    floats(4 * len).as_chunks::<4>().0.to_vec()
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let pick = |small: usize, many: usize| if large { many } else { small };
    let n = pick(1024, 1 << 24);
    let few = pick(512, 1 << 18);
    let side = pick(64, 4096);
    let count = pick(512, 1 << 15);
    vec![
        Workload::new::<BlackScholes>("Black-Scholes", [n / 256, 1, 1], BLACK_SCHOLES)
            .value("rate", 0.02f32)
            .value("spread", 0.3f32)
            .read("prices", floats(n))
            .read("strikes", floats(n + 1)[1..].to_vec())
            .read("years", floats(n + 2)[2..].to_vec())
            .write::<f32>("calls", n),
        Workload::new::<Circle>("points in a circle", [few * 4 / 256, 1, 1], CIRCLE)
            .with_helper(PCG)
            .value("rounds", 256u32)
            .write::<u32>("hits", few * 4)
            .roughly(0.001),
        Workload::new::<Paths>("paths of prices", [few / 256, 1, 1], PATHS)
            .with_helper(PCG)
            .value("steps", pick(16, 128) as u32)
            .value("drift", 0.0001f32)
            .value("spread", 0.01f32)
            .value("strike", 100.0f32)
            .write::<f32>("payoffs", few),
        Workload::new::<Mandelbrot>("Mandelbrot", [side / 16, side / 16, 1], MANDELBROT)
            .value("width", side as u32)
            .value("height", side as u32)
            .value("most", 256u32)
            .write::<u32>("rounds", side * side)
            .roughly(0.01),
        Workload::new::<Transform>("points by a matrix", [n / 256, 1, 1], TRANSFORM)
            .read("matrix", floats(16))
            .read("points", fours(n))
            .write::<[f32; 4]>("moved", n),
        Workload::new::<Sha256>("SHA-256", [few * 4 / 256, 1, 1], SHA256)
            .value("seed", words(1)[0])
            .write::<u32>("digests", few * 4),
        Workload::new::<Gelu>("GELU", [n / 256, 1, 1], GELU).read("x", floats(n)).write::<f32>("y", n),
        Workload::new::<Fourier>("Fourier by definition", [pick(1, 512), 1, 1], FOURIER)
            .value("len", pick(128, 4096) as u32)
            .read("signal", floats(pick(128, 4096)))
            .write::<f32>("power", 128 * pick(1, 512)),
        Workload::new::<Lorenz>("Lorenz by Runge-Kutta", [few / 128, 1, 1], LORENZ)
            .value("steps", 200u32)
            .value("h", 0.001f32)
            .read("starts", floats(few))
            .write::<f32>("ends", few),
        Workload::new::<Bodies>("bodies", [count / 128, 1, 1], BODIES)
            .read("bodies", fours(count))
            .peer_value("bodies_len", count as u32)
            .write::<[f32; 4]>("forces", count),
    ]
}
