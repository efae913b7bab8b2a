//! The suite of Vulkan's faults: each call that can fail does so once, in each way that the specification allows, in
//! programs that take every path of the runtime. No panic, no leak, no hang, no wrong data; an error that names the
//! remedy, and after it the same program runs.
//!
//! `GRIDWISE_FAULTS=all` fails every call and not only the first few of each function; with the feature `corpus` there is a trial
//! for each corpus program, too, or for as many as `GRIDWISE_FAULTS_SAMPLE` says.

#[cfg(unix)]
mod events;
mod layer;
mod managers;
mod poor;
mod programs;
mod recovery;
mod sweep;
mod workers;

use std::process::ExitCode;

use gridwise_fault_layer::Control;
use libtest_mimic::{Arguments, Failed, Trial};

/// A trial that is no sweep: its name, and what it does.
type Case = (&'static str, fn(Control) -> Result<(), Failed>);

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // There is one layer, and it counts for all.
    arguments.test_threads = Some(1);
    // SAFETY: no other thread is there yet.
    let faults = match unsafe { layer::load() } {
        Ok(faults) => faults,
        Err(error) => {
            eprintln!("the layer does not load: {error}");
            return ExitCode::FAILURE;
        }
    };
    workers::serve_if_asked(faults);
    let device = match sweep::open(&programs::ALL[0]) {
        Ok(manager) => manager.device().clone(),
        Err(error) => {
            eprintln!("no device: {error}");
            return ExitCode::FAILURE;
        }
    };
    eprintln!("device: {device}");
    let is_host = device.kind == gridwise::DeviceKind::Host;
    let mut trials = Vec::new();
    for program in programs::all() {
        let is_possible = program.is_possible(&device);
        let trial = Trial::test(program.trial(), move || sweep::sweep(faults, &program));
        trials.push(trial.with_ignored_flag(!is_possible));
    }
    // What hangs is never freed: these come last.
    #[cfg(unix)]
    let (events, last) = (events::ALL, events::LAST);
    #[cfg(not(unix))]
    let (events, last): (&[Case], &[Case]) = (&[], &[]);
    let cases =
        poor::ALL.iter().chain(managers::ALL).chain(events).chain(workers::ALL).chain(recovery::ALL).chain(last);
    for (name, run) in cases {
        trials.push(Trial::test(*name, move || run(faults)).with_ignored_flag(is_host));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
