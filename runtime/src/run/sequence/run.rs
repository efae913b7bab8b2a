//! Runs of a sequence: their start, the end that somebody sees, and the state after a failure. They know nothing of the
//! recorded operations.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::Inner;
use super::state::State;
use super::uses::BufferUse;
use crate::core::error::{Error, RecordingError, Result};
use crate::core::span::span;
use crate::core::sync::schedule::{Marks, Submission, Ticket};
use crate::device::vulkan::Across;
use crate::device::{Backend, Device};
use crate::memory::buffer::Buffer;
use crate::record::hooks::{self, HostCall};
use crate::record::parameter::ParameterUse;
use crate::record::steps::RecordedOp;
use crate::record::steps::Step;
use crate::run::evaluation::{Outcome, Running};
use crate::run::host::{run_steps, run_timed};
use crate::run::host_calls::{Driven, Run};
use crate::run::lost::{Journal, LostEvaluation};

/// A run that was submitted.
pub(super) struct Started {
    pub(super) ticket: Ticket,
    pub(super) outcome: Arc<Outcome>,
    steps: Arc<Vec<Step>>,
    ops: Arc<Vec<RecordedOp>>,
}

/// The outcome of starting a sequence.
pub(super) enum Begun {
    Nothing,
    Submitted(Started),
    /// To be driven by a thread, and how many operations there are.
    Driven(Run, usize),
}

impl Begun {
    /// The run to wait for, and its outcome; `None` where nothing was started.
    pub(super) fn run(&self) -> Option<(Running, Arc<Outcome>)> {
        match self {
            Self::Nothing => None,
            Self::Submitted(started) => Some((Running::Submitted(started.ticket), started.outcome.clone())),
            Self::Driven(run, _) => Some((Running::Driven(run.driven.clone()), run.outcome.clone())),
        }
    }
}

/// Calls `work` on a thread of its own; here, if there is none to be had: its turn has been taken.
pub(super) fn on_thread(work: impl FnOnce() + Send + 'static) {
    let work = Arc::new(Mutex::new(Some(work)));
    let spawned = work.clone();
    let take = |work: &Mutex<Option<_>>| work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let run = move || {
        if let Some(work) = take(&spawned) {
            work();
        }
    };
    if thread::Builder::new().name("gridwise-eval".to_owned()).spawn(run).is_err()
        && let Some(work) = take(&work)
    {
        work();
    }
}

/// Names the argument where a launch is refused for a tensor that the program looks at.
fn place_mapped(error: Error, steps: &[Step]) -> Error {
    let Error::TensorMapped { tensor } = &error else { return error };
    let is_meant = |buffer: &Buffer| *tensor == *buffer.name() && buffer.uses.is_held_by_user();
    match steps.iter().find_map(|step| step.place_of(is_meant)) {
        Some(place) => error.of_argument(|| place),
        None => error,
    }
}

impl Started {
    /// Runs the submission when it is its turn, and takes the time of each operation if asked to; nothing for a device that does
    /// so itself.
    pub(super) fn run_on_host(self, device: &Device, is_timed: bool) {
        let Backend::Host(host) = &device.backend else { return };
        let capacity = device.print_capacity;
        let Self { ticket, outcome, steps, ops } = self;
        span!("run_on_host", operations = ops.len());
        // It lets go of what it keeps alive before others know that it is complete.
        host.queue.run(ticket.number, move || {
            // SAFETY: this is the turn, and the schedule keeps the host off the buffers until the submission is complete.
            let (error, printed) = unsafe {
                if is_timed {
                    let (error, printed, times) = run_timed(host, &steps, &ops, capacity);
                    outcome.set_times(Ok(times));
                    (error, printed)
                } else {
                    run_steps(host, &steps, capacity)
                }
            };
            outcome.add_prints(printed);
            if let Some(error) = error {
                outcome.set(Err(error));
            }
        });
    }
}

impl Inner {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, if nothing runs.
    pub(super) fn idle_state(&self, operation: &'static str) -> Result<MutexGuard<'_, State>> {
        loop {
            let mut state = self.lock();
            let Some(run) = &state.running else { return Ok(state) };
            if !run.wait_timeout(&self.device, Some(Duration::ZERO))? {
                return Err(Error::SequenceInFlight { operation });
            }
            state.settle();
            let (printed, after) = (state.outcome.take_prints(), state.hooks.after.clone());
            if printed.is_empty() && after.is_empty() {
                return Ok(state);
            }
            // The sink is user code: it must not run under the lock, in which it could use this sequence.
            drop(state);
            self.device.print(printed);
            hooks::call(self.address(), &after);
        }
    }

    /// The identity of this sequence among all that exist.
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Submits the recorded steps, with timestamps if asked for; nothing for an empty recording. On the host device the
    /// caller must then run them.
    pub(super) fn start(&self, is_timed: bool) -> Result<Begun> {
        span!("submit", queue = self.queue);
        if hooks::is_inside(self.address()) {
            return Err(Error::SequenceInFlight { operation: "evaluate" });
        }
        let guard = self.idle_state("evaluate")?;
        if !guard.hooks.before.is_empty() {
            // They are user code, too.
            let before = guard.hooks.before.clone();
            drop(guard);
            hooks::call(self.address(), &before);
        } else {
            drop(guard);
        }
        loop {
            if let Some(begun) = self.try_start(is_timed)? {
                return Ok(begun);
            }
            // A run has buffers to itself, and its calls may ask for this sequence: its state is left alone meanwhile.
            let uses = self.lock().uses.clone();
            self.device.schedule.wait_until_free(uses.iter().map(|used| &*used.buffer.uses));
        }
    }

    /// As [`start`](Self::start), without its hooks; `None` while a run with calls of the host has a buffer to itself.
    fn try_start(&self, is_timed: bool) -> Result<Option<Begun>> {
        let mut guard = self.idle_state("evaluate")?;
        let state = &mut *guard;
        state.follow_tables(&self.device, (self.queue, &self.owner))?;
        state.arrange(&self.device)?;
        state.prepare(&self.device, self.queue, is_timed)?;
        if state.follow_rebuilt(&self.device)? {
            state.prepare(&self.device, self.queue, is_timed)?;
        }
        if state.steps.is_empty() {
            state.is_evaluated = true;
            return Ok(Some(Begun::Nothing));
        }
        if let Some(parts) = state.parts.clone() {
            state.is_evaluated = true;
            state.renew_outcome();
            let (driven, outcome) = (Arc::new(Driven::default()), state.outcome.clone());
            state.running = Some(Running::Driven(driven.clone()));
            let (uses, foreign, ops) = (state.uses.clone(), state.foreign.clone(), state.ops.len());
            // Calls of other runs may ask for this sequence while this one waits for them.
            drop(guard);
            let run = Run::new(&self.device, parts, (&uses, &foreign), driven, outcome);
            return Ok(Some(Begun::Driven(run, ops)));
        }
        let uses = state.uses.iter().map(BufferUse::scheduled);
        let (queue, mut behind) = (self.device.timeline_of(self.queue), Marks::default());
        let [signals, waits] = &state.events;
        let mut foreign = Vec::new();
        state.is_event_lost.store(false, Relaxed);
        for event in waits {
            match &self.device.backend {
                Backend::Vulkan(vulkan) if !Arc::ptr_eq(&event.device, &self.device) => {
                    foreign.extend(event.foreign_wait(&vulkan.device, &state.is_event_lost)?);
                }
                _ => event.add_to(&mut behind),
            }
        }
        let signal = |submission: &Submission| signals.iter().for_each(|event| event.signal(submission.ticket));
        let ticket = match (&self.device.backend, &mut state.recording) {
            (Backend::Vulkan(vulkan), Some(recording)) => {
                recording.begin_run();
                let across = Across { waits: &foreign, is_event: !signals.is_empty() };
                let (commands, brings) = (recording.commands(), recording.begins_with_barrier());
                let submit = |submission: Submission| {
                    vulkan.device.submit_across(commands, &submission, across)?;
                    signal(&submission);
                    Ok(())
                };
                self.device.schedule.submit(queue, uses, &behind, brings, submit)
            }
            _ => {
                let launches = state.steps.iter().filter_map(Step::dispatch);
                launches.flat_map(|launch| &launch.args.parameters).for_each(ParameterUse::begin);
                let submit = |submission: Submission| {
                    signal(&submission);
                    Ok(())
                };
                self.device.schedule.submit(queue, uses, &behind, false, submit)
            }
        };
        let Some(ticket) = ticket.map_err(|error| place_mapped(error, &state.steps))? else { return Ok(None) };
        state.is_evaluated = true;
        state.renew_outcome();
        state.running = Some(Running::Submitted(ticket));
        let (outcome, steps, ops) = (state.outcome.clone(), state.steps.clone(), state.ops.clone());
        Ok(Some(Begun::Submitted(Started { ticket, outcome, steps, ops })))
    }

    /// Checks that the host calls of the recording may run: on this thread, or on one that the evaluation starts.
    pub(super) fn check_calls(&self, is_async: bool) -> Result<()> {
        let state = self.lock();
        if !state.has_local_calls {
            return Ok(());
        }
        let here = thread::current().id();
        let is_refused = |call: &&HostCall| call.is_local() && (is_async || !call.may_run_on(here));
        let mut calls = state.steps.iter().filter_map(|step| match step {
            Step::Host(call) => Some(call),
            _ => None,
        });
        match calls.find(is_refused) {
            None => Ok(()),
            Some(call) => Err(Error::Recording(RecordingError::OtherThread { operation: call.name() })),
        }
    }

    /// After the device was lost: gives up the run, and tells of it if nobody else will be told.
    pub(crate) fn take_lost(&self) -> Option<LostEvaluation> {
        let mut state = self.lock();
        // The parts of a run that a thread drives tell of it.
        let Some(Running::Submitted(ticket)) = state.running else { return None };
        if self.device.schedule.is_completed(ticket) {
            return None;
        }
        state.fail(Error::DeviceLost { operation: "evaluating a sequence" });
        // The holder of the evaluation, or whoever waits for it, is told by it.
        (Arc::strong_count(&state.outcome) == 1).then(|| state.as_lost())
    }

    /// Takes note that somebody is told of an error while a run was waited for: if the device is gone, that is how the run ended.
    pub(crate) fn acknowledge(&self, run: &Running, error: Error) -> Error {
        let mut state = self.lock();
        if state.running.as_ref().is_some_and(|running| running.is(run)) && self.device.is_gone() {
            state.fail(error.clone());
        }
        error
    }

    /// Takes note that a run is complete, and of its outcome.
    pub(crate) fn settle(&self, run: &Running) {
        let mut state = self.lock();
        let mut after = Vec::new();
        if state.running.as_ref().is_some_and(|running| running.is(run)) {
            state.settle();
            after.clone_from(&state.hooks.after);
        }
        let printed = state.outcome.take_prints();
        // As above: not under the lock.
        drop(state);
        self.device.print(printed);
        hooks::call(self.address(), &after);
    }

    /// The same where nobody can be told of it when what users wrote panics.
    fn settle_quietly(&self, run: &Running) {
        if catch_unwind(AssertUnwindSafe(|| self.settle(run))).is_err() {
            tracing::error!("a hook or the sink of prints panicked while a sequence was dropped");
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.device.cache::<Journal>().remove(self.id);
        let running = self.lock().running.clone();
        if let Some(run) = running {
            // A call of the run's own drops it: the run does without it, and cannot be waited for here.
            if run.is_driven_here() {
                return;
            }
            match run.wait_timeout(&self.device, None) {
                Ok(_) => self.settle_quietly(&run),
                Err(error) => {
                    tracing::error!(%error, "waiting for a dropped sequence");
                    if run.wait_out(&self.device) {
                        self.settle_quietly(&run);
                        return;
                    }
                    let mut state = self.lock();
                    state.fail(error);
                    self.device.cache::<Journal>().report(state.as_lost());
                }
            }
        }
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("Sequence")
            .field("ops", &state.ops.len())
            .field("running", &state.running)
            .finish_non_exhaustive()
    }
}
