//! A workgroup: its invocations run in turns until all wait, and go on together.

use super::clock::{self, Clock};
use super::finding::{FindingKind, Party};
use super::launch::{Grid, Outcome, Report, Shuffle, is_masked};
use super::memory::Memory;
use super::step::Context;
use super::subgroup;
use super::thread::{State, Thread};
use super::{InterpretError, Trap};
use crate::ir::Scope;

/// Instructions an invocation runs before it is another's turn, so that those that spin let others go on.
const QUANTUM: u64 = 4096;

/// The invocations of a workgroup, by their number in it.
pub(super) struct Group<'m> {
    threads: Vec<Thread<'m>>,
}

impl<'m> Group<'m> {
    /// A workgroup at its start; invocations beyond the items asked for have ended.
    pub(super) fn new(cx: &Context<'m>, grid: Grid, group: u32, items: Option<[u32; 3]>, fuel: u64) -> Self {
        let kernel = cx.module.kernel.as_ref().expect("a launch has a kernel");
        let first = group * grid.group_len();
        let thread = |local: u32| {
            let ids = grid.ids(first + local);
            let mut thread = Thread::new(cx.module, kernel.function, &[], ids, fuel);
            thread.local_index = local;
            thread.lane = local % cx.width;
            thread.clock = Clock::new(first, local);
            if is_masked(ids.global_id, items) {
                thread.state = State::Stopped;
            }
            thread
        };
        Self { threads: (0..grid.group_len()).map(thread).collect() }
    }

    /// Runs the workgroup to its end; false when an invocation does not come to one.
    pub(super) fn run(
        &mut self,
        cx: &Context<'m>,
        memory: &mut Memory,
        outcome: &mut Outcome,
        shuffle: &mut Shuffle,
    ) -> bool {
        loop {
            let order = shuffle.order(self.threads.len() as u32);
            while self.threads.iter().any(|thread| thread.state == State::Ready) {
                for local in &order {
                    if !turn(&mut self.threads[*local as usize], cx, memory, outcome) {
                        return false;
                    }
                }
            }
            if self.advance_subgroups(cx, outcome) || self.pass_subgroup_barriers(cx) {
                continue;
            }
            if self.threads.iter().all(|thread| matches!(thread.state, State::Finished | State::Stopped)) {
                return true;
            }
            self.pass_barrier(cx, outcome);
        }
    }

    /// Lets each subgroup with lanes at a subgroup operation do one; false when there is none.
    fn advance_subgroups(&mut self, cx: &Context<'m>, outcome: &mut Outcome) -> bool {
        let mut any = false;
        for lanes in self.threads.chunks_mut(cx.width as usize) {
            if !lanes.iter().any(|lane| lane.state == State::AtSubgroup) {
                continue;
            }
            any = true;
            if let Err(error) = subgroup::advance(cx, lanes) {
                stop(&mut lanes[0], cx, &error, outcome);
            }
        }
        any
    }

    /// Lets the lanes of each subgroup go on that wait at one barrier of theirs, those furthest up in the program where they wait
    /// at different ones; false when there are none. Nobody is ready.
    fn pass_subgroup_barriers(&mut self, cx: &Context<'m>) -> bool {
        let mut any = false;
        for lanes in self.threads.chunks_mut(cx.width as usize) {
            let waits = |lane: &Thread<'_>| lane.state == State::AtBarrier(Scope::Subgroup);
            let places = lanes.iter().filter(|lane| waits(lane)).map(Thread::place);
            let Some(first) = places.min() else { continue };
            any = true;
            let mut waiting: Vec<_> = lanes.iter_mut().filter(|lane| waits(lane) && lane.place() == first).collect();
            clock::meet_some(waiting.iter_mut().map(|lane| &mut lane.clock));
            waiting.iter_mut().for_each(|lane| lane.state = State::Ready);
        }
        any
    }

    /// Lets all go on that wait at a barrier, and finds those that wait elsewhere or nowhere.
    fn pass_barrier(&mut self, cx: &Context<'m>, outcome: &mut Outcome) {
        let is_waiting = |thread: &&Thread<'_>| matches!(thread.state, State::AtBarrier(_));
        let Some(first) = self.threads.iter().find(is_waiting) else { return };
        let (place, scope) = (first.place(), first.state);
        // Panicked invocations wait for nobody, and the launch fails for another reason.
        let strays = |thread: &&Thread<'_>| match thread.state {
            State::Finished => scope == State::AtBarrier(Scope::Workgroup),
            State::AtBarrier(_) => thread.state != scope || thread.place() != place,
            _ => false,
        };
        if let Some(other) = self.threads.iter().find(strays) {
            outcome.find(FindingKind::DivergentBarrier { other: party(other, cx) }, party(first, cx));
        }
        let waiting = |thread: &&mut Thread<'_>| matches!(thread.state, State::AtBarrier(_));
        clock::meet(self.threads.iter_mut().filter(waiting).map(|thread| &mut thread.clock));
        self.threads.iter_mut().filter(waiting).for_each(|thread| thread.state = State::Ready);
    }
}

/// Lets an invocation run for a while; false when it used up its fuel.
fn turn<'m>(thread: &mut Thread<'m>, cx: &Context<'m>, memory: &mut Memory, outcome: &mut Outcome) -> bool {
    let result = thread.run(cx, memory, QUANTUM);
    let invocation = thread.ids.global_id;
    let report = |Trap { site, operands }| Report { site, operands, invocation };
    outcome.traps.extend(memory.traps.drain(..).map(report));
    outcome.prints.extend(memory.prints.drain(..).map(report));
    match result {
        Ok(()) => true,
        Err(error) => {
            stop(thread, cx, &error, outcome);
            error != InterpretError::OutOfFuel
        }
    }
}

fn stop(thread: &mut Thread<'_>, cx: &Context<'_>, error: &InterpretError, outcome: &mut Outcome) {
    thread.state = State::Stopped;
    match error {
        InterpretError::Panicked => {}
        InterpretError::OutOfFuel => outcome.find(FindingKind::OutOfFuel, party(thread, cx)),
        InterpretError::Undefined(what) => outcome.find(FindingKind::Undefined(what.clone()), party(thread, cx)),
    }
}

/// The identity of an invocation and its place in the source; without a place when it has returned.
fn party(thread: &Thread<'_>, cx: &Context<'_>) -> Party {
    let location = thread.spot().and_then(|spot| spot.location(cx.module));
    Party { invocation: thread.ids.global_id, location }
}
