//! Scans: a slice from projections, rays through a volume, surfaces fused from depths, ultrasound by delays.

use gridwise::prelude::*;

use crate::data::{floats, words};
use crate::workload::Workload;

/// A value between two detectors, where both are there.
#[device]
fn between(row: &[f32], at: f32) -> Option<f32> {
    if at < 0.0 {
        return None;
    }
    let left = at.floor();
    let part = at - left;
    let k = left as usize;
    Some((1.0 - part) * row.get(k)? + part * row.get(k + 1)?)
}

/// A slice of a body from filtered projections by parallel rays (Kak and Slaney, "Principles of Computerized Tomographic Imaging", 3.3).
#[kernel(workgroup = [16, 16])]
fn back_projection(width: u32, detectors: u32, angles: &[[f32; 2]], projections: &[f32], slice: &mut [f32]) {
    let (px, py) = (global_id().x as usize, global_id().y as usize);
    let width = width as usize;
    if px >= width || py >= slice.len() / width {
        return;
    }
    let half = width as f32 / 2.0;
    let (x, y) = (px as f32 + 0.5 - half, py as f32 + 0.5 - half);
    let middle = detectors as f32 / 2.0;
    let mut sum = 0.0;
    for (&[cosine, sine], row) in angles.iter().zip(projections.chunks_exact(detectors as usize)) {
        if let Some(value) = between(row, x * cosine + y * sine + middle - 0.5) {
            sum += value;
        }
    }
    slice[py * width + px] = sum * std::f32::consts::PI / angles.len() as f32;
}

const BACK_PROJECTION: &str = r"
KERNEL {
    uint px = GLOBAL_X, py = GLOBAL_Y;
    if (px >= width || py >= height) return;
    float half_way = float(width) / 2.0f;
    float x = float(px) + 0.5f - half_way, y = float(py) + 0.5f - half_way;
    float middle = float(detectors) / 2.0f;
    float sum = 0.0f;
    for (uint k = 0u; k < angles_len; k++) {
        float at = x * angles[k].v[0] + y * angles[k].v[1] + middle - 0.5f;
        if (at < 0.0f) continue;
        float left = floor(at);
        float part = at - left;
        uint d = uint(left);
        if (d + 1u >= detectors) continue;
        sum += (1.0f - part) * projections[k * detectors + d] + part * projections[k * detectors + d + 1u];
    }
    slice[py * width + px] = sum * 3.14159265f / float(angles_len);
}
";

#[device]
mod volume {
    use gridwise::prelude::Vec3;

    /// A cube of densities.
    pub(crate) struct Volume<'a> {
        pub(crate) side: i32,
        pub(crate) voxels: &'a [u8],
    }

    impl Volume<'_> {
        fn at(&self, x: i32, y: i32, z: i32) -> f32 {
            let [x, y, z] = [x, y, z].map(|place| place.clamp(0, self.side - 1));
            f32::from(self.voxels[((z * self.side + y) * self.side + x) as usize]) / 255.0
        }

        /// The density at a place, by the eight voxels around it.
        pub(crate) fn density(&self, place: Vec3) -> f32 {
            let low = place.floor();
            let part = place - low;
            let (x, y, z) = (low.x as i32, low.y as i32, low.z as i32);
            let mix = |a: f32, b: f32, t: f32| a + t * (b - a);
            let line = |y: i32, z: i32| mix(self.at(x, y, z), self.at(x + 1, y, z), part.x);
            let plane = |z: i32| mix(line(y, z), line(y + 1, z), part.y);
            mix(plane(z), plane(z + 1), part.z)
        }
    }
}

use volume::Volume;

/// A picture of a volume: colors along a ray from front to back, until nothing behind is seen (Levoy, 1988 and 1990).
#[kernel(workgroup = [16, 16])]
fn volume_rays(width: u32, side: u32, camera: &[[f32; 4]], voxels: &[u8], colors: &[[f32; 4]], image: &mut [[f32; 4]]) {
    let (px, py) = (global_id().x, global_id().y);
    let at = (py * width + px) as usize;
    if px >= width || at >= image.len() {
        return;
    }
    let row = |k: usize| Vec3::new(camera[k][0], camera[k][1], camera[k][2]);
    let turned = |p: u32| (p as f32 + 0.5) / width as f32 - 0.5;
    let eye = row(3);
    let along = (row(0) * turned(px) + row(1) * turned(py) + row(2)).normalize();
    let most = (side - 1) as f32;
    let (mut near, mut far) = (0.0f32, f32::INFINITY);
    for (from, step) in [(eye.x, along.x), (eye.y, along.y), (eye.z, along.z)] {
        let (a, b) = (-from / step, (most - from) / step);
        near = near.max(a.min(b));
        far = far.min(a.max(b));
    }
    let volume = Volume { side: side as i32, voxels };
    let mut seen = [0.0f32; 3];
    let mut through = 1.0;
    let mut distance = near;
    while distance < far {
        let density = volume.density(eye + along * distance);
        let color = colors[(density * 255.0) as usize];
        for (sum, part) in seen.iter_mut().zip(color) {
            *sum += through * color[3] * part;
        }
        through *= 1.0 - color[3];
        if through < 0.02 {
            break;
        }
        distance += 1.0;
    }
    image[at] = [seen[0], seen[1], seen[2], 1.0 - through];
}

const VOLUME_RAYS: &str = r"
#define VOXEL(x, y, z) (float(uint(voxels[(min(max(z, 0), last) * int(side) + min(max(y, 0), last)) * int(side) + min(max(x, 0), last)])) / 255.0f)
DEVICE float blend(float a, float b, float t) { return a + t * (b - a); }
KERNEL {
    uint px = GLOBAL_X, py = GLOBAL_Y;
    if (px >= width || py >= height) return;
    float u = (float(px) + 0.5f) / float(width) - 0.5f, v = (float(py) + 0.5f) / float(width) - 0.5f;
    float eye[3], along[3];
    for (int k = 0; k < 3; k++) {
        eye[k] = camera[3].v[k];
        along[k] = camera[0].v[k] * u + camera[1].v[k] * v + camera[2].v[k];
    }
    float len = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
    float most = float(side - 1u), near_at = 0.0f, far_at = 1.0f / 0.0f;
    for (int k = 0; k < 3; k++) {
        along[k] /= len;
        float a = -eye[k] / along[k], b = (most - eye[k]) / along[k];
        near_at = max(near_at, min(a, b));
        far_at = min(far_at, max(a, b));
    }
    int last = int(side) - 1;
    float red = 0.0f, green = 0.0f, blue = 0.0f, through = 1.0f;
    for (float t = near_at; t < far_at; t += 1.0f) {
        float p = eye[0] + along[0] * t, q = eye[1] + along[1] * t, r = eye[2] + along[2] * t;
        float low_p = floor(p), low_q = floor(q), low_r = floor(r);
        int x = int(low_p), y = int(low_q), z = int(low_r);
        p -= low_p;
        q -= low_q;
        r -= low_r;
        float front = blend(blend(VOXEL(x, y, z), VOXEL(x + 1, y, z), p),
            blend(VOXEL(x, y + 1, z), VOXEL(x + 1, y + 1, z), p), q);
        float back = blend(blend(VOXEL(x, y, z + 1), VOXEL(x + 1, y, z + 1), p),
            blend(VOXEL(x, y + 1, z + 1), VOXEL(x + 1, y + 1, z + 1), p), q);
        f32x4 color = colors[uint(blend(front, back, r) * 255.0f)];
        red += through * color.v[3] * color.v[0];
        green += through * color.v[3] * color.v[1];
        blue += through * color.v[3] * color.v[2];
        through *= 1.0f - color.v[3];
        if (through < 0.02f) break;
    }
    uint at = py * width + px;
    image[at].v[0] = red;
    image[at].v[1] = green;
    image[at].v[2] = blue;
    image[at].v[3] = 1.0f - through;
}
";

/// Adds a picture of depths to the distances that voxels have from a surface (Curless and Levoy; KinectFusion, Newcombe et al., 2011).
#[kernel(workgroup = [32, 8])]
fn fuse_depths(
    side: u32,
    size: f32,
    truncation: f32,
    width: u32,
    camera: &[f32],
    depths: &[f32],
    voxels: &mut [[f32; 2]],
) {
    let (x, y, side) = (global_id().x as usize, global_id().y as usize, side as usize);
    if x >= side || y >= side {
        return;
    }
    let (width, height) = (width as i32, (depths.len() / width as usize) as i32);
    let (focal, middle) = ([camera[0], camera[1]], [camera[2], camera[3]]);
    let pose = &camera[4..16];
    for z in 0..side {
        let place = [x as f32 * size, y as f32 * size, z as f32 * size];
        let seen: [f32; 3] = std::array::from_fn(|row| {
            let m = &pose[4 * row..4 * row + 4];
            m[0] * place[0] + m[1] * place[1] + m[2] * place[2] + m[3]
        });
        if seen[2] <= 0.0 {
            continue;
        }
        let u = (focal[0] * seen[0] / seen[2] + middle[0] + 0.5).floor() as i32;
        let v = (focal[1] * seen[1] / seen[2] + middle[1] + 0.5).floor() as i32;
        if u < 0 || v < 0 || u >= width || v >= height {
            continue;
        }
        let depth = depths[(v * width + u) as usize];
        let distance = depth - seen[2];
        if depth == 0.0 || distance < -truncation {
            continue;
        }
        let voxel = &mut voxels[(z * side + y) * side + x];
        let [before, weight] = *voxel;
        *voxel = [(before * weight + (distance / truncation).min(1.0)) / (weight + 1.0), (weight + 1.0).min(64.0)];
    }
}

const FUSE_DEPTHS: &str = r"
KERNEL {
    uint x = GLOBAL_X, y = GLOBAL_Y;
    if (x >= side || y >= side) return;
    for (uint z = 0u; z < side; z++) {
        float p = float(x) * size, q = float(y) * size, r = float(z) * size;
        float seen[3];
        for (int k = 0; k < 3; k++) {
            seen[k] = camera[4 + 4 * k] * p + camera[5 + 4 * k] * q + camera[6 + 4 * k] * r + camera[7 + 4 * k];
        }
        if (seen[2] <= 0.0f) continue;
        int u = int(floor(camera[0] * seen[0] / seen[2] + camera[2] + 0.5f));
        int v = int(floor(camera[1] * seen[1] / seen[2] + camera[3] + 0.5f));
        if (u < 0 || v < 0 || u >= int(width) || v >= int(height)) continue;
        float depth = depths[v * int(width) + u];
        float far = depth - seen[2];
        if (depth == 0.0f || far < -truncation) continue;
        uint at = (z * side + y) * side + x;
        float before = voxels[at].v[0], weight = voxels[at].v[1];
        voxels[at].v[0] = (before * weight + min(far / truncation, 1.0f)) / (weight + 1.0f);
        voxels[at].v[1] = min(weight + 1.0f, 64.0f);
    }
}
";

/// A picture of ultrasound after one plane wave: echoes that receivers hear, delayed by their ways and added (delay and sum).
#[kernel(workgroup = [32, 8])]
fn ultrasound(width: u32, samples: u32, spacing: f32, opening: f32, echoes: &[i16], image: &mut [f32]) {
    let (column, row) = (global_id().x, global_id().y);
    let Some(pixel) = image.get_mut((row * width + column) as usize) else { return };
    if column >= width {
        return;
    }
    let receivers = echoes.chunks_exact(samples as usize);
    let middle = (echoes.len() / samples as usize - 1) as f32 / 2.0;
    let x = (column as f32 - (width - 1) as f32 / 2.0) * 0.5;
    let depth = (row + 1) as f32;
    let (mut sum, mut total) = (0.0, 0.0);
    for (receiver, heard) in receivers.enumerate() {
        let across = x - (receiver as f32 - middle) * spacing;
        let share = 2.0 * opening * across / depth;
        if share.abs() > 1.0 {
            continue;
        }
        let time = depth + (across * across + depth * depth).sqrt();
        let (before, part) = (time as usize, time.fract());
        let [Some(&a), Some(&b)] = [heard.get(before), heard.get(before + 1)] else { continue };
        let weight = 0.5 + 0.5 * (std::f32::consts::PI * share).cos();
        sum += weight * (f32::from(a) * (1.0 - part) + f32::from(b) * part);
        total += weight;
    }
    *pixel = if total > 0.0 { sum / total } else { 0.0 };
}

const ULTRASOUND: &str = r"
KERNEL {
    uint column = GLOBAL_X, row = GLOBAL_Y;
    if (column >= width || row >= height) return;
    float middle = float(receivers - 1u) / 2.0f;
    float x = (float(column) - float(width - 1u) / 2.0f) * 0.5f;
    float depth = float(row + 1u);
    float sum = 0.0f, total = 0.0f;
    for (uint receiver = 0u; receiver < receivers; receiver++) {
        float across = x - (float(receiver) - middle) * spacing;
        float share = 2.0f * opening * across / depth;
        if (abs(share) > 1.0f) continue;
        float time = depth + sqrt(across * across + depth * depth);
        uint before = uint(time);
        if (before + 1u >= samples) continue;
        float part = time - floor(time);
        float weight = 0.5f + 0.5f * cos(3.14159265f * share);
        float a = float(int(echoes[receiver * samples + before])), b = float(int(echoes[receiver * samples + before + 1u]));
        sum += weight * (a * (1.0f - part) + b * part);
        total += weight;
    }
    image[row * width + column] = total > 0.0f ? sum / total : 0.0f;
}
";

/// Densities that change slowly from place to place.
fn densities(side: usize) -> Vec<u8> {
    let wave = |place: usize, turns: f32| (place as f32 / side as f32 * turns).sin();
    let voxel = |at: usize| {
        let (x, y, z) = (at % side, at / side % side, at / side / side);
        let level = wave(x, 9.0) * wave(y, 7.0) + wave(z, 8.0) * wave(x, 5.0) + wave(y, 6.0) * wave(z, 11.0);
        (level * 60.0 + 90.0).clamp(0.0, 255.0) as u8
    };
    (0..side.pow(3)).map(voxel).collect()
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let (width, height) = if large { (512, 512) } else { (64, 64) };
    let (angles, detectors) = if large { (360, 640) } else { (24, 80) };
    let turns = (0..angles).map(|k| (k as f32 * std::f32::consts::PI / angles as f32).sin_cos());
    let side = if large { 128 } else { 24 };
    let middle = side as f32 / 2.0;
    let camera = vec![
        [0.8, 0.0, 0.6, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [-0.6, 0.02, 0.8, 0.0],
        [2.2 * middle, 0.97 * middle, -0.6 * middle, 0.0],
    ];
    let color = |k: i32| {
        let level = k as f32 / 255.0;
        [level, 1.0 - level, level * level, 0.3 * level * level]
    };
    let voxels: usize = if large { 256 } else { 24 };
    let depths = (0..width * height).map(|at| (at % width, at / width));
    let depth = |(x, y): (usize, usize)| 1.0 + 0.3 * (x as f32 * 0.02).sin() * (y as f32 * 0.03).cos();
    let focal = width as f32;
    let pose = [0.96, 0.0, 0.28, -0.6, 0.0, 1.0, 0.0, -0.5, -0.28, 0.0, 0.96, 0.7];
    let mut view = vec![focal, focal, width as f32 / 2.0, height as f32 / 2.0];
    view.extend(pose);
    let (receivers, samples) = if large { (128, 2048) } else { (16, 256) };
    vec![
        Workload::new::<BackProjection>("slice from projections", [width / 16, height / 16, 1], BACK_PROJECTION)
            .value("width", width as u32)
            .peer_value("height", height as u32)
            .value("detectors", detectors as u32)
            .peer_value("angles_len", angles as u32)
            .read::<[f32; 2]>("angles", turns.map(|(sine, cosine)| [cosine, sine]).collect())
            .read("projections", floats(angles * detectors))
            .write::<f32>("slice", width * height)
            .roughly(0.001),
        Workload::new::<VolumeRays>("rays through a volume", [width / 16, height / 16, 1], VOLUME_RAYS)
            .value("width", width as u32)
            .peer_value("height", height as u32)
            .value("side", side as u32)
            .read::<[f32; 4]>("camera", camera)
            .read("voxels", densities(side))
            .read::<[f32; 4]>("colors", (0..256).map(color).collect())
            .write::<[f32; 4]>("image", width * height)
            .roughly(0.02),
        Workload::new::<FuseDepths>("surfaces from depths", [voxels.div_ceil(32), voxels / 8, 1], FUSE_DEPTHS)
            .value("side", voxels as u32)
            .value("size", 1.0 / voxels as f32)
            .value("truncation", 0.05)
            .value("width", width as u32)
            .peer_value("height", height as u32)
            .read("camera", view)
            .read::<f32>("depths", depths.map(depth).collect())
            .update::<[f32; 2]>("voxels", vec![[1.0, 0.0]; voxels.pow(3)])
            .roughly(0.001),
        Workload::new::<Ultrasound>("ultrasound", [width / 32, 2 * height / 8, 1], ULTRASOUND)
            .value("width", width as u32)
            .peer_value("height", 2 * height as u32)
            .peer_value("receivers", receivers as u32)
            .value("samples", samples as u32)
            .value("spacing", 2.0)
            .value("opening", 1.2)
            .read("echoes", words(receivers * samples).into_iter().map(|word| word as i16).collect::<Vec<i16>>())
            .write::<f32>("image", 2 * width * height)
            .roughly(0.001),
    ]
}
