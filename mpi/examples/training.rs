//! Training on all ranks: `mpirun -n 4 target/release/examples/training`.
//!
//! Logistic regression tells benign from malignant tumours. The samples are split into eight batches, which the ranks share. In each step
//! kernels compute the gradient of each batch, `all_reduce` adds the eight up in their order, and a kernel changes the weights, the same way
//! on each rank. So the weights have the same bits on 1, 2, 4 and 8 ranks, and the program prints their digest.

use std::error::Error;
use std::process::ExitCode;

use gridwise::prelude::*;
use gridwise_mpi::{Rank, ReduceOp, run};
use indicatif::{ProgressBar, ProgressStyle};

/// Batches of all ranks together.
const BATCHES: usize = 8;
const STEPS: u64 = 300;
const RATE: f32 = 0.5;
const CSV: &str = include_str!("../../examples/data/breast_cancer.csv");

/// The probability that `score` stands for.
#[device]
fn sigmoid(score: f32) -> f32 {
    1.0 / (1.0 + (-score).exp())
}

/// How far each sample's prediction is from its label.
#[kernel(workgroup = 64)]
fn predict(table: &[f32], weights: &[f32], labels: &[f32], errors: &mut [f32]) {
    let sample = global_id().x;
    let columns = weights.len() as u32;
    let mut score = 0.0;
    for column in 0..columns {
        score += weights[column] * table[sample * columns + column];
    }
    errors[sample] = sigmoid(score) - labels[sample];
}

/// The gradient of each batch: `starts[b]` is its first sample, and that behind its last one `starts[b + 1]`.
#[kernel(workgroup = [32, 2])]
fn differentiate(columns: u32, starts: &[u32], table: &[f32], errors: &[f32], gradients: &mut [f32]) {
    let (column, batch) = (global_id().x, global_id().y);
    let mut sum = 0.0;
    for sample in starts[batch]..starts[batch + 1] {
        sum += errors[sample] * table[sample * columns + column];
    }
    gradients[batch * columns + column] = sum;
}

/// A step down the gradient.
#[kernel(workgroup = 64)]
fn descend(rate: f32, gradient: &[f32], weights: &mut [f32]) {
    let i = global_id().x;
    weights[i] -= rate * gradient[i];
}

/// The samples, each with its features and the constant 1.
struct Table {
    columns: usize,
    values: Vec<f32>,
    labels: Vec<f32>,
}

fn main() -> ExitCode {
    run(|rank| {
        if !BATCHES.is_multiple_of(rank.size()) {
            return Err(
                format!("{} ranks cannot share {BATCHES} batches evenly: start 1, 2, 4 or 8", rank.size()).into()
            );
        }
        let table = read_table(CSV)?;
        let weights = train(rank, &table)?;
        if rank.index() == 0 {
            let share = accuracy(&table, &weights);
            let digest = weights.iter().fold(0u64, |sum, w| sum.wrapping_mul(31).wrapping_add(u64::from(w.to_bits())));
            println!("accuracy on the training set: {:.1} %", 100.0 * share);
            println!("weights: digest {digest:016x}");
            if share < 0.97 {
                return Err("the accuracy is under 97 %".into());
            }
        }
        Ok(())
    })
}

fn train(rank: &Rank, table: &Table) -> Result<Vec<f32>, Box<dyn Error>> {
    let mgr = rank.manager()?;
    println!("rank {} of {}: {}", rank.index(), rank.size(), mgr.device());

    // The batches of this rank, and its samples: those of its batches.
    let samples = table.labels.len();
    let own = BATCHES / rank.size();
    let start_of = |batch: usize| samples * batch / BATCHES;
    let (first, end) = (start_of(rank.index() * own), start_of((rank.index() + 1) * own));
    let starts: Vec<u32> = (0..=own).map(|batch| (start_of(rank.index() * own + batch) - first) as u32).collect();
    let columns = table.columns;

    let starts = mgr.tensor(&starts)?;
    let values = mgr.tensor(&table.values[first * columns..end * columns])?;
    let labels = mgr.tensor(&table.labels[first..end])?;
    let mut errors = mgr.tensor_of_len::<f32>(end - first)?;
    let mut gradients = mgr.tensor_of_len::<f32>(own * columns)?;
    let mut gradient = mgr.tensor_of_len::<f32>(columns)?;
    let mut weights = mgr.tensor_of_len::<f32>(columns)?;

    let (forward, update) = (mgr.sequence()?, mgr.sequence()?);
    Predict::dispatch(&forward, Grid::items((end - first) as u32), &values, &weights, &labels, &mut errors)?;
    let grid = Grid::items([columns as u32, own as u32]);
    Differentiate::dispatch(&forward, grid, columns as u32, &starts, &values, &errors, &mut gradients)?;
    Descend::dispatch(&update, Grid::items(columns as u32), RATE / samples as f32, &gradient, &mut weights)?;

    let bar = if rank.index() == 0 { ProgressBar::new(STEPS) } else { ProgressBar::hidden() };
    bar.set_style(ProgressStyle::with_template("{bar:40} step {pos}/{len}")?);
    for _ in 0..STEPS {
        forward.eval()?;
        rank.all_reduce(ReduceOp::Sum, &gradients, &mut gradient)?;
        update.eval()?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(weights.to_vec()?)
}

fn read_table(csv: &str) -> Result<Table, Box<dyn Error>> {
    let mut rows: Vec<Vec<f32>> = Vec::new();
    for line in csv.lines().skip(1) {
        rows.push(line.split(',').map(str::parse).collect::<Result<_, _>>()?);
    }
    let columns = rows.first().ok_or("the table is empty")?.len();
    let labels = rows.iter().map(|row| row[columns - 1]).collect();
    // Each feature gets mean 0 and deviation 1, and the label's column becomes the constant 1.
    for column in 0..columns - 1 {
        let count = rows.len() as f64;
        let mean = rows.iter().map(|row| f64::from(row[column])).sum::<f64>() / count;
        let variance = rows.iter().map(|row| (f64::from(row[column]) - mean).powi(2)).sum::<f64>() / count;
        rows.iter_mut().for_each(|row| row[column] = ((f64::from(row[column]) - mean) / variance.sqrt()) as f32);
    }
    rows.iter_mut().for_each(|row| row[columns - 1] = 1.0);
    Ok(Table { columns, values: rows.concat(), labels })
}

/// The share of samples on the right side.
fn accuracy(table: &Table, weights: &[f32]) -> f64 {
    let rows = table.values.chunks_exact(table.columns).zip(&table.labels);
    let is_right = |(row, label): &(&[f32], &f32)| {
        let score: f32 = row.iter().zip(weights).map(|(value, weight)| value * weight).sum();
        (score > 0.0) == (**label > 0.5)
    };
    rows.filter(is_right).count() as f64 / table.labels.len() as f64
}
