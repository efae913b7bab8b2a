//! Two sorted tensors as one, and the largest elements of a tensor.

use gridwise::algorithms::{OpMerge, OpTopK};

use super::{Job, floats};
use crate::error::Error;
use crate::work::{Bench, word};

/// So many random words from one on, sorted.
fn sorted(first: usize, len: usize) -> Vec<u32> {
    let mut words: Vec<u32> = (first..first + len).map(word).collect();
    words.sort_unstable();
    words
}

pub(crate) fn merge(bench: &mut Bench<'_>) -> Result<(), Error> {
    for exponent in bench.pick(&[11u32][..], &[21, 25]) {
        let len = 1usize << exponent;
        let (left, right) = (sorted(0, len), sorted(len, len));
        let numbers: Vec<u32> = (0..2 * len as u32).collect();
        let (a, b) = (bench.manager.tensor(&left)?, bench.manager.tensor(&right)?);
        let mut merged = bench.manager.tensor_of_len::<u32>(2 * len)?;
        let job = |name: &str, bytes| Job {
            name: format!("{name} 2^{exponent} + 2^{exponent}"),
            times: 5,
            bytes: bytes * len,
            operations: 2 * len,
        };
        let keys = job("merge", 16);
        keys.measure(bench, OpMerge::new(&a, &b, &mut merged)?)?;
        // Stable, so that keys of the left are before equal ones of the right.
        let mut expected: Vec<(u32, u32)> = left.into_iter().chain(right).zip(0..).collect();
        expected.sort_by_key(|pair| pair.0);
        let (in_order, places): (Vec<f64>, Vec<f64>) =
            expected.into_iter().map(|(key, place)| (f64::from(key), f64::from(place))).unzip();
        keys.compare(bench, &merged.to_vec()?, &in_order)?;

        let (a_values, b_values) = (bench.manager.tensor(&numbers[..len])?, bench.manager.tensor(&numbers[len..])?);
        let mut values = bench.manager.tensor_of_len::<u32>(2 * len)?;
        let by_key = job("merge by key", 32);
        by_key.measure(bench, OpMerge::by_key((&a, &a_values), (&b, &b_values), (&mut merged, &mut values))?)?;
        by_key.compare(bench, &values.to_vec()?, &places)?;
    }
    Ok(())
}

pub(crate) fn top(bench: &mut Bench<'_>) -> Result<(), Error> {
    for (exponent, count) in bench.pick(&[(12u32, 10usize)][..], &[(22, 100), (26, 100), (26, 10_000)]) {
        let len = 1usize << exponent;
        let numbers = floats(0, len);
        let x = bench.manager.tensor(&numbers)?;
        let (mut values, mut indices) =
            (bench.manager.tensor_of_len::<f32>(*count)?, bench.manager.tensor_of_len::<u32>(*count)?);
        let name = format!("top {count} of 2^{exponent}");
        let job = Job { name, times: 5, bytes: 4 * len, operations: len };
        job.measure(bench, OpTopK::largest(&x, &mut values, &mut indices)?)?;
        let mut expected = numbers;
        expected.sort_unstable_by(|a, b| b.total_cmp(a));
        let expected: Vec<f64> = expected[..*count].iter().map(|number| f64::from(*number)).collect();
        job.compare(bench, &values.to_vec()?, &expected)?;
    }
    Ok(())
}
