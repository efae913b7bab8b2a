//! Sorting words by radix: `OpSort` against a sort in one sweep per digit; and keys with values.

use gridwise::algorithms::OpSort;
use gridwise_benches::Error as BenchError;
use gridwise_benches::raw::{Reference, Stage};

use crate::error::Error;
use crate::work::{Bench, Launches, Work, random_words};

/// Keys of a workgroup of the reference.
const TILE: usize = 4096;

pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    keys(bench)?;
    for exponent in bench.pick(&[16][..], &[24, 28]) {
        pairs(bench, *exponent)?;
    }
    Ok(())
}

/// Keys with a value each, for which there is no reference.
fn pairs(bench: &mut Bench<'_>, exponent: u32) -> Result<(), Error> {
    let len = 1usize << exponent;
    let input = random_words(len);
    let numbers: Vec<u32> = (0..len as u32).collect();
    let (x, mut keys) = (bench.manager.tensor(&input)?, bench.manager.tensor_of_len::<u32>(len)?);
    let (from, mut values) = (bench.manager.tensor(&numbers)?, bench.manager.tensor_of_len::<u32>(len)?);
    let launches = Launches::default().with_op(OpSort::by_key_into((&x, &from), (&mut keys, &mut values))?);
    let name = format!("sort by key 2^{exponent}");
    let work = Work { name, times: 3, bytes: 68.0 * len as f64, operations: 4.0 * len as f64 };
    bench.measure_alone(work, &launches)?;
    let mut expected: Vec<(u32, u32)> = input.into_iter().zip(0..).collect();
    expected.sort_unstable();
    let found = keys.to_vec()?.into_iter().zip(values.to_vec()?);
    if !expected.into_iter().eq(found) {
        let detail = "pairs not in order".to_owned();
        return Err(BenchError::WrongResult { contender: "gridwise".to_owned(), detail }.into());
    }
    Ok(())
}

fn keys(bench: &mut Bench<'_>) -> Result<(), Error> {
    let modules = [
        bench.shaders.module("radix_hist")?,
        bench.shaders.module("radix_scan")?,
        bench.shaders.module("radix_onesweep")?,
    ];
    if bench.manager.device().limits.subgroup.size != 32 {
        bench.report.notes.push("sort: the reference is for subgroups of 32".to_owned());
        return Ok(());
    }
    for exponent in bench.pick(&[16, 18][..], &[24, 28]) {
        let len = 1usize << exponent;
        let input = random_words(len);
        let (x, mut keys) = (bench.manager.tensor(&input)?, bench.manager.tensor_of_len::<u32>(len)?);
        let launches = Launches::default().with_op(OpSort::into(&x, &mut keys)?);
        let tiles = len.div_ceil(TILE);
        let bytes = 4 * len as u64;
        // Input, both sides of the passes, digits, states, ticket.
        let sizes = [bytes, bytes, bytes, 4096, 1024 * tiles as u64, 16];
        let count = len as u32;
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>();
        let groups = [(len / 4).div_ceil(256).min(132 * 8) as u32, 1, 1];
        let mut stages = vec![
            Stage { spirv: &modules[0], constants: &[(0, 256)], push: words(&[count]), buffers: &[0, 3], groups },
            Stage { spirv: &modules[1], constants: &[], push: Vec::new(), buffers: &[3], groups: [4, 1, 1] },
        ];
        let sides: [&[usize]; 4] = [&[0, 1, 3, 4, 5], &[1, 2, 3, 4, 5], &[2, 1, 3, 4, 5], &[1, 2, 3, 4, 5]];
        for (pass, buffers) in sides.into_iter().enumerate() {
            let push = words(&[count, 8 * pass as u32]);
            let groups = [tiles as u32, 1, 1];
            stages.push(Stage { spirv: &modules[2], constants: &[], push, buffers, groups });
        }
        let mut reference = Reference::new(bench.raw, &sizes, &stages)?;
        reference.zero_before(0, &[3]);
        (2..6).for_each(|stage| reference.zero_before(stage, &[4, 5]));
        reference.write(0, &input)?;
        let work = Work {
            name: format!("sort 2^{exponent}"),
            times: 3,
            bytes: 36.0 * len as f64,
            operations: 4.0 * len as f64,
        };
        bench.measure(work, &launches, &reference, 1.0)?;
        let mut expected = input;
        expected.sort_unstable();
        for (contender, found) in [("gridwise", keys.to_vec()?), ("GLSL", reference.read(2)?)] {
            if found != expected {
                let detail = "not in order".to_owned();
                return Err(BenchError::WrongResult { contender: contender.to_owned(), detail }.into());
            }
        }
    }
    Ok(())
}
