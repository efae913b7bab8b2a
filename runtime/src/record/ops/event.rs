//! Operations that set events, and wait for them.

use super::{Access, Op, Recorder};
use crate::core::error::Result;
use crate::record::event::Event;

/// Signals an [`Event`] each time its sequence is started. A wait for the event waits for the whole run.
///
/// Host callbacks divide a sequence into parts. Then the event is signalled when its part is started, after the callbacks before
/// it, and covers that part only. Until then, a wait does not wait for this run: start work that has to wait from a later
/// [`OpHost`](super::OpHost), or after the run.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::ops::{OpFill, OpSignal};
///
/// # let manager = gridwise::Manager::host();
/// let mut frame = manager.tensor_of_len::<u32>(4)?;
/// let drawn = manager.event();
/// let sequence = manager.sequence()?;
/// sequence.record(OpFill::new(&mut frame, 1))?.record(OpSignal::new(&drawn))?;
/// let running = sequence.eval_async()?;
/// drawn.wait()?; // another thread may do so, with a clone of the event
/// assert!(running.is_complete()?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpSignal {
    event: Event,
}

/// Delays the run until the run that signalled an [`Event`] last is complete. In a sequence with host callbacks, it delays the
/// part after the last [`OpHost`](super::OpHost).
///
/// The event may belong to another manager. If both managers have the same device and can share its timeline semaphores, the
/// device waits. Else the host waits, and divides the recording there, as for an [`OpHost`](super::OpHost).
/// [`Manager::wait_way`](crate::Manager::wait_way) returns the way that is taken. If the other device is lost before it reaches
/// the event, the run is `Error::DeviceLost` and its results are undefined: the device may still have run it.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::ops::{OpFill, OpSignal, OpWait};
///
/// # let manager = gridwise::Manager::host();
/// let (mut a, mut b) = (manager.tensor_of_len::<u32>(4)?, manager.tensor_of_len::<u32>(4)?);
/// let done = manager.event();
/// let (first, second) = (manager.sequence()?, manager.sequence()?);
/// first.record(OpFill::new(&mut a, 1))?.record(OpSignal::new(&done))?;
/// second.record(OpWait::new(&done))?.record(OpFill::new(&mut b, 2))?;
/// let running = first.eval_async()?;
/// second.eval()?; // not before `first` is complete, though they share no tensor
/// assert!(running.is_complete()?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpWait {
    event: Event,
}

impl OpSignal {
    /// Sets `event`.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Error, ops::OpSignal};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let elsewhere = gridwise::Manager::host().event();
    /// let refused = manager.sequence()?.record(OpSignal::new(&elsewhere)).map(drop);
    /// assert!(matches!(refused, Err(Error::ForeignEvent { .. })));
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(event: &Event) -> Self {
        Self { event: event.clone() }
    }
}

impl OpWait {
    /// Waits for `event`.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpWait;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpWait::new(&manager.event()))?;
    /// sequence.eval()?; // nobody has signalled it: there is nothing to wait for
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(event: &Event) -> Self {
        Self { event: event.clone() }
    }
}

impl Op for OpSignal {
    fn name(&self) -> &str {
        "signal"
    }

    fn accesses(&self) -> Vec<Access> {
        Vec::new()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        recorder.signal(&self.event)
    }
}

impl Op for OpWait {
    fn name(&self) -> &str {
        "wait"
    }

    fn accesses(&self) -> Vec<Access> {
        Vec::new()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        recorder.wait_for(&self.event)
    }
}
