//! Sequences as Python sees them. It must not hold its lock while it waits.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Context;
use std::time::{Duration, Instant};

use gridwise::{Evaluation, Profile, ProfiledEvaluation};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::detached::detached;
use crate::error::{Fault, Outcome, destroyed};
use crate::manager::{Destroy, Owner};
use crate::ops::{OpBase, Operation};

/// A sequence, and what was recorded into it.
pub(crate) struct SequenceCell {
    state: Mutex<Option<State>>,
    is_timed: bool,
    pub(crate) owner: Arc<Owner>,
}

struct State {
    sequence: Arc<gridwise::Sequence>,
    operations: Vec<Operation>,
    is_evaluated: bool,
    running: Option<Arc<Running>>,
    profile: Option<Profile>,
}

/// The time after which a wait looks whether the interpreter has signals, such as that of Ctrl-C.
pub(crate) const SLICE: Duration = Duration::from_millis(100);

/// An evaluation under way.
#[derive(Clone)]
pub(crate) enum Running {
    Plain(Evaluation),
    Timed(ProfiledEvaluation),
}

impl Running {
    /// Whether it was complete within the time.
    fn wait(&self, timeout: Option<Duration>) -> gridwise::Result<bool> {
        match (self, timeout) {
            (Self::Plain(running), None) => running.wait().map(|()| true),
            (Self::Plain(running), Some(timeout)) => running.wait_timeout(timeout),
            (Self::Timed(running), None) => running.wait().map(|_| true),
            (Self::Timed(running), Some(timeout)) => running.wait_timeout(timeout),
        }
    }

    /// Whether it is complete, or failed; if not, a task is woken when it is.
    pub(crate) fn is_over(&mut self, cx: &mut Context<'_>) -> bool {
        match self {
            Self::Plain(running) => Pin::new(running).poll(cx).is_ready(),
            Self::Timed(running) => Pin::new(running).poll(cx).is_ready(),
        }
    }

    fn profile(&self) -> gridwise::Result<Option<Profile>> {
        match self {
            Self::Plain(_) => Ok(None),
            Self::Timed(running) => running.wait().map(Some),
        }
    }
}

impl SequenceCell {
    fn with<R>(&self, act: impl FnOnce(&mut State) -> Outcome<R>) -> Outcome<R> {
        self.owner.check()?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        act(state.as_mut().ok_or_else(|| destroyed("sequence"))?)
    }

    pub(crate) fn record(&self, operation: &Operation) -> Outcome<()> {
        self.with(|state| {
            operation.record(&state.sequence)?;
            if std::mem::take(&mut state.is_evaluated) {
                state.operations.clear();
            }
            state.operations.push(operation.clone());
            Ok(())
        })
    }

    fn only(&self, operation: Option<&Operation>) -> Outcome<()> {
        match operation {
            None => Ok(()),
            Some(operation) => {
                self.clear()?;
                self.record(operation)
            }
        }
    }

    fn clear(&self) -> Outcome<()> {
        self.with(|state| {
            state.sequence.clear()?;
            state.operations.clear();
            state.is_evaluated = false;
            Ok(())
        })
    }

    /// Evaluates, with the times of the operations if they are wanted. Gives whether it is complete: on Vulkan, somebody must look for signals
    /// from time to time. On the host the calling thread has work to do.
    fn eval(&self, is_timed: bool) -> Outcome<bool> {
        if self.owner.is_vulkan() {
            self.start(is_timed)?;
            return self.wait(Some(SLICE));
        }
        let sequence = self.with(|state| {
            state.is_evaluated = true;
            Ok(state.sequence.clone())
        })?;
        if !is_timed {
            sequence.eval()?;
            return Ok(true);
        }
        let profile = sequence.eval_profiled()?;
        self.with(|state| {
            state.profile = Some(profile);
            Ok(true)
        })
    }

    fn start(&self, is_timed: bool) -> Outcome<()> {
        self.with(|state| {
            let running = match is_timed {
                false => Running::Plain(state.sequence.eval_async()?),
                true => Running::Timed(state.sequence.eval_profiled_async()?),
            };
            (state.running, state.is_evaluated) = (Some(Arc::new(running)), true);
            Ok(())
        })
    }

    /// Whether what was started is complete within the time. What failed is told once.
    pub(crate) fn wait(&self, timeout: Option<Duration>) -> Outcome<bool> {
        let Some(running) = self.with(|state| Ok(state.running.clone()))? else { return Ok(true) };
        let waited = running.wait(timeout).and_then(|is_done| match is_done {
            true => Ok((true, running.profile()?)),
            false => Ok((false, None)),
        });
        if matches!(waited, Ok((false, _))) {
            return Ok(false);
        }
        self.with(|state| {
            if state.running.as_ref().is_some_and(|other| Arc::ptr_eq(other, &running)) {
                state.running = None;
            }
            if let Ok((_, Some(profile))) = &waited {
                state.profile = Some(profile.clone());
            }
            Ok(())
        })?;
        Ok(waited?.0)
    }

    /// The evaluation under way, for a task that waits for it.
    pub(crate) fn evaluation(&self) -> Outcome<Option<Running>> {
        self.with(|state| Ok(state.running.as_deref().cloned()))
    }
}

impl Drop for SequenceCell {
    fn drop(&mut self) {
        if self.owner.is_forked() {
            crate::manager::forget(&mut self.state);
        }
    }
}

impl Destroy for SequenceCell {
    fn destroy(&self) {
        if self.owner.is_forked() {
            return;
        }
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(state);
    }

    fn is_live(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn settle(&self, until: Instant) {
        // What fails is nobody's concern any more.
        let _ = self.wait(Some(until.saturating_duration_since(Instant::now())));
    }
}

/// Operations, recorded once and evaluated any number of times.
#[pyclass(frozen, subclass, module = "kp")]
pub(crate) struct Sequence {
    pub(crate) cell: Arc<SequenceCell>,
}

/// The last owner of a running sequence waits, which must not keep other threads from running.
impl Drop for Sequence {
    fn drop(&mut self) {
        if Arc::strong_count(&self.cell) == 1 && !self.cell.owner.is_forked() {
            let cell = &*self.cell;
            // Without an interpreter nobody else is kept from running.
            let _ = Python::try_attach(|py| detached(py, || cell.destroy()));
        }
    }
}

impl Sequence {
    pub(crate) fn make(owner: &Arc<Owner>, queue: usize, is_timed: bool) -> Outcome<Self> {
        let sequence = Arc::new(owner.manager()?.sequence_on(queue)?);
        let state = State { sequence, operations: Vec::new(), is_evaluated: false, running: None, profile: None };
        let cell = Arc::new(SequenceCell { state: Mutex::new(Some(state)), is_timed, owner: owner.clone() });
        owner.adopt(Arc::downgrade(&cell) as _);
        Ok(Self { cell })
    }

    /// Runs without the interpreter's lock, and passes on what the runtime logged.
    fn run<R: Send>(&self, py: Python<'_>, run: impl FnOnce(&SequenceCell) -> Outcome<R> + Send) -> PyResult<R> {
        let cell = &*self.cell;
        let result = detached(py, || run(cell));
        crate::logs::flush(py);
        Ok(result?)
    }

    /// Runs what gives whether the evaluation is complete, and waits until it is. A signal's handler that raises ends the wait; the evaluation
    /// goes on.
    fn complete(&self, py: Python<'_>, run: impl FnOnce(&SequenceCell) -> Outcome<bool> + Send) -> PyResult<()> {
        let mut is_complete = self.run(py, run)?;
        while !is_complete {
            py.check_signals()?;
            is_complete = self.run(py, |cell| cell.wait(Some(SLICE)))?;
        }
        Ok(())
    }
}

fn operation(op: Option<&Bound<'_, OpBase>>) -> Option<Operation> {
    op.map(|op| op.get().operation.clone())
}

#[pymethods]
impl Sequence {
    /// Adds an operation. The first after an evaluation begins a new recording.
    fn record<'py>(slf: &Bound<'py, Self>, op: &Bound<'py, OpBase>) -> PyResult<Bound<'py, Self>> {
        let operation = &op.get().operation;
        slf.get().run(slf.py(), |cell| cell.record(operation))?;
        Ok(slf.clone())
    }

    /// Runs what is recorded, or the one operation, and waits for it.
    #[pyo3(signature = (op=None))]
    fn eval<'py>(slf: &Bound<'py, Self>, op: Option<&Bound<'py, OpBase>>) -> PyResult<Bound<'py, Self>> {
        let operation = operation(op);
        slf.get().complete(slf.py(), |cell| {
            cell.only(operation.as_ref())?;
            cell.eval(cell.is_timed)
        })?;
        Ok(slf.clone())
    }

    /// Starts what is recorded, or the one operation. In a coroutine, `await` waits for it.
    #[pyo3(signature = (op=None))]
    fn eval_async<'py>(slf: &Bound<'py, Self>, op: Option<&Bound<'py, OpBase>>) -> PyResult<Bound<'py, Self>> {
        let operation = operation(op);
        slf.get().run(slf.py(), |cell| {
            cell.only(operation.as_ref())?;
            cell.start(cell.is_timed)
        })?;
        Ok(slf.clone())
    }

    /// Waits for what was started, or so many nanoseconds. What runs goes on after that.
    #[pyo3(signature = (wait=None))]
    fn eval_await<'py>(slf: &Bound<'py, Self>, wait: Option<u64>) -> PyResult<Bound<'py, Self>> {
        let (py, begun) = (slf.py(), Instant::now());
        // Kompute's way to say `for ever`.
        let Some(most) = wait.filter(|wait| *wait != u64::MAX).map(Duration::from_nanos) else {
            slf.get().complete(py, |cell| cell.wait(Some(SLICE)))?;
            return Ok(slf.clone());
        };
        while !slf.get().run(py, |cell| cell.wait(Some(SLICE.min(most.saturating_sub(begun.elapsed())))))?
            && begun.elapsed() < most
        {
            py.check_signals()?;
        }
        Ok(slf.clone())
    }

    /// Runs what is recorded, and gives the time that each operation took on the device, in seconds.
    fn profile(&self, py: Python<'_>) -> PyResult<Vec<(String, f64, f64)>> {
        self.complete(py, |cell| cell.eval(true))?;
        let profile = self.cell.with(|state| Ok(state.profile.clone()))?;
        let of = |op: &gridwise::OpTime| (op.name.clone(), op.start.as_secs_f64(), op.end.as_secs_f64());
        Ok(profile.iter().flat_map(|profile| profile.ops()).map(of).collect())
    }

    /// Whether operations were added since the last evaluation.
    fn is_recording(&self) -> PyResult<bool> {
        Ok(self.cell.with(|state| Ok(state.sequence.is_recording()))?)
    }

    /// Whether the device is busy with it.
    fn is_running(&self, py: Python<'_>) -> PyResult<bool> {
        self.run(py, |cell| cell.with(|state| Ok(state.sequence.is_running())))
    }

    /// Whether it was not destroyed.
    fn is_init(&self) -> bool {
        self.cell.is_live()
    }

    /// Forgets all operations.
    fn clear<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        slf.get().run(slf.py(), SequenceCell::clear)?;
        Ok(slf.clone())
    }

    /// Records all operations again.
    fn rerecord<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        slf.get().run(slf.py(), |cell| {
            let operations = cell.with(|state| Ok(state.operations.clone()))?;
            cell.clear()?;
            operations.iter().try_for_each(|operation| cell.record(operation))
        })?;
        Ok(slf.clone())
    }

    /// When the last evaluation began and when each of its operations ended, in nanoseconds.
    fn get_timestamps(&self) -> PyResult<Vec<u64>> {
        if !self.cell.is_timed {
            let text = "timestamps were not asked for: make the sequence with `total_timestamps`".to_owned();
            return Err(Fault::Misuse("NoTimestamps", text).into());
        }
        let profile = self.cell.with(|state| Ok(state.profile.clone()))?;
        let ends = profile.iter().flat_map(|profile| profile.ops()).map(|op| op.end.as_nanos() as u64);
        Ok(std::iter::once(0).chain(ends).collect())
    }

    /// Frees it as soon as the device is done with it.
    fn destroy(&self, py: Python<'_>) {
        detached(py, || self.cell.destroy());
    }

    /// Number of operations recorded.
    fn __len__(&self) -> PyResult<usize> {
        Ok(self.cell.with(|state| Ok(state.operations.len()))?)
    }

    fn __await__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::waiting::awaitable(slf)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_args))]
    fn __exit__(&self, py: Python<'_>, _args: &Bound<'_, PyTuple>) {
        self.destroy(py);
    }

    fn __repr__(&self) -> String {
        match self.cell.with(|state| Ok(format!("{:?}", state.operations))) {
            Ok(operations) => format!("<Sequence of {operations}>"),
            Err(_) => "<Sequence, destroyed>".to_owned(),
        }
    }
}
