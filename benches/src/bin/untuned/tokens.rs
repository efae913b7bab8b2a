//! Tokens: rows of weights in blocks of 4.5 bits, attention of a new token over a cache, tokens drawn from the likeliest.

use bytemuck::{Pod, Zeroable};
use gridwise::prelude::*;

use crate::data::{Element, Numbers, bytes, floats, words};
use crate::halves::Halves;
use crate::workload::Workload;

/// 256 weights of 4 bits, in eight groups with a scale and a least value of 6 bits each, as llama.cpp's `block_q4_K` has them.
#[derive(GpuData, Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Block {
    scale: u16,
    least: u16,
    packed: [u8; 12],
    quants: [u8; 128],
}

impl Element for Block {
    const NAME: &'static str = "Block";
    const NUMBERS: Numbers = Numbers::Exact(144);
    const DECLARATION: &'static str =
        "struct Block { float16_t scale; float16_t least; uint8_t packed_[12]; uint8_t quants[128]; };\n";
}

/// The scale of a group, and its least value.
#[device]
fn group(q: &[u8; 12], j: usize) -> (u8, u8) {
    if j < 4 {
        (q[j] & 63, q[j + 4] & 63)
    } else {
        (q[j + 4] & 15 | (q[j - 4] >> 6) << 4, q[j + 4] >> 4 | (q[j] >> 6) << 4)
    }
}

/// Rows of such blocks by a vector.
#[kernel(workgroup = [64])]
fn block_rows(per_row: u32, blocks: &[Block], x: &[f32], y: &mut [f32]) {
    let row = global_id().x as usize;
    let Some(own) = blocks.chunks_exact(per_row as usize).nth(row) else { return };
    let mut sum = 0.0;
    for (block, x) in own.iter().zip(x.chunks_exact(256)) {
        let scale = f16::from_bits(block.scale).to_f32();
        let least = f16::from_bits(block.least).to_f32();
        for (pair, (quants, x)) in block.quants.chunks_exact(32).zip(x.chunks_exact(64)).enumerate() {
            let (first, second) = x.split_at(32);
            let (first_scale, first_least) = group(&block.packed, 2 * pair);
            let (second_scale, second_least) = group(&block.packed, 2 * pair + 1);
            let (mut dots, mut sums) = ([0.0; 2], [0.0; 2]);
            for ((&q, &a), &b) in quants.iter().zip(first).zip(second) {
                dots[0] += (q & 15) as f32 * a;
                dots[1] += (q >> 4) as f32 * b;
                sums[0] += a;
                sums[1] += b;
            }
            sum += scale * (first_scale as f32 * dots[0] + second_scale as f32 * dots[1])
                - least * (first_least as f32 * sums[0] + second_least as f32 * sums[1]);
        }
    }
    y[row] = sum;
}

const BLOCK_ROWS: &str = r"
#define PACKED(j) uint(blocks[at].packed_[j])
#define SCALE_OF(j) float(j < 4u ? PACKED(j) & 63u : (PACKED(j + 4u) & 15u) | PACKED(j - 4u) >> 6 << 4)
#define LEAST_OF(j) float(j < 4u ? PACKED(j + 4u) & 63u : PACKED(j + 4u) >> 4 | PACKED(j) >> 6 << 4)
KERNEL {
    uint row = GLOBAL_X;
    if (row >= rows) return;
    float sum = 0.0f;
    for (uint k = 0u; k < per_row; k++) {
        uint at = row * per_row + k;
        float scale = float(blocks[at].scale), least = float(blocks[at].least);
        for (uint pair = 0u; pair < 4u; pair++) {
            float first_dot = 0.0f, second_dot = 0.0f, first_sum = 0.0f, second_sum = 0.0f;
            for (uint w = 0u; w < 32u; w++) {
                uint q = uint(blocks[at].quants[32u * pair + w]);
                float a = x[256u * k + 64u * pair + w], b = x[256u * k + 64u * pair + 32u + w];
                first_dot += float(q & 15u) * a;
                second_dot += float(q >> 4) * b;
                first_sum += a;
                second_sum += b;
            }
            uint j = 2u * pair, l = j + 1u;
            sum += scale * (SCALE_OF(j) * first_dot + SCALE_OF(l) * second_dot)
                - least * (LEAST_OF(j) * first_sum + LEAST_OF(l) * second_sum);
        }
    }
    y[row] = sum;
}
";

/// The values that a new token of each sequence sees by each head, in a ring of the last keys and values, which heads share in groups
/// (grouped queries: Ainslie et al., 2023; softmax in one pass: Milakov and Gimelshein, 2018).
#[kernel(workgroup = [64])]
fn decode(
    heads: u32,
    shared: u32,
    window: u32,
    lens: &[u32],
    queries: &[f32],
    keys: &[f16],
    values: &[f32],
    seen: &mut [f32],
) {
    const WIDTH: usize = 64;
    let i = global_id().x as usize;
    let Some(seen) = seen.chunks_exact_mut(WIDTH).nth(i) else { return };
    let (heads, shared, window) = (heads as usize, shared as usize, window as usize);
    let (sequence, head) = (i / heads, i % heads);
    let query = &queries[i * WIDTH..(i + 1) * WIDTH];
    let len = lens[sequence] as usize;
    let (mut most, mut total) = (f32::NEG_INFINITY, 0.0);
    let mut sums = [0.0f32; WIDTH];
    for position in len.saturating_sub(window)..len {
        let slot = position % window;
        let from = ((sequence * window + slot) * shared + head * shared / heads) * WIDTH;
        let (key, value) = (&keys[from..from + WIDTH], &values[from..from + WIDTH]);
        let score = query.iter().zip(key).map(|(q, k)| q * k.to_f32()).sum::<f32>() / 8.0;
        if score > most {
            let factor = (most - score).exp();
            sums.iter_mut().for_each(|sum| *sum *= factor);
            total *= factor;
            most = score;
        }
        let weight = (score - most).exp();
        total += weight;
        for (sum, v) in sums.iter_mut().zip(value) {
            *sum += weight * v;
        }
    }
    for (seen, sum) in seen.iter_mut().zip(sums) {
        *seen = sum / total;
    }
}

const DECODE: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint sequence = i / heads, head = i % heads;
    float query[64], sums[64];
    for (uint k = 0u; k < 64u; k++) { query[k] = queries[64u * i + k]; sums[k] = 0.0f; }
    uint end = lens[sequence];
    float most = -1.0f / 0.0f, total = 0.0f;
    for (uint position = end > window ? end - window : 0u; position < end; position++) {
        uint from = ((sequence * window + position % window) * shared_heads + head * shared_heads / heads) * 64u;
        float score = 0.0f;
        for (uint k = 0u; k < 64u; k++) score += query[k] * float(keys[from + k]);
        score /= 8.0f;
        if (score > most) {
            float factor = exp(most - score);
            for (uint k = 0u; k < 64u; k++) sums[k] *= factor;
            total *= factor;
            most = score;
        }
        float weight = exp(score - most);
        total += weight;
        for (uint k = 0u; k < 64u; k++) sums[k] += weight * values[from + k];
    }
    for (uint k = 0u; k < 64u; k++) seen[64u * i + k] = sums[k] / total;
}
";

/// A token of each row, drawn from the fewest that have a share of all chances (Holtzman et al., 2019); the least of their chances
/// is found by halving.
#[kernel(workgroup = [128])]
fn nucleus(vocabulary: u32, temperature: f32, share: f32, logits: &[f32], draws: &[f32], tokens: &mut [u32]) {
    let i = global_id().x as usize;
    let Some(row) = logits.chunks_exact(vocabulary as usize).nth(i) else { return };
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let chance = |logit: &f32| ((logit - most) / temperature).exp();
    let total: f32 = row.iter().map(chance).sum();
    let kept = |least: f32| row.iter().map(chance).filter(|chance| *chance >= least).sum::<f32>();
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..12 {
        let middle = 0.5 * (low + high);
        if kept(middle) >= share * total {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut left = draws[i] * kept(low);
    let drawn = row.iter().map(chance).position(|chance| {
        if chance >= low {
            left -= chance;
        }
        left < 0.0
    });
    tokens[i] = drawn.map_or(vocabulary - 1, |token| token as u32);
}

const NUCLEUS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint start = i * vocabulary;
    float most = -1.0f / 0.0f;
    for (uint k = 0u; k < vocabulary; k++) most = max(most, logits[start + k]);
    float total = 0.0f;
    for (uint k = 0u; k < vocabulary; k++) total += exp((logits[start + k] - most) / temperature);
    float low = 0.0f, high = 1.0f;
    for (int round_ = 0; round_ < 12; round_++) {
        float middle = 0.5f * (low + high), kept = 0.0f;
        for (uint k = 0u; k < vocabulary; k++) {
            float chance = exp((logits[start + k] - most) / temperature);
            if (chance >= middle) kept += chance;
        }
        if (kept >= share * total) low = middle;
        else high = middle;
    }
    float kept = 0.0f;
    for (uint k = 0u; k < vocabulary; k++) {
        float chance = exp((logits[start + k] - most) / temperature);
        if (chance >= low) kept += chance;
    }
    float left = draws[i] * kept;
    uint token = vocabulary - 1u;
    for (uint k = 0u; k < vocabulary; k++) {
        float chance = exp((logits[start + k] - most) / temperature);
        if (chance >= low) left -= chance;
        if (left < 0.0f) {
            token = k;
            break;
        }
    }
    tokens[i] = token;
}
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 20 } else { 1 << 12 };
    let (rows, per_row) = if large { (1 << 15, 8) } else { (1 << 8, 2) };
    // The bits of 0.01 and 0.1 as floats of 16 bits, which differ a little from block to block.
    let block = |bytes: &[u8; 144]| {
        let mut block: Block = bytemuck::cast(*bytes);
        block.scale = 0x211f + u16::from(bytes[0]);
        block.least = 0x2e66 + u16::from(bytes[1]);
        block
    };
    let (sequences, heads, shared, window) = if large { (256, 32, 8, 128) } else { (8, 8, 2, 16) };
    let cache = sequences * shared * window * 64;
    let centered = |len: usize, skipped: usize| -> Vec<f32> {
        floats(len + skipped)[skipped..].iter().map(|x| 2.0 * x - 1.0).collect()
    };
    let (drawn, vocabulary) = (n / 64, 256);
    vec![
        Workload::new::<BlockRows>("rows of 4.5 bits", [rows / 64, 1, 1], BLOCK_ROWS)
            .peer_value("rows", rows as u32)
            .value("per_row", per_row as u32)
            .read::<Block>("blocks", bytes(144 * rows * per_row).as_chunks().0.iter().map(block).collect())
            .read("x", centered(256 * per_row, 0))
            .write::<f32>("y", rows),
        Workload::new::<Decode>("attention of a new token", [sequences * heads / 64, 1, 1], DECODE)
            .peer_value("len", (sequences * heads) as u32)
            .value("heads", heads as u32)
            .value("shared_heads", shared as u32)
            .value("window", window as u32)
            .read("lens", words(sequences).into_iter().map(|word| 1 + word % (2 * window as u32)).collect::<Vec<u32>>())
            .read("queries", centered(64 * sequences * heads, 1))
            .read_data("keys", Halves::new(&centered(cache, 2)))
            .read("values", centered(cache, 3))
            .write::<f32>("seen", 64 * sequences * heads),
        Workload::new::<Nucleus>("tokens from the likeliest", [drawn / 128, 1, 1], NUCLEUS)
            .peer_value("len", drawn as u32)
            .value("vocabulary", vocabulary as u32)
            .value("temperature", 0.8)
            .value("share", 0.9)
            .read("logits", floats(drawn * vocabulary).into_iter().map(|x| 8.0 * x).collect::<Vec<f32>>())
            .read("draws", floats(drawn + 1)[1..].to_vec())
            .write::<u32>("tokens", drawn)
            .roughly(0.02),
    ]
}
