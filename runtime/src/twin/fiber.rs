//! Runs the invocations of a workgroup as fibers, for kernels whose invocations wait for each other. One thread runs all
//! fibers of a workgroup. It must not hang: invocations that can never go on are an error.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use gridwise_ir::descriptor::Location;

use super::ambient::Scope;
use super::group::{HostGroup, Invocation};
use super::launch::HostFailure;
use super::stop::Stopped;
use super::subgroup::Lane;

/// Bytes of a fiber's stack; pages that are not used cost address space only.
const STACK_BYTES: usize = 1024 * 1024;

/// Stacks that a thread keeps for the next workgroup.
const KEPT_STACKS: usize = 1024;

thread_local! {
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

type Fiber = Coroutine<(), (), (), DefaultStack>;

/// Where an invocation waits for others.
#[derive(Debug, Default)]
pub struct Seat {
    /// Invariant: set by the running fiber, on whose stack it lies, until that is done.
    yielder: Cell<Option<NonNull<Yielder<(), ()>>>>,
    pub(super) state: Cell<State>,
    /// The calls of device functions that the invocation is in, outermost first.
    frames: RefCell<Vec<&'static Location>>,
}

/// A call of a device function in which invocations may wait: where they wait includes how they came there.
#[derive(Debug)]
pub struct Frame<L: Lane>(L);

impl<L: Lane> Frame<L> {
    /// Enters the function called at `place`; leaves it when dropped.
    pub fn enter(lane: L, place: &'static Location) -> Self {
        lane.with(|invocation| {
            if let Some(seat) = invocation.seat {
                seat.frames.borrow_mut().push(place);
            }
        });
        Self(lane)
    }
}

impl<L: Lane> Drop for Frame<L> {
    fn drop(&mut self) {
        // When the fiber is put away unfinished, nobody may be running: then nobody asks for its frames either.
        self.0.with_any(|invocation| {
            if let Some(seat) = invocation.seat {
                seat.frames.borrow_mut().pop();
            }
        });
    }
}

/// What an invocation does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum State {
    /// It runs when its turn comes.
    #[default]
    Ready,
    /// It is at a barrier.
    Barrier(&'static Location),
    /// It is at an operation of its subgroup.
    Subgroup(&'static Location),
    /// It has returned.
    Done,
    /// It has panicked, and nobody waits for it any more: on a device its barriers go on without it.
    Stopped,
}

impl Seat {
    /// Compares the places where two invocations wait, by the order of the source: calls first, then the place itself.
    pub(super) fn compare(&self, place: &Location, other: &Self, other_place: &Location) -> Ordering {
        let key = |place: &Location| (place.line, place.column, place.file);
        let (frames, others) = (self.frames.borrow(), other.frames.borrow());
        let path = frames.iter().copied().chain([place]).map(key);
        path.cmp(others.iter().copied().chain([other_place]).map(key))
    }

    /// Waits until the scheduler makes the invocation ready again.
    pub(super) fn wait(&self, state: State) {
        self.state.set(state);
        let yielder = self.yielder.get().expect("only a running fiber waits");
        // SAFETY: by the invariant of `yielder`; the caller is the running fiber.
        unsafe { yielder.as_ref() }.suspend(());
    }
}

impl Invocation<'_> {
    /// Waits for all invocations of the workgroup.
    pub fn barrier(&self, place: &'static Location) {
        // Without fibers each invocation runs alone: only hand-written twins come here so.
        if let Some(seat) = self.seat {
            seat.wait(State::Barrier(place));
        }
    }
}

impl HostGroup<'_> {
    /// As [`run_ambient`](Self::run_ambient), for kernels whose invocations wait for each other.
    pub fn run_fibers(self, kernel: impl Fn(&Invocation<'_>)) {
        let inside = self.inside();
        let count = inside.element_product() as usize;
        let seats: Vec<Seat> = (0..count).map(|_| Seat::default()).collect();
        // In the order of `local_index`, which subgroups count by; a workgroup that waits is whole.
        let places = (0..inside.z).flat_map(|z| (0..inside.y).flat_map(move |y| (0..inside.x).map(move |x| [x, y, z])));
        let invocations: Vec<Invocation<'_>> =
            places.zip(&seats).map(|(local, seat)| self.invocation(local.into(), Some(seat))).collect();
        let stacks = match take_stacks(count) {
            Ok(stacks) => stacks,
            Err(error) => {
                let bytes = count as u64 * STACK_BYTES as u64;
                return self.launch.fail(HostFailure::NoStacks { bytes, cause: error.to_string() });
            }
        };
        let fiber = |(stack, invocation)| {
            let kernel = &kernel;
            // SAFETY: `kernel`, `invocations` and `seats` outlive `fibers`, which `Crew` drops.
            unsafe { new_fiber(stack, invocation, kernel) }
        };
        let fibers = stacks.into_iter().zip(&invocations).map(fiber).collect();
        let mut crew = Crew { group: &self, seats: &seats, invocations: &invocations, fibers, panic: None };
        let failure = crew.run();
        let panic = crew.panic.take();
        crew.dismiss();
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
        if let Some(failure) = failure {
            self.launch.fail(failure);
        }
    }
}

/// A fiber that runs `kernel` for one invocation.
///
/// # Safety
/// `invocation` and `kernel` outlive the fiber.
unsafe fn new_fiber(stack: DefaultStack, invocation: &Invocation<'_>, kernel: &impl Fn(&Invocation<'_>)) -> Fiber {
    let body = move |yielder: &Yielder<(), ()>, ()| {
        if let Some(seat) = invocation.seat {
            seat.yielder.set(Some(NonNull::from(yielder)));
        }
        kernel(invocation);
    };
    // SAFETY: what `body` borrows outlives the fiber, by this function's contract.
    unsafe { Coroutine::with_stack_unchecked(stack, body) }
}

fn take_stacks(count: usize) -> std::io::Result<Vec<DefaultStack>> {
    let take = |kept: &RefCell<Vec<DefaultStack>>| {
        let mut kept = kept.borrow_mut();
        let from = kept.len().saturating_sub(count);
        kept.split_off(from)
    };
    // There are none left where a thread ends.
    let mut stacks = STACKS.try_with(take).unwrap_or_default();
    while stacks.len() < count {
        stacks.push(DefaultStack::new(STACK_BYTES)?);
    }
    Ok(stacks)
}

/// The fibers of a workgroup that is running.
struct Crew<'a> {
    group: &'a HostGroup<'a>,
    seats: &'a [Seat],
    invocations: &'a [Invocation<'a>],
    fibers: Vec<Fiber>,
    panic: Option<Box<dyn Any + Send>>,
}

impl Crew<'_> {
    /// Runs all fibers to their ends, or until they cannot go on.
    fn run(&mut self) -> Option<HostFailure> {
        let scope = Scope::new();
        let mut round = 0;
        loop {
            self.run_ready(&scope, round);
            if self.panic.is_some()
                || self.seats.iter().all(|seat| matches!(seat.state.get(), State::Done | State::Stopped))
            {
                return None;
            }
            round += 1;
            if self.group.subgroups.advance(self.seats, self.group.launch.options.subgroup_size) {
                continue;
            }
            if let Err(failure) = self.pass_barrier() {
                return Some(failure);
            }
        }
    }

    /// Gives each ready fiber its turn.
    fn run_ready(&mut self, scope: &Scope, round: u64) {
        let count = self.fibers.len() as u64;
        let permutation = self.group.permutation(count, round);
        for index in 0..count {
            let index = permutation.as_ref().map_or(index, |permutation| permutation.get(index)) as usize;
            if self.seats[index].state.get() != State::Ready {
                continue;
            }
            // SAFETY: the invocations outlive the scope, and stay in place.
            unsafe { scope.enter(&self.invocations[index]) };
            let fiber = &mut self.fibers[index];
            // A panic of the kernel ends the workgroup; the other fibers are put away before it goes on.
            match catch_unwind(AssertUnwindSafe(|| fiber.resume(()))) {
                Ok(CoroutineResult::Yield(())) => {}
                Ok(CoroutineResult::Return(())) => self.seats[index].state.set(State::Done),
                Err(payload) if payload.is::<Stopped>() => self.seats[index].state.set(State::Stopped),
                Err(payload) => {
                    self.panic = Some(payload);
                    return;
                }
            }
        }
    }

    /// Lets all invocations pass the barrier at which they are.
    fn pass_barrier(&self) -> Result<(), HostFailure> {
        let mut places = self.seats.iter().filter_map(|seat| match seat.state.get() {
            State::Barrier(place) => Some((seat, place)),
            _ => None,
        });
        let Some((one, first)) = places.next() else { return Ok(()) };
        let is_at_first = |seat: &Seat, place| one.compare(first, seat, place).is_eq();
        let is_here = |seat: &&Seat| matches!(seat.state.get(), State::Barrier(place) if is_at_first(seat, place));
        let waiting = self.seats.iter().filter(is_here).count();
        let stopped = self.seats.iter().filter(|seat| seat.state.get() == State::Stopped).count();
        if waiting + stopped < self.seats.len() {
            return Err(HostFailure::DivergentBarrier {
                barrier: *first,
                waiting: waiting as u32,
                invocations: self.seats.len() as u32,
                other: places.find(|(seat, place)| !is_at_first(seat, place)).map(|(_, place)| *place),
                group: self.group.group.into(),
            });
        }
        self.seats.iter().filter(is_here).for_each(|seat| seat.state.set(State::Ready));
        Ok(())
    }

    /// Ends all fibers, by unwinding those that still wait, and keeps their stacks.
    fn dismiss(self) {
        let stacks = self.fibers.into_iter().map(|mut fiber| {
            if cfg!(panic = "unwind") {
                fiber.force_unwind();
            } else {
                // SAFETY: where panics abort, nothing on a twin's stack needs to be dropped: it holds values and references.
                unsafe { fiber.force_reset() };
            }
            fiber.into_stack()
        });
        // Where the thread ends, they go at once.
        let _ = STACKS.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            kept.extend(stacks);
            kept.truncate(KEPT_STACKS);
        });
    }
}
