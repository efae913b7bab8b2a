//! Fails each fallible call of a program once, in each way, and looks at what becomes of it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use gridwise::{Error, Manager, ManagerDesc, PrintSink, Result};
use gridwise_fault_layer::Control;
use libtest_mimic::Failed;

use crate::programs::{Found, Program};

/// Positions of each function that the quick sweep fails.
pub(crate) const QUICK: u32 = 2;
/// After how long a position counts as hanging.
const HANGS: Duration = Duration::from_secs(60);

pub(crate) const LOST: i32 = -4;
const OUT_OF_MEMORY: [i32; 2] = [-1, -2];

/// The position that is being tried, and since when.
static CURRENT: Mutex<Option<(Instant, String)>> = Mutex::new(None);

/// Ends the process, with the position's name, when one hangs.
pub(crate) fn watch() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        thread::spawn(|| {
            loop {
                thread::sleep(Duration::from_secs(1));
                let current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((_, name)) = current.as_ref().filter(|(since, _)| since.elapsed() > HANGS) {
                    eprintln!("hangs: {name}");
                    std::process::exit(101);
                }
            }
        });
    });
}

pub(crate) fn note(position: Option<&str>) {
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = position.map(|name| (Instant::now(), name.to_owned()));
}

/// A manager for a program, on the device that the environment names.
pub(crate) fn open(program: &Program) -> Result<Manager> {
    let ManagerDesc { device, .. } = ManagerDesc::from_env()?;
    let validation = std::env::var_os("GRIDWISE_FAULTS_VALIDATED").is_some();
    let print = PrintSink::new(|_| {});
    Manager::with(ManagerDesc { device, validation, print, ..program.desc() })
}

/// Tries all positions.
pub(crate) fn sweep(faults: Control, program: &Program) -> Result<(), Failed> {
    watch();
    (faults.reset)();
    note(Some(program.name));
    let expected = open(program).and_then(|manager| program.run(&manager))?;
    let calls = (faults.calls)();
    check_live(faults, "without a fault")?;
    // A program runs a kernel, unless it only copies.
    let has_pipelines =
        program.has_no_kernels() || calls.iter().any(|(function, ..)| *function == "vkCreateComputePipelines");
    let quick = std::env::var("GRIDWISE_FAULTS").map_or(QUICK, |_| u32::MAX);
    // For a driver that takes the process with it.
    let is_told = std::env::var_os("GRIDWISE_FAULTS_TOLD").is_some();
    let (mut positions, mut fired, mut failures) = (0, 0, Vec::new());
    for (function, count, codes) in calls {
        for code in codes {
            for nth in positions_of(count, quick) {
                positions += 1;
                let name = format!("{}: {function} number {nth} of {count} gives {code}", program.name);
                note(Some(&name));
                if is_told {
                    eprintln!("{name}");
                }
                (faults.reset)();
                (faults.arm)(function, nth, *code);
                let tried = catch_unwind(AssertUnwindSafe(|| attempt(faults, program, *code, &expected)));
                let tried = tried.unwrap_or_else(|_| Err("it panicked".to_owned()));
                fired += u32::from((faults.has_fired)());
                let told = tried.and_then(|()| check_live(faults, "afterwards").map_err(|_| leaks(faults)));
                if let Err(cause) = told {
                    failures.push(format!("{name}: {cause}"));
                }
            }
        }
    }
    note(None);
    (faults.reset)();
    eprintln!("{}: {fired} of {positions} positions reached", program.name);
    // Timing decides how often a program asks whether a submission is complete, and nothing else.
    if !has_pipelines || fired < positions - positions / 4 {
        failures.push(format!("{fired} of {positions} positions were reached, pipelines made: {has_pipelines}"));
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}

/// The first ones and the last; all where there are not more.
pub(crate) fn positions_of(count: u32, most: u32) -> impl Iterator<Item = u32> {
    (1..=count).filter(move |nth| *nth <= most || *nth == count)
}

pub(crate) fn leaks(faults: Control) -> String {
    format!("left behind: {:?}", faults.left())
}

pub(crate) fn check_live(faults: Control, when: &str) -> Result<(), Failed> {
    // Threads that drove a run may be the last to let go.
    let start = Instant::now();
    while !faults.left().is_empty() && start.elapsed() < Duration::from_secs(5) {
        thread::sleep(Duration::from_millis(1));
    }
    if faults.left().is_empty() { Ok(()) } else { Err(format!("{when}: {}", leaks(faults)).into()) }
}

/// One run with a fault, and what must work after it.
fn attempt(faults: Control, program: &Program, code: i32, expected: &Found) -> Result<(), String> {
    let manager = match open(program) {
        Ok(manager) => manager,
        Err(error) => {
            check_error(&error, code)?;
            let again = open(program).and_then(|manager| program.run(&manager));
            return compare("with a new manager", again, expected);
        }
    };
    let takes_errors = expected.has_errors();
    match program.run(&manager) {
        // What it found out may be the error.
        Ok(found) if takes_errors && found.difference(expected).is_some() => {}
        // Not every call is needed: what helps to be fast may fail.
        Ok(found) if code != LOST || !(faults.has_fired)() => compare("in spite of it", Ok(found), expected)?,
        Ok(found) => compare("before the loss", Ok(found), expected)?,
        Err(error) => check_error(&error, code)?,
    }
    if !(faults.has_fired)() {
        // Timing decides how often a program asks whether a submission is complete.
        return Ok(());
    }
    let run_again = |manager: &Manager| {
        if takes_errors {
            // The run before may tell late what it printed, which this one takes for its own.
            let _ = program.run(manager);
        }
        program.run(manager)
    };
    let again = run_again(&manager);
    if code != LOST {
        return compare("again", again, expected);
    }
    match again {
        Err(Error::DeviceLost { .. }) => {}
        Ok(found) if takes_errors && found.difference(expected).is_some() => {}
        other => return Err(format!("after the loss: {other:?}")),
    }
    let recovered = manager.recover().and_then(|recovery| run_again(recovery.manager()));
    compare("recovered", recovered, expected)
}

fn compare(when: &str, found: Result<Found>, expected: &Found) -> Result<(), String> {
    match found {
        Ok(found) => found.difference(expected).map_or(Ok(()), |how| Err(format!("{when}: wrong data: {how}"))),
        Err(error) => Err(format!("{when}: {error}")),
    }
}

/// An error is of the kind that the code asks for, and says what to do.
pub(crate) fn check_error(error: &Error, code: i32) -> Result<(), String> {
    let text = error.to_string();
    let fits = match error {
        Error::OutOfMemory { .. } => OUT_OF_MEMORY.contains(&code) || code < -4,
        Error::DeviceLost { .. } => code == LOST,
        Error::Timeout { .. } => code == 2,
        // It carries the text of the error that the call gave.
        Error::HostCallFailed { .. } => true,
        Error::Vulkan { .. } | Error::NoDevice { .. } | Error::DeviceNotSuitable { .. } => {
            code != LOST && !OUT_OF_MEMORY.contains(&code)
        }
        _ => false,
    };
    match fits && text.contains(';') {
        true => Ok(()),
        false => Err(format!("an error of the wrong kind, or without a remedy: {text}")),
    }
}
