//! Fourier transforms of images and of real numbers, and random numbers.

use std::f64::consts::TAU;

use gridwise::algorithms::{OpFft, OpRandom};
use gridwise::prelude::*;
use gridwise_benches::Error as BenchError;

use super::{Job, around_zero};
use crate::error::Error;
use crate::work::Bench;

pub(crate) fn images(bench: &mut Bench<'_>) -> Result<(), Error> {
    let (log, count) = bench.pick((4u32, 2usize), (10, 64));
    let side = 1usize << log;
    let points = count * side * side;
    let numbers = around_zero(0, 2 * points);
    let input: Vec<Vec2> = numbers.as_chunks().0.iter().map(|pair| Vec2::from_array(*pair)).collect();
    let (x, mut y) = (bench.manager.tensor(&input)?, bench.manager.tensor_of_len::<Vec2>(points)?);
    let job = Job {
        name: format!("fft {side}×{side} × {count}"),
        times: 3,
        bytes: 16 * points,
        operations: 10 * points * log as usize,
    };
    job.measure(bench, OpFft::forward_2d([side as u32; 2], &x, &mut y)?)?;
    let found = y.to_vec()?;
    for (image, row, column) in [(0, 0, 0), (0, 1, side - 1), (count - 1, side / 2 + 1, 3)] {
        let image = image * side * side;
        let turn = |at: usize| (at / side * row + at % side * column) % side;
        let expected = frequency(side, (0..side * side).map(|at| (input[image + at].as_dvec2().to_array(), turn(at))));
        is_near(found[image + row * side + column], expected, side as f64)?;
    }
    job.agree(bench, &flat(&found))
}

pub(crate) fn real(bench: &mut Bench<'_>) -> Result<(), Error> {
    let (log, count) = bench.pick((8u32, 3usize), (20, 64));
    let (len, half) = (1usize << log, (1usize << log) / 2 + 1);
    let numbers = around_zero(0, len * count);
    let (x, mut y) = (bench.manager.tensor(&numbers)?, bench.manager.tensor_of_len::<Vec2>(half * count)?);
    let job = Job {
        name: format!("real fft 2^{log} × {count}"),
        times: 3,
        bytes: 4 * len * count + 8 * half * count,
        operations: 5 * len * count * log as usize / 2,
    };
    job.measure(bench, OpFft::forward_real(len as u32, &x, &mut y)?)?;
    let found = y.to_vec()?;
    for (transform, k) in [(0, 0), (0, 1), (count - 1, len / 3), (count - 1, len / 2)] {
        let numbers = &numbers[transform * len..][..len];
        let terms = numbers.iter().enumerate().map(|(j, number)| ([f64::from(*number), 0.0], j * k % len));
        is_near(found[transform * half + k], frequency(len, terms), (len as f64).sqrt())?;
    }
    job.agree(bench, &flat(&found))
}

/// The sum of numbers, each turned back by so many parts of a circle.
fn frequency(parts: usize, terms: impl Iterator<Item = ([f64; 2], usize)>) -> [f64; 2] {
    terms.fold([0.0, 0.0], |sum, ([re, im], turn)| {
        let (sin, cos) = (-TAU / parts as f64 * turn as f64).sin_cos();
        [sum[0] + re * cos - im * sin, sum[1] + re * sin + im * cos]
    })
}

fn is_near(found: Vec2, expected: [f64; 2], magnitude: f64) -> Result<(), Error> {
    let error = (f64::from(found.x) - expected[0]).hypot(f64::from(found.y) - expected[1]);
    if error <= 1e-5 * magnitude {
        return Ok(());
    }
    let detail = format!("{found}, expected {expected:?}");
    Err(BenchError::WrongResult { contender: "gridwise".to_owned(), detail }.into())
}

/// The parts of complex numbers one after the other.
fn flat(numbers: &[Vec2]) -> Vec<f32> {
    numbers.iter().flat_map(|number| number.to_array()).collect()
}

/// Random numbers, which each library takes from the same generator in an order of its own: mean and deviation are compared.
pub(crate) fn random(bench: &mut Bench<'_>) -> Result<(), Error> {
    let exponent = bench.pick(16u32, 28);
    let len = 1usize << exponent;
    let mut x = bench.manager.tensor_of_len::<f32>(len)?;
    let job =
        |kind: &str| Job { name: format!("{kind} numbers 2^{exponent}"), times: 5, bytes: 4 * len, operations: len };
    job("uniform").measure(bench, OpRandom::uniform(7, 0, &mut x)?)?;
    is_distributed(&x.to_vec()?, 0.5, (1.0f64 / 12.0).sqrt())?;
    job("normal").measure(bench, OpRandom::normal(7, 0, 0.0f32, 1.0, &mut x)?)?;
    is_distributed(&x.to_vec()?, 0.0, 1.0)
}

fn is_distributed(numbers: &[f32], mean: f64, deviation: f64) -> Result<(), Error> {
    let len = numbers.len() as f64;
    let found = numbers.iter().map(|number| f64::from(*number)).sum::<f64>() / len;
    let squares = numbers.iter().map(|number| (f64::from(*number) - found).powi(2)).sum::<f64>();
    let spread = (squares / len).sqrt();
    // Six times the error that these have in samples of this size.
    let tolerance = 6.0 * deviation / len.sqrt();
    if (found - mean).abs() <= tolerance && (spread - deviation).abs() <= tolerance {
        return Ok(());
    }
    let detail = format!("a mean of {found} and a deviation of {spread}, expected {mean} and {deviation}");
    Err(BenchError::WrongResult { contender: "gridwise".to_owned(), detail }.into())
}
