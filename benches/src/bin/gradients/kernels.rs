//! Kernels with their gradients, derived and written by hand: an element each, a loop of sums, a loop whose values count, weights that all
//! samples share.

use std::sync::atomic::Ordering::Relaxed;

use gridwise::prelude::*;

use crate::error::Error;
use crate::{Bench, compare, numbers};

type Workload = fn(&mut Bench<'_>) -> Result<(), Error>;

/// The workloads by name.
pub(crate) const WORKLOADS: [(&str, Workload); 4] =
    [("wave", wave_bench), ("rows", rows_bench), ("orbit", orbit_bench), ("perceptron", perceptron_bench)];

/// A wave packet: an element for each invocation.
#[kernel(workgroup = 256, grad(x))]
fn wave(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    let v = x[i];
    y[i] = (8.0 * v).sin() * (-v * v).exp();
}

#[kernel(workgroup = 256)]
fn wave_by_hand(x: &[f32], d_x: &mut [f32], d_y: &[f32]) {
    let i = global_id().x;
    let v = x[i];
    let bell = (-v * v).exp();
    d_x[i] += d_y[i] * bell * (8.0 * (8.0 * v).cos() - 2.0 * v * (8.0 * v).sin());
}

fn wave_bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let len = if bench.is_gpu { 1 << 24 } else { 1 << 16 };
    let (mgr, values) = (bench.manager, numbers(len));
    let (x, y, d_y) = (mgr.tensor(&values)?, mgr.tensor(&values)?, mgr.tensor(&values)?);
    let (mut ours, mut theirs) = (mgr.tensor(&vec![0.0f32; len])?, mgr.tensor(&vec![0.0f32; len])?);
    let seq = mgr.sequence()?;
    Wave::backward(&seq, Grid::items(len), &x, &mut ours, &y, &d_y)?;
    WaveByHand::dispatch(&seq, Grid::items(len), &x, &mut theirs, &d_y)?;
    seq.eval()?;
    compare("wave", &ours.to_vec()?, &theirs.to_vec()?, 1e-5)?;
    let (ours, theirs) = (std::cell::RefCell::new(ours), std::cell::RefCell::new(theirs));
    let out = std::cell::RefCell::new(mgr.tensor_of_len::<f32>(len)?);
    bench.measure(
        format!("wave, {len} elements"),
        (&|seq| Wave::dispatch(seq, Grid::items(len), &x, &mut out.borrow_mut()).map(drop), true),
        &|seq| Wave::backward(seq, Grid::items(len), &x, &mut ours.borrow_mut(), &y, &d_y).map(drop),
        &|seq| WaveByHand::dispatch(seq, Grid::items(len), &x, &mut theirs.borrow_mut(), &d_y).map(drop),
    )
}

/// A matrix by a vector: each row's sum.
#[kernel(workgroup = 64, grad(m))]
fn rows(m: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_id().x;
    let rows = y.len() as u32;
    let mut sum = 0.0;
    for column in 0..x.len() as u32 {
        sum += m[column * rows + row] * x[column];
    }
    y[row] = sum.tanh();
}

/// Each element of the matrix belongs to one row, and so to one invocation.
#[kernel(workgroup = 64)]
fn rows_by_hand(m: &[f32], d_m: &mut [f32], x: &[f32], d_y: &[f32]) {
    let row = global_id().x;
    let rows = d_y.len() as u32;
    let mut sum = 0.0;
    for column in 0..x.len() as u32 {
        sum += m[column * rows + row] * x[column];
    }
    let root = sum.tanh();
    let slope = d_y[row] * (1.0 - root * root);
    for column in 0..x.len() as u32 {
        d_m[column * rows + row] += slope * x[column];
    }
}

fn rows_bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let (rows, columns) = if bench.is_gpu { (1 << 17, 256) } else { (1 << 10, 64) };
    let (mgr, values) = (bench.manager, numbers(rows * columns));
    let (m, x) = (mgr.tensor(&values)?, mgr.tensor(&values[..columns].iter().map(|x| x - 0.5).collect::<Vec<_>>())?);
    let (y, d_y) = (mgr.tensor(&values[..rows])?, mgr.tensor(&values[..rows])?);
    let (mut ours, mut theirs) =
        (mgr.tensor(&vec![0.0f32; rows * columns])?, mgr.tensor(&vec![0.0f32; rows * columns])?);
    let seq = mgr.sequence()?;
    Rows::backward(&seq, Grid::items(rows), &m, &mut ours, &x, &y, &d_y)?;
    RowsByHand::dispatch(&seq, Grid::items(rows), &m, &mut theirs, &x, &d_y)?;
    seq.eval()?;
    compare("rows", &ours.to_vec()?, &theirs.to_vec()?, 1e-4)?;
    let (ours, theirs) = (std::cell::RefCell::new(ours), std::cell::RefCell::new(theirs));
    let out = std::cell::RefCell::new(mgr.tensor_of_len::<f32>(rows)?);
    bench.measure(
        format!("rows, {rows} × {columns}"),
        (&|seq| Rows::dispatch(seq, Grid::items(rows), &m, &x, &mut out.borrow_mut()).map(drop), true),
        &|seq| Rows::backward(seq, Grid::items(rows), &m, &mut ours.borrow_mut(), &x, &y, &d_y).map(drop),
        &|seq| RowsByHand::dispatch(seq, Grid::items(rows), &m, &mut theirs.borrow_mut(), &x, &d_y).map(drop),
    )
}

#[device]
const ROUNDS: u32 = 32;

/// Rounds of which each needs what the one before it gave.
#[kernel(workgroup = 128, grad(x))]
fn orbit(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    let mut v = x[i];
    for _ in 0..ROUNDS {
        v = 3.5 * v * (1.0 - v);
    }
    y[i] = v;
}

/// All rounds are kept.
#[kernel(workgroup = 128)]
fn orbit_by_hand(x: &[f32], d_x: &mut [f32], d_y: &[f32]) {
    let i = global_id().x;
    let mut kept = [0.0f32; ROUNDS as usize];
    let mut v = x[i];
    for round in 0..ROUNDS {
        kept[round as usize] = v;
        v = 3.5 * v * (1.0 - v);
    }
    let mut g = d_y[i];
    for round in 0..ROUNDS {
        g *= 3.5 - 7.0 * kept[(ROUNDS - 1 - round) as usize];
    }
    d_x[i] += g;
}

fn orbit_bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let len = if bench.is_gpu { 1 << 22 } else { 1 << 14 };
    let (mgr, values) = (bench.manager, numbers(len));
    let (x, y, d_y) = (mgr.tensor(&values)?, mgr.tensor(&values)?, mgr.tensor(&values)?);
    let (mut ours, mut theirs) = (mgr.tensor(&vec![0.0f32; len])?, mgr.tensor(&vec![0.0f32; len])?);
    let seq = mgr.sequence()?;
    Orbit::backward(&seq, Grid::items(len), &x, &mut ours, &y, &d_y)?;
    OrbitByHand::dispatch(&seq, Grid::items(len), &x, &mut theirs, &d_y)?;
    seq.eval()?;
    compare("orbit", &ours.to_vec()?, &theirs.to_vec()?, 1e-3)?;
    let (ours, theirs) = (std::cell::RefCell::new(ours), std::cell::RefCell::new(theirs));
    let out = std::cell::RefCell::new(mgr.tensor_of_len::<f32>(len)?);
    bench.measure(
        format!("orbit of {ROUNDS} rounds, {len} elements"),
        (&|seq| Orbit::dispatch(seq, Grid::items(len), &x, &mut out.borrow_mut()).map(drop), true),
        &|seq| Orbit::backward(seq, Grid::items(len), &x, &mut ours.borrow_mut(), &y, &d_y).map(drop),
        &|seq| OrbitByHand::dispatch(seq, Grid::items(len), &x, &mut theirs.borrow_mut(), &d_y).map(drop),
    )
}

#[device]
pub(crate) const HIDDEN: u32 = 6;

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

/// The logistic loss of each sample, by a perceptron of two layers.
#[kernel(workgroup = 64, grad(first, second))]
pub(crate) fn predict(table: &[f32], label: &[f32], first: &[f32], second: &[f32], loss: &mut [f32]) {
    let sample = global_id().x;
    let mut score = second[HIDDEN];
    for unit in 0..HIDDEN {
        score += second[unit] * weighted(table, first, unit, sample, label.len() as u32).tanh();
    }
    loss[sample] = score.max(0.0) - label[sample] * score + (1.0 + (-score.abs()).exp()).ln();
}

/// The gradient of the loss, each sample's times its share.
#[kernel(workgroup = 64)]
fn predict_by_hand(
    table: &[f32],
    label: &[f32],
    first: &[f32],
    d_first: &[Atomic<f32>],
    second: &[f32],
    d_second: &[Atomic<f32>],
    share: &[f32],
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
    let error = (1.0 / (1.0 + (-score).exp()) - label[sample]) * share[sample];
    d_second[HIDDEN].fetch_add(error, Relaxed);
    for unit in 0..HIDDEN {
        d_second[unit].fetch_add(error * hidden[unit], Relaxed);
        let slope = error * second[unit] * (1.0 - hidden[unit] * hidden[unit]);
        for feature in 0..features {
            d_first[unit * features + feature].fetch_add(slope * table[feature * samples + sample], Relaxed);
        }
    }
}

fn perceptron_bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let (samples, columns) = (if bench.is_gpu { 1 << 16 } else { 1 << 10 }, 31);
    let (mgr, values) = (bench.manager, numbers(samples * columns));
    let centred: Vec<f32> = values.iter().map(|value| value - 0.5).collect();
    let (table, share) = (mgr.tensor(&centred)?, mgr.tensor(&vec![1.0 / samples as f32; samples])?);
    let label = mgr.tensor(&values[..samples].iter().map(|value| value.round()).collect::<Vec<_>>())?;
    let (units, loss) = (HIDDEN as usize, mgr.tensor(&values[..samples])?);
    let (first, second) = (mgr.tensor(&centred[..units * columns])?, mgr.tensor(&centred[..=units])?);
    let zeros = || Ok::<_, Error>((mgr.tensor(&vec![0.0f32; units * columns])?, mgr.tensor(&vec![0.0f32; units + 1])?));
    let (ours, theirs) = (std::cell::RefCell::new(zeros()?), zeros()?);
    let grid = Grid::items(samples);
    let derived = |seq: &Sequence| {
        let (d_first, d_second) = &mut *ours.borrow_mut();
        Predict::backward(seq, grid, &table, &label, &first, d_first, &second, d_second, &loss, &share).map(drop)
    };
    let by_hand = |seq: &Sequence| {
        PredictByHand::dispatch(seq, grid, &table, &label, &first, &theirs.0, &second, &theirs.1, &share).map(drop)
    };
    let seq = mgr.sequence()?;
    derived(&seq)?;
    by_hand(&seq)?;
    seq.eval()?;
    compare("perceptron", &ours.borrow().0.to_vec()?, &theirs.0.to_vec()?, 1e-3)?;
    let out = std::cell::RefCell::new(mgr.tensor_of_len::<f32>(samples)?);
    let forward = |seq: &Sequence| {
        let out = &mut out.borrow_mut();
        Predict::dispatch(seq, grid, &table, &label, &first, &second, out).map(drop)
    };
    bench.measure(format!("perceptron, {samples} samples"), (&forward, false), &derived, &by_hand)
}
