//! Segments of random lengths, and runs of equal keys: reductions, scans, what is unique, what marks select, lengths.

use gridwise::algorithms::{OpReduce, OpRunLengths, OpScan, OpSelect, OpUnique};

use super::{Job, floats};
use crate::error::Error;
use crate::work::{Bench, word};

/// How long runs are on average.
const LENGTHS: [u32; 2] = [8, 1000];

/// Elements in runs, with the number of its run as the key of each.
struct Input {
    name: String,
    keys: Vec<u32>,
    /// The first element of each run, and the number of all elements.
    starts: Vec<u32>,
    numbers: Vec<f32>,
}

impl Input {
    fn all(bench: &Bench<'_>) -> impl Iterator<Item = Self> + use<> {
        let exponents = bench.pick(&[12u32][..], &[22, 26]);
        exponents.iter().flat_map(|exponent| LENGTHS.map(|length| Self::new(*exponent, length)))
    }

    fn new(exponent: u32, length: u32) -> Self {
        let len = 1usize << exponent;
        let (mut keys, mut starts) = (Vec::with_capacity(len), Vec::new());
        for place in 0..len {
            if place == 0 || word(place).is_multiple_of(length) {
                starts.push(place as u32);
            }
            keys.push(starts.len() as u32);
        }
        starts.push(len as u32);
        Self { name: format!("2^{exponent}, runs of {length}"), keys, starts, numbers: floats(len, len) }
    }

    /// Marks of the first element of each run.
    fn marks(&self) -> Vec<u32> {
        let mut marks = vec![0; self.keys.len()];
        let (_, firsts) = self.starts.split_last().unwrap_or((&0, &[]));
        firsts.iter().for_each(|start| marks[*start as usize] = 1);
        marks
    }

    fn runs(&self) -> impl Iterator<Item = &[f32]> {
        self.starts.windows(2).map(|ends| &self.numbers[ends[0] as usize..ends[1] as usize])
    }

    /// A job that reads and writes so many bytes for each element, and so many for each run.
    fn job(&self, name: &str, for_element: usize, for_run: usize) -> Job {
        let len = self.keys.len();
        let bytes = for_element * len + for_run * self.starts.len();
        Job { name: format!("{name} {}", self.name), times: 5, bytes, operations: len }
    }
}

fn sum(run: &[f32]) -> f64 {
    run.iter().map(|number| f64::from(*number)).sum()
}

/// Reductions and scans of segments, given by their starts or by keys.
pub(crate) fn segments(bench: &mut Bench<'_>) -> Result<(), Error> {
    for input in Input::all(bench) {
        let (len, count) = (input.keys.len(), input.starts.len() - 1);
        let (keys, x) = (bench.manager.tensor(&input.keys)?, bench.manager.tensor(&input.numbers)?);
        let expected: Vec<f64> = input.runs().map(sum).collect();

        let (mut unique, mut sums) =
            (bench.manager.tensor_of_len::<u32>(len)?, bench.manager.tensor_of_len::<f32>(len)?);
        let mut found = bench.manager.tensor_of_len::<u32>(1)?;
        let job = input.job("sums by key", 8, 8);
        job.measure(bench, OpReduce::sum_by_key((&keys, &x), (&mut unique, &mut sums), &mut found)?)?;
        let found = found.to_vec()?[0] as usize;
        job.compare(bench, &sums.to_vec()?[..found], &expected)?;

        let (starts, mut sums) = (bench.manager.tensor(&input.starts)?, bench.manager.tensor_of_len::<f32>(count)?);
        let job = input.job("sums of segments", 4, 8);
        job.measure(bench, OpReduce::sum_of_segments(&starts, &x, &mut sums)?)?;
        job.compare(bench, &sums.to_vec()?, &expected)?;

        let mut sums = bench.manager.tensor_of_len::<f32>(len)?;
        let job = input.job("inclusive scan by key", 12, 0);
        job.measure(bench, OpScan::inclusive_by_key(&keys, &x, &mut sums)?)?;
        let running = input.runs().flat_map(|run| {
            run.iter().scan(0.0, |sum, number| {
                *sum += f64::from(*number);
                Some(*sum)
            })
        });
        job.compare(bench, &sums.to_vec()?, &running.collect::<Vec<_>>())?;
    }
    Ok(())
}

/// The first of each run, found by keys and by marks, and how long each is.
pub(crate) fn runs(bench: &mut Bench<'_>) -> Result<(), Error> {
    for input in Input::all(bench) {
        let len = input.keys.len();
        let keys = bench.manager.tensor(&input.keys)?;
        let (mut unique, mut count) =
            (bench.manager.tensor_of_len::<u32>(len)?, bench.manager.tensor_of_len::<u32>(1)?);
        let job = input.job("unique", 4, 4);
        job.measure(bench, OpUnique::new(&keys, &mut unique, &mut count)?)?;
        let expected: Vec<f64> = (1..input.starts.len()).map(|key| key as f64).collect();
        job.compare(bench, &unique.to_vec()?[..count.to_vec()?[0] as usize], &expected)?;

        let (x, marks) = (bench.manager.tensor(&input.numbers)?, bench.manager.tensor(&input.marks())?);
        let mut selected = bench.manager.tensor_of_len::<f32>(len)?;
        let job = input.job("select", 4, 8);
        job.measure(bench, OpSelect::new(&x, &marks, &mut selected, &mut count)?)?;
        let expected: Vec<f64> = input.runs().map(|run| f64::from(run[0])).collect();
        job.compare(bench, &selected.to_vec()?[..count.to_vec()?[0] as usize], &expected)?;

        let mut lengths = bench.manager.tensor_of_len::<u32>(len)?;
        let job = input.job("run lengths", 4, 8);
        job.measure(bench, OpRunLengths::new(&keys, &mut unique, &mut lengths, &mut count)?)?;
        let expected: Vec<f64> = input.runs().map(|run| run.len() as f64).collect();
        job.compare(bench, &lengths.to_vec()?[..count.to_vec()?[0] as usize], &expected)?;
    }
    Ok(())
}
