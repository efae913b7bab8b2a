//! The state of a sequence: its recording, made ready when it is run, and the outcome of the run. It must not submit or
//! wait.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Acquire};

use gridwise_ir::descriptor::KernelDescriptor;

use super::places::Places;
use super::uses::{BufferUse, Gathered};
use crate::core::error::{Error, Result};
use crate::core::grid::Grid;
use crate::core::sync::numbering::Numbering;
use crate::device::vulkan::SharedBuffers;
use crate::device::{Backend, Device};
use crate::memory::buffer::Buffer;
use crate::record::again::{Again, Settled};
use crate::record::args::Filled;
use crate::record::event::Mark;
use crate::record::hooks::Hooks;
use crate::record::parameter::Owner;
use crate::record::slots::Tables;
use crate::record::steps::{BufferArg, DispatchStep, RecordedOp, Step};
use crate::run::evaluation::{Outcome, Running};
use crate::run::host_calls::{Part, parts};
use crate::run::lost::LostEvaluation;
use crate::run::vulkan::Recording;

/// The recording of a sequence, and the run that is under way.
#[derive(Default)]
pub(super) struct State {
    pub(super) steps: Arc<Vec<Step>>,
    /// The tables whose slots launches follow.
    pub(super) tables: Tables,
    /// Memory for the next operation.
    pub(super) spare: Spare,
    /// Operations recorded; one may have several steps, or none.
    pub(super) ops: Arc<Vec<RecordedOp>>,
    /// The accesses of the steps to each buffer; valid while `is_prepared`.
    pub(super) uses: Vec<BufferUse>,
    /// Numbers for the buffers; here for its memory.
    numbering: Numbering,
    /// The tensors of other managers; valid as the next.
    pub(super) foreign: Vec<Arc<Buffer>>,
    /// The events that a run sets, and those that it waits for; valid while `is_prepared`, as the next.
    pub(super) events: [Vec<Arc<Mark>>; 2],
    /// Whether a device was lost before it came to an event that the run under way waits for.
    pub(super) is_event_lost: Arc<AtomicBool>,
    /// The parts of a recording with calls of the host.
    pub(super) parts: Option<Arc<Vec<Part>>>,
    pub(super) is_prepared: bool,
    /// Whether the recording has run since it was added to, so that the next operation begins a new one.
    pub(super) is_evaluated: bool,
    pub(super) hooks: Hooks,
    /// Whether a call of the host stays on one thread.
    pub(super) has_local_calls: bool,
    /// The tensors that have changed places, and the other arrangements.
    pub(super) places: Places,
    /// The steps as the Vulkan device has them.
    pub(super) recording: Option<Recording>,
    /// The submission under way.
    pub(super) running: Option<Running>,
    /// How the last run ends; a new one where somebody still holds the last one.
    pub(super) outcome: Arc<Outcome>,
}

/// Memory that recording needs, and what it found; here for the next time.
#[derive(Default)]
pub(super) struct Spare {
    pub(super) added: Vec<Step>,
    pub(super) again: Again,
}

impl Spare {
    /// Keeps what was not needed, beside what there is by now.
    pub(super) fn give_back(&mut self, other: Self) {
        self.added = other.added;
        self.again.give_back(other.again);
    }
}

impl State {
    pub(super) fn renew_outcome(&mut self) {
        match Arc::get_mut(&mut self.outcome) {
            Some(outcome) => *outcome = Outcome::default(),
            None => self.outcome = Arc::default(),
        }
    }

    /// Puts the memory that rebuilt tensors have by now in the place of what they had; whether there was any.
    ///
    /// # Errors
    /// When a tensor has another length; the recording is then as it was.
    pub(super) fn follow_rebuilt(&mut self, device: &Arc<Device>) -> Result<bool> {
        let mut all = self.uses.iter().map(|used| &used.buffer).chain(&self.foreign);
        if !all.any(|buffer| buffer.is_replaced()) {
            return Ok(false);
        }
        let mut steps = Vec::clone(&self.steps);
        steps.iter_mut().try_for_each(|step| step.follow_rebuilt(device))?;
        self.steps = Arc::new(steps);
        self.is_prepared = false;
        self.forget_places();
        Ok(true)
    }

    /// Puts what is in the slots of tables by now in the place of what launches have.
    ///
    /// # Errors
    /// When something in a slot does not fit a launch, or the device fails: nothing may run before that has gone well.
    pub(super) fn follow_tables(&mut self, device: &Arc<Device>, of: (usize, &Owner)) -> Result<()> {
        if !self.tables.have_changed() {
            return Ok(());
        }
        // Slots are those of the recording, whichever arrangement it is in.
        self.settle_places(device)?;
        self.is_prepared = false;
        self.tables.put_into(&mut self.steps, device, of)
    }

    /// The decisions on a launch that is like the one in its place of the recording before, or like the last one; none where it takes more
    /// than one step.
    pub(super) fn known(
        &self,
        kernel: (&'static KernelDescriptor, &'static [u64]),
        grid: &Grid,
        args: &Filled,
    ) -> Option<Arc<Settled>> {
        let again = &self.spare.again;
        let in_place = match self.is_evaluated {
            true => self.steps.iter().find_map(Step::dispatch).map(|launch| &launch.settled),
            false => again.next(),
        };
        again.known(in_place, kernel, grid, args).filter(|known| known.is_one_step())
    }

    /// Begins an operation: of a new recording, if the last one has run.
    ///
    /// # Errors
    /// As [`arrange`](Self::arrange).
    pub(super) fn begin_operation(&mut self, device: &Arc<Device>) -> Result<()> {
        if self.is_evaluated {
            self.clear();
        }
        self.settle_places(device)
    }

    /// Adds an operation of the steps that `add` adds.
    pub(super) fn add(&mut self, name: Cow<'static, str>, add: impl FnOnce(&mut Vec<Step>)) {
        let steps = Arc::make_mut(&mut self.steps);
        let start = steps.len();
        add(steps);
        let steps = start..steps.len();
        Arc::make_mut(&mut self.ops).push(RecordedOp { name, steps });
        self.is_prepared = false;
    }

    /// Removes all operations.
    pub(super) fn clear(&mut self) {
        match Arc::get_mut(&mut self.ops) {
            Some(ops) => ops.clear(),
            None => self.ops = Arc::default(),
        }
        self.forget_places();
        self.tables.clear();
        self.uses.clear();
        self.foreign.clear();
        self.hooks.clear();
        (self.is_prepared, self.is_evaluated, self.has_local_calls) = (false, false, false);
        (self.parts, self.events) = (None, Default::default());
        match Arc::get_mut(&mut self.steps) {
            Some(steps) => self.spare.again.keep(steps),
            None => self.steps = Arc::default(),
        }
    }

    /// Gathers the buffers, and on Vulkan records the command buffer, unless that is done.
    pub(super) fn prepare(&mut self, device: &Arc<Device>, queue: usize, is_timed: bool) -> Result<()> {
        if !self.is_prepared {
            self.gather_uses();
            self.parts = parts(device, queue, &self.steps, &self.ops).map(Arc::new);
        }
        if self.parts.is_some() {
            // Of what was recorded before.
            self.recording = None;
            self.is_prepared = true;
            return Ok(());
        }
        if let (Backend::Vulkan(vulkan), false) = (&device.backend, self.steps.is_empty()) {
            let uses = self.uses.iter().map(BufferUse::scheduled);
            let needs_barrier = device.schedule.needs_barrier(queue, uses);
            let recording = match &mut self.recording {
                Some(recording) => recording,
                None => self.recording.insert(Recording::new(&vulkan.device, queue, device.print_capacity)?),
            };
            // A sequence that needs a barrier once, as on its own last run, will need it again: it gets it for good, which
            // is cheaper than a barrier beside it at each run.
            let lacks_barrier = needs_barrier && !recording.begins_with_barrier();
            if !self.is_prepared || lacks_barrier || recording.is_timed() != is_timed {
                self.is_prepared = false;
                let mut shared = SharedBuffers::default();
                self.uses.iter().for_each(|used| shared.add(used.buffer.vulkan()));
                recording.record(&self.steps, &self.ops, &shared, (needs_barrier, is_timed))?;
            }
        }
        self.is_prepared = true;
        Ok(())
    }

    fn gather_uses(&mut self) {
        self.foreign.clear();
        let [signals, waits] = &mut self.events;
        signals.clear();
        waits.clear();
        let mut gathered = Gathered::new(&mut self.uses, &mut self.numbering);
        for step in self.steps.iter() {
            gathered.begin_step();
            match step {
                // Most steps are such.
                Step::Dispatch(DispatchStep { args, indirect: None, .. }) => {
                    for BufferArg { buffer, is_written, .. } in &args.buffers {
                        gathered.add(buffer, buffer.used(), *is_written);
                    }
                    continue;
                }
                Step::Signal(event) => signals.push(event.clone()),
                Step::WaitFor(event) => waits.push(event.clone()),
                _ => {}
            }
            self.foreign.extend(step.foreign().cloned());
            step.for_each_use(|buffer, bytes, is_written| gathered.add(buffer, bytes, is_written));
        }
        gathered.finish();
    }

    /// The run is complete: hands its outcome to who waits for it.
    pub(super) fn settle(&mut self) {
        if self.running.take().is_none() {
            return;
        }
        if self.is_event_lost.load(Acquire) {
            self.outcome.set(Err(Error::DeviceLost { operation: "waiting for an event of another manager" }));
        }
        if let Some(recording) = &self.recording {
            self.outcome.add_prints(recording.read_prints());
            if let Some(times) = recording.read_times() {
                self.outcome.set_times(times);
            }
        }
        let trapped = self.recording.as_ref().and_then(|recording| recording.read_traps());
        self.outcome.set(trapped.map_or(Ok(()), Err));
        // Whoever started the run no longer listens.
        if Arc::strong_count(&self.outcome) == 1
            && let Err(error) = self.outcome.result()
        {
            tracing::error!(%error, "an evaluation nobody waited for failed");
        }
    }

    pub(super) fn as_lost(&self) -> LostEvaluation {
        LostEvaluation { operations: self.ops.iter().map(|op| op.name.to_string()).collect() }
    }

    /// The run will never be known to be complete.
    pub(super) fn fail(&mut self, error: Error) {
        self.running = None;
        self.outcome.set(Err(error));
    }
}
