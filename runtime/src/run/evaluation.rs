//! A run of a sequence that is under way.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::core::error::{Error, Result};
use crate::core::print::LaunchPrints;
use crate::core::sync::schedule::Ticket;
use crate::core::times::Times;
use crate::device::Device;
use crate::record::steps::RecordedOp;
use crate::run::host_calls::Driven;
use crate::run::profile::Profile;
use crate::run::sequence::Inner;

/// A run of a sequence; made by [`Sequence::eval_async`](crate::Sequence::eval_async).
///
/// It is a [`Future`] that needs no particular executor: a thread of the manager, started by the first future that has to
/// wait, wakes tasks when the device is done. Without an executor there are [`wait`](Self::wait) and
/// [`wait_timeout`](Self::wait_timeout).
///
/// ```
/// use gridwise::{Manager, Result, ops::OpFill};
///
/// async fn fill(manager: &Manager) -> Result<Vec<u32>> {
///     let mut tensor = manager.tensor_of_len::<u32>(4)?;
///     let sequence = manager.sequence()?;
///     sequence.record(OpFill::new(&mut tensor, 7))?;
///     sequence.eval_async()?.await?;
///     tensor.to_vec()
/// }
///
/// # use std::{pin::pin, sync::Arc, task::{Context, Poll, Wake, Waker}, thread::{self, Thread}};
/// # struct Unpark(Thread);
/// # impl Wake for Unpark { fn wake(self: Arc<Self>) { self.0.unpark() } }
/// # fn block_on<T>(future: impl Future<Output = T>) -> T {
/// #     let waker = Waker::from(Arc::new(Unpark(thread::current())));
/// #     let mut future = pin!(future);
/// #     loop {
/// #         if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) { return value }
/// #         thread::park();
/// #     }
/// # }
/// # fn main() -> Result<()> {
/// assert_eq!(block_on(fill(&Manager::host()))?, [7; 4]); // or tokio's, smol's, pollster's
/// # Ok(())
/// # }
/// ```
///
/// Dropping it neither stops the run nor waits for it: the sequence keeps everything alive until the device is done. If
/// the sequence runs, dropping the last handle of the sequence and its evaluations waits.
#[must_use = "the run goes on by itself, but nobody will see its errors"]
pub struct Evaluation {
    sequence: Arc<Inner>,
    run: Running,
    outcome: Arc<Outcome>,
    /// Of the task that waits for it, once there is one.
    key: Option<u64>,
}

/// A run of a sequence whose operations are timed; made by
/// [`Sequence::eval_profiled_async`](crate::Sequence::eval_profiled_async). A [`Future`], as [`Evaluation`].
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::ops::OpFill;
///
/// # let manager = gridwise::Manager::host();
/// let mut values = manager.tensor_of_len::<f32>(1 << 10)?;
/// let sequence = manager.sequence()?;
/// sequence.record(OpFill::new(&mut values, 1.0))?;
/// let running = sequence.eval_profiled_async()?;
/// // … work of the host's own …
/// let profile = running.wait()?;
/// assert!(profile.device() <= profile.host());
/// # Ok(())
/// # }
/// ```
#[must_use = "the run goes on by itself, but nobody will see its times"]
#[derive(Debug, Clone)]
pub struct ProfiledEvaluation {
    running: Evaluation,
    ops: Arc<Vec<RecordedOp>>,
    /// By operation, whether it keeps checks.
    checked: Vec<bool>,
    begun: Instant,
}

/// How a run ended. The first failure counts.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    result: Mutex<Option<Result<()>>>,
    /// The prints of its launches that the sink has not got yet.
    printed: Mutex<Vec<LaunchPrints>>,
    /// When its operations ran, if that was asked for.
    times: Mutex<Option<Result<Times>>>,
}

impl Outcome {
    /// The outcome of nothing.
    pub(crate) fn settled() -> Self {
        Self { result: Mutex::new(Some(Ok(()))), ..Self::default() }
    }

    /// Notes how the run ended, unless a failure is noted already.
    pub(crate) fn set(&self, new: Result<()>) {
        let mut result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(&*result, Some(Err(_))) {
            *result = Some(new);
        }
    }

    /// Adds what launches printed.
    pub(crate) fn add_prints(&self, mut printed: Vec<LaunchPrints>) {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner).append(&mut printed);
    }

    /// The prints of launches since the last call.
    pub(crate) fn take_prints(&self) -> Vec<LaunchPrints> {
        std::mem::take(&mut *self.printed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes when the operations ran.
    pub(crate) fn set_times(&self, times: Result<Times>) {
        *self.times.lock().unwrap_or_else(PoisonError::into_inner) = Some(times);
    }

    /// When the operations ran.
    pub(crate) fn times(&self) -> Option<Result<Times>> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How the run ended.
    pub(crate) fn result(&self) -> Result<()> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or(Ok(()))
    }
}

/// The work that an evaluation waits for.
#[derive(Debug, Clone)]
pub(crate) enum Running {
    Submitted(Ticket),
    Driven(Arc<Driven>),
}

impl Running {
    /// Waits until the run is complete; false when the time is over first.
    pub(crate) fn wait_timeout(&self, device: &Device, timeout: Option<Duration>) -> Result<bool> {
        match self {
            Self::Submitted(ticket) => device.wait_timeout(*ticket, timeout),
            Self::Driven(_) if timeout != Some(Duration::ZERO) && self.is_driven_here() => {
                Err(Error::SequenceInFlight { operation: "wait for the run" })
            }
            Self::Driven(driven) => Ok(driven.wait(timeout)),
        }
    }

    /// Waits until the device no longer uses what the run named; whether it is complete.
    pub(crate) fn wait_out(&self, device: &Device) -> bool {
        match self {
            Self::Submitted(ticket) => {
                device.wait_out(*ticket);
                device.schedule.is_completed(*ticket)
            }
            Self::Driven(driven) => driven.wait(None),
        }
    }

    /// Whether both are one run.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Submitted(one), Self::Submitted(other)) => one == other,
            (Self::Driven(one), Self::Driven(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    /// Whether this is called by the run itself, from one of its calls of the host.
    pub(crate) fn is_driven_here(&self) -> bool {
        matches!(self, Self::Driven(driven) if driven.is_driven_here())
    }

    fn watch(&self, device: &Device, key: u64, waker: &Waker) {
        match self {
            Self::Submitted(ticket) => device.watch(key, *ticket, waker),
            Self::Driven(driven) => driven.watch(key, waker),
        }
    }

    fn forget(&self, device: &Device, key: u64) {
        match self {
            Self::Submitted(_) => device.forget(key),
            Self::Driven(driven) => driven.forget(key),
        }
    }
}

impl Evaluation {
    pub(crate) fn new(sequence: Arc<Inner>, run: Running, outcome: Arc<Outcome>) -> Self {
        Self { sequence, run, outcome, key: None }
    }

    /// Waits until the run is complete. Further calls return the same result.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Error, ops::OpHost};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpHost::new(|| panic!("not today")))?;
    /// let running = sequence.eval_async()?; // what happens from here on is told by `wait`
    /// assert!(matches!(running.wait(), Err(Error::HostCallFailed { .. })));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When a kernel panicked, a host callback failed, an indirect grid was too large, or the device failed.
    pub fn wait(&self) -> Result<()> {
        let waited = self.run.wait_timeout(&self.sequence.device, None);
        waited.map_err(|error| self.sequence.acknowledge(&self.run, error))?;
        self.sequence.settle(&self.run);
        self.outcome.result()
    }

    /// Waits until the run is complete or the time is over: true when it is complete.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use std::time::Duration;
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut values = manager.tensor_of_len::<f32>(1 << 10)?;
    /// let sequence = manager.sequence()?;
    /// let running = sequence.record(OpFill::new(&mut values, 1.0))?.eval_async()?;
    /// while !running.wait_timeout(Duration::from_millis(10))? {
    ///     println!("still busy");
    /// }
    /// assert_eq!(values.to_vec()?[9], 1.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn wait_timeout(&self, timeout: Duration) -> Result<bool> {
        let waited = self.run.wait_timeout(&self.sequence.device, Some(timeout));
        if !waited.map_err(|error| self.sequence.acknowledge(&self.run, error))? {
            return Ok(false);
        }
        self.sequence.settle(&self.run);
        self.outcome.result().map(|()| true)
    }

    /// Whether the run is complete.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut values = manager.tensor_of_len::<f32>(1 << 10)?;
    /// let sequence = manager.sequence()?;
    /// let running = sequence.record(OpFill::new(&mut values, 1.0))?.eval_async()?;
    /// while !running.is_complete()? {
    ///     std::thread::yield_now(); // or draw a frame
    /// }
    /// assert!(!sequence.is_running());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn is_complete(&self) -> Result<bool> {
        self.wait_timeout(Duration::ZERO)
    }
}

/// Another handle of the same run.
impl Clone for Evaluation {
    fn clone(&self) -> Self {
        Self::new(self.sequence.clone(), self.run.clone(), self.outcome.clone())
    }
}

impl Future for Evaluation {
    type Output = Result<()>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let this = self.get_mut();
        match this.is_complete() {
            Ok(true) => Poll::Ready(Ok(())),
            Ok(false) => {
                let device = &this.sequence.device;
                let key = *this.key.get_or_insert_with(|| device.new_id());
                this.run.watch(device, key, cx.waker());
                Poll::Pending
            }
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

impl Drop for Evaluation {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.run.forget(&self.sequence.device, key);
        }
    }
}

impl ProfiledEvaluation {
    pub(crate) fn new(running: Evaluation, ops: Arc<Vec<RecordedOp>>, checked: Vec<bool>, begun: Instant) -> Self {
        Self { running, ops, checked, begun }
    }

    /// Waits until the run is complete, and returns its times. Further calls return the same result.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut values = manager.tensor_of_len::<f32>(1 << 10)?;
    /// let sequence = manager.sequence()?;
    /// let running = sequence.record(OpFill::new(&mut values, 1.0))?.eval_profiled_async()?;
    /// assert_eq!(running.wait()?.ops().len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Evaluation::wait`], and [`Error::NoTimestamps`].
    pub fn wait(&self) -> Result<Profile> {
        self.running.wait()?;
        self.profile()
    }

    /// Waits until the run is complete or the time is over: true when it is complete.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use std::time::Duration;
    ///
    /// let running = gridwise::Manager::host().sequence()?.eval_profiled_async()?;
    /// assert!(running.wait_timeout(Duration::from_secs(60))?);
    /// assert!(running.wait()?.ops().is_empty());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Evaluation::wait`].
    pub fn wait_timeout(&self, timeout: Duration) -> Result<bool> {
        self.running.wait_timeout(timeout)
    }

    fn profile(&self) -> Result<Profile> {
        let host = self.begun.elapsed();
        let times = self.running.outcome.times().unwrap_or(Err(Error::NoTimestamps))?;
        Ok(Profile::new(&self.ops, &self.checked, &times, host))
    }
}

impl Future for ProfiledEvaluation {
    type Output = Result<Profile>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Profile>> {
        let this = self.get_mut();
        Pin::new(&mut this.running).poll(cx).map(|run| run.and_then(|()| this.profile()))
    }
}

impl fmt::Debug for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evaluation").field("run", &self.run).finish_non_exhaustive()
    }
}
