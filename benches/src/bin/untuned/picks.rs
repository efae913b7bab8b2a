//! Picks: the best class of rows, running medians, the four best scores, code points of lines, blended pixels.

use gridwise::prelude::*;

use crate::data::{bytes, floats, words};
use crate::workload::Workload;

/// The class with the greatest number in each row.
#[kernel(workgroup = [128])]
fn best_class(classes: u32, logits: &[f32], best: &mut [u32]) {
    let i = global_id().x as usize;
    let Some(row) = logits.chunks_exact(classes as usize).nth(i) else { return };
    best[i] = row.iter().enumerate().max_by(|a, b| a.1.partial_cmp(b.1).unwrap()).map_or(0, |(class, _)| class as u32);
}

const BEST_CLASS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= rows) return;
    uint found = 0u;
    float most = logits[i * classes];
    for (uint class_ = 1u; class_ < classes; class_++) {
        float logit = logits[i * classes + class_];
        if (logit >= most) {
            most = logit;
            found = class_;
        }
    }
    best[i] = found;
}
";

/// The median of each sample and its four neighbours on both sides.
#[kernel(workgroup = [256])]
fn running_median(samples: &[f32], smooth: &mut [f32]) {
    let i = global_id().x as usize;
    if i >= smooth.len() {
        return;
    }
    let mut window = [0.0; 9];
    for (k, value) in window.iter_mut().enumerate() {
        *value = samples[(i + k).saturating_sub(4).min(samples.len() - 1)];
    }
    window.sort_by(|a, b| a.partial_cmp(b).unwrap());
    smooth[i] = window[4];
}

const RUNNING_MEDIAN: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    float window[9];
    for (int k = 0; k < 9; k++) {
        int at = int(i) + k - 4;
        at = at < 0 ? 0 : at >= int(len) ? int(len) - 1 : at;
        window[k] = samples[at];
    }
    for (int k = 1; k < 9; k++) {
        for (int j = k; j > 0; j--) {
            if (window[j] < window[j - 1]) {
                float lower = window[j];
                window[j] = window[j - 1];
                window[j - 1] = lower;
            }
        }
    }
    smooth_[i] = window[4];
}
";

/// The places of the four best scores of each row.
#[kernel(workgroup = [128])]
fn top_four(width: u32, scores: &[f32], top: &mut [[u32; 4]]) {
    let i = global_id().x as usize;
    let Some(row) = scores.chunks_exact(width as usize).nth(i) else { return };
    let mut best = [(f32::NEG_INFINITY, 0); 4];
    for (at, &score) in row.iter().enumerate() {
        if score > best[3].0 {
            let mut place = 3;
            while place > 0 && score > best[place - 1].0 {
                best[place] = best[place - 1];
                place -= 1;
            }
            best[place] = (score, at as u32);
        }
    }
    top[i] = best.map(|(_, at)| at);
}

const TOP_FOUR: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= rows) return;
    float best[4];
    uint places[4];
    for (int k = 0; k < 4; k++) {
        best[k] = -1.0f / 0.0f;
        places[k] = 0u;
    }
    for (uint at = 0u; at < width; at++) {
        float score = scores[i * width + at];
        if (score > best[3]) {
            int place = 3;
            while (place > 0 && score > best[place - 1]) {
                best[place] = best[place - 1];
                places[place] = places[place - 1];
                place--;
            }
            best[place] = score;
            places[place] = at;
        }
    }
    for (int k = 0; k < 4; k++) top[i].v[k] = places[k];
}
";

/// How many code points each line of UTF-8 has, if it is well-formed.
#[kernel(workgroup = [256])]
fn code_points(starts: &[u32], text: &[u8], counts: &mut [u32]) {
    let i = global_id().x as usize;
    if i >= counts.len() || i + 1 >= starts.len() {
        return;
    }
    let line = &text[starts[i] as usize..starts[i + 1] as usize];
    let (mut at, mut count) = (0, 0);
    while at < line.len() {
        let len = match line[at] {
            0..=0x7f => 1,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 0,
        };
        if len == 0 || at + len > line.len() || !line[at + 1..at + len].iter().all(|&byte| byte & 0xc0 == 0x80) {
            counts[i] = u32::MAX;
            return;
        }
        at += len;
        count += 1;
    }
    counts[i] = count;
}

const CODE_POINTS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= lines) return;
    uint at = starts[i], end = starts[i + 1u];
    uint count = 0u;
    while (at < end) {
        uint first = uint(text[at]);
        uint len = first < 0x80u ? 1u : first < 0xc2u ? 0u : first < 0xe0u ? 2u : first < 0xf0u ? 3u : first < 0xf5u ? 4u : 0u;
        bool is_good = len != 0u && at + len <= end;
        for (uint k = 1u; is_good && k < len; k++) {
            is_good = (uint(text[at + k]) & 0xc0u) == 0x80u;
        }
        if (!is_good) {
            counts[i] = 0xffffffffu;
            return;
        }
        at += len;
        count++;
    }
    counts[i] = count;
}
";

/// One picture over another, by the alpha of the upper one.
#[kernel(workgroup = [256])]
fn blend(over: &[[u8; 4]], under: &[[u8; 4]], blended: &mut [[u8; 4]]) {
    let i = global_id().x as usize;
    if i >= blended.len() {
        return;
    }
    let ([r, g, b, alpha], below) = (over[i], under[i]);
    let alpha = u32::from(alpha);
    let mix = |top: u8, bottom: u8| ((u32::from(top) * alpha + u32::from(bottom) * (255 - alpha) + 127) / 255) as u8;
    blended[i] = [mix(r, below[0]), mix(g, below[1]), mix(b, below[2]), 255];
}

const BLEND: &str = r"
DEVICE uint mix_of(uint top, uint bottom, uint alpha) {
    return (top * alpha + bottom * (255u - alpha) + 127u) / 255u;
}
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    u8vec4 top = over[i], below = under[i], mixed;
    uint alpha = uint(top.w);
    mixed.x = uint8_t(mix_of(uint(top.x), uint(below.x), alpha));
    mixed.y = uint8_t(mix_of(uint(top.y), uint(below.y), alpha));
    mixed.z = uint8_t(mix_of(uint(top.z), uint(below.z), alpha));
    mixed.w = uint8_t(255u);
    blended[i] = mixed;
}
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 20 } else { 1 << 12 };
    let (rows, width) = (n / 16, 100);
    // Lines of half a dozen alphabets, a broken one among hundreds.
    let alphabets = ["a", "e", " ", "é", "ß", "д", "語", "€", "🦀"];
    let (mut starts, mut text) = (vec![0], Vec::new());
    for (line, word) in words(n / 8).into_iter().enumerate() {
        for k in 0..20 + word % 40 {
            let letter = word.rotate_left(k).wrapping_mul(0x9e37_79b9) >> 20;
            text.extend(alphabets[letter as usize % alphabets.len()].bytes());
        }
        if line % 500 == 7 {
            text.pop();
            text.push(b'\xff');
        }
        starts.push(text.len() as u32);
    }
    let pixels = |skipped: usize| bytes(4 * n + skipped)[skipped..].as_chunks::<4>().0.to_vec();
    vec![
        Workload::new::<BestClass>("best classes", [rows / 128, 1, 1], BEST_CLASS)
            .peer_value("rows", rows as u32)
            .value("classes", width as u32)
            .read("logits", floats(rows * width))
            .write::<u32>("best", rows),
        Workload::new::<RunningMedian>("running medians", [n / 256, 1, 1], RUNNING_MEDIAN)
            .peer_value("len", n as u32)
            .read("samples", floats(n))
            .write::<f32>("smooth_", n),
        Workload::new::<TopFour>("four best scores", [rows / 128, 1, 1], TOP_FOUR)
            .peer_value("rows", rows as u32)
            .value("width", width as u32)
            .read("scores", floats(rows * width))
            .write::<[u32; 4]>("top", rows),
        Workload::new::<CodePoints>("code points", [(n / 8).div_ceil(256), 1, 1], CODE_POINTS)
            .peer_value("lines", (n / 8) as u32)
            .read("starts", starts)
            .read("text", text)
            .write::<u32>("counts", n / 8),
        Workload::new::<Blend>("blended pixels", [n / 256, 1, 1], BLEND)
            .peer_value("len", n as u32)
            .read::<[u8; 4]>("over", pixels(0))
            .read::<[u8; 4]>("under", pixels(12))
            .write::<[u8; 4]>("blended", n),
    ]
}
