//! Launches recorded anew, without a peer: for `callgrind`, which counts the host's instructions and knows no noise.
//!
//! `recordings ROUNDS` records 100 launches in each round, of which each writes a tensor of its own, and evaluates them. A value differs
//! from round to round, so that command buffers are written anew. `benches/NOTES.md` says how the instructions are counted.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use gridwise::prelude::*;

const LAUNCHES: usize = 100;
const LEN: usize = 256;

#[kernel(workgroup = 256, items_per_invocation = 1)]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i] + y[i];
}

fn main() -> ExitCode {
    let rounds = std::env::args().nth(1).map_or(Ok(100), |rounds| rounds.parse());
    let Ok(rounds) = rounds else {
        eprintln!("usage: recordings [ROUNDS]");
        return ExitCode::FAILURE;
    };
    match run(rounds) {
        Ok([recording, evaluating]) => {
            let each = |time: Duration| time.as_secs_f64() * 1e9 / f64::from(rounds) / LAUNCHES as f64;
            println!("a launch: {:.0} ns to record, {:.0} ns to evaluate", each(recording), each(evaluating));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(rounds: u32) -> gridwise::Result<[Duration; 2]> {
    let manager = Manager::new()?;
    println!("device: {}", manager.device());
    let x = manager.tensor(&[1.0f32; LEN])?;
    let mut ys = (0..LAUNCHES).map(|_| manager.tensor(&[0.0f32; LEN])).collect::<gridwise::Result<Vec<_>>>()?;
    let sequence = manager.sequence()?;
    // Pipelines are made first.
    record(&sequence, 0.0, &x, &mut ys)?;
    evaluate(&sequence)?;
    let mut times = [Duration::ZERO; 2];
    for round in 0..rounds {
        let start = Instant::now();
        record(&sequence, round as f32, &x, &mut ys)?;
        let recorded = Instant::now();
        evaluate(&sequence)?;
        times[0] += recorded - start;
        times[1] += recorded.elapsed();
    }
    Ok(times)
}

#[inline(never)]
fn record(sequence: &Sequence, a: f32, x: &Tensor<f32>, ys: &mut [Tensor<f32>]) -> gridwise::Result<()> {
    sequence.clear()?;
    for y in ys {
        Saxpy::dispatch(sequence, Grid::items(LEN), a, x, y)?;
    }
    Ok(())
}

#[inline(never)]
fn evaluate(sequence: &Sequence) -> gridwise::Result<()> {
    sequence.eval()
}
