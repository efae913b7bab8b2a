//! Modules in a process of their own: what crashes or hangs a driver ends that process, and the program goes on with its data.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use gridwise_runtime::{Error, Grid, SpirvCode, SpirvDesc, Worker, WorkerDesc, WorkerEnd};

use crate::harness::{Outcome, cases, ignored};

cases! {
    once_on_vulkan: workers_run_modules, other_programs_are_no_workers, what_does_not_fit_is_refused, a_crash_is_an_error, a_killed_worker_is_an_error,
        a_hang_is_ended, loading_has_a_limit_of_its_own;
}

const UNRULY: SpirvDesc<'_> = SpirvDesc {
    name: "unruly",
    code: SpirvCode::Bytes(include_bytes!("../modules/unruly.spv")),
    entry_point: None,
    constants: &[],
};

/// The requests of a call to the module.
const DOUBLE: [u32; 2] = [0, 0];
const REACH_FAR: [u32; 2] = [1, 1 << 24];
const TAKE_LONG: [u32; 2] = [2, 0];

fn worker(time_limit: Duration) -> Worker {
    Worker::start(WorkerDesc { time_limit, load_limit: LONG, command: command() }).unwrap()
}

/// How this program was started, if by a loader.
fn command() -> Vec<OsString> {
    let program = std::env::args_os().next().unwrap();
    let is_started_itself = std::env::current_exe().unwrap().file_name() == Path::new(&program).file_name();
    let line = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let words: Vec<_> = line.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec())).collect();
    match words.iter().position(|word| *word == program) {
        Some(at) if !is_started_itself => words[..=at].to_vec(),
        _ => Vec::new(),
    }
}

/// Long enough for a slow machine.
const LONG: Duration = Duration::from_secs(120);

/// So many that a large GPU is busy for seconds.
fn many() -> Grid {
    Grid::groups([60_000, 50, 1])
}

/// For who keeps a GPU busy: beside it, no call would keep a short limit.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn numbers() -> Vec<u32> {
    (1..=64).collect()
}

/// Runs the module as it should.
fn doubles(worker: &mut Worker) {
    let (from, mut to) = (numbers(), vec![0u32; 64]);
    worker.call(&UNRULY, Grid::items(64)).read(0, &from).write(1, &mut to).push(&DOUBLE).run().unwrap();
    assert_eq!(to, from.iter().map(|value| value * 2).collect::<Vec<_>>());
}

/// Asks for something bad; what was to be written stays.
fn misbehaves(worker: &mut Worker, grid: Grid, deed: [u32; 2]) -> Result<(), Error> {
    let (from, mut to) = (numbers(), numbers());
    let ended = worker.call(&UNRULY, grid).read(0, &from).write(1, &mut to).push(&deed).run();
    if ended.is_err() {
        assert_eq!(to, numbers());
    }
    ended
}

fn workers_run_modules() {
    // Longer than clocks tell.
    let mut worker = worker(Duration::MAX);
    let process = worker.process();
    assert!(process.is_some_and(|process| process != std::process::id()));
    for _ in 0..3 {
        doubles(&mut worker);
    }
    let scale = SpirvDesc {
        name: "scale",
        code: SpirvCode::Bytes(super::spirv::SCALE),
        entry_point: Some("main"),
        constants: &[(0, 3.0f32.into()), (1, 5i32.into()), (3, true.into()), (7, 64u32.into())],
    };
    let (from, mut to) = ([1.0f32, 2.0, 3.0], [9.0f32; 4]);
    let push = [3u32, 0.5f32.to_bits()];
    worker.call(&scale, Grid::items(3)).read(0, &from).write(1, &mut to).push(&push).run().unwrap();
    assert_eq!(to, [-8.5, -11.5, -14.5, 9.0]);
    assert_eq!(worker.process(), process, "one process for all");
}

fn other_programs_are_no_workers() {
    for command in ["true", "no such program"] {
        let desc = WorkerDesc { command: vec![command.into()], ..WorkerDesc::default() };
        let error = Worker::start(desc).unwrap_err();
        assert!(matches!(error, Error::NoWorker { .. }), "{error}");
    }
}

fn what_does_not_fit_is_refused() {
    let mut worker = worker(LONG);
    let process = worker.process();
    let mut to = [1u32; 64];
    let error = worker.call(&UNRULY, Grid::items(64)).write(1, &mut to).push(&DOUBLE).run().unwrap_err();
    assert!(matches!(&error, Error::WorkerRefused { cause, .. } if cause.contains("binding 0")), "{error}");
    let cut = SpirvDesc { code: SpirvCode::Bytes(&[3, 2, 35, 7, 0, 0]), ..UNRULY };
    let error = worker.call(&cut, Grid::items(64)).write(1, &mut to).run().unwrap_err();
    assert!(matches!(&error, Error::WorkerRefused { module, .. } if module == "unruly"), "{error}");
    doubles(&mut worker);
    assert_eq!((worker.process(), to), (process, [1; 64]));
}

fn a_crash_is_an_error() -> Outcome {
    let mut worker = worker(LONG);
    let process = worker.process();
    match misbehaves(&mut worker, Grid::groups(4), REACH_FAR) {
        // Not every driver crashes.
        Ok(()) => return ignored("the driver survives what the module does"),
        Err(Error::WorkerDied { module, doing, how: WorkerEnd::Signal(_) }) => {
            assert_eq!((&*module, doing, worker.process()), ("unruly", "running", None));
        }
        // Some lose the device and go on: the next call has another.
        Err(Error::WorkerRefused { cause, .. }) if cause.contains("the device is lost") => {
            doubles(&mut worker);
            return Outcome::Done;
        }
        Err(other) => panic!("{other}"),
    }
    doubles(&mut worker);
    assert_ne!(worker.process(), process, "another one");
    Outcome::Done
}

fn a_killed_worker_is_an_error() {
    let _alone = alone();
    let mut worker = worker(LONG);
    // A busy machine may still be loading when the signal comes: then it is sent later.
    let while_running = [300, 1000, 3000].into_iter().any(|delay| {
        doubles(&mut worker);
        let process = worker.process().unwrap().to_string();
        let killer = thread::spawn(move || {
            thread::sleep(Duration::from_millis(delay));
            assert!(Command::new("kill").args(["-9", &process]).status().unwrap().success());
        });
        let error = misbehaves(&mut worker, many(), TAKE_LONG).unwrap_err();
        killer.join().unwrap();
        let Error::WorkerDied { doing, how: WorkerEnd::Signal(9), .. } = &error else { panic!("{error}") };
        assert!(error.to_string().contains(&format!("signal 9 (SIGKILL) while it was {doing} it")), "{error}");
        *doing == "running"
    });
    assert!(while_running);
    doubles(&mut worker);
}

fn a_hang_is_ended() {
    let _alone = alone();
    let mut worker = worker(Duration::from_secs(3));
    doubles(&mut worker);
    let started = Instant::now();
    let error = misbehaves(&mut worker, many(), TAKE_LONG).unwrap_err();
    let is_late = matches!(&error, Error::WorkerDied { doing: "running", how: WorkerEnd::TimeLimit(_), .. });
    assert!(is_late && error.to_string().contains("set a longer `time_limit`"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(20));
    // A GPU that is still busy is waited for in the time for loading.
    doubles(&mut worker);
}

fn loading_has_a_limit_of_its_own() {
    let desc = WorkerDesc { load_limit: Duration::from_micros(1), command: command(), ..WorkerDesc::default() };
    let mut worker = Worker::start(desc).unwrap();
    let error = misbehaves(&mut worker, Grid::groups(1), DOUBLE).unwrap_err();
    let is_late = matches!(&error, Error::WorkerDied { doing: "loading", how: WorkerEnd::TimeLimit(_), .. });
    assert!(is_late && error.to_string().contains("set a longer `load_limit`"), "{error}");
    // The process before is gone, or is told to be there still.
    let error = misbehaves(&mut worker, Grid::groups(1), DOUBLE).unwrap_err();
    assert!(matches!(&error, Error::NoWorker { .. } | Error::WorkerDied { .. }), "{error}");
}
