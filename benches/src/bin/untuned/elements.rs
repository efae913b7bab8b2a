//! Elements: heat in bricks of a mesh, least squares by reflections, stiff reactions, waves in rock.

use gridwise::prelude::*;

use crate::data::{doubles, floats};
use crate::workload::Workload;

#[device]
mod brick {
    /// Corners of the reference brick.
    const CORNERS: [[f32; 3]; 8] = [
        [-1.0, -1.0, -1.0],
        [1.0, -1.0, -1.0],
        [1.0, 1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [-1.0, -1.0, 1.0],
        [1.0, -1.0, 1.0],
        [1.0, 1.0, 1.0],
        [-1.0, 1.0, 1.0],
    ];

    /// How the eight functions change at a place of the reference brick.
    pub(crate) fn gradients(place: [f32; 3]) -> [[f32; 3]; 8] {
        CORNERS.map(|corner| {
            let part = |k: usize| 1.0 + corner[k] * place[k];
            [
                0.125 * corner[0] * part(1) * part(2),
                0.125 * corner[1] * part(0) * part(2),
                0.125 * corner[2] * part(0) * part(1),
            ]
        })
    }

    /// The inverse of a matrix, and its determinant.
    pub(crate) fn inverse(m: [[f32; 3]; 3]) -> ([[f32; 3]; 3], f32) {
        let minor = |r: usize, c: usize| {
            let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
            m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]
        };
        let determinant = m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2);
        let mut inverse = [[0.0; 3]; 3];
        for r in 0..3 {
            for c in 0..3 {
                inverse[c][r] = minor(r, c) / determinant;
            }
        }
        (inverse, determinant)
    }
}

/// The flow of heat that each brick adds at its corners: its stiffness by its temperatures, without the matrix (Hughes, "The
/// Finite Element Method", 3.5 and 3.8).
#[kernel(workgroup = [64])]
fn bricks(nodes: &[[f32; 3]], corners: &[[u32; 8]], conductivities: &[f32], heats: &[f32], flows: &mut [[f32; 8]]) {
    const GAUSS: f32 = 0.577_350_3;
    let i = global_id().x as usize;
    if i >= corners.len() {
        return;
    }
    let places = corners[i].map(|corner| nodes[corner as usize]);
    let heat = corners[i].map(|corner| heats[corner as usize]);
    let mut flow = [0.0f32; 8];
    for point in 0..8 {
        let sign = |bit: usize| if point >> bit & 1 == 1 { GAUSS } else { -GAUSS };
        let gradients = brick::gradients([sign(0), sign(1), sign(2)]);
        let mut jacobian = [[0.0f32; 3]; 3];
        for (gradient, place) in gradients.iter().zip(&places) {
            for r in 0..3 {
                for c in 0..3 {
                    jacobian[r][c] += gradient[r] * place[c];
                }
            }
        }
        let (inverse, volume) = brick::inverse(jacobian);
        let turned = gradients.map(|g| inverse.map(|row| row[0] * g[0] + row[1] * g[1] + row[2] * g[2]));
        let mut slope = [0.0f32; 3];
        for (gradient, heat) in turned.iter().zip(heat) {
            for (sum, part) in slope.iter_mut().zip(gradient) {
                *sum += part * heat;
            }
        }
        for (sum, gradient) in flow.iter_mut().zip(&turned) {
            let along: f32 = gradient.iter().zip(&slope).map(|(a, b)| a * b).sum();
            *sum += conductivities[i] * volume * along;
        }
    }
    flows[i] = flow;
}

const BRICKS: &str = r"
TABLE float CORNERS[24] = {
    -1.0f, -1.0f, -1.0f, 1.0f, -1.0f, -1.0f, 1.0f, 1.0f, -1.0f, -1.0f, 1.0f, -1.0f,
    -1.0f, -1.0f, 1.0f, 1.0f, -1.0f, 1.0f, 1.0f, 1.0f, 1.0f, -1.0f, 1.0f, 1.0f
};
#define MINOR(r, c) (m[(r + 1) % 3][(c + 1) % 3] * m[(r + 2) % 3][(c + 2) % 3] - m[(r + 1) % 3][(c + 2) % 3] * m[(r + 2) % 3][(c + 1) % 3])
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    float places[8][3], heat[8], flow[8];
    for (int n = 0; n < 8; n++) {
        uint node = corners[i].v[n];
        for (int k = 0; k < 3; k++) places[n][k] = nodes[node].v[k];
        heat[n] = heats[node];
        flow[n] = 0.0f;
    }
    for (int point = 0; point < 8; point++) {
        float at[3], g[8][3], m[3][3];
        for (int k = 0; k < 3; k++) {
            at[k] = (point >> k & 1) == 1 ? 0.5773503f : -0.5773503f;
            for (int c = 0; c < 3; c++) m[k][c] = 0.0f;
        }
        for (int n = 0; n < 8; n++) {
            float p = 1.0f + CORNERS[3 * n] * at[0], q = 1.0f + CORNERS[3 * n + 1] * at[1], r = 1.0f + CORNERS[3 * n + 2] * at[2];
            g[n][0] = 0.125f * CORNERS[3 * n] * q * r;
            g[n][1] = 0.125f * CORNERS[3 * n + 1] * p * r;
            g[n][2] = 0.125f * CORNERS[3 * n + 2] * p * q;
            for (int k = 0; k < 3; k++) for (int c = 0; c < 3; c++) m[k][c] += g[n][k] * places[n][c];
        }
        float volume = m[0][0] * MINOR(0, 0) + m[0][1] * MINOR(0, 1) + m[0][2] * MINOR(0, 2);
        float turned[8][3], slope[3];
        for (int c = 0; c < 3; c++) {
            float p = MINOR(0, c) / volume, q = MINOR(1, c) / volume, r = MINOR(2, c) / volume;
            slope[c] = 0.0f;
            for (int n = 0; n < 8; n++) {
                turned[n][c] = p * g[n][0] + q * g[n][1] + r * g[n][2];
                slope[c] += turned[n][c] * heat[n];
            }
        }
        for (int n = 0; n < 8; n++) {
            float along = turned[n][0] * slope[0] + turned[n][1] * slope[1] + turned[n][2] * slope[2];
            flow[n] += conductivities[i] * volume * along;
        }
    }
    for (int n = 0; n < 8; n++) flows[i].v[n] = flow[n];
}
";

/// Turns a matrix to a triangle by reflections, and a vector with it (Householder; Golub and Van Loan, 5.2).
#[device]
fn reflect<const M: usize, const N: usize>(a: &mut [[f32; N]; M], b: &mut [f32; M]) {
    for k in 0..N {
        let norm = a[k..].iter().map(|row| row[k] * row[k]).sum::<f32>().sqrt();
        if norm == 0.0 {
            continue;
        }
        let alpha = if a[k][k] > 0.0 { -norm } else { norm };
        let mut v = [0.0; M];
        for row in k..M {
            v[row] = a[row][k];
        }
        v[k] -= alpha;
        let square: f32 = v[k..].iter().map(|x| x * x).sum();
        for column in k..N {
            let dot: f32 = (k..M).map(|row| v[row] * a[row][column]).sum();
            for row in k..M {
                a[row][column] -= 2.0 * dot / square * v[row];
            }
        }
        let dot: f32 = (k..M).map(|row| v[row] * b[row]).sum();
        for row in k..M {
            b[row] -= 2.0 * dot / square * v[row];
        }
    }
}

/// Four unknowns of eight equations each, by least squares.
#[kernel(workgroup = [64])]
fn least_squares(matrices: &[[f32; 4]], rights: &[[f32; 8]], unknowns: &mut [[f32; 4]]) {
    let i = global_id().x as usize;
    let Some(rows) = matrices.chunks_exact(8).nth(i) else { return };
    let mut a = [[0.0; 4]; 8];
    a.copy_from_slice(rows);
    let mut b = rights[i];
    reflect(&mut a, &mut b);
    let mut x = [0.0; 4];
    for k in (0..4).rev() {
        let known: f32 = (k + 1..4).map(|j| a[k][j] * x[j]).sum();
        x[k] = (b[k] - known) / a[k][k];
    }
    unknowns[i] = x;
}

const LEAST_SQUARES: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    float a[8][4], b[8], x[4];
    for (int r = 0; r < 8; r++) {
        for (int c = 0; c < 4; c++) a[r][c] = matrices[8u * i + uint(r)].v[c];
        b[r] = rights[i].v[r];
    }
    for (int k = 0; k < 4; k++) {
        float norm = 0.0f;
        for (int r = k; r < 8; r++) norm += a[r][k] * a[r][k];
        norm = sqrt(norm);
        if (norm == 0.0f) continue;
        float alpha = a[k][k] > 0.0f ? -norm : norm;
        float v[8];
        for (int r = k; r < 8; r++) v[r] = a[r][k];
        v[k] -= alpha;
        float square = 0.0f;
        for (int r = k; r < 8; r++) square += v[r] * v[r];
        for (int c = k; c < 4; c++) {
            float dot_ = 0.0f;
            for (int r = k; r < 8; r++) dot_ += v[r] * a[r][c];
            for (int r = k; r < 8; r++) a[r][c] -= 2.0f * dot_ / square * v[r];
        }
        float dot_ = 0.0f;
        for (int r = k; r < 8; r++) dot_ += v[r] * b[r];
        for (int r = k; r < 8; r++) b[r] -= 2.0f * dot_ / square * v[r];
    }
    for (int k = 3; k >= 0; k--) {
        float known = 0.0f;
        for (int j = k + 1; j < 4; j++) known += a[k][j] * x[j];
        x[k] = (b[k] - known) / a[k][k];
    }
    for (int k = 0; k < 4; k++) unknowns[i].v[k] = x[k];
}
";

#[device]
mod kinetics {
    type Vector = [f64; 3];

    /// Robertson's three reactions (1966), whose rates differ by nine orders.
    pub(crate) fn rates(k: Vector, y: Vector) -> Vector {
        let (first, second, third) = (k[0] * y[0], k[1] * y[1] * y[1], k[2] * y[1] * y[2]);
        [third - first, first - second - third, second]
    }

    /// The solution of `(1 - step J) x = b`, with the Jacobian at a place.
    pub(crate) fn solve(k: Vector, y: Vector, step: f64, b: Vector) -> Vector {
        let mut m = [
            [1.0 + step * k[0], -step * k[2] * y[2], -step * k[2] * y[1]],
            [-step * k[0], 1.0 + step * (2.0 * k[1] * y[1] + k[2] * y[2]), step * k[2] * y[1]],
            [0.0, -step * 2.0 * k[1] * y[1], 1.0],
        ];
        let mut x = b;
        for pivot in 0..3 {
            for row in pivot + 1..3 {
                let factor = m[row][pivot] / m[pivot][pivot];
                for column in pivot..3 {
                    m[row][column] -= factor * m[pivot][column];
                }
                x[row] -= factor * x[pivot];
            }
        }
        for row in (0..3).rev() {
            for column in row + 1..3 {
                x[row] -= m[row][column] * x[column];
            }
            x[row] /= m[row][row];
        }
        x
    }
}

/// Concentrations of stiff reactions after a time, by a Rosenbrock method whose steps follow the error (ROS2: Verwer et al., 1999).
#[kernel(workgroup = [64])]
fn stiff(until: f32, tolerance: f32, speeds: &[[f64; 3]], ends: &mut [[f64; 3]], steps: &mut [u32]) {
    const GAMMA: f64 = 1.707_106_781_186_547_5;
    let i = global_id().x as usize;
    if i >= speeds.len() {
        return;
    }
    let (until, tolerance, k) = (f64::from(until), f64::from(tolerance), speeds[i]);
    let mut y = [1.0, 0.0, 0.0];
    let (mut time, mut step) = (0.0, 1e-4);
    let mut taken = 0;
    while time < until && taken < 10_000 {
        taken += 1;
        step = f64::min(step, until - time);
        let first = kinetics::solve(k, y, GAMMA * step, kinetics::rates(k, y));
        let there: [f64; 3] = std::array::from_fn(|s| y[s] + step * first[s]);
        let rates = kinetics::rates(k, there);
        let second = kinetics::solve(k, y, GAMMA * step, std::array::from_fn(|s| rates[s] - 2.0 * first[s]));
        let error = first.iter().zip(second).map(|(a, b)| (0.5 * step * (a + b)).abs()).fold(0.0, f64::max);
        if error <= tolerance {
            time += step;
            y = std::array::from_fn(|s| y[s] + step * (1.5 * first[s] + 0.5 * second[s]));
            if error < 0.25 * tolerance {
                step *= 2.0;
            }
        } else {
            step *= 0.5;
        }
    }
    ends[i] = y;
    steps[i] = taken;
}

const STIFF: &str = r"
#ifdef __CUDACC__
#define GAMMA_ 1.7071067811865475
#define FIRST_STEP 1e-4
#else
#define GAMMA_ 1.7071067811865475lf
#define FIRST_STEP 1e-4lf
#endif
struct Vector { double v[3]; };
DEVICE Vector rates_of(f64x3 k, Vector y) {
    double first = k.v[0] * y.v[0], second = k.v[1] * y.v[1] * y.v[1], third = k.v[2] * y.v[1] * y.v[2];
    Vector f;
    f.v[0] = third - first;
    f.v[1] = first - second - third;
    f.v[2] = second;
    return f;
}
DEVICE Vector solve(f64x3 k, Vector y, double step_, Vector b) {
    double m[3][3];
    m[0][0] = DOUBLE(1.0) + step_ * k.v[0];
    m[0][1] = -step_ * k.v[2] * y.v[2];
    m[0][2] = -step_ * k.v[2] * y.v[1];
    m[1][0] = -step_ * k.v[0];
    m[1][1] = DOUBLE(1.0) + step_ * (DOUBLE(2.0) * k.v[1] * y.v[1] + k.v[2] * y.v[2]);
    m[1][2] = step_ * k.v[2] * y.v[1];
    m[2][0] = DOUBLE(0.0);
    m[2][1] = -step_ * DOUBLE(2.0) * k.v[1] * y.v[1];
    m[2][2] = DOUBLE(1.0);
    for (int pivot = 0; pivot < 3; pivot++) {
        for (int row = pivot + 1; row < 3; row++) {
            double factor = m[row][pivot] / m[pivot][pivot];
            for (int column = pivot; column < 3; column++) m[row][column] -= factor * m[pivot][column];
            b.v[row] -= factor * b.v[pivot];
        }
    }
    for (int row = 2; row >= 0; row--) {
        for (int column = row + 1; column < 3; column++) b.v[row] -= m[row][column] * b.v[column];
        b.v[row] /= m[row][row];
    }
    return b;
}
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    double end = double(until), most = double(tolerance);
    f64x3 k = speeds[i];
    Vector y;
    y.v[0] = DOUBLE(1.0);
    y.v[1] = DOUBLE(0.0);
    y.v[2] = DOUBLE(0.0);
    double time = DOUBLE(0.0), step_ = FIRST_STEP;
    uint taken = 0u;
    while (time < end && taken < 10000u) {
        taken++;
        step_ = min(step_, end - time);
        Vector first = solve(k, y, GAMMA_ * step_, rates_of(k, y)), there;
        for (int s = 0; s < 3; s++) there.v[s] = y.v[s] + step_ * first.v[s];
        Vector second = rates_of(k, there);
        for (int s = 0; s < 3; s++) second.v[s] -= DOUBLE(2.0) * first.v[s];
        second = solve(k, y, GAMMA_ * step_, second);
        double error = DOUBLE(0.0);
        for (int s = 0; s < 3; s++) error = max(error, abs(DOUBLE(0.5) * step_ * (first.v[s] + second.v[s])));
        if (error <= most) {
            time += step_;
            for (int s = 0; s < 3; s++) y.v[s] += step_ * (DOUBLE(1.5) * first.v[s] + DOUBLE(0.5) * second.v[s]);
            if (error < DOUBLE(0.25) * most) step_ *= DOUBLE(2.0);
        } else {
            step_ *= DOUBLE(0.5);
        }
    }
    for (int s = 0; s < 3; s++) ends[i].v[s] = y.v[s];
    steps[i] = taken;
}
";

/// A step of pressure waves in rock, of eighth order in space and second order in time.
#[kernel(workgroup = [32, 4, 2])]
fn rock(width: u32, height: u32, depth: u32, now: &[f32], speeds: &[f32], next: &mut [f32]) {
    const WEIGHTS: [f32; 5] = [-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0];
    const RADIUS: usize = 4;
    let (x, y, z) = (global_id().x as usize, global_id().y as usize, global_id().z as usize);
    let (width, height, depth) = (width as usize, height as usize, depth as usize);
    let is_inside = |place: usize, side: usize| place >= RADIUS && place + RADIUS < side;
    if !is_inside(x, width) || !is_inside(y, height) || !is_inside(z, depth) {
        return;
    }
    let index = |x: usize, y: usize, z: usize| (z * height + y) * width + x;
    let here = index(x, y, z);
    let mut laplacian = 3.0 * WEIGHTS[0] * now[here];
    for r in 1..=RADIUS {
        laplacian += WEIGHTS[r]
            * (now[index(x - r, y, z)]
                + now[index(x + r, y, z)]
                + now[index(x, y - r, z)]
                + now[index(x, y + r, z)]
                + now[index(x, y, z - r)]
                + now[index(x, y, z + r)]);
    }
    next[here] = 2.0 * now[here] - next[here] + speeds[here] * speeds[here] * laplacian;
}

const ROCK: &str = r"
TABLE float WEIGHTS[5] = { -205.0f / 72.0f, 8.0f / 5.0f, -1.0f / 5.0f, 8.0f / 315.0f, -1.0f / 560.0f };
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y, z = GLOBAL_Z;
    if (x < 4u || y < 4u || z < 4u || x + 4u >= width || y + 4u >= height || z + 4u >= depth) return;
    uint row = width, layer = width * height;
    uint here = z * layer + y * row + x;
    float laplacian = 3.0f * WEIGHTS[0] * now[here];
    for (uint r = 1u; r <= 4u; r++) {
        laplacian += WEIGHTS[r] * (now[here - r] + now[here + r] + now[here - r * row] + now[here + r * row]
            + now[here - r * layer] + now[here + r * layer]);
    }
    next[here] = 2.0f * now[here] - next[here] + speeds[here] * speeds[here] * laplacian;
}
";

/// A box of bricks whose inner corners are moved a little, and the corners of each.
fn mesh(side: usize) -> (Vec<[f32; 3]>, Vec<[u32; 8]>) {
    let across = side + 1;
    let moved = floats(3 * across.pow(3));
    let node = |at: usize| {
        let places = [at % across, at / across % across, at / across / across];
        std::array::from_fn(|k| places[k] as f32 + 0.3 * moved[3 * at + k])
    };
    let brick = |at: usize| {
        let first = (at / side / side * across + at / side % side) * across + at % side;
        let (up, back) = (across, across * across);
        [0, 1, up + 1, up, back, back + 1, back + up + 1, back + up].map(|step| (first + step) as u32)
    };
    ((0..across.pow(3)).map(node).collect(), (0..side.pow(3)).map(brick).collect())
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 20 } else { 1 << 12 };
    let side: usize = if large { 64 } else { 8 };
    let (nodes, corners) = mesh(side);
    let systems = n / 8;
    let stiff = n / 64;
    let speed = |&[a, b, c]: &[f64; 3]| [0.04 * (0.5 + a), 3e7 * (0.5 + b), 1e4 * (0.5 + c)];
    let [width, height, depth] = if large { [256, 256, 128] } else { [32, 16, 16] };
    let cells = width * height * depth;
    vec![
        Workload::new::<Bricks>("heat in bricks", [side.pow(3) / 64, 1, 1], BRICKS)
            .peer_value("len", side.pow(3) as u32)
            .read::<[f32; 3]>("nodes", nodes.clone())
            .read::<[u32; 8]>("corners", corners)
            .read("conductivities", floats(side.pow(3) + 1)[1..].to_vec())
            .read("heats", floats(nodes.len()))
            .write::<[f32; 8]>("flows", side.pow(3)),
        Workload::new::<LeastSquares>("least squares", [systems / 64, 1, 1], LEAST_SQUARES)
            .peer_value("len", systems as u32)
            .read::<[f32; 4]>("matrices", floats(32 * systems).as_chunks().0.to_vec())
            .read::<[f32; 8]>("rights", floats(8 * systems + 1)[1..].as_chunks().0.to_vec())
            .write::<[f32; 4]>("unknowns", systems)
            .roughly(0.001),
        Workload::new::<Stiff>("stiff reactions", [stiff / 64, 1, 1], STIFF)
            .peer_value("len", stiff as u32)
            .value("until", 40.0)
            .value("tolerance", 1e-5)
            .read::<[f64; 3]>("speeds", doubles(3 * stiff).as_chunks().0.iter().map(speed).collect())
            .write::<[f64; 3]>("ends", stiff)
            .write::<u32>("steps", stiff)
            .roughly(0.01),
        Workload::new::<Rock>("waves in rock", [width / 32, height / 4, depth / 2], ROCK)
            .value("width", width as u32)
            .value("height", height as u32)
            .value("depth", depth as u32)
            .read("now", floats(cells))
            .read("speeds", floats(cells + 1)[1..].iter().map(|x| 0.1 + 0.3 * x).collect::<Vec<f32>>())
            .update("next", floats(cells + 2)[2..].to_vec()),
    ]
}
