//! A 7-point stencil: vectors along x, and three planes in registers on the way along z.

use gridwise::glam::Vec4;
use gridwise::prelude::*;
use gridwise_benches::raw::{Reference, Stage};

use crate::error::Error;
use crate::work::{Bench, Launches, Work, check, places, random_floats};

#[derive(GpuData, Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Field {
    nx: u32,
    ny: u32,
    nz: u32,
    /// Planes of a workgroup.
    slab: u32,
    own: f32,
    neighbours: f32,
}

#[kernel(workgroup = [32, 8])]
pub(crate) fn stencil(field: Field, from: &[Vec4], to: &mut [Vec4]) {
    let (x, y) = (global_id().x, global_id().y);
    let row = field.nx >> 2;
    let plane = row * field.ny;
    if x >= row || y >= field.ny {
        return;
    }
    let start = workgroup_id().z * field.slab;
    let end = (start + field.slab).min(field.nz);
    let at = |x: u32, y: u32, z: u32| z * plane + y * row + x;
    let mut below = if start > 0 { from[at(x, y, start - 1)] } else { Vec4::ZERO };
    let mut middle = from[at(x, y, start)];
    let inside = y > 0 && y + 1 < field.ny;
    for z in start..end {
        let above = if z + 1 < field.nz { from[at(x, y, z + 1)] } else { Vec4::ZERO };
        let mut result = middle;
        if inside && z > 0 && z + 1 < field.nz {
            let left = if x > 0 { from[at(x - 1, y, z)].w } else { 0.0 };
            let right = if x + 1 < row { from[at(x + 1, y, z)].x } else { 0.0 };
            let along = Vec4::new(left, middle.x, middle.y, middle.z) + Vec4::new(middle.y, middle.z, middle.w, right);
            let sum = from[at(x, y - 1, z)] + from[at(x, y + 1, z)] + below + above + along;
            result = Vec4::splat(field.neighbours).mul_add(sum, middle * field.own);
            if x == 0 {
                result.x = middle.x;
            }
            if x + 1 == row {
                result.w = middle.w;
            }
        }
        to[at(x, y, z)] = result;
        below = middle;
        middle = above;
    }
}

pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let spirv = bench.shaders.module("stencil3d")?;
    let side: usize = bench.pick(128, 512);
    let (len, slab) = (side * side * side, 16u32);
    let input = random_floats(len);
    let quads: Vec<Vec4> = input.as_chunks().0.iter().map(|lanes| Vec4::from_array(*lanes)).collect();
    let (from, mut to) = (bench.manager.tensor(&quads)?, bench.manager.tensor_of_len::<Vec4>(len / 4)?);
    let n = side as u32;
    let field = Field { nx: n, ny: n, nz: n, slab, own: 0.4, neighbours: 0.1 };
    let groups = [n / 128, n / 8, n / slab];
    let launches =
        Launches::default().with::<Stencil>(Grid::groups(groups), |args| args.value(field).read(&from).write(&mut to));
    let mut push: Vec<u8> = [n, n, n, slab].iter().flat_map(|word| word.to_ne_bytes()).collect();
    push.extend([0.4f32, 0.1].iter().flat_map(|word| word.to_ne_bytes()));
    let stage = Stage { spirv: &spirv, constants: &[], push, buffers: &[0, 1], groups };
    let reference = Reference::new(bench.raw, &[4 * len as u64; 2], &[stage])?;
    reference.write(0, &input)?;
    let work =
        Work { name: format!("stencil {side}³"), times: 10, bytes: 8.0 * len as f64, operations: 8.0 * len as f64 };
    bench.measure(work, &launches, &reference, 1.0)?;
    let expected = |place: usize| {
        let position = [place % side, place / side % side, place / side / side];
        let at = |offset: isize| f64::from(input[place.wrapping_add_signed(offset)]);
        if position.iter().any(|axis| *axis == 0 || *axis + 1 == side) {
            return (place, at(0));
        }
        let (row, plane) = (side as isize, (side * side) as isize);
        let sum: f64 = [1, -1, row, -row, plane, -plane].into_iter().map(at).sum();
        (place, 0.4 * at(0) + 0.1 * sum)
    };
    let ours: Vec<f32> = to.to_vec()?.into_iter().flat_map(|quad| quad.to_array()).collect();
    check("gridwise", &ours, places(len).map(expected), 1e-5)?;
    check("GLSL", &reference.read::<f32>(1)?, places(len).map(expected), 1e-5)
}
