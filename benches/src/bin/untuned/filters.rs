//! Windows and blocks of images: medians, cosines, running sums, planes of layers, a transposed matrix.

use gridwise::prelude::*;

use crate::data::{bytes, floats};
use crate::workload::Workload;

#[device]
fn sort(values: &mut [u8; 9]) {
    for i in 1..9 {
        let value = values[i];
        let mut at = i;
        while at > 0 && values[at - 1] > value {
            values[at] = values[at - 1];
            at -= 1;
        }
        values[at] = value;
    }
}

#[kernel(workgroup = [32, 8])]
fn median(width: u32, height: u32, image: &[u8], out: &mut [u8]) {
    let (x, y) = (global_id().x, global_id().y);
    if x < 1 || y < 1 || x + 1 >= width || y + 1 >= height {
        return;
    }
    let mut window = [0; 9];
    for dy in 0..3 {
        for dx in 0..3 {
            window[(3 * dy + dx) as usize] = image[((y + dy - 1) * width + x + dx - 1) as usize];
        }
    }
    sort(&mut window);
    out[(y * width + x) as usize] = window[4];
}

const MEDIAN: &str = r"
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x < 1u || y < 1u || x + 1u >= width || y + 1u >= height) return;
    uint8_t window[9];
    for (uint dy = 0u; dy < 3u; dy++)
        for (uint dx = 0u; dx < 3u; dx++) window[3u * dy + dx] = image[(y + dy - 1u) * width + x + dx - 1u];
    for (int i = 1; i < 9; i++) {
        uint8_t value = window[i];
        int at = i;
        while (at > 0 && window[at - 1] > value) {
            window[at] = window[at - 1];
            at--;
        }
        window[at] = value;
    }
    result[y * width + x] = window[4];
}
";

/// The cosine transform of blocks of 8 by 8 pixels.
#[kernel(workgroup = [8, 8])]
fn cosines(width: u32, image: &[f32], basis: &[f32], out: &mut [f32]) {
    let mut block = Shared::<[[f32; 8]; 8]>::new();
    let mut rows = Shared::<[[f32; 8]; 8]>::new();
    let (u, v) = (local_id().x as usize, local_id().y as usize);
    let at = (global_id().y * width + global_id().x) as usize;
    block[v][u] = image[at];
    barrier();
    let mut sum = 0.0;
    for k in 0..8 {
        sum += block[v][k] * basis[8 * u + k];
    }
    rows[v][u] = sum;
    barrier();
    let mut sum = 0.0;
    for k in 0..8 {
        sum += rows[k][u] * basis[8 * v + k];
    }
    out[at] = sum;
}

const COSINES: &str = r"
SHARED float block[8][8];
SHARED float rows[8][8];
KERNEL {
    uint u = LOCAL_X, v = LOCAL_Y;
    uint at = GLOBAL_Y * width + GLOBAL_X;
    block[v][u] = image[at];
    BARRIER;
    float sum = 0.0f;
    for (uint k = 0u; k < 8u; k++) sum += block[v][k] * basis[8u * u + k];
    rows[v][u] = sum;
    BARRIER;
    sum = 0.0f;
    for (uint k = 0u; k < 8u; k++) sum += rows[k][u] * basis[8u * v + k];
    result[at] = sum;
}
";

/// Means over a window in each column, by a running sum.
#[kernel(workgroup = [64])]
fn blur_columns(width: u32, height: u32, radius: u32, image: &[f32], out: &mut [f32]) {
    let (width, height, radius) = (width as usize, height as usize, radius as usize);
    let x = global_id().x as usize;
    if x >= width {
        return;
    }
    let mut sum = 0.0;
    for y in 0..radius.min(height) {
        sum += image[y * width + x];
    }
    for y in 0..height {
        if y + radius < height {
            sum += image[(y + radius) * width + x];
        }
        if y > radius {
            sum -= image[(y - radius - 1) * width + x];
        }
        out[y * width + x] = sum / (2 * radius + 1) as f32;
    }
}

const BLUR_COLUMNS: &str = r"
KERNEL {
    uint x = GLOBAL_X;
    if (x >= width) return;
    float sum = 0.0f;
    for (uint y = 0u; y < min(radius, height); y++) sum += image[y * width + x];
    for (uint y = 0u; y < height; y++) {
        if (y + radius < height) sum += image[(y + radius) * width + x];
        if (y > radius) sum -= image[(y - radius - 1u) * width + x];
        result[y * width + x] = sum / float(2u * radius + 1u);
    }
}
";

/// A convolution 3×3 of each plane by weights of its own, with zeros around.
#[kernel(workgroup = [32, 8])]
fn depthwise(width: u32, height: u32, planes: &[f32], weights: &[f32], out: &mut [f32]) {
    let (x, y, plane) = (global_id().x as i32, global_id().y as i32, global_id().z as usize);
    let (w, h) = (width as i32, height as i32);
    let mut sum = 0.0;
    for ky in 0..3 {
        for kx in 0..3 {
            let (sx, sy) = (x + kx - 1, y + ky - 1);
            if sx >= 0 && sx < w && sy >= 0 && sy < h {
                let pixel = planes[(plane * height as usize + sy as usize) * width as usize + sx as usize];
                sum += pixel * weights[plane * 9 + (ky * 3 + kx) as usize];
            }
        }
    }
    out[(plane * height as usize + y as usize) * width as usize + x as usize] = sum;
}

const DEPTHWISE: &str = r"
KERNEL {
    int x = int(GLOBAL_X), y = int(GLOBAL_Y);
    uint plane = GROUP_Z;
    int w = int(width), h = int(height);
    float sum = 0.0f;
    for (int ky = 0; ky < 3; ky++) {
        for (int kx = 0; kx < 3; kx++) {
            int sx = x + kx - 1, sy = y + ky - 1;
            if (sx >= 0 && sx < w && sy >= 0 && sy < h)
                sum += planes[(plane * height + uint(sy)) * width + uint(sx)] * weights[plane * 9u + uint(ky * 3 + kx)];
        }
    }
    result[(plane * height + uint(y)) * width + uint(x)] = sum;
}
";

/// The largest of two by two, plane by plane.
#[kernel(workgroup = [32, 8])]
fn pool(width: u32, height: u32, planes: &[f32], out: &mut [f32]) {
    let (x, y, plane) = (global_id().x, global_id().y, global_id().z);
    let (half_width, half_height) = (width / 2, height / 2);
    if x >= half_width || y >= half_height {
        return;
    }
    let at = |dx: u32, dy: u32| planes[((plane * height + 2 * y + dy) * width + 2 * x + dx) as usize];
    let most = at(0, 0).max(at(1, 0)).max(at(0, 1)).max(at(1, 1));
    out[((plane * half_height + y) * half_width + x) as usize] = most;
}

const POOL: &str = r"
#define AT(dx, dy) planes[(plane * height + 2u * y + dy) * width + 2u * x + dx]
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y, plane = GROUP_Z;
    uint half_width = width / 2u, half_height = height / 2u;
    if (x >= half_width || y >= half_height) return;
    float most = max(max(max(AT(0u, 0u), AT(1u, 0u)), AT(0u, 1u)), AT(1u, 1u));
    result[(plane * half_height + y) * half_width + x] = most;
}
";

#[kernel(workgroup = [32, 8])]
fn transpose(width: u32, height: u32, from: &[f32], to: &mut [f32]) {
    let mut tile = Shared::<[[f32; 33]; 32]>::new();
    let (lx, ly) = (local_id().x as usize, local_id().y as usize);
    let (left, top) = (workgroup_id().x as usize * 32, workgroup_id().y as usize * 32);
    let (width, height) = (width as usize, height as usize);
    for row in (ly..32).step_by(8) {
        if left + lx < width && top + row < height {
            tile[row][lx] = from[(top + row) * width + left + lx];
        }
    }
    barrier();
    for row in (ly..32).step_by(8) {
        if top + lx < height && left + row < width {
            to[(left + row) * height + top + lx] = tile[lx][row];
        }
    }
}

const TRANSPOSE: &str = r"
SHARED float tile[32][33];
KERNEL {
    uint lx = LOCAL_X, ly = LOCAL_Y;
    uint left = GROUP_X * 32u, top = GROUP_Y * 32u;
    for (uint row = ly; row < 32u; row += 8u)
        if (left + lx < width && top + row < height) tile[row][lx] = from[(top + row) * width + left + lx];
    BARRIER;
    for (uint row = ly; row < 32u; row += 8u)
        if (top + lx < height && left + row < width) to[(left + row) * height + top + lx] = tile[lx][row];
}
";

fn basis() -> Vec<f32> {
    let cosine = |u: u32, k: u32| (f64::from((2 * k + 1) * u) * std::f64::consts::PI / 16.0).cos();
    (0..8).flat_map(|u| (0..8).map(move |k| cosine(u, k) as f32)).collect()
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 4096usize } else { 64 };
    let side = n / 16;
    let sides = |workload: Workload, n: usize| workload.value("width", n as u32).value("height", n as u32);
    vec![
        sides(Workload::new::<Median>("median 3×3", [n / 32, n / 8, 1], MEDIAN), n)
            .read("image", bytes(n * n))
            .write::<u8>("result", n * n),
        Workload::new::<Cosines>("cosine transform", [n / 8, n / 8, 1], COSINES)
            .value("width", n as u32)
            .read("image", floats(n * n))
            .read("basis", basis())
            .write::<f32>("result", n * n),
        sides(Workload::new::<BlurColumns>("blur of columns", [n / 64, 1, 1], BLUR_COLUMNS), n)
            .value("radius", 9)
            .read("image", floats(n * n))
            .write::<f32>("result", n * n),
        sides(
            Workload::new::<Depthwise>("depthwise 3×3", [(side / 32).max(1), (side / 8).max(1), 256], DEPTHWISE),
            side.max(32),
        )
        .read("planes", floats(256 * side.max(32) * side.max(32)))
        .read("weights", floats(256 * 9))
        .write::<f32>("result", 256 * side.max(32) * side.max(32)),
        sides(
            Workload::new::<Pool>("largest of 2×2", [(side / 64).max(1), (side / 16).max(1), 256], POOL),
            side.max(32),
        )
        .read("planes", floats(256 * side.max(32) * side.max(32)))
        .write::<f32>("result", 64 * side.max(32) * side.max(32)),
        sides(Workload::new::<Transpose>("transpose", [n / 32, n / 32, 1], TRANSPOSE), n)
            .read("from", floats(n * n))
            .write::<f32>("to", n * n),
    ]
}
