//! Logistic regression on shares of the samples: each device derives the gradient of its own, each gets all of them, and each adds them
//! up in the same order. So all have weights of the same bits.

use std::time::{Duration, Instant};

use gridwise::ops::{OpCopy, OpFill};
use gridwise::prelude::*;

use crate::error::Error;
use crate::{Bench, numbers, together, wrong};

/// Features of a sample.
#[device]
const FEATURES: u32 = 32;
/// Steps of a sample of the bench.
const STEPS: usize = 20;
const RATE: f32 = 0.5;

/// The loss of each sample; features lie column by column.
#[kernel(workgroup = 256, grad(weights))]
fn judge(table: &[f32], labels: &[f32], weights: &[f32], loss: &mut [f32]) {
    let sample = global_id().x;
    let samples = labels.len() as u32;
    let mut score = 0.0;
    for feature in 0..FEATURES {
        score += weights[feature] * table[feature * samples + sample];
    }
    loss[sample] = (1.0 + (-score.abs()).exp()).ln() + score.max(0.0) - labels[sample] * score;
}

/// A step down the sum of the gradients of all devices.
#[kernel(workgroup = 32)]
fn descend(rate: f32, gradients: &[f32], weights: &mut [f32]) {
    let i = global_id().x;
    let features = weights.len() as u32;
    let mut sum = 0.0;
    for device in 0..gradients.len() as u32 / features {
        sum += gradients[device * features + i];
    }
    weights[i] -= rate * sum;
}

/// A model on some devices.
struct Model {
    weights: Vec<Tensor<f32>>,
    derivations: Vec<Sequence>,
    exchanges: Vec<Sequence>,
    descents: Vec<Sequence>,
}

impl Model {
    fn new(managers: &[Manager], samples: usize) -> Result<Self, Error> {
        let (features, count) = (FEATURES as usize, managers.len());
        let values = numbers(samples * features);
        // Each device could have samples of its own; the time would be the same.
        let table: Vec<f32> = values.iter().map(|value| value - 0.5).collect();
        let labels: Vec<f32> = table[..samples].iter().map(|value| f32::from(u8::from(*value > 0.1))).collect();
        let (mut weights, mut own, mut all, mut derivations) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for manager in managers {
            let (table, labels) = (manager.tensor(&table)?, manager.tensor(&labels)?);
            let loss = manager.tensor(&vec![0.0f32; samples])?;
            let share = manager.tensor(&vec![1.0 / (samples * count) as f32; samples])?;
            let start = manager.tensor(&vec![0.0f32; features])?;
            let mut gradient = manager.tensor(&vec![0.0f32; features])?;
            let derive = manager.sequence()?;
            derive.record(OpFill::new(&mut gradient, 0.0))?;
            Judge::backward(&derive, Grid::items(samples), &table, &labels, &start, &mut gradient, &loss, &share)?;
            derivations.push(derive);
            weights.push(start);
            own.push(gradient);
            all.push(manager.tensor(&vec![0.0f32; features * count])?);
        }
        let mut exchanges = Vec::new();
        for (at, (manager, gradient)) in managers.iter().zip(&own).enumerate() {
            let exchange = manager.sequence()?;
            for gradients in &mut all {
                exchange
                    .record(OpCopy::new(gradient, &mut *gradients.part_mut(at * features..(at + 1) * features)?))?;
            }
            exchanges.push(exchange);
        }
        let mut descents = Vec::new();
        for ((manager, gradients), weights) in managers.iter().zip(&all).zip(&mut weights) {
            let descend = manager.sequence()?;
            Descend::dispatch(&descend, Grid::items(features), RATE, gradients, weights)?;
            descents.push(descend);
        }
        Ok(Self { weights, derivations, exchanges, descents })
    }

    fn train(&self, steps: usize) -> Result<Duration, Error> {
        let start = Instant::now();
        for _ in 0..steps {
            together(&self.derivations)?;
            together(&self.exchanges)?;
            together(&self.descents)?;
        }
        Ok(start.elapsed())
    }
}

/// Trains on all devices and on one, compares the weights, and measures.
pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let samples = if bench.is_gpu { 1 << 23 } else { 1 << 12 };
    let (split, alone) = (Model::new(bench.managers, samples)?, Model::new(&bench.managers[..1], samples)?);
    let [several, single] = bench.in_turns(|| split.train(STEPS), || alone.train(STEPS))?;
    let weights = split.weights.iter().map(Tensor::to_vec).collect::<gridwise::Result<Vec<_>>>()?;
    let expected = alone.weights[0].to_vec()?;
    let differs = |a: &[f32], b: &[f32]| a.iter().zip(b).any(|(a, b)| a.to_bits() != b.to_bits());
    if weights.iter().any(|of_device| differs(of_device, &weights[0])) {
        return Err(wrong("gridwise, training", "the devices have different weights".to_owned()));
    }
    // Atomic additions come in another order each time.
    let far =
        weights[0].iter().zip(&expected).find(|(split, alone)| (*split - *alone).abs() > 1e-3 * (1.0 + alone.abs()));
    if let Some((split, alone)) = far {
        return Err(wrong("gridwise, training", format!("a weight is {split}, and {alone} on one device")));
    }
    bench.scaling(format!("training, {samples} samples a device"), &several, &single, STEPS);
    Ok(())
}
