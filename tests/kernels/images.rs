//! Images: texels of all formats loaded and stored, positions out of range, samplers, levels; in kernels of every shape.

use gridwise::image::*;
use gridwise::ops::OpGenerateLevels;
use gridwise::prelude::*;
use gridwise::{Error, GpuData};

use super::case;
use super::image_reference::{Beyond, Kind, Layout, Texture};
use super::traps::certain;
use crate::case::{Case, Output};

/// Texels that differ from their neighbours, by words.
fn words(len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| i.wrapping_mul(0x9e37_79b9) ^ i >> 3).collect()
}

fn bytes4(len: usize) -> Vec<[u8; 4]> {
    words(len).into_iter().map(u32::to_le_bytes).collect()
}

fn report(end: gridwise::Result<()>) -> Output {
    Output::Report(match end {
        Ok(()) => "done".to_owned(),
        Err(Error::KernelPanic { message, text, count, .. }) if count > 1 => {
            format!("{} in {text}, {count} in all", certain(&message))
        }
        Err(Error::KernelPanic { message, text, .. }) => format!("{message} in {text}, 1 in all"),
        Err(error) => error.to_string(),
    })
}

#[kernel(workgroup = [8, 8])]
fn invert(from: &Image2D<Rgba8Unorm>, to: &mut Image2D<Rgba8Unorm>, flat: &mut [Vec4]) {
    let at = global_id().xy();
    let size = from.size();
    if at.x < size.x && at.y < size.y {
        let texel = from.load(at);
        to.store(at, vec4(1.0 - texel.x, 1.0 - texel.y, 1.0 - texel.z, texel.w));
        flat[at.y * size.x + at.x] = texel;
    }
}

const WIDTH: u32 = 13;
const HEIGHT: u32 = 7;
const TEXELS: usize = (WIDTH * HEIGHT) as usize;

fn run_invert(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut from = mgr.image_2d::<Rgba8Unorm>(WIDTH, HEIGHT)?;
    from.write(&bytes4(TEXELS))?;
    let mut to = mgr.image_2d::<Rgba8Unorm>(WIDTH, HEIGHT)?;
    let mut flat = mgr.tensor(&[Vec4::ZERO; TEXELS])?;
    let seq = mgr.sequence()?;
    Invert::dispatch(&seq, Grid::items((WIDTH + 3, HEIGHT)), &from, &mut to, &mut flat)?;
    seq.eval()?;
    let texels = to.to_vec()?.into_iter().map(u32::from_le_bytes).collect();
    let flat = flat.to_vec()?.into_iter().flat_map(|texel| texel.to_array()).collect();
    Ok(vec![Output::U32(texels), Output::ulp(flat, 1)])
}

fn expected_invert() -> Vec<Output> {
    let texels = bytes4(TEXELS);
    let inverted = texels.iter().map(|[r, g, b, a]| u32::from_le_bytes([255 - r, 255 - g, 255 - b, *a])).collect();
    let flat = texels.iter().flatten().map(|byte| f32::from(*byte) / 255.0).collect();
    vec![Output::U32(inverted), Output::ulp(flat, 1)]
}

macro_rules! format_kernels {
    ($($copy:ident $fill:ident $format:ident $texel:ty;)+) => { $(
        #[kernel(workgroup = 64)]
        fn $copy(from: &Image1D<$format>, texels: &mut [$texel], to: &mut Image1D<$format>) {
            let i = global_id().x;
            let texel = from.load(i);
            texels[i] = texel;
            to.store(i, texel);
        }

        #[kernel(workgroup = 64)]
        fn $fill(texels: &[$texel], to: &mut Image1D<$format>) {
            let i = global_id().x;
            to.store(i, texels[i]);
        }
    )+ };
}

format_kernels! {
    copy_r8 fill_r8 R8Unorm f32;
    copy_snorm fill_snorm Rgba8Snorm Vec4;
    copy_half fill_half Rgba16Float Vec4;
    copy_float fill_float R32Float f32;
    copy_floats fill_floats Rgba32Float Vec4;
    copy_bytes fill_bytes Rgba8Uint UVec4;
    copy_signed fill_signed Rgba16Sint IVec4;
    copy_words fill_words R32Uint u32;
    copy_pairs fill_pairs Rg32Sint IVec2;
    copy_wide fill_wide Rgba32Uint UVec4;
    copy_ten fill_ten Rgb10A2Unorm Vec4;
    copy_short fill_short Rg16Unorm Vec2;
}

/// Copies texels of a format through a kernel, then stores numbers that do not fit.
fn round_trip<F: Format>(
    mgr: &Manager,
    raw: &[F::Raw],
    numbers: &[F::Texel],
    copy: impl for<'s> Fn(
        &'s Sequence,
        Grid,
        &Image<F, 1>,
        &mut Tensor<F::Texel>,
        &mut Image<F, 1>,
    ) -> gridwise::Result<&'s Sequence>,
    fill: impl for<'s> Fn(&'s Sequence, Grid, &Tensor<F::Texel>, &mut Image<F, 1>) -> gridwise::Result<&'s Sequence>,
) -> gridwise::Result<[Vec<u8>; 3]>
where
    F::Texel: GpuData,
{
    let len = raw.len() as u32;
    let mut from = mgr.image_1d::<F>(len)?;
    from.write(raw)?;
    let mut to = mgr.image_1d::<F>(len)?;
    let mut texels = mgr.tensor_of_len::<F::Texel>(raw.len())?;
    let seq = mgr.sequence()?;
    copy(&seq, Grid::items(len), &from, &mut texels, &mut to)?;
    seq.eval()?;
    let copied = to.to_vec()?;
    let given = mgr.tensor(numbers)?;
    let mut filled = mgr.image_1d::<F>(numbers.len() as u32)?;
    let seq = mgr.sequence()?;
    fill(&seq, Grid::items(numbers.len()), &given, &mut filled)?;
    seq.eval()?;
    Ok([as_bytes(&texels.to_vec()?), as_bytes(&copied), as_bytes(&filled.to_vec()?)])
}

fn as_bytes<T: GpuData>(values: &[T]) -> Vec<u8> {
    // SAFETY: numbers and vectors of numbers without padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }.to_vec()
}

fn floats_of(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

fn bits_of(bytes: &[u8]) -> Output {
    Output::Bits(bytes.iter().map(|byte| u64::from(*byte)).collect())
}

/// None is halfway between two numbers of a normalised format: which of them is stored then, Vulkan leaves to the device.
const FLOATS: [f32; 8] = [0.0, 1.0, -1.0, 0.40625, 2.0, -3.5, 0.25, -0.75];
const INTEGERS: [i32; 8] = [0, 1, -1, 255, 256, -129, 40_000, i32::MIN];

/// Calls a macro with each format of the cases: its layout, its kernels, texels in memory and numbers to store.
macro_rules! each_format {
    ($with:ident $($arguments:tt)*) => { $with! { $($arguments)*
        float R8Unorm CopyR8 FillR8 Unorm [8] => (0..=255).collect::<Vec<u8>>(), FLOATS;
        float Rgba8Snorm CopySnorm FillSnorm Snorm [8, 8, 8, 8] => signed_bytes(), FLOATS.map(|x| vec4(x.clamp(-1.0, 1.0), -2.0, 2.0, 0.0));
        float Rgba16Float CopyHalf FillHalf Float [16, 16, 16, 16] => halves(), FLOATS.map(|x| vec4(x, -x, x * 0.5, 1.0));
        float R32Float CopyFloat FillFloat Float [32] => FLOATS, FLOATS;
        float Rgba32Float CopyFloats FillFloats Float [32, 32, 32, 32] =>
            FLOATS.map(|x| [x, 1.0 / 3.0, -x, 7e30]), FLOATS.map(|x| vec4(x, -x, x * 0.5, 1.0));
        int Rgba8Uint CopyBytes FillBytes Uint [8, 8, 8, 8] => bytes4(200), INTEGERS.map(|x| UVec4::new(x as u32, 255, 256, 7));
        int Rgba16Sint CopySigned FillSigned Sint [16, 16, 16, 16] =>
            words(99).into_iter().map(|w| [w as i16, (w >> 16) as i16, -5, i16::MIN]).collect::<Vec<_>>(),
            INTEGERS.map(|x| IVec4::new(x, -x.max(-i32::MAX), 70_000, -70_000));
        int R32Uint CopyWords FillWords Uint [32] => words(70), [1, 2, u32::MAX];
        int Rg32Sint CopyPairs FillPairs Sint [32, 32] =>
            words(70).into_iter().map(|w| [w as i32, -9]).collect::<Vec<_>>(), INTEGERS.map(|x| ivec2(x, 1));
        int Rgba32Uint CopyWide FillWide Uint [32, 32, 32, 32] =>
            words(70).into_iter().map(|w| [w, 0, w >> 1, 5]).collect::<Vec<_>>(), [uvec4(1, 2, 3, u32::MAX)];
        float Rgb10A2Unorm CopyTen FillTen Unorm [10, 10, 10, 2] => words(300), FLOATS.map(|x| vec4(x, 0.0, 1.0, x * x));
        float Rg16Unorm CopyShort FillShort Unorm [16, 16] =>
            words(300).into_iter().map(|w| [w as u16, (w >> 16) as u16]).collect::<Vec<_>>(), FLOATS.map(|x| vec2(x, 1.0));
    } };
}

fn signed_bytes() -> Vec<[i8; 4]> {
    bytes4(256).into_iter().map(|texel| texel.map(|byte| (byte as i8).max(-127))).collect()
}

fn halves() -> Vec<[f16; 4]> {
    let finite = |x: f16| if x.is_finite() { x } else { f16::ONE };
    (0..256u16)
        .map(|i| [i << 7, i << 5 | 0x3000, 0x8000 | i << 6, i + 0x0400].map(|bits| finite(f16::from_bits(bits))))
        .collect()
}

macro_rules! texels {
    (float $bytes:expr) => {
        Output::ulp(floats_of($bytes), 2)
    };
    (int $bytes:expr) => {
        bits_of($bytes)
    };
}

macro_rules! rounds {
    ($mgr:ident $($class:ident $format:ident $copy:ident $fill:ident $kind:ident $bits:expr => $raw:expr, $numbers:expr;)+) => {{
        let mut outputs = Vec::new();
        $(
            let [texels, copied, filled] =
                round_trip::<$format>($mgr, &$raw, &$numbers, $copy::dispatch, $fill::dispatch)?;
            outputs.extend([texels!($class &texels), bits_of(&copied), bits_of(&filled)]);
        )+
        Ok(outputs)
    }};
}

fn run_formats(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    each_format! { rounds mgr }
}

macro_rules! references {
    ($($class:ident $format:ident $copy:ident $fill:ident $kind:ident $bits:expr => $raw:expr, $numbers:expr;)+) => {{
        let mut outputs = Vec::new();
        $(
            let layout = Layout { kind: Kind::$kind, bits: &$bits };
            let raw = as_bytes(&$raw);
            // What was read is stored as it was: no texel has two forms in memory.
            outputs.extend([texels!($class &layout.decode(&raw)), bits_of(&raw), bits_of(&layout.encode(&as_bytes(&$numbers)))]);
        )+
        outputs
    }};
}

fn expected_formats() -> Vec<Output> {
    each_format! { references }
}

#[kernel(workgroup = [4, 4, 4])]
fn volume(from: &Image3D<R32Sint>, to: &mut Image3D<R32Sint>, sizes: &mut [u32]) {
    let at = global_id();
    let size = to.size();
    if at.x < size.x && at.y < size.y && at.z < size.z {
        let back = size - at - UVec3::ONE;
        to.store(at, -from.load(back));
        if at == UVec3::ZERO {
            sizes[0] = size.x;
            sizes[1] = size.y;
            sizes[2] = size.z;
        }
    }
}

fn run_volume(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut from = mgr.image_3d::<R32Sint>(5, 3, 2)?;
    from.write(&(0..30).collect::<Vec<_>>())?;
    let mut to = mgr.image_3d::<R32Sint>(5, 3, 2)?;
    let mut sizes = mgr.tensor(&[0u32; 3])?;
    let seq = mgr.sequence()?;
    Volume::dispatch(&seq, Grid::items((5, 3, 2)), &from, &mut to, &mut sizes)?;
    seq.eval()?;
    Ok(vec![Output::I32(to.to_vec()?), Output::U32(sizes.to_vec()?)])
}

fn expected_volume() -> Vec<Output> {
    vec![Output::I32((0..30).map(|i| i - 29).collect()), Output::U32(vec![5, 3, 2])]
}

#[kernel(workgroup = 8)]
fn outside(from: &Image2D<R32Uint>, to: &mut Image2D<R32Uint>, out: &mut [u32]) {
    let i = global_id().x;
    // Where there is no texel, a read gives zero and a write is dropped.
    out[i] = 1 + from.load(uvec2(i, 2));
    to.store(uvec2(0, i), 100 + i);
}

fn run_outside(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut outputs = Vec::new();
    for (width, height) in [(8, 8), (5, 8), (8, 2)] {
        let mut from = mgr.image_2d::<R32Uint>(width, 3)?;
        from.write(&vec![7; 3 * width as usize])?;
        let mut to = mgr.image_2d::<R32Uint>(1, height)?;
        let mut out = mgr.tensor(&[0u32; 8])?;
        let seq = mgr.sequence()?;
        Outside::dispatch(&seq, Grid::items(8), &from, &mut to, &mut out)?;
        outputs.push(report(seq.eval()));
        outputs.push(Output::U32(out.to_vec()?));
        outputs.push(Output::U32(to.to_vec()?));
    }
    Ok(outputs)
}

fn expected_outside() -> Vec<Output> {
    let text = |text: &str| Output::Report(text.to_owned());
    vec![
        text("done"),
        Output::U32(vec![8; 8]),
        Output::U32((100..108).collect()),
        text("index out of bounds: the len is 5 in from.load(uvec2(i, 2)), 3 in all"),
        Output::U32(vec![8, 8, 8, 8, 8, 1, 1, 1]),
        Output::U32((100..108).collect()),
        text("index out of bounds: the len is 2 in to.store(uvec2(0, i), 100 + i), 6 in all"),
        Output::U32(vec![8; 8]),
        Output::U32(vec![100, 101]),
    ]
}

#[kernel(workgroup = 64)]
fn sampled(texture: &Sampled2D<Rgba32Float>, at: &[Vec2], level: f32, out: &mut [Vec4], counts: &mut [u32]) {
    let i = global_id().x;
    out[2 * i] = texture.sample(at[i]);
    out[2 * i + 1] = texture.sample_level(at[i], level);
    if i == 0 {
        counts[0] = texture.levels();
        counts[1] = texture.size().x;
        counts[2] = texture.size().y;
    }
}

fn places() -> Vec<Vec2> {
    let mut places = Vec::new();
    for y in 0..8 {
        for x in 0..8 {
            places.push(vec2(x as f32 / 4.0 - 0.5 + 1.0 / 32.0, y as f32 / 4.0 - 0.5 + 1.0 / 64.0));
        }
    }
    places
}

fn texture(mgr: &Manager) -> gridwise::Result<Image<Rgba32Float, 2>> {
    let desc = ImageDesc { name: "texture", extent: [8, 4], levels: Levels::All };
    let mut image = mgr.image_with::<Rgba32Float, 2>(desc)?;
    for level in 0..image.levels() {
        let [width, height] = image.extent_of(level)?;
        let texel = |i: u32| [(i % width) as f32, (i / width) as f32, level as f32 * 10.0, 1.0];
        image.write_level(level, &(0..width * height).map(texel).collect::<Vec<_>>())?;
    }
    Ok(image)
}

fn run_sampled(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut outputs = Vec::new();
    let image = texture(mgr)?;
    let at = mgr.tensor(&places())?;
    for edge in [Edge::Clamp, Edge::Repeat, Edge::Mirror, Edge::Zero] {
        for filter in [Filter::Nearest, Filter::Linear] {
            let texture = image.sampled(Sampler { filter, levels: filter, edge })?;
            let mut out = mgr.tensor_of_len::<Vec4>(128)?;
            let mut counts = mgr.tensor(&[0u32; 3])?;
            let seq = mgr.sequence()?;
            Sampled::dispatch(&seq, Grid::items(64), &texture, &at, 1.25, &mut out, &mut counts)?;
            seq.eval()?;
            let values = out.to_vec()?.into_iter().flat_map(|texel| texel.to_array()).collect();
            // Devices weigh in steps of 1/256 at least.
            outputs.push(if filter == Filter::Nearest { Output::exact(values) } else { Output::near(values, 0.08) });
            outputs.push(Output::U32(counts.to_vec()?));
        }
    }
    Ok(outputs)
}

fn expected_sampled() -> Vec<Output> {
    let mut outputs = Vec::new();
    for beyond in [Beyond::Last, Beyond::Again, Beyond::Mirrored, Beyond::Zeros] {
        for is_linear in [false, true] {
            let mut levels = Vec::new();
            for (level, (width, height)) in [(8, 4), (4, 2), (2, 1), (1, 1)].into_iter().enumerate() {
                let texel = |i: i64| [(i % width) as f32, (i / width) as f32, level as f32 * 10.0, 1.0];
                levels.push((width, height, (0..width * height).map(texel).collect()));
            }
            let texture = Texture { levels, beyond, is_linear };
            let sample = |at: &Vec2| [0.0, 1.25].map(|level| texture.sample(at.to_array(), level));
            let values = places().iter().flat_map(sample).flatten().collect();
            outputs.push(if is_linear { Output::near(values, 0.08) } else { Output::exact(values) });
            outputs.push(Output::U32(vec![4, 8, 4]));
        }
    }
    outputs
}

#[kernel(workgroup = 8)]
fn fetched(texture: &Sampled2D<Rgba32Float>, words: &Sampled1D<R32Uint>, out: &mut [f32], found: &mut [u32]) {
    let i = global_id().x;
    out[i] = texture.fetch(uvec2(i % 4, 1), 1).x + texture.fetch(uvec2(0, 0), 3).z;
    found[i] = words.fetch(i, 0) + words.size();
}

fn run_fetched(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let image = texture(mgr)?;
    let mut words = mgr.image_1d::<R32Uint>(8)?;
    words.write(&[5, 6, 7, 8, 9, 10, 11, 12])?;
    let (texture, words) = (image.sampled(Sampler::default())?, words.sampled(Sampler::default())?);
    let (mut out, mut found) = (mgr.tensor(&[0f32; 10])?, mgr.tensor(&[0u32; 10])?);
    let seq = mgr.sequence()?;
    Fetched::dispatch(&seq, Grid::items(8), &texture, &words, &mut out, &mut found)?;
    let first = report(seq.eval());
    let seq = mgr.sequence()?;
    Fetched::dispatch(&seq, Grid::items(10), &texture, &words, &mut out, &mut found)?;
    let second = report(seq.eval());
    Ok(vec![first, second, Output::exact(out.to_vec()?), Output::U32(found.to_vec()?)])
}

fn expected_fetched() -> Vec<Output> {
    let text = |text: &str| Output::Report(text.to_owned());
    vec![
        text("done"),
        text("index out of bounds: the len is 8 in words.fetch(i, 0), 2 in all"),
        Output::exact((0..10).map(|i| (i % 4) as f32 + 30.0).collect()),
        Output::U32((0..10).map(|i| if i < 8 { 13 + i } else { 8 }).collect()),
    ]
}

#[kernel(workgroup = 8)]
fn wrong_level(texture: &Sampled2D<Rgba32Float>, out: &mut [f32]) {
    let i = global_id().x;
    out[i] = texture.fetch(uvec2(0, 0), i).z;
}

fn run_wrong_level(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let image = texture(mgr)?;
    let texture = image.sampled(Sampler::default())?;
    let mut out = mgr.tensor(&[9f32; 5])?;
    let seq = mgr.sequence()?;
    WrongLevel::dispatch(&seq, Grid::items(5), &texture, &mut out)?;
    Ok(vec![report(seq.eval()), Output::exact(out.to_vec()?)])
}

fn expected_wrong_level() -> Vec<Output> {
    let text = "index out of bounds: the len is 4 but the index is 4 in texture.fetch(uvec2(0, 0), i), 1 in all";
    vec![Output::Report(text.to_owned()), Output::exact(vec![0.0, 10.0, 20.0, 30.0, 0.0])]
}

/// Texels that invocations of a workgroup exchange behind a barrier; loops, closures and early returns around them.
#[kernel(workgroup = 16)]
fn exchange(image: &mut Image1D<R32Uint>, out: &mut [u32]) {
    let i = local_index();
    image.store(i, i * i);
    barrier();
    let sum = |last: u32| {
        let mut sum = 0;
        for k in 0..last {
            sum += image.load(k);
        }
        sum
    };
    out[i] = sum(i + 1);
    barrier();
    if i % 2 == 1 {
        return;
    }
    image.store(
        15 - i,
        match image.load(15 - i) {
            0 => 1,
            other => other + 1000,
        },
    );
}

fn run_exchange(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut image = mgr.image_1d::<R32Uint>(16)?;
    let mut out = mgr.tensor(&[0u32; 16])?;
    let seq = mgr.sequence()?;
    Exchange::dispatch(&seq, Grid::groups(1), &mut image, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(image.to_vec()?), Output::U32(out.to_vec()?)])
}

fn expected_exchange() -> Vec<Output> {
    let texels = (0..16u32).map(|i| if i % 2 == 1 { i * i + 1000 } else { i * i }).collect();
    let sums = (0..16u32).map(|i| (0..=i).map(|k| k * k).sum()).collect();
    vec![Output::U32(texels), Output::U32(sums)]
}

/// Launches of one sequence access an image in order, its levels included.
fn run_in_order(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let desc = ImageDesc { name: "steps", extent: [8, 8], levels: Levels::All };
    let mut image = mgr.image_with::<Rgba8Unorm, 2>(desc)?;
    let mut other = mgr.image_with::<Rgba8Unorm, 2>(desc)?;
    image.write(&[[255, 0, 51, 255]; 64])?;
    let mut flat = mgr.tensor(&[Vec4::ZERO; 64])?;
    let seq = mgr.sequence()?;
    Invert::dispatch(&seq, Grid::items((8, 8)), &image, &mut other, &mut flat)?;
    Invert::dispatch(&seq, Grid::items((8, 8)), &other, &mut image, &mut flat)?;
    Invert::dispatch(&seq, Grid::items((8, 8)), &image, &mut other, &mut flat)?;
    seq.record(OpGenerateLevels::new(&mut other))?;
    seq.eval()?;
    seq.eval()?;
    let texels = |image: &Image<Rgba8Unorm, 2>, level| -> gridwise::Result<Output> {
        Ok(Output::U32(image.level_to_vec(level)?.into_iter().map(u32::from_le_bytes).collect()))
    };
    Ok(vec![texels(&image, 0)?, texels(&other, 0)?, texels(&other, 3)?])
}

fn expected_in_order() -> Vec<Output> {
    let inverted = u32::from_le_bytes([0, 255, 204, 255]);
    let [plain, last] = [u32::from_le_bytes([255, 0, 51, 255]), inverted];
    vec![Output::U32(vec![plain; 64]), Output::U32(vec![inverted; 64]), Output::U32(vec![last])]
}

/// A texel for each invocation, which the kernel leaves to the launch to check.
#[kernel(workgroup = [4, 2])]
fn numbered(to: &mut Image2D<R32Uint>) {
    let at = global_id().xy();
    to.store(at, at.x * 10 + at.y + 1);
}

/// Images with as many texels each: what is known of one says nothing of the other.
fn run_turned(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (mut wide, mut high) = (mgr.image_2d::<R32Uint>(8, 4)?, mgr.image_2d::<R32Uint>(4, 8)?);
    let seq = mgr.sequence()?;
    let mut outputs = Vec::new();
    for _ in 0..2 {
        Numbered::dispatch(&seq, Grid::items((8, 4)), &mut wide)?;
        outputs.push(report(seq.eval()));
        Numbered::dispatch(&seq, Grid::items((8, 4)), &mut high)?;
        outputs.push(report(seq.eval()));
    }
    outputs.extend([Output::U32(wide.to_vec()?), Output::U32(high.to_vec()?)]);
    Ok(outputs)
}

fn expected_turned() -> Vec<Output> {
    let text = |text: &str| Output::Report(text.to_owned());
    let outside = "index out of bounds: the len is 4 in to.store(at, at.x * 10 + at.y + 1), 16 in all";
    let number = |x: u32, y: u32| x * 10 + y + 1;
    let wide = (0..32).map(|i| number(i % 8, i / 8)).collect();
    let high = (0..32).map(|i| if i < 16 { number(i % 4, i / 4) } else { 0 }).collect();
    vec![text("done"), text(outside), text("done"), text(outside), Output::U32(wide), Output::U32(high)]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!("images::two_dimensions", [Invert], run_invert, expected_invert),
    case!("images::three_dimensions", [Volume], run_volume, expected_volume),
    case!(
        "images::formats",
        [
            CopyR8, FillR8, CopySnorm, FillSnorm, CopyHalf, FillHalf, CopyBytes, FillBytes, CopySigned, FillSigned,
            CopyTen
        ],
        run_formats,
        expected_formats
    ),
    case!("images::out_of_range", [Outside], run_outside, expected_outside),
    case!("images::samplers", [Sampled], run_sampled, expected_sampled),
    case!("images::levels", [Fetched], run_fetched, expected_fetched),
    case!("images::missing_level", [WrongLevel], run_wrong_level, expected_wrong_level),
    case!("images::exchange", [Exchange], run_exchange, expected_exchange),
    case!("images::turned", [Numbered], run_turned, expected_turned),
    case!("images::in_order", [Invert], run_in_order, expected_in_order),
];
