//! Pictures: hues, dithering to bits, means by summed areas, nearest seeds by jumps.

use gridwise::prelude::*;

use crate::data::{bytes, words};
use crate::workload::Workload;

#[device]
mod color {
    #[derive(Clone, Copy)]
    pub(crate) struct Hsv {
        pub(crate) hue: f32,
        pub(crate) saturation: f32,
        pub(crate) value: f32,
    }

    impl From<[u8; 3]> for Hsv {
        fn from(rgb: [u8; 3]) -> Self {
            let [red, green, blue] = rgb.map(|channel| f32::from(channel) / 255.0);
            let value = red.max(green).max(blue);
            let spread = value - red.min(green).min(blue);
            let hue = if spread == 0.0 {
                0.0
            } else if value == red {
                (green - blue) / spread
            } else if value == green {
                (blue - red) / spread + 2.0
            } else {
                (red - green) / spread + 4.0
            };
            Self { hue, saturation: if value > 0.0 { spread / value } else { 0.0 }, value }
        }
    }

    impl Hsv {
        pub(crate) fn to_rgb(self) -> [u8; 3] {
            [5.0, 3.0, 1.0].map(|n: f32| {
                let k = (n + self.hue).rem_euclid(6.0);
                let channel = self.value * (1.0 - self.saturation * k.min(4.0 - k).clamp(0.0, 1.0));
                (channel * 255.0 + 0.5) as u8
            })
        }
    }
}

use color::Hsv;

/// Turns the hues of pixels and changes how saturated they are.
#[kernel(workgroup = [256])]
fn hues(turn: f32, gain: f32, pixels: &[u8], turned: &mut [u8]) {
    let i = global_id().x as usize;
    let Some(&[red, green, blue]) = pixels.chunks_exact(3).nth(i) else { return };
    let color = Hsv::from([red, green, blue]);
    let color = Hsv { hue: color.hue + turn, saturation: (color.saturation * gain).min(1.0), ..color };
    turned[3 * i..3 * (i + 1)].copy_from_slice(&color.to_rgb());
}

const HUES: &str = r"
DEVICE uint channel(float n, float hue, float saturation, float value) {
    float k = n + hue;
    k -= 6.0f * floor(k / 6.0f);
    float level = value * (1.0f - saturation * min(max(min(k, 4.0f - k), 0.0f), 1.0f));
    return uint(level * 255.0f + 0.5f);
}
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    float red = float(uint(pixels[3u * i])) / 255.0f;
    float green = float(uint(pixels[3u * i + 1u])) / 255.0f;
    float blue = float(uint(pixels[3u * i + 2u])) / 255.0f;
    float value = max(max(red, green), blue);
    float spread = value - min(min(red, green), blue);
    float hue = 0.0f;
    if (spread != 0.0f) {
        if (value == red) hue = (green - blue) / spread;
        else if (value == green) hue = (blue - red) / spread + 2.0f;
        else hue = (red - green) / spread + 4.0f;
    }
    float saturation = value > 0.0f ? spread / value : 0.0f;
    hue += turn;
    saturation = min(saturation * gain, 1.0f);
    turned[3u * i] = uint8_t(channel(5.0f, hue, saturation, value));
    turned[3u * i + 1u] = uint8_t(channel(3.0f, hue, saturation, value));
    turned[3u * i + 2u] = uint8_t(channel(1.0f, hue, saturation, value));
}
";

#[device]
const BAYER: [[u8; 8]; 8] = [
    [0, 32, 8, 40, 2, 34, 10, 42],
    [48, 16, 56, 24, 50, 18, 58, 26],
    [12, 44, 4, 36, 14, 46, 6, 38],
    [60, 28, 52, 20, 62, 30, 54, 22],
    [3, 35, 11, 43, 1, 33, 9, 41],
    [51, 19, 59, 27, 49, 17, 57, 25],
    [15, 47, 7, 39, 13, 45, 5, 37],
    [63, 31, 55, 23, 61, 29, 53, 21],
];

/// Black and white by an ordered pattern, 32 pixels a word.
#[kernel(workgroup = [32, 8])]
fn dither(image: &[u8], bits: &mut [u32]) {
    let (column, y) = (global_id().x as usize, global_id().y as usize);
    let at = y * (num_workgroups().x as usize * 32) + column;
    let pattern = BAYER[y % 8];
    let levels = image[32 * at..32 * (at + 1)].iter();
    let is_white = levels.zip(pattern.iter().cycle()).map(|(level, step)| *level > 4 * step + 2);
    bits[at] = is_white.enumerate().fold(0, |word, (x, is_white)| word | u32::from(is_white) << x);
}

const DITHER: &str = r"
TABLE uint8_t BAYER[64] = {
    BYTE(0), BYTE(32), BYTE(8), BYTE(40), BYTE(2), BYTE(34), BYTE(10), BYTE(42),
    BYTE(48), BYTE(16), BYTE(56), BYTE(24), BYTE(50), BYTE(18), BYTE(58), BYTE(26),
    BYTE(12), BYTE(44), BYTE(4), BYTE(36), BYTE(14), BYTE(46), BYTE(6), BYTE(38),
    BYTE(60), BYTE(28), BYTE(52), BYTE(20), BYTE(62), BYTE(30), BYTE(54), BYTE(22),
    BYTE(3), BYTE(35), BYTE(11), BYTE(43), BYTE(1), BYTE(33), BYTE(9), BYTE(41),
    BYTE(51), BYTE(19), BYTE(59), BYTE(27), BYTE(49), BYTE(17), BYTE(57), BYTE(25),
    BYTE(15), BYTE(47), BYTE(7), BYTE(39), BYTE(13), BYTE(45), BYTE(5), BYTE(37),
    BYTE(63), BYTE(31), BYTE(55), BYTE(23), BYTE(61), BYTE(29), BYTE(53), BYTE(21)
};
KERNEL {
    uint y = GLOBAL_Y;
    uint at = y * across + GLOBAL_X;
    uint word = 0u;
    for (uint x = 0u; x < 32u; x++) {
        uint level = uint(image[32u * at + x]);
        if (level > 4u * uint(BAYER[8u * (y % 8u) + x % 8u]) + 2u) word |= 1u << x;
    }
    bits[at] = word;
}
";

#[device]
mod areas {
    use std::ops::Range;

    /// Sums over all rectangles that begin at the corner.
    #[derive(Clone, Copy)]
    pub(crate) struct Areas<'a> {
        pub(crate) sums: &'a [u32],
        pub(crate) width: usize,
    }

    impl Areas<'_> {
        fn corner(&self, x: usize, y: usize) -> u32 {
            if x == 0 || y == 0 { 0 } else { self.sums[(y - 1) * self.width + x - 1] }
        }

        pub(crate) fn sum(&self, x: &Range<usize>, y: &Range<usize>) -> u32 {
            let all = self.corner(x.end, y.end) + self.corner(x.start, y.start);
            all - self.corner(x.start, y.end) - self.corner(x.end, y.start)
        }
    }
}

use areas::Areas;

/// The mean around each pixel, by summed areas.
#[kernel(workgroup = [32, 8])]
fn box_means(radius: u32, width: u32, height: u32, sums: &[u32], means: &mut [f32]) {
    let (x, y) = (global_id().x as usize, global_id().y as usize);
    let (radius, width, height) = (radius as usize, width as usize, height as usize);
    if x >= width || y >= height {
        return;
    }
    let areas = Areas { sums, width };
    let columns = x.saturating_sub(radius)..(x + radius + 1).min(width);
    let rows = y.saturating_sub(radius)..(y + radius + 1).min(height);
    means[y * width + x] = areas.sum(&columns, &rows) as f32 / (columns.len() * rows.len()) as f32;
}

const BOX_MEANS: &str = r"
DEVICE uint corner(SUMS uint x, uint y, uint width) {
    return x == 0u || y == 0u ? 0u : sums[(y - 1u) * width + x - 1u];
}
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x >= width || y >= height) return;
    uint left = x > radius ? x - radius : 0u, right = min(x + radius + 1u, width);
    uint top = y > radius ? y - radius : 0u, bottom = min(y + radius + 1u, height);
    uint sum = corner(OF_SUMS right, bottom, width) + corner(OF_SUMS left, top, width)
        - corner(OF_SUMS left, bottom, width) - corner(OF_SUMS right, top, width);
    means[y * width + x] = float(sum) / float((right - left) * (bottom - top));
}
";

/// CUDA's functions get a pointer where GLSL's name the buffer.
const SUMS: &str = r"
#ifdef __CUDACC__
#define SUMS const uint *__restrict__ sums,
#define OF_SUMS sums,
#else
#define SUMS
#define OF_SUMS
#endif
";

#[device]
const NO_SEED: u32 = u32::MAX;

/// A step of jump flooding: the nearest of the seeds that nine places know.
#[kernel(workgroup = [16, 16])]
fn flood(jump: u32, width: u32, height: u32, seeds: &[u32], nearest: &mut [u32]) {
    let (x, y) = (global_id().x, global_id().y);
    if x >= width || y >= height {
        return;
    }
    let jumps = [-(jump as i32), 0, jump as i32];
    let distance = |seed: u32| (seed % width).abs_diff(x).pow(2) + (seed / width).abs_diff(y).pow(2);
    let places = jumps.iter().flat_map(|&dy| jumps.iter().map(move |&dx| (x as i32 + dx, y as i32 + dy)));
    let inside = places.filter(|(x, y)| (0..width as i32).contains(x) && (0..height as i32).contains(y));
    let known = inside.map(|(x, y)| seeds[(y as u32 * width + x as u32) as usize]).filter(|&seed| seed != NO_SEED);
    nearest[(y * width + x) as usize] = known.min_by_key(|&seed| distance(seed)).unwrap_or(NO_SEED);
}

const FLOOD: &str = r"
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x >= width || y >= height) return;
    uint best = 0xffffffffu, least = 0xffffffffu;
    for (int ky = -1; ky <= 1; ky++) {
        for (int kx = -1; kx <= 1; kx++) {
            int sx = int(x) + kx * int(jump), sy = int(y) + ky * int(jump);
            if (sx < 0 || sx >= int(width) || sy < 0 || sy >= int(height)) continue;
            uint seed = seeds[uint(sy) * width + uint(sx)];
            if (seed == 0xffffffffu) continue;
            int dx = int(seed % width) - int(x), dy = int(seed / width) - int(y);
            uint square = uint(dx * dx + dy * dy);
            if (square < least) { least = square; best = seed; }
        }
    }
    nearest[y * width + x] = best;
}
";

/// Sums of bytes over all rectangles that begin at the corner.
fn summed(width: usize, height: usize) -> Vec<u32> {
    let image = bytes(width * height);
    let mut sums = vec![0u32; width * height];
    for y in 0..height {
        let mut row = 0;
        for x in 0..width {
            row += u32::from(image[y * width + x]);
            sums[y * width + x] = row + if y > 0 { sums[(y - 1) * width + x] } else { 0 };
        }
    }
    sums
}

/// Brown pictures, as of old photographs.
#[kernel(workgroup = [256])]
fn sepia(strength: u32, pixels: &[[u8; 4]], toned: &mut [[u8; 4]]) {
    let i = global_id().x as usize;
    let Some(&[red, green, blue, alpha]) = pixels.get(i) else { return };
    let tone = |weights: [u32; 3], own: u8| {
        let sum = weights[0] * u32::from(red) + weights[1] * u32::from(green) + weights[2] * u32::from(blue);
        let tone = ((sum + 500) / 1000).min(255);
        ((tone * strength + u32::from(own) * (256 - strength)) >> 8) as u8
    };
    toned[i] = [tone([393, 769, 189], red), tone([349, 686, 168], green), tone([272, 534, 131], blue), alpha];
}

const SEPIA: &str = r"
#ifdef __CUDACC__
#define PIXEL(r, g, b, a) make_uchar4(r, g, b, a)
#else
#define PIXEL(r, g, b, a) u8vec4(r, g, b, a)
#endif
DEVICE uint tone(uint red, uint green, uint blue, uint own, uint strength) {
    uint tone = min((red + green + blue + 500u) / 1000u, 255u);
    return (tone * strength + own * (256u - strength)) >> 8;
}
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    u8vec4 pixel = pixels[i];
    uint r = pixel.x, g = pixel.y, b = pixel.z;
    toned[i] = PIXEL(tone(393u * r, 769u * g, 189u * b, r, strength), tone(349u * r, 686u * g, 168u * b, g, strength),
                     tone(272u * r, 534u * g, 131u * b, b, strength), pixel.w);
}
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let (width, height) = if large { (4096, 2048) } else { (64, 32) };
    let sides = |workload: Workload| workload.value("width", width as u32).value("height", height as u32);
    let across = if large { width / 32 } else { 32 };
    let seeds = words(width * height).into_iter().enumerate();
    let seeds = seeds.map(|(at, word)| if word % 64 == 0 { at as u32 } else { NO_SEED }).collect();
    vec![
        Workload::new::<Hues>("hues", [width * height / 256, 1, 1], HUES)
            .value("turn", 1.7f32)
            .value("gain", 1.2f32)
            .peer_value("len", (width * height) as u32)
            .read("pixels", bytes(3 * width * height))
            .write::<u8>("turned", 3 * width * height)
            .roughly(0.01),
        Workload::new::<Sepia>("sepia", [width * height / 256, 1, 1], SEPIA)
            .value("strength", 200)
            .peer_value("len", (width * height) as u32)
            .read("pixels", bytes(4 * width * height).as_chunks::<4>().0.to_vec())
            .write::<[u8; 4]>("toned", width * height),
        Workload::new::<Dither>("dithering", [across / 32, height * 4 / 8, 1], DITHER)
            .with_helper(BYTE)
            .peer_value("across", across as u32)
            .read("image", bytes(32 * across * height * 4))
            .write::<u32>("bits", across * height * 4),
        sides(Workload::new::<BoxMeans>("means by areas", [width / 32, height / 8, 1], BOX_MEANS).value("radius", 9))
            .with_helper(SUMS)
            .read("sums", summed(width, height))
            .write::<f32>("means", width * height),
        sides(Workload::new::<Flood>("nearest seeds", [width / 16, height / 16, 1], FLOOD).value("jump", 8))
            .read::<u32>("seeds", seeds)
            .write::<u32>("nearest", width * height),
    ]
}

/// GLSL converts numbers to bytes, C++ does so by itself.
pub(crate) const BYTE: &str = "
#ifdef __CUDACC__
#define BYTE(x) x
#else
#define BYTE(x) uint8_t(x)
#endif
";
