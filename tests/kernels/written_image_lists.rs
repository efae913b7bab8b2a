//! Lists of images that are written: which one it is, an invocation decides.

use gridwise::image::*;
use gridwise::prelude::*;

use super::case;
use super::traps::report;
use crate::case::{Case, Output};

#[device]
const WIDTH: u32 = 8;
const HEIGHT: u32 = 6;
const TEXELS: usize = (WIDTH * HEIGHT) as usize;

fn planes(mgr: &Manager, count: u32) -> gridwise::Result<Vec<Image<R32Uint, 2>>> {
    let plane = |number: u32| {
        let mut image = mgr.image_2d::<R32Uint>(WIDTH, HEIGHT)?;
        image.write(&(0..TEXELS as u32).map(|i| i + 100 * number).collect::<Vec<_>>())?;
        Ok(image)
    };
    (0..count).map(plane).collect()
}

fn texels(planes: &[Image<R32Uint, 2>]) -> gridwise::Result<Output> {
    let texels = planes.iter().map(Image::to_vec).collect::<gridwise::Result<Vec<_>>>()?;
    Ok(Output::U32(texels.concat()))
}

/// Each invocation a texel of an image of its own choice, neighbours different ones; read before it is written.
#[kernel(workgroup = 32)]
fn deal(values: &[u32], planes: &mut [&mut Image2D<R32Uint>]) {
    let i = global_id().x;
    let count = planes.len() as u32;
    let at = uvec2(i / count % WIDTH, i / count / WIDTH);
    let old = planes[i % count].load(at);
    planes[i % count].store(at, old * 1000 + values[i] + planes[(i + 1) % count].size().y);
}

fn values() -> Vec<u32> {
    (0..48).map(|i: u32| i * i % 97).collect()
}

fn run_deal(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut outputs = Vec::new();
    // As few as there can be, and more than lists have room for unasked.
    for count in [1, 3, 8, 20] {
        let mut images = planes(mgr, count)?;
        let values = mgr.tensor(&values())?;
        let seq = mgr.sequence()?;
        let mut listed: Vec<_> = images.iter_mut().collect();
        Deal::dispatch(&seq, Grid::items(48), &values, &mut listed)?;
        seq.eval()?;
        outputs.push(texels(&images)?);
    }
    Ok(outputs)
}

fn expected_deal() -> Vec<Output> {
    let of = |count: u32| {
        let mut planes: Vec<Vec<u32>> =
            (0..count).map(|number| (0..TEXELS as u32).map(|i| i + 100 * number).collect()).collect();
        for (i, value) in values().into_iter().enumerate() {
            let texel = &mut planes[i % count as usize][i / count as usize];
            *texel = *texel * 1000 + value + HEIGHT;
        }
        Output::U32(planes.concat())
    };
    [1, 3, 8, 20].map(of).to_vec()
}

/// Of one and of three dimensions, in other formats, beside a list that is read and a single image.
///
/// # Safety
/// The images differ, and have a line for each invocation.
#[kernel(workgroup = 4)]
unsafe fn lines(
    from: &[&Image1D<R32Float>],
    rows: &mut [&mut Image1D<Rg16Sint>],
    cubes: &mut [&mut Image3D<R32Float>],
    one: &mut Image1D<R32Uint>,
) {
    let i = global_id().x;
    let value = from[i % from.len() as u32].load(i % 4);
    for k in 0..rows.len() as u32 {
        rows[k].store(i, ivec2((i * 10 + k) as i32, -value as i32));
    }
    let k = i % cubes.len() as u32;
    let size = cubes[k].size();
    if i < size.x * size.y * size.z {
        cubes[k].store(uvec3(i % size.x, i / size.x % size.y, i / size.x / size.y), value + k as f32);
    }
    one.store(i, (rows.len() * 10 + cubes.len()) as u32);
}

fn run_lines(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut from = [mgr.image_1d::<R32Float>(4)?, mgr.image_1d::<R32Float>(4)?];
    from[0].write(&[1.0, 2.0, 3.0, 4.0])?;
    from[1].write(&[10.0, 20.0, 30.0, 40.0])?;
    let (mut a, mut b) = (mgr.image_1d::<Rg16Sint>(12)?, mgr.image_1d::<Rg16Sint>(12)?);
    let (mut c, mut d) = (mgr.image_3d::<R32Float>(3, 2, 2)?, mgr.image_3d::<R32Float>(1, 4, 3)?);
    for cube in [&mut c, &mut d] {
        cube.write(&[-1.0; 12])?;
    }
    let mut one = mgr.image_1d::<R32Uint>(12)?;
    let seq = mgr.sequence()?;
    let [first, second] = &from;
    // SAFETY: they do.
    unsafe {
        Lines::dispatch(&seq, Grid::items(12), &[first, second], &mut [&mut a, &mut b], &mut [&mut c, &mut d], &mut one)
    }?;
    seq.eval()?;
    let rows = [a.to_vec()?.concat(), b.to_vec()?.concat()].concat().into_iter().map(i32::from).collect();
    let cubes = [c.to_vec()?, d.to_vec()?].concat();
    Ok(vec![Output::I32(rows), Output::exact(cubes), Output::U32(one.to_vec()?)])
}

fn expected_lines() -> Vec<Output> {
    let value = |i: i32| (i % 4 + 1) * [1, 10][i as usize % 2];
    let rows = (0..2).flat_map(|k| (0..12).flat_map(move |i| [i * 10 + k, -value(i)])).collect();
    let cubes =
        (0..2).flat_map(|k| (0..12).map(move |i| if i % 2 == k { (value(i) + k) as f32 } else { -1.0 })).collect();
    vec![Output::I32(rows), Output::exact(cubes), Output::U32(vec![22; 12])]
}

/// Texels exchanged behind a barrier by the invocations of a workgroup, also where there are other images between.
#[kernel(workgroup = 48)]
fn exchange(planes: &mut [&mut Image2D<R32Uint>]) {
    let i = local_id().x;
    let k = i % planes.len() as u32;
    planes[k].store(uvec2(i % 8, i / 8), 7 * i);
    barrier();
    let j = 47 - i;
    let other = planes[j % planes.len() as u32].load(uvec2(j % 8, j / 8));
    barrier();
    planes[k].store(uvec2(i % 8, i / 8), other + k);
}

fn run_exchange(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut images = planes(mgr, 3)?;
    let seq = mgr.sequence()?;
    let mut listed: Vec<_> = images.iter_mut().collect();
    Exchange::dispatch(&seq, Grid::items(48), &mut listed)?;
    seq.eval()?;
    Ok(vec![texels(&images)?])
}

fn expected_exchange() -> Vec<Output> {
    let texel = |k: u32, i: u32| if i % 3 == k { 7 * (47 - i) + k } else { i + 100 * k };
    vec![Output::U32((0..3).flat_map(|k| (0..48).map(move |i| texel(k, i))).collect())]
}

/// Images that one launch writes and the next ones read and write, in one sequence and without explicit
/// synchronization.
#[kernel(workgroup = 8)]
fn draw(seed: u32, to: &mut [&mut Image1D<R32Uint>]) {
    let i = global_id().x;
    for k in 0..to.len() as u32 {
        to[k].store(i, i * seed + k);
    }
}

#[kernel(workgroup = 8)]
fn raise(from: &Image1D<R32Uint>, to: &mut [&mut Image1D<R32Uint>]) {
    let i = global_id().x;
    let k = i % to.len() as u32;
    let old = to[k].load(i);
    to[k].store(i, old * 3 + from.load(15 - i));
}

fn run_in_order(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let image = || mgr.image_1d::<R32Uint>(16);
    let (mut a, mut b, mut c) = (image()?, image()?, image()?);
    let seq = mgr.sequence()?;
    Draw::dispatch(&seq, Grid::items(16), 5, &mut [&mut a, &mut b, &mut c])?;
    Raise::dispatch(&seq, Grid::items(16), &a, &mut [&mut b, &mut c])?;
    Raise::dispatch(&seq, Grid::items(16), &c, &mut [&mut a])?;
    Draw::dispatch(&seq, Grid::items(16), 2, &mut [&mut c])?;
    Raise::dispatch(&seq, Grid::items(16), &a, &mut [&mut c, &mut b])?;
    seq.eval()?;
    seq.eval()?;
    Ok(vec![Output::U32([a.to_vec()?, b.to_vec()?, c.to_vec()?].concat())])
}

fn expected_in_order() -> Vec<Output> {
    let drawn = |seed: u32| move |k: u32| (0..16).map(|i: u32| i * seed + k).collect::<Vec<_>>();
    let raise = |from: &[u32], to: &mut [&mut Vec<u32>]| {
        for i in 0..16 {
            let k = i % to.len();
            to[k][i] = to[k][i] * 3 + from[15 - i];
        }
    };
    let [mut a, mut b, mut c] = [0, 1, 2].map(drawn(5));
    raise(&a, &mut [&mut b, &mut c]);
    raise(&c, &mut [&mut a]);
    c = drawn(2)(0);
    raise(&a, &mut [&mut c, &mut b]);
    vec![Output::U32([a, b, c].concat())]
}

/// Positions behind the end of a list, and of an image of one, where nothing is written.
#[kernel(workgroup = 8)]
fn beyond(k: u32, x: u32, planes: &mut [&mut Image2D<R32Uint>]) {
    let i = global_id().x;
    planes[k].store(uvec2(x, i), 5);
    planes[0].store(uvec2(7, i), 9);
}

fn run_beyond(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut outputs = Vec::new();
    for (k, x) in [(1, 0), (1, 8), (2, 0), (0xffff_ffff, 3)] {
        let mut images = planes(mgr, 2)?;
        let seq = mgr.sequence()?;
        let mut listed: Vec<_> = images.iter_mut().collect();
        Beyond::dispatch(&seq, Grid::items(2), k, x, &mut listed)?;
        outputs.push(report(&seq)?);
        outputs.push(texels(&images)?);
    }
    Ok(outputs)
}

/// Images that variables name, to write and to read.
///
/// # Safety
/// The planes differ, and there are as many as invocations.
#[kernel(workgroup = 8)]
unsafe fn named(planes: &mut [&mut Image2D<R32Uint>]) {
    let i = global_id().x;
    let count = planes.len() as u32;
    let from = &planes[(i + 1) % count];
    let texel = from.load(uvec2(7, i / 8 + 4));
    let to = &mut planes[i % count];
    let size = to.size();
    let old = to.load(uvec2(i % size.x, 0));
    to.store(uvec2(i % size.x, 0), old * 10 + texel);
    for k in 0..planes.len() {
        let plane = &mut planes[k];
        plane.store(uvec2(i % 8, 3), i * 100 + k as u32);
    }
}

fn run_named(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut images = planes(mgr, 3)?;
    let seq = mgr.sequence()?;
    let mut listed: Vec<_> = images.iter_mut().collect();
    // SAFETY: they do.
    unsafe { Named::dispatch(&seq, Grid::items(8), &mut listed) }?;
    seq.eval()?;
    Ok(vec![texels(&images)?])
}

fn expected_named() -> Vec<Output> {
    let mut planes = [0, 100, 200].map(|first| (first..first + TEXELS as u32).collect::<Vec<_>>());
    for i in 0..8 {
        let texel = planes[(i + 1) % 3][4 * 8 + 7];
        planes[i % 3][i] = planes[i % 3][i] * 10 + texel;
        (0..3).for_each(|k| planes[k][3 * 8 + i] = i as u32 * 100 + k as u32);
    }
    vec![Output::U32(planes.concat())]
}

/// The cases.
pub const CASES: &[Case] = &[
    case!("written_image_lists::deal", [Deal], run_deal, expected_deal),
    case!("written_image_lists::lines", [Lines], run_lines, expected_lines),
    case!("written_image_lists::exchange", [Exchange], run_exchange, expected_exchange),
    case!("written_image_lists::in_order", [Draw, Raise], run_in_order, expected_in_order),
    case!("written_image_lists::named", [Named], run_named, expected_named),
    case!("written_image_lists::beyond", [Beyond], run_beyond),
];
