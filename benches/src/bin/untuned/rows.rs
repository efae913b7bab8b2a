//! Work on rows: layer norm, softmax, prefix sums one after the other, products of matrices, attention.

use gridwise::prelude::*;

use crate::data::{floats, words};
use crate::workload::Workload;

#[device]
const WIDTH: usize = 256;

/// The sum of a workgroup's numbers, by a tree.
#[device]
fn sum_of(slots: &mut [f32], own: f32) -> f32 {
    let local = local_id().x as usize;
    slots[local] = own;
    barrier();
    let mut stride = WIDTH / 2;
    while stride > 0 {
        if local < stride {
            slots[local] += slots[local + stride];
        }
        barrier();
        stride /= 2;
    }
    let sum = slots[0];
    barrier();
    sum
}

#[kernel(workgroup = 256)]
fn layer_norm(columns: u32, x: &[f32], gain: &[f32], bias: &[f32], y: &mut [f32]) {
    let mut slots = Shared::<[f32; WIDTH]>::new();
    let columns = columns as usize;
    let row = workgroup_id().x as usize * columns;
    let local = local_id().x as usize;
    let mut sum = 0.0;
    for i in (local..columns).step_by(WIDTH) {
        sum += x[row + i];
    }
    let mean = sum_of(&mut slots[..], sum) / columns as f32;
    let mut squares = 0.0;
    for i in (local..columns).step_by(WIDTH) {
        let difference = x[row + i] - mean;
        squares += difference * difference;
    }
    let variance = sum_of(&mut slots[..], squares) / columns as f32;
    let scale = 1.0 / (variance + 1e-5).sqrt();
    for i in (local..columns).step_by(WIDTH) {
        y[row + i] = (x[row + i] - mean) * scale * gain[i] + bias[i];
    }
}

const SUM_OF: &str = r"
SHARED float slots[256];
DEVICE float sum_of(float own) {
    uint local = LOCAL_X;
    slots[local] = own;
    BARRIER;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        if (local < stride) slots[local] += slots[local + stride];
        BARRIER;
    }
    float sum = slots[0];
    BARRIER;
    return sum;
}
";

const LAYER_NORM: &str = r"
KERNEL {
    uint row = GROUP_X * columns;
    uint local = LOCAL_X;
    float sum = 0.0f;
    for (uint i = local; i < columns; i += 256u) sum += x[row + i];
    float mean = sum_of(sum) / float(columns);
    float squares = 0.0f;
    for (uint i = local; i < columns; i += 256u) {
        float difference = x[row + i] - mean;
        squares += difference * difference;
    }
    float variance = sum_of(squares) / float(columns);
    float scale = 1.0f / sqrt(variance + 1e-5f);
    for (uint i = local; i < columns; i += 256u) y[row + i] = (x[row + i] - mean) * scale * gain[i] + bias[i];
}
";

/// Softmax of a row, an invocation for each.
#[kernel(workgroup = 64)]
fn softmax_rows(columns: u32, x: &[f32], y: &mut [f32]) {
    let columns = columns as usize;
    let start = global_id().x as usize * columns;
    let row = &x[start..start + columns];
    let most = row.iter().fold(f32::NEG_INFINITY, |most, x| most.max(*x));
    let mut total = 0.0;
    for x in row {
        total += (x - most).exp();
    }
    for i in 0..columns {
        y[start + i] = (x[start + i] - most).exp() / total;
    }
}

const SOFTMAX: &str = r"
KERNEL {
    uint start = GLOBAL_X * columns;
    float most = x[start];
    for (uint i = 0u; i < columns; i++) most = max(most, x[start + i]);
    float total = 0.0f;
    for (uint i = 0u; i < columns; i++) total += exp(x[start + i] - most);
    for (uint i = 0u; i < columns; i++) y[start + i] = exp(x[start + i] - most) / total;
}
";

#[kernel(workgroup = 64)]
fn prefix_rows(columns: u32, x: &[i64], y: &mut [i64]) {
    let row = global_id().x as usize;
    let columns = columns as usize;
    let mut sum = 0;
    for c in 0..columns {
        sum += x[row * columns + c];
        y[row * columns + c] = sum;
    }
}

const PREFIX: &str = r"
KERNEL {
    uint row = GLOBAL_X;
    int64_t sum = int64_t(0);
    for (uint c = 0u; c < columns; c++) {
        sum += x[row * columns + c];
        y[row * columns + c] = sum;
    }
}
";

#[kernel(workgroup = [16, 16])]
fn matmul(n: u32, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (column, row, n) = (global_id().x as usize, global_id().y as usize, n as usize);
    let mut sum = 0.0;
    for k in 0..n {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

const MATMUL: &str = r"
KERNEL {
    uint column = GLOBAL_X, row = GLOBAL_Y;
    float sum = 0.0f;
    for (uint k = 0u; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
";

#[device]
const SIDE: usize = 16;

#[kernel(workgroup = [16, 16])]
fn matmul_tiled(n: u32, a: &[f32], b: &[f32], c: &mut [f32]) {
    let mut left = Shared::<[[f32; SIDE]; SIDE]>::new();
    let mut right = Shared::<[[f32; SIDE]; SIDE]>::new();
    let (lx, ly, n) = (local_id().x as usize, local_id().y as usize, n as usize);
    let (column, row) = (global_id().x as usize, global_id().y as usize);
    let mut sum = 0.0;
    for tile in 0..n / SIDE {
        left[ly][lx] = a[row * n + tile * SIDE + lx];
        right[ly][lx] = b[(tile * SIDE + ly) * n + column];
        barrier();
        for k in 0..SIDE {
            sum += left[ly][k] * right[k][lx];
        }
        barrier();
    }
    c[row * n + column] = sum;
}

const MATMUL_TILED: &str = r"
SHARED float left[16][16];
SHARED float right[16][16];
KERNEL {
    uint lx = LOCAL_X, ly = LOCAL_Y;
    uint column = GLOBAL_X, row = GLOBAL_Y;
    float sum = 0.0f;
    for (uint tile = 0u; tile < n / 16u; tile++) {
        left[ly][lx] = a[row * n + tile * 16u + lx];
        right[ly][lx] = b[(tile * 16u + ly) * n + column];
        BARRIER;
        for (uint k = 0u; k < 16u; k++) sum += left[ly][k] * right[k][lx];
        BARRIER;
    }
    c[row * n + column] = sum;
}
";

/// A matrix by a vector, a workgroup for each row.
#[kernel(workgroup = 256)]
fn matvec(columns: u32, matrix: &[f32], x: &[f32], y: &mut [f32]) {
    let mut slots = Shared::<[f32; WIDTH]>::new();
    let (row, columns) = (workgroup_id().x as usize, columns as usize);
    let mut sum = 0.0;
    for c in (local_id().x as usize..columns).step_by(WIDTH) {
        sum += matrix[row * columns + c] * x[c];
    }
    let sum = sum_of(&mut slots[..], sum);
    if local_id().x == 0 {
        y[row] = sum;
    }
}

const MATVEC: &str = r"
KERNEL {
    uint row = GROUP_X;
    float sum = 0.0f;
    for (uint c = LOCAL_X; c < columns; c += 256u) sum += matrix[row * columns + c] * x[c];
    sum = sum_of(sum);
    if (LOCAL_X == 0u) y[row] = sum;
}
";

#[device]
const DIM: usize = 64;
#[device]
const KEYS: usize = 64;

/// Attention of 64 queries, one for each invocation, to all keys and values of a head, which come in tiles.
#[kernel(workgroup = 64)]
fn attention(len: u32, scale: f32, q: &[f32], k: &[f32], v: &[f32], out: &mut [f32]) {
    let mut key_tile = Shared::<[[f32; DIM]; KEYS]>::new();
    let mut value_tile = Shared::<[[f32; DIM]; KEYS]>::new();
    let local = local_id().x as usize;
    let len = len as usize;
    let head = workgroup_id().y as usize * len * DIM;
    let query = head + (workgroup_id().x as usize * KEYS + local) * DIM;
    let mut own = [0.0f32; DIM];
    let mut sums = [0.0f32; DIM];
    for d in 0..DIM {
        own[d] = q[query + d];
    }
    let mut most = f32::NEG_INFINITY;
    let mut total = 0.0;
    for tile in 0..len / KEYS {
        for j in 0..KEYS {
            let from = head + (tile * KEYS + j) * DIM + local;
            key_tile[j][local] = k[from];
            value_tile[j][local] = v[from];
        }
        barrier();
        for j in 0..KEYS {
            let mut score = 0.0;
            for d in 0..DIM {
                score += own[d] * key_tile[j][d];
            }
            score *= scale;
            let next = most.max(score);
            let shrink = (most - next).exp();
            let weight = (score - next).exp();
            total = total * shrink + weight;
            for d in 0..DIM {
                sums[d] = sums[d] * shrink + weight * value_tile[j][d];
            }
            most = next;
        }
        barrier();
    }
    for d in 0..DIM {
        out[query + d] = sums[d] / total;
    }
}

const ATTENTION: &str = r"
SHARED float key_tile[64][64];
SHARED float value_tile[64][64];
KERNEL {
    uint local = LOCAL_X;
    uint head = GROUP_Y * len * 64u;
    uint query = head + (GROUP_X * 64u + local) * 64u;
    float own[64];
    float sums[64];
    for (uint d = 0u; d < 64u; d++) { own[d] = q[query + d]; sums[d] = 0.0f; }
    float most = -1.0f / 0.0f;
    float total = 0.0f;
    for (uint tile = 0u; tile < len / 64u; tile++) {
        for (uint j = 0u; j < 64u; j++) {
            uint from = head + (tile * 64u + j) * 64u + local;
            key_tile[j][local] = k[from];
            value_tile[j][local] = v[from];
        }
        BARRIER;
        for (uint j = 0u; j < 64u; j++) {
            float score = 0.0f;
            for (uint d = 0u; d < 64u; d++) score += own[d] * key_tile[j][d];
            score *= scale;
            float next = max(most, score);
            float shrink = exp(most - next);
            float weight = exp(score - next);
            total = total * shrink + weight;
            for (uint d = 0u; d < 64u; d++) sums[d] = sums[d] * shrink + weight * value_tile[j][d];
            most = next;
        }
        BARRIER;
    }
    for (uint d = 0u; d < 64u; d++) result[query + d] = sums[d] / total;
}
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let pick = |small: usize, many: usize| if large { many } else { small };
    let (rows, columns) = (pick(16, 8192), pick(1000, 4096));
    let n = pick(64, 1024);
    let (heads, len) = (pick(1, 16), pick(128, 2048));
    let integers = |len: usize| words(len).into_iter().map(|word| i64::from(word as i32)).collect::<Vec<_>>();
    vec![
        Workload::new::<Attention>("attention", [len / 64, heads, 1], ATTENTION)
            .value("len", len as u32)
            .value("scale", 0.125f32)
            .read("q", floats(heads * len * 64))
            .read("k", floats(heads * len * 64))
            .read("v", floats(heads * len * 64))
            .write::<f32>("result", heads * len * 64),
        Workload::new::<LayerNorm>("layer norm", [rows, 1, 1], LAYER_NORM)
            .with_helper(SUM_OF)
            .value("columns", columns as u32)
            .read("x", floats(rows * columns))
            .read("gain", floats(columns))
            .read("bias", floats(columns))
            .write::<f32>("y", rows * columns),
        Workload::new::<SoftmaxRows>("softmax of rows", [pick(1, 1024), 1, 1], SOFTMAX)
            .value("columns", pick(100, 256) as u32)
            .read("x", floats(64 * pick(100, 1024 * 256)))
            .write::<f32>("y", 64 * pick(100, 1024 * 256)),
        Workload::new::<PrefixRows>("prefix sums of i64", [pick(1, 1024), 1, 1], PREFIX)
            .value("columns", pick(100, 256) as u32)
            .read("x", integers(64 * pick(100, 1024 * 256)))
            .write::<i64>("y", 64 * pick(100, 1024 * 256)),
        Workload::new::<Matmul>("matrix product", [n / 16, n / 16, 1], MATMUL)
            .value("n", n as u32)
            .read("a", floats(n * n))
            .read("b", floats(n * n))
            .write::<f32>("c", n * n),
        Workload::new::<MatmulTiled>("matrix product in tiles", [n / 16, n / 16, 1], MATMUL_TILED)
            .value("n", n as u32)
            .read("a", floats(n * n))
            .read("b", floats(n * n))
            .write::<f32>("c", n * n),
        Workload::new::<Matvec>("matrix by vector", [rows, 1, 1], MATVEC)
            .with_helper(SUM_OF)
            .value("columns", columns as u32)
            .read("matrix", floats(rows * columns))
            .read("x", floats(columns))
            .write::<f32>("y", rows),
    ]
}
