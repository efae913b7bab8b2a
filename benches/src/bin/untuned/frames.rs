//! Frames: the flow between two pictures, means of like patches, boxes that others cover, spoken labels, predictions of sound.

use gridwise::prelude::*;

use crate::data::{floats, words};
use crate::workload::Workload;

/// How each pixel moves from one picture to the next (Lucas and Kanade), by its 5×5 neighbours.
#[kernel(workgroup = [16, 16])]
fn optical_flow(width: u32, height: u32, before: &[f32], after: &[f32], flow: &mut [[f32; 2]]) {
    let (x, y, width) = (global_id().x as usize, global_id().y as usize, width as usize);
    if x >= width || y >= height as usize {
        return;
    }
    let at = y * width + x;
    if x < 3 || y < 3 || x + 3 >= width || y + 3 >= height as usize {
        flow[at] = [0.0, 0.0];
        return;
    }
    let (mut xx, mut xy, mut yy, mut xt, mut yt) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for v in y - 2..=y + 2 {
        for u in x - 2..=x + 2 {
            let here = v * width + u;
            let gx = 0.5 * (before[here + 1] - before[here - 1]);
            let gy = 0.5 * (before[here + width] - before[here - width]);
            let change = after[here] - before[here];
            xx += gx * gx;
            xy += gx * gy;
            yy += gy * gy;
            xt += gx * change;
            yt += gy * change;
        }
    }
    let determinant = xx * yy - xy * xy;
    flow[at] = if determinant > 1e-6 {
        [(xy * yt - yy * xt) / determinant, (xy * xt - xx * yt) / determinant]
    } else {
        [0.0; 2]
    };
}

const OPTICAL_FLOW: &str = r"
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x >= width || y >= height) return;
    uint at = y * width + x;
    float move_x = 0.0f, move_y = 0.0f;
    if (x >= 3u && y >= 3u && x + 3u < width && y + 3u < height) {
        float xx = 0.0f, xy = 0.0f, yy = 0.0f, xt = 0.0f, yt = 0.0f;
        for (uint v = y - 2u; v <= y + 2u; v++) {
            for (uint u = x - 2u; u <= x + 2u; u++) {
                uint here = v * width + u;
                float gx = 0.5f * (before[here + 1u] - before[here - 1u]);
                float gy = 0.5f * (before[here + width] - before[here - width]);
                float change = after[here] - before[here];
                xx += gx * gx;
                xy += gx * gy;
                yy += gy * gy;
                xt += gx * change;
                yt += gy * change;
            }
        }
        float determinant_ = xx * yy - xy * xy;
        if (determinant_ > 1e-6f) {
            move_x = (xy * yt - yy * xt) / determinant_;
            move_y = (xy * xt - xx * yt) / determinant_;
        }
    }
    flow[at].v[0] = move_x;
    flow[at].v[1] = move_y;
}
";

/// A picture without noise: each pixel is the mean of those near it, by how like their 3×3 patches are.
#[kernel(workgroup = [16, 16])]
fn like_patches(width: u32, strength: f32, noisy: &[f32], clean: &mut [f32]) {
    let (x, y) = (global_id().x as i32, global_id().y as i32);
    let width = width as i32;
    let height = noisy.len() as i32 / width;
    if x >= width || y >= height {
        return;
    }
    let pixel = |x: i32, y: i32| noisy[(y.clamp(0, height - 1) * width + x.clamp(0, width - 1)) as usize];
    let (mut sum, mut weights) = (0.0, 0.0);
    for dy in -3..=3 {
        for dx in -3..=3 {
            let mut difference = 0.0;
            for v in -1..=1 {
                for u in -1..=1 {
                    difference += (pixel(x + u, y + v) - pixel(x + dx + u, y + dy + v)).powi(2);
                }
            }
            let weight = (-difference * strength).exp();
            sum += weight * pixel(x + dx, y + dy);
            weights += weight;
        }
    }
    clean[(y * width + x) as usize] = sum / weights;
}

const LIKE_PATCHES: &str = r"
#define PIXEL(x, y) noisy[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)]
KERNEL {
    int x = int(GLOBAL_X), y = int(GLOBAL_Y), w = int(width), h = int(height);
    if (x >= w || y >= h) return;
    float sum = 0.0f, weights = 0.0f;
    for (int dy = -3; dy <= 3; dy++) {
        for (int dx = -3; dx <= 3; dx++) {
            float difference = 0.0f;
            for (int v = -1; v <= 1; v++) {
                for (int u = -1; u <= 1; u++) {
                    float d = PIXEL(x + u, y + v) - PIXEL(x + dx + u, y + dy + v);
                    difference += d * d;
                }
            }
            float weight = exp(-difference * strength);
            sum += weight * PIXEL(x + dx, y + dy);
            weights += weight;
        }
    }
    clean[y * w + x] = sum / weights;
}
";

#[device]
mod area {
    pub(crate) fn shared(a: [f32; 4], b: [f32; 4]) -> f32 {
        let across = (a[2].min(b[2]) - a[0].max(b[0])).max(0.0);
        let down = (a[3].min(b[3]) - a[1].max(b[1])).max(0.0);
        let both = across * down;
        let area = |[left, top, right, bottom]: [f32; 4]| (right - left) * (bottom - top);
        both / (area(a) + area(b) - both)
    }
}

/// Whether a box of a better score covers each box, row by row of a picture's boxes.
#[kernel(workgroup = [128])]
fn covered_boxes(limit: f32, boxes: &[[f32; 4]], scores: &[f32], keeps: &mut [u32]) {
    let i = global_id().x as usize;
    let Some(keep) = keeps.get_mut(i) else { return };
    let is_covered =
        boxes.iter().zip(scores).any(|(&other, &score)| score > scores[i] && area::shared(boxes[i], other) > limit);
    *keep = u32::from(!is_covered);
}

const COVERED_BOXES: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    f32x4 own = boxes[i];
    float own_area = (own.v[2] - own.v[0]) * (own.v[3] - own.v[1]);
    float own_score = scores[i];
    bool is_covered = false;
    for (uint j = 0u; j < len && !is_covered; j++) {
        if (scores[j] > own_score) {
            f32x4 other = boxes[j];
            float across = max(min(own.v[2], other.v[2]) - max(own.v[0], other.v[0]), 0.0f);
            float down = max(min(own.v[3], other.v[3]) - max(own.v[1], other.v[1]), 0.0f);
            float both = across * down;
            float all = own_area + (other.v[2] - other.v[0]) * (other.v[3] - other.v[1]) - both;
            is_covered = both / all > limit;
        }
    }
    keeps[i] = is_covered ? 0u : 1u;
}
";

/// The logarithm of the chance of a text of eight letters in frames of sound (connectionist temporal classification).
#[kernel(workgroup = [64])]
fn spoken(frames: u32, letters: u32, scores: &[f32], texts: &[u8], chances: &mut [f32]) {
    const LEN: usize = 8;
    const STATES: usize = 2 * LEN + 1;
    let i = global_id().x as usize;
    let (frames, letters) = (frames as usize, letters as usize);
    if i >= chances.len() {
        return;
    }
    let own = &scores[i * frames * letters..(i + 1) * frames * letters];
    let text = &texts[i * LEN..(i + 1) * LEN];
    let add = |a: f32, b: f32| {
        let most = a.max(b);
        if most == f32::NEG_INFINITY { most } else { most + ((a - most).exp() + (b - most).exp()).ln() }
    };
    let mut states = [f32::NEG_INFINITY; STATES];
    states[0] = 0.0;
    for frame in own.chunks_exact(letters) {
        for state in (0..STATES).rev() {
            let letter = if state % 2 == 0 { 0 } else { text[state / 2] as usize };
            let mut chance = states[state];
            if state > 0 {
                chance = add(chance, states[state - 1]);
            }
            if state > 1 && state % 2 == 1 && text[state / 2] != text[state / 2 - 1] {
                chance = add(chance, states[state - 2]);
            }
            states[state] = chance + frame[letter];
        }
    }
    chances[i] = add(states[STATES - 1], states[STATES - 2]);
}

const SPOKEN: &str = r"
DEVICE float add(float a, float b) {
    float most = max(a, b);
    return most == -1.0f / 0.0f ? most : most + log(exp(a - most) + exp(b - most));
}
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    float states[17];
    for (int k = 1; k < 17; k++) states[k] = -1.0f / 0.0f;
    states[0] = 0.0f;
    for (uint frame = 0u; frame < frames; frame++) {
        uint row = (i * frames + frame) * letters;
        for (int state = 16; state >= 0; state--) {
            uint letter = state % 2 == 0 ? 0u : uint(texts[8u * i + uint(state / 2)]);
            float chance = states[state];
            if (state > 0) chance = add(chance, states[state - 1]);
            if (state > 1 && state % 2 == 1 && texts[8u * i + uint(state / 2)] != texts[8u * i + uint(state / 2) - 1u]) {
                chance = add(chance, states[state - 2]);
            }
            states[state] = chance + scores[row + letter];
        }
    }
    chances[i] = add(states[16], states[15]);
}
";

/// Coefficients that predict a frame of sound from its past (autocorrelation, Levinson and Durbin).
#[kernel(workgroup = [64])]
fn predictions(len: u32, sound: &[f32], coefficients: &mut [[f32; 8]]) {
    const ORDER: usize = 8;
    let i = global_id().x as usize;
    let Some(frame) = sound.chunks_exact(len as usize).nth(i) else { return };
    let mut correlations = [0.0; ORDER + 1];
    for (lag, correlation) in correlations.iter_mut().enumerate() {
        *correlation = frame.iter().zip(&frame[lag..]).map(|(a, b)| a * b).sum::<f32>();
    }
    let mut found = [0.0; ORDER];
    let mut error = correlations[0] + 1e-3;
    for order in 0..ORDER {
        let mut reflection = correlations[order + 1];
        for k in 0..order {
            reflection -= found[k] * correlations[order - k];
        }
        reflection /= error;
        let before = found;
        found[order] = reflection;
        for k in 0..order {
            found[k] = before[k] - reflection * before[order - 1 - k];
        }
        error *= 1.0 - reflection * reflection;
    }
    coefficients[i] = found;
}

const PREDICTIONS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= rows) return;
    float correlations[9];
    for (uint lag = 0u; lag < 9u; lag++) {
        float sum = 0.0f;
        for (uint k = 0u; k + lag < len; k++) sum += sound[i * len + k] * sound[i * len + k + lag];
        correlations[lag] = sum;
    }
    float found[8];
    float error = correlations[0] + 1e-3f;
    for (int order = 0; order < 8; order++) {
        float reflection = correlations[order + 1];
        for (int k = 0; k < order; k++) reflection -= found[k] * correlations[order - k];
        reflection /= error;
        float before[8];
        for (int k = 0; k < order; k++) before[k] = found[k];
        found[order] = reflection;
        for (int k = 0; k < order; k++) found[k] = before[k] - reflection * before[order - 1 - k];
        error *= 1.0f - reflection * reflection;
    }
    for (int k = 0; k < 8; k++) coefficients[i].v[k] = found[k];
}
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n: usize = if large { 1 << 20 } else { 1 << 12 };
    let side = n.isqrt();
    let boxes = if large { 1 << 14 } else { 1 << 9 };
    let corner = |b: &[f32; 4]| [b[0], b[1], b[0] + 0.02 + 0.1 * b[2], b[1] + 0.02 + 0.1 * b[3]];
    let (spoken, frames, letters) = (n / 64, 50, 30);
    let logarithms = floats(spoken * frames * letters).into_iter().map(|x| -6.0 * x).collect::<Vec<_>>();
    let (sounds, len) = (n / 64, 160);
    vec![
        Workload::new::<OpticalFlow>("flow of pictures", [side / 16, side / 16, 1], OPTICAL_FLOW)
            .value("width", side as u32)
            .value("height", side as u32)
            .read("before", floats(n))
            .read("after", floats(n + 3)[3..].to_vec())
            .write::<[f32; 2]>("flow", n)
            .roughly(0.001),
        Workload::new::<LikePatches>("means of like patches", [side / 16, side / 16, 1], LIKE_PATCHES)
            .value("width", side as u32)
            .peer_value("height", side as u32)
            .value("strength", 3.0)
            .read("noisy", floats(n))
            .write::<f32>("clean", n),
        Workload::new::<CoveredBoxes>("covered boxes", [boxes / 128, 1, 1], COVERED_BOXES)
            .peer_value("len", boxes as u32)
            .value("limit", 0.6)
            .read::<[f32; 4]>("boxes", floats(4 * boxes).as_chunks().0.iter().map(corner).collect())
            .read("scores", floats(boxes + 5)[5..].to_vec())
            .write::<u32>("keeps", boxes)
            .roughly(0.001),
        Workload::new::<Spoken>("spoken labels", [spoken / 64, 1, 1], SPOKEN)
            .peer_value("len", spoken as u32)
            .value("frames", frames as u32)
            .value("letters", letters as u32)
            .read("scores", logarithms)
            .read("texts", words(8 * spoken).into_iter().map(|word| (1 + word % 29) as u8).collect())
            .write::<f32>("chances", spoken),
        Workload::new::<Predictions>("predictions of sound", [sounds / 64, 1, 1], PREDICTIONS)
            .peer_value("rows", sounds as u32)
            .value("len", len as u32)
            .read("sound", floats(sounds * len).into_iter().map(|x| x - 0.5).collect())
            .write::<[f32; 8]>("coefficients", sounds),
    ]
}
