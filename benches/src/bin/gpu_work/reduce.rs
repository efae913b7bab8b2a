//! The sum of numbers, in two passes: each workgroup strides through the input, then one adds the workgroups' sums.

use gridwise::glam::Vec4;
use gridwise::prelude::*;
use gridwise_benches::raw::{Reference, Stage};

use crate::error::Error;
use crate::work::{Bench, Launches, check, random_floats};

#[device]
const WIDTH: u32 = 256;

#[kernel(workgroup = WIDTH)]
fn reduce(x: &[Vec4], sums: &mut [f32]) {
    let slots = Shared::<[f32; 128]>::new();
    let (local, group) = (local_id().x, workgroup_id().x);
    let tile = WIDTH * 4;
    let len = x.len() as u32;
    let mut sum = [Vec4::ZERO; 4];
    let mut base = group * tile;
    while base < len {
        for k in 0..4 {
            let i = base + local + k * WIDTH;
            if i < len {
                sum[k as usize] += x[i];
            }
        }
        base += num_workgroups().x * tile;
    }
    let lanes = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    let own = subgroup::add((lanes.x + lanes.y) + (lanes.z + lanes.w));
    if subgroup::elect() {
        slots[subgroup_id()] = own;
    }
    barrier();
    if subgroup_id() == 0 {
        let mut total = 0.0;
        let mut slot = subgroup_local_id();
        while slot < num_subgroups() {
            total += slots[slot];
            slot += subgroup_size();
        }
        let total = subgroup::add(total);
        if subgroup::elect() {
            sums[group] = total;
        }
    }
}

/// The sum of a few numbers, by one workgroup.
#[kernel(workgroup = WIDTH)]
fn finish(sums: &[f32], total: &mut [f32]) {
    let slots = Shared::<[f32; 128]>::new();
    let mut own = 0.0;
    let mut i = local_id().x;
    while i < sums.len() as u32 {
        own += sums[i];
        i += WIDTH;
    }
    let own = subgroup::add(own);
    if subgroup::elect() {
        slots[subgroup_id()] = own;
    }
    barrier();
    if local_id().x == 0 {
        let mut all = 0.0;
        for slot in 0..num_subgroups() {
            all += slots[slot];
        }
        total[0] = all;
    }
}

pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let spirv = bench.shaders.module("reduce")?;
    for exponent in bench.pick(&[16, 22][..], &[22, 28]) {
        let len = 1usize << exponent;
        let input = random_floats(len);
        let quads: Vec<Vec4> = input.as_chunks().0.iter().map(|lanes| Vec4::from_array(*lanes)).collect();
        let groups = (len / 4).div_ceil(1024).min(132 * 8) as u32;
        // The second pass reads whole vectors, so there are whole vectors of sums.
        let partial = (groups as usize).next_multiple_of(4);
        let x = bench.manager.tensor(&quads)?;
        let mut sums = bench.manager.tensor_of_len::<f32>(partial)?;
        let mut total = bench.manager.tensor_of_len::<f32>(1)?;
        let launches = Launches::default()
            .with::<Reduce>(Grid::groups(groups), |args| args.read(&x).write(&mut sums))
            .with::<Finish>(Grid::groups(1), |args| args.read(&sums).write(&mut total));
        let sizes = [4 * len as u64, 4 * partial as u64, 16];
        let stage = |n: u32, buffers, groups| Stage {
            spirv: &spirv,
            constants: &[(0, WIDTH)],
            push: n.to_ne_bytes().to_vec(),
            buffers,
            groups: [groups, 1, 1],
        };
        let stages = [stage(len as u32, &[0, 1], groups), stage(groups, &[1, 2], 1)];
        let reference = Reference::new(bench.raw, &sizes, &stages)?;
        reference.write(0, &input)?;
        launches.run(bench.manager)?;
        reference.run(1)?;
        let expected: f64 = input.iter().map(|x| f64::from(*x)).sum();
        check("gridwise", &total.to_vec()?, [(0, expected)], 1e-4)?;
        check("GLSL", &reference.read::<f32>(2)?, [(0, expected)], 1e-4)?;
        bench.measure(format!("reduce 2^{exponent}"), &launches, &reference, 10, 1.0)?;
    }
    Ok(())
}
