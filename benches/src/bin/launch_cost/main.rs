//! The cost of a launch through the runtime, against the same Vulkan calls by hand on the same device, taken in turns.
//!
//! Needs nothing at run time but the Vulkan loader, so that it can be copied to any machine with a GPU.

mod error;
mod ours;
mod plan;
mod raw;

use std::process::ExitCode;

use gridwise::{DeviceKind, Kernel as _, Manager};
use gridwise_benches::raw::RawDevice;
use gridwise_benches::{Figure, Goal, Machine, Options, Report, interleave, pin_to_this_core, time};

use crate::error::Error;
use crate::ours::{Ours, Saxpy};
use crate::plan::Plan;
use crate::raw::Raw;

/// Recorded runs, when the command line does not say.
const RUNS: usize = 400;

/// Our median against raw ash's.
const GOAL: Goal = Goal::Ratio(1.10);

/// The work between two readings of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    /// Record, submit, wait.
    RecordAndEval,
    /// The same, with another tensor to read than the time before, so that no command buffer stays.
    RecordOthersAndEval,
    /// Submit, wait.
    Replay,
}

const ONE: Plan = Plan { launches: 1, chains: 1 };
const DEPENDENT: Plan = Plan { launches: 100, chains: 1 };
const INDEPENDENT: Plan = Plan { launches: 100, chains: 100 };
/// We record them one behind the other; by hand they go side by side.
const CHAINS: Plan = Plan { launches: 100, chains: 10 };

/// The workloads: name, what, how much, and the goal if there is one.
const WORKLOADS: [(&str, Work, Plan, Option<Goal>); 11] = [
    ("record and eval 1", Work::RecordAndEval, ONE, Some(GOAL)),
    ("replay 1", Work::Replay, ONE, None),
    ("record and eval 100, dependent", Work::RecordAndEval, DEPENDENT, None),
    ("record and eval 100, independent", Work::RecordAndEval, INDEPENDENT, None),
    ("record and eval 100, 10 chains", Work::RecordAndEval, CHAINS, None),
    ("record others and eval 100, dependent", Work::RecordOthersAndEval, DEPENDENT, Some(GOAL)),
    ("record others and eval 100, independent", Work::RecordOthersAndEval, INDEPENDENT, Some(GOAL)),
    ("record others and eval 100, 10 chains", Work::RecordOthersAndEval, CHAINS, Some(GOAL)),
    ("replay 100, dependent", Work::Replay, DEPENDENT, Some(GOAL)),
    ("replay 100, independent", Work::Replay, INDEPENDENT, Some(GOAL)),
    ("replay 100, 10 chains", Work::Replay, CHAINS, Some(GOAL)),
];

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
    let options = Options::parse(std::env::args().skip(1), RUNS)?;
    let mut machine = Machine::here(&options.profile);
    let mut manager = Manager::new()?;
    let mut is_pinned = false;
    if manager.device().kind == DeviceKind::Cpu {
        drop(manager);
        is_pinned = pin_to_this_core();
        manager = Manager::new()?;
    }
    let device = manager.device();
    if device.kind == DeviceKind::Host {
        return Err(Error::NotVulkan(device.to_string()));
    }
    machine.device = Some(device.name.clone());
    machine.driver = Some(device.driver.clone());
    let mut report = Report::new("launch", machine);
    if is_pinned {
        report.notes.push("all on one core, because the device is the processor".to_owned());
    }
    let raw_device = RawDevice::open(&device.name)?;
    if raw_device.push_descriptors.is_none() {
        report.notes.push("no push descriptors: the raw side binds sets that were written once".to_owned());
    }
    for (name, work, plan, goal) in WORKLOADS {
        report.figures.push(measure(&manager, &raw_device, name, work, plan, goal, options.runs)?);
    }
    report.notes.push("every result was compared, exactly, with what so many launches must give".to_owned());
    let path = report.write(&options.out)?;
    println!("{report}written: {}", path.display());
    Ok(())
}

/// One workload by both, in turns.
fn measure(
    manager: &Manager,
    raw_device: &RawDevice,
    name: &str,
    work: Work,
    plan: Plan,
    goal: Option<Goal>,
    runs: usize,
) -> Result<Figure, Error> {
    let mut ours = Ours::new(manager, plan)?;
    let mut raw = Raw::new(raw_device, Saxpy::DESCRIPTOR, plan)?;
    ours.record()?;
    raw.record()?;
    let mut our_turn = || {
        time(|| {
            match work {
                Work::RecordAndEval => ours.record()?,
                Work::RecordOthersAndEval => ours.record_others()?,
                Work::Replay => {}
            }
            ours.eval()
        })
    };
    let mut raw_turn = || {
        time(|| {
            if work != Work::Replay {
                raw.record()?;
            }
            raw.eval()
        })
    };
    let samples = interleave::<Error>(&mut [&mut our_turn, &mut raw_turn], 20, runs)?;
    ours.check()?;
    raw.check()?;
    Ok(Figure {
        name: name.to_owned(),
        unit: "evaluation",
        peer: "raw ash".to_owned(),
        ours: samples[0].summary(1),
        theirs: samples[1].summary(1),
        goals: goal.into_iter().collect(),
    })
}
