//! Signals: filters of sound, wavelets, the likeliest states of a chain, colours, erosion, cubic resampling.

use gridwise::prelude::*;

use crate::data::{bytes, floats};
use crate::workload::Workload;

/// A filter of finite response.
#[kernel(workgroup = [256])]
fn finite_response(taps: &[f32], sound: &[f32], filtered: &mut [f32]) {
    let i = global_id().x as usize;
    if let Some(window) = sound.windows(taps.len()).nth(i) {
        filtered[i] = window.iter().zip(taps).map(|(x, tap)| x * tap).sum();
    }
}

const FINITE_RESPONSE: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i + taps_len > len) return;
    float sum = 0.0f;
    for (uint k = 0u; k < taps_len; k++) sum += sound[i + k] * taps[k];
    filtered[i] = sum;
}
";

#[device]
mod biquad {
    /// A section of a filter, in transposed direct form II.
    #[derive(Clone, Copy, Default)]
    pub(crate) struct Section {
        pub(crate) b: [f32; 3],
        pub(crate) a: [f32; 2],
        pub(crate) state: [f32; 2],
    }

    impl Section {
        pub(crate) fn step(&mut self, x: f32) -> f32 {
            let y = self.b[0] * x + self.state[0];
            self.state[0] = self.b[1] * x - self.a[0] * y + self.state[1];
            self.state[1] = self.b[2] * x - self.a[1] * y;
            y
        }
    }
}

use biquad::Section;

/// Four sections one after the other, a channel an invocation.
#[kernel(workgroup = [64])]
fn equalizer(channels: u32, factors: &[f32], sound: &[f32], equal: &mut [f32]) {
    let channel = global_id().x as usize;
    let channels = channels as usize;
    if channel >= channels {
        return;
    }
    let mut sections = [Section::default(); 4];
    for (section, f) in sections.iter_mut().zip(factors.chunks_exact(5)) {
        section.b = [f[0], f[1], f[2]];
        section.a = [f[3], f[4]];
    }
    for time in 0..sound.len() / channels {
        let mut x = sound[time * channels + channel];
        for section in &mut sections {
            x = section.step(x);
        }
        equal[time * channels + channel] = x;
    }
}

const EQUALIZER: &str = r"
KERNEL {
    uint channel = GLOBAL_X;
    if (channel >= channels) return;
    float b[4][3], a[4][2], state[4][2];
    for (uint k = 0u; k < 4u; k++) {
        for (uint m = 0u; m < 3u; m++) b[k][m] = factors[5u * k + m];
        for (uint m = 0u; m < 2u; m++) { a[k][m] = factors[5u * k + 3u + m]; state[k][m] = 0.0f; }
    }
    for (uint time = 0u; time < times; time++) {
        float x = sound[time * channels + channel];
        for (uint k = 0u; k < 4u; k++) {
            float y = b[k][0] * x + state[k][0];
            state[k][0] = b[k][1] * x - a[k][0] * y + state[k][1];
            state[k][1] = b[k][2] * x - a[k][1] * y;
            x = y;
        }
        equal[time * channels + channel] = x;
    }
}
";

/// Haar's wavelets of blocks of 512 samples, in shared memory.
#[kernel(workgroup = 256)]
fn haar(sound: &[f32], waves: &mut [f32]) {
    let mut block = Shared::<[f32; 512]>::new();
    let local = local_id().x as usize;
    let from = workgroup_id().x as usize * 512;
    block[local] = sound[from + local];
    block[local + 256] = sound[from + local + 256];
    barrier();
    let mut half = 256;
    while half >= 1 {
        let mut low = 0.0;
        let mut high = 0.0;
        if local < half {
            let (a, b) = (block[2 * local], block[2 * local + 1]);
            low = (a + b) * core::f32::consts::FRAC_1_SQRT_2;
            high = (a - b) * core::f32::consts::FRAC_1_SQRT_2;
        }
        barrier();
        if local < half {
            block[local] = low;
            block[half + local] = high;
        }
        barrier();
        half /= 2;
    }
    waves[from + local] = block[local];
    waves[from + local + 256] = block[local + 256];
}

const HAAR: &str = r"
SHARED float block[512];
KERNEL {
    uint local = LOCAL_X;
    uint from = GROUP_X * 512u;
    block[local] = sound[from + local];
    block[local + 256u] = sound[from + local + 256u];
    BARRIER;
    for (uint half_size = 256u; half_size >= 1u; half_size /= 2u) {
        float low = 0.0f, high = 0.0f;
        if (local < half_size) {
            float a = block[2u * local], b = block[2u * local + 1u];
            low = (a + b) * 0.70710678f;
            high = (a - b) * 0.70710678f;
        }
        BARRIER;
        if (local < half_size) {
            block[local] = low;
            block[half_size + local] = high;
        }
        BARRIER;
    }
    waves[from + local] = block[local];
    waves[from + local + 256u] = block[local + 256u];
}
";

#[device]
const STATES: usize = 8;

/// The likelihood of the best chain of hidden states (Viterbi), a sequence an invocation.
#[kernel(workgroup = [128])]
fn likeliest(count: u32, moves: &[f32], seen: &[f32], symbols: &[u8], best: &mut [f32]) {
    let (i, count) = (global_id().x as usize, count as usize);
    if i >= count {
        return;
    }
    let mut scores = [0.0f32; STATES];
    for symbol in symbols.iter().skip(i).step_by(count) {
        let mut next = [f32::NEG_INFINITY; STATES];
        for (to, score) in next.iter_mut().enumerate() {
            for (from, old) in scores.iter().enumerate() {
                *score = score.max(old + moves[from * STATES + to]);
            }
            *score += seen[to * 4 + usize::from(*symbol)];
        }
        scores = next;
    }
    best[i] = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
}

const LIKELIEST: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= count) return;
    float scores[8];
    for (uint s = 0u; s < 8u; s++) scores[s] = 0.0f;
    for (uint at = i; at < len; at += count) {
        uint symbol = uint(symbols[at]);
        float next[8];
        for (uint to = 0u; to < 8u; to++) {
            next[to] = -1.0f / 0.0f;
            for (uint from = 0u; from < 8u; from++) next[to] = max(next[to], scores[from] + moves[from * 8u + to]);
            next[to] += seen[to * 4u + symbol];
        }
        for (uint s = 0u; s < 8u; s++) scores[s] = next[s];
    }
    float most = -1.0f / 0.0f;
    for (uint s = 0u; s < 8u; s++) most = max(most, scores[s]);
    best[i] = most;
}
";

/// Luma and chroma of pixels of three bytes.
#[kernel(workgroup = [256])]
fn luma(rgb: &[u8], yuv: &mut [u8]) {
    let i = global_id().x as usize;
    if i >= rgb.len() / 3 {
        return;
    }
    let [r, g, b] = [rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]].map(f32::from);
    let y = 0.299 * r + 0.587 * g + 0.114 * b;
    let u = 0.492 * (b - y) + 128.0;
    let v = 0.877 * (r - y) + 128.0;
    yuv[3 * i] = y.round() as u8;
    yuv[3 * i + 1] = u.round() as u8;
    yuv[3 * i + 2] = v.round() as u8;
}

const LUMA: &str = r"
DEVICE uint8_t byte_of(float x) { return uint8_t(uint(min(max(floor(x + 0.5f), 0.0f), 255.0f))); }
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len / 3u) return;
    float r = float(uint(rgb[3u * i])), g = float(uint(rgb[3u * i + 1u])), b = float(uint(rgb[3u * i + 2u]));
    float y = 0.299f * r + 0.587f * g + 0.114f * b;
    yuv[3u * i] = byte_of(y);
    yuv[3u * i + 1u] = byte_of(0.492f * (b - y) + 128.0f);
    yuv[3u * i + 2u] = byte_of(0.877f * (r - y) + 128.0f);
}
";

/// The least of 7 by 7 pixels, by a tile with a border in shared memory.
#[kernel(workgroup = [16, 16])]
fn erosion(width: i32, height: i32, image: &[u8], eroded: &mut [u8]) {
    let mut tile = Shared::<[[u8; 22]; 22]>::new();
    let (lx, ly) = (local_id().x as usize, local_id().y as usize);
    let left = workgroup_id().x as i32 * 16 - 3;
    let top = workgroup_id().y as i32 * 16 - 3;
    for ty in (ly..22).step_by(16) {
        for tx in (lx..22).step_by(16) {
            let x = (left + tx as i32).clamp(0, width - 1);
            let y = (top + ty as i32).clamp(0, height - 1);
            tile[ty][tx] = image[(y * width + x) as usize];
        }
    }
    barrier();
    let (x, y) = (global_id().x as i32, global_id().y as i32);
    if x >= width || y >= height {
        return;
    }
    let mut least = u8::MAX;
    for dy in 0..7 {
        for dx in 0..7 {
            least = least.min(tile[ly + dy][lx + dx]);
        }
    }
    eroded[(y * width + x) as usize] = least;
}

const EROSION: &str = r"
SHARED uint8_t tile[22][22];
KERNEL {
    uint lx = LOCAL_X, ly = LOCAL_Y;
    int left = int(GROUP_X) * 16 - 3, top = int(GROUP_Y) * 16 - 3;
    for (uint ty = ly; ty < 22u; ty += 16u)
        for (uint tx = lx; tx < 22u; tx += 16u) {
            int sx = min(max(left + int(tx), 0), int(width) - 1), sy = min(max(top + int(ty), 0), int(height) - 1);
            tile[ty][tx] = image[sy * int(width) + sx];
        }
    BARRIER;
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x >= width || y >= height) return;
    uint least = 255u;
    for (uint dy = 0u; dy < 7u; dy++)
        for (uint dx = 0u; dx < 7u; dx++) least = min(least, uint(tile[ly + dy][lx + dx]));
    eroded[y * width + x] = uint8_t(least);
}
";

/// A weight of Catmull's and Rom's cubic.
#[device]
fn cubic(t: f32) -> [f32; 4] {
    let (square, cube) = (t * t, t * t * t);
    [
        -0.5 * cube + square - 0.5 * t,
        1.5 * cube - 2.5 * square + 1.0,
        -1.5 * cube + 2.0 * square + 0.5 * t,
        0.5 * cube - 0.5 * square,
    ]
}

/// An image twice as wide and high, by cubics.
#[kernel(workgroup = [16, 16])]
fn bicubic(width: u32, height: u32, image: &[f32], large: &mut [f32]) {
    let (x, y) = (global_id().x, global_id().y);
    if x >= 2 * width || y >= 2 * height {
        return;
    }
    let (fx, fy) = ((x as f32 + 0.5) / 2.0 - 0.5, (y as f32 + 0.5) / 2.0 - 0.5);
    let (left, top) = (fx.floor(), fy.floor());
    let (across, down) = (cubic(fx - left), cubic(fy - top));
    let mut sum = 0.0;
    for (j, wy) in down.iter().enumerate() {
        let sy = (top as i32 + j as i32 - 1).clamp(0, height as i32 - 1) as u32;
        let mut row = 0.0;
        for (i, wx) in across.iter().enumerate() {
            let sx = (left as i32 + i as i32 - 1).clamp(0, width as i32 - 1) as u32;
            row += wx * image[(sy * width + sx) as usize];
        }
        sum += wy * row;
    }
    large[(y * 2 * width + x) as usize] = sum;
}

const BICUBIC: &str = r"
#define CUBIC(w, t) float w[4]; { float s = t * t, c = t * t * t; \
    w[0] = -0.5f * c + s - 0.5f * t; w[1] = 1.5f * c - 2.5f * s + 1.0f; \
    w[2] = -1.5f * c + 2.0f * s + 0.5f * t; w[3] = 0.5f * c - 0.5f * s; }
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x >= 2u * width || y >= 2u * height) return;
    float fx = (float(x) + 0.5f) / 2.0f - 0.5f, fy = (float(y) + 0.5f) / 2.0f - 0.5f;
    float left = floor(fx), top = floor(fy);
    float tx = fx - left, ty = fy - top;
    CUBIC(across, tx)
    CUBIC(down, ty)
    float sum = 0.0f;
    for (int j = 0; j < 4; j++) {
        int sy = min(max(int(top) + j - 1, 0), int(height) - 1);
        float row = 0.0f;
        for (int i = 0; i < 4; i++) {
            int sx = min(max(int(left) + i - 1, 0), int(width) - 1);
            row += across[i] * image[uint(sy) * width + uint(sx)];
        }
        sum += down[j] * row;
    }
    large[y * 2u * width + x] = sum;
}
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 22 } else { 1 << 12 };
    let (channels, times) = if large { (1 << 14, 512) } else { (64, 16) };
    let (width, height) = if large { (2048, 1024) } else { (64, 32) };
    let symbols = |count: usize| bytes(count).into_iter().map(|byte| byte % 4).collect::<Vec<_>>();
    let factors = floats(20).into_iter().map(|x| 0.5 * x - 0.25).collect();
    vec![
        Workload::new::<FiniteResponse>("filter of 64 taps", [n / 256, 1, 1], FINITE_RESPONSE)
            .peer_value("len", n as u32)
            .peer_value("taps_len", 64)
            .read("taps", floats(64))
            .read("sound", floats(n))
            .write::<f32>("filtered", n),
        Workload::new::<Equalizer>("equalizer", [channels / 64, 1, 1], EQUALIZER)
            .value("channels", channels as u32)
            .peer_value("times", times as u32)
            .read("factors", factors)
            .read("sound", floats(channels * times))
            .write::<f32>("equal", channels * times),
        Workload::new::<Haar>("wavelets", [n / 512, 1, 1], HAAR).read("sound", floats(n)).write::<f32>("waves", n),
        Workload::new::<Likeliest>("likeliest states", [channels / 128, 1, 1], LIKELIEST)
            .value("count", channels as u32)
            .peer_value("len", (channels * times) as u32)
            .read("moves", floats(64))
            .read("seen", floats(32))
            .read("symbols", symbols(channels * times))
            .write::<f32>("best", channels),
        Workload::new::<Luma>("luma and chroma", [n / 256, 1, 1], LUMA)
            .peer_value("len", 3 * n as u32)
            .read("rgb", bytes(3 * n))
            .write::<u8>("yuv", 3 * n)
            .roughly(0.001),
        Workload::new::<Erosion>("erosion 7×7", [width / 16, height / 16, 1], EROSION)
            .value("width", width as u32)
            .value("height", height as u32)
            .read("image", bytes(width * height))
            .write::<u8>("eroded", width * height),
        Workload::new::<Bicubic>("bicubic resize", [width / 8, height / 8, 1], BICUBIC)
            .value("width", width as u32)
            .value("height", height as u32)
            .read("image", floats(width * height))
            .write::<f32>("large", 4 * width * height),
    ]
}
