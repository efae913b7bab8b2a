//! Whole steps of training a perceptron of two layers: loss, gradient, descent. Recorded once and replayed, by the clock.

use std::path::{Path, PathBuf};
use std::time::Instant;

use gridwise::prelude::*;
use gridwise_benches::{Error as BenchError, Figure, Goal, Samples, Summary};

use crate::error::Error;
use crate::kernels::{HIDDEN, Predict};
use crate::{Bench, numbers};

/// Features, and one column of ones.
const COLUMNS: usize = 31;
/// Steps between two looks at the clock.
const STEPS: usize = 100;

/// One step down, which leaves zeros for the next gradient.
#[kernel(workgroup = 64)]
fn descend(rate: f32, gradient: &mut [f32], weights: &mut [f32]) {
    let i = global_id().x;
    weights[i] -= rate * gradient[i];
    gradient[i] = 0.0;
}

/// Measures steps at some sizes, and puts the peers' beside them: lines `training N samples … µs`.
pub(crate) fn bench(bench: &mut Bench<'_>, peers: &[PathBuf]) -> Result<(), Error> {
    for samples in if bench.is_gpu { &[569, 8192, 65536][..] } else { &[569][..] } {
        let name = format!("training {samples} samples");
        let (ours, losses) = measured(bench, *samples)?;
        bench.report.notes.push(format!("{name}: the loss goes from {:.4} to {:.4}", losses.0, losses.1));
        let mut found = false;
        for path in peers {
            if let Some(microseconds) = time_in(path, &name)? {
                let peer = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
                let theirs =
                    Summary { median: microseconds, p10: microseconds, p90: microseconds, noise: 0.0, runs: 1 };
                let goals = vec![Goal::Ratio(1.0)];
                bench.report.figures.push(Figure { name: name.clone(), unit: "step", peer, ours, theirs, goals });
                found = true;
            }
        }
        if !found {
            bench.report.notes.push(format!("{name}: {:.1} µs a step, nothing beside it", ours.median));
        }
    }
    Ok(())
}

/// The time of a step, and the first and last loss.
fn measured(bench: &Bench<'_>, samples: usize) -> Result<(Summary, (f32, f32)), Error> {
    let (mgr, units) = (bench.manager, HIDDEN as usize);
    let mut table: Vec<f32> = numbers(samples * COLUMNS).iter().map(|value| 2.0 * value - 1.0).collect();
    table[samples * (COLUMNS - 1)..].fill(1.0);
    // What the model has to find out: the sign of a product of two features.
    let labels: Vec<f32> =
        (0..samples).map(|sample| f32::from(table[sample] * table[samples + sample] > 0.0)).collect();
    let weights = |count: usize| -> Vec<f32> { numbers(count).iter().map(|value| value - 0.5).collect() };
    let (values, labels) = (mgr.tensor(&table)?, mgr.tensor(&labels)?);
    let (mut first, mut second) = (mgr.tensor(&weights(units * COLUMNS))?, mgr.tensor(&weights(units + 1))?);
    let (mut d_first, mut d_second) =
        (mgr.tensor(&vec![0.0f32; units * COLUMNS])?, mgr.tensor(&vec![0.0f32; units + 1])?);
    let mut loss = mgr.tensor_of_len::<f32>(samples)?;
    let share = mgr.tensor(&vec![1.0 / samples as f32; samples])?;
    let (grid, rate) = (Grid::items(samples), 0.5);

    let seq = mgr.sequence()?;
    for _ in 0..STEPS {
        Predict::dispatch(&seq, grid, &values, &labels, &first, &second, &mut loss)?;
        Predict::backward(&seq, grid, &values, &labels, &first, &mut d_first, &second, &mut d_second, &loss, &share)?;
        Descend::dispatch(&seq, Grid::items(units * COLUMNS), rate, &mut d_first, &mut first)?;
        Descend::dispatch(&seq, Grid::items(units + 1), rate, &mut d_second, &mut second)?;
    }
    let mean = |loss: &Tensor<f32>| Ok::<_, Error>(loss.to_vec()?.iter().sum::<f32>() / samples as f32);
    seq.eval()?;
    let before = mean(&loss)?;
    let mut taken = Samples::default();
    for turn in 0..3 + bench.runs {
        let start = Instant::now();
        seq.eval()?;
        if turn >= 3 {
            taken.push(start.elapsed());
        }
    }
    let after = mean(&loss)?;
    let falls = after < before;
    if !falls {
        let detail = format!("the loss goes from {before} to {after}");
        return Err(BenchError::WrongResult { contender: "gridwise, training".to_owned(), detail }.into());
    }
    Ok((taken.summary(STEPS), (before, after)))
}

/// The time that a file has for a workload.
fn time_in(path: &Path, name: &str) -> Result<Option<f64>, Error> {
    let text = std::fs::read_to_string(path).map_err(BenchError::file(path))?;
    let time = |line: &str| line.strip_prefix(name)?.trim().strip_suffix("µs")?.trim().parse().ok();
    Ok(text.lines().find_map(time))
}
