//! Parts of neural networks: packed weights, a recurrent cell, rotated positions, losses, an optimizer's step, statistics of channels.

use gridwise::prelude::*;

use crate::data::{bytes, floats, words};
use crate::workload::Workload;

/// A matrix of 4-bit numbers with a scale for each 32 of them, by a vector: a workgroup a row.
#[kernel(workgroup = 128)]
fn packed_by_vector(columns: u32, weights: &[u32], scales: &[f32], x: &[f32], y: &mut [f32]) {
    let mut sums = Shared::<[f32; 128]>::new();
    let columns = columns as usize;
    let (row, local) = (workgroup_id().x as usize, local_id().x as usize);
    let mut sum = 0.0;
    for word in (local..columns / 8).step_by(128) {
        let bits = weights[row * (columns / 8) + word];
        let scale = scales[row * (columns / 32) + word / 4];
        let mut part = 0.0;
        for k in 0..8 {
            let weight = (bits >> (4 * k) & 15) as i32 - 8;
            part += weight as f32 * x[word * 8 + k];
        }
        sum += part * scale;
    }
    sums[local] = sum;
    barrier();
    for step in [64, 32, 16, 8, 4, 2, 1] {
        if local < step {
            sums[local] += sums[local + step];
        }
        barrier();
    }
    if local == 0 {
        y[row] = sums[0];
    }
}

const PACKED_BY_VECTOR: &str = r"
SHARED float sums[128];
KERNEL {
    uint row = GROUP_X, local = LOCAL_X;
    float sum = 0.0f;
    for (uint word = local; word < columns / 8u; word += 128u) {
        uint bits = weights[row * (columns / 8u) + word];
        float scale = scales[row * (columns / 32u) + word / 4u];
        float part = 0.0f;
        for (uint k = 0u; k < 8u; k++) {
            int weight = int(bits >> (4u * k) & 15u) - 8;
            part += float(weight) * x[word * 8u + k];
        }
        sum += part * scale;
    }
    sums[local] = sum;
    BARRIER;
    for (uint step = 64u; step > 0u; step /= 2u) {
        if (local < step) sums[local] += sums[local + step];
        BARRIER;
    }
    if (local == 0u) y[row] = sums[0];
}
";

#[device]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// A long short-term memory cell behind its products: four gates a unit.
#[kernel(workgroup = [256])]
fn memory_cell(units: u32, gates: &[f32], bias: &[f32], cell: &mut [f32], hidden: &mut [f32]) {
    let i = global_id().x as usize;
    if i >= cell.len() {
        return;
    }
    let units = units as usize;
    let (item, unit) = (i / units, i % units);
    let gate = |k: usize| gates[item * 4 * units + k * units + unit] + bias[k * units + unit];
    let input = sigmoid(gate(0));
    let forget = sigmoid(gate(1));
    let update = gate(2).tanh();
    let output = sigmoid(gate(3));
    let state = forget * cell[i] + input * update;
    cell[i] = state;
    hidden[i] = output * state.tanh();
}

const MEMORY_CELL: &str = r"
DEVICE float sigmoid(float x) { return 1.0f / (1.0f + exp(-x)); }
#define GATE(k) (gates[item * 4u * units + k * units + unit] + bias[k * units + unit])
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint item = i / units, unit = i % units;
    float input_gate = sigmoid(GATE(0u));
    float forget = sigmoid(GATE(1u));
    float update = tanh(GATE(2u));
    float output_gate = sigmoid(GATE(3u));
    float state = forget * cell[i] + input_gate * update;
    cell[i] = state;
    hidden[i] = output_gate * tanh(state);
}
";

/// Rotary embedding of positions.
#[kernel(workgroup = [256])]
fn rotate_positions(heads: u32, size: u32, x: &mut [f32]) {
    let i = global_id().x;
    let half = size / 2;
    let (pair, head) = (i % half, i / half);
    let position = head / heads;
    let at = (head * size + pair) as usize;
    if at + half as usize >= x.len() {
        return;
    }
    let angle = position as f32 / 10_000.0f32.powf(2.0 * pair as f32 / size as f32);
    let (sin, cos) = angle.sin_cos();
    let (a, b) = (x[at], x[at + half as usize]);
    x[at] = a * cos - b * sin;
    x[at + half as usize] = a * sin + b * cos;
}

const ROTATE_POSITIONS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    uint half_size = size / 2u;
    uint pair = i % half_size, head = i / half_size;
    uint position = head / heads;
    uint at = head * size + pair;
    if (at + half_size >= len) return;
    float angle = float(position) / pow(10000.0f, 2.0f * float(pair) / float(size));
    float s = sin(angle), c = cos(angle);
    float a = x[at], b = x[at + half_size];
    x[at] = a * c - b * s;
    x[at + half_size] = a * s + b * c;
}
";

/// A step of Adam.
#[kernel(workgroup = [256])]
fn adam(
    rate: f32,
    first: f32,
    second: f32,
    gradient: &[f32],
    mean: &mut [f32],
    square: &mut [f32],
    weight: &mut [f32],
) {
    let i = global_id().x as usize;
    if let Some(&g) = gradient.get(i) {
        let m = 0.9 * mean[i] + 0.1 * g;
        let v = 0.999 * square[i] + 0.001 * g * g;
        mean[i] = m;
        square[i] = v;
        weight[i] -= rate * (m / first) / ((v / second).sqrt() + 1e-8);
    }
}

const ADAM: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    float g = gradient[i];
    float m = 0.9f * mean[i] + 0.1f * g;
    float v = 0.999f * square[i] + 0.001f * g * g;
    mean[i] = m;
    square[i] = v;
    weight[i] -= rate * (m / first) / (sqrt(v / second) + 1e-8f);
}
";

/// Cross entropy of rows: the largest, the sum of exponentials, the class that is right.
#[kernel(workgroup = [128])]
fn cross_entropy(classes: u32, logits: &[f32], labels: &[u32], losses: &mut [f32]) {
    let row = global_id().x as usize;
    if row >= losses.len() {
        return;
    }
    let classes = classes as usize;
    let logits = &logits[row * classes..(row + 1) * classes];
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|x| (x - most).exp()).sum();
    losses[row] = sum.ln() + most - logits[labels[row] as usize];
}

const CROSS_ENTROPY: &str = r"
KERNEL {
    uint row = GLOBAL_X;
    if (row >= len) return;
    float most = -1.0f / 0.0f;
    for (uint k = 0u; k < classes; k++) most = max(most, logits[row * classes + k]);
    float sum = 0.0f;
    for (uint k = 0u; k < classes; k++) sum += exp(logits[row * classes + k] - most);
    losses[row] = log(sum) + most - logits[row * classes + labels[row]];
}
";

/// Mean and variance of each channel of images, a workgroup a channel.
#[kernel(workgroup = 256)]
fn channel_statistics(images: u32, channels: u32, pixels: u32, x: &[f32], means: &mut [f32], variances: &mut [f32]) {
    let mut sums = Shared::<[[f32; 2]; 256]>::new();
    let (channel, local) = (workgroup_id().x, local_id().x as usize);
    let mut own = [0.0f32; 2];
    for image in 0..images {
        let from = ((image * channels + channel) * pixels) as usize;
        let mut i = local;
        while i < pixels as usize {
            let value = x[from + i];
            own[0] += value;
            own[1] += value * value;
            i += 256;
        }
    }
    sums[local] = own;
    barrier();
    let mut step = 128;
    while step > 0 {
        if local < step {
            let other = sums[local + step];
            sums[local][0] += other[0];
            sums[local][1] += other[1];
        }
        barrier();
        step /= 2;
    }
    if local == 0 {
        let count = (images * pixels) as f32;
        let mean = sums[0][0] / count;
        means[channel as usize] = mean;
        variances[channel as usize] = sums[0][1] / count - mean * mean;
    }
}

const CHANNEL_STATISTICS: &str = r"
SHARED float sums[256][2];
KERNEL {
    uint channel = GROUP_X, local = LOCAL_X;
    float own0 = 0.0f, own1 = 0.0f;
    for (uint image = 0u; image < images; image++) {
        uint from = (image * channels + channel) * pixels;
        for (uint i = local; i < pixels; i += 256u) {
            float value = x[from + i];
            own0 += value;
            own1 += value * value;
        }
    }
    sums[local][0] = own0;
    sums[local][1] = own1;
    BARRIER;
    for (uint step = 128u; step > 0u; step /= 2u) {
        if (local < step) {
            sums[local][0] += sums[local + step][0];
            sums[local][1] += sums[local + step][1];
        }
        BARRIER;
    }
    if (local == 0u) {
        float count = float(images * pixels);
        float mean = sums[0][0] / count;
        means[channel] = mean;
        variances[channel] = sums[0][1] / count - mean * mean;
    }
}
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 24 } else { 1 << 12 };
    let (rows, columns) = if large { (16384, 4096) } else { (16, 256) };
    let (items, classes) = if large { (1 << 16, 128) } else { (128, 32) };
    let (images, pixels) = if large { (16, 4096) } else { (2, 100) };
    let labels = bytes(items).into_iter().map(|byte| u32::from(byte) % classes as u32).collect();
    vec![
        Workload::new::<PackedByVector>("4-bit weights by vector", [rows, 1, 1], PACKED_BY_VECTOR)
            .value("columns", columns as u32)
            .read("weights", words(rows * columns / 8))
            .read("scales", floats(rows * columns / 32))
            .read("x", floats(columns))
            .write::<f32>("y", rows),
        Workload::new::<MemoryCell>("memory cell", [n / 4 / 256, 1, 1], MEMORY_CELL)
            .value("units", 256)
            .peer_value("len", n as u32 / 4)
            .read("gates", floats(n).into_iter().map(|x| 6.0 * x - 3.0).collect())
            .read("bias", floats(1024))
            .update("cell", floats(n / 4))
            .write::<f32>("hidden", n / 4),
        Workload::new::<RotatePositions>("rotary embedding", [n / 2 / 256, 1, 1], ROTATE_POSITIONS)
            .value("heads", 16)
            .value("size", 64)
            .peer_value("len", n as u32)
            .update("x", floats(n))
            .roughly(0.1),
        Workload::new::<Adam>("step of Adam", [n / 256, 1, 1], ADAM)
            .value("rate", 0.001f32)
            .value("first", 0.1f32)
            .value("second", 0.001f32)
            .peer_value("len", n as u32)
            .read("gradient", floats(n))
            .update("mean", floats(n))
            .update("square", floats(n))
            .update("weight", floats(n)),
        Workload::new::<CrossEntropy>("cross entropy", [items / 128, 1, 1], CROSS_ENTROPY)
            .value("classes", classes as u32)
            .peer_value("len", items as u32)
            .read("logits", floats(items * classes))
            .read("labels", labels)
            .write::<f32>("losses", items),
        Workload::new::<ChannelStatistics>("statistics of channels", [256, 1, 1], CHANNEL_STATISTICS)
            .value("images", images as u32)
            .value("channels", 256)
            .value("pixels", pixels as u32)
            .read("x", floats(images * 256 * pixels))
            .write::<f32>("means", 256)
            .write::<f32>("variances", 256),
    ]
}
