//! What the generated host twins call: launch context, arguments, views of buffers. Hidden from users' docs; no Vulkan here.

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

impl LaunchContext {
    /// A launch about to start.
    pub fn new(descriptor: &'static KernelDescriptor, items: [u32; 3], groups: [u32; 3]) -> Self {
        Self { descriptor, items, groups }
    }

    /// What was recorded, once all workgroups have run.
    pub fn trap(&self) -> Option<Trap> {
        None
    }
}

/// A buffer argument: where its elements lie and how many there are.
#[derive(Debug, Clone, Copy)]
pub struct HostBuffer {
    /// First byte; aligned for the element type (at least 16).
    pub data: *mut u8,
    /// Number of elements.
    pub len: u32,
}

// SAFETY: a pointer and a length; whoever dereferences it answers for the sharing.
unsafe impl Send for HostBuffer {}
// SAFETY: as above.
unsafe impl Sync for HostBuffer {}

/// The arguments of one launch.
#[derive(Debug, Clone, Copy)]
pub struct HostArgs<'a> {
    launch: &'a LaunchContext,
    buffers: &'a [HostBuffer],
    push_constants: &'a [u8],
}

impl<'a> HostArgs<'a> {
    /// Arguments for `launch`.
    ///
    /// # Safety
    /// `buffers` holds one entry per buffer parameter of the descriptor, in binding order, each valid for `len * stride`
    /// bytes for `'a`; writable ones are accessed by this launch only, read-only ones are not written during it.
    /// `push_constants` is the push-constant block of the descriptor.
    pub unsafe fn new(launch: &'a LaunchContext, buffers: &'a [HostBuffer], push_constants: &'a [u8]) -> Self {
        Self { launch, buffers, push_constants }
    }
}

/// One workgroup of a launch, about to run.
#[derive(Debug)]
pub struct HostGroup<'a> {
    launch: &'a LaunchContext,
    group: [u32; 3],
}

impl<'a> HostGroup<'a> {
    /// The workgroup at position `group` of the grid.
    pub fn new(launch: &'a LaunchContext, group: [u32; 3]) -> Self {
        Self { launch, group }
    }
}
