//! Training as a recorded sequence: two kernels, recorded once and replayed for each step. Needs neither atomics nor shared
//! memory: one invocation per sample computes an error, then one per feature sums them up.
//!
//! The data is the Wisconsin breast-cancer table, 569 samples of 30 features. The run fails unless the model tells at
//! least 97 % of the samples apart and its weights are those of the host device. The loss curve is written as an SVG.

use std::{path::Path, process::ExitCode};

use gridwise::prelude::*;
use gridwise_examples::{Curve, Outcome, Table, difference, draw_losses, finish, output};
use indicatif::{ProgressBar, ProgressStyle};

/// The probability that `score` stands for.
#[device]
fn sigmoid(score: f32) -> f32 {
    1.0 / (1.0 + (-score).exp())
}

/// For each sample, how far the prediction is from the label, and the logistic loss.
///
/// `table` holds the features one after another, each with `label.len()` samples.
#[kernel(workgroup = 64)]
fn predict(table: &[f32], weights: &[f32], label: &[f32], error: &mut [f32], loss: &mut [f32]) {
    let sample = global_id().x;
    let samples = label.len() as u32;
    let mut score = 0.0;
    for feature in 0..weights.len() as u32 {
        score += weights[feature] * table[feature * samples + sample];
    }
    error[sample] = sigmoid(score) - label[sample];
    // ln(1 + e^score) - label · score, in the form that does not overflow.
    loss[sample] = score.max(0.0) - label[sample] * score + (1.0 + (-score.abs()).exp()).ln();
}

/// One step down the gradient of the mean loss, for each weight.
#[kernel(workgroup = 64)]
fn descend(rate: f32, table: &[f32], error: &[f32], weights: &mut [f32]) {
    let feature = global_id().x;
    let samples = error.len() as u32;
    let mut gradient = 0.0;
    for sample in 0..samples {
        gradient += error[sample] * table[feature * samples + sample];
    }
    weights[feature] -= rate * gradient / samples as f32;
}

const STEPS: usize = 300;
const RATE: f32 = 0.5;

/// The result of a training run.
struct Model {
    weights: Vec<f32>,
    losses: Vec<f32>,
}

fn main() -> ExitCode {
    finish(run())
}

fn run() -> Outcome {
    let output = output("logistic_regression", "FILE.svg", "target/loss.svg")?;
    let table = Table::read(include_str!("data/breast_cancer.csv"))?;

    let mgr = Manager::new()?;
    println!("device: {}", mgr.device());
    println!("data: {} samples, {} features", table.samples, table.columns - 1);
    let model = train(&mgr, &table, true)?;

    let accuracy = accuracy(&table, &model.weights);
    println!("accuracy on the training set: {:.1} %", 100.0 * accuracy);
    if accuracy < 0.97 {
        return Err("the accuracy is under 97 %".into());
    }
    let expected = train(&Manager::host(), &table, false)?;
    let off = difference(&model.weights, &expected.weights);
    if off > 1e-4 {
        return Err(format!("a weight differs by {off} from the host device's").into());
    }
    println!("checked: {} weights within {off:.1e} of the host device's", model.weights.len());

    let curve = Curve { name: "loss", losses: &model.losses };
    draw_losses(Path::new(&output), "Logistic regression: mean loss per step", "step", &[curve])?;
    println!("wrote: {output}");
    Ok(())
}

/// Records one step and replays it.
fn train(mgr: &Manager, table: &Table, show: bool) -> gridwise::Result<Model> {
    let values = mgr.tensor(&table.values)?;
    let labels = mgr.tensor(&table.labels)?;
    let mut weights = mgr.tensor(&vec![0.0f32; table.columns])?;
    let mut error = mgr.tensor_of_len::<f32>(table.samples)?;
    let mut loss = mgr.tensor_of_len::<f32>(table.samples)?;

    let seq = mgr.sequence()?;
    Predict::dispatch(&seq, Grid::items(table.samples as u32), &values, &weights, &labels, &mut error, &mut loss)?;
    Descend::dispatch(&seq, Grid::items(table.columns as u32), RATE, &values, &error, &mut weights)?;

    let bar = if show { ProgressBar::new(STEPS as u64) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} step {pos}/{len}  loss {msg}") {
        bar.set_style(style);
    }
    let mut losses = Vec::with_capacity(STEPS);
    for step in 0..STEPS {
        seq.eval()?;
        let mean = loss.to_vec()?.iter().sum::<f32>() / table.samples as f32;
        losses.push(mean);
        bar.set_message(format!("{mean:.4}"));
        bar.inc(1);
        if show && (step % 50 == 0 || step + 1 == STEPS) {
            bar.suspend(|| println!("step {step:3}  loss {mean:.4}"));
        }
    }
    bar.finish_and_clear();
    Ok(Model { weights: weights.to_vec()?, losses })
}

/// The share of samples on the right side of the model's plane.
fn accuracy(table: &Table, weights: &[f32]) -> f64 {
    let is_right = |&sample: &usize| (table.weighted(sample, weights) > 0.0) == (table.labels[sample] > 0.5);
    (0..table.samples).filter(is_right).count() as f64 / table.samples as f64
}
