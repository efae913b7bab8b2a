//! Fourier transforms of 2^20 complex numbers: `OpFft`.

use std::f64::consts::TAU;

use gridwise::algorithms::OpFft;
use gridwise::prelude::*;
use gridwise_benches::Error as BenchError;

use crate::error::Error;
use crate::work::{Bench, Launches, Work, random_floats};

pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let (exponent, count) = bench.pick((10u32, 4usize), (20, 256));
    let len = 1usize << exponent;
    let input: Vec<Vec2> = random_floats(2 * len * count).chunks_exact(2).map(|v| vec2(v[0], v[1]) - 0.5).collect();
    let (x, mut y) = (bench.manager.tensor(&input)?, bench.manager.tensor_of_len::<Vec2>(len * count)?);
    let launches = Launches::default().with_op(OpFft::forward(len as u32, &x, &mut y)?);
    let points = (len * count) as f64;
    let work = Work {
        name: format!("fft 2^{exponent} × {count}"),
        times: 3,
        bytes: 16.0 * points,
        operations: 5.0 * points * f64::from(exponent),
    };
    bench.measure_alone(work, &launches)?;
    let found = y.to_vec()?;
    // Some frequencies of the first and the last transform, by their definition.
    for (transform, k) in [(0, 0), (0, 1), (0, len / 2 + 1), (count - 1, len / 3), (count - 1, len - 1)] {
        let numbers = &input[transform * len..][..len];
        let step = -TAU / len as f64;
        let expected = numbers.iter().enumerate().fold([0.0, 0.0], |sum, (j, v)| {
            let (sin, cos) = (step * (j * k % len) as f64).sin_cos();
            let (re, im) = (f64::from(v.x), f64::from(v.y));
            [sum[0] + re * cos - im * sin, sum[1] + re * sin + im * cos]
        });
        let value = found[transform * len + k];
        let error = (f64::from(value.x) - expected[0]).hypot(f64::from(value.y) - expected[1]);
        if error > 1e-5 * (len as f64).sqrt() {
            let detail = format!("frequency {k}: {value}, expected {expected:?}");
            return Err(BenchError::WrongResult { contender: "gridwise".to_owned(), detail }.into());
        }
    }
    Ok(())
}
