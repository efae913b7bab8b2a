//! Calls without the interpreter's lock, for which the end of the process waits: drivers do not survive threads that are still in them then.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::manager;

/// How long the end of the process waits for a call or for a device that hangs.
const PATIENCE: Duration = Duration::from_secs(5);
/// After how long it looks again.
pub(crate) const PAUSE: Duration = Duration::from_millis(1);

/// The calls that are under way in all threads.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);
static IS_ENDING: AtomicBool = AtomicBool::new(false);
/// The process whose calls are counted: one that is forked has not its parent's threads.
static PROCESS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// The calls that this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static ENDS_THE_PROCESS: Cell<bool> = const { Cell::new(false) };
}

/// Calls without the interpreter's lock. Once the process ends, other threads than the one that ends it stop here.
pub(crate) fn detached<R: Send>(py: Python<'_>, call: impl FnOnce() -> R + Send) -> R {
    py.detach(|| {
        let _under_way = UnderWay::begin();
        call()
    })
}

struct UnderWay;

impl UnderWay {
    fn begin() -> Self {
        UNDER_WAY.fetch_add(1, Ordering::SeqCst);
        let is_first = DEPTH.get() == 0;
        if is_first && IS_ENDING.load(Ordering::SeqCst) && !ENDS_THE_PROCESS.get() {
            UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
            loop {
                thread::park();
            }
        }
        DEPTH.set(DEPTH.get() + 1);
        Self
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
        UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Has the interpreter wait, at its end, for calls and devices of the threads that are left.
pub(crate) fn wait_at_exit(module: &Bound<'_, PyModule>) -> PyResult<()> {
    PROCESS.store(std::process::id(), Ordering::SeqCst);
    let end = wrap_pyfunction!(end, module)?;
    module.py().import("atexit")?.call_method1("register", (end,))?;
    Ok(())
}

/// Waits. The interpreter calls it when it ends, after the threads that it joins.
#[pyfunction]
fn end(py: Python<'_>) {
    if PROCESS.load(Ordering::SeqCst) != std::process::id() {
        return;
    }
    ENDS_THE_PROCESS.set(true);
    IS_ENDING.store(true, Ordering::SeqCst);
    py.detach(|| {
        let until = Instant::now() + PATIENCE;
        while UNDER_WAY.load(Ordering::SeqCst) > 0 && Instant::now() < until {
            thread::sleep(PAUSE);
        }
        manager::settle_all(until);
    });
}
