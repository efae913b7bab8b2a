//! Series: distances under warping, sorted rows, common subsequences, choices of experts.

use gridwise::prelude::*;

use crate::data::{floats, words};
use crate::workload::Workload;

#[device]
const STEPS: usize = 32;

/// The distances of series to one series, where time may stretch.
#[kernel(workgroup = [64])]
fn warping(series: &[f32], query: &[f32], distances: &mut [f32]) {
    let i = global_id().x as usize;
    if i >= distances.len() {
        return;
    }
    let own = &series[STEPS * i..STEPS * (i + 1)];
    let mut row = [f32::INFINITY; STEPS + 1];
    row[0] = 0.0;
    for &x in own {
        let mut corner = row[0];
        row[0] = f32::INFINITY;
        for (k, &y) in query.iter().take(STEPS).enumerate() {
            let best = corner.min(row[k]).min(row[k + 1]);
            corner = row[k + 1];
            row[k + 1] = (x - y).abs() + best;
        }
    }
    distances[i] = row[STEPS];
}

const WARPING: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    float far = 1e30f;
    float row[33];
    for (uint k = 0u; k <= 32u; k++) row[k] = far;
    row[0] = 0.0f;
    for (uint j = 0u; j < 32u; j++) {
        float x = series[32u * i + j];
        float corner = row[0];
        row[0] = far;
        for (uint k = 0u; k < 32u; k++) {
            float best = min(min(corner, row[k]), row[k + 1u]);
            corner = row[k + 1u];
            row[k + 1u] = abs(x - query[k]) + best;
        }
    }
    distances[i] = row[32];
}
";

/// Sorts rows of 16 numbers.
#[kernel(workgroup = [128])]
fn sort_rows(rows: &[u32], sorted: &mut [u32]) {
    let i = global_id().x as usize;
    let Some(row) = rows.chunks_exact(16).nth(i) else { return };
    let mut row: [u32; 16] = row.try_into().unwrap();
    for end in 1..row.len() {
        let mut at = end;
        while at > 0 && row[at - 1] > row[at] {
            row.swap(at - 1, at);
            at -= 1;
        }
    }
    sorted[16 * i..][..16].copy_from_slice(&row);
}

const SORT_ROWS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint row[16];
    for (uint k = 0u; k < 16u; k++) row[k] = rows[16u * i + k];
    for (uint end = 1u; end < 16u; end++) {
        uint at = end;
        while (at > 0u && row[at - 1u] > row[at]) {
            uint other = row[at];
            row[at] = row[at - 1u];
            row[at - 1u] = other;
            at--;
        }
    }
    for (uint k = 0u; k < 16u; k++) sorted[16u * i + k] = row[k];
}
";

/// The lengths of the longest subsequences that strands of 64 letters have in common with a text, a bit for each letter ("Bit-parallel LCS-length
/// computation revisited", Hyyrö, 2004).
#[kernel(workgroup = [128])]
fn subsequences(strands: &[u32], text: &[u32], lengths: &mut [u32]) {
    let i = global_id().x as usize;
    let Some(strand) = strands.chunks_exact(4).nth(i) else { return };
    let letters = strand.iter().flat_map(|word| (0..16).map(move |k| word >> (2 * k) & 3));
    let mut masks = [0u64; 4];
    for (k, letter) in letters.enumerate() {
        masks[letter as usize] |= 1 << k;
    }
    let mut free = u64::MAX;
    for word in text {
        for k in 0..16 {
            let hits = free & masks[(word >> (2 * k) & 3) as usize];
            free = free.wrapping_add(hits) | (free - hits);
        }
    }
    lengths[i] = free.count_zeros();
}

const SUBSEQUENCES: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint64_t masks[4];
    for (uint k = 0u; k < 4u; k++) masks[k] = uint64_t(0);
    for (uint k = 0u; k < 64u; k++) masks[strands[4u * i + k / 16u] >> (2u * (k % 16u)) & 3u] |= uint64_t(1) << k;
    uint64_t free = ~uint64_t(0);
    for (uint j = 0u; j < words; j++) {
        uint word = text[j];
        for (uint k = 0u; k < 16u; k++) {
            uint64_t hits = free & masks[word >> (2u * k) & 3u];
            free = (free + hits) | (free - hits);
        }
    }
    lengths[i] = 64u - uint(BITS(uint(free))) - uint(BITS(uint(free >> 32)));
}
";

const BITS: &str = "
#ifdef __CUDACC__
#define BITS(x) __popc(x)
#else
#define BITS(x) bitCount(x)
#endif
";

/// The two likeliest of 32 experts for each token, and their shares.
#[kernel(workgroup = [128])]
fn experts(scores: &[f32], chosen: &mut [[u32; 2]], shares: &mut [[f32; 2]]) {
    let token = global_id().x as usize;
    let Some(scores) = scores.chunks_exact(32).nth(token) else { return };
    let mut best = [(0, f32::NEG_INFINITY); 2];
    for (expert, &score) in scores.iter().enumerate() {
        if score > best[0].1 {
            best = [(expert, score), best[0]];
        } else if score > best[1].1 {
            best[1] = (expert, score);
        }
    }
    let total: f32 = scores.iter().map(|score| (score - best[0].1).exp()).sum();
    let weights = best.map(|(_, score)| (score - best[0].1).exp() / total);
    chosen[token] = best.map(|(expert, _)| expert as u32);
    shares[token] = weights.map(|weight| weight / (weights[0] + weights[1]));
}

const EXPERTS: &str = r"
KERNEL {
    uint token = GLOBAL_X;
    if (token >= len) return;
    uint first = 0u, second = 0u;
    float most = -1e30f, next = -1e30f;
    for (uint k = 0u; k < 32u; k++) {
        float score = scores[32u * token + k];
        if (score > most) {
            second = first;
            next = most;
            first = k;
            most = score;
        } else if (score > next) {
            second = k;
            next = score;
        }
    }
    float total = 0.0f;
    for (uint k = 0u; k < 32u; k++) total += exp(scores[32u * token + k] - most);
    float a = 1.0f / total, b = exp(next - most) / total;
    chosen[token].v[0] = first;
    chosen[token].v[1] = second;
    shares[token].v[0] = a / (a + b);
    shares[token].v[1] = b / (a + b);
}
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 18 } else { 1 << 10 };
    vec![
        Workload::new::<Warping>("warped distances", [n / 64, 1, 1], WARPING)
            .peer_value("len", n as u32)
            .read("series", floats(STEPS * n))
            .read("query", floats(STEPS))
            .write::<f32>("distances", n),
        Workload::new::<SortRows>("sorted rows", [n / 128, 1, 1], SORT_ROWS)
            .peer_value("len", n as u32)
            .read("rows", words(16 * n))
            .write::<u32>("sorted", 16 * n),
        Workload::new::<Subsequences>("common subsequences", [n / 128, 1, 1], SUBSEQUENCES)
            .with_helper(BITS)
            .peer_value("len", n as u32)
            .peer_value("words", 16)
            .read("strands", words(4 * n))
            .read("text", words(16))
            .write::<u32>("lengths", n),
        Workload::new::<Experts>("choices of experts", [n / 128, 1, 1], EXPERTS)
            .peer_value("len", n as u32)
            .read("scores", floats(32 * n))
            .write::<[u32; 2]>("chosen", n)
            .write::<[f32; 2]>("shares", n),
    ]
}
