//! Runs of sequences with host calls: their parts one after the other, by a thread of the host.
//!
//! A part is a plain sequence; between two parts the host is called. So that the run counts as one, it holds its tensors from the
//! moment it is started: whoever else would use them waits until it is over. The calls themselves, and what they evaluate, may.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use crate::core::error::{Error, Result};
use crate::core::span::span;
use crate::core::sync::schedule::{Holder, enter};
use crate::core::sync::tasks::wake_all;
use crate::core::times::Times;
use crate::device::Device;
use crate::memory::buffer::Buffer;
use crate::memory::crossing;
use crate::record::hooks::HostCall;
use crate::record::steps::RecordedOp;
use crate::record::steps::{Between, Step};
use crate::run::evaluation::Outcome;
use crate::run::sequence::{BufferUse, Sequence};

/// A part of a sequence, for the operation of this number.
pub(crate) enum Part {
    /// Steps on the device; the operations that each is of.
    Device(Sequence, Vec<usize>),
    Host(HostCall, usize),
    Between(Between, usize),
}

/// A run under way; it is complete when all parts are, or one has failed.
#[derive(Debug, Default)]
pub(crate) struct Driven {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_complete: bool,
    /// The thread that runs the parts, while one does.
    driver: Option<ThreadId>,
    waiting: Vec<(u64, Waker)>,
}

impl Driven {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the run is complete; false when the time is over first.
    pub(crate) fn wait(&self, timeout: Option<Duration>) -> bool {
        let state = self.lock();
        let is_running = |state: &mut State| !state.is_complete;
        match timeout {
            None => self.ended.wait_while(state, is_running).unwrap_or_else(PoisonError::into_inner).is_complete,
            Some(timeout) => {
                let waited = self.ended.wait_timeout_while(state, timeout, is_running);
                waited.unwrap_or_else(PoisonError::into_inner).0.is_complete
            }
        }
    }

    /// Whether this thread runs the parts: whoever asks is called by one of them.
    pub(crate) fn is_driven_here(&self) -> bool {
        self.lock().driver == Some(thread::current().id())
    }

    /// Wakes `waker` once the run is complete, in place of what `key` asked for before.
    pub(crate) fn watch(&self, key: u64, waker: &Waker) {
        let mut state = self.lock();
        let left: Vec<_> = state.waiting.extract_if(.., |(other, _)| *other == key).collect();
        let is_complete = state.is_complete;
        if !is_complete {
            state.waiting.push((key, waker.clone()));
        }
        drop(state);
        drop(left);
        if is_complete {
            waker.wake_by_ref();
        }
    }

    /// Forgets what `key` asked for.
    pub(crate) fn forget(&self, key: u64) {
        let left: Vec<_> = self.lock().waiting.extract_if(.., |(other, _)| *other == key).collect();
        drop(left);
    }

    fn complete(&self) {
        let mut state = self.lock();
        (state.is_complete, state.driver) = (true, None);
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        self.ended.notify_all();
        wake_all(waiting.into_iter().map(|(_, waker)| waker).collect());
    }
}

/// The parts of a recording, each between two host calls; none where it has no such call.
pub(crate) fn parts(device: &Arc<Device>, queue: usize, steps: &[Step], ops: &[RecordedOp]) -> Option<Vec<Part>> {
    if !steps.iter().any(Step::is_divider) {
        return None;
    }
    let mut parts = Vec::new();
    let (mut gathered, mut gathered_ops, mut of) = (Vec::new(), Vec::new(), Vec::new());
    let close = |steps: &mut Vec<Step>, ops: &mut Vec<RecordedOp>, of: &mut Vec<usize>, parts: &mut Vec<Part>| {
        if !steps.is_empty() {
            let sequence = Sequence::of_steps(device.clone(), queue, std::mem::take(steps), std::mem::take(ops));
            parts.push(Part::Device(sequence, std::mem::take(of)));
        }
    };
    for (index, op) in ops.iter().enumerate() {
        for step in &steps[op.steps.clone()] {
            if step.is_divider() {
                close(&mut gathered, &mut gathered_ops, &mut of, &mut parts);
            }
            match step {
                Step::Host(call) => {
                    parts.push(Part::Host(call.clone(), index));
                    continue;
                }
                Step::Between(between) => {
                    parts.push(Part::Between(between.clone(), index));
                    continue;
                }
                _ => {}
            }
            let at = gathered.len();
            gathered.push(step.clone());
            match (gathered_ops.last_mut(), of.last()) {
                (Some(last), Some(last_index)) if *last_index == index => last.steps.end = at + 1,
                _ => {
                    gathered_ops.push(RecordedOp { name: op.name.clone(), steps: at..at + 1 });
                    of.push(index);
                }
            }
        }
    }
    close(&mut gathered, &mut gathered_ops, &mut of, &mut parts);
    Some(parts)
}

/// The resources that a run holds until it is over.
pub(crate) struct Run {
    pub(crate) driven: Arc<Driven>,
    pub(crate) parts: Arc<Vec<Part>>,
    holder: Holder,
    held: Vec<Arc<Buffer>>,
    /// There until the run is over.
    device: Option<Arc<Device>>,
    pub(crate) outcome: Arc<Outcome>,
    /// Whether all parts have run, or one has failed: nothing has panicked.
    is_over: bool,
}

impl Run {
    /// Takes the buffers of a run, when nobody else has them: those of one device at once, and devices in an order that is the same for
    /// all runs, so that no two wait for each other.
    pub(crate) fn new(
        device: &Arc<Device>,
        parts: Arc<Vec<Part>>,
        (uses, foreign): (&[BufferUse], &[Arc<Buffer>]),
        driven: Arc<Driven>,
        outcome: Arc<Outcome>,
    ) -> Self {
        let all = uses.iter().map(|used| &used.buffer).chain(foreign);
        let mut buffers: Vec<Arc<Buffer>> = all.cloned().collect();
        buffers.sort_by_key(|buffer| Arc::as_ptr(&buffer.device).addr());
        let mut newly = Vec::with_capacity(buffers.len());
        // Without buffers it has a number all the same.
        let mut holder = device.schedule.hold(std::iter::empty(), |_| {});
        for of_one in buffers.chunk_by(|one, other| Arc::ptr_eq(&one.device, &other.device)) {
            let _inside = enter(holder);
            let uses = of_one.iter().map(|buffer| &*buffer.uses);
            holder = of_one[0].device.schedule.hold(uses, |is_new| newly.push(is_new));
        }
        let held = buffers.into_iter().zip(newly).filter(|(_, is_new)| *is_new).map(|(buffer, _)| buffer).collect();
        Self { driven, parts, holder, held, device: Some(device.clone()), outcome, is_over: false }
    }

    /// Runs all parts on this thread, and takes their times if asked to.
    pub(crate) fn run_with_host(mut self, ops: usize, is_timed: bool) {
        span!("drive", operations = ops);
        let _inside = enter(self.holder);
        self.driven.lock().driver = Some(thread::current().id());
        let begun = Instant::now();
        let mut spans: Times = vec![None; ops];
        for part in self.parts.iter() {
            if let Err(error) = part.run(begun, is_timed, &mut spans) {
                self.outcome.set(Err(error));
                break;
            }
        }
        if is_timed {
            self.outcome.set_times(Ok(spans));
        }
        self.is_over = true;
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if !self.is_over {
            let (operation, cause) = ("print".to_owned(), "a sink of prints or a hook panicked".to_owned());
            self.outcome.set(Err(Error::HostCallFailed { operation, cause }));
        }
        for of_one in self.held.chunk_by(|one, other| Arc::ptr_eq(&one.device, &other.device)) {
            of_one[0].device.schedule.release(of_one.iter().map(|buffer| &*buffer.uses));
        }
        // It lets go of what it keeps alive before others know that it is complete: the last of it goes where they want it, and not
        // here while the program ends.
        self.held.clear();
        (self.parts, self.device) = (Arc::default(), None);
        self.driven.complete();
    }
}

impl Between {
    fn run(&self) -> Result<()> {
        match self {
            Self::Copy { own, foreign, is_sent: true } => crossing::copy(own, foreign).map(drop),
            Self::Copy { own, foreign, is_sent: false } => crossing::copy(foreign, own).map(drop),
            Self::WaitFor(mark) => mark.wait(),
        }
    }
}

impl Part {
    fn run(&self, begun: Instant, is_timed: bool, spans: &mut Times) -> Result<()> {
        let start = begun.elapsed();
        let mut add = |op: usize, from: Duration, to: Duration| {
            let before = spans[op].unwrap_or((from, to));
            spans[op] = Some((before.0.min(from), before.1.max(to)));
        };
        match self {
            Self::Device(sequence, _) if !is_timed => sequence.eval(),
            Self::Device(sequence, of) => {
                let profile = sequence.eval_profiled()?;
                for (op, time) in of.iter().zip(profile.ops()) {
                    add(*op, start + time.start, start + time.end);
                }
                Ok(())
            }
            Self::Between(between, op) => {
                let done = between.run();
                add(*op, start, begun.elapsed());
                done
            }
            Self::Host(call, op) => {
                let called = catch_unwind(AssertUnwindSafe(|| call.call()));
                add(*op, start, begun.elapsed());
                let failed = |cause: String| Error::HostCallFailed { operation: call.name().to_owned(), cause };
                match called {
                    Ok(result) => result.map_err(|cause| failed(cause.to_string())),
                    Err(payload) => {
                        let text = payload.downcast_ref::<&str>().map(|&text| text.to_owned());
                        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
                        Err(failed(format!("it panicked: {}", text.unwrap_or_else(|| "with a value".to_owned()))))
                    }
                }
            }
        }
    }
}
