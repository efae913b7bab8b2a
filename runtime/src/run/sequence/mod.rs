//! Sequences: operations recorded once and run any number of times.

mod places;
mod run;
mod state;
mod uses;

use std::borrow::Cow;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::core::error::{Error, Result};
use crate::core::grid::Grid;
use crate::core::span::span;
use crate::core::sync::schedule::Ticket;
use crate::device::{Backend, Device};
use crate::record::args::KernelArgs;
use crate::record::hooks::Hooks;
use crate::record::indirect::{AnyGrid, GridSource};
use crate::record::ops::{Op, Recorder};
use crate::record::parameter::{Owner, Parameter};
use crate::record::steps::{DispatchStep, RecordedOp, Step};
use crate::record::swap::{Swap, pairs};
use crate::record::value_arg::ValueArg;
use crate::run::evaluation::{Evaluation, Outcome, ProfiledEvaluation, Running};
use crate::run::graph::to_dot;
use crate::run::lost::Journal;
use crate::run::profile::Profile;
use run::{Begun, on_thread};
use state::State;
pub(crate) use uses::BufferUse;

/// A recorded list of operations; created by [`Manager::sequence`](crate::Manager::sequence).
///
/// Recording adds operations, and each call of [`eval`](Self::eval) runs all of them. The first operation that is
/// recorded after an evaluation begins a new recording. Operations with a data hazard run in the order of the
/// recording. Others may overlap, and the sequence may reorder them to save barriers. The sequence keeps the tensors
/// that it uses alive, so they may be dropped while it runs. Dropping a sequence waits for its run.
///
/// All methods take `&self`, so threads may share a sequence. A call that records or evaluates while it runs is
/// [`Error::SequenceInFlight`].
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::ops::{OpCopy, OpFill};
///
/// # let manager = gridwise::Manager::host();
/// let (mut a, mut b) = (manager.tensor_of_len::<u32>(4)?, manager.tensor_of_len::<u32>(4)?);
/// let sequence = manager.sequence()?;
/// sequence.record(OpFill::new(&mut a, 7))?.record(OpCopy::new(&a, &mut b))?;
/// sequence.eval()?;
/// assert_eq!(b.to_vec()?, [7; 4]);
/// b.write(&[0; 4])?;
/// sequence.eval()?; // the same once more
/// assert_eq!(b.to_vec()?, [7; 4]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Sequence {
    inner: Arc<Inner>,
}

/// The state that a sequence shares with its evaluations.
pub(crate) struct Inner {
    state: Mutex<State>,
    /// The manager's queue it is on.
    queue: usize,
    /// In the manager's journal.
    id: u64,
    /// The identity, for what belongs to it.
    owner: Owner,
    pub(crate) device: Arc<Device>,
}

impl Sequence {
    /// A sequence of operations that were checked.
    pub(crate) fn of_steps(device: Arc<Device>, queue: usize, steps: Vec<Step>, ops: Vec<RecordedOp>) -> Self {
        let sequence = Self::new(device, queue);
        {
            let mut state = sequence.inner.lock();
            (state.steps, state.ops) = (Arc::new(steps), Arc::new(ops));
        }
        sequence
    }

    pub(crate) fn new(device: Arc<Device>, queue: usize) -> Self {
        let id = device.new_id();
        let inner = Arc::new(Inner { state: Mutex::default(), queue, id, owner: Owner::default(), device });
        inner.device.cache::<Journal>().add(id, Arc::downgrade(&inner));
        Self { inner }
    }

    /// Adds an operation, and returns the sequence for chaining.
    ///
    /// After an evaluation, the first operation begins a new recording, as in Kompute, and discards the old one.
    /// [`reopen`](Self::reopen) continues the old one instead.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Error, ops::{OpCopy, OpFill}};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (mut long, mut short) = (manager.tensor_of_len::<f32>(8)?, manager.tensor_of_len::<f32>(4)?);
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut long, 1.0))?;
    /// let refused = sequence.record(OpCopy::new(&long, &mut short));
    /// assert!(matches!(refused, Err(Error::LengthMismatch { .. })));
    /// assert_eq!(sequence.len(), 1); // the fill is still there
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the operation is not valid, or the sequence is running. Then nothing is added.
    pub fn record(&self, op: impl Op) -> Result<&Self> {
        let accesses = op.accesses();
        span!("record", operation = op.name());
        self.add(op.name().to_owned().into(), Some(&accesses), |recorder| op.record(recorder))?;
        Ok(self)
    }

    /// Adds the launch of a kernel, and returns the sequence for chaining.
    ///
    /// ```standalone_crate
    /// # #[path = "../../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Grid, KernelArgs};
    /// # use kernels::Saxpy;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (x, mut y) = (manager.tensor(&[1.0f32, 2.0])?, manager.tensor(&[10.0f32, 20.0])?);
    /// let sequence = manager.sequence()?;
    /// // The generated `Saxpy::dispatch(&sequence, Grid::items(2), 3.0, &x, &mut y)` does this, with types checked.
    /// sequence.dispatch(Grid::items(2), KernelArgs::new::<Saxpy>().value(3.0f32).read(&x).write(&mut y))?.eval()?;
    /// assert_eq!(y.to_vec()?, [13.0, 26.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the arguments do not fit or belong to another manager, the device lacks a feature that the kernel needs,
    /// the grid or the kernel is too large for the device, the queue runs no kernels, or the sequence is running. Then
    /// nothing is added.
    pub fn dispatch(&self, grid: impl Into<AnyGrid>, args: KernelArgs) -> Result<&Self> {
        let name = args.descriptor.name;
        span!("record", operation = name);
        match grid.into().0 {
            GridSource::Known(grid) => self.add_launch(name, grid, args)?,
            GridSource::Indirect(grid) => {
                let grid = AnyGrid(GridSource::Indirect(grid));
                self.add(name.into(), None, |recorder| recorder.dispatch(grid, args))?;
            }
        }
        Ok(self)
    }

    /// Adds a launch over a grid that is known. One that is like the launch in its place of the recording before, or like the last one, needs
    /// no decisions.
    fn add_launch(&self, name: &'static str, grid: Grid, args: KernelArgs) -> Result<()> {
        let inner = &*self.inner;
        let kernel = (args.descriptor, args.constants, args.host);
        let mut state = inner.lock();
        let State { spare, hooks, .. } = &mut *state;
        let (of, memory) = ((inner.queue, &inner.owner), (&mut spare.added, &mut spare.again));
        let mut args = Recorder::new(&inner.device, of, memory, hooks, name, None).check_arguments(args)?;
        let known = match &state.running {
            None => state.known((kernel.0, kernel.1), &grid, &args),
            // The errors of a launch are told first.
            Some(_) => None,
        };
        let Some(settled) = known else {
            drop(state);
            return self.add(name.into(), None, |recorder| recorder.dispatch_checked(grid, kernel, args));
        };
        settled.tell(&mut args);
        state.begin_operation(&inner.device)?;
        state.spare.again.step();
        let step = Step::Dispatch(DispatchStep { settled, host: kernel.2, args, indirect: None, guards: None });
        state.add(name.into(), |steps| steps.push(step));
        Ok(())
    }

    fn add(
        &self,
        name: Cow<'static, str>,
        declared: Option<&[crate::record::ops::Access]>,
        record: impl FnOnce(&mut Recorder<'_>) -> Result<()>,
    ) -> Result<()> {
        let inner = &*self.inner;
        // The operation is user code: it must not run under the lock, in which it could use this sequence.
        let (mut spare, mut hooks) = (std::mem::take(&mut inner.lock().spare), Hooks::default());
        record(&mut Recorder::new(
            &inner.device,
            (inner.queue, &inner.owner),
            (&mut spare.added, &mut spare.again),
            &mut hooks,
            &name,
            declared,
        ))?;
        let mut state = inner.idle_state("record")?;
        let is_first = state.is_evaluated;
        state.begin_operation(&inner.device)?;
        let added = &mut spare.added;
        if is_first {
            // The recording before is known from here on only: these launches are in the places of its first ones.
            added.iter().filter_map(Step::dispatch).for_each(|_| state.spare.again.step());
        }
        state.hooks.append(hooks);
        state.has_local_calls |= added.iter().any(|step| matches!(step, Step::Host(call) if call.is_local()));
        state.tables.add(added);
        state.add(name, |steps| steps.append(added));
        state.spare.give_back(spare);
        Ok(())
    }

    /// A value that launches of this sequence read anew at each evaluation.
    ///
    /// ```standalone_crate
    /// # #[path = "../../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Grid, KernelArgs};
    /// # use kernels::Saxpy;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (x, mut y) = (manager.tensor(&[1.0f32])?, manager.tensor(&[0.0f32])?);
    /// let sequence = manager.sequence()?;
    /// let step = sequence.parameter(0.0f32); // for `#[kernel]` functions: `Saxpy::dispatch(&sequence, grid, &step, &x, &mut y)`
    /// sequence.dispatch(Grid::items(1), KernelArgs::new::<Saxpy>().argument(&step).read(&x).write(&mut y))?;
    /// for round in 1..=4 {
    ///     step.set(1.0 / round as f32);
    ///     sequence.eval()?; // a replay
    /// }
    /// assert_eq!(y.to_vec()?, [1.0 + 1.0 / 2.0 + 1.0 / 3.0 + 1.0 / 4.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn parameter<V: ValueArg>(&self, value: V) -> Parameter<V> {
        Parameter::new(self.inner.owner.clone(), value)
    }

    /// Swaps two tensors, or two images: the handles, and the two resources in this sequence's recording.
    ///
    /// A simulation that reads one state and writes the next is recorded once. After each step it swaps the states, so
    /// `state` is always the newest. Nothing is copied. The sequence encodes each arrangement once and keeps it, so a
    /// swap does not make later runs slower.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpMultiply;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (mut state, mut next) = (manager.tensor(&[1.0f32, 2.0])?, manager.tensor(&[0.0f32; 2])?);
    /// let factors = manager.tensor(&[2.0f32, 3.0])?;
    /// let step = manager.sequence()?;
    /// step.record(OpMultiply::new(&state, &factors, &mut next))?;
    /// for _ in 0..3 {
    ///     step.eval()?;
    ///     step.swap(&mut state, &mut next)?;
    /// }
    /// assert_eq!(state.to_vec()?, [8.0, 54.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Other sequences keep using the memory that they recorded. Parts and casts of the two are swapped as well.
    ///
    /// # Errors
    /// [`RecordingError::CannotSwap`](crate::RecordingError::CannotSwap) when the two differ in kind or size, one is a
    /// part or a view, or no recorded operation uses either; [`Error::SequenceInFlight`] while the sequence runs. Then
    /// nothing has changed.
    pub fn swap<S: Swap>(&self, a: &mut S, b: &mut S) -> Result<&Self> {
        let pairs = pairs(&self.inner.device, a, b)?;
        let inner = &*self.inner;
        let mut state = inner.idle_state("swap tensors")?;
        state.follow_tables(&inner.device, (inner.queue, &inner.owner))?;
        state.swap(&pairs)?;
        drop(state);
        std::mem::swap(a, b);
        Ok(self)
    }

    /// Runs all operations and waits for them.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpMultiply;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut powers = [manager.tensor(&[1.0f32])?, manager.tensor(&[1.0f32])?];
    /// let (two, [a, b]) = (manager.tensor(&[2.0f32])?, &mut powers);
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpMultiply::new(a, &two, b))?.record(OpMultiply::new(b, &two, a))?;
    /// for _ in 0..5 {
    ///     sequence.eval()?; // nothing is recorded or compiled again
    /// }
    /// assert_eq!(powers[0].to_vec()?, [1024.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When a kernel panics, a host callback fails, an indirect grid is too large, or the device fails. Nothing runs if
    /// the sequence is already running, or if the program holds a view of a tensor that it uses
    /// ([`Error::TensorMapped`]).
    pub fn eval(&self) -> Result<()> {
        let inner = &*self.inner;
        inner.check_calls(false)?;
        let Some((run, outcome)) = self.run_here(inner.start(false)?, false) else { return Ok(()) };
        run.wait_timeout(&inner.device, None).map_err(|error| inner.acknowledge(&run, error))?;
        inner.settle(&run);
        outcome.result()
    }

    /// Runs all operations, waits for them, and returns the device time of each.
    ///
    /// Timestamps cost the device some microseconds per operation; a later [`eval`](Self::eval) runs without them.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::{OpCopy, OpFill};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (mut a, mut b) = (manager.tensor_of_len::<f32>(1 << 12)?, manager.tensor_of_len::<f32>(1 << 12)?);
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut a, 1.0))?.record(OpCopy::new(&a, &mut b))?;
    /// let profile = sequence.eval_profiled()?;
    /// let slowest = profile.ops().iter().max_by_key(|op| op.duration()).unwrap();
    /// println!("most of the time went into {}", slowest.name);
    /// # assert_eq!(profile.ops().len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`eval`](Self::eval), and [`Error::NoTimestamps`].
    pub fn eval_profiled(&self) -> Result<Profile> {
        let begun = Instant::now();
        self.inner.check_calls(false)?;
        let run = self.run_here(self.inner.start(true)?, true);
        self.profiled(run, begun).wait()
    }

    /// Starts all operations with timestamps, and does not wait.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Manager, ops::OpFill};
    ///
    /// let manager = Manager::host();
    /// let mut values = manager.tensor_of_len::<f32>(1 << 10)?;
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut values, 1.0))?;
    /// let running = sequence.eval_profiled_async()?; // in an async function: `.await`
    /// assert_eq!(running.wait()?.ops()[0].name, "fill");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`eval_async`](Self::eval_async), and [`Error::NoTimestamps`].
    pub fn eval_profiled_async(&self) -> Result<ProfiledEvaluation> {
        let begun = Instant::now();
        self.inner.check_calls(true)?;
        let begun_run = self.inner.start(true)?;
        let run = self.spawn(begun_run, true);
        Ok(self.profiled(run, begun))
    }

    fn profiled(&self, run: Option<(Running, Arc<Outcome>)>, begun: Instant) -> ProfiledEvaluation {
        let (ops, checked) = {
            let state = self.inner.lock();
            let keeps_checks = |op: &RecordedOp| state.steps[op.steps.clone()].iter().any(Step::keeps_checks);
            (state.ops.clone(), state.ops.iter().map(keeps_checks).collect())
        };
        let (run, outcome) = run.unwrap_or_else(|| {
            let outcome = Outcome::settled();
            outcome.set_times(Ok(vec![None; ops.len()]));
            (Running::Submitted(Ticket::default()), Arc::new(outcome))
        });
        ProfiledEvaluation::new(Evaluation::new(self.inner.clone(), run, outcome), ops, checked, begun)
    }

    /// Runs all operations and waits for them, at most for `timeout`. After a timeout the run goes on.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use std::time::Duration;
    /// use gridwise::{Error, ops::OpFill};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut values = manager.tensor_of_len::<u32>(4)?;
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut values, 1))?;
    /// match sequence.eval_within(Duration::from_secs(60)) {
    ///     Err(Error::Timeout { waited, .. }) => println!("still running after {waited:?}"),
    ///     ended => ended?,
    /// }
    /// assert_eq!(values.to_vec()?, [1; 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`eval`](Self::eval), and [`Error::Timeout`].
    pub fn eval_within(&self, timeout: Duration) -> Result<()> {
        match self.eval_async()?.wait_timeout(timeout)? {
            true => Ok(()),
            false => Err(Error::Timeout { operation: "evaluating a sequence", waited: timeout }),
        }
    }

    /// Starts all operations and does not wait. The result is a [`Future`] for any executor; its `wait` needs no
    /// executor.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut values = manager.tensor_of_len::<f32>(1 << 10)?;
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut values, 1.0))?;
    /// let running = sequence.eval_async()?; // in an async function: `.await`
    /// // … work of the host's own …
    /// running.wait()?;
    /// assert_eq!(values.to_vec()?[9], 1.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the device fails, the sequence is already running, or the program holds a view of a tensor that it uses.
    /// [`Evaluation::wait`] returns the errors of the run itself.
    pub fn eval_async(&self) -> Result<Evaluation> {
        self.inner.check_calls(true)?;
        let begun = self.inner.start(false)?;
        let nothing = || (Running::Submitted(Ticket::default()), Arc::new(Outcome::settled()));
        let (run, outcome) = self.spawn(begun, false).unwrap_or_else(nothing);
        Ok(Evaluation::new(self.inner.clone(), run, outcome))
    }

    /// Runs on this thread what was started, where the device does not by itself; gives what there is to wait for.
    fn run_here(&self, begun: Begun, is_timed: bool) -> Option<(Running, Arc<Outcome>)> {
        let run = begun.run()?;
        match begun {
            Begun::Nothing => {}
            Begun::Submitted(started) => started.run_on_host(&self.inner.device, is_timed),
            Begun::Driven(run, ops) => run.run_with_host(ops, is_timed),
        }
        Some(run)
    }

    /// Lets a thread run what was started, where the device does not by itself; gives what there is to wait for.
    fn spawn(&self, begun: Begun, is_timed: bool) -> Option<(Running, Arc<Outcome>)> {
        let run = begun.run()?;
        let device = self.inner.device.clone();
        match begun {
            Begun::Nothing => {}
            Begun::Submitted(started) => {
                if let Backend::Host(_) = &device.backend {
                    on_thread(move || started.run_on_host(&device, is_timed));
                }
            }
            Begun::Driven(run, ops) => on_thread(move || run.run_with_host(ops, is_timed)),
        }
        Some(run)
    }

    /// Forgets all operations.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut values = manager.tensor_of_len::<u32>(2)?;
    /// let sequence = manager.sequence()?;
    /// for frame in 1..=3 {
    ///     sequence.clear()?; // keeps what is costly to make anew
    ///     sequence.record(OpFill::new(&mut values, frame))?.eval()?;
    /// }
    /// assert_eq!(values.to_vec()?, [3, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the sequence is running.
    pub fn clear(&self) -> Result<()> {
        self.inner.idle_state("clear")?.clear();
        Ok(())
    }

    /// Continues the recording that was evaluated: the next operation is appended to it, and does not begin a new one.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (mut a, mut b) = (manager.tensor(&[0u32])?, manager.tensor(&[0u32])?);
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut a, 1))?.eval()?;
    /// sequence.reopen()?.record(OpFill::new(&mut b, 2))?;
    /// assert_eq!(sequence.len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the sequence is running.
    pub fn reopen(&self) -> Result<&Self> {
        self.inner.idle_state("reopen")?.is_evaluated = false;
        Ok(self)
    }

    /// The recording as a graph in Graphviz' language. It shows the operations, the barriers between them, and the
    /// hazard behind each barrier: the tensor, the bytes, and the kind (read after write, write after read or write
    /// after write). An operation says `with checks` if its launch keeps checks on the device.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Manager, ops::{OpCopy, OpFill}};
    ///
    /// let manager = Manager::host();
    /// let mut from = manager.tensor_named("from", &[0u32; 4])?;
    /// let mut to = manager.tensor_named("to", &[0u32; 4])?;
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut from, 1))?.record(OpCopy::new(&from, &mut to))?;
    /// let dot = sequence.to_dot(); // for `dot -Tsvg`
    /// assert!(dot.contains("op0 -> op1 [constraint=false, label=\"read after write: from [0..16]\"]"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_dot(&self) -> String {
        let (steps, ops) = {
            let state = self.inner.lock();
            (state.steps.clone(), state.ops.clone())
        };
        to_dot(&steps, &ops)
    }

    /// Number of operations recorded.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut manager.tensor_of_len::<u32>(2)?, 1))?;
    /// assert_eq!(sequence.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn len(&self) -> usize {
        self.inner.lock().ops.len()
    }

    /// Whether no operation is recorded.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let sequence = gridwise::Manager::host().sequence()?;
    /// assert!(sequence.is_empty());
    /// sequence.eval()?; // nothing to do is no error
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether operations were added that have not been evaluated yet.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut manager.tensor_of_len::<u32>(2)?, 1))?;
    /// assert!(sequence.is_recording());
    /// sequence.eval()?;
    /// assert!(!sequence.is_recording());
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_recording(&self) -> bool {
        let state = self.inner.lock();
        !state.ops.is_empty() && !state.is_prepared
    }

    /// Whether the device is still running this sequence; false if the device has failed.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut manager.tensor_of_len::<u32>(1 << 10)?, 1))?;
    /// let running = sequence.eval_async()?;
    /// if sequence.is_running() {
    ///     println!("not yet"); // nothing can be recorded now
    /// }
    /// running.wait()?;
    /// assert!(!sequence.is_running());
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_running(&self) -> bool {
        let running = self.inner.lock().running.clone();
        running.is_some_and(|run| matches!(run.wait_timeout(&self.inner.device, Some(Duration::ZERO)), Ok(false)))
    }
}
