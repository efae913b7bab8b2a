//! Running sums: `OpScan`, which reads twice, against a scan in one pass with look-back.

use gridwise::algorithms::OpScan;
use gridwise_benches::Error as BenchError;
use gridwise_benches::raw::{Reference, Stage};

use crate::error::Error;
use crate::work::{Bench, Launches, Work, random_words};

pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let spirv = bench.shaders.module("scan")?;
    for exponent in bench.pick(&[16, 20][..], &[22, 28]) {
        let len = 1usize << exponent;
        let input = random_words(len);
        let (x, mut sums) = (bench.manager.tensor(&input)?, bench.manager.tensor_of_len::<u32>(len)?);
        let launches = Launches::default().with_op(OpScan::exclusive(&x, &mut sums)?);
        let tiles = len.div_ceil(4096);
        let push = (len as u32 / 4).to_ne_bytes().to_vec();
        let groups = [tiles as u32, 1, 1];
        let stage = Stage { spirv: &spirv, constants: &[(0, 256)], push, buffers: &[0, 1, 2, 3], groups };
        let sizes = [4 * len as u64, 4 * len as u64, 8 * tiles as u64, 16];
        let mut reference = Reference::new(bench.raw, &sizes, &[stage])?;
        reference.zero_before(0, &[2, 3]);
        reference.write(0, &input)?;
        let work =
            Work { name: format!("scan 2^{exponent}"), times: 10, bytes: 8.0 * len as f64, operations: len as f64 };
        bench.measure(work, &launches, &reference, 1.0)?;
        for (contender, found) in [("gridwise", sums.to_vec()?), ("GLSL", reference.read(1)?)] {
            let mut sum = 0u32;
            let is_right = |(found, value): (&u32, &u32)| {
                let before = sum;
                sum = sum.wrapping_add(*value);
                *found == before
            };
            if let Some(place) = found.iter().zip(&input).map(is_right).position(|is_right| !is_right) {
                let detail = format!("at {place}");
                return Err(BenchError::WrongResult { contender: contender.to_owned(), detail }.into());
            }
        }
    }
    Ok(())
}
