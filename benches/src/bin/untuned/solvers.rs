//! Small systems and fields: factors of matrices, tridiagonal systems, roots of polynomials, heat, bytes multiplied.

use gridwise::prelude::*;

use crate::complex::Complex;
use crate::data::{bytes, floats};
use crate::workload::Workload;

/// Cholesky's factors of matrices of 8 by 8 numbers, one an invocation.
#[kernel(workgroup = [128])]
fn cholesky(matrices: &[f32], factors: &mut [f32]) {
    let at = global_id().x as usize * 64;
    if at >= matrices.len() {
        return;
    }
    let mut a = [[0.0f32; 8]; 8];
    for row in 0..8 {
        for column in 0..=row {
            a[row][column] = matrices[at + 8 * row + column];
        }
    }
    for j in 0..8 {
        let mut diagonal = a[j][j];
        for k in 0..j {
            diagonal -= a[j][k] * a[j][k];
        }
        let diagonal = diagonal.sqrt();
        a[j][j] = diagonal;
        for i in j + 1..8 {
            let mut rest = a[i][j];
            for k in 0..j {
                rest -= a[i][k] * a[j][k];
            }
            a[i][j] = rest / diagonal;
        }
    }
    for row in 0..8 {
        for column in 0..8 {
            factors[at + 8 * row + column] = a[row][column];
        }
    }
}

const CHOLESKY: &str = r"
KERNEL {
    uint at = GLOBAL_X * 64u;
    if (at >= len) return;
    float a[8][8];
    for (int row = 0; row < 8; row++)
        for (int column = 0; column < 8; column++) a[row][column] = column <= row ? matrices[at + 8 * row + column] : 0.0f;
    for (int j = 0; j < 8; j++) {
        float diagonal = a[j][j];
        for (int k = 0; k < j; k++) diagonal -= a[j][k] * a[j][k];
        diagonal = sqrt(diagonal);
        a[j][j] = diagonal;
        for (int i = j + 1; i < 8; i++) {
            float rest = a[i][j];
            for (int k = 0; k < j; k++) rest -= a[i][k] * a[j][k];
            a[i][j] = rest / diagonal;
        }
    }
    for (int row = 0; row < 8; row++)
        for (int column = 0; column < 8; column++) factors[at + 8 * row + column] = a[row][column];
}
";

/// Tridiagonal systems (Thomas), one an invocation, element by element beside each other.
#[kernel(workgroup = [128])]
fn tridiagonal(
    systems: u32,
    size: u32,
    below: &[f32],
    middle: &[f32],
    above: &[f32],
    right: &[f32],
    scratch: &mut [f32],
    x: &mut [f32],
) {
    let (systems, size) = (systems as usize, size as usize);
    let i = global_id().x as usize;
    if i >= systems {
        return;
    }
    let mut last = above[i] / middle[i];
    let mut value = right[i] / middle[i];
    scratch[i] = last;
    x[i] = value;
    for row in 1..size {
        let at = row * systems + i;
        let scale = 1.0 / (middle[at] - below[at] * last);
        last = above[at] * scale;
        value = (right[at] - below[at] * value) * scale;
        scratch[at] = last;
        x[at] = value;
    }
    for row in (0..size - 1).rev() {
        let at = row * systems + i;
        value = x[at] - scratch[at] * value;
        x[at] = value;
    }
}

const TRIDIAGONAL: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= systems) return;
    float last = above[i] / middle[i];
    float value = right[i] / middle[i];
    scratch[i] = last;
    x[i] = value;
    for (uint row = 1u; row < size; row++) {
        uint at = row * systems + i;
        float scale = 1.0f / (middle[at] - below[at] * last);
        last = above[at] * scale;
        value = (right[at] - below[at] * value) * scale;
        scratch[at] = last;
        x[at] = value;
    }
    for (uint row = size - 1u; row-- > 0u;) {
        uint at = row * systems + i;
        value = x[at] - scratch[at] * value;
        x[at] = value;
    }
}
";

/// Rounds of Newton's method until a root of z³ - 1 is near.
#[kernel(workgroup = [16, 16])]
fn newton(width: u32, height: u32, rounds: &mut [u32]) {
    let (x, y) = (global_id().x, global_id().y);
    if x >= width || y >= height {
        return;
    }
    let mut z = Complex { re: x as f32 / width as f32 * 4.0 - 2.0, im: y as f32 / height as f32 * 4.0 - 2.0 };
    let mut count = 0;
    while count < 64 {
        let square = z * z;
        let step = (square * z - Complex::ONE) / square.scale(3.0);
        z = z - step;
        if step.norm() < 1e-6 {
            break;
        }
        count += 1;
    }
    rounds[(y * width + x) as usize] = count;
}

const NEWTON: &str = r"
struct Complex { float re, im; };
DEVICE Complex make(float re, float im) { Complex c; c.re = re; c.im = im; return c; }
DEVICE Complex sub(Complex a, Complex b) { return make(a.re - b.re, a.im - b.im); }
DEVICE Complex mul(Complex a, Complex b) { return make(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }
DEVICE float norm(Complex a) { return a.re * a.re + a.im * a.im; }
DEVICE Complex divide(Complex a, Complex b) {
    float square = norm(b);
    return make((a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square);
}
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x >= width || y >= height) return;
    Complex z = make(float(x) / float(width) * 4.0f - 2.0f, float(y) / float(height) * 4.0f - 2.0f);
    uint count = 0u;
    while (count < 64u) {
        Complex square = mul(z, z);
        Complex step = divide(sub(mul(square, z), make(1.0f, 0.0f)), make(square.re * 3.0f, square.im * 3.0f));
        z = sub(z, step);
        if (norm(step) < 1e-6f) break;
        count++;
    }
    rounds[y * width + x] = count;
}
";

/// A step of heat in a box.
#[kernel(workgroup = [32, 4, 2])]
fn heat(side: u32, rate: f32, from: &[f32], to: &mut [f32]) {
    let id = global_id();
    let (x, y, z) = (id.x as usize, id.y as usize, id.z as usize);
    let side = side as usize;
    let at = |x: usize, y: usize, z: usize| (z * side + y) * side + x;
    if x >= side || y >= side || z >= side {
        return;
    }
    let here = from[at(x, y, z)];
    if x == 0 || y == 0 || z == 0 || x == side - 1 || y == side - 1 || z == side - 1 {
        to[at(x, y, z)] = here;
        return;
    }
    let around = from[at(x - 1, y, z)]
        + from[at(x + 1, y, z)]
        + from[at(x, y - 1, z)]
        + from[at(x, y + 1, z)]
        + from[at(x, y, z - 1)]
        + from[at(x, y, z + 1)];
    to[at(x, y, z)] = here + rate * (around - 6.0 * here);
}

const HEAT: &str = r"
#define AT(x, y, z) (((z) * side + (y)) * side + (x))
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y, z = GLOBAL_Z;
    if (x >= side || y >= side || z >= side) return;
    float here = from[AT(x, y, z)];
    if (x == 0u || y == 0u || z == 0u || x == side - 1u || y == side - 1u || z == side - 1u) {
        to[AT(x, y, z)] = here;
        return;
    }
    float around = from[AT(x - 1u, y, z)] + from[AT(x + 1u, y, z)] + from[AT(x, y - 1u, z)] + from[AT(x, y + 1u, z)]
        + from[AT(x, y, z - 1u)] + from[AT(x, y, z + 1u)];
    to[AT(x, y, z)] = here + rate * (around - 6.0f * here);
}
";

/// A layer of a network of bytes: products in `i32`, scaled back.
#[kernel(workgroup = [16, 16])]
fn quantized(rows: u32, columns: u32, inner: u32, scale: f32, a: &[i8], b: &[i8], out: &mut [i8]) {
    let (row, column) = (global_id().y, global_id().x);
    if row >= rows || column >= columns {
        return;
    }
    let mut sum = 0i32;
    for k in 0..inner {
        sum += i32::from(a[(row * inner + k) as usize]) * i32::from(b[(column * inner + k) as usize]);
    }
    out[(row * columns + column) as usize] = (sum as f32 * scale).round().clamp(-128.0, 127.0) as i8;
}

const QUANTIZED: &str = r"
KERNEL {
    uint row = GLOBAL_Y, column = GLOBAL_X;
    if (row >= rows || column >= columns) return;
    int sum = 0;
    for (uint k = 0u; k < inner; k++) sum += int(a[row * inner + k]) * int(b[column * inner + k]);
    result[row * columns + column] = int8_t(min(max(round(float(sum) * scale), -128.0f), 127.0f));
}
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 18 } else { 1 << 9 };
    let side = if large { 256 } else { 32 };
    let width = if large { 2048 } else { 64 };
    let inner = if large { 1024 } else { 32 };
    // Heavy diagonals: all of them are positive definite.
    let matrices = floats(64 * n).into_iter().enumerate();
    let matrices = matrices.map(|(i, x)| if i % 64 / 8 == i % 8 { 9.0 + x } else { x }).collect::<Vec<_>>();
    let signed = |len| bytes(len).into_iter().map(|byte| byte as i8).collect::<Vec<_>>();
    let size = if large { 128 } else { 16 };
    let unknowns = n / 4 * size;
    vec![
        Workload::new::<Cholesky>("Cholesky 8×8", [n / 128, 1, 1], CHOLESKY)
            .peer_value("len", 64 * n as u32)
            .read("matrices", matrices)
            .write::<f32>("factors", 64 * n),
        Workload::new::<Tridiagonal>("tridiagonal systems", [n / 4 / 128, 1, 1], TRIDIAGONAL)
            .value("systems", n as u32 / 4)
            .value("size", size as u32)
            .read("below", floats(unknowns))
            .read("middle", floats(unknowns).into_iter().map(|x| 4.0 + x).collect())
            .read("above", floats(unknowns))
            .read("right", floats(unknowns))
            .write::<f32>("scratch", unknowns)
            .write::<f32>("x", unknowns),
        Workload::new::<Newton>("roots by Newton", [width / 16, width / 16, 1], NEWTON)
            .value("width", width as u32)
            .value("height", width as u32)
            .write::<u32>("rounds", width * width)
            .roughly(0.01),
        Workload::new::<Heat>("heat in a box", [side / 32, side / 4, side / 2], HEAT)
            .value("side", side as u32)
            .value("rate", 0.1f32)
            .read("from", floats(side * side * side))
            .write::<f32>("to", side * side * side),
        Workload::new::<Quantized>("products of i8", [inner / 16, inner / 16, 1], QUANTIZED)
            .value("rows", inner as u32)
            .value("columns", inner as u32)
            .value("inner", inner as u32)
            .value("scale", 1.0f32 / 4096.0)
            .read("a", signed(inner * inner))
            .read("b", signed(inner * inner))
            .write::<i8>("result", inner * inner)
            .roughly(0.001),
    ]
}
