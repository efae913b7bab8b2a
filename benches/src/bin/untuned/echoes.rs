//! Echoes: targets of a radar, pitches of voices, loudness of bands, shaded surfaces.

use gridwise::prelude::*;

use crate::data::floats;
use crate::workload::Workload;

/// Targets that stand out from the cells around them, apart from the nearest (cell-averaging CFAR: Finn and Johnson, 1968); speeds
/// go around, distances do not.
#[kernel(workgroup = [32, 8])]
fn targets(distances: u32, speeds: u32, factor: f32, power: &[f32], found: &mut [u8]) {
    const GUARD: i32 = 1;
    const TRAINING: i32 = 4;
    let (distance, speed) = (global_id().x as i32, global_id().y as i32);
    let (distances, speeds) = (distances as i32, speeds as i32);
    if distance >= distances || speed >= speeds {
        return;
    }
    let at = |distance: i32, speed: i32| (speed.rem_euclid(speeds) * distances + distance) as usize;
    let (mut sum, mut count) = (0.0, 0);
    for dy in -TRAINING..=TRAINING {
        for dx in -TRAINING..=TRAINING {
            if dx.abs() <= GUARD && dy.abs() <= GUARD {
                continue;
            }
            if distance + dx < 0 || distance + dx >= distances {
                continue;
            }
            sum += power[at(distance + dx, speed + dy)];
            count += 1;
        }
    }
    let here = (speed * distances + distance) as usize;
    found[here] = (power[here] > factor * sum / count as f32) as u8;
}

const TARGETS: &str = r"
KERNEL {
    int distance_ = int(GLOBAL_X), speed = int(GLOBAL_Y), width = int(distances), height = int(speeds);
    if (distance_ >= width || speed >= height) return;
    float sum = 0.0f;
    int count = 0;
    for (int dy = -4; dy <= 4; dy++) {
        for (int dx = -4; dx <= 4; dx++) {
            if (abs(dx) <= 1 && abs(dy) <= 1) continue;
            int x = distance_ + dx;
            if (x < 0 || x >= width) continue;
            int y = (speed + dy + height) % height;
            sum += power[y * width + x];
            count++;
        }
    }
    int here = speed * width + distance_;
    found[here] = uint8_t(power[here] > factor * sum / float(count) ? 1u : 0u);
}
";

/// The pitch of each frame of a sound, or 0 (YIN: de Cheveigné and Kawahara, 2002).
#[kernel(workgroup = [64])]
fn pitches(hop: u32, rate: f32, limit: f32, sound: &[f32], pitches: &mut [f32]) {
    const WINDOW: usize = 128;
    const LAGS: usize = 96;
    let i = global_id().x as usize;
    let Some(pitch) = pitches.get_mut(i) else { return };
    let frame = &sound[i * hop as usize..][..WINDOW + LAGS];
    let mut differences = [0.0; LAGS];
    for (lag, difference) in differences.iter_mut().enumerate().skip(1) {
        *difference = frame[..WINDOW].iter().zip(&frame[lag..]).map(|(a, b)| (a - b).powi(2)).sum::<f32>();
    }
    let mut sum = 0.0;
    differences[0] = 1.0;
    for lag in 1..LAGS {
        sum += differences[lag];
        differences[lag] *= lag as f32 / sum;
    }
    let below = (2..LAGS - 1).find(|&lag| differences[lag] < limit);
    *pitch = match below {
        None => 0.0,
        Some(mut lag) => {
            while lag + 2 < LAGS && differences[lag + 1] < differences[lag] {
                lag += 1;
            }
            let [before, here, after] = [differences[lag - 1], differences[lag], differences[lag + 1]];
            let bend = before - 2.0 * here + after;
            let shift = if bend == 0.0 { 0.0 } else { 0.5 * (before - after) / bend };
            rate / (lag as f32 + shift)
        }
    };
}

const PITCHES: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    float differences[96];
    for (uint lag = 1u; lag < 96u; lag++) {
        float difference = 0.0f;
        for (uint k = 0u; k < 128u; k++) {
            float d = sound[i * hop + k] - sound[i * hop + k + lag];
            difference += d * d;
        }
        differences[lag] = difference;
    }
    float sum = 0.0f;
    differences[0] = 1.0f;
    for (uint lag = 1u; lag < 96u; lag++) {
        sum += differences[lag];
        differences[lag] *= float(lag) / sum;
    }
    uint lag = 2u;
    while (lag < 95u && differences[lag] >= limit) lag++;
    if (lag == 95u) {
        pitches[i] = 0.0f;
        return;
    }
    while (lag + 2u < 96u && differences[lag + 1u] < differences[lag]) lag++;
    float before = differences[lag - 1u], here = differences[lag], after = differences[lag + 1u];
    float bend = before - 2.0f * here + after;
    float shift = bend == 0.0f ? 0.0f : 0.5f * (before - after) / bend;
    pitches[i] = rate / (float(lag) + shift);
}
";

/// Logarithms of the loudness of bands that are even on the mel scale, from spectra (Davis and Mermelstein, 1980).
#[kernel(workgroup = [32, 4])]
fn mel_bands(bins: u32, count: u32, edges: &[f32], spectra: &[[f32; 2]], bands: &mut [f32]) {
    let (band, frame) = (global_id().x as usize, global_id().y as usize);
    let count = count as usize;
    let Some(spectrum) = spectra.chunks_exact(bins as usize).nth(frame) else { return };
    if band >= count {
        return;
    }
    let &[low, middle, high] = edges[band..].first_chunk::<3>().unwrap();
    let mut sum = 0.0;
    for (k, [re, im]) in spectrum.iter().enumerate().skip(low.ceil() as usize).take_while(|(k, _)| (*k as f32) < high) {
        let place = k as f32;
        let weight = if place <= middle { (place - low) / (middle - low) } else { (high - place) / (high - middle) };
        sum += weight * (re * re + im * im);
    }
    bands[frame * count + band] = sum.max(1e-10).log10();
}

const MEL_BANDS: &str = r"
KERNEL {
    uint band = GLOBAL_X, frame = GLOBAL_Y;
    if (band >= count || frame >= frames) return;
    float low = edges[band], middle = edges[band + 1u], high = edges[band + 2u], sum = 0.0f;
    for (uint k = uint(ceil(low)); k < bins && float(k) < high; k++) {
        float place = float(k);
        float weight = place <= middle ? (place - low) / (middle - low) : (high - place) / (high - middle);
        float re = spectra[frame * bins + k].v[0], im = spectra[frame * bins + k].v[1];
        sum += weight * (re * re + im * im);
    }
    bands[frame * count + band] = log2(max(sum, 1e-10f)) * 0.30103f;
}
";

#[device]
mod shading {
    use gridwise::prelude::Vec3;

    #[derive(Clone, Copy)]
    pub(crate) struct Surface {
        pub(crate) normal: Vec3,
        pub(crate) color: Vec3,
        pub(crate) roughness: f32,
        pub(crate) metalness: f32,
    }

    impl Surface {
        /// Light that goes from a direction to the eye (GGX: Walter et al., 2007; Schlick, 1994).
        pub(crate) fn reflects(&self, to_light: Vec3, to_eye: Vec3) -> Vec3 {
            let n_l = self.normal.dot(to_light);
            let n_v = self.normal.dot(to_eye);
            if n_l <= 0.0 || n_v <= 0.0 {
                return Vec3::ZERO;
            }
            let half = (to_light + to_eye).normalize();
            let (n_h, v_h) = (self.normal.dot(half).max(0.0), to_eye.dot(half).max(0.0));
            let square = self.roughness.powi(4);
            let spread = n_h * n_h * (square - 1.0) + 1.0;
            let distribution = square / (std::f32::consts::PI * spread * spread);
            let masked = |cosine: f32| 2.0 * cosine / (cosine + (square + (1.0 - square) * cosine * cosine).sqrt());
            let base = Vec3::splat(0.04).lerp(self.color, self.metalness);
            let mirrored = base + (Vec3::ONE - base) * (1.0 - v_h).powi(5);
            let shine = mirrored * (distribution * masked(n_l) * masked(n_v) / (4.0 * n_l * n_v));
            let matte = (Vec3::ONE - mirrored) * self.color * ((1.0 - self.metalness) / std::f32::consts::PI);
            (matte + shine) * n_l
        }
    }
}

use shading::Surface;

/// Colors of pixels, whose surfaces are known, by some lamps (deferred shading), with a curve for bright ones (Reinhard et al., 2002).
#[kernel(workgroup = [16, 16])]
fn shade(width: u32, surfaces: &[[f32; 8]], depths: &[f32], lamps: &[[f32; 8]], pixels: &mut [[u8; 4]]) {
    let (px, py) = (global_id().x, global_id().y);
    let at = (py * width + px) as usize;
    if px >= width || at >= pixels.len() {
        return;
    }
    let s = surfaces[at];
    let surface = Surface {
        normal: Vec3::new(s[0], s[1], s[2]).normalize(),
        color: Vec3::new(s[3], s[4], s[5]),
        roughness: s[6].clamp(0.05, 1.0),
        metalness: s[7],
    };
    let along = Vec3::new(px as f32 / width as f32 - 0.5, py as f32 / width as f32 - 0.5, 1.0);
    let place = along * depths[at];
    let to_eye = -along.normalize();
    let mut light = Vec3::ZERO;
    for lamp in lamps {
        let way = Vec3::new(lamp[0], lamp[1], lamp[2]) - place;
        let square = way.length_squared();
        let reach = lamp[6];
        if square > reach * reach {
            continue;
        }
        let fading = (1.0 - square / (reach * reach)).powi(2) / (1.0 + square);
        let color = Vec3::new(lamp[3], lamp[4], lamp[5]) * fading;
        light += surface.reflects(way / square.sqrt(), to_eye) * color;
    }
    let byte = |x: f32| ((x / (1.0 + x)).powf(1.0 / 2.2) * 255.0 + 0.5) as u8;
    pixels[at] = [byte(light.x), byte(light.y), byte(light.z), 255];
}

const SHADE: &str = r"
DEVICE float dots(float ax, float ay, float az, float bx, float by, float bz) { return ax * bx + ay * by + az * bz; }
DEVICE float masked(float cosine, float square) {
    return 2.0f * cosine / (cosine + sqrt(square + (1.0f - square) * cosine * cosine));
}
DEVICE uint8_t byte_of(float x) { return uint8_t(uint(pow(x / (1.0f + x), 1.0f / 2.2f) * 255.0f + 0.5f)); }
KERNEL {
    uint px = GLOBAL_X, py = GLOBAL_Y;
    if (px >= width || py >= height) return;
    uint at = py * width + px;
    f32x8 s = surfaces[at];
    float nx = s.v[0], ny = s.v[1], nz = s.v[2];
    float size = 1.0f / sqrt(dots(nx, ny, nz, nx, ny, nz));
    nx *= size;
    ny *= size;
    nz *= size;
    float roughness = min(max(s.v[6], 0.05f), 1.0f), metalness = s.v[7];
    float vx = float(px) / float(width) - 0.5f, vy = float(py) / float(width) - 0.5f, vz = 1.0f;
    float depth = depths[at];
    float x = vx * depth, y = vy * depth, z = vz * depth;
    size = -1.0f / sqrt(dots(vx, vy, vz, vx, vy, vz));
    vx *= size;
    vy *= size;
    vz *= size;
    float n_v = dots(nx, ny, nz, vx, vy, vz);
    float light[3];
    for (int k = 0; k < 3; k++) light[k] = 0.0f;
    for (uint lamp = 0u; lamp < lamps_len; lamp++) {
        float lx = lamps[lamp].v[0] - x, ly = lamps[lamp].v[1] - y, lz = lamps[lamp].v[2] - z;
        float far = dots(lx, ly, lz, lx, ly, lz), reach = lamps[lamp].v[6];
        if (far > reach * reach) continue;
        float near = 1.0f - far / (reach * reach);
        float fading = near * near / (1.0f + far);
        float root = sqrt(far);
        lx /= root;
        ly /= root;
        lz /= root;
        float n_l = dots(nx, ny, nz, lx, ly, lz);
        if (n_l <= 0.0f || n_v <= 0.0f) continue;
        float hx = lx + vx, hy = ly + vy, hz = lz + vz;
        float h = 1.0f / sqrt(dots(hx, hy, hz, hx, hy, hz));
        float n_h = max(dots(nx, ny, nz, hx, hy, hz) * h, 0.0f), v_h = max(dots(vx, vy, vz, hx, hy, hz) * h, 0.0f);
        float square = roughness * roughness * roughness * roughness;
        float spread = n_h * n_h * (square - 1.0f) + 1.0f;
        float distribution = square / (3.14159265f * spread * spread);
        float shine = distribution * masked(n_l, square) * masked(n_v, square) / (4.0f * n_l * n_v);
        float edge = 1.0f - v_h;
        edge = edge * edge * edge * edge * edge;
        for (int k = 0; k < 3; k++) {
            float color = s.v[3 + k];
            float base = 0.04f + (color - 0.04f) * metalness;
            float mirrored = base + (1.0f - base) * edge;
            float matte = (1.0f - mirrored) * color * ((1.0f - metalness) / 3.14159265f);
            light[k] += (matte + mirrored * shine) * n_l * lamps[lamp].v[3 + k] * fading;
        }
    }
    u8vec4 pixel;
    pixel.x = byte_of(light[0]);
    pixel.y = byte_of(light[1]);
    pixel.z = byte_of(light[2]);
    pixel.w = uint8_t(255u);
    pixels[at] = pixel;
}
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n: usize = if large { 1 << 20 } else { 1 << 12 };
    let side = n.isqrt();
    let (hop, rate) = (128, 16_000.0);
    let frames = n / 256;
    let tone = |at: usize, x: f32| {
        let time = at as f32 / rate;
        (time * (1.0 + 0.05 * (time * 3.0).sin()) * 1500.0).sin() + (x - 0.5) * if at & 0x1000 == 0 { 0.1 } else { 2.0 }
    };
    let sound: Vec<f32> = floats(frames * hop + 224).into_iter().enumerate().map(|(at, x)| tone(at, x)).collect();
    let (bands, bins, spectra) = (80, 513, n / 256);
    let hertz = |mel: f32| 700.0 * (10.0f32.powf(mel / 2595.0) - 1.0);
    let edge = |k: i32| hertz(2840.0 * k as f32 / (bands + 1) as f32) / 8000.0 * (bins - 1) as f32;
    let lamps = if large { 64 } else { 16 };
    let surface = |f: &[f32; 8]| [2.0 * f[0] - 1.0, 2.0 * f[1] - 1.0, -0.2 - f[2], f[3], f[4], f[5], f[6], f[7]];
    let lamp = |f: &[f32; 8]| [4.0 * f[0] - 2.0, 4.0 * f[1] - 2.0, 3.0 * f[2], f[3], f[4], f[5], 1.0 + 2.0 * f[6], 0.0];
    vec![
        Workload::new::<Targets>("targets of a radar", [2 * side / 32, side / 8, 1], TARGETS)
            .value("distances", 2 * side as u32)
            .value("speeds", side as u32)
            .value("factor", 5.0)
            .read("power", floats(2 * n).into_iter().map(|x| -(1.0 - 0.999 * x).ln()).collect::<Vec<f32>>())
            .write::<u8>("found", 2 * n)
            .roughly(0.000_01),
        Workload::new::<Pitches>("pitches of voices", [frames.div_ceil(64), 1, 1], PITCHES)
            .peer_value("len", frames as u32)
            .value("hop", hop as u32)
            .value("rate", rate)
            .value("limit", 0.15)
            .read("sound", sound)
            .write::<f32>("pitches", frames)
            .roughly(0.005),
        Workload::new::<MelBands>("loudness of bands", [3, spectra / 4, 1], MEL_BANDS)
            .peer_value("frames", spectra as u32)
            .value("bins", bins as u32)
            .value("count", bands as u32)
            .read("edges", (0..bands + 2).map(edge).collect::<Vec<f32>>())
            .read::<[f32; 2]>("spectra", floats(2 * spectra * bins as usize).as_chunks().0.to_vec())
            .write::<f32>("bands", spectra * bands as usize),
        Workload::new::<Shade>("shaded surfaces", [side / 16, side / 16, 1], SHADE)
            .value("width", side as u32)
            .peer_value("height", side as u32)
            .read::<[f32; 8]>("surfaces", floats(8 * n).as_chunks().0.iter().map(surface).collect())
            .read("depths", floats(n + 1)[1..].iter().map(|x| 1.0 + 2.0 * x).collect::<Vec<f32>>())
            .peer_value("lamps_len", lamps as u32)
            .read::<[f32; 8]>("lamps", floats(8 * lamps).as_chunks().0.iter().map(lamp).collect())
            .write::<[u8; 4]>("pixels", n)
            .roughly(0.001),
    ]
}
