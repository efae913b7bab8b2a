//! The sum of numbers: `OpReduce` against the same two passes, of workgroups that stride through the input, and of one that adds
//! their sums.

use gridwise::algorithms::OpReduce;
use gridwise_benches::raw::{Reference, Stage};

use crate::error::Error;
use crate::work::{Bench, Launches, Work, check, random_floats};

pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let spirv = bench.shaders.module("reduce")?;
    for exponent in bench.pick(&[16, 22][..], &[22, 28]) {
        let len = 1usize << exponent;
        let input = random_floats(len);
        let groups = (len / 4).div_ceil(1024).min(132 * 8) as u32;
        // The second pass reads whole vectors, so there are whole vectors of sums.
        let partial = (groups as usize).next_multiple_of(4);
        let x = bench.manager.tensor(&input)?;
        let mut total = bench.manager.tensor_of_len::<f32>(1)?;
        let launches = Launches::default().with_op(OpReduce::sum(&x, &mut total)?);
        let sizes = [4 * len as u64, 4 * partial as u64, 16];
        let stage = |n: u32, buffers, groups| Stage {
            spirv: &spirv,
            constants: &[(0, 256)],
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
        let work =
            Work { name: format!("reduce 2^{exponent}"), times: 10, bytes: 4.0 * len as f64, operations: len as f64 };
        bench.measure(work, &launches, &reference, 1.0)?;
    }
    Ok(())
}
