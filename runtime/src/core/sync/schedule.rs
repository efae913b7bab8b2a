//! The order of submissions on a device, and of host accesses between them. It must not know what a submission is.
//!
//! Each queue numbers its submissions from 1. A submission waits until the host is done with the tensors it uses; the host
//! waits until the submissions that use a tensor are complete. Within the device, submissions overlap unless some bytes tie
//! them: then a barrier orders those of one queue, and a wait for the other's timeline those of two.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use self::ranges::{Last, Parts};
use crate::core::error::{Error, Result};

/// The most queues of one manager.
pub(crate) const MAX_QUEUES: usize = 8;

/// For each queue, submissions up to one of them; zero is none.
pub(crate) type Marks = [u64; MAX_QUEUES];

/// A submission: its queue and its number there. Number zero is complete from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Ticket {
    pub(crate) queue: usize,
    pub(crate) number: u64,
}

/// A submission as whoever submits it is told.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Submission {
    pub(crate) ticket: Ticket,
    /// Whether it must put a barrier behind all earlier work of its queue first.
    pub(crate) needs_barrier: bool,
    /// The submissions of other queues that it must wait for on the device.
    pub(crate) waits: Marks,
}

/// The submissions of one device.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// How many queues there are.
    queues: usize,
    state: Mutex<State>,
    host_done: Condvar,
    /// By queue: submissions up to this one are known to be complete; who reads that sees what they wrote.
    completed: [AtomicU64; MAX_QUEUES],
}

/// An access of a submission to some bytes of a buffer.
#[derive(Debug, Clone)]
pub(crate) struct Use<'u> {
    pub(crate) uses: &'u Uses,
    /// Counted from the first of the buffer, or [`WHOLE`].
    pub(crate) bytes: Range<u64>,
    pub(crate) is_write: bool,
}

/// All bytes of a buffer.
pub(crate) const WHOLE: Range<u64> = 0..u64::MAX;

impl<'u> Use<'u> {
    /// Of all bytes.
    #[cfg(test)]
    pub(crate) fn whole(uses: &'u Uses, is_write: bool) -> Self {
        Self { uses, bytes: WHOLE, is_write }
    }
}

#[derive(Debug, Default)]
struct State {
    submitted: Marks,
    /// How many submissions were told to wait for one of another queue.
    waiting: u64,
    /// By queue: which submissions come before all later ones of it, by a barrier for its own and by waits for others'.
    seen: [Marks; MAX_QUEUES],
}

/// The last uses of a buffer. Invariant: changed only under the lock of its schedule.
#[derive(Debug)]
pub(crate) struct Uses {
    /// By queue, as below: the last submission that wrote any of it. A write of all of it by another queue makes
    /// earlier ones count no more.
    writes: [AtomicU64; MAX_QUEUES],
    all: [AtomicU64; MAX_QUEUES],
    /// Whether some of it was used by itself since all of it was written; only then are there `parts`.
    has_parts: AtomicBool,
    parts: Mutex<Parts>,
    /// Host accesses under way: their number, or [`HOST_WRITER`].
    host: AtomicU32,
    /// How many of them last as long as their user wants: who would wait for one might wait for itself.
    views: AtomicU32,
    /// The run that has the buffer to itself, by its number; zero for none.
    holder: AtomicU64,
    /// The buffer's name, for errors.
    name: Option<Arc<str>>,
}

const HOST_WRITER: u32 = u32::MAX;

/// The number of a run that has buffers to itself; not zero, and no other run of any device has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Holder(u64);

/// The number of the next run. One for all devices: a thread that works for a run of one may submit to another.
static NEXT_HOLDER: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// The run that this thread works for; zero for none.
    static WORKS_FOR: Cell<u64> = const { Cell::new(0) };
    /// The addresses of what this thread lets a user's closure look at.
    static LOOKED_AT: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Lets this thread work for a run until the guard is dropped.
pub(crate) fn enter(holder: Holder) -> Inside {
    Inside { before: WORKS_FOR.replace(holder.0) }
}

/// While it lives, its thread works for a run.
#[derive(Debug)]
pub(crate) struct Inside {
    before: u64,
}

impl Drop for Inside {
    fn drop(&mut self) {
        WORKS_FOR.set(self.before);
    }
}

/// While it lives, a user's closure looks at a buffer on this thread. Those that begin later end before.
#[derive(Debug)]
pub(crate) struct Looking {
    /// Of this thread only.
    marker: PhantomData<*const ()>,
}

impl Drop for Looking {
    fn drop(&mut self) {
        let _ = LOOKED_AT.try_with(|all| all.borrow_mut().pop());
    }
}

/// The host's access to a buffer; the device keeps off until it is dropped.
#[derive(Debug)]
pub(crate) struct HostAccess<'a> {
    schedule: &'a Schedule,
    uses: &'a Uses,
    is_view: bool,
    /// The submissions that must be complete before the buffer is touched.
    pub(crate) after: Marks,
}

impl Default for Schedule {
    fn default() -> Self {
        Self::new(1)
    }
}

impl Schedule {
    /// Of a device with so many queues.
    pub(crate) fn new(queues: usize) -> Self {
        let (state, host_done, completed) = (Mutex::default(), Condvar::new(), Default::default());
        Self { queues: queues.clamp(1, MAX_QUEUES), state, host_done, completed }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `work` with the number of a queue's last submission, while nobody submits.
    pub(crate) fn with_submitted<R>(&self, queue: usize, work: impl FnOnce(u64) -> R) -> R {
        work(self.lock().submitted[queue])
    }

    /// How many submissions there were.
    pub(crate) fn submitted(&self) -> u64 {
        self.lock().submitted.iter().sum()
    }

    /// How many of them wait for one of another queue on the device.
    pub(crate) fn waiting(&self) -> u64 {
        self.lock().waiting
    }

    /// The marks of a new buffer. Its memory may have been another's: on each queue it counts as used by all that is complete,
    /// and nobody who could still run had it.
    pub(crate) fn new_uses(&self) -> Uses {
        let completed = || std::array::from_fn(|queue| self.completed[queue].load(Relaxed).into());
        Uses {
            writes: completed(),
            all: completed(),
            has_parts: false.into(),
            parts: Mutex::default(),
            host: 0.into(),
            views: 0.into(),
            holder: 0.into(),
            name: None,
        }
    }

    /// Whether work that uses these buffers would need a barrier if it were submitted to a queue now. Advice
    /// only: by the time it is submitted, more may have happened.
    pub(crate) fn needs_barrier<'u>(&self, queue: usize, uses: impl Iterator<Item = Use<'u>>) -> bool {
        self.missing(&self.lock(), queue, uses)[queue] > 0
    }

    /// Submits work that uses these buffers, and comes after what is `behind`. `brings_barrier` says that it
    /// begins with a barrier behind all earlier work of its queue. `submit` is told what else it must wait for.
    ///
    /// # Errors
    /// Those of `submit`, and where a view of one of the buffers lasts; nothing is noted then. `None` where a run has one of the buffers to
    /// itself: the caller lets go of what that run may need, and asks again after [`wait_until_free`](Self::wait_until_free).
    pub(crate) fn submit<'u>(
        &self,
        queue: usize,
        uses: impl Iterator<Item = Use<'u>> + Clone,
        behind: &Marks,
        brings_barrier: bool,
        submit: impl FnOnce(Submission) -> Result<()>,
    ) -> Result<Option<Ticket>> {
        let mut state = self.lock();
        while uses.clone().any(|Use { uses, is_write, .. }| uses.is_held_by_host(is_write)) {
            let mut held = uses.clone().filter(|Use { uses, is_write, .. }| uses.is_held_by_host(*is_write));
            if let Some(viewed) = held.find(|held| held.uses.is_held_by_user()) {
                return Err(viewed.uses.mapped());
            }
            state = self.host_done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if uses.clone().any(|used| used.uses.is_held_by_other()) {
            return Ok(None);
        }
        let mut waits = self.missing(&state, queue, uses.clone());
        for ((wait, behind), seen) in waits.iter_mut().zip(behind).zip(&state.seen[queue]) {
            if behind > seen {
                *wait = (*wait).max(*behind);
            }
        }
        let needs_barrier = std::mem::take(&mut waits[queue]) > 0;
        let ticket = Ticket { queue, number: state.submitted[queue] + 1 };
        submit(Submission { ticket, needs_barrier: needs_barrier && !brings_barrier, waits })?;
        if needs_barrier || brings_barrier {
            state.seen[queue][queue] = state.submitted[queue];
        }
        for (seen, wait) in state.seen[queue].iter_mut().zip(waits) {
            *seen = (*seen).max(wait);
        }
        state.submitted[queue] = ticket.number;
        state.waiting += u64::from(waits != Marks::default());
        for Use { uses, bytes, is_write } in uses {
            uses.note(self.queues, &bytes, ticket, is_write);
        }
        Ok(Some(ticket))
    }

    /// Notes that a submission, and so all before it on its queue, is complete.
    pub(crate) fn note_completed(&self, ticket: Ticket) {
        self.completed[ticket.queue].fetch_max(ticket.number, Release);
    }

    /// Whether a submission is known to be complete.
    pub(crate) fn is_completed(&self, ticket: Ticket) -> bool {
        self.completed[ticket.queue].load(Acquire) >= ticket.number
    }

    /// Takes a buffer for the host, which uses some of its bytes. The caller waits for [`HostAccess::after`] before it touches memory.
    ///
    /// # Errors
    /// The view of another part of it that lasts and that this access would wait for.
    pub(crate) fn take_for_host<'a>(
        &'a self,
        uses: &'a Uses,
        bytes: &Range<u64>,
        is_write: bool,
    ) -> Result<HostAccess<'a>> {
        let mut state = self.lock();
        let is_taken = |held: u32| if is_write { held != 0 } else { held >= HOST_WRITER - 1 };
        while is_taken(uses.host.load(Relaxed)) || uses.is_held_by_other() {
            if is_taken(uses.host.load(Relaxed)) && uses.is_held_by_user() {
                return Err(uses.mapped());
            }
            state = self.host_done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let (held, after) = match is_write {
            true => (HOST_WRITER, &uses.all),
            false => (uses.host.load(Relaxed) + 1, &uses.writes),
        };
        uses.host.store(held, Relaxed);
        let after = match uses.has_parts.load(Relaxed) {
            false => std::array::from_fn(|queue| after[queue].load(Relaxed)),
            true => {
                let mut after = Marks::default();
                for last in uses.lock_parts().of(bytes) {
                    let last = if is_write { last.all } else { last.writes };
                    after.iter_mut().zip(last).for_each(|(after, last)| *after = (*after).max(last));
                }
                after
            }
        };
        Ok(HostAccess { schedule: self, uses, is_view: false, after })
    }

    /// As [`take_for_host`](Self::take_for_host), for as long as a user wants: submissions do not wait for it, they fail.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn map_for_host<'a>(
        &'a self,
        uses: &'a Uses,
        bytes: &Range<u64>,
        is_write: bool,
    ) -> Result<HostAccess<'a>> {
        let mut access = self.take_for_host(uses, bytes, is_write)?;
        access.is_view = true;
        let state = self.lock();
        uses.views.fetch_add(1, Relaxed);
        drop(state);
        // Submissions that wait for it already have to be told.
        self.host_done.notify_all();
        Ok(access)
    }

    /// Takes buffers for a run, all at once, when no other run has any of them; tells which are new to it. A run that is started by
    /// another's call of the host belongs to that one.
    pub(crate) fn hold<'u>(&self, uses: impl Iterator<Item = &'u Uses> + Clone, mut newly: impl FnMut(bool)) -> Holder {
        let holder = match WORKS_FOR.get() {
            0 => NEXT_HOLDER.fetch_add(1, Relaxed),
            outer => outer,
        };
        let mut state = self.lock();
        while uses.clone().any(Uses::is_held_by_other) {
            state = self.host_done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        uses.for_each(|uses| newly(uses.holder.swap(holder, Relaxed) == 0));
        drop(state);
        Holder(holder)
    }

    /// Waits until no other run has any of the buffers to itself.
    pub(crate) fn wait_until_free<'u>(&self, uses: impl Iterator<Item = &'u Uses> + Clone) {
        let mut state = self.lock();
        while uses.clone().any(Uses::is_held_by_other) {
            state = self.host_done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Gives buffers of a run back to all.
    pub(crate) fn release<'u>(&self, uses: impl Iterator<Item = &'u Uses>) {
        let state = self.lock();
        uses.for_each(|uses| uses.holder.store(0, Relaxed));
        drop(state);
        self.host_done.notify_all();
    }

    /// By queue: the last submission that work of `queue` with these buffers depends on and does not come after yet.
    fn missing<'u>(&self, state: &State, queue: usize, uses: impl Iterator<Item = Use<'u>>) -> Marks {
        let (seen, mut missing) = (&state.seen[queue], Marks::default());
        let mut add = |other: usize, written: u64, used: u64| {
            // A completed write still has to be made visible; a completed read is over.
            if used > seen[other].max(self.completed[other].load(Relaxed)) {
                missing[other] = missing[other].max(used);
            }
            if written > seen[other] {
                missing[other] = missing[other].max(written);
            }
        };
        for Use { uses, bytes, is_write } in uses {
            if uses.has_parts.load(Relaxed) {
                for last in uses.lock_parts().of(&bytes) {
                    (0..self.queues)
                        .for_each(|other| add(other, last.writes[other], if is_write { last.all[other] } else { 0 }));
                }
                continue;
            }
            for other in 0..self.queues {
                let used = if is_write { uses.all[other].load(Relaxed) } else { 0 };
                add(other, uses.writes[other].load(Relaxed), used);
            }
        }
        missing
    }
}

impl Uses {
    /// The same with a name, for errors.
    pub(crate) fn named(self, name: &Arc<str>) -> Self {
        Self { name: Some(name.clone()), ..self }
    }

    /// Whether a run has the buffer to itself that this thread does not work for.
    fn is_held_by_other(&self) -> bool {
        let holder = self.holder.load(Relaxed);
        holder != 0 && holder != WORKS_FOR.get()
    }

    /// Whether the host's access lasts as long as somebody wants who may be the one who asks.
    pub(crate) fn is_held_by_user(&self) -> bool {
        let is_looked_at = |all: &RefCell<Vec<usize>>| all.borrow().contains(&std::ptr::from_ref(self).addr());
        self.views.load(Relaxed) > 0 || LOOKED_AT.try_with(is_looked_at).unwrap_or(false)
    }

    /// Notes that this thread lets a user's closure look at the buffer, until the guard is dropped.
    pub(crate) fn look_at(&self) -> Looking {
        // A destructor of another thread-local may look at a tensor when this one has run already.
        let _ = LOOKED_AT.try_with(|all| all.borrow_mut().push(std::ptr::from_ref(self).addr()));
        Looking { marker: PhantomData }
    }

    fn mapped(&self) -> Error {
        Error::TensorMapped { tensor: self.name.as_deref().unwrap_or_default().into() }
    }

    fn is_held_by_host(&self, is_write: bool) -> bool {
        match self.host.load(Relaxed) {
            0 => false,
            HOST_WRITER => true,
            _ => is_write,
        }
    }

    /// The last writes, by queue.
    pub(crate) fn written(&self) -> Marks {
        std::array::from_fn(|queue| self.writes[queue].load(Relaxed))
    }

    fn lock_parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, queues: usize, bytes: &Range<u64>, ticket: Ticket, is_write: bool) {
        let Ticket { queue, number } = ticket;
        let is_whole = *bytes == WHOLE;
        if !is_whole || self.has_parts.load(Relaxed) {
            self.note_part(bytes, ticket, is_write);
        }
        self.all[queue].store(number, Relaxed);
        if is_write {
            // It came after all that others did with the buffer: who comes after it comes after them.
            for other in (0..queues).filter(|other| is_whole && *other != queue) {
                self.all[other].store(0, Relaxed);
                self.writes[other].store(0, Relaxed);
            }
            self.writes[queue].store(number, Relaxed);
        }
    }

    /// As [`note`](Self::note), where parts are told apart, or from now on.
    #[cold]
    fn note_part(&self, bytes: &Range<u64>, ticket: Ticket, is_write: bool) {
        if is_write && *bytes == WHOLE {
            return self.has_parts.store(false, Relaxed);
        }
        let mut parts = self.lock_parts();
        if !self.has_parts.swap(true, Relaxed) {
            let of = |marks: &[AtomicU64; MAX_QUEUES]| std::array::from_fn(|queue| marks[queue].load(Relaxed));
            parts.begin(Last { writes: of(&self.writes), all: of(&self.all) });
        }
        parts.note(bytes, ticket, is_write);
    }
}

impl Drop for HostAccess<'_> {
    fn drop(&mut self) {
        let state = self.schedule.lock();
        let held = self.uses.host.load(Relaxed);
        if self.is_view {
            self.uses.views.fetch_sub(1, Relaxed);
        }
        self.uses.host.store(if held == HOST_WRITER { 0 } else { held.saturating_sub(1) }, Relaxed);
        drop(state);
        self.schedule.host_done.notify_all();
    }
}

mod ranges;
#[cfg(test)]
mod tests;
