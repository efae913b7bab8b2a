//! `await` of a running evaluation: a future of asyncio that the runtime's waker completes. No thread waits for it.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Wake, Waker};

use pyo3::prelude::*;
use pyo3::types::PyCFunction;

use crate::detached::detached;
use crate::sequence::{Running, Sequence};

/// Completes a future of asyncio on its loop.
struct Waiter {
    event_loop: Py<PyAny>,
    /// The callback of the loop, which looks whether the evaluation is complete.
    step: Mutex<Option<Py<PyAny>>>,
}

impl Wake for Waiter {
    fn wake(self: Arc<Self>) {
        // At the interpreter's end there is nobody to be told.
        let _ = Python::try_attach(|py| {
            let step = self.step.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|step| step.clone_ref(py));
            // A loop that was closed meanwhile has no tasks that wait.
            step.map(|step| self.event_loop.call_method1(py, "call_soon_threadsafe", (step,)))
        });
    }
}

/// The iterator that `await` of a sequence runs.
pub(crate) fn awaitable<'py>(sequence: &Bound<'py, Sequence>) -> PyResult<Bound<'py, PyAny>> {
    let py = sequence.py();
    let event_loop = py.import("asyncio")?.call_method0("get_running_loop")?;
    let future = event_loop.call_method0("create_future")?;
    let waiter = Arc::new(Waiter { event_loop: event_loop.unbind(), step: Mutex::new(None) });
    let running = Mutex::new(sequence.get().cell.evaluation()?);
    let (of_sequence, of_future, waker) = (sequence.clone().unbind(), future.clone().unbind(), waiter.clone());
    let step = PyCFunction::new_closure(py, None, None, move |args, _| -> PyResult<()> {
        let py = args.py();
        let (sequence, future) = (of_sequence.bind(py), of_future.bind(py));
        if future.call_method0("done")?.is_truthy()? {
            return Ok(());
        }
        match poll(sequence, &running, &waker) {
            Ok(false) => {}
            Ok(true) => {
                future.call_method1("set_result", (sequence,))?;
                waker.step.lock().unwrap_or_else(PoisonError::into_inner).take();
            }
            Err(error) => {
                future.call_method1("set_exception", (error,))?;
                waker.step.lock().unwrap_or_else(PoisonError::into_inner).take();
            }
        }
        Ok(())
    })?;
    *waiter.step.lock().unwrap_or_else(PoisonError::into_inner) = Some(step.clone().into_any().unbind());
    step.call0()?;
    future.call_method0("__await__")
}

/// Whether the evaluation is complete. If not, the waiter is told when it is.
fn poll(sequence: &Bound<'_, Sequence>, running: &Mutex<Option<Running>>, waiter: &Arc<Waiter>) -> PyResult<bool> {
    let py = sequence.py();
    let cell = sequence.get().cell.clone();
    let waker = Waker::from(waiter.clone());
    let polled = detached(py, || {
        let is_over = match &mut *running.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(running) => running.is_over(&mut Context::from_waker(&waker)),
            None => true,
        };
        if is_over { cell.wait(None) } else { Ok(false) }
    });
    crate::logs::flush(py);
    Ok(polled?)
}
