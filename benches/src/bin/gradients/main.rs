//! Derived gradients beside gradients written by hand, on one device, in turns: time of the device, results compared. And whole steps of
//! training, by the clock, beside those of PyTorch.
//!
//! `--peers FILE` reads the lines that `peers/torch_gradients.py` prints. `--only NAME,NAME` measures some workloads.

#[path = "../launch_cost/error.rs"]
mod error;
mod kernels;
mod options;
mod training;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use gridwise::prelude::*;
use gridwise::{DeviceKind, Manager};
use gridwise_benches::{Error as BenchError, Figure, Goal, Machine, Report, interleave};

use crate::error::Error;
use crate::options::GradientOptions;

/// The time of a derived kernel, over that of the one written by hand, at most.
const GOAL: f64 = 1.10;
/// The same over that of its original, where invocations share no inputs.
const GOAL_OF_FORWARD: f64 = 3.0;
/// How long a GPU takes to come back to its full clock, and more.
const WAKING: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Error> {
    let options = GradientOptions::parse(std::env::args().skip(1))?;
    let mut machine = Machine::here(&options.common.profile);
    let manager = Manager::new()?;
    let device = manager.device();
    if device.kind == DeviceKind::Host {
        return Err(Error::NotVulkan(device.to_string()));
    }
    machine.device = Some(device.name.clone());
    machine.driver = Some(device.driver.clone());
    let is_gpu = device.kind != DeviceKind::Cpu;
    let mut bench =
        Bench { manager: &manager, is_gpu, runs: options.common.runs, report: Report::new("gradients", machine) };
    let wanted = |name: &str| options.only.is_empty() || options.only.iter().any(|only| only == name);
    for (name, workload) in kernels::WORKLOADS {
        if wanted(name) {
            eprintln!("{name} …");
            workload(&mut bench)?;
        }
    }
    if wanted("training") {
        eprintln!("training …");
        training::bench(&mut bench, &options.peers)?;
    }
    let mut report = bench.report;
    report.notes.push("the gradients of both sides were compared".to_owned());
    let path = report.write(&options.common.out)?;
    println!("{report}written: {}", path.display());
    Ok(())
}

/// Everything a workload measures with.
struct Bench<'a> {
    manager: &'a Manager,
    is_gpu: bool,
    runs: usize,
    report: Report,
}

/// Records launches.
type Record<'a> = &'a dyn Fn(&Sequence) -> gridwise::Result<()>;

impl Bench<'_> {
    /// Measures a derived kernel against one written by hand, and against its original; `is_map`: an invocation has inputs of its own, so that
    /// there is a goal.
    fn measure(
        &mut self,
        name: String,
        (forward, is_map): (Record<'_>, bool),
        derived: Record<'_>,
        by_hand: Record<'_>,
    ) -> Result<(), Error> {
        let recorded = |record: Record<'_>| {
            let sequence = self.manager.sequence()?;
            record(&sequence)?;
            Ok::<_, Error>(sequence)
        };
        let (forward, derived, by_hand) = (recorded(forward)?, recorded(derived)?, recorded(by_hand)?);
        let mut ours = || Ok(derived.eval_profiled()?.device());
        let mut theirs = || Ok(by_hand.eval_profiled()?.device());
        let mut original = || Ok(forward.eval_profiled()?.device());
        let start = Instant::now();
        while self.is_gpu && start.elapsed() < WAKING {
            ours()?;
        }
        let samples = interleave::<Error>(&mut [&mut ours, &mut theirs, &mut original], 3, self.runs)?;
        let goals = [vec![Goal::Ratio(GOAL)], if is_map { vec![Goal::Ratio(GOAL_OF_FORWARD)] } else { Vec::new() }];
        for ((peer, theirs), goals) in [("by hand", &samples[1]), ("forward", &samples[2])].into_iter().zip(goals) {
            self.report.figures.push(Figure {
                name: name.clone(),
                unit: "run",
                peer: peer.to_owned(),
                ours: samples[0].summary(1),
                theirs: theirs.summary(1),
                goals,
            });
        }
        Ok(())
    }
}

/// Compares two gradients, up to a share of the largest slope.
fn compare(name: &str, derived: &[f32], by_hand: &[f32], tolerance: f32) -> Result<(), Error> {
    let largest = by_hand.iter().fold(0.0f32, |largest, slope| largest.max(slope.abs()));
    for (place, (found, expected)) in derived.iter().zip(by_hand).enumerate() {
        let is_near = (found - expected).abs() <= tolerance * largest;
        if !is_near || largest == 0.0 {
            let detail = format!("at {place}: {found}, by hand {expected}");
            return Err(BenchError::WrongResult { contender: format!("gridwise, {name}"), detail }.into());
        }
    }
    Ok(())
}

/// Numbers from 0 to 1 that are the same in every run.
fn numbers(len: usize) -> Vec<f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 40) as f32 / (1u32 << 24) as f32
    };
    (0..len).map(|_| next()).collect()
}
