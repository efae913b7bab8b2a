//! Gravity of all bodies on each: tiles of bodies go through shared memory.

use gridwise::glam::Vec4;
use gridwise::prelude::*;
use gridwise_benches::raw::{Reference, Stage};

use crate::error::Error;
use crate::work::{Bench, Launches, Work, check, random_floats};

/// A sum of pulls and that of one more body.
#[device]
fn pulled(sum: Vec3, own: Vec4, other: Vec4, softening: f32) -> Vec3 {
    let d = Vec3::new(other.x - own.x, other.y - own.y, other.z - own.z);
    let r2 = d.x.mul_add(d.x, d.y.mul_add(d.y, d.z.mul_add(d.z, softening)));
    let inverse = 1.0 / r2.sqrt();
    let scale = other.w * (inverse * inverse * inverse);
    d.mul_add(Vec3::splat(scale), sum)
}

// The reference takes the device's inverse root, too.
#[kernel(workgroup = 256, fast_math(approximate_functions))]
pub(crate) fn nbody(count: u32, softening: f32, bodies: &[Vec4], pull: &mut [Vec4]) {
    let tile = Shared::<[Vec4; 256]>::new();
    let own = bodies[global_id().x];
    let mut sum = Vec3::ZERO;
    let mut base = 0;
    while base < count {
        tile[local_id().x] = bodies[base + local_id().x];
        barrier();
        for j in 0..256u32 {
            sum = pulled(sum, own, tile[j], softening);
        }
        barrier();
        base += 256;
    }
    pull[global_id().x] = sum.extend(0.0);
}

/// Its loop written out as the reference's is: of pipelines the only fair comparison, though the driver unrolls further by itself and
/// gains from it.
#[kernel(workgroup = 256, fast_math(approximate_functions))]
pub(crate) fn nbody_by_eights(count: u32, softening: f32, bodies: &[Vec4], pull: &mut [Vec4]) {
    let tile = Shared::<[Vec4; 256]>::new();
    let own = bodies[global_id().x];
    let mut sum = Vec3::ZERO;
    let mut base = 0;
    while base < count {
        tile[local_id().x] = bodies[base + local_id().x];
        barrier();
        #[unroll(8)]
        for j in 0..256u32 {
            sum = pulled(sum, own, tile[j], softening);
        }
        barrier();
        base += 256;
    }
    pull[global_id().x] = sum.extend(0.0);
}

pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let spirv = bench.shaders.module("nbody")?;
    let len: usize = bench.pick(1 << 12, 1 << 17);
    let input = random_floats(4 * len);
    let quads: Vec<Vec4> = input.as_chunks().0.iter().map(|lanes| Vec4::from_array(*lanes)).collect();
    let (bodies, mut pull) = (bench.manager.tensor(&quads)?, bench.manager.tensor_of_len::<Vec4>(len)?);
    let (count, softening) = (len as u32, 1e-4f32);
    let launches = Launches::default()
        .with::<Nbody>(Grid::items(len), |args| args.value(count).value(softening).read(&bodies).write(&mut pull));
    let mut push = count.to_ne_bytes().to_vec();
    push.extend(softening.to_ne_bytes());
    let stage = Stage { spirv: &spirv, constants: &[], push, buffers: &[0, 1], groups: [count / 256, 1, 1] };
    let reference = Reference::new(bench.raw, &[16 * len as u64; 2], &[stage])?;
    reference.write(0, &input)?;
    let work = Work {
        name: format!("n-body {len}"),
        times: 2,
        bytes: 32.0 * len as f64,
        operations: 20.0 * (len as f64).powi(2),
    };
    bench.measure(work, &launches, &reference, 1.0)?;
    let expected = |body: usize| {
        let own = quads[body].as_dvec4();
        let pull = |other: &Vec4| {
            let (other, d) = (other.as_dvec4(), other.as_dvec4() - own);
            let r2 = d.truncate().length_squared() + f64::from(softening);
            d.x * other.w / (r2 * r2.sqrt())
        };
        (4 * body, quads.iter().map(pull).sum::<f64>())
    };
    let ours: Vec<f32> = pull.to_vec()?.into_iter().flat_map(|quad| quad.to_array()).collect();
    let some = || (0..len).step_by(len / 7).map(expected);
    check("gridwise", &ours, some(), 2e-2)?;
    check("GLSL", &reference.read::<f32>(1)?, some(), 2e-2)
}
