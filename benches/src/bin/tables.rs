//! A slot of a table that changes before each evaluation, beside a replay and beside the same launches recorded anew. Without a peer.
//!
//! `tables ROUNDS` does so for lists of several lengths, in recordings with one launch more and with 100 more.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use gridwise::Table;
use gridwise::prelude::*;

const LEN: usize = 256;

#[kernel(workgroup = 64)]
fn firsts(parts: &[&[f32]], to: &mut [f32]) {
    let k = global_id().x;
    to[k] = parts[k][0];
}

#[kernel(workgroup = 256, items_per_invocation = 1)]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i] + y[i];
}

fn main() -> ExitCode {
    let rounds = std::env::args().nth(1).map_or(Ok(100), |rounds| rounds.parse());
    let Ok(rounds) = rounds else {
        eprintln!("usage: tables [ROUNDS]");
        return ExitCode::FAILURE;
    };
    match run(rounds) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(rounds: u32) -> gridwise::Result<()> {
    let manager = Manager::new()?;
    println!("device: {}", manager.device());
    for slots in [4, 64, 1000, 10_000] {
        for others in [1, 100] {
            let [replay, changed, anew] = measure(&manager, slots, others, rounds)?;
            let each = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(rounds);
            let (replay, changed, anew) = (each(replay), each(changed), each(anew));
            println!(
                "{slots} slots, {others} other launches: a replay {replay:.1} µs, with a slot that changes {changed:.1} µs, recorded anew {anew:.1} µs"
            );
        }
    }
    Ok(())
}

/// The times of so many replays, of as many with a slot that changes, and of as many that are recorded anew.
fn measure(manager: &Manager, slots: usize, others: usize, rounds: u32) -> gridwise::Result<[Duration; 3]> {
    let parts = (0..=slots).map(|k| manager.tensor(&[k as f32; 4])).collect::<gridwise::Result<Vec<_>>>()?;
    let (x, mut to) = (manager.tensor(&[1.0f32; LEN])?, manager.tensor_of_len::<f32>(slots)?);
    let mut ys = (0..others).map(|_| manager.tensor(&[0.0f32; LEN])).collect::<gridwise::Result<Vec<_>>>()?;
    let mut listed: Vec<&Tensor<f32>> = parts[..slots].iter().collect();
    let (table, sequence) = (manager.table(&listed)?, manager.sequence()?);
    record(&sequence, &table, &x, (&mut to, &mut ys))?;
    let mut times = [Duration::ZERO; 3];
    // The first round makes pipelines.
    for round in 0..=rounds {
        let (slot, part) = (round as usize % slots, &parts[if round % 2 == 0 { slots } else { 0 }]);
        let start = Instant::now();
        sequence.eval()?;
        let replayed = Instant::now();
        table.set(slot, part)?;
        sequence.eval()?;
        let changed = Instant::now();
        assert_eq!(to.get(slot)?, part.get(0)?, "the kernel reads what is in the slot");
        if round > 0 {
            times[0] += replayed - start;
            times[1] += changed - replayed;
        }
    }
    for round in 0..=rounds {
        listed[round as usize % slots] = &parts[if round % 2 == 0 { slots } else { 0 }];
        let start = Instant::now();
        sequence.clear()?;
        Firsts::dispatch(&sequence, Grid::items(slots), &listed, &mut to)?;
        record_others(&sequence, &x, &mut ys)?;
        sequence.eval()?;
        if round > 0 {
            times[2] += start.elapsed();
        }
    }
    Ok(times)
}

fn record(
    sequence: &Sequence,
    table: &Table<Tensor<f32>>,
    x: &Tensor<f32>,
    (to, ys): (&mut Tensor<f32>, &mut [Tensor<f32>]),
) -> gridwise::Result<()> {
    Firsts::dispatch(sequence, Grid::items(to.len()), table, to)?;
    record_others(sequence, x, ys)
}

fn record_others(sequence: &Sequence, x: &Tensor<f32>, ys: &mut [Tensor<f32>]) -> gridwise::Result<()> {
    for y in ys {
        Saxpy::dispatch(sequence, Grid::items(LEN), 0.5, x, y)?;
    }
    Ok(())
}
