//! A launch on the host: its trap record and its prints.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use gridwise_ir::descriptor::{KernelDescriptor, Location, PrintHeader, Site, SiteKind};

use crate::core::print::{LaunchPrints, PrintRecord, capacity_of};
use crate::core::trap::{Trap, message_of};
use crate::device::host::HostOptions;

/// One launch of a kernel on the host: its grid, its trap record and its messages, shared by all threads.
#[derive(Debug)]
pub struct LaunchContext {
    /// The kernel.
    pub descriptor: &'static KernelDescriptor,
    /// Invocations per workgroup.
    pub workgroup: [u32; 3],
    /// Invocations along x, y, z; those beyond do not run.
    pub items: [u32; 3],
    /// Workgroups along x, y, z.
    pub groups: [u32; 3],
    /// Whether an invocation may end by a panic.
    pub(super) can_stop: bool,
    /// How invocations run; only the host device has a choice.
    pub options: HostOptions,
    failure: OnceLock<HostFailure>,
    first: Mutex<Option<Trap>>,
    count: AtomicU32,
    /// Words there are for messages, as on a device.
    print_capacity: u32,
    prints: Mutex<Prints>,
}

#[derive(Debug, Default)]
struct Prints {
    records: Vec<PrintRecord>,
    /// Words that the records would take on a device.
    used: u64,
    dropped: u32,
}

/// Why a launch could not come to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostFailure {
    /// Not all invocations of a workgroup came to the barrier at which some wait.
    DivergentBarrier {
        /// The barrier at which some wait.
        barrier: Location,
        /// How many.
        waiting: u32,
        /// Of how many.
        invocations: u32,
        /// The barrier at which others wait; `None` when these have returned.
        other: Option<Location>,
        /// The workgroup.
        group: [u32; 3],
    },
    /// There is no memory for the fibers' stacks.
    NoStacks {
        /// The requested bytes.
        bytes: u64,
        /// The system's message.
        cause: String,
    },
}

/// Something that takes note of traps and messages.
pub trait TrapSink: Copy {
    /// Records that `site` trapped with these operands.
    fn trap(self, site: &'static Site, operands: [u32; 2]);

    /// Records the panic of `site` and ends the invocation.
    fn panic(self, site: &'static Site, message: fmt::Arguments<'_>) -> !;

    /// Records a message, whose arguments take `words` on a device.
    fn print(self, site: &'static Site, words: u32, text: fmt::Arguments<'_>);
}

/// Records nothing: for the second access through the same indices.
#[derive(Debug, Clone, Copy)]
pub struct Quiet;

impl TrapSink for Quiet {
    #[inline]
    fn trap(self, _: &'static Site, _: [u32; 2]) {}

    fn panic(self, site: &'static Site, message: fmt::Arguments<'_>) -> ! {
        let Site { location, .. } = site;
        panic!("{message} at {}:{}:{}", location.file, location.line, location.column)
    }

    fn print(self, _: &'static Site, _: u32, _: fmt::Arguments<'_>) {}
}

impl LaunchContext {
    /// A launch about to start.
    pub fn new(descriptor: &'static KernelDescriptor, items: [u32; 3], groups: [u32; 3]) -> Self {
        Self {
            descriptor,
            workgroup: descriptor.workgroup_with(&[]),
            items,
            groups,
            can_stop: descriptor.leaves_at_traps || descriptor.sites.iter().any(|site| site.kind == SiteKind::Panic),
            options: HostOptions::default(),
            failure: OnceLock::new(),
            first: Mutex::new(None),
            count: AtomicU32::new(0),
            print_capacity: capacity_of(None),
            prints: Mutex::default(),
        }
    }

    /// Gives the kernel's const parameters their values.
    #[must_use]
    pub fn with_constants(self, constants: &[u64]) -> Self {
        Self { workgroup: self.descriptor.workgroup_with(constants), ..self }
    }

    /// Bounds what it prints to so many words.
    pub(crate) fn with_print_capacity(self, print_capacity: u32) -> Self {
        Self { print_capacity, ..self }
    }

    /// The same launch, run otherwise.
    #[must_use]
    pub fn with_options(self, options: HostOptions) -> Self {
        Self { options, ..self }
    }

    /// Why the launch did not come to its end, if so.
    pub fn failure(&self) -> Option<&HostFailure> {
        self.failure.get()
    }

    /// Notes why the launch cannot come to its end; the first reason stays.
    pub(crate) fn fail(&self, failure: HostFailure) {
        // An error only says that there is a reason already.
        let _ = self.failure.set(failure);
    }

    /// The first trap, once all workgroups have run.
    pub fn trap(&self) -> Option<Trap> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).clone();
        first.map(|trap| Trap { count: self.count.load(Ordering::Relaxed), ..trap })
    }

    /// The prints, once all workgroups have run; `None` when there are none.
    pub(crate) fn take_prints(&self) -> Option<LaunchPrints> {
        let Prints { records, dropped, .. } =
            std::mem::take(&mut *self.prints.lock().unwrap_or_else(PoisonError::into_inner));
        let (capacity, workgroup) = (self.print_capacity, self.workgroup);
        let is_silent = records.is_empty() && dropped == 0;
        (!is_silent).then_some(LaunchPrints { descriptor: self.descriptor, workgroup, records, dropped, capacity })
    }

    /// Records a trap of one invocation.
    #[cold]
    pub(super) fn record(&self, site: &'static Site, operands: [u32; 2], invocation: [u32; 3]) {
        self.record_with(site, invocation, || message_of(site, &operands));
    }

    /// Records a panic of one invocation.
    #[cold]
    pub(super) fn record_panic(&self, site: &'static Site, message: fmt::Arguments<'_>, invocation: [u32; 3]) {
        self.record_with(site, invocation, || message.to_string());
    }

    fn record_with(&self, site: &'static Site, invocation: [u32; 3], message: impl FnOnce() -> String) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            *first = Some(Trap { site: *site, message: message(), invocation, count: 0 });
        }
    }

    /// Records a message of one invocation, if there is room.
    #[cold]
    pub(super) fn record_print(&self, site: &'static Site, words: u32, text: fmt::Arguments<'_>, invocation: [u32; 3]) {
        let mut prints = self.prints.lock().unwrap_or_else(PoisonError::into_inner);
        prints.used = prints.used.saturating_add(u64::from(PrintHeader::RECORD_WORDS + words));
        if prints.used > u64::from(self.print_capacity) {
            // As on a device, nothing fits behind the first message that does not.
            prints.used = u64::MAX;
            prints.dropped = prints.dropped.saturating_add(1);
            return;
        }
        prints.records.push(PrintRecord { site: *site, invocation, text: text.to_string() });
    }
}
