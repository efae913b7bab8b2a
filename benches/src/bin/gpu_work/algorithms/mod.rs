//! Algorithms for which there is no reference shader, beside NVIDIA's libraries and PyTorch, whose programs (`peers/algorithms.cu`,
//! `peers/torch_algorithms.py`) do the same work on the same numbers: times, and one weighted sum of each result.

pub(crate) mod matrices;
pub(crate) mod runs;
pub(crate) mod signals;
pub(crate) mod sorted;

use gridwise::ops::Op;
use gridwise_benches::Error as BenchError;

use crate::error::Error;
use crate::work::{Bench, Launches, Work, unit, word};

/// How far weighted sums of integers may differ, which are added as `f64`; for each of their weighted magnitudes.
const EXACT: f64 = 1e-9;
/// How far those of floats may, which sides add in orders of their own.
const ROUNDED: f64 = 1e-5;

/// An algorithm to measure: what it is called, how many of it make a run, bytes that have to be read and written, operations.
struct Job {
    name: String,
    times: u32,
    bytes: usize,
    operations: usize,
}

impl Job {
    /// Measures it, with nothing in the same program beside it.
    fn measure(&self, bench: &mut Bench<'_>, op: impl Op + 'static) -> Result<(), Error> {
        let (bytes, operations) = (self.bytes as f64, self.operations as f64);
        let work = Work { name: self.name.clone(), times: self.times, bytes, operations };
        bench.measure_alone(work, &Launches::default().with_op(op))
    }

    /// Compares all elements of our result with those that the host computed, and a sum of them with the peers'.
    fn compare<T: Element>(&self, bench: &Bench<'_>, found: &[T], expected: &[f64]) -> Result<(), Error> {
        // So that a number that is none is wrong, too.
        let is_right = |(found, expected): (&T, &f64)| {
            let tolerance = if T::IS_EXACT { 0.0 } else { ROUNDED * expected.abs().max(1.0) };
            (found.number() - expected).abs() <= tolerance
        };
        let place = found.iter().zip(expected).position(|pair| !is_right(pair));
        if found.len() != expected.len() || place.is_some() {
            let detail = format!("{}: {} elements of {}, place {place:?}", self.name, found.len(), expected.len());
            return Err(BenchError::WrongResult { contender: "gridwise".to_owned(), detail }.into());
        }
        self.agree(bench, found)
    }

    /// Compares a sum of all elements of our result with the peers'.
    fn agree<T: Element>(&self, bench: &Bench<'_>, found: &[T]) -> Result<(), Error> {
        let (mut sum, mut magnitude) = (0.0, 0.0);
        for (place, element) in found.iter().enumerate() {
            let weight = (1 + place % 1009) as f64;
            sum += weight * element.number();
            magnitude += weight * element.number().abs();
        }
        let tolerance = magnitude * if T::IS_EXACT { EXACT } else { ROUNDED };
        bench.peers.agree(&self.name, sum, tolerance)
    }
}

/// A number of a result.
trait Element: Copy {
    const IS_EXACT: bool;

    fn number(self) -> f64;
}

impl Element for u32 {
    const IS_EXACT: bool = true;

    fn number(self) -> f64 {
        self.into()
    }
}

impl Element for f32 {
    const IS_EXACT: bool = false;

    fn number(self) -> f64 {
        self.into()
    }
}

/// Random numbers from 0 to 1: of all there are, so many from one on.
fn floats(first: usize, len: usize) -> Vec<f32> {
    (first..first + len).map(|place| unit(word(place))).collect()
}

/// Random numbers around zero.
fn around_zero(first: usize, len: usize) -> Vec<f32> {
    floats(first, len).into_iter().map(|number| number - 0.5).collect()
}
