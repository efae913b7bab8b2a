//! Events: what one sequence has come to, for others to wait for.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::core::error::Result;
use crate::core::sync::schedule::{Marks, Ticket};
use crate::device::vulkan::{ForeignWait, VulkanDevice};
use crate::device::{Backend, Device};

/// A point in the work of one sequence for which other sequences wait; created by
/// [`Manager::event`](crate::Manager::event).
///
/// Work that shares tensors is ordered without events. Use events for work that must be ordered and shares no tensors,
/// such as accesses to an application's own memory. [`OpSignal`](crate::ops::OpSignal) signals the event each time its
/// sequence is started. [`OpWait`](crate::ops::OpWait) makes a sequence that is started later wait for it. Before the
/// first signal, a wait returns at once.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Manager, ops::{OpFill, OpSignal, OpWait}};
///
/// let manager = Manager::host();
/// let (mut a, mut b) = (manager.tensor_of_len::<u32>(4)?, manager.tensor_of_len::<u32>(4)?);
/// let (first, second) = (manager.sequence()?, manager.sequence()?);
/// let filled = manager.event();
/// first.record(OpFill::new(&mut a, 1))?.record(OpSignal::new(&filled))?;
/// second.record(OpWait::new(&filled))?.record(OpFill::new(&mut b, 2))?;
/// let running = first.eval_async()?;
/// second.eval()?; // begins when `first` is complete
/// assert!(filled.is_complete()?);
/// running.wait()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Event {
    pub(crate) mark: Arc<Mark>,
}

/// The way in which a sequence waits for an event; told by [`Manager::wait_way`](crate::Manager::wait_way). By all ways, work behind
/// the wait begins when the last run that had signalled the event is complete.
///
/// ```
/// use gridwise::{Manager, WaitWay};
///
/// let (one, other) = (Manager::host(), Manager::host());
/// assert_eq!(one.wait_way(&one.event()), WaitWay::OneManager);
/// assert_eq!(one.wait_way(&other.event()), WaitWay::Host);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitWay {
    /// The event is of this manager. Its device waits.
    OneManager,
    /// Both managers have one device and one driver, and the device waits: by a timeline semaphore that they share
    /// (`VK_KHR_external_semaphore_fd`).
    SharedSemaphore,
    /// A thread of the host waits, and divides the recording there.
    Host,
}

/// The state that an event shares with the recordings that name it.
#[derive(Debug)]
pub(crate) struct Mark {
    /// The last run that signals it.
    ticket: Mutex<Ticket>,
    pub(crate) device: Arc<Device>,
}

impl Event {
    pub(crate) fn new(device: Arc<Device>) -> Self {
        Self { mark: Arc::new(Mark { ticket: Mutex::default(), device }) }
    }

    /// Whether the run that signalled it last is complete; true before the first.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::{OpFill, OpSignal};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let done = manager.event();
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut manager.tensor_of_len::<u32>(4)?, 1))?.record(OpSignal::new(&done))?;
    /// sequence.eval()?;
    /// assert!(done.is_complete()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the device fails.
    pub fn is_complete(&self) -> Result<bool> {
        self.wait_timeout(Duration::ZERO)
    }

    /// As [`wait`](Self::wait), but not longer than `timeout`; whether the run is complete.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use std::time::Duration;
    /// use gridwise::ops::{OpFill, OpSignal};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let done = manager.event();
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut manager.tensor_of_len::<u32>(4)?, 1))?.record(OpSignal::new(&done))?;
    /// let running = sequence.eval_async()?;
    /// while !done.wait_timeout(Duration::from_millis(100))? {
    ///     println!("still busy");
    /// }
    /// assert!(running.is_complete()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the device fails.
    pub fn wait_timeout(&self, timeout: Duration) -> Result<bool> {
        self.mark.device.wait_timeout(self.mark.ticket(), Some(timeout))
    }

    /// Waits until the run that signalled it last is complete. Errors of that run are told by its evaluation.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::{OpFill, OpSignal};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let done = manager.event();
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut manager.tensor_of_len::<u32>(4)?, 1))?.record(OpSignal::new(&done))?;
    /// let running = sequence.eval_async()?;
    /// let waiting = done.clone();
    /// std::thread::spawn(move || waiting.wait()).join().expect("it does not panic")?;
    /// assert!(running.is_complete()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the device fails.
    pub fn wait(&self) -> Result<()> {
        self.mark.wait()
    }
}

impl Mark {
    fn ticket(&self) -> Ticket {
        *self.ticket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the run that signalled the event last is complete.
    pub(crate) fn wait(&self) -> Result<()> {
        self.device.wait(self.ticket())
    }

    /// The run that was submitted as this signals the event.
    pub(crate) fn signal(&self, ticket: Ticket) {
        *self.ticket.lock().unwrap_or_else(PoisonError::into_inner) = ticket;
    }

    /// The way in which a device waits for it.
    pub(crate) fn way_of(&self, device: &Arc<Device>) -> WaitWay {
        if Arc::ptr_eq(&self.device, device) {
            return WaitWay::OneManager;
        }
        match (&device.backend, &self.device.backend) {
            (Backend::Vulkan(own), Backend::Vulkan(other)) if own.device.can_wait_for(&other.device) => {
                WaitWay::SharedSemaphore
            }
            _ => WaitWay::Host,
        }
    }

    /// The wait of a run of another device, which can wait for it; nothing where it is complete. A device that is lost meanwhile sets the
    /// flag.
    ///
    /// # Errors
    /// When one of the devices fails.
    pub(crate) fn foreign_wait(&self, device: &VulkanDevice, is_lost: &Arc<AtomicBool>) -> Result<Option<ForeignWait>> {
        match &self.device.backend {
            Backend::Vulkan(own) => device.wait_for_foreign(&own.device, &self.device.schedule, self.ticket(), is_lost),
            Backend::Host(_) => Ok(None),
        }
    }

    /// Adds what a run must come behind.
    pub(crate) fn add_to(&self, behind: &mut Marks) {
        let Ticket { queue, number } = self.ticket();
        behind[queue] = behind[queue].max(number);
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("ticket", &self.mark.ticket()).finish_non_exhaustive()
    }
}
