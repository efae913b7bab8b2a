//! Kernels as people write them who come from CUDA or WGSL, one invocation for each result: filters of images, noise, rays, text. Each
//! function also stands in a module that only rustc compiles.

#![allow(clippy::needless_range_loop, clippy::too_many_arguments, reason = "written as for a kernel")]

use gridwise::prelude::*;
use std::f32::consts::{PI, TAU};

use super::{both, case};
use crate::case::{Case, Output, patterns};

const WIDTH: usize = 40;
const HEIGHT: usize = 24;

fn picture() -> Vec<u32> {
    patterns(WIDTH * HEIGHT, 81)
}

both!(filter, plain_filter, {
    use gridwise::prelude::*;

    const GAUSS: [[f32; 5]; 5] = [
        [1.0, 4.0, 7.0, 4.0, 1.0],
        [4.0, 16.0, 26.0, 16.0, 4.0],
        [7.0, 26.0, 41.0, 26.0, 7.0],
        [4.0, 16.0, 26.0, 16.0, 4.0],
        [1.0, 4.0, 7.0, 4.0, 1.0],
    ];

    fn unpack(p: u32) -> Vec4 {
        let [r, g, b, a] = p.to_le_bytes();
        vec4(r as f32, g as f32, b as f32, a as f32) / 256.0
    }

    /// Weighed by distance, at the border with the nearest pixel again.
    pub(super) fn blurred(src: &[u32], x: u32, y: u32, width: u32, height: u32) -> Vec4 {
        let mut sum = Vec4::ZERO;
        for (dy, row) in GAUSS.iter().enumerate() {
            for (dx, w) in row.iter().enumerate() {
                let sx = (x as i32 + dx as i32 - 2).clamp(0, width as i32 - 1) as u32;
                let sy = (y as i32 + dy as i32 - 2).clamp(0, height as i32 - 1) as u32;
                sum += unpack(src[(sy * width + sx) as usize]) * *w;
            }
        }
        sum / 256.0
    }

    /// How much changes at a pixel.
    pub(super) fn edge(src: &[u32], id: UVec2, size: UVec2) -> f32 {
        let at = |dx: i32, dy: i32| {
            let p = (id.as_ivec2() + ivec2(dx, dy)).clamp(IVec2::ZERO, size.as_ivec2() - 1);
            unpack(src[(p.y as u32 * size.x + p.x as u32) as usize]).truncate().dot(vec3(0.25, 0.5, 0.125))
        };
        let gx = at(1, -1) + 2.0 * at(1, 0) + at(1, 1) - at(-1, -1) - 2.0 * at(-1, 0) - at(-1, 1);
        let gy = at(-1, 1) + 2.0 * at(0, 1) + at(1, 1) - at(-1, -1) - 2.0 * at(0, -1) - at(1, -1);
        gx.abs() + gy.abs()
    }

    /// The one in the middle of those around a pixel, in their order.
    pub(super) fn median(src: &[u32], x: usize, y: usize, width: usize, height: usize) -> u32 {
        let rows = y.saturating_sub(1)..(y + 2).min(height);
        let columns = x.saturating_sub(1)..=(x + 1).min(width - 1);
        let mut window = [0u8; 9];
        let mut n = 0;
        for yy in rows {
            for xx in columns.clone() {
                window[n] = src[yy * width + xx] as u8;
                n += 1;
            }
        }
        for a in 1..n {
            let mut b = a;
            while b > 0 && window[b - 1] > window[b] {
                window.swap(b - 1, b);
                b -= 1;
            }
        }
        window[n / 2] as u32
    }
});

#[kernel(workgroup = [8, 8])]
fn filter_picture(src: &[u32], soft: &mut [Vec4], edges: &mut [f32], middles: &mut [u32], width: u32, height: u32) {
    let (x, y) = (global_id().x, global_id().y);
    if x >= width || y >= height {
        return;
    }
    let i = (y * width + x) as usize;
    soft[i] = filter::blurred(src, x, y, width, height);
    edges[i] = filter::edge(src, uvec2(x, y), uvec2(width, height));
    middles[i] = filter::median(src, x as usize, y as usize, width as usize, height as usize);
}

fn expected_filters() -> Vec<Output> {
    let src = picture();
    let size = UVec2::new(WIDTH as u32, HEIGHT as u32);
    let places: Vec<_> = (0..HEIGHT as u32).flat_map(|y| (0..WIDTH as u32).map(move |x| UVec2::new(x, y))).collect();
    let soft = places.iter().flat_map(|p| plain_filter::blurred(&src, p.x, p.y, size.x, size.y).to_array());
    let edges = places.iter().map(|p| plain_filter::edge(&src, *p, size));
    let middles = places.iter().map(|p| plain_filter::median(&src, p.x as usize, p.y as usize, WIDTH, HEIGHT));
    vec![Output::exact(soft.collect()), Output::exact(edges.collect()), Output::U32(middles.collect())]
}

both!(noise, plain_noise, {
    use gridwise::prelude::*;

    const PERM: [u8; 16] = [151, 160, 137, 91, 90, 15, 131, 13, 201, 95, 96, 53, 194, 233, 7, 225];

    fn fade(t: f32) -> f32 {
        t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
    }

    fn lerp(a: f32, b: f32, t: f32) -> f32 {
        a + t * (b - a)
    }

    fn grad(hash: u8, p: Vec3) -> f32 {
        let h = hash & 15;
        let u = if h < 8 { p.x } else { p.y };
        let v = match h {
            0..4 => p.y,
            12 | 14 => p.x,
            _ => p.z,
        };
        (if h & 1 == 0 { u } else { -u }) + (if h & 2 == 0 { v } else { -v })
    }

    fn perm(i: i32) -> i32 {
        PERM[(i & 15) as usize] as i32
    }

    fn noise(p: Vec3) -> f32 {
        let cell = p.floor();
        let (x, y, z) = (cell.x as i32 & 255, cell.y as i32 & 255, cell.z as i32 & 255);
        let f = p - cell;
        let (u, v, w) = (fade(f.x), fade(f.y), fade(f.z));
        let corner = |dx: i32, dy: i32, dz: i32| {
            let hash = perm(perm(perm(x + dx) + y + dy) + z + dz);
            grad(hash as u8, f - ivec3(dx, dy, dz).as_vec3())
        };
        let along_x = |dy: i32, dz: i32| lerp(corner(0, dy, dz), corner(1, dy, dz), u);
        lerp(lerp(along_x(0, 0), along_x(1, 0), v), lerp(along_x(0, 1), along_x(1, 1), v), w)
    }

    /// Noise of several sizes.
    pub(super) fn layers(x: u32, y: u32, octaves: u32) -> f32 {
        let mut p = vec3(x as f32, y as f32, 0.5) * 0.0625;
        let (mut sum, mut amplitude) = (0.0, 0.5);
        for _ in 0..octaves {
            sum += amplitude * noise(p).abs();
            p *= 2.0;
            amplitude *= 0.5;
        }
        sum
    }
});

#[kernel(workgroup = [8, 8])]
fn paint_noise(out: &mut [f32], width: u32, octaves: u32) {
    let id = global_id();
    if id.x < width && id.y < out.len() as u32 / width {
        out[id.y * width + id.x] = noise::layers(id.x, id.y, octaves);
    }
}

fn expected_noise() -> Vec<Output> {
    let at = |i: usize| plain_noise::layers((i % WIDTH) as u32, (i / WIDTH) as u32, 4);
    vec![Output::near((0..WIDTH * HEIGHT).map(at).collect(), 1e-6)]
}

both!(scene, plain_scene, {
    use gridwise::prelude::*;

    #[derive(Clone, Copy)]
    pub(super) struct Ray {
        pub(super) origin: Vec3,
        pub(super) dir: Vec3,
    }

    impl Ray {
        pub(super) fn at(&self, t: f32) -> Vec3 {
            self.origin + t * self.dir
        }
    }

    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum Material {
        Diffuse(Vec3),
        Mirror { tint: Vec3 },
        Light(f32),
    }

    #[derive(Clone, Copy)]
    pub(super) struct Hit {
        pub(super) t: f32,
        pub(super) normal: Vec3,
        pub(super) material: Material,
    }

    #[derive(Clone, Copy)]
    pub(super) struct Sphere {
        center: Vec3,
        radius: f32,
        material: Material,
    }

    #[derive(Clone, Copy)]
    pub(super) struct Floor(f32);

    pub(super) trait Hittable {
        fn hit(&self, ray: &Ray, t_min: f32, t_max: f32) -> Option<Hit>;
    }

    impl Hittable for Sphere {
        fn hit(&self, ray: &Ray, t_min: f32, t_max: f32) -> Option<Hit> {
            let oc = ray.origin - self.center;
            let a = ray.dir.dot(ray.dir);
            let half_b = oc.dot(ray.dir);
            let c = oc.length_squared() - self.radius * self.radius;
            let disc = half_b * half_b - a * c;
            if disc < 0.0 {
                return None;
            }
            let near = t_min..t_max;
            let mut root = (-half_b - disc.sqrt()) / a;
            if !near.contains(&root) {
                root = (-half_b + disc.sqrt()) / a;
                if !near.contains(&root) {
                    return None;
                }
            }
            let normal = (ray.at(root) - self.center) / self.radius;
            Some(Hit { t: root, normal, material: self.material })
        }
    }

    impl Hittable for Floor {
        fn hit(&self, ray: &Ray, t_min: f32, t_max: f32) -> Option<Hit> {
            let t = (self.0 - ray.origin.y) / ray.dir.y;
            let p = ray.at(t);
            let is_dark = (p.x.floor() as i32 + p.z.floor() as i32) & 1 == 0;
            let material = Material::Diffuse(Vec3::splat(if is_dark { 0.25 } else { 0.75 }));
            (t_min < t && t < t_max && p.length_squared() < 400.0).then_some(Hit { t, normal: Vec3::Y, material })
        }
    }

    const SPHERES: [Sphere; 3] = [
        Sphere { center: vec3(0.0, 0.0, -1.0), radius: 0.5, material: Material::Diffuse(vec3(0.75, 0.25, 0.25)) },
        Sphere {
            center: vec3(1.0, 0.25, -1.5),
            radius: 0.75,
            material: Material::Mirror { tint: vec3(0.75, 0.75, 0.5) },
        },
        Sphere { center: vec3(-1.0, 1.5, -0.5), radius: 0.5, material: Material::Light(3.0) },
    ];

    fn closest(ray: &Ray) -> Option<Hit> {
        let mut best = Floor(-0.5).hit(ray, 1e-3, f32::MAX);
        for sphere in &SPHERES {
            let limit = best.map_or(f32::INFINITY, |hit| hit.t);
            if let Some(hit) = sphere.hit(ray, 1e-3, limit) {
                best = Some(hit);
            }
        }
        best
    }

    /// The light that comes along a ray.
    pub(super) fn trace(x: f32, y: f32) -> Vec3 {
        let mut ray = Ray { origin: vec3(0.0, 0.0, 2.0), dir: vec3(x, y, -1.5) };
        let mut color = Vec3::ZERO;
        let mut through = Vec3::ONE;
        for _bounce in 0..3 {
            match closest(&ray) {
                None => {
                    color += through * Vec3::ONE.lerp(vec3(0.5, 0.75, 1.0), 0.5 * (ray.dir.y + 1.0));
                    break;
                }
                Some(Hit { material: Material::Light(power), .. }) => {
                    color += through * power;
                    break;
                }
                Some(Hit { t, normal, material }) => {
                    let origin = ray.at(t);
                    match material {
                        Material::Diffuse(albedo) => {
                            through *= albedo * 0.5;
                            ray = Ray { origin, dir: normal + vec3(0.25, 0.5, 0.125) };
                        }
                        Material::Mirror { tint } => {
                            through *= tint;
                            ray = Ray { origin, dir: ray.dir - 2.0 * ray.dir.dot(normal) * normal };
                        }
                        Material::Light(_) => unreachable!(),
                    }
                }
            }
        }
        color
    }
});

#[kernel(workgroup = [8, 8])]
fn render(out: &mut [Vec3], width: u32, height: u32) {
    let (x, y) = (global_id().x, global_id().y);
    if x >= width || y >= height {
        return;
    }
    let uv = vec2(x as f32 + 0.5, y as f32 + 0.5) / vec2(width as f32, height as f32) * 2.0 - 1.0;
    out[(y * width + x) as usize] = scene::trace(uv.x, -uv.y);
}

fn expected_render() -> Vec<Output> {
    let size = Vec2::new(32.0, 32.0);
    let at = |i: u32| {
        let uv = Vec2::new((i % 32) as f32 + 0.5, (i / 32) as f32 + 0.5) / size * 2.0 - 1.0;
        plain_scene::trace(uv.x, -uv.y).to_array()
    };
    vec![Output::near((0..1024).flat_map(at).collect(), 1e-4)]
}

both!(words, plain_words, {
    /// The first position of a word, by a table of its own repetitions.
    pub(super) fn find(text: &[u8], word: &[u8]) -> Option<usize> {
        let mut fail = [0usize; 16];
        let mut k = 0;
        for i in 1..word.len() {
            while k > 0 && word[i] != word[k] {
                k = fail[k - 1];
            }
            if word[i] == word[k] {
                k += 1;
            }
            fail[i] = k;
        }
        let mut q = 0;
        for (i, &c) in text.iter().enumerate() {
            while q > 0 && word[q] != c {
                q = fail[q - 1];
            }
            if word[q] == c {
                q += 1;
            }
            if q == word.len() {
                return Some(i + 1 - q);
            }
        }
        None
    }

    /// Words between spaces.
    pub(super) fn count(text: &[u8]) -> u32 {
        let mut words = 0;
        let mut inside = false;
        for &c in text {
            let is_space = matches!(c, b' ' | b'\t' | b'\n');
            if !is_space && !inside {
                words += 1;
            }
            inside = !is_space;
        }
        words
    }
});

#[kernel(workgroup = 32)]
fn search_lines(text: &[u8], starts: &[u32], word: &[u8], at: &mut [i32], counts: &mut [u32]) {
    let line = global_id().x as usize;
    let range = starts[line] as usize..starts[line + 1] as usize;
    let text = &text[range.clone()];
    at[line] = match words::find(text, word) {
        Some(at) => (range.start + at) as i32,
        None => -1,
    };
    counts[line] = words::count(text);
}

const LINES: &str = "the cat and the catalogue\nno such\n\n  a  scatter of cats  \nccacat\nct";

fn starts() -> Vec<u32> {
    let ends = LINES.bytes().enumerate().filter(|(_, c)| *c == b'\n').map(|(at, _)| at as u32 + 1);
    std::iter::once(0).chain(ends).chain([LINES.len() as u32]).collect()
}

fn expected_search() -> Vec<Output> {
    let starts = starts();
    let lines: Vec<_> = starts.windows(2).map(|w| &LINES.as_bytes()[w[0] as usize..w[1] as usize]).collect();
    let found = lines
        .iter()
        .zip(&starts)
        .map(|(line, start)| plain_words::find(line, b"cat").map_or(-1, |at| at as i32 + *start as i32));
    let counts = lines.iter().map(|line| plain_words::count(line));
    vec![Output::I32(found.collect()), Output::U32(counts.collect())]
}

both!(top, plain_top, {
    #[derive(Clone, Copy)]
    pub(super) struct Top<const K: usize> {
        items: [(f32, u32); K],
        len: usize,
    }

    impl<const K: usize> Default for Top<K> {
        fn default() -> Self {
            Self { items: [(f32::NEG_INFINITY, u32::MAX); K], len: 0 }
        }
    }

    impl<const K: usize> Top<K> {
        pub(super) fn push(&mut self, score: f32, index: u32) {
            if score <= self.items[K - 1].0 {
                return;
            }
            let mut at = K - 1;
            while at > 0 && self.items[at - 1].0 < score {
                self.items[at] = self.items[at - 1];
                at -= 1;
            }
            self.items[at] = (score, index);
            self.len = (self.len + 1).min(K);
        }

        pub(super) fn get(&self, i: usize) -> Option<(f32, u32)> {
            if i < self.len { Some(self.items[i]) } else { None }
        }
    }

    /// The positions of the largest scores, the largest first.
    pub(super) fn best(scores: &[f32]) -> [u32; 8] {
        let mut top = Top::<8>::default();
        for (i, &score) in scores.iter().enumerate() {
            top.push(score, i as u32);
        }
        core::array::from_fn(|k| top.get(k).map_or(u32::MAX, |(_, index)| index))
    }
});

#[kernel(workgroup = 32)]
fn best_of_rows(scores: &[f32], best: &mut [[u32; 8]], per_row: u32) {
    let row = global_id().x as usize;
    let start = row * per_row as usize;
    best[row] = top::best(&scores[start..][..per_row as usize]);
}

fn scores() -> Vec<f32> {
    patterns(37 * 40, 83).into_iter().map(|bits| (bits % 91) as f32 - 45.0).collect()
}

/// Points around a circle: names that the module imports are what they are in Rust.
#[kernel(workgroup = 64)]
fn circle(points: &mut [Vec2]) {
    let i = global_id().x as usize;
    let turn = TAU * i as f32 / points.len() as f32;
    points[i] = vec2((turn - PI).sin(), turn.cos());
}

fn expected_circle() -> Vec<Output> {
    let at = |i: usize| TAU * i as f32 / 100.0;
    vec![Output::near((0..100).flat_map(|i| [(at(i) - PI).sin(), at(i).cos()]).collect(), 4e-6)]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "workloads::filters",
        [FilterPicture],
        |mgr| {
            let src = mgr.tensor(&picture())?;
            let (mut soft, mut edges) = (mgr.tensor_of_len::<Vec4>(src.len())?, mgr.tensor_of_len::<f32>(src.len())?);
            let (mut middles, seq) = (mgr.tensor_of_len::<u32>(src.len())?, mgr.sequence()?);
            let (width, height) = (WIDTH as u32, HEIGHT as u32);
            FilterPicture::dispatch(
                &seq,
                Grid::items([WIDTH, HEIGHT]),
                &src,
                &mut soft,
                &mut edges,
                &mut middles,
                width,
                height,
            )?;
            seq.eval()?;
            let soft = soft.to_vec()?.iter().flat_map(Vec4::to_array).collect();
            Ok(vec![Output::exact(soft), Output::exact(edges.to_vec()?), Output::U32(middles.to_vec()?)])
        },
        expected_filters
    ),
    case!(
        "workloads::noise",
        [PaintNoise],
        |mgr| {
            let (mut out, seq) = (mgr.tensor_of_len::<f32>(WIDTH * HEIGHT)?, mgr.sequence()?);
            PaintNoise::dispatch(&seq, Grid::items([WIDTH, HEIGHT]), &mut out, WIDTH as u32, 4)?;
            seq.eval()?;
            Ok(vec![Output::near(out.to_vec()?, 1e-6)])
        },
        expected_noise
    ),
    case!(
        "workloads::rays",
        [Render],
        |mgr| {
            let (mut out, seq) = (mgr.tensor_of_len::<Vec3>(1024)?, mgr.sequence()?);
            Render::dispatch(&seq, Grid::items([32, 32]), &mut out, 32, 32)?;
            seq.eval()?;
            Ok(vec![Output::near(out.to_vec()?.iter().flat_map(Vec3::to_array).collect(), 1e-4)])
        },
        expected_render
    ),
    case!(
        "workloads::search",
        [SearchLines],
        |mgr| {
            let (text, starts, word) = (mgr.tensor(LINES.as_bytes())?, mgr.tensor(&starts())?, mgr.tensor(b"cat")?);
            let count = starts.len() - 1;
            let (mut at, mut counts) = (mgr.tensor_of_len::<i32>(count)?, mgr.tensor_of_len::<u32>(count)?);
            let seq = mgr.sequence()?;
            SearchLines::dispatch(&seq, Grid::items(count), &text, &starts, &word, &mut at, &mut counts)?;
            seq.eval()?;
            Ok(vec![Output::I32(at.to_vec()?), Output::U32(counts.to_vec()?)])
        },
        expected_search
    ),
    case!(
        "workloads::best",
        [BestOfRows],
        |mgr| {
            let (scores, mut best) = (mgr.tensor(&scores())?, mgr.tensor(&[[0u32; 8]; 40])?);
            let seq = mgr.sequence()?;
            BestOfRows::dispatch(&seq, Grid::items(40), &scores, &mut best, 37)?;
            seq.eval()?;
            Ok(vec![Output::U32(best.to_vec()?.concat())])
        },
        || vec![Output::U32(scores().chunks(37).flat_map(plain_top::best).collect())]
    ),
    case!(
        "workloads::circle",
        [Circle],
        |mgr| {
            let (mut points, seq) = (mgr.tensor_of_len::<Vec2>(100)?, mgr.sequence()?);
            Circle::dispatch(&seq, Grid::items(100), &mut points)?;
            seq.eval()?;
            Ok(vec![Output::near(points.to_vec()?.iter().flat_map(Vec2::to_array).collect(), 4e-6)])
        },
        expected_circle
    ),
];
