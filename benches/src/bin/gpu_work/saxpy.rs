//! `y = a x + y`, written as one would: an element per invocation.

use gridwise::prelude::*;
use gridwise_benches::raw::{Reference, Stage};

use crate::error::Error;
use crate::work::{Bench, Launches, Work, check, len_of, places, random_floats};

#[kernel(workgroup = 256)]
pub(crate) fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a.mul_add(x[i], y[i]);
}

pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let spirv = bench.shaders.module("saxpy")?;
    for exponent in bench.pick(&[16, 22][..], &[20, 28, 30]) {
        let len = len_of(*exponent);
        let input = random_floats(len);
        // So small that y does not grow out of sight however often it is added to.
        let a = 1.0f32 / 4096.0;
        let (x, mut y) = (bench.manager.tensor(&input)?, bench.manager.tensor(&input)?);
        let launches = Launches::default().with::<Saxpy>(Grid::items(len), |args| args.value(a).read(&x).write(&mut y));
        let bytes = 4 * len as u64;
        let mut push = a.to_ne_bytes().to_vec();
        push.extend((len as u32).to_ne_bytes());
        let groups = (len / 4).div_ceil(256) as u32;
        let stage = Stage { spirv: &spirv, constants: &[(0, 256)], push, buffers: &[0, 1], groups: [groups, 1, 1] };
        let reference = Reference::new(bench.raw, &[bytes, bytes], &[stage])?;
        reference.write(0, &input)?;
        reference.write(1, &input)?;
        launches.run(bench.manager)?;
        reference.run(1)?;
        let expected = |place: usize| (place, f64::from(a.mul_add(input[place], input[place])));
        check("gridwise", &y.to_vec()?, places(len).map(expected), 0.0)?;
        check("GLSL", &reference.read::<f32>(1)?, places(len).map(expected), 0.0)?;
        let work = Work {
            name: format!("saxpy 2^{exponent}"),
            times: 10,
            bytes: 12.0 * len as f64,
            operations: 2.0 * len as f64,
        };
        bench.measure(work, &launches, &reference, 1.0)?;
    }
    Ok(())
}
