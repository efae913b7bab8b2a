//! Small algebra: systems of six equations, eigenvalues, turns between two turns, squares of bits, densities, tones, warped pictures.

use gridwise::prelude::*;

use crate::data::{floats, words};
use crate::workload::Workload;

/// Solves six equations, with the greatest pivot of each column.
#[kernel(workgroup = [64])]
fn six_equations(matrices: &[f32], rights: &[f32], solved: &mut [f32]) {
    let i = global_id().x as usize;
    if (i + 1) * 6 > solved.len() {
        return;
    }
    let mut a = [[0.0f32; 7]; 6];
    for r in 0..6 {
        for c in 0..6 {
            a[r][c] = matrices[(i * 6 + r) * 6 + c];
        }
        a[r][6] = rights[i * 6 + r];
    }
    for k in 0..6 {
        let pivot = (k..6).max_by(|&r, &s| a[r][k].abs().total_cmp(&a[s][k].abs())).unwrap();
        a.swap(k, pivot);
        for r in k + 1..6 {
            let factor = a[r][k] / a[k][k];
            for c in k..7 {
                a[r][c] -= factor * a[k][c];
            }
        }
    }
    let mut x = [0.0f32; 6];
    for r in (0..6).rev() {
        let sum: f32 = (r + 1..6).map(|c| a[r][c] * x[c]).sum();
        x[r] = (a[r][6] - sum) / a[r][r];
    }
    for r in 0..6 {
        solved[i * 6 + r] = x[r];
    }
}

const SIX_EQUATIONS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= systems) return;
    float a[6][7];
    for (uint r = 0u; r < 6u; r++) {
        for (uint c = 0u; c < 6u; c++) a[r][c] = matrices[(i * 6u + r) * 6u + c];
        a[r][6] = rights[i * 6u + r];
    }
    for (uint k = 0u; k < 6u; k++) {
        uint pivot = k;
        for (uint r = k + 1u; r < 6u; r++) {
            if (abs(a[r][k]) >= abs(a[pivot][k])) pivot = r;
        }
        for (uint c = 0u; c < 7u; c++) {
            float kept = a[k][c];
            a[k][c] = a[pivot][c];
            a[pivot][c] = kept;
        }
        for (uint r = k + 1u; r < 6u; r++) {
            float factor = a[r][k] / a[k][k];
            for (uint c = k; c < 7u; c++) a[r][c] -= factor * a[k][c];
        }
    }
    float x[6];
    for (int r = 5; r >= 0; r--) {
        float sum = 0.0f;
        for (int c = r + 1; c < 6; c++) sum += a[r][c] * x[c];
        x[r] = (a[r][6] - sum) / a[r][r];
    }
    for (uint r = 0u; r < 6u; r++) solved[i * 6u + r] = x[r];
}
";

/// The eigenvalues of symmetric matrices, by rotations after Jacobi.
#[kernel(workgroup = [128])]
fn eigenvalues(tensors: &[[f32; 8]], values: &mut [[f32; 4]]) {
    let i = global_id().x as usize;
    if i >= values.len() {
        return;
    }
    let [xx, yy, zz, xy, xz, yz, _, _] = tensors[i];
    let mut a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    for _ in 0..4 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let cos = 1.0 / (t * t + 1.0).sqrt();
            let sin = t * cos;
            let other = 3 - p - q;
            let (low, high) = (a[other][p], a[other][q]);
            a[p][p] -= t * a[p][q];
            a[q][q] += t * a[p][q];
            (a[p][q], a[q][p]) = (0.0, 0.0);
            a[other][p] = cos * low - sin * high;
            a[other][q] = sin * low + cos * high;
            (a[p][other], a[q][other]) = (a[other][p], a[other][q]);
        }
    }
    let mut found = [a[0][0], a[1][1], a[2][2]];
    found.sort_by(|a, b| b.total_cmp(a));
    values[i] = [found[0], found[1], found[2], 0.0];
}

const EIGENVALUES: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    f32x8 tensor = tensors[i];
    float a[3][3];
    a[0][0] = tensor.v[0]; a[1][1] = tensor.v[1]; a[2][2] = tensor.v[2];
    a[0][1] = a[1][0] = tensor.v[3]; a[0][2] = a[2][0] = tensor.v[4]; a[1][2] = a[2][1] = tensor.v[5];
    for (int round_ = 0; round_ < 4; round_++) {
        for (int pair = 0; pair < 3; pair++) {
            int p = pair == 2 ? 1 : 0, q = pair == 0 ? 1 : 2;
            if (a[p][q] == 0.0f) continue;
            float theta = (a[q][q] - a[p][p]) / (2.0f * a[p][q]);
            float t = (theta < 0.0f ? -1.0f : 1.0f) / (abs(theta) + sqrt(theta * theta + 1.0f));
            float c = 1.0f / sqrt(t * t + 1.0f);
            float s = t * c;
            int other = 3 - p - q;
            float low = a[other][p], high = a[other][q];
            a[p][p] -= t * a[p][q];
            a[q][q] += t * a[p][q];
            a[p][q] = a[q][p] = 0.0f;
            a[other][p] = a[p][other] = c * low - s * high;
            a[other][q] = a[q][other] = s * low + c * high;
        }
    }
    float x = a[0][0], y = a[1][1], z = a[2][2];
    float most = max(x, max(y, z)), least = min(x, min(y, z));
    f32x4 value;
    value.v[0] = most; value.v[1] = max(min(x, y), min(max(x, y), z)); value.v[2] = least; value.v[3] = 0.0f;
    values[i] = value;
}
";

/// Turns between two turns, on the shortest way.
#[kernel(workgroup = [256])]
fn between(share: f32, from: &[[f32; 4]], to: &[[f32; 4]], turns: &mut [[f32; 4]]) {
    let i = global_id().x as usize;
    if i >= turns.len() {
        return;
    }
    let (a, mut b) = (from[i], to[i]);
    let mut dot: f32 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
    if dot < 0.0 {
        b = b.map(|x| -x);
        dot = -dot;
    }
    let (of_a, of_b) = if dot > 0.9995 {
        (1.0 - share, share)
    } else {
        let angle = dot.acos();
        (((1.0 - share) * angle).sin() / angle.sin(), (share * angle).sin() / angle.sin())
    };
    turns[i] = std::array::from_fn(|k| of_a * a[k] + of_b * b[k]);
}

const BETWEEN: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    f32x4 a = from[i], b = to[i], turn;
    float dot_ = 0.0f;
    for (int k = 0; k < 4; k++) dot_ += a.v[k] * b.v[k];
    if (dot_ < 0.0f) {
        for (int k = 0; k < 4; k++) b.v[k] = -b.v[k];
        dot_ = -dot_;
    }
    float of_a = 1.0f - share, of_b = share;
    if (dot_ <= 0.9995f) {
        float angle = acos(dot_);
        of_a = sin((1.0f - share) * angle) / sin(angle);
        of_b = sin(share * angle) / sin(angle);
    }
    for (int k = 0; k < 4; k++) turn.v[k] = of_a * a.v[k] + of_b * b.v[k];
    turns[i] = turn;
}
";

/// Squares of 32 by 32 bits with rows and columns exchanged, after Hacker's Delight by Henry S. Warren.
#[kernel(workgroup = [128])]
fn bit_squares(rows: &[u32], columns: &mut [u32]) {
    let (i, count) = (global_id().x as usize, columns.len() / 32);
    if i >= count {
        return;
    }
    let mut a: [u32; 32] = std::array::from_fn(|k| rows[k * count + i]);
    let (mut j, mut mask) = (16, 0x0000_ffff_u32);
    while j != 0 {
        let mut k = 0;
        while k < 32 {
            let changed = (a[k] ^ (a[k + j] >> j)) & mask;
            a[k] ^= changed;
            a[k + j] ^= changed << j;
            k = (k + j + 1) & !j;
        }
        j >>= 1;
        mask ^= mask << j;
    }
    for (k, &word) in a.iter().enumerate() {
        columns[k * count + i] = word;
    }
}

const BIT_SQUARES: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= count) return;
    uint a[32];
    for (uint k = 0u; k < 32u; k++) a[k] = rows[k * count + i];
    uint mask = 0x0000ffffu;
    for (uint j = 16u; j != 0u; j >>= 1, mask ^= mask << j) {
        for (uint k = 0u; k < 32u; k = (k + j + 1u) & ~j) {
            uint changed = (a[k] ^ (a[k + j] >> j)) & mask;
            a[k] ^= changed;
            a[k + j] ^= changed << j;
        }
    }
    for (uint k = 0u; k < 32u; k++) columns[k * count + i] = a[k];
}
";

/// How dense points are around places, by a normal distribution.
#[kernel(workgroup = [256])]
fn density(width: f32, points: &[[f32; 2]], places: &[[f32; 2]], densities: &mut [f32]) {
    let i = global_id().x as usize;
    if i >= densities.len() {
        return;
    }
    let [x, y] = places[i];
    let near = |&[px, py]: &[f32; 2]| (-((px - x).powi(2) + (py - y).powi(2)) / (2.0 * width * width)).exp();
    densities[i] = points.iter().map(near).sum::<f32>() / points.len() as f32;
}

const DENSITY: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    f32x2 place = places[i];
    float sum = 0.0f;
    for (uint k = 0u; k < points_len; k++) {
        f32x2 point = points[k];
        float x = point.v[0] - place.v[0], y = point.v[1] - place.v[1];
        sum += exp(-(x * x + y * y) / (2.0f * width * width));
    }
    densities[i] = sum / float(points_len);
}
";

/// How loud a tone is in each channel, after Goertzel.
#[kernel(workgroup = [128])]
fn tones(samples: &[f32], frequencies: &[f32], power: &mut [f32]) {
    let (i, channels) = (global_id().x as usize, power.len());
    if i >= channels {
        return;
    }
    let factor = 2.0 * (std::f32::consts::TAU * frequencies[i]).cos();
    let (mut last, mut before) = (0.0f32, 0.0f32);
    for row in samples.chunks_exact(channels) {
        (last, before) = (row[i] + factor * last - before, last);
    }
    power[i] = last * last + before * before - factor * last * before;
}

const TONES: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= channels) return;
    float factor = 2.0f * cos(6.2831853f * frequencies[i]);
    float last = 0.0f, before = 0.0f;
    for (uint k = 0u; k < rows; k++) {
        float next = samples[k * channels + i] + factor * last - before;
        before = last;
        last = next;
    }
    power[i] = last * last + before * before - factor * last * before;
}
";

/// A picture turned, stretched and moved, with nothing beside it.
#[kernel(workgroup = [16, 16])]
fn affine(width: u32, height: u32, turn: &[f32], picture: &[f32], warped: &mut [f32]) {
    let (x, y) = (global_id().x, global_id().y);
    if x >= width || y >= height {
        return;
    }
    let &[a, b, c, d, e, f] = turn else { return };
    let (u, v) = (a * x as f32 + b * y as f32 + c, d * x as f32 + e * y as f32 + f);
    let (left, top) = (u.floor(), v.floor());
    let at = |x: f32, y: f32| {
        let (x, y) = (x as i32, y as i32);
        let is_inside = (0..width as i32).contains(&x) && (0..height as i32).contains(&y);
        if is_inside { picture[(y as u32 * width + x as u32) as usize] } else { 0.0 }
    };
    let (right, low) = (u - left, v - top);
    let upper = at(left, top) * (1.0 - right) + at(left + 1.0, top) * right;
    let lower = at(left, top + 1.0) * (1.0 - right) + at(left + 1.0, top + 1.0) * right;
    warped[(y * width + x) as usize] = upper * (1.0 - low) + lower * low;
}

const AFFINE: &str = r"
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x >= width || y >= height) return;
    float u = turn[0] * float(x) + turn[1] * float(y) + turn[2];
    float v = turn[3] * float(x) + turn[4] * float(y) + turn[5];
    float left = floor(u), top = floor(v);
    float found[4];
    for (int k = 0; k < 4; k++) {
        int px = int(left) + (k & 1), py = int(top) + (k >> 1);
        bool is_inside = px >= 0 && px < int(width) && py >= 0 && py < int(height);
        found[k] = is_inside ? picture[uint(py) * width + uint(px)] : 0.0f;
    }
    float right = u - left, low = v - top;
    float upper = found[0] * (1.0f - right) + found[1] * right;
    float lower = found[2] * (1.0f - right) + found[3] * right;
    warped[y * width + x] = upper * (1.0f - low) + lower * low;
}
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 20 } else { 1 << 12 };
    let (systems, side) = (n / 8, if large { 1024 } else { 64 });
    let mut matrices = floats(36 * systems);
    for (at, number) in matrices.iter_mut().enumerate() {
        *number = *number * 2.0 - 1.0 + if at % 36 % 7 == 0 { 2.0 } else { 0.0 };
    }
    let turns = |skipped: usize| -> Vec<[f32; 4]> {
        let numbers = floats(4 * n + skipped);
        let turn = |&[x, y, z, w]: &[f32; 4]| {
            let [x, y, z, w] = [x, y, z, w].map(|number| number - 0.4);
            let len = (x * x + y * y + z * z + w * w).sqrt().max(0.01);
            [x / len, y / len, z / len, w / len]
        };
        numbers[skipped..].as_chunks::<4>().0.iter().map(turn).collect()
    };
    let pairs = |len: usize| floats(2 * len).as_chunks().0.to_vec();
    let (channels, rows) = (n / 16, 256);
    vec![
        Workload::new::<SixEquations>("six equations", [systems / 64, 1, 1], SIX_EQUATIONS)
            .peer_value("systems", systems as u32)
            .read("matrices", matrices)
            .read("rights", floats(6 * systems))
            .write::<f32>("solved", 6 * systems)
            .roughly(0.001),
        Workload::new::<Eigenvalues>("eigenvalues", [n / 4 / 128, 1, 1], EIGENVALUES)
            .peer_value("len", (n / 4) as u32)
            .read::<[f32; 8]>("tensors", floats(2 * n).as_chunks().0.to_vec())
            .write::<[f32; 4]>("values", n / 4),
        Workload::new::<Between>("turns between turns", [n / 256, 1, 1], BETWEEN)
            .peer_value("len", n as u32)
            .value("share", 0.3f32)
            .read::<[f32; 4]>("from", turns(0))
            .read::<[f32; 4]>("to", turns(20))
            .write::<[f32; 4]>("turns", n),
        Workload::new::<BitSquares>("squares of bits", [n / 8 / 128, 1, 1], BIT_SQUARES)
            .peer_value("count", (n / 8) as u32)
            .read("rows", words(4 * n))
            .write::<u32>("columns", 4 * n),
        Workload::new::<Density>("densities", [n / 16 / 256, 1, 1], DENSITY)
            .peer_value("len", (n / 16) as u32)
            .peer_value("points_len", 2000)
            .value("width", 0.05f32)
            .read::<[f32; 2]>("points", pairs(2000))
            .read::<[f32; 2]>("places", pairs(n / 16))
            .write::<f32>("densities", n / 16),
        Workload::new::<Tones>("tones", [channels / 128, 1, 1], TONES)
            .peer_value("channels", channels as u32)
            .peer_value("rows", rows as u32)
            .read("samples", floats(rows * channels))
            .read("frequencies", floats(channels))
            .write::<f32>("power", channels)
            .roughly(0.01),
        Workload::new::<Affine>("warped pictures", [side / 16, side / 16, 1], AFFINE)
            .value("width", side as u32)
            .value("height", side as u32)
            .read("turn", vec![0.9f32, 0.3, -40.0, -0.3, 0.9, 120.0])
            .read("picture", floats(side * side))
            .write::<f32>("warped", side * side)
            .roughly(0.001),
    ]
}
