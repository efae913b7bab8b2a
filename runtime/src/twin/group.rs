//! Workgroups and invocations on the host.

use std::fmt;

use glam::UVec3;
use gridwise_ir::descriptor::Site;

use super::ambient::Scope;
use super::launch::{LaunchContext, TrapSink};
use super::stop::{run_to_stop, stop};

/// One workgroup of a launch, about to run.
#[derive(Debug)]
pub struct HostGroup<'a> {
    launch: &'a LaunchContext,
    group: UVec3,
}

/// One invocation: where it is in the grid.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    launch: &'a LaunchContext,
    group: UVec3,
    local: UVec3,
    global: UVec3,
}

impl<'a> HostGroup<'a> {
    /// The workgroup at position `group` of the grid.
    pub fn new(launch: &'a LaunchContext, group: [u32; 3]) -> Self {
        Self { launch, group: group.into() }
    }

    /// Runs the kernel once for each invocation of the workgroup that the grid has, in order x, y, z.
    #[inline]
    pub fn run(self, mut kernel: impl FnMut(&Invocation<'_>)) {
        let launch = self.launch;
        let size = UVec3::from(launch.descriptor.workgroup);
        let first = self.group.wrapping_mul(size);
        // Workgroups at the edge of the grid are cut off; the others are whole.
        let inside = UVec3::from(launch.items).saturating_sub(first).min(size);
        for z in 0..inside.z {
            for y in 0..inside.y {
                for x in 0..inside.x {
                    let local = UVec3::new(x, y, z);
                    let global = UVec3::new(first.x + x, first.y + y, first.z + z);
                    let invocation = Invocation { launch, group: self.group, local, global };
                    if launch.can_stop {
                        run_to_stop(|| kernel(&invocation));
                    } else {
                        kernel(&invocation);
                    }
                }
            }
        }
    }

    /// As [`run`](Self::run), for kernels that call device functions: these find the invocation by thread.
    #[inline]
    pub fn run_ambient(self, mut kernel: impl FnMut(&Invocation<'_>)) {
        let scope = Scope::new();
        self.run(|invocation| {
            // SAFETY: the invocation lives until the kernel returns; the scope ends, or enters the next, before it is gone
            // from use: nothing reads the current invocation between two kernels.
            unsafe { scope.enter(invocation) };
            kernel(invocation);
        });
    }
}

impl Invocation<'_> {
    /// Position in the grid.
    #[inline]
    pub fn global_id(&self) -> UVec3 {
        self.global
    }

    /// Position in the workgroup.
    #[inline]
    pub fn local_id(&self) -> UVec3 {
        self.local
    }

    /// Position of the workgroup.
    #[inline]
    pub fn workgroup_id(&self) -> UVec3 {
        self.group
    }

    /// Number of workgroups.
    #[inline]
    pub fn num_workgroups(&self) -> UVec3 {
        self.launch.groups.into()
    }
}

impl TrapSink for &Invocation<'_> {
    #[cold]
    fn trap(self, site: &'static Site, operands: [u32; 2]) {
        self.launch.record(site, operands, self.global.into());
    }

    #[cold]
    fn panic(self, site: &'static Site, message: fmt::Arguments<'_>) -> ! {
        self.launch.record_panic(site, message, self.global.into());
        stop()
    }

    #[cold]
    fn print(self, site: &'static Site, words: u32, text: fmt::Arguments<'_>) {
        self.launch.record_print(site, words, text, self.global.into());
    }
}
