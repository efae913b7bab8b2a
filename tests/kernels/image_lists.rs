//! Lists of images: how many there are and which one is read, an invocation decides.

use gridwise::Error;
use gridwise::image::*;
use gridwise::ops::OpGenerateLevels;
use gridwise::prelude::*;

use super::case;
use super::traps::report;
use crate::case::{Case, Output};

const WIDTH: u32 = 9;
const HEIGHT: u32 = 5;
const TEXELS: usize = (WIDTH * HEIGHT) as usize;

/// Texels of the image with this number: none is like another.
fn texels(number: u32, count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| (i + 1000 * number).wrapping_mul(0x9e37_79b9) ^ i >> 2).collect()
}

fn planes(mgr: &Manager, count: u32) -> gridwise::Result<Vec<Image<R32Uint, 2>>> {
    let plane = |number| {
        let mut image = mgr.image_2d::<R32Uint>(WIDTH, HEIGHT)?;
        image.write(&texels(number, TEXELS))?;
        Ok(image)
    };
    (0..count).map(plane).collect()
}

/// Each invocation an image of its own choice, neighbours different ones.
#[kernel(workgroup = 32)]
fn pick(planes: &[&Image2D<R32Uint>], choices: &[u32], to: &mut [u32]) {
    let i = global_id().x;
    let k = choices[i] as usize;
    let size = planes[k].size();
    let at = uvec2(i % size.x, i / size.x % size.y);
    to[i] = planes[k].load(at) ^ (planes.len() as u32) << 8;
}

fn choices(count: u32) -> Vec<u32> {
    (0..100u32).map(|i| i.wrapping_mul(7) % count).collect()
}

fn run_pick(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut outputs = Vec::new();
    // As few as there can be, and more than lists have room for unasked.
    for count in [1, 3, 8, 9, 40] {
        let images = planes(mgr, count)?;
        let listed: Vec<_> = images.iter().collect();
        let (choices, mut to) = (mgr.tensor(&choices(count))?, mgr.tensor(&[0u32; 100])?);
        let seq = mgr.sequence()?;
        Pick::dispatch(&seq, Grid::items(100), &listed, &choices, &mut to)?;
        seq.eval()?;
        outputs.push(Output::U32(to.to_vec()?));
    }
    Ok(outputs)
}

fn expected_pick() -> Vec<Output> {
    let of = |count: u32| {
        let picked = choices(count).into_iter().zip(0..);
        picked.map(|(k, i)| texels(k, TEXELS)[i as usize % TEXELS] ^ count << 8).collect()
    };
    [1, 3, 8, 9, 40].map(|count| Output::U32(of(count))).to_vec()
}

/// All invocations through all images, which are of different sizes; also where there are none, and with one image several times.
#[kernel(workgroup = [8, 8])]
fn stack<const BIAS: u32>(layers: &[&Image2D<Rgba8Unorm>], masks: &[&Image2D<R32Uint>], to: &mut [Vec4]) {
    let at = global_id().xy();
    if at.x >= 9 || at.y >= 5 {
        return;
    }
    let mut sum = Vec4::splat(BIAS as f32);
    for k in 0..layers.len() {
        let size = layers[k].size();
        if at.x < size.x && at.y < size.y {
            let is_masked = k < masks.len() && masks[k].load(at) & 1 == 1;
            if !is_masked {
                sum += layers[k].load(at);
            }
        }
    }
    to[at.y * 9 + at.x] = sum;
}

const SIZES: [(u32, u32); 4] = [(9, 5), (4, 2), (1, 9), (16, 3)];

fn run_stack(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut layers = Vec::new();
    for ((width, height), number) in SIZES.into_iter().zip(0..) {
        let mut layer = mgr.image_2d::<Rgba8Unorm>(width, height)?;
        let raw = texels(number, (width * height) as usize).into_iter().map(u32::to_le_bytes);
        layer.write(&raw.collect::<Vec<_>>())?;
        layers.push(layer);
    }
    let masks = planes(mgr, 2)?;
    let order = [&layers[0], &layers[1], &layers[2], &layers[3], &layers[1]];
    let mut sums = Vec::new();
    for (listed, masked) in [(&order[..], &[&masks[0], &masks[1]][..]), (&order[..0], &[&masks[1]]), (&order[2..], &[])]
    {
        let mut to = mgr.tensor(&[Vec4::ZERO; TEXELS])?;
        let seq = mgr.sequence()?;
        Stack::<2>::dispatch(&seq, Grid::items((WIDTH, HEIGHT)), listed, masked, &mut to)?;
        seq.eval()?;
        sums.push(Output::ulp(to.to_vec()?.into_iter().flat_map(|texel| texel.to_array()).collect(), 8));
    }
    Ok(sums)
}

fn expected_stack() -> Vec<Output> {
    let order = [0usize, 1, 2, 3, 1];
    let sums = |listed: &[usize], masks: &[u32]| {
        let mut sums = vec![2.0f32; 4 * TEXELS];
        for (k, layer) in listed.iter().enumerate() {
            let (width, height) = SIZES[*layer];
            let raw = texels(*layer as u32, (width * height) as usize);
            for (x, y) in (0..height.min(HEIGHT)).flat_map(|y| (0..width.min(WIDTH)).map(move |x| (x, y))) {
                let place = (y * WIDTH + x) as usize;
                if masks.get(k).is_some_and(|mask| texels(*mask, TEXELS)[place] & 1 == 1) {
                    continue;
                }
                let bytes = raw[(y * width + x) as usize].to_le_bytes();
                (0..4).for_each(|lane| sums[4 * place + lane] += f32::from(bytes[lane]) / 255.0);
            }
        }
        Output::ulp(sums, 8)
    };
    vec![sums(&order, &[0, 1]), sums(&[], &[1]), sums(&order[2..], &[])]
}

/// Of one and of three dimensions, of other formats, beside a single image that is stored to.
#[kernel(workgroup = 4)]
fn lines(rows: &[&Image1D<Rg16Sint>], cubes: &[&Image3D<R32Float>], to: &mut Image1D<R32Sint>) {
    let i = global_id().x;
    let row = rows[i % rows.len() as u32].load(i % 5);
    let cube = (i + 1) % cubes.len() as u32;
    let size = cubes[cube].size();
    let texel = cubes[cube].load(uvec3(i % size.x, i / 2 % size.y, i / 4 % size.z));
    to.store(i, row.x * 1000 + row.y + texel as i32);
}

fn run_lines(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let row = |number: i16| {
        let mut row = mgr.image_1d::<Rg16Sint>(5)?;
        row.write(&[0, 1, 2, 3, 4].map(|x| [x + 10 * number, -x]))?;
        Ok(row)
    };
    let rows = [row(0)?, row(1)?, row(2)?];
    let cube = |sides: [u32; 3]| {
        let mut cube = mgr.image_3d::<R32Float>(sides[0], sides[1], sides[2])?;
        cube.write(&(0..sides.iter().product()).map(|i: u32| (i * 100_000) as f32).collect::<Vec<_>>())?;
        Ok(cube)
    };
    let cubes = [cube([2, 2, 2])?, cube([3, 1, 4])?];
    let mut to = mgr.image_1d::<R32Sint>(20)?;
    let seq = mgr.sequence()?;
    let [a, b, c] = rows.each_ref();
    Lines::dispatch(&seq, Grid::items(20), &[a, b, c], &[&cubes[0], &cubes[1]], &mut to)?;
    seq.eval()?;
    Ok(vec![Output::I32(to.to_vec()?)])
}

fn expected_lines() -> Vec<Output> {
    let at = |i: i32| {
        let (x, number) = (i % 5, i % 3);
        let [width, height, depth] = [[2, 2, 2], [3, 1, 4]][(i as usize + 1) % 2];
        let texel = ((i / 4 % depth) * height + i / 2 % height) * width + i % width;
        (x + 10 * number) * 1000 - x + texel * 100_000
    };
    vec![Output::I32((0..20).map(at).collect())]
}

/// With samplers of their own.
#[kernel(workgroup = 16)]
fn textures(all: &[&Sampled2D<R32Float>], words: &[&Sampled1D<R32Uint>], to: &mut [f32], counts: &mut [u32]) {
    let i = global_id().x;
    let k = i % all.len() as u32;
    let place = vec2((i % 4) as f32 / 4.0 + 0.125, (i / 4 % 4) as f32 / 4.0 + 1.125);
    to[2 * i] = all[k].sample(place);
    to[2 * i + 1] = all[k].sample_level(place, 1.0) + all[k].fetch(uvec2(1, 0), 1);
    let w = i % words.len() as u32;
    counts[i] = words[w].fetch(i % 3, 0) + words[w].size() * 100 + all[k].levels() * 1000 + all[k].size().x * 10_000;
}

fn run_textures(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let desc = ImageDesc { name: "texture", extent: [4, 4], levels: Levels::All };
    let mut image = mgr.image_with::<R32Float, 2>(desc)?;
    image.write(&(1..=16).map(|i| i as f32 * 4.0).collect::<Vec<_>>())?;
    let seq = mgr.sequence()?;
    seq.record(OpGenerateLevels::new(&mut image))?.eval()?;
    let nearest = |edge| Sampler { filter: Filter::Nearest, levels: Filter::Nearest, edge };
    let samplers = [Edge::Clamp, Edge::Repeat, Edge::Zero].map(nearest);
    let [clamp, repeat, zero] = [0, 1, 2].map(|k| image.sampled(samplers[k]));
    let (clamp, repeat, zero) = (clamp?, repeat?, zero?);
    let mut lines = [mgr.image_1d::<R32Uint>(3)?, mgr.image_1d::<R32Uint>(6)?];
    lines[0].write(&[1, 2, 3])?;
    lines[1].write(&[11, 12, 13, 14, 15, 16])?;
    let words = [lines[0].sampled(Sampler::default())?, lines[1].sampled(Sampler::default())?];
    let (mut to, mut counts) = (mgr.tensor(&[0f32; 96])?, mgr.tensor(&[0u32; 48])?);
    let seq = mgr.sequence()?;
    let listed = [&clamp, &repeat, &zero];
    Textures::dispatch(&seq, Grid::items(48), &listed, &[&words[0], &words[1]], &mut to, &mut counts)?;
    seq.eval()?;
    Ok(vec![Output::exact(to.to_vec()?), Output::U32(counts.to_vec()?)])
}

fn expected_textures() -> Vec<Output> {
    let whole = |x: usize, y: usize| (4 * y + x + 1) as f32 * 4.0;
    let half = |x: usize, y: usize| {
        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| whole(2 * x + dx, 2 * y + dy));
        corners.iter().sum::<f32>() / 4.0
    };
    let mut to = Vec::new();
    for i in 0..48usize {
        // A whole image below the image itself.
        let (x, y) = (i % 4, i / 4 % 4);
        let [sampled, level] = match i % 3 {
            0 => [whole(x, 3), half(x / 2, 1)],
            1 => [whole(x, y), half(x / 2, y / 2)],
            _ => [0.0, 0.0],
        };
        to.extend([sampled, level + half(1, 0)]);
    }
    let count = |i: u32| (1 + 10 * (i % 2) + i % 3) + (3 + 3 * (i % 2)) * 100 + 3000 + 40_000;
    vec![Output::exact(to), Output::U32((0..48).map(count).collect())]
}

/// Positions behind the end of a list, and of an image of one.
#[kernel(workgroup = 8)]
fn beyond(
    planes: &[&Image2D<R32Uint>],
    textures: &[&Sampled2D<R32Float>],
    k: u32,
    x: u32,
    to: &mut [u32],
    float: &mut [f32],
) {
    let i = global_id().x;
    to[i] = planes[k].load(uvec2(x, i)) + planes[k].size().x;
    float[i] = textures[k].sample(vec2(0.5, 0.5));
}

fn run_beyond(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let planes = planes(mgr, 2)?;
    let mut image = mgr.image_2d::<R32Float>(1, 1)?;
    image.write(&[2.5])?;
    let texture = image.sampled(Sampler::default())?;
    let (some, none) = ([&planes[0], &planes[1]], [&planes[0]; 0]);
    let (one, two) = ([&texture], [&texture, &texture]);
    let mut outputs = Vec::new();
    let launches = [
        (&some[..], &two[..], 1, 0),
        (&some, &two, 1, 9),
        (&some, &one, 1, 0),
        (&none, &two, 0, 0),
        (&some, &two, 77, 0),
    ];
    for (planes, textures, k, x) in launches {
        let (mut to, mut float) = (mgr.tensor(&[7u32; 2])?, mgr.tensor(&[7f32; 2])?);
        let seq = mgr.sequence()?;
        Beyond::dispatch(&seq, Grid::items(2), planes, textures, k, x, &mut to, &mut float)?;
        outputs.push(report(&seq)?);
        outputs.extend([Output::U32(to.to_vec()?), Output::exact(float.to_vec()?)]);
    }
    Ok(outputs)
}

/// One mistake each: behind the end of a list, or of an image of one.
#[kernel(workgroup = 1)]
fn mistaken(
    planes: &[&Image2D<R32Uint>],
    textures: &[&Sampled2D<R32Float>],
    what: u32,
    k: u32,
    x: u32,
    to: &mut [u32],
) {
    let at = uvec2(x, 0);
    to[0] = match what {
        0 => planes[k].load(at),
        1 => textures[k].fetch(at, 0) as u32,
        2 => planes[k].size().x,
        3 => textures[k].sample(vec2(0.5, 0.5)) as u32,
        _ => textures[k].levels(),
    };
}

/// How often a launch of a `mistaken` says that it panicked.
fn run_mistaken(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let planes = planes(mgr, 1)?;
    let texture = mgr.image_2d::<R32Float>(1, 1)?.sampled(Sampler::default())?;
    let mut counts = Vec::new();
    for what in 0..5 {
        for (k, x) in [(0, 0), (0, 99), (1, 0), (9, 99)] {
            let mut to = mgr.tensor(&[7u32])?;
            let seq = mgr.sequence()?;
            Mistaken::dispatch(&seq, Grid::items(1), &[&planes[0]], &[&texture], what, k, x, &mut to)?;
            counts.push(match seq.eval() {
                Ok(()) => 0,
                Err(Error::KernelPanic { count, .. }) => count,
                Err(error) => return Err(error),
            });
        }
    }
    Ok(vec![Output::U32(counts)])
}

fn expected_mistaken() -> Vec<Output> {
    let [texel, rest] = [[0, 1, 1, 1], [0, 0, 1, 1]];
    vec![Output::U32([texel, texel, rest, rest, rest].concat())]
}

/// Images that operations before write, in one sequence and without a word about it.
#[kernel(workgroup = 8)]
fn draw(seed: u32, to: &mut Image1D<R32Uint>) {
    let i = global_id().x;
    to.store(i, i * seed + 1);
}

#[kernel(workgroup = 8)]
fn total(parts: &[&Image1D<R32Uint>], to: &mut Image1D<R32Uint>) {
    let i = global_id().x;
    let mut sum = 0;
    for k in 0..parts.len() as u32 {
        sum = sum * 3 + parts[k].load(i);
    }
    to.store(i, sum);
}

fn run_in_order(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let image = || mgr.image_1d::<R32Uint>(16);
    let (mut a, mut b, mut c, mut sum) = (image()?, image()?, image()?, image()?);
    let seq = mgr.sequence()?;
    for (seed, image) in [(2, &mut a), (3, &mut b), (4, &mut c)] {
        Draw::dispatch(&seq, Grid::items(16), seed, image)?;
    }
    Total::dispatch(&seq, Grid::items(16), &[&a, &b, &c], &mut sum)?;
    Draw::dispatch(&seq, Grid::items(16), 5, &mut b)?;
    Total::dispatch(&seq, Grid::items(16), &[&sum, &b], &mut a)?;
    seq.eval()?;
    seq.eval()?;
    Ok(vec![Output::U32(sum.to_vec()?), Output::U32(a.to_vec()?)])
}

fn expected_in_order() -> Vec<Output> {
    let drawn = |seed: u32, i: u32| i * seed + 1;
    let sum = |i: u32| (drawn(2, i) * 3 + drawn(3, i)) * 3 + drawn(4, i);
    let last = |i: u32| sum(i) * 3 + drawn(5, i);
    vec![Output::U32((0..16).map(sum).collect()), Output::U32((0..16).map(last).collect())]
}

/// Images that variables name, also in closures, chains and loops, and behind the end of the list.
#[kernel(workgroup = 8)]
fn named(planes: &[&Image2D<R32Uint>], textures: &[&Sampled1D<R32Uint>], first: u32, to: &mut [u32]) {
    let i = global_id().x;
    let plane = planes[(first + i) % 3];
    let last = &planes[planes.len() - 1];
    let texture = textures[0];
    let texel = |x: u32| plane.load(uvec2(x, 1)) ^ texture.fetch(x % texture.size(), 0);
    let row = (0..plane.size().x).map(|x| plane.load(uvec2(x, 0))).fold(0, |sum, texel| sum * 3 + texel);
    let mut sum = row + texel(2) * 5 + texel(i);
    for k in 0..planes.len() {
        let plane = planes[k];
        sum = sum * 7 + plane.load(last.size() - 1);
    }
    if first > 50 {
        let plane = planes[first];
        sum = plane.size().x + plane.load(uvec2(0, 0));
    }
    to[i] = sum;
}

fn run_named(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let planes = planes(mgr, 3)?;
    let mut line = mgr.image_1d::<R32Uint>(3)?;
    line.write(&[5, 6, 7])?;
    let texture = line.sampled(Sampler::default())?;
    let mut outputs = Vec::new();
    for first in [0, 2, 77] {
        let mut to = mgr.tensor(&[0u32; 8])?;
        let seq = mgr.sequence()?;
        let listed = [&planes[0], &planes[1], &planes[2]];
        Named::dispatch(&seq, Grid::items(8), &listed, &[&texture], first, &mut to)?;
        outputs.push(report(&seq)?);
        outputs.push(Output::U32(to.to_vec()?));
    }
    Ok(outputs)
}

/// The cases.
pub const CASES: &[Case] = &[
    case!("image_lists::pick", [Pick], run_pick, expected_pick),
    case!("image_lists::stack", [Stack::<2>], run_stack, expected_stack),
    case!("image_lists::lines", [Lines], run_lines, expected_lines),
    case!("image_lists::textures", [Textures], run_textures, expected_textures),
    case!("image_lists::beyond", [Beyond], run_beyond),
    case!("image_lists::named", [Named], run_named),
    case!("image_lists::mistaken", [Mistaken], run_mistaken, expected_mistaken),
    case!("image_lists::in_order", [Draw, Total], run_in_order, expected_in_order),
];
