//! One launch on the host and its trap record.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use gridwise_ir::descriptor::{KernelDescriptor, Site};

/// One launch of a kernel on the host: its grid and its trap record, shared by all threads.
#[derive(Debug)]
pub struct LaunchContext {
    /// The kernel.
    pub descriptor: &'static KernelDescriptor,
    /// Invocations along x, y, z; those beyond do not run.
    pub items: [u32; 3],
    /// Workgroups along x, y, z.
    pub groups: [u32; 3],
    first: Mutex<Option<Trap>>,
    count: AtomicU32,
}

/// The first trap of a launch, and how many there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trap {
    /// Where and what.
    pub site: Site,
    /// Meaning depends on the site's kind.
    pub operands: [u32; 2],
    /// Global id of the invocation.
    pub invocation: [u32; 3],
    /// Traps of the launch in all.
    pub count: u32,
}

/// Something that takes note of traps.
pub trait TrapSink: Copy {
    /// Records that `site` trapped with these operands.
    fn trap(self, site: &'static Site, operands: [u32; 2]);
}

impl LaunchContext {
    /// A launch about to start.
    pub fn new(descriptor: &'static KernelDescriptor, items: [u32; 3], groups: [u32; 3]) -> Self {
        Self { descriptor, items, groups, first: Mutex::new(None), count: AtomicU32::new(0) }
    }

    /// What was recorded, once all workgroups have run.
    pub fn trap(&self) -> Option<Trap> {
        let first = *self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.map(|trap| Trap { count: self.count.load(Ordering::Relaxed), ..trap })
    }

    /// Records a trap of one invocation.
    #[cold]
    pub(super) fn record(&self, site: &'static Site, operands: [u32; 2], invocation: [u32; 3]) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(Trap { site: *site, operands, invocation, count: 0 });
    }
}
