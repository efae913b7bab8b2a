//! Training as a recorded sequence: two kernels, recorded once and replayed for each step. Needs neither atomics nor shared
//! memory: one invocation per sample computes an error, then one per feature sums them up.
//!
//! The data is the Wisconsin breast-cancer table, 569 samples of 30 features. The run fails unless the model tells at
//! least 97 % of the samples apart and its weights are those of the host device. The loss curve is written as an SVG.

use std::{error::Error, path::Path, process::ExitCode};

use gridwise::prelude::*;
use indicatif::{ProgressBar, ProgressStyle};
use plotters::prelude::*;

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

const CSV: &str = include_str!("data/breast_cancer.csv");
const STEPS: usize = 300;
const RATE: f32 = 0.5;

/// The samples as the kernels read them.
struct Table {
    samples: u32,
    /// One weight per feature, and one for the constant 1.
    columns: u32,
    /// Column after column, each standardised to mean 0 and deviation 1.
    values: Vec<f32>,
    /// 0 malignant, 1 benign.
    labels: Vec<f32>,
}

/// The result of a training run.
struct Model {
    weights: Vec<f32>,
    losses: Vec<f32>,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let output = parse_output(std::env::args().skip(1))?;
    let table = read_table(CSV)?;

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
    let pairs = model.weights.iter().zip(&expected.weights);
    let difference = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    // Also catches NaN, which compares as false.
    let close = difference <= 1e-4 && model.weights.iter().all(|weight| weight.is_finite());
    if !close {
        return Err(format!("a weight differs by {difference} from the host device's").into());
    }
    println!("checked: {} weights within {difference:.1e} of the host device's", model.weights.len());

    draw_losses(&model.losses, Path::new(&output))?;
    println!("wrote: {output}");
    Ok(())
}

fn parse_output(mut arguments: impl Iterator<Item = String>) -> Result<String, Box<dyn Error>> {
    const USAGE: &str = "usage: logistic_regression [--output FILE.svg]   (default: target/loss.svg)";
    match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => Ok("target/loss.svg".into()),
        (Some("--output"), Some(path)) => Ok(path),
        _ => Err(USAGE.into()),
    }
}

/// Reads `samples,features,…` and one line of features and label per sample.
fn read_table(csv: &str) -> Result<Table, Box<dyn Error>> {
    let mut rows = Vec::new();
    for (number, line) in csv.lines().enumerate().skip(1) {
        let row: Result<Vec<f32>, _> = line.split(',').map(str::parse).collect();
        rows.push(row.map_err(|e| format!("line {}: {e}", number + 1))?);
    }
    let width = rows.first().ok_or("the table is empty")?.len();
    if let Some(odd) = rows.iter().position(|row| row.len() != width) {
        return Err(format!("line {}: {} columns instead of {width}", odd + 2, rows[odd].len()).into());
    }

    let labels = rows.iter().map(|row| row[width - 1]).collect();
    let mut values = Vec::with_capacity(rows.len() * width);
    for feature in 0..width - 1 {
        let column: Vec<f64> = rows.iter().map(|row| f64::from(row[feature])).collect();
        values.extend(standardise(&column));
    }
    values.extend(vec![1.0; rows.len()]); // the column of the constant weight
    Ok(Table { samples: u32::try_from(rows.len())?, columns: u32::try_from(width)?, values, labels })
}

fn standardise(column: &[f64]) -> impl Iterator<Item = f32> {
    let count = column.len() as f64;
    let mean = column.iter().sum::<f64>() / count;
    let variance = column.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    column.iter().map(move |value| ((value - mean) / variance.sqrt()) as f32)
}

/// Records one step and replays it.
fn train(mgr: &Manager, table: &Table, show: bool) -> gridwise::Result<Model> {
    let values = mgr.tensor(&table.values)?;
    let labels = mgr.tensor(&table.labels)?;
    let mut weights = mgr.tensor(&vec![0.0f32; table.columns as usize])?;
    let mut error = mgr.tensor_of_len::<f32>(table.samples as usize)?;
    let mut loss = mgr.tensor_of_len::<f32>(table.samples as usize)?;

    let seq = mgr.sequence()?;
    Predict::dispatch(&seq, Grid::items(table.samples), &values, &weights, &labels, &mut error, &mut loss)?;
    Descend::dispatch(&seq, Grid::items(table.columns), RATE, &values, &error, &mut weights)?;

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
    let samples = table.samples as usize;
    let is_right = |&sample: &usize| {
        let score: f32 =
            weights.iter().enumerate().map(|(k, weight)| weight * table.values[k * samples + sample]).sum();
        (score > 0.0) == (table.labels[sample] > 0.5)
    };
    (0..samples).filter(is_right).count() as f64 / samples as f64
}

fn draw_losses(losses: &[f32], path: &Path) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let area = SVGBackend::new(path, (800, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let highest = losses.iter().copied().fold(0.0, f32::max);
    let mut chart = ChartBuilder::on(&area)
        .caption("Logistic regression: mean loss per step", ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d(0..losses.len(), 0.0..highest * 1.05)?;
    chart.configure_mesh().light_line_style(TRANSPARENT).x_desc("step").y_desc("mean loss").draw()?;
    let points = losses.iter().copied().enumerate();
    chart.draw_series(LineSeries::new(points, BLUE.stroke_width(2)))?;
    area.present()?;
    Ok(())
}
