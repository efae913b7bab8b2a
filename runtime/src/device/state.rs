//! A device and its state, which all that is made on it share: its schedule, its sinks, its numbers.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::task::Waker;
use std::time::Duration;

use crate::core::error::Result;
use crate::core::print::{LaunchPrints, PrintSink};
use crate::core::span::span;
use crate::core::sync::schedule::{Inside, Marks, Schedule, Ticket, Uses, enter};
use crate::device::caches::Caches;
use crate::device::desc::ManagerDesc;
use crate::device::host::HostDevice;
use crate::device::info::DeviceInfo;
use crate::device::native::{self, Native};
use crate::device::queues::QueueInfo;
use crate::device::statistics::{Live, Statistics};
use crate::device::subnormals;
use crate::device::vulkan::VulkanBackend;

/// One device and its state.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) info: DeviceInfo,
    pub(crate) queues: Vec<QueueInfo>,
    pub(crate) schedule: Schedule,
    next_id: AtomicU64,
    pub(crate) live: Live,
    /// Whether the device does each of these operations as kernels need it, when that was asked.
    has_native: [OnceLock<bool>; Native::ALL.len()],
    /// Whether the device keeps subnormal numbers, of each width, when that was asked.
    keeps_subnormals: [OnceLock<bool>; 3],
    /// Words for messages of a launch.
    pub(crate) print_capacity: u32,
    sink: Mutex<PrintSink>,
    /// The description that it was made by; `None` where the device is not ours to make again.
    pub(crate) desc: Option<ManagerDesc>,
    /// The caches of floors above. Dropped before the device.
    caches: Caches,
    pub(crate) backend: Backend,
}

/// The device.
#[derive(Debug)]
pub(crate) enum Backend {
    Vulkan(Box<VulkanBackend>),
    Host(HostDevice),
}

impl Device {
    pub(crate) fn new(
        info: DeviceInfo,
        queues: Vec<QueueInfo>,
        backend: Backend,
        print_capacity: u32,
        sink: PrintSink,
    ) -> Self {
        // The host has one queue behind them all.
        let schedule = Schedule::new(if matches!(backend, Backend::Host(_)) { 1 } else { queues.len() });
        let (next_id, has_native) = (AtomicU64::new(0), [const { OnceLock::new() }; Native::ALL.len()]);
        let live = Live::default();
        Self {
            info,
            queues,
            schedule,
            next_id,
            live,
            has_native,
            keeps_subnormals: [const { OnceLock::new() }; 3],
            print_capacity,
            sink: Mutex::new(sink),
            desc: None,
            caches: Caches::default(),
            backend,
        }
    }

    /// The cache of a floor above, made when it is first asked for.
    pub(crate) fn cache<T: std::any::Any + Default + Send + Sync>(&self) -> &T {
        self.caches.get()
    }

    /// Whether tensors keep what the host knows of their contents.
    pub(crate) fn keeps_contents(&self) -> bool {
        self.desc.as_ref().is_some_and(|desc| desc.keeps_contents)
    }

    /// The sink for messages.
    pub(crate) fn sink(&self) -> PrintSink {
        self.sink.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the device works no more.
    pub(crate) fn is_gone(&self) -> bool {
        match &self.backend {
            Backend::Vulkan(vulkan) => vulkan.device.health.is_gone(),
            Backend::Host(_) => false,
        }
    }

    /// Sends messages to another sink from now on.
    pub(crate) fn set_sink(&self, sink: PrintSink) {
        *self.sink.lock().unwrap_or_else(PoisonError::into_inner) = sink;
    }

    /// Hands what launches printed to the sink.
    pub(crate) fn print(&self, printed: Vec<LaunchPrints>) {
        if printed.is_empty() {
            return;
        }
        let sink = self.sink();
        printed.into_iter().for_each(|launch| launch.emit(&sink));
    }

    /// The counts.
    pub(crate) fn statistics(&self) -> Statistics {
        let (tensors, tensor_bytes) = self.live.totals();
        let mut statistics = Statistics {
            tensors,
            tensor_bytes,
            submissions: self.schedule.submitted(),
            queue_waits: self.schedule.waiting(),
            ..Statistics::default()
        };
        if let Backend::Vulkan(vulkan) = &self.backend {
            (statistics.pipelines_compiled, statistics.pipelines_loaded) = vulkan.device.pipelines.counts();
            (statistics.allocations, statistics.allocated_bytes) = vulkan.device.allocated();
        }
        statistics
    }

    /// The queue of the schedule that stands behind a queue of the manager.
    pub(crate) fn timeline_of(&self, queue: usize) -> usize {
        match self.backend {
            Backend::Vulkan(_) => queue,
            Backend::Host(_) => 0,
        }
    }

    /// A number for a new buffer.
    pub(crate) fn new_id(&self) -> u64 {
        self.next_id.fetch_add(1, Relaxed)
    }

    /// Whether the device does an operation as kernels need it; asks it when it has not been asked.
    pub(crate) fn has_native(&self, native: Native) -> bool {
        match &self.backend {
            Backend::Vulkan(vulkan) => {
                let probe = || native::probe((&vulkan.device, &self.schedule), native);
                *self.has_native[native as usize].get_or_init(probe)
            }
            Backend::Host(_) => false,
        }
    }

    /// Whether the device keeps subnormal numbers; asks it when it has not been asked.
    pub(crate) fn keeps_subnormals(&self, width: subnormals::Width) -> Result<bool> {
        let Backend::Vulkan(vulkan) = &self.backend else { return Ok(true) };
        let known = &self.keeps_subnormals[width as usize];
        match known.get() {
            Some(kept) => Ok(*kept),
            // A device that fails tells nothing of what it does.
            None => {
                let kept = subnormals::probe((&vulkan.device, &self.schedule), width)?;
                Ok(*known.get_or_init(|| kept))
            }
        }
    }

    /// Wakes a task, in place of what it asked for before, once a submission is complete.
    pub(crate) fn watch(&self, key: u64, ticket: Ticket, waker: &Waker) {
        match &self.backend {
            Backend::Vulkan(vulkan) => vulkan.waiter.watch(&vulkan.device, key, ticket, waker),
            Backend::Host(host) => host.queue.watch(key, ticket.number, waker),
        }
    }

    /// Forgets a task.
    pub(crate) fn forget(&self, key: u64) {
        match &self.backend {
            Backend::Vulkan(vulkan) => vulkan.waiter.forget(key),
            Backend::Host(host) => host.queue.forget(key),
        }
    }

    /// Takes what has these marks for a transfer of several submissions, before any lock that a call of the host could need.
    pub(crate) fn reserve<'a>(&'a self, uses: &'a Uses) -> impl Drop + 'a {
        struct Reserved<'a> {
            device: &'a Device,
            uses: &'a Uses,
            is_new: bool,
            _inside: Inside,
        }
        impl Drop for Reserved<'_> {
            fn drop(&mut self) {
                if self.is_new {
                    self.device.schedule.release(std::iter::once(self.uses));
                }
            }
        }
        let mut is_new = false;
        let holder = self.schedule.hold(std::iter::once(uses), |newly| is_new = newly);
        Reserved { device: self, uses, is_new, _inside: enter(holder) }
    }

    /// Waits until a submission is complete.
    pub(crate) fn wait(&self, ticket: Ticket) -> Result<()> {
        self.wait_timeout(ticket, None).map(|_| ())
    }

    /// Waits until the submissions up to these are complete.
    pub(crate) fn wait_all(&self, marks: &Marks) -> Result<()> {
        let tickets = marks.iter().enumerate().filter(|(_, number)| **number > 0);
        tickets.map(|(queue, number)| Ticket { queue, number: *number }).try_for_each(|ticket| self.wait(ticket))
    }

    /// Waits until the device no longer uses what a submission named, whatever fails meanwhile.
    pub(crate) fn wait_out(&self, ticket: Ticket) {
        if let Backend::Vulkan(vulkan) = &self.backend
            && !self.schedule.is_completed(ticket)
            && vulkan.device.wait_out(ticket)
        {
            self.schedule.note_completed(ticket);
        }
    }

    /// Waits until a submission is complete; false when the time is over first.
    pub(crate) fn wait_timeout(&self, ticket: Ticket, timeout: Option<Duration>) -> Result<bool> {
        if self.schedule.is_completed(ticket) {
            return Ok(true);
        }
        if timeout == Some(Duration::ZERO) {
            // Only a look, perhaps under a lock.
            return self.wait_until(ticket, timeout);
        }
        span!("wait", queue = ticket.queue, number = ticket.number);
        self.wait_until(ticket, timeout)
    }

    fn wait_until(&self, ticket: Ticket, timeout: Option<Duration>) -> Result<bool> {
        let is_complete = match &self.backend {
            Backend::Vulkan(vulkan) => vulkan.device.wait(ticket, timeout)?,
            Backend::Host(host) => host.queue.wait(ticket.number, timeout),
        };
        if is_complete {
            self.schedule.note_completed(ticket);
        }
        Ok(is_complete)
    }
}
