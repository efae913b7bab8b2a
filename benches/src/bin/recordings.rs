//! Launches recorded anew, for `callgrind`, which counts the host's instructions and knows no noise.
//!
//! `recordings ROUNDS [PLAN [DIFFERENCE]]` records 100 launches in each round and evaluates them, and then as many by hand. PLAN is
//! `dependent`, `independent` or `chains`, as in `launch_cost`. Each round differs from the one before, so that command buffers are written
//! anew: in `tensors`, in `values`, or in tensors with two `kernels` that take turns. `benches/NOTES.md` says how the instructions are
//! counted.

#[path = "launch_cost/error.rs"]
mod error;
#[path = "launch_cost/ours.rs"]
mod ours;
#[path = "launch_cost/plan.rs"]
mod plan;
#[path = "launch_cost/raw/mod.rs"]
mod raw;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use gridwise::prelude::*;
use gridwise::{DeviceKind, Kernel as _};
use gridwise_benches::raw::RawDevice;

use crate::error::Error;
use crate::ours::{Ours, Saxpy};
use crate::plan::{A, LEN, Plan};
use crate::raw::Raw;

const LAUNCHES: usize = 100;

#[kernel(workgroup = 256, items_per_invocation = 1)]
fn scaled(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i];
}

/// The difference between a round and the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Difference {
    /// The tensor that all launches read.
    Tensors,
    /// The number that they multiply by.
    Values,
    /// The tensor, and there are two kernels that take turns.
    Kernels,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((rounds, plan, difference)) = parse(&arguments) else {
        eprintln!("usage: recordings [ROUNDS [dependent|independent|chains [tensors|values|kernels]]]");
        return ExitCode::FAILURE;
    };
    match run(rounds, plan, difference) {
        Ok(times) => {
            let each = |time: Duration| time.as_secs_f64() * 1e9 / f64::from(rounds) / LAUNCHES as f64;
            let [ours, theirs] = times.map(each);
            println!("a launch: {ours:.0} ns, by hand {theirs:.0} ns");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: &[String]) -> Option<(u32, Plan, Difference)> {
    let rounds = arguments.first().map_or(Some(100), |rounds| rounds.parse().ok())?;
    let chains = match arguments.get(1).map_or("independent", String::as_str) {
        "dependent" => 1,
        "independent" => LAUNCHES,
        "chains" => 10,
        _ => return None,
    };
    let difference = match arguments.get(2).map_or("tensors", String::as_str) {
        "tensors" => Difference::Tensors,
        "values" => Difference::Values,
        "kernels" => Difference::Kernels,
        _ => return None,
    };
    Some((rounds, Plan { launches: LAUNCHES, chains }, difference))
}

fn run(rounds: u32, plan: Plan, difference: Difference) -> Result<[Duration; 2], Error> {
    let manager = Manager::new()?;
    println!("device: {}", manager.device());
    if manager.device().kind == DeviceKind::Host {
        return Err(Error::NotVulkan(manager.device().to_string()));
    }
    let device = RawDevice::open(&manager.device().name)?;
    let (mut own, mut raw) = (Ours::new(&manager, plan)?, Raw::new(&device, Saxpy::DESCRIPTOR, plan)?);
    // Pipelines, sets and memory are made first.
    for round in 0..4 {
        record_and_eval(&mut own, difference, round)?;
    }
    let mut times = [Duration::ZERO; 2];
    for round in 0..rounds {
        times[0] += our_round(&mut own, difference, round)?;
        times[1] += their_round(&mut raw)?;
    }
    if difference == Difference::Tensors {
        own.check()?;
    }
    raw.check()?;
    Ok(times)
}

/// A round of ours: callgrind counts either by its name.
#[inline(never)]
fn our_round(own: &mut Ours, difference: Difference, round: u32) -> Result<Duration, Error> {
    let start = Instant::now();
    record_and_eval(own, difference, round)?;
    Ok(start.elapsed())
}

/// A round by hand.
#[inline(never)]
fn their_round(raw: &mut Raw<'_>) -> Result<Duration, Error> {
    let start = Instant::now();
    raw.record()?;
    raw.eval()?;
    Ok(start.elapsed())
}

fn record_and_eval(own: &mut Ours, difference: Difference, round: u32) -> Result<(), Error> {
    let grid = Grid::items(LEN);
    let saxpy = |a: f32, s: &Sequence, x: &_, y: &mut _| Saxpy::dispatch(s, grid, a, x, y).map(drop);
    match difference {
        Difference::Tensors => own.record_others()?,
        Difference::Values => own.record_by(|_, s, x, y| saxpy(round as f32, s, x, y))?,
        Difference::Kernels => {
            own.swap();
            own.record_by(|launch, s, x, y| match launch % 2 {
                0 => saxpy(A, s, x, y),
                _ => Scaled::dispatch(s, grid, A, x, y).map(drop),
            })?;
        }
    }
    own.eval()
}
