//! One device beside several of one machine, in one process with a manager each: copies between the first two, heat on a plate that is
//! split into strips, and training on shares of the samples. Each device has as much work as the one alone, so that a ratio is the time
//! of several over the time of one (weak scaling). Results are compared: bits of the plate with a run on one device, bits of the weights
//! between the devices.
//!
//! `--peers FILE` reads the lines that `peers/peer_copy.cu` prints. `--devices N` takes the first N devices; on a machine with one, it
//! makes N managers of that one, which tests the program and measures nothing.

mod copies;
mod error;
mod heat;
mod options;
mod training;

use std::process::ExitCode;
use std::time::Duration;

use gridwise::prelude::*;
use gridwise::{DeviceChoice, DeviceKind, ManagerDesc, PipelineCache};
use gridwise_benches::{Error as BenchError, Figure, Goal, Machine, Report, Samples};

use crate::error::Error;
use crate::options::SeveralOptions;

/// Time of several devices over that of one, at most: an efficiency of 0.9.
const SCALING: f64 = 1.0 / 0.9;

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
    let options = SeveralOptions::parse(std::env::args().skip(1))?;
    let managers = managers(options.devices)?;
    for (at, manager) in managers.iter().enumerate() {
        println!("device {at}: {}", manager.device());
    }
    let mut machine = Machine::here(&options.common.profile);
    let device = managers[0].device();
    machine.device = Some(device.name.clone());
    machine.driver = Some(device.driver.clone());
    let is_gpu = device.kind != DeviceKind::Cpu;
    let report = Report::new("several_gpus", machine);
    let mut bench = Bench { managers: &managers, is_gpu, runs: options.common.runs, report };

    eprintln!("copies …");
    copies::bench(&mut bench, &options.peers)?;
    eprintln!("heat …");
    heat::bench(&mut bench)?;
    eprintln!("training …");
    training::bench(&mut bench)?;

    println!("{}", bench.report);
    println!("wrote: {}", bench.report.write(&options.common.out)?.display());
    Ok(())
}

/// A manager for each GPU. Where there are fewer than asked for, the last has several.
fn managers(count: usize) -> Result<Vec<Manager>, Error> {
    let all = Manager::list_devices();
    let of_kind = |is_wanted: fn(DeviceKind) -> bool| -> Vec<DeviceChoice> {
        let wanted = all.iter().filter(|device| device.missing.is_empty() && is_wanted(device.kind));
        wanted.filter_map(|device| device.uuid.map(DeviceChoice::Uuid)).collect()
    };
    let gpus = of_kind(|kind| !matches!(kind, DeviceKind::Cpu | DeviceKind::Host));
    let found = if gpus.is_empty() { of_kind(|kind| kind == DeviceKind::Cpu) } else { gpus };
    let Some(last) = found.last() else {
        return Err(Error::NoDevice(all.iter().map(|device| device.name.as_str()).collect::<Vec<_>>().join(", ")));
    };
    (0..count)
        .map(|at| {
            let device = found.get(at).unwrap_or(last).clone();
            Ok(Manager::with(ManagerDesc { device, pipeline_cache: PipelineCache::Off, ..ManagerDesc::default() })?)
        })
        .collect()
}

/// The state of a run.
struct Bench<'a> {
    managers: &'a [Manager],
    is_gpu: bool,
    runs: usize,
    report: Report,
}

impl Bench<'_> {
    /// Adds the time of several devices beside that of one; each sample is of `per` steps.
    fn scaling(&mut self, name: String, several: &Samples, one: &Samples, per: usize) {
        let (ours, theirs) = (several.summary(per), one.summary(per));
        let goals = if self.is_gpu { vec![Goal::Ratio(SCALING)] } else { Vec::new() };
        self.report.figures.push(Figure { name, unit: "step", peer: "one device".to_owned(), ours, theirs, goals });
    }

    /// Runs both, several devices and one, in turns.
    fn in_turns(
        &self,
        mut several: impl FnMut() -> Result<Duration, Error>,
        mut one: impl FnMut() -> Result<Duration, Error>,
    ) -> Result<[Samples; 2], Error> {
        let samples = gridwise_benches::interleave(&mut [&mut several, &mut one], 2, self.runs)?;
        let [several, one] = <[Samples; 2]>::try_from(samples).expect("one for each contender");
        Ok([several, one])
    }
}

/// Starts all, and waits for all.
fn together(sequences: &[Sequence]) -> Result<(), Error> {
    let running = sequences.iter().map(Sequence::eval_async).collect::<gridwise::Result<Vec<_>>>()?;
    running.iter().try_for_each(|evaluation| evaluation.wait())?;
    Ok(())
}

/// The error of a result that is not what it must be.
fn wrong(contender: &str, detail: String) -> Error {
    BenchError::WrongResult { contender: contender.to_owned(), detail }.into()
}

/// Numbers from 0 to 1, the same each time.
fn numbers(count: usize) -> Vec<f32> {
    (0..count as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f32 / (1 << 24) as f32).collect()
}
