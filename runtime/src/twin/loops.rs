//! Workgroups as loops over their invocations, for kernels whose barriers stand where all invocations come together. The macro cuts such a
//! kernel into parts at its barriers; each part runs for one invocation after the other. It decides nothing about where parts end.
//!
//! A variable that lives across a barrier has a place for each invocation ([`Loops::kept`]).

use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::resume_unwind;

use glam::UVec3;
use gridwise_ir::descriptor::Site;

use super::ambient::Scope;
use super::group::{HostGroup, Invocation};
use super::launch::TrapSink;
use super::shared::SharedRef;
use super::stop::take_turns;
use super::subgroup::Lane;
use crate::memory::data::{GpuData, Value};

/// The size of a workgroup: a constant for rustc where the macro knows it.
pub trait Extent: Copy + 'static {
    /// Invocations along x, y and z; `asked`: as the launch says.
    fn size(asked: UVec3) -> UVec3;
}

/// A size that the kernel's text says.
#[derive(Debug, Clone, Copy)]
pub struct Known<const X: u32, const Y: u32, const Z: u32>;

impl<const X: u32, const Y: u32, const Z: u32> Extent for Known<X, Y, Z> {
    #[inline(always)]
    fn size(_: UVec3) -> UVec3 {
        UVec3::new(X, Y, Z)
    }
}

/// A size that the launch decides.
#[derive(Debug, Clone, Copy)]
pub struct Chosen;

impl Extent for Chosen {
    #[inline(always)]
    fn size(asked: UVec3) -> UVec3 {
        asked
    }
}

/// One workgroup that runs part by part.
#[derive(Debug)]
pub struct Loops<'a, S> {
    group: &'a HostGroup<'a>,
    size: PhantomData<S>,
    /// How many parts have begun: the number of an order of invocations.
    round: Cell<u64>,
    /// The invocations that run no more, by position: those that have panicked, and those that the grid does not have. Empty where there are
    /// none.
    stopped: RefCell<Vec<bool>>,
}

/// One invocation in a part: where it is in the workgroup.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    group: &'a HostGroup<'a>,
    index: u32,
    local: UVec3,
    size: UVec3,
}

impl<'a, S: Extent> Loops<'a, S> {
    /// The workgroup of an invocation.
    #[inline]
    pub fn new(invocation: &Invocation<'a>, _: S) -> Self {
        let group = invocation.group;
        let loops = Self { group, size: PhantomData, round: Cell::new(0), stopped: RefCell::default() };
        // A workgroup that waits is whole; but what waits may never run, so that nobody asks for whole ones.
        let inside = group.inside();
        if inside != loops.size() {
            let is_outside = |index| !loops.member(index).local.cmplt(inside).all();
            loops.stopped.replace((0..loops.count()).map(is_outside).collect());
        }
        loops
    }

    #[inline(always)]
    fn size(&self) -> UVec3 {
        S::size(self.group.launch.workgroup.into())
    }

    #[inline(always)]
    fn count(&self) -> usize {
        self.size().element_product() as usize
    }

    /// The first invocation, in whose place the workgroup asks for what is the same for all.
    #[inline]
    pub fn leader(&self) -> Member<'a> {
        self.member(0)
    }

    #[inline(always)]
    fn member(&self, index: usize) -> Member<'a> {
        let (size, index) = (self.size(), index as u32);
        let local = UVec3::new(index % size.x, index / size.x % size.y, index / size.x / size.y);
        Member { group: self.group, index, local, size }
    }

    /// A place for a variable in each invocation.
    #[inline]
    pub fn kept<T: Value + Copy>(&self) -> Box<[Cell<T>]> {
        (0..self.count()).map(|_| Cell::new(T::ZEROED)).collect()
    }

    /// Runs a part of the kernel for each invocation that has not panicked, one after the other.
    #[inline(always)]
    pub fn part(&self, body: impl Fn(usize, Member<'a>)) {
        let launch = self.group.launch;
        if launch.can_stop || launch.options.seed.is_some() || !self.stopped.borrow().is_empty() {
            return self.part_with_care(&|index| body(index, self.member(index)));
        }
        for index in 0..self.count() {
            body(index, self.member(index));
        }
    }

    /// As [`part`](Self::part), of a part that calls device functions: these find the invocation by thread.
    #[inline(always)]
    pub fn part_ambient(&self, body: impl Fn(usize, Member<'a>)) {
        let scope = Scope::new();
        self.part(|index, member| {
            let invocation = self.group.invocation(member.local, None);
            // SAFETY: the invocation lives until the body returns; the scope ends, or enters the next, before anything else asks.
            unsafe { scope.enter(&invocation) };
            body(index, member);
        });
    }

    /// Goes through the subgroups that have active lanes: their invocations, and which of them run on.
    #[inline]
    pub(super) fn each_subgroup(&self, mut each: impl FnMut(Range<usize>, u128)) {
        let (count, size, stopped) = (self.count(), self.subgroup_size() as usize, self.stopped.borrow());
        for first in (0..count).step_by(size) {
            let range = first..count.min(first + size);
            let mut active = u128::MAX >> (128 - range.len());
            if let Some(stopped) = stopped.get(range.clone()) {
                let lanes = stopped.iter().enumerate().filter(|(_, is_stopped)| **is_stopped);
                active = lanes.fold(active, |active, (lane, _)| active & !(1 << lane));
            }
            if active != 0 {
                each(range, active);
            }
        }
    }

    #[inline]
    pub(super) fn subgroup_size(&self) -> u32 {
        self.group.launch.options.subgroup_size
    }

    /// A part in which invocations may panic or run no more, or which has an order of its own.
    #[inline(never)]
    fn part_with_care(&self, body: &dyn Fn(usize)) {
        let count = self.count();
        let round = self.round.replace(self.round.get() + 1);
        let order = self.group.permutation(count as u64, round);
        let place = |index| order.as_ref().map_or(index, |order| order.get(index as u64) as usize);
        let is_stopped = |index: usize| self.stopped.borrow().get(index).copied().unwrap_or(false);
        let turn = |_: &mut (), number| {
            let index = place(number);
            if !is_stopped(index) {
                body(index);
            }
        };
        let stopped = |_: &mut (), number| {
            let mut stopped = self.stopped.borrow_mut();
            stopped.resize(count, false);
            stopped[place(number)] = true;
        };
        if let Err(payload) = take_turns(count, &mut (), turn, stopped) {
            resume_unwind(payload);
        }
    }
}

impl HostGroup<'_> {
    /// Runs a kernel that is made of parts. It gets the first invocation, by which it finds the workgroup.
    #[inline]
    pub fn run_loops(self, kernel: impl FnOnce(&Invocation<'_>)) {
        kernel(&self.invocation(UVec3::ZERO, None));
    }
}

impl<'a> Member<'a> {
    /// Position in the grid.
    #[inline(always)]
    pub fn global_id(self) -> UVec3 {
        self.group.group.wrapping_mul(self.size).wrapping_add(self.local)
    }

    /// Position in the workgroup.
    #[inline(always)]
    pub fn local_id(self) -> UVec3 {
        self.local
    }

    /// Position of the workgroup.
    #[inline(always)]
    pub fn workgroup_id(self) -> UVec3 {
        self.group.group
    }

    /// Number of workgroups.
    #[inline(always)]
    pub fn num_workgroups(self) -> UVec3 {
        self.group.launch.groups.into()
    }

    /// Invocations per workgroup.
    #[inline(always)]
    pub fn workgroup_size(self) -> UVec3 {
        self.size
    }

    /// Position in the workgroup, x first, then y, then z.
    #[inline(always)]
    pub fn local_index(self) -> u32 {
        (self.local.z * self.size.y + self.local.y) * self.size.x + self.local.x
    }

    /// Invocations per subgroup: a power of two.
    #[inline(always)]
    pub fn subgroup_size(self) -> u32 {
        self.group.launch.options.subgroup_size
    }

    /// Number of the subgroup in the workgroup.
    #[inline(always)]
    pub fn subgroup_id(self) -> u32 {
        self.local_index() >> self.subgroup_size().trailing_zeros()
    }

    /// Position in the subgroup.
    #[inline(always)]
    pub fn subgroup_local_id(self) -> u32 {
        self.local_index() & (self.subgroup_size() - 1)
    }

    /// Subgroups in the workgroup.
    #[inline(always)]
    pub fn num_subgroups(self) -> u32 {
        self.size.element_product().div_ceil(self.subgroup_size())
    }

    /// The workgroup's shared variable of this number.
    #[inline]
    pub fn shared<T: GpuData>(self, index: usize) -> SharedRef<'a, T> {
        self.group.shared_variable(index)
    }
}

impl Lane for Member<'_> {
    #[inline]
    fn with<R>(self, f: impl FnOnce(&Invocation<'_>) -> R) -> R {
        f(&self.group.invocation(self.local, Some(&self.group.seat)))
    }

    fn with_any(self, f: impl FnOnce(&Invocation<'_>)) {
        self.with(f);
    }
}

/// These are inlined up to calls that take numbers: an invocation whose address a call has is in memory in each round of a loop.
impl TrapSink for Member<'_> {
    #[inline(always)]
    fn trap(self, site: &'static Site, operands: [u32; 2]) {
        self.group.trap(self.index, site, operands);
    }

    #[inline(always)]
    fn panic(self, site: &'static Site, message: fmt::Arguments<'_>) -> ! {
        self.group.panic(self.index, site, message)
    }

    #[inline(always)]
    fn print(self, site: &'static Site, words: u32, text: fmt::Arguments<'_>) {
        self.group.print(self.index, site, words, text);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use gridwise_ir::descriptor::{KernelDescriptor, Location, SiteKind, known};

    use super::*;
    use crate::device::host::HostOptions;
    use crate::twin::LaunchContext;
    use crate::twin::subgroup::whole;
    use crate::twin::tests::SITES;

    const WIDTH: usize = 8;
    const HERE: Location = Location { file: "kernel.rs", line: 3, column: 5 };

    static DESCRIPTOR: KernelDescriptor =
        KernelDescriptor { workgroup: known([4, 2, 1]), sites: &SITES, ..crate::twin::tests::DESCRIPTOR };

    static PANICS: [Site; 1] = [Site { kind: SiteKind::Panic, location: HERE, text: "panic!()", message: None }];

    static STOPPING: KernelDescriptor =
        KernelDescriptor { workgroup: known([4, 2, 1]), sites: &PANICS, ..crate::twin::tests::DESCRIPTOR };

    fn launch(descriptor: &'static KernelDescriptor, seed: Option<u64>) -> LaunchContext {
        let options = HostOptions { seed, ..HostOptions::default() };
        LaunchContext::new(descriptor, [4, 2, 1], [1, 1, 1]).with_options(options)
    }

    #[test]
    fn each_invocation_runs_once_in_each_part_and_keeps_what_it_has() {
        for seed in [None, Some(1), Some(99)] {
            let (launch, orders) = (launch(&DESCRIPTOR, seed), RefCell::new(Vec::new()));
            HostGroup::new(&launch, [0; 3]).run_loops(|invocation| {
                let loops = Loops::new(invocation, Known::<4, 2, 1>);
                let tile = loops.leader().shared::<[u32; WIDTH]>(0);
                let kept = loops.kept();
                loops.part(|at, member| {
                    assert_eq!(member.local_index() as usize, at);
                    tile.set(|tile| tile.get_mut(at), at as u32 * 10);
                    kept[at].set(at as u32);
                });
                loops.part_ambient(|at, member| {
                    assert_eq!(crate::twin::local_id(), member.local_id());
                    let found = tile.get(|tile| tile.get((at + 1) % WIDTH));
                    orders.borrow_mut().push((kept[at].get(), found));
                });
            });
            let mut order = orders.into_inner();
            assert_eq!(order.is_sorted(), seed.is_none(), "{seed:?}");
            order.sort_unstable();
            assert_eq!(order, (0..8).map(|at| (at, (at + 1) % 8 * 10)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_invocation_that_stops_does_nothing_in_later_parts() {
        for seed in [None, Some(7)] {
            let launch = launch(&STOPPING, seed);
            let ran = RefCell::new(Vec::new());
            HostGroup::new(&launch, [0; 3]).run_loops(|invocation| {
                let loops = Loops::new(invocation, Chosen);
                loops.part(|at, member| {
                    if at == 2 || at == 5 {
                        member.panic(&PANICS[0], format_args!("two"));
                    }
                });
                let (indices, sums, first) = (loops.kept(), loops.kept(), loops.kept());
                loops.part(|at, _| {
                    ran.borrow_mut().push(at);
                    indices[at].set(at as u32);
                });
                whole::add(&loops, &indices, &sums);
                whole::elect(&loops, &first);
                // Of those that are left: 0 to 7 without 2 and 5.
                loops.part(|at, _| assert_eq!((sums[at].get(), first[at].get()), (21, at == 0)));
            });
            let mut ran = ran.into_inner();
            ran.sort_unstable();
            assert_eq!(ran, [0, 1, 3, 4, 6, 7]);
            assert_eq!(launch.trap().map(|trap| trap.count), Some(2));
        }
    }

    #[test]
    fn invocations_that_the_grid_does_not_have_do_not_run() {
        let launch = LaunchContext::new(&DESCRIPTOR, [3, 3, 1], [1, 2, 1]);
        let ran = RefCell::new(Vec::new());
        for group in [[0, 0, 0], [0, 1, 0]] {
            HostGroup::new(&launch, group).run_loops(|invocation| {
                Loops::new(invocation, Known::<4, 2, 1>).part(|_, member| ran.borrow_mut().push(member.global_id()));
            });
        }
        let expected = [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1], [0, 2], [1, 2], [2, 2]];
        assert_eq!(ran.into_inner(), expected.map(|[x, y]| UVec3::new(x, y, 0)));
    }

    #[test]
    fn a_panic_of_another_kind_comes_out() {
        let launch = launch(&STOPPING, None);
        let run = || {
            HostGroup::new(&launch, [0; 3]).run_loops(|invocation| {
                Loops::new(invocation, Chosen).part(|at, _| assert!(at != 3, "three"));
            });
        };
        let payload = catch_unwind(AssertUnwindSafe(run)).expect_err("a panic");
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"three"));
    }
}
