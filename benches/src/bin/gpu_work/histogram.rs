//! Histograms of bytes: `OpHistogram` against 16-byte reads; bytes of all values, and of one. Then the same of words.

use gridwise::algorithms::OpHistogram;
use gridwise_benches::Error as BenchError;
use gridwise_benches::raw::{Reference, Stage};

use crate::error::Error;
use crate::work::{Bench, Launches, Work, random_words};

pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let spirv = bench.shaders.module("histogram")?;
    let exponent = bench.pick(18, 30);
    let len = 1usize << exponent;
    for (values, input) in [("uniform", random_words(len / 4)), ("one bin", vec![0x4d4d_4d4d; len / 4])] {
        let bytes: &[u8] = bytemuck::cast_slice(&input);
        let (x, mut bins) = (bench.manager.tensor(bytes)?, bench.manager.tensor_of_len::<u32>(256)?);
        let launches = Launches::default().with_op(OpHistogram::new(&x, 0, &mut bins)?);
        let push = (len as u32 / 16).to_ne_bytes().to_vec();
        let groups = [132 * 8, 1, 1];
        let stage = Stage { spirv: &spirv, constants: &[(0, 256)], push, buffers: &[0, 1], groups };
        let mut reference = Reference::new(bench.raw, &[len as u64, 1024], &[stage])?;
        reference.zero_before(0, &[1]);
        reference.write(0, &input)?;
        let work = Work {
            name: format!("histogram of bytes 2^{exponent}, {values}"),
            times: 5,
            bytes: len as f64,
            operations: len as f64,
        };
        bench.measure(work, &launches, &reference, 1.0)?;
        let mut expected = [0u32; 256];
        bytes.iter().for_each(|byte| expected[usize::from(*byte)] += 1);
        for (contender, found) in [("gridwise", bins.to_vec()?), ("GLSL", reference.read(1)?)] {
            if found != expected {
                let detail = "the counts differ".to_owned();
                return Err(BenchError::WrongResult { contender: contender.to_owned(), detail }.into());
            }
        }
    }
    words(bench)
}

/// Words below 256, for which there is no reference.
fn words(bench: &mut Bench<'_>) -> Result<(), Error> {
    let exponent = bench.pick(16, 28);
    let len = 1usize << exponent;
    for (values, input) in
        [("uniform", random_words(len).into_iter().map(|word| word >> 24).collect()), ("one bin", vec![0x4d; len])]
    {
        let input: Vec<u32> = input;
        let (x, mut bins) = (bench.manager.tensor(&input)?, bench.manager.tensor_of_len::<u32>(256)?);
        let launches = Launches::default().with_op(OpHistogram::new(&x, 0, &mut bins)?);
        let work = Work {
            name: format!("histogram of words 2^{exponent}, {values}"),
            times: 5,
            bytes: 4.0 * len as f64,
            operations: len as f64,
        };
        bench.measure_alone(work, &launches)?;
        let mut expected = [0u32; 256];
        input.iter().for_each(|word| expected[*word as usize] += 1);
        if bins.to_vec()? != expected {
            let detail = "the counts of words differ".to_owned();
            return Err(BenchError::WrongResult { contender: "gridwise".to_owned(), detail }.into());
        }
    }
    Ok(())
}
