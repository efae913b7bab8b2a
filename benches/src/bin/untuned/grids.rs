//! Neighbours on a grid: life, a fluid, filters, a solver.

use gridwise::prelude::*;

use crate::data::{bytes, doubles, floats};
use crate::workload::Workload;

#[kernel(workgroup = [32, 8])]
fn life(width: u32, height: u32, old: &[u8], new: &mut [u8]) {
    let (x, y) = (global_id().x, global_id().y);
    let mut alive = 0;
    for dy in [height - 1, 0, 1] {
        for dx in [width - 1, 0, 1] {
            let at = (y + dy) % height * width + (x + dx) % width;
            alive += old[at as usize];
        }
    }
    let here = (y * width + x) as usize;
    new[here] = if alive == 3 || (alive == 4 && old[here] == 1) { 1 } else { 0 };
}

const LIFE: &str = r"
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    uint alive = 0u;
    uint rows[3] = { height - 1u, 0u, 1u };
    uint columns[3] = { width - 1u, 0u, 1u };
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            uint at = (y + rows[j]) % height * width + (x + columns[i]) % width;
            alive += uint(old[at]);
        }
    }
    uint here = y * width + x;
    next[here] = uint8_t((alive == 3u || (alive == 4u && uint(old[here]) == 1u)) ? 1u : 0u);
}
";

#[device]
const CX: [i32; 9] = [0, 1, 0, -1, 0, 1, -1, -1, 1];
#[device]
const CY: [i32; 9] = [0, 0, 1, 0, -1, 1, 1, -1, -1];
#[device]
const WEIGHTS: [f32; 9] =
    [4.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0];

/// D2Q9 with one relaxation time; what streams in is pulled.
#[kernel(workgroup = [32, 8])]
fn lattice(width: u32, height: u32, omega: f32, from: &[f32], to: &mut [f32]) {
    let (x, y) = (global_id().x, global_id().y);
    let cells = width * height;
    let mut f = [0.0f32; 9];
    let (mut density, mut ux, mut uy) = (0.0, 0.0, 0.0);
    for k in 0..9 {
        let sx = (x as i32 + width as i32 - CX[k]) as u32 % width;
        let sy = (y as i32 + height as i32 - CY[k]) as u32 % height;
        f[k] = from[(k as u32 * cells + sy * width + sx) as usize];
        density += f[k];
        ux += f[k] * CX[k] as f32;
        uy += f[k] * CY[k] as f32;
    }
    ux /= density;
    uy /= density;
    let square = 1.5 * (ux * ux + uy * uy);
    for k in 0..9 {
        let along = 3.0 * (CX[k] as f32 * ux + CY[k] as f32 * uy);
        let equilibrium = WEIGHTS[k] * density * (1.0 + along + 0.5 * along * along - square);
        to[(k as u32 * cells + y * width + x) as usize] = f[k] + omega * (equilibrium - f[k]);
    }
}

const LATTICE: &str = r"
TABLE int CX[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
TABLE int CY[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
TABLE float WEIGHTS[9] = { 4.0f / 9.0f, 1.0f / 9.0f, 1.0f / 9.0f, 1.0f / 9.0f, 1.0f / 9.0f, 1.0f / 36.0f, 1.0f / 36.0f,
    1.0f / 36.0f, 1.0f / 36.0f };
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    uint cells = width * height;
    float f[9];
    float density = 0.0f, ux = 0.0f, uy = 0.0f;
    for (int k = 0; k < 9; k++) {
        uint sx = uint(int(x) + int(width) - CX[k]) % width;
        uint sy = uint(int(y) + int(height) - CY[k]) % height;
        f[k] = from[uint(k) * cells + sy * width + sx];
        density += f[k];
        ux += f[k] * float(CX[k]);
        uy += f[k] * float(CY[k]);
    }
    ux /= density;
    uy /= density;
    float square = 1.5f * (ux * ux + uy * uy);
    for (int k = 0; k < 9; k++) {
        float along = 3.0f * (float(CX[k]) * ux + float(CY[k]) * uy);
        float equilibrium = WEIGHTS[k] * density * (1.0f + along + 0.5f * along * along - square);
        to[uint(k) * cells + y * width + x] = f[k] + omega * (equilibrium - f[k]);
    }
}
";

#[kernel(workgroup = [16, 16])]
fn bilateral(width: u32, height: u32, space: f32, range: f32, image: &[f32], out: &mut [f32]) {
    let (x, y) = (global_id().x as i32, global_id().y as i32);
    let (w, h) = (width as i32, height as i32);
    let center = image[(y * w + x) as usize];
    let (mut sum, mut weights) = (0.0, 0.0);
    for dy in -2..=2 {
        for dx in -2..=2 {
            let sx = (x + dx).clamp(0, w - 1);
            let sy = (y + dy).clamp(0, h - 1);
            let value = image[(sy * w + sx) as usize];
            let difference = value - center;
            let weight = (-((dx * dx + dy * dy) as f32) * space - difference * difference * range).exp();
            sum += value * weight;
            weights += weight;
        }
    }
    out[(y * w + x) as usize] = sum / weights;
}

const BILATERAL: &str = r"
KERNEL {
    int x = int(GLOBAL_X), y = int(GLOBAL_Y);
    int w = int(width), h = int(height);
    float center = image[y * w + x];
    float sum = 0.0f, weights = 0.0f;
    for (int dy = -2; dy <= 2; dy++) {
        for (int dx = -2; dx <= 2; dx++) {
            int sx = min(max(x + dx, 0), w - 1);
            int sy = min(max(y + dy, 0), h - 1);
            float value = image[sy * w + sx];
            float difference = value - center;
            float weight = exp(-float(dx * dx + dy * dy) * space - difference * difference * range);
            sum += value * weight;
            weights += weight;
        }
    }
    result[y * w + x] = sum / weights;
}
";

#[device]
const TILE: usize = 16;
#[device]
const RADIUS: usize = 3;
#[device]
const SPAN: usize = TILE + 2 * RADIUS;

#[kernel(workgroup = [16, 16])]
fn convolve(width: u32, height: u32, image: &[f32], weights: &[f32], out: &mut [f32]) {
    let mut tile = Shared::<[[f32; SPAN]; SPAN]>::new();
    let (lx, ly) = (local_id().x as usize, local_id().y as usize);
    let left = (workgroup_id().x as usize * TILE) as i32 - RADIUS as i32;
    let top = (workgroup_id().y as usize * TILE) as i32 - RADIUS as i32;
    for ty in (ly..SPAN).step_by(TILE) {
        for tx in (lx..SPAN).step_by(TILE) {
            let sx = (left + tx as i32).clamp(0, width as i32 - 1) as u32;
            let sy = (top + ty as i32).clamp(0, height as i32 - 1) as u32;
            tile[ty][tx] = image[(sy * width + sx) as usize];
        }
    }
    barrier();
    let mut sum = 0.0;
    for ky in 0..2 * RADIUS + 1 {
        for kx in 0..2 * RADIUS + 1 {
            sum += weights[ky * (2 * RADIUS + 1) + kx] * tile[ly + ky][lx + kx];
        }
    }
    let (x, y) = (global_id().x, global_id().y);
    if x < width && y < height {
        out[(y * width + x) as usize] = sum;
    }
}

const CONVOLVE: &str = r"
SHARED float tile[22][22];
KERNEL {
    uint lx = LOCAL_X, ly = LOCAL_Y;
    int left = int(GROUP_X * 16u) - 3;
    int top = int(GROUP_Y * 16u) - 3;
    for (uint ty = ly; ty < 22u; ty += 16u) {
        for (uint tx = lx; tx < 22u; tx += 16u) {
            uint sx = uint(min(max(left + int(tx), 0), int(width) - 1));
            uint sy = uint(min(max(top + int(ty), 0), int(height) - 1));
            tile[ty][tx] = image[sy * width + sx];
        }
    }
    BARRIER;
    float sum = 0.0f;
    for (uint ky = 0u; ky < 7u; ky++)
        for (uint kx = 0u; kx < 7u; kx++) sum += weights[ky * 7u + kx] * tile[ly + ky][lx + kx];
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x < width && y < height) result[y * width + x] = sum;
}
";

#[kernel(workgroup = [32, 8])]
fn jacobi(width: u32, height: u32, from: &[f64], to: &mut [f64]) {
    let (x, y) = (global_id().x as usize, global_id().y as usize);
    let (width, height) = (width as usize, height as usize);
    let here = y * width + x;
    if x == 0 || y == 0 || x + 1 >= width || y + 1 >= height {
        to[here] = from[here];
        return;
    }
    to[here] = 0.25 * (from[here - 1] + from[here + 1] + from[here - width] + from[here + width]);
}

const JACOBI: &str = r"
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    uint here = y * width + x;
    if (x == 0u || y == 0u || x + 1u >= width || y + 1u >= height) {
        to[here] = from[here];
        return;
    }
    to[here] = DOUBLE(0.25) * (from[here - 1u] + from[here + 1u] + from[here - width] + from[here + width]);
}
";

/// Edges of an image of bytes.
#[kernel(workgroup = [32, 8])]
fn sobel(width: u32, height: u32, image: &[u8], edges: &mut [u8]) {
    let (x, y) = (global_id().x, global_id().y);
    if x == 0 || y == 0 || x >= width - 1 || y >= height - 1 {
        return;
    }
    let at = |dx: u32, dy: u32| i32::from(image[((y + dy - 1) * width + x + dx - 1) as usize]);
    let gx = at(2, 0) + 2 * at(2, 1) + at(2, 2) - at(0, 0) - 2 * at(0, 1) - at(0, 2);
    let gy = at(0, 2) + 2 * at(1, 2) + at(2, 2) - at(0, 0) - 2 * at(1, 0) - at(2, 0);
    edges[(y * width + x) as usize] = (gx.abs() + gy.abs()).min(255) as u8;
}

const SOBEL: &str = r"
#define AT(dx, dy) int(image[(y + dy - 1u) * width + x + dx - 1u])
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x == 0u || y == 0u || x >= width - 1u || y >= height - 1u) return;
    int gx = AT(2u, 0u) + 2 * AT(2u, 1u) + AT(2u, 2u) - AT(0u, 0u) - 2 * AT(0u, 1u) - AT(0u, 2u);
    int gy = AT(0u, 2u) + 2 * AT(1u, 2u) + AT(2u, 2u) - AT(0u, 0u) - 2 * AT(1u, 0u) - AT(2u, 0u);
    edges[y * width + x] = uint8_t(min(abs(gx) + abs(gy), 255));
}
";

/// An image at another size, each pixel from four.
#[kernel(workgroup = [16, 16])]
fn resize(from_width: u32, from_height: u32, width: u32, height: u32, image: &[f32], out: &mut [f32]) {
    let (x, y) = (global_id().x, global_id().y);
    if x >= width || y >= height {
        return;
    }
    let fx = (x as f32 + 0.5) * from_width as f32 / width as f32 - 0.5;
    let fy = (y as f32 + 0.5) * from_height as f32 / height as f32 - 0.5;
    let (left, top) = (fx.floor().max(0.0), fy.floor().max(0.0));
    let (x0, y0) = (left as u32, top as u32);
    let (x1, y1) = ((x0 + 1).min(from_width - 1), (y0 + 1).min(from_height - 1));
    let (tx, ty) = ((fx - left).clamp(0.0, 1.0), (fy - top).clamp(0.0, 1.0));
    let at = |x: u32, y: u32| image[(y * from_width + x) as usize];
    let above = at(x0, y0) * (1.0 - tx) + at(x1, y0) * tx;
    let below = at(x0, y1) * (1.0 - tx) + at(x1, y1) * tx;
    out[(y * width + x) as usize] = above * (1.0 - ty) + below * ty;
}

const RESIZE: &str = r"
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x >= width || y >= height) return;
    float fx = (float(x) + 0.5f) * float(from_width) / float(width) - 0.5f;
    float fy = (float(y) + 0.5f) * float(from_height) / float(height) - 0.5f;
    float left = max(floor(fx), 0.0f), top = max(floor(fy), 0.0f);
    uint x0 = uint(left), y0 = uint(top);
    uint x1 = min(x0 + 1u, from_width - 1u), y1 = min(y0 + 1u, from_height - 1u);
    float tx = min(max(fx - left, 0.0f), 1.0f), ty = min(max(fy - top, 0.0f), 1.0f);
    float above = image[y0 * from_width + x0] * (1.0f - tx) + image[y0 * from_width + x1] * tx;
    float below = image[y1 * from_width + x0] * (1.0f - tx) + image[y1 * from_width + x1] * tx;
    result[y * width + x] = above * (1.0f - ty) + below * ty;
}
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 4096usize } else { 64 };
    let sides = |workload: Workload| workload.value("width", n as u32).value("height", n as u32);
    let alive = bytes(n * n).into_iter().map(|byte| byte & 1).collect::<Vec<_>>();
    let populations = floats(9 * n * n).into_iter().map(|x| 0.1 + 0.01 * x).collect::<Vec<_>>();
    vec![
        sides(Workload::new::<Bilateral>("bilateral 5×5", [n / 16, n / 16, 1], BILATERAL))
            .value("space", 0.2f32)
            .value("range", 4.0f32)
            .read("image", floats(n * n))
            .write::<f32>("result", n * n),
        sides(Workload::new::<Life>("game of life", [n / 32, n / 8, 1], LIFE))
            .read("old", alive)
            .write::<u8>("next", n * n),
        sides(Workload::new::<Lattice>("lattice Boltzmann", [n / 32, n / 8, 1], LATTICE))
            .value("omega", 1.2f32)
            .read("from", populations)
            .write::<f32>("to", 9 * n * n),
        sides(Workload::new::<Convolve>("convolution 7×7", [n / 16, n / 16, 1], CONVOLVE))
            .read("image", floats(n * n))
            .read("weights", floats(49))
            .write::<f32>("result", n * n),
        sides(Workload::new::<Jacobi>("Jacobi f64", [n / 32, n / 8, 1], JACOBI))
            .read("from", doubles(n * n))
            .write::<f64>("to", n * n),
        sides(Workload::new::<Sobel>("Sobel", [n / 32, n / 8, 1], SOBEL))
            .read("image", bytes(n * n))
            .write::<u8>("edges", n * n),
        sides(
            Workload::new::<Resize>("bilinear resize", [n / 16, n / 16, 1], RESIZE)
                .value("from_width", n as u32 / 2 + 7)
                .value("from_height", n as u32 / 2 + 3),
        )
        .read("image", floats((n / 2 + 7) * (n / 2 + 3)))
        .write::<f32>("result", n * n),
    ]
}
