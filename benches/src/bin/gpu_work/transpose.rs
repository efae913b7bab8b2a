//! A matrix transposed, 16 bytes at a time on both sides: as the reference does it, through a padded tile in shared memory, and by
//! `OpTranspose`.

use gridwise::algorithms::OpTranspose;
use gridwise::glam::Vec4;
use gridwise::prelude::*;
use gridwise_benches::Error as BenchError;
use gridwise_benches::raw::{Reference, Stage};

use crate::error::Error;
use crate::work::{Bench, Launches, Work, places, random_floats};

#[kernel(workgroup = 256)]
pub(crate) fn transpose(rows: u32, columns: u32, from: &[Vec4], to: &mut [Vec4]) {
    let tile = Shared::<[f32; 64 * 65]>::new();
    let (quad, row) = (local_id().x & 15, local_id().x >> 4);
    let (column0, row0) = (workgroup_id().x * 64, workgroup_id().y * 64);
    for k in 0..4u32 {
        let y = row + k * 16;
        let v = from[(row0 + y) * (columns >> 2) + (column0 >> 2) + quad];
        tile[(quad * 4) * 65 + y] = v.x;
        tile[(quad * 4 + 1) * 65 + y] = v.y;
        tile[(quad * 4 + 2) * 65 + y] = v.z;
        tile[(quad * 4 + 3) * 65 + y] = v.w;
    }
    barrier();
    for k in 0..4u32 {
        let x = row + k * 16;
        let at = x * 65 + quad * 4;
        let v = Vec4::new(tile[at], tile[at + 1], tile[at + 2], tile[at + 3]);
        // SAFETY: whole tiles only, which lie side by side.
        unsafe { to.unordered()[(column0 + x) * (rows >> 2) + (row0 >> 2) + quad] = v };
    }
}

pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let spirv = bench.shaders.module("transpose")?;
    for (rows, columns) in bench.pick([(512, 512), (256, 1024)], [(16384, 16384), (8192, 20480)]) {
        let len: usize = rows * columns;
        let input = random_floats(len);
        let quads: Vec<Vec4> = input.as_chunks().0.iter().map(|lanes| Vec4::from_array(*lanes)).collect();
        let (from, mut to) = (bench.manager.tensor(&quads)?, bench.manager.tensor_of_len::<Vec4>(len / 4)?);
        let groups = [columns as u32 / 64, rows as u32 / 64];
        let launches = Launches::default().with::<Transpose>(Grid::groups(groups), |args| {
            args.value(rows as u32).value(columns as u32).read(&from).write(&mut to)
        });
        let bytes = 4 * len as u64;
        let push = [rows as u32, columns as u32].iter().flat_map(|side| side.to_ne_bytes()).collect();
        let stage = Stage { spirv: &spirv, constants: &[], push, buffers: &[0, 1], groups: [groups[0], groups[1], 1] };
        let reference = Reference::new(bench.raw, &[bytes, bytes], &[stage])?;
        reference.write(0, &input)?;
        let work = |name: &str| Work {
            name: format!("{name} {rows}×{columns}"),
            times: 10,
            bytes: 2.0 * bytes as f64,
            operations: (bytes / 4) as f64,
        };
        bench.measure(work("transpose"), &launches, &reference, 1.0)?;
        let of_quads = |quads: Vec<Vec4>| quads.into_iter().flat_map(|quad| quad.to_array()).collect::<Vec<f32>>();
        let (numbers, mut turned) = (bench.manager.tensor(&input)?, bench.manager.tensor_of_len::<f32>(len)?);
        let op = OpTranspose::new(rows as u32, columns as u32, &numbers, &mut turned)?;
        bench.measure(work("OpTranspose"), &Launches::default().with_op(op), &reference, 1.0)?;
        let found =
            [("gridwise", of_quads(to.to_vec()?)), ("OpTranspose", turned.to_vec()?), ("GLSL", reference.read(1)?)];
        for (contender, found) in found {
            let is_wrong = |place: &usize| found[*place] != input[place % rows * columns + place / rows];
            if let Some(place) = places(len).find(is_wrong) {
                let detail = format!("at {place}");
                return Err(BenchError::WrongResult { contender: contender.to_owned(), detail }.into());
            }
        }
    }
    Ok(())
}
