//! Workgroups and invocations on the host.

use std::fmt;

use glam::UVec3;
use gridwise_ir::descriptor::Site;

use super::ambient::Scope;
use super::fiber::{Paths, Seat};
use super::launch::{LaunchContext, TrapSink};
use super::order::{Permutation, mix};
use super::shared::{SharedMemory, SharedRef};
use super::stop::{run_to_stop, stop};
use super::subgroup::Subgroups;
use crate::memory::data::GpuData;

/// One workgroup of a launch.
#[derive(Debug)]
pub struct HostGroup<'a> {
    pub(super) launch: &'a LaunchContext,
    pub(super) group: UVec3,
    shared: SharedMemory,
    pub(super) subgroups: Subgroups,
    pub(super) paths: Paths,
    /// The seat of all invocations that run in loops: nobody waits there.
    pub(super) seat: Seat,
}

/// One invocation: where it is in the grid.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    pub(super) group: &'a HostGroup<'a>,
    local: UVec3,
    global: UVec3,
    /// The seat where it waits for others; `None` when invocations run one after the other.
    pub(super) seat: Option<&'a Seat>,
}

impl<'a> HostGroup<'a> {
    /// The workgroup at position `group` of the grid.
    pub fn new(launch: &'a LaunchContext, group: [u32; 3]) -> Self {
        let (shared, subgroups) = (SharedMemory::default(), Subgroups::default());
        Self { launch, group: group.into(), shared, subgroups, paths: Paths::default(), seat: Seat::default() }
    }

    /// Runs the kernel once for each invocation of the workgroup that the grid has, one after the other.
    #[inline]
    pub fn run(self, mut kernel: impl FnMut(&Invocation<'_>)) {
        let inside = self.inside();
        if self.launch.options.seed.is_some() {
            for local in self.order(inside) {
                self.run_one(local, &mut kernel);
            }
            return;
        }
        for z in 0..inside.z {
            for y in 0..inside.y {
                for x in 0..inside.x {
                    self.run_one(UVec3::new(x, y, z), &mut kernel);
                }
            }
        }
    }

    #[inline]
    fn run_one(&self, local: UVec3, kernel: &mut impl FnMut(&Invocation<'_>)) {
        let invocation = self.invocation(local, None);
        if self.launch.can_stop {
            run_to_stop(|| kernel(&invocation));
        } else {
            kernel(&invocation);
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

    /// The invocations that the grid has of this workgroup: those at its edge are cut off, the others are whole.
    #[inline]
    pub(super) fn inside(&self) -> UVec3 {
        let size = UVec3::from(self.launch.workgroup);
        UVec3::from(self.launch.items).saturating_sub(self.group.wrapping_mul(size)).min(size)
    }

    #[inline]
    pub(super) fn invocation<'s>(&'s self, local: UVec3, seat: Option<&'s Seat>) -> Invocation<'s> {
        let first = self.group.wrapping_mul(UVec3::from(self.launch.workgroup));
        Invocation { group: self, local, global: first.wrapping_add(local), seat }
    }

    /// The positions inside, in the order in which they run.
    pub(super) fn order(&self, inside: UVec3) -> impl Iterator<Item = UVec3> {
        let len = u64::from(inside.x) * u64::from(inside.y) * u64::from(inside.z);
        let permutation = self.permutation(len, 0);
        (0..len).map(move |index| {
            let index = permutation.map_or(index, |permutation| permutation.get(index)) as u32;
            UVec3::new(index % inside.x, index / inside.x % inside.y, index / inside.x / inside.y)
        })
    }

    /// The shared variable of this number.
    #[inline]
    pub(super) fn shared_variable<T: GpuData>(&self, index: usize) -> SharedRef<'_, T> {
        self.shared.variable(index)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn trap(&self, index: u32, site: &'static Site, operands: [u32; 2]) {
        self.launch.record(site, operands, self.global_id(index));
        if self.launch.descriptor.leaves_at_traps {
            stop();
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn panic(&self, index: u32, site: &'static Site, message: fmt::Arguments<'_>) -> ! {
        self.launch.record_panic(site, message, self.global_id(index));
        stop()
    }

    #[cold]
    #[inline(never)]
    pub(super) fn print(&self, index: u32, site: &'static Site, words: u32, text: fmt::Arguments<'_>) {
        self.launch.record_print(site, words, text, self.global_id(index));
    }

    /// Position in the grid of the invocation at a position in the workgroup.
    fn global_id(&self, index: u32) -> [u32; 3] {
        let size = UVec3::from(self.launch.workgroup);
        let local = UVec3::new(index % size.x, index / size.x % size.y, index / size.x / size.y);
        self.group.wrapping_mul(size).wrapping_add(local).into()
    }

    /// The seed's order of `len` invocations between two barriers; `None` without a seed.
    pub(super) fn permutation(&self, len: u64, round: u64) -> Option<Permutation> {
        let UVec3 { x, y, z } = self.group;
        let seed = self.launch.options.seed?;
        Some(Permutation::new(len, [x, y, z].iter().fold(mix(seed ^ round), |seed, id| mix(seed ^ u64::from(*id)))))
    }
}

impl<'a> Invocation<'a> {
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
        self.group.group
    }

    /// Number of workgroups.
    #[inline]
    pub fn num_workgroups(&self) -> UVec3 {
        self.group.launch.groups.into()
    }

    /// Invocations per workgroup.
    #[inline]
    pub fn workgroup_size(&self) -> UVec3 {
        self.group.launch.workgroup.into()
    }

    /// Position in the workgroup, x first, then y, then z.
    #[inline]
    pub fn local_index(&self) -> u32 {
        let size = self.workgroup_size();
        (self.local.z * size.y + self.local.y) * size.x + self.local.x
    }

    /// Invocations per subgroup: a power of two.
    #[inline]
    pub fn subgroup_size(&self) -> u32 {
        self.group.launch.options.subgroup_size
    }

    /// Number of the subgroup in the workgroup.
    #[inline]
    pub fn subgroup_id(&self) -> u32 {
        self.local_index() >> self.subgroup_size().trailing_zeros()
    }

    /// Position in the subgroup.
    #[inline]
    pub fn subgroup_local_id(&self) -> u32 {
        self.local_index() & (self.subgroup_size() - 1)
    }

    /// Subgroups in the workgroup.
    #[inline]
    pub fn num_subgroups(&self) -> u32 {
        self.workgroup_size().element_product().div_ceil(self.subgroup_size())
    }

    /// The workgroup's shared variable of this number.
    #[inline]
    pub fn shared<T: GpuData>(&self, index: usize) -> SharedRef<'a, T> {
        self.group.shared_variable(index)
    }
}

/// As for a [`Member`](super::loops::Member).
impl TrapSink for &Invocation<'_> {
    #[inline(always)]
    fn trap(self, site: &'static Site, operands: [u32; 2]) {
        self.group.trap(self.local_index(), site, operands);
    }

    #[inline(always)]
    fn panic(self, site: &'static Site, message: fmt::Arguments<'_>) -> ! {
        self.group.panic(self.local_index(), site, message)
    }

    #[inline(always)]
    fn print(self, site: &'static Site, words: u32, text: fmt::Arguments<'_>) {
        self.group.print(self.local_index(), site, words, text);
    }
}
