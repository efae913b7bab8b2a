//! A worker whose device is lost: the call says so, and the next one has another device.

use std::env;
use std::ffi::OsString;

use gridwise::prelude::*;
use gridwise::{Error, SpirvCode, SpirvDesc, Worker, WorkerDesc};
use gridwise_fault_layer::Control;
use libtest_mimic::Failed;

/// The trials.
pub(crate) const ALL: &[crate::Case] =
    &[("workers::one_that_loses_its_device_gets_another", one_that_loses_its_device_gets_another)];

/// Names the function with whose first call a worker loses its device.
const LOSES: &str = "GRIDWISE_FAULTS_WORKER_LOSES";

const LOST: i32 = -4;

/// In a worker's process, serves and does not return.
pub(crate) fn serve_if_asked(faults: Control) {
    if let Ok(function) = env::var(LOSES) {
        (faults.arm)(&function, 1, LOST);
    }
    gridwise::serve_if_asked();
}

fn one_that_loses_its_device_gets_another(faults: Control) -> Result<(), Failed> {
    (faults.reset)();
    let module = SpirvDesc {
        name: "unruly",
        code: SpirvCode::Bytes(include_bytes!("../../../../runtime/tests/modules/unruly.spv")),
        entry_point: None,
        constants: &[],
    };
    for function in ["vkQueueSubmit", "vkGetSemaphoreCounterValue"] {
        let command = ["env".into(), format!("{LOSES}={function}").into()].into_iter().chain(this_program()?).collect();
        let mut worker = Worker::start(WorkerDesc { command, ..WorkerDesc::default() })?;
        let process = worker.process();
        let (from, mut to) = ([1u32, 2, 3], [7u32; 3]);
        let mut call = || worker.call(&module, Grid::items(3)).read(0, &from).write(1, &mut to).push(&[0u32; 2]).run();
        let error = call().expect_err(function);
        assert!(
            matches!(&error, Error::WorkerRefused { cause, .. } if cause.contains("the device is lost")),
            "{function}: {error}"
        );
        call()?;
        assert_eq!((to, worker.process()), ([2, 4, 6], process), "{function}");
    }
    Ok(())
}

/// How this program was started, if by a loader.
fn this_program() -> Result<Vec<OsString>, Failed> {
    let program = env::args_os().next().unwrap_or_default();
    let line = std::fs::read("/proc/self/cmdline")?;
    // SAFETY: what the system gave as bytes of this kind.
    let words =
        line.split(|byte| *byte == 0).map(|word| unsafe { OsString::from_encoded_bytes_unchecked(word.into()) });
    let words: Vec<_> = words.collect();
    let end = words.iter().position(|word| *word == program).ok_or("this program in its own command line")?;
    Ok(words[..=end].to_vec())
}
