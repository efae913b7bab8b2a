//! Vector clocks: each invocation's knowledge of the others' progress, which tells ordered accesses from concurrent
//! ones.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::ir::Order;

/// For invocations by their number in the launch: the time up to which all they did is known.
pub(super) type Times = BTreeMap<u32, u32>;

/// The knowledge of one invocation.
#[derive(Debug, Clone, Default)]
pub(super) struct Clock {
    /// Its number in the launch.
    pub(super) number: u32,
    /// Its own time: rises where others may learn of what it did.
    pub(super) time: u32,
    /// Number of the workgroup's first invocation, and the times of all of them at the last barrier.
    first: u32,
    group: Rc<[u32]>,
    /// Times learnt since, of any invocation.
    learnt: Times,
    /// The times that its last releasing fence covers, for atomic writes behind it.
    released: Option<Times>,
    /// The times that its relaxed atomic reads saw, for an acquiring fence behind them.
    seen: Times,
}

/// A barrier of a workgroup: all who were there know the same of the others.
#[derive(Debug, Clone)]
pub(super) struct Meeting {
    first: u32,
    group: Rc<[u32]>,
}

/// Takes the later of both times.
pub(super) fn join(times: &mut Times, other: &Times) {
    for (&number, &time) in other {
        let known = times.entry(number).or_insert(time);
        *known = (*known).max(time);
    }
}

impl Clock {
    /// The clock of an invocation at the start of its workgroup.
    pub(super) fn new(first: u32, local: u32) -> Self {
        Self { number: first + local, first, ..Self::default() }
    }

    /// Whether all that the invocation did up to and including `time` is known.
    pub(super) fn knows(&self, number: u32, time: u32) -> bool {
        self.met(number, time) || self.learnt.get(&number).is_some_and(|known| *known > time)
    }

    /// The same, of the invocation itself, too.
    pub(super) fn knows_of(&self, number: u32, time: u32) -> bool {
        number == self.number || self.knows(number, time)
    }

    /// Whether the last barrier alone tells of all that the invocation did up to and including `time`.
    pub(super) fn met(&self, number: u32, time: u32) -> bool {
        let at_barrier = number.checked_sub(self.first).and_then(|local| self.group.get(local as usize));
        at_barrier.is_some_and(|known| *known > time)
    }

    /// The last barrier.
    pub(super) fn meeting(&self) -> Meeting {
        Meeting { first: self.first, group: self.group.clone() }
    }

    /// Whether this is the last barrier.
    pub(super) fn was_at(&self, meeting: &Meeting) -> bool {
        self.first == meeting.first && Rc::ptr_eq(&self.group, &meeting.group)
    }

    fn everything(&self) -> Times {
        let group = (self.first..).zip(self.group.iter().copied()).filter(|(_, time)| *time > 0);
        let mut all: Times = group.collect();
        join(&mut all, &self.learnt);
        all.insert(self.number, self.time + 1);
        all
    }

    /// The times that others learn if they acquire a release made now. Later accesses are not among them.
    fn release(&mut self) -> Times {
        let all = self.everything();
        self.time += 1;
        all
    }

    /// The times that an atomic write of this order passes on, if any.
    pub(super) fn on_write(&mut self, order: Order) -> Option<Times> {
        if order.releases() { Some(self.release()) } else { self.released.clone() }
    }

    /// An atomic read of this order, of a cell that passes on `times`.
    pub(super) fn on_read(&mut self, order: Order, times: &Times) {
        join(if order.acquires() { &mut self.learnt } else { &mut self.seen }, times);
    }

    /// A fence.
    pub(super) fn fence(&mut self, order: Order) {
        if order.acquires() {
            let seen = std::mem::take(&mut self.seen);
            join(&mut self.learnt, &seen);
        }
        if order.releases() {
            self.released = Some(self.release());
        }
    }
}

/// A barrier of a whole workgroup: all know what all did.
pub(super) fn meet<'c>(clocks: impl Iterator<Item = &'c mut Clock>) {
    let mut clocks: Vec<_> = clocks.collect();
    let mut learnt = Times::new();
    let mut group = clocks.first().map_or(Vec::new(), |clock| clock.group.to_vec());
    for clock in &mut clocks {
        join(&mut learnt, &clock.learnt);
        let local = (clock.number - clock.first) as usize;
        if group.len() <= local {
            group.resize(local + 1, 0);
        }
        group[local] = clock.time + 1;
        clock.time += 1;
    }
    let group: Rc<[u32]> = group.into();
    for clock in clocks {
        clock.group = group.clone();
        clock.learnt = learnt.clone();
    }
}

/// A barrier of a subgroup.
pub(super) fn meet_some<'c>(clocks: impl Iterator<Item = &'c mut Clock>) {
    let mut clocks: Vec<_> = clocks.collect();
    let mut learnt = Times::new();
    for clock in &mut clocks {
        join(&mut learnt, &clock.learnt);
        learnt.insert(clock.number, clock.time + 1);
        clock.time += 1;
    }
    for clock in clocks {
        join(&mut clock.learnt, &learnt);
    }
}
