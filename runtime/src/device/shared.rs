//! The state that a manager and everything made on it share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::Waker;
use std::time::Duration;

use gridwise_ir::descriptor::KernelDescriptor;

use crate::core::error::{Error, Result};
use crate::core::print::{LaunchPrints, PrintSink};
use crate::core::span::span;
use crate::core::sync::schedule::{Inside, Marks, Schedule, Ticket, enter};
use crate::device::fma::{self, Width};
use crate::device::host::HostDevice;
use crate::device::info::DeviceInfo;
use crate::device::queues::QueueInfo;
use crate::device::statistics::{Live, Statistics};
use crate::device::subnormals;
use crate::device::vulkan::VulkanBackend;
use crate::memory::buffer::Buffer;
use crate::record::algorithm::{Flags, Prepared, Variant};
use crate::run::recovery::Journal;

/// One device and its state.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) info: DeviceInfo,
    /// Ready kernels, by the addresses of their descriptors, the values of their const parameters and their variants. Dropped
    /// before the device.
    prepared: Mutex<HashMap<Key, Slot>>,
    pub(crate) queues: Vec<QueueInfo>,
    pub(crate) schedule: Schedule,
    next_id: AtomicU64,
    pub(crate) live: Live,
    /// Whether the device's `fma` rounds once, of each width, when that was asked.
    has_fma: [OnceLock<bool>; 2],
    /// Whether the device keeps subnormal numbers, of each width, when that was asked.
    keeps_subnormals: [OnceLock<bool>; 3],
    /// Words for messages of a launch.
    pub(crate) print_capacity: u32,
    sink: Mutex<PrintSink>,
    /// For the day the device is lost.
    pub(crate) journal: Journal,
    pub(crate) backend: Backend,
}

/// Address of the descriptor, values of the const parameters, variant.
type Key = (usize, &'static [u64], Variant);

/// A kernel that is ready, or being made so by whoever holds the lock.
type Slot = Arc<Mutex<Option<Arc<Prepared>>>>;

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
        let (prepared, sink) = (Mutex::default(), Mutex::new(sink));
        // The host has one queue behind them all.
        let schedule = Schedule::new(if matches!(backend, Backend::Host(_)) { 1 } else { queues.len() });
        let (next_id, has_fma) = (AtomicU64::new(0), [const { OnceLock::new() }; 2]);
        let live = Live::default();
        Self {
            info,
            queues,
            prepared,
            schedule,
            next_id,
            live,
            has_fma,
            keeps_subnormals: [const { OnceLock::new() }; 3],
            print_capacity,
            sink,
            journal: Journal::default(),
            backend,
        }
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

    /// A kernel made ready, now or before. Different kernels are made ready in parallel.
    pub(crate) fn prepare(
        self: &Arc<Self>,
        descriptor: &'static KernelDescriptor,
        constants: &'static [u64],
        variant: Variant,
    ) -> Result<Arc<Prepared>> {
        let key = (std::ptr::from_ref(descriptor).addr(), constants, variant);
        let slot = {
            let mut prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
            prepared.entry(key).or_default().clone()
        };
        if let Some(prepared) = &*slot.lock().unwrap_or_else(PoisonError::into_inner) {
            return Ok(prepared.clone());
        }
        span!("create_pipeline", kernel = descriptor.name);
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prepared) = &*slot {
            return Ok(prepared.clone());
        }
        self.check_subnormals(descriptor)?;
        let has_fma =
            [Width::Single, Width::Double].map(|width| descriptor.asks_for_fma[width as usize] && self.has_fma(width));
        let flags = Flags { variant, has_fma };
        Ok(slot.insert(Arc::new(Prepared::new(self, descriptor, constants, flags)?)).clone())
    }

    /// Whether the device's `fma` rounds once; asks it when it has not been asked.
    fn has_fma(self: &Arc<Self>, width: Width) -> bool {
        match self.backend {
            Backend::Vulkan(_) => *self.has_fma[width as usize].get_or_init(|| fma::probe(self, width)),
            Backend::Host(_) => false,
        }
    }

    /// Whether the device keeps subnormal numbers; asks it when it has not been asked.
    pub(crate) fn keeps_subnormals(self: &Arc<Self>, width: subnormals::Width) -> Result<bool> {
        let known = &self.keeps_subnormals[width as usize];
        match (matches!(self.backend, Backend::Host(_)), known.get()) {
            (true, _) => Ok(true),
            (false, Some(kept)) => Ok(*kept),
            // A device that fails tells nothing of what it does.
            (false, None) => subnormals::probe(self, width).map(|kept| *known.get_or_init(|| kept)),
        }
    }

    /// Checks that the device keeps the subnormal numbers that a kernel asks for, by promise or not.
    fn check_subnormals(self: &Arc<Self>, descriptor: &'static KernelDescriptor) -> Result<()> {
        for needed in descriptor.features {
            let Some(width) = subnormals::Width::of(needed.feature) else { continue };
            if !self.keeps_subnormals(width)? {
                return Err(Error::MissingFeature {
                    kernel: descriptor.name.into(),
                    feature: needed.feature,
                    file: needed.location.file,
                    line: needed.location.line,
                    device: self.info.name.clone(),
                });
            }
        }
        Ok(())
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

    /// Takes a buffer for a transfer of several submissions, before any lock that a call of the host could need.
    pub(crate) fn reserve<'a>(&'a self, buffer: &'a Buffer) -> impl Drop + 'a {
        struct Reserved<'a> {
            shared: &'a Device,
            buffer: &'a Buffer,
            is_new: bool,
            _inside: Inside,
        }
        impl Drop for Reserved<'_> {
            fn drop(&mut self) {
                if self.is_new {
                    self.shared.schedule.release(std::iter::once(&*self.buffer.uses));
                }
            }
        }
        let (uses, mut is_new) = (std::iter::once(&*buffer.uses), false);
        let holder = self.schedule.hold(|| self.new_id() + 1, uses, |newly| is_new = newly);
        Reserved { shared: self, buffer, is_new, _inside: enter(holder) }
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
