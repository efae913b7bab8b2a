//! A perceptron of two layers, trained by derived gradients and by gradients written by hand, to the same weights.
//!
//! The data is the Wisconsin breast-cancer table, 569 samples of 30 features. The run fails unless the model tells at least 98 % of the
//! samples apart and both trainings agree in every weight. The loss curves are written as an SVG.

use std::{path::Path, process::ExitCode, sync::atomic::Ordering::Relaxed};

use gridwise::prelude::*;
use gridwise_examples::{Curve, Outcome, Table, difference, draw_losses, finish, output};

#[device]
const HIDDEN: u32 = 6;
const STEPS: usize = 150;
const RATE: f32 = 0.5;

/// The units' weighted sum of the features of a sample, one after another in `table`.
#[device]
fn weighted(table: &[f32], weights: &[f32], unit: u32, sample: u32, samples: u32) -> f32 {
    let features = weights.len() as u32 / HIDDEN;
    let mut sum = 0.0;
    for feature in 0..features {
        sum += weights[unit * features + feature] * table[feature * samples + sample];
    }
    sum
}

/// The logistic loss of each sample.
#[kernel(workgroup = 64, grad(first, second))]
fn predict(table: &[f32], label: &[f32], first: &[f32], second: &[f32], loss: &mut [f32]) {
    let sample = global_id().x;
    let mut score = second[HIDDEN];
    for unit in 0..HIDDEN {
        score += second[unit] * weighted(table, first, unit, sample, label.len() as u32).tanh();
    }
    // ln(1 + e^score) - label · score, in the form that does not overflow.
    loss[sample] = score.max(0.0) - label[sample] * score + (1.0 + (-score.abs()).exp()).ln();
}

/// The gradient of the mean loss, as one writes it without `grad`.
#[kernel(workgroup = 64)]
fn by_hand(
    table: &[f32],
    label: &[f32],
    first: &[f32],
    second: &[f32],
    d_first: &[Atomic<f32>],
    d_second: &[Atomic<f32>],
) {
    let sample = global_id().x;
    let samples = label.len() as u32;
    let features = first.len() as u32 / HIDDEN;
    let mut hidden = [0.0f32; HIDDEN as usize];
    let mut score = second[HIDDEN];
    for unit in 0..HIDDEN {
        hidden[unit] = weighted(table, first, unit, sample, samples).tanh();
        score += second[unit] * hidden[unit];
    }
    let error = (1.0 / (1.0 + (-score).exp()) - label[sample]) / samples as f32;
    d_second[HIDDEN].fetch_add(error, Relaxed);
    for unit in 0..HIDDEN {
        d_second[unit].fetch_add(error * hidden[unit], Relaxed);
        let slope = error * second[unit] * (1.0 - hidden[unit] * hidden[unit]);
        for feature in 0..features {
            d_first[unit * features + feature].fetch_add(slope * table[feature * samples + sample], Relaxed);
        }
    }
}

/// One step down, which leaves zeros for the next gradient.
#[kernel(workgroup = 64)]
fn descend(rate: f32, gradient: &mut [f32], weights: &mut [f32]) {
    let i = global_id().x;
    weights[i] -= rate * gradient[i];
    gradient[i] = 0.0;
}

struct Model {
    first: Vec<f32>,
    second: Vec<f32>,
    losses: Vec<f32>,
}

fn main() -> ExitCode {
    finish(run())
}

fn run() -> Outcome {
    let output = output("perceptron", "FILE.svg", "target/perceptron.svg")?;
    let table = Table::read(include_str!("data/breast_cancer.csv"))?;
    let mgr = Manager::new()?;
    println!("device: {}", mgr.device());
    let derived = train(&mgr, &table, true)?;
    let by_hand = train(&mgr, &table, false)?;

    let accuracy = accuracy(&table, &derived);
    println!("accuracy on the training set: {:.1} %", 100.0 * accuracy);
    if accuracy < 0.98 {
        return Err("the accuracy is under 98 %".into());
    }
    let all = |model: &Model| [model.first.as_slice(), &model.second].concat();
    let (derived_weights, weights) = (all(&derived), all(&by_hand));
    let off = difference(&derived_weights, &weights);
    if off > 1e-3 {
        return Err(format!("a weight differs by {off} from that of the gradients by hand").into());
    }
    println!("checked: {} weights within {off:.1e} of those of the gradients by hand", weights.len());
    let curves =
        [("by hand", &by_hand), ("derived", &derived)].map(|(name, model)| Curve { name, losses: &model.losses });
    draw_losses(Path::new(&output), "Perceptron: mean loss per step", "step", &curves)?;
    println!("wrote: {output}");
    Ok(())
}

/// Weights to begin with: small, and all different.
fn first_weights(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 7919 % 1000) as f32 / 1000.0 - 0.5) * 0.6).collect()
}

fn train(mgr: &Manager, table: &Table, is_derived: bool) -> gridwise::Result<Model> {
    let (samples, columns) = (table.samples, table.columns);
    let (values, labels) = (mgr.tensor(&table.values)?, mgr.tensor(&table.labels)?);
    let (units, grid) = (HIDDEN as usize, Grid::items(samples as u32));
    let mut first = mgr.tensor(&first_weights(units * columns))?;
    let mut second = mgr.tensor(&first_weights(units + 1))?;
    let mut d_first = mgr.tensor(&vec![0.0f32; units * columns])?;
    let mut d_second = mgr.tensor(&vec![0.0f32; units + 1])?;
    let mut loss = mgr.tensor_of_len::<f32>(samples)?;
    let share = mgr.tensor(&vec![1.0 / samples as f32; samples])?;

    let seq = mgr.sequence()?;
    Predict::dispatch(&seq, grid, &values, &labels, &first, &second, &mut loss)?;
    if is_derived {
        Predict::backward(&seq, grid, &values, &labels, &first, &mut d_first, &second, &mut d_second, &loss, &share)?;
    } else {
        ByHand::dispatch(&seq, grid, &values, &labels, &first, &second, &d_first, &d_second)?;
    }
    Descend::dispatch(&seq, Grid::items((units * columns) as u32), RATE, &mut d_first, &mut first)?;
    Descend::dispatch(&seq, Grid::items(units as u32 + 1), RATE, &mut d_second, &mut second)?;

    let mut losses = Vec::with_capacity(STEPS);
    for step in 0..STEPS {
        seq.eval()?;
        let mean = loss.to_vec()?.iter().sum::<f32>() / samples as f32;
        losses.push(mean);
        if is_derived && (step % 30 == 0 || step + 1 == STEPS) {
            println!("step {step:3}  loss {mean:.4}");
        }
    }
    Ok(Model { first: first.to_vec()?, second: second.to_vec()?, losses })
}

/// The share of samples that the model tells right.
fn accuracy(table: &Table, model: &Model) -> f64 {
    let units = HIDDEN as usize;
    let is_right = |&sample: &usize| {
        let unit = |unit: usize| {
            let weights = &model.first[unit * table.columns..][..table.columns];
            model.second[unit] * table.weighted(sample, weights).tanh()
        };
        let score: f32 = model.second[units] + (0..units).map(unit).sum::<f32>();
        (score > 0.0) == (table.labels[sample] > 0.5)
    };
    (0..table.samples).filter(is_right).count() as f64 / table.samples as f64
}
