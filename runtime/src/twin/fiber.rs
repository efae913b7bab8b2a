//! Runs the invocations of a workgroup as fibers or as async functions, for kernels whose invocations wait for each other. One thread runs
//! all of a workgroup. It must not hang: invocations that can never go on are an error.
//!
//! One that waits notes its place in the source and the calls that led there. When none can run on, a subgroup does
//! the operation that stands first in the source, with the lanes that wait there; otherwise all pass the barrier;
//! otherwise the launch ends with [`Error::DivergentBarrier`](crate::Error::DivergentBarrier). Workgroups run on all
//! cores.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll, Waker};

use corosensei::{Coroutine, CoroutineResult, Yielder};
use gridwise_ir::descriptor::Location;

use super::ambient::Scope;
use super::group::{HostGroup, Invocation};
use super::launch::HostFailure;
use super::stack::{self, FiberStack};
use super::stop::take_turns;
use super::subgroup::Lane;

type Fiber = Coroutine<(), (), (), FiberStack>;

/// The seat of an invocation that waits for others.
#[derive(Debug, Default)]
pub struct Seat {
    /// Invariant: set by the running fiber, on whose stack it lies, until that is done.
    /// `None` for an async function.
    yielder: Cell<Option<NonNull<Yielder<(), ()>>>>,
    pub(super) state: Cell<State>,
    /// The calls of device functions that the invocation is in.
    path: Cell<Path>,
}

/// A list of calls: the number of one in [`Paths`], or zero for none. Equal lists have equal numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Path(u32);

/// The lists of calls that the invocations of a workgroup have come by, each as its last call and the list before it.
#[derive(Debug, Default)]
pub(super) struct Paths {
    calls: RefCell<Vec<(Path, &'static Location)>>,
    /// The call that was asked for last, the list before it and with it: as a rule the next invocation asks for the same.
    last: Cell<Option<(&'static Location, Path, Path)>>,
}

impl Paths {
    /// The list of `before` and then `place`.
    #[inline]
    fn enter(&self, before: Path, place: &'static Location) -> Path {
        match self.last.get() {
            Some((last, parent, path)) if parent == before && std::ptr::eq(last, place) => path,
            _ => self.find(before, place),
        }
    }

    fn find(&self, before: Path, place: &'static Location) -> Path {
        let mut calls = self.calls.borrow_mut();
        // There are as many as the kernel has calls in which it waits, and those of a loop come again.
        let is_it = |(parent, other): &(Path, &'static Location)| *parent == before && *other == place;
        let position = calls.iter().position(is_it).unwrap_or_else(|| {
            calls.push((before, place));
            calls.len() - 1
        });
        let path = Path(position as u32 + 1);
        self.last.set(Some((place, before, path)));
        path
    }

    /// Compares two places by the order of the source: calls first, outermost before the others, then the place itself.
    pub(super) fn compare(
        &self,
        (seat, place): (&Seat, &Location),
        (other, other_place): (&Seat, &Location),
    ) -> Ordering {
        let (path, other_path) = (seat.path.get(), other.path.get());
        if path == other_path {
            return if std::ptr::eq(place, other_place) { Ordering::Equal } else { key(place).cmp(&key(other_place)) };
        }
        let (path, other_path) = (self.calls_of(path), self.calls_of(other_path));
        let path = path.into_iter().chain([place]).map(key);
        path.cmp(other_path.into_iter().chain([other_place]).map(key))
    }

    /// The calls of a list, outermost first.
    fn calls_of(&self, mut path: Path) -> Vec<&'static Location> {
        let calls = self.calls.borrow();
        let mut found = Vec::new();
        while let Path(number @ 1..) = path {
            let (before, place) = calls[number as usize - 1];
            found.push(place);
            path = before;
        }
        found.reverse();
        found
    }
}

fn key(place: &Location) -> (u32, u32, &'static str) {
    (place.line, place.column, place.file)
}

/// A call of a device function in which invocations may wait: where they wait includes how they came there.
#[derive(Debug)]
pub struct Frame<L: Lane> {
    lane: L,
    before: Path,
}

impl<L: Lane> Frame<L> {
    /// Enters the function called at `place`; leaves it when dropped.
    #[inline]
    pub fn enter(lane: L, place: &'static Location) -> Self {
        let enter = |invocation: &Invocation<'_>| {
            let Some(seat) = invocation.seat else { return Path::default() };
            let before = seat.path.get();
            seat.path.set(invocation.group.paths.enter(before, place));
            before
        };
        Self { lane, before: lane.with(enter) }
    }
}

impl<L: Lane> Drop for Frame<L> {
    #[inline]
    fn drop(&mut self) {
        // When the fiber is put away unfinished, nobody may be running: then nobody asks for its calls either.
        self.lane.with_any(|invocation| {
            if let Some(seat) = invocation.seat {
                seat.path.set(self.before);
            }
        });
    }
}

/// The state of an invocation.
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

impl State {
    /// Whether both are the same; of two that wait, whether they do so in one place of the program. `false` may be wrong: then
    /// [`Paths::compare`] finds out.
    #[inline]
    fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::Barrier(place), Self::Barrier(other)) | (Self::Subgroup(place), Self::Subgroup(other)) => {
                std::ptr::eq(place, other)
            }
            (Self::Done, Self::Done) => true,
            _ => false,
        }
    }
}

thread_local! {
    /// The reason why the thread's last async function gave way.
    static WAITING: Cell<State> = const { Cell::new(State::Ready) };
}

impl Seat {
    /// Whether the invocation has a stack of its own.
    #[inline]
    pub(super) fn is_fiber(&self) -> bool {
        self.yielder.get().is_some()
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

    /// As [`barrier`](Self::barrier), in an async function.
    #[inline]
    pub fn reach(&self, place: &'static Location) -> Reach {
        Reach::new(State::Barrier(place))
    }
}

impl HostGroup<'_> {
    /// As [`run_ambient`](Self::run_ambient), for kernels whose invocations wait for each other.
    pub fn run_fibers(self, kernel: impl Fn(&Invocation<'_>)) {
        let seats = self.seats();
        let invocations = self.seated(&seats);
        let count = seats.len();
        let bytes = stack::bytes_for(self.launch.descriptor.host_stack);
        let stacks = match stack::take(count, bytes) {
            Ok(stacks) => stacks,
            Err(error) => {
                let bytes = bytes.saturating_mul(count as u64);
                return self.launch.fail(HostFailure::NoStacks { bytes, cause: error.to_string() });
            }
        };
        let fiber = |(stack, invocation)| {
            let kernel = &kernel;
            // SAFETY: `kernel`, `invocations` and `seats` outlive `fibers`, which `Crew` drops.
            unsafe { new_fiber(stack, invocation, kernel) }
        };
        let fibers = stacks.into_iter().zip(&invocations).map(fiber).collect();
        let mut crew = Crew { group: &self, seats: &seats, invocations: &invocations, tasks: fibers, panic: None };
        let failure = crew.run();
        let panic = crew.panic.take();
        dismiss(crew.tasks);
        self.end(failure, panic);
    }

    /// As [`run_fibers`](Self::run_fibers), for kernels that are async functions: they give way where they wait, which costs a call in
    /// place of a switch of stacks.
    pub fn run_steps(self, kernel: impl AsyncFn(&Invocation<'_>)) {
        let seats = self.seats();
        let invocations = self.seated(&seats);
        let tasks = invocations.iter().map(|invocation| Steps(kernel(invocation))).collect();
        let mut crew = Crew { group: &self, seats: &seats, invocations: &invocations, tasks, panic: None };
        let failure = crew.run();
        let panic = crew.panic.take();
        if failure.is_none() && panic.is_none() {
            // All have returned or unwound: none has anything left to drop.
            // SAFETY: no more elements than there are.
            unsafe { crew.tasks.set_len(0) };
        }
        drop(crew);
        self.end(failure, panic);
    }

    /// A seat for each invocation.
    fn seats(&self) -> Vec<Seat> {
        let mut seats = Vec::new();
        seats.resize_with(self.inside().element_product() as usize, Seat::default);
        seats
    }

    /// The invocations, in the order of `local_index`, which subgroups count by; a workgroup that waits is whole.
    fn seated<'s>(&'s self, seats: &'s [Seat]) -> Vec<Invocation<'s>> {
        let inside = self.inside();
        let mut invocations = Vec::with_capacity(seats.len());
        let mut rest = seats.iter();
        for z in 0..inside.z {
            for y in 0..inside.y {
                let row = (0..inside.x).zip(rest.by_ref());
                invocations.extend(row.map(|(x, seat)| self.invocation([x, y, z].into(), Some(seat))));
            }
        }
        invocations
    }

    /// Tells how the invocations ended.
    fn end(&self, failure: Option<HostFailure>, panic: Option<Box<dyn Any + Send>>) {
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
        if let Some(failure) = failure {
            self.launch.fail(failure);
        }
    }
}

/// An invocation that gives way to the others of its workgroup where it waits for them.
trait Task {
    /// Runs it until it waits or ends; tells which.
    fn resume(&mut self, seat: &Seat) -> State;
}

impl Task for Fiber {
    #[inline]
    fn resume(&mut self, seat: &Seat) -> State {
        match Coroutine::resume(self, ()) {
            CoroutineResult::Return(()) => State::Done,
            CoroutineResult::Yield(()) => seat.state.get(),
        }
    }
}

/// An invocation of a kernel that is an async function. It is resumed in place, and never moved afterwards.
struct Steps<F>(F);

impl<F: Future<Output = ()>> Task for Steps<F> {
    #[inline]
    fn resume(&mut self, _: &Seat) -> State {
        // SAFETY: `Crew` keeps its tasks in a vector that neither grows nor gives one away, and drops them there.
        let future = unsafe { Pin::new_unchecked(&mut self.0) };
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(()) => State::Done,
            Poll::Pending => WAITING.get(),
        }
    }
}

/// Waits for other invocations of the workgroup, in a kernel that is an async function: it gives way once. Wait for it at once, because the
/// thread notes what is waited for when it is made.
#[derive(Debug)]
pub struct Reach {
    is_reached: bool,
}

impl Reach {
    /// `state`: the reason for the wait.
    #[inline]
    pub(super) fn new(state: State) -> Self {
        WAITING.set(state);
        Self { is_reached: false }
    }
}

impl Future for Reach {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        match std::mem::replace(&mut self.is_reached, true) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }
}

/// Waits for all invocations of the running workgroup, in an async function.
#[inline]
pub fn reach(place: &'static Location) -> Reach {
    Reach::new(State::Barrier(place))
}

/// A fiber that runs `kernel` for one invocation.
///
/// # Safety
/// `invocation` and `kernel` outlive the fiber.
unsafe fn new_fiber(stack: FiberStack, invocation: &Invocation<'_>, kernel: &impl Fn(&Invocation<'_>)) -> Fiber {
    let body = move |yielder: &Yielder<(), ()>, ()| {
        if let Some(seat) = invocation.seat {
            seat.yielder.set(Some(NonNull::from(yielder)));
        }
        kernel(invocation);
    };
    // SAFETY: what `body` borrows outlives the fiber, by this function's contract.
    unsafe { Coroutine::with_stack_unchecked(stack, body) }
}

/// The invocations of a workgroup that is running.
struct Crew<'a, T> {
    group: &'a HostGroup<'a>,
    seats: &'a [Seat],
    invocations: &'a [Invocation<'a>],
    /// Invariant: none is moved after its first turn.
    tasks: Vec<T>,
    panic: Option<Box<dyn Any + Send>>,
}

/// How the turns of a round ended. While all end alike, their seats say nothing.
#[derive(Debug, Default)]
struct Round {
    /// How the first of them ended, and the calls that led to the place where it waits.
    first: Option<(State, Path)>,
    /// How many ended so, itself included; others at the same place may not be counted.
    together: usize,
    /// Whether the seats say how each ended.
    is_noted: bool,
}

impl Round {
    /// Writes to the seats of those that have had their turns how these ended: all alike so far.
    #[cold]
    fn note(&mut self, seats: &[Seat], before: impl Iterator<Item = usize>) {
        self.is_noted = true;
        if let Some((state, _)) = self.first {
            before.for_each(|index| seats[index].state.set(state));
        }
    }
}

/// The invocations that run in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turns {
    /// All invocations, whatever their seats say: they waited for each other in one place.
    All,
    /// Those that are ready.
    Ready,
}

impl<T: Task> Crew<'_, T> {
    /// Runs all tasks to their ends, or until they cannot go on.
    fn run(&mut self) -> Option<HostFailure> {
        let scope = Scope::new();
        let subgroup_size = self.group.launch.options.subgroup_size;
        let mut turns = Turns::Ready;
        for number in 0.. {
            let round = self.run_round(&scope, number, turns);
            if self.panic.is_some() {
                return None;
            }
            // As a rule all are in one place: then nothing else has to be looked at.
            turns = Turns::All;
            if let Some((state, _)) = round.first
                && round.together == self.seats.len()
            {
                match state {
                    State::Barrier(_) => continue,
                    State::Subgroup(_) => {
                        self.group.subgroups.advance_all(self.seats.len(), subgroup_size);
                        continue;
                    }
                    _ => return None,
                }
            }
            turns = Turns::Ready;
            if self.seats.iter().all(|seat| matches!(seat.state.get(), State::Done | State::Stopped)) {
                return None;
            }
            if self.group.subgroups.advance(self.seats, &self.group.paths, subgroup_size) {
                continue;
            }
            if let Err(failure) = self.pass_barrier() {
                return Some(failure);
            }
        }
        None
    }

    /// Gives each task that runs in this round its turn.
    fn run_round(&mut self, scope: &Scope, number: u64, turns: Turns) -> Round {
        let count = self.tasks.len();
        let permutation = self.group.permutation(count as u64, number);
        let place = |turn: usize| permutation.as_ref().map_or(turn, |order| order.get(turn as u64) as usize);
        let mut round = Round { is_noted: turns == Turns::Ready, ..Round::default() };
        let turn = |round: &mut Round, number| {
            let index = place(number);
            let seat = &self.seats[index];
            if turns == Turns::Ready && seat.state.get() != State::Ready {
                return;
            }
            // SAFETY: the invocations outlive the scope, and stay in place.
            unsafe { scope.enter(&self.invocations[index]) };
            let state = self.tasks[index].resume(seat);
            let path = seat.path.get();
            let (first, by) = *round.first.get_or_insert((state, path));
            if state.is(first) && path == by {
                round.together += 1;
            } else if !round.is_noted {
                round.note(self.seats, (0..number).map(place));
            }
            if round.is_noted {
                seat.state.set(state);
            }
        };
        let stopped = |round: &mut Round, number| {
            if !round.is_noted {
                round.note(self.seats, (0..number).map(place));
            }
            self.seats[place(number)].state.set(State::Stopped);
        };
        // A panic of the kernel ends the workgroup; the other fibers are put away before it goes on.
        self.panic = take_turns(count, &mut round, turn, stopped).err();
        round
    }

    /// Lets all invocations pass the barrier at which they are.
    fn pass_barrier(&self) -> Result<(), HostFailure> {
        let mut places = self.seats.iter().filter_map(|seat| match seat.state.get() {
            State::Barrier(place) => Some((seat, place)),
            _ => None,
        });
        let Some((one, first)) = places.next() else { return Ok(()) };
        let is_at_first = |seat: &Seat, place| self.group.paths.compare((one, first), (seat, place)).is_eq();
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
}

/// Ends all fibers, by unwinding those that still wait, and keeps their stacks.
fn dismiss(fibers: Vec<Fiber>) {
    stack::give_back(fibers.into_iter().map(|mut fiber| {
        if cfg!(panic = "unwind") {
            fiber.force_unwind();
        } else {
            // SAFETY: where panics abort, nothing on a twin's stack needs to be dropped: it holds values and references.
            unsafe { fiber.force_reset() };
        }
        fiber.into_stack()
    }));
}
