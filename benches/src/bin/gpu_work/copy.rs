//! A copy, written as one would: an element per invocation.

use gridwise::prelude::*;
use gridwise_benches::Error as BenchError;
use gridwise_benches::raw::{Reference, Stage};

use crate::error::Error;
use crate::work::{Bench, Launches, Work, len_of, random_words};

#[kernel(workgroup = 256)]
pub(crate) fn copy(from: &[u32], to: &mut [u32]) {
    let i = global_id().x;
    to[i] = from[i];
}

pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let spirv = bench.shaders.module("copy")?;
    for exponent in bench.pick(&[16, 22][..], &[20, 28, 30]) {
        let len = len_of(*exponent);
        let input = random_words(len);
        let (from, mut to) = (bench.manager.tensor(&input)?, bench.manager.tensor_of_len::<u32>(len)?);
        let launches = Launches::default().with::<Copy>(Grid::items(len), |args| args.read(&from).write(&mut to));
        let bytes = 4 * len as u64;
        let groups = (len / 4).div_ceil(1024) as u32;
        let push = (len as u32 / 4).to_ne_bytes().to_vec();
        let stage = Stage { spirv: &spirv, constants: &[(0, 256)], push, buffers: &[0, 1], groups: [groups, 1, 1] };
        let reference = Reference::new(bench.raw, &[bytes, bytes], &[stage])?;
        reference.write(0, &input)?;
        let work =
            Work { name: format!("copy 2^{exponent}"), times: 10, bytes: 8.0 * len as f64, operations: len as f64 };
        bench.measure(work, &launches, &reference, 1.0)?;
        for (contender, found) in [("gridwise", to.to_vec()?), ("GLSL", reference.read(1)?)] {
            if found != input {
                let detail = "the copy differs".to_owned();
                return Err(BenchError::WrongResult { contender: contender.to_owned(), detail }.into());
            }
        }
    }
    Ok(())
}
