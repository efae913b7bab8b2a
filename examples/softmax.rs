//! A softmax regression: three kinds of iris told apart by four lengths of their flowers.
//!
//! The data is Fisher's table, 150 flowers. The kernel says the loss of one flower; `backward` gives its slopes. The run fails unless the
//! model tells at least 96 % of the flowers apart, and unless the first gradient is that of the formula. The loss curve is written as an SVG.

use std::{path::Path, process::ExitCode};

use gridwise::prelude::*;
use gridwise_examples::{Curve, Outcome, Table, difference, draw_losses, finish, output};

#[device]
const KINDS: u32 = 3;
const STEPS: usize = 400;
const RATE: f32 = 0.5;

/// The loss of each sample: how improbable the model takes the kind that it is. The kinds' weights stand one after another.
#[kernel(workgroup = 64, grad(weights))]
fn predict(table: &[f32], label: &[u32], weights: &[f32], loss: &mut [f32]) {
    let sample = global_id().x;
    let samples = label.len() as u32;
    let columns = weights.len() as u32 / KINDS;
    let mut scores = [0.0f32; KINDS as usize];
    for kind in 0..KINDS {
        for column in 0..columns {
            scores[kind as usize] += weights[kind * columns + column] * table[column * samples + sample];
        }
    }
    // The powers are those of the differences to the largest score, so that none overflows. It drops out of the loss, and so does its slope.
    let largest = detach(scores[0].max(scores[1]).max(scores[2]));
    let mut sum = 0.0;
    for kind in 0..KINDS {
        sum += (scores[kind as usize] - largest).exp();
    }
    loss[sample] = sum.ln() + largest - scores[label[sample] as usize];
}

/// One step down, which leaves zeros for the next gradient.
#[kernel(workgroup = 64)]
fn descend(rate: f32, gradient: &mut [f32], weights: &mut [f32]) {
    let i = global_id().x;
    weights[i] -= rate * gradient[i];
    gradient[i] = 0.0;
}

fn main() -> ExitCode {
    finish(run())
}

fn run() -> Outcome {
    let output = output("softmax", "FILE.svg", "target/softmax.svg")?;
    let table = Table::read(include_str!("data/iris.csv"))?;
    let mgr = Manager::new()?;
    println!("device: {}", mgr.device());
    println!("data: {} samples, {} features", table.samples, table.columns - 1);
    let model = train(&mgr, &table)?;

    let off = difference(&model.first_gradient, &first_gradient(&table));
    if off > 1e-4 {
        return Err(format!("a slope differs by {off} from that of the formula").into());
    }
    println!("checked: {} slopes within {off:.1e} of those of the formula", model.first_gradient.len());
    let accuracy = accuracy(&table, &model.weights);
    println!("accuracy on the training set: {:.1} %", 100.0 * accuracy);
    if accuracy < 0.96 {
        return Err("the accuracy is under 96 %".into());
    }
    let curve = Curve { name: "derived", losses: &model.losses };
    draw_losses(Path::new(&output), "Softmax regression: mean loss per step", "step", &[curve])?;
    println!("wrote: {output}");
    Ok(())
}

struct Model {
    weights: Vec<f32>,
    losses: Vec<f32>,
    first_gradient: Vec<f32>,
}

fn train(mgr: &Manager, table: &Table) -> gridwise::Result<Model> {
    let (samples, count) = (table.samples, KINDS as usize * table.columns);
    let labels: Vec<u32> = table.labels.iter().map(|label| *label as u32).collect();
    let (values, labels) = (mgr.tensor(&table.values)?, mgr.tensor(&labels)?);
    let (mut weights, mut gradient) = (mgr.tensor(&vec![0.0f32; count])?, mgr.tensor(&vec![0.0f32; count])?);
    let mut loss = mgr.tensor_of_len::<f32>(samples)?;
    // The loss is the mean over the samples.
    let share = mgr.tensor(&vec![1.0 / samples as f32; samples])?;
    let grid = Grid::items(samples as u32);

    let seq = mgr.sequence()?;
    Predict::backward(&seq, grid, &values, &labels, &weights, &mut gradient, &loss, &share)?;
    seq.eval()?;
    let first_gradient = gradient.to_vec()?;
    gradient.write(&vec![0.0; count])?;

    let seq = mgr.sequence()?;
    Predict::dispatch(&seq, grid, &values, &labels, &weights, &mut loss)?;
    Predict::backward(&seq, grid, &values, &labels, &weights, &mut gradient, &loss, &share)?;
    Descend::dispatch(&seq, Grid::items(count as u32), RATE, &mut gradient, &mut weights)?;
    let mut losses = Vec::with_capacity(STEPS);
    for step in 0..STEPS {
        seq.eval()?;
        let mean = loss.to_vec()?.iter().sum::<f32>() / samples as f32;
        losses.push(mean);
        if step % 80 == 0 || step + 1 == STEPS {
            println!("step {step:3}  loss {mean:.4}");
        }
    }
    Ok(Model { weights: weights.to_vec()?, losses, first_gradient })
}

/// The gradient where all weights are zero: each kind has the probability of a third.
fn first_gradient(table: &Table) -> Vec<f32> {
    let mut gradient = Vec::new();
    for kind in 0..KINDS {
        for column in 0..table.columns {
            let slope = |sample: usize| {
                let is_kind = f32::from(table.labels[sample] == kind as f32);
                (1.0 / KINDS as f32 - is_kind) * table.values[column * table.samples + sample]
            };
            gradient.push((0..table.samples).map(slope).sum::<f32>() / table.samples as f32);
        }
    }
    gradient
}

/// The share of samples that the model tells right.
fn accuracy(table: &Table, weights: &[f32]) -> f64 {
    let is_right = |&sample: &usize| {
        let scores = weights.chunks(table.columns).map(|weights| table.weighted(sample, weights));
        let best = scores.enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(kind, _)| kind as f32);
        best == Some(table.labels[sample])
    };
    (0..table.samples).filter(is_right).count() as f64 / table.samples as f64
}
