//! Vision: shifts between two pictures, corners, colors of a sensor's pixels, boxes that overlap.

use gridwise::prelude::*;

use crate::data::{bytes, floats, words};
use crate::workload::Workload;

/// The shift between two pictures for each pixel: that whose windows of 7×7 pixels differ least.
#[kernel(workgroup = [32, 8])]
fn stereo(width: u32, height: u32, left: &[u8], right: &[u8], shifts: &mut [u32]) {
    let (x, y) = (global_id().x as i32, global_id().y as i32);
    let (width, height) = (width as i32, height as i32);
    if x >= width || y >= height {
        return;
    }
    let pixel = |image: &[u8], x: i32, y: i32| {
        i32::from(image[(y.clamp(0, height - 1) * width + x.clamp(0, width - 1)) as usize])
    };
    let (mut best, mut least) = (0, i32::MAX);
    for shift in 0..16 {
        let mut cost = 0;
        for dy in -3..=3 {
            for dx in -3..=3 {
                cost += (pixel(left, x + dx, y + dy) - pixel(right, x + dx - shift, y + dy)).abs();
            }
        }
        if cost < least {
            least = cost;
            best = shift;
        }
    }
    shifts[(y * width + x) as usize] = best as u32;
}

const STEREO: &str = r"
DEVICE int limited(int x, int most) { return min(max(x, 0), most); }
KERNEL {
    int x = int(GLOBAL_X), y = int(GLOBAL_Y), w = int(width), h = int(height);
    if (x >= w || y >= h) return;
    int best = 0, least = 0x7fffffff;
    for (int shift = 0; shift < 16; shift++) {
        int cost = 0;
        for (int dy = -3; dy <= 3; dy++) {
            for (int dx = -3; dx <= 3; dx++) {
                int row = limited(y + dy, h - 1) * w;
                cost += abs(int(left[row + limited(x + dx, w - 1)]) - int(right[row + limited(x + dx - shift, w - 1)]));
            }
        }
        if (cost < least) {
            least = cost;
            best = shift;
        }
    }
    shifts[y * w + x] = uint(best);
}
";

/// Steps to the 16 pixels of a circle.
#[device]
const CIRCLE: [(isize, isize); 16] = [
    (0, -3),
    (1, -3),
    (2, -2),
    (3, -1),
    (3, 0),
    (3, 1),
    (2, 2),
    (1, 3),
    (0, 3),
    (-1, 3),
    (-2, 2),
    (-3, 1),
    (-3, 0),
    (-3, -1),
    (-2, -2),
    (-1, -3),
];

/// Corners: nine neighbours on a circle are all brighter or all darker ("Fusing points and lines for high performance tracking", Rosten and
/// Drummond, 2005).
#[kernel(workgroup = [32, 8])]
fn corners(width: u32, height: u32, threshold: u32, image: &[u8], is_corner: &mut [u8]) {
    let (x, y) = (global_id().x as usize, global_id().y as usize);
    let (width, height) = (width as usize, height as usize);
    if !(3..width - 3).contains(&x) || !(3..height - 3).contains(&y) {
        return;
    }
    let threshold = threshold as i32;
    let center = i32::from(image[y * width + x]);
    let (mut brighter, mut darker) = (0u32, 0u32);
    for (k, (dx, dy)) in CIRCLE.into_iter().enumerate() {
        let (x, y) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
        let other = i32::from(image[y * width + x]);
        brighter |= u32::from(other > center + threshold) << k;
        darker |= u32::from(other < center - threshold) << k;
    }
    let has_arc = |ring: u32| {
        let twice = ring | ring << 16;
        (0..16).any(|start| twice >> start & 0x1ff == 0x1ff)
    };
    is_corner[y * width + x] = u8::from(has_arc(brighter) || has_arc(darker));
}

const CORNERS: &str = r"
TABLE int CIRCLE_X[16] = {0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1};
TABLE int CIRCLE_Y[16] = {-3, -3, -2, -1, 0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3};
DEVICE bool has_arc(uint ring) {
    uint twice = ring | ring << 16;
    for (uint start = 0u; start < 16u; start++) {
        if ((twice >> start & 0x1ffu) == 0x1ffu) return true;
    }
    return false;
}
KERNEL {
    int x = int(GLOBAL_X), y = int(GLOBAL_Y), w = int(width), h = int(height), limit = int(threshold);
    if (x < 3 || x >= w - 3 || y < 3 || y >= h - 3) return;
    int center = int(image[y * w + x]);
    uint brighter = 0u, darker = 0u;
    for (int k = 0; k < 16; k++) {
        int other = int(image[(y + CIRCLE_Y[k]) * w + x + CIRCLE_X[k]]);
        brighter |= uint(other > center + limit) << k;
        darker |= uint(other < center - limit) << k;
    }
    is_corner[y * w + x] = BYTE(has_arc(brighter) || has_arc(darker));
}
";

/// Colors of pixels that see one color each: red and green in even rows, green and blue in odd ones.
#[kernel(workgroup = [32, 8])]
fn demosaic(width: u32, height: u32, raw: &[u16], colors: &mut [[f32; 4]]) {
    let (x, y) = (global_id().x, global_id().y);
    if x >= width || y >= height {
        return;
    }
    let at = |dx: i32, dy: i32| {
        let x = (x as i32 + dx).clamp(0, width as i32 - 1);
        let y = (y as i32 + dy).clamp(0, height as i32 - 1);
        f32::from(raw[(y * width as i32 + x) as usize])
    };
    let center = at(0, 0);
    let (across, along) = ((at(-1, 0) + at(1, 0)) / 2.0, (at(0, -1) + at(0, 1)) / 2.0);
    let sides = (across + along) / 2.0;
    let edges = (at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1)) / 4.0;
    let [red, green, blue] = match (x % 2, y % 2) {
        (0, 0) => [center, sides, edges],
        (1, 0) => [across, center, along],
        (0, _) => [along, center, across],
        _ => [edges, sides, center],
    };
    colors[(y * width + x) as usize] = [red, green, blue, 65535.0].map(|channel| channel / 65535.0);
}

const DEMOSAIC: &str = r"
#define AT(dx, dy) float(raw[uint(min(max(int(y) + dy, 0), int(height) - 1)) * width + uint(min(max(int(x) + dx, 0), int(width) - 1))])
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x >= width || y >= height) return;
    float center = AT(0, 0);
    float across = (AT(-1, 0) + AT(1, 0)) / 2.0f, along = (AT(0, -1) + AT(0, 1)) / 2.0f;
    float sides = (across + along) / 2.0f;
    float edges = (AT(-1, -1) + AT(1, -1) + AT(-1, 1) + AT(1, 1)) / 4.0f;
    float red = edges, green = sides, blue = center;
    if (x % 2u == 0u && y % 2u == 0u) {
        red = center;
        blue = edges;
    } else if (y % 2u == 0u) {
        red = across;
        green = center;
        blue = along;
    } else if (x % 2u == 0u) {
        red = along;
        green = center;
        blue = across;
    }
    f32x4 color;
    color.v[0] = red / 65535.0f;
    color.v[1] = green / 65535.0f;
    color.v[2] = blue / 65535.0f;
    color.v[3] = 1.0f;
    colors[y * width + x] = color;
}
";

#[device]
mod area {
    /// A box by its corners.
    #[derive(Clone, Copy)]
    pub(crate) struct Rect {
        pub(crate) min: [f32; 2],
        pub(crate) max: [f32; 2],
    }

    impl From<[f32; 4]> for Rect {
        fn from([left, top, right, bottom]: [f32; 4]) -> Self {
            Self { min: [left, top], max: [right, bottom] }
        }
    }

    impl Rect {
        pub(crate) fn area(&self) -> f32 {
            (self.max[0] - self.min[0]).max(0.0) * (self.max[1] - self.min[1]).max(0.0)
        }

        /// The area that both have, of the area that one has.
        pub(crate) fn overlap(&self, other: &Self) -> f32 {
            let common = Self {
                min: std::array::from_fn(|axis| self.min[axis].max(other.min[axis])),
                max: std::array::from_fn(|axis| self.max[axis].min(other.max[axis])),
            };
            let common = common.area();
            common / (self.area() + other.area() - common)
        }
    }
}

use area::Rect;

/// Sets of later boxes that overlap with each box, as a detector's boxes are thinned out.
#[kernel(workgroup = [64])]
fn overlaps(threshold: f32, boxes: &[[f32; 4]], sets: &mut [u64]) {
    let (i, block) = (global_id().x as usize, global_id().y as usize);
    let Some(&own) = boxes.get(i) else { return };
    let own = Rect::from(own);
    let mut set = 0;
    for (k, &other) in boxes.iter().skip(64 * block).take(64).enumerate() {
        if 64 * block + k > i && own.overlap(&Rect::from(other)) > threshold {
            set |= 1 << k;
        }
    }
    sets[i * boxes.len().div_ceil(64) + block] = set;
}

const OVERLAPS: &str = r"
DEVICE float area(float left, float top, float right, float bottom) {
    return max(right - left, 0.0f) * max(bottom - top, 0.0f);
}
KERNEL {
    uint i = GLOBAL_X, block = GLOBAL_Y;
    if (i >= len) return;
    f32x4 a = boxes[i];
    uint64_t set = uint64_t(0);
    for (uint k = 0u; k < 64u; k++) {
        uint j = 64u * block + k;
        if (j >= len) break;
        if (j <= i) continue;
        f32x4 b = boxes[j];
        float both = area(max(a.v[0], b.v[0]), max(a.v[1], b.v[1]), min(a.v[2], b.v[2]), min(a.v[3], b.v[3]));
        float one = area(a.v[0], a.v[1], a.v[2], a.v[3]) + area(b.v[0], b.v[1], b.v[2], b.v[3]) - both;
        if (both / one > threshold) set |= uint64_t(1) << k;
    }
    sets[i * ((len + 63u) / 64u) + block] = set;
}
";

/// Boxes with sides up to a fifth of the plane.
fn rects(len: usize) -> Vec<[f32; 4]> {
    let numbers = floats(4 * len);
    let rects = numbers.as_chunks::<4>().0.iter();
    rects.map(|&[x, y, w, h]| [x, y, x + 0.2 * w, y + 0.2 * h]).collect()
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let (width, height) = if large { (2048, 1024) } else { (64, 32) };
    let boxes = if large { 8192 } else { 256 };
    let sides = |workload: Workload| workload.value("width", width as u32).value("height", height as u32);
    let groups = [width / 32, height / 8, 1];
    // The right picture is the left one, some pixels to the side.
    let left = bytes(width * height);
    let right: Vec<u8> = left[5..].iter().chain(&left[..5]).copied().collect();
    vec![
        sides(Workload::new::<Stereo>("stereo", groups, STEREO))
            .read("left", left)
            .read("right", right)
            .write::<u32>("shifts", width * height),
        sides(Workload::new::<Corners>("corners", groups, CORNERS))
            .with_helper(super::pictures::BYTE)
            .value("threshold", 40)
            .read("image", bytes(width * height))
            .write::<u8>("is_corner", width * height),
        sides(Workload::new::<Demosaic>("colors of a sensor", groups, DEMOSAIC))
            .read("raw", words(width * height).into_iter().map(|word| word as u16).collect::<Vec<_>>())
            .write::<[f32; 4]>("colors", width * height),
        Workload::new::<Overlaps>("boxes that overlap", [boxes / 64, boxes / 64, 1], OVERLAPS)
            .value("threshold", 0.4f32)
            .peer_value("len", boxes as u32)
            .read("boxes", rects(boxes))
            .write::<u64>("sets", boxes * boxes / 64)
            .roughly(0.001),
    ]
}
