//! The order of submissions on a device, and of host accesses between them. It must not know what a submission is.
//!
//! Each queue numbers its submissions from 1. A submission waits until the host is done with the tensors it uses; the host
//! waits until the submissions that use a tensor are complete. Within the device, submissions overlap unless a tensor ties
//! them: then a barrier orders those of one queue, and a wait for the other's timeline those of two.

use std::cell::Cell;
use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};

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

#[derive(Debug, Default)]
struct State {
    submitted: Marks,
    /// By queue: which submissions come before all later ones of it, by a barrier for its own and by waits for others'.
    seen: [Marks; MAX_QUEUES],
}

/// Who used a buffer last. Invariant: changed only under the lock of its schedule.
#[derive(Debug)]
pub(crate) struct Uses {
    /// By queue, as below: the last submission that wrote it. What came before a write of another queue does not count any more.
    writes: [AtomicU64; MAX_QUEUES],
    all: [AtomicU64; MAX_QUEUES],
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

/// The number of a run that has buffers to itself; not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Holder(u64);

thread_local! {
    /// The run that this thread works for; zero for none.
    static WORKS_FOR: Cell<u64> = const { Cell::new(0) };
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

    /// How many submissions there were.
    pub(crate) fn submitted(&self) -> u64 {
        self.lock().submitted.iter().sum()
    }

    /// The marks of a new buffer. Its memory may have been another's: on each queue it counts as used by all that is complete,
    /// and nobody who could still run had it.
    pub(crate) fn new_uses(&self) -> Uses {
        let completed = || std::array::from_fn(|queue| self.completed[queue].load(Relaxed).into());
        Uses { writes: completed(), all: completed(), host: 0.into(), views: 0.into(), holder: 0.into(), name: None }
    }

    /// Whether work that uses these buffers (true: writes) would need a barrier if it were submitted to a queue now. Advice
    /// only: by the time it is submitted, more may have happened.
    pub(crate) fn needs_barrier<'u>(&self, queue: usize, uses: impl Iterator<Item = (&'u Uses, bool)>) -> bool {
        self.missing(&self.lock(), queue, uses)[queue] > 0
    }

    /// Submits work that uses these buffers (true: writes), and comes after what is `behind`. `brings_barrier` says that it
    /// begins with a barrier behind all earlier work of its queue. `submit` is told what else it must wait for.
    ///
    /// # Errors
    /// Those of `submit`, and where a view of one of the buffers lasts; nothing is noted then. `None` where a run has one of the buffers to itself: the caller lets go of what that
    /// run may need, and asks again after [`wait_until_free`](Self::wait_until_free).
    pub(crate) fn submit<'u>(
        &self,
        queue: usize,
        uses: impl Iterator<Item = (&'u Uses, bool)> + Clone,
        behind: &Marks,
        brings_barrier: bool,
        submit: impl FnOnce(Submission) -> Result<()>,
    ) -> Result<Option<Ticket>> {
        let mut state = self.lock();
        while uses.clone().any(|(uses, is_write)| uses.is_held_by_host(is_write)) {
            let mut held = uses.clone().filter(|(uses, is_write)| uses.is_held_by_host(*is_write));
            if let Some((viewed, _)) = held.find(|(uses, _)| uses.views.load(Relaxed) > 0) {
                return Err(Error::TensorMapped { tensor: viewed.name.as_deref().unwrap_or_default().to_owned() });
            }
            state = self.host_done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if uses.clone().any(|(uses, _)| uses.is_held_by_other()) {
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
        for (uses, is_write) in uses {
            uses.note(self.queues, ticket, is_write);
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

    /// Takes a buffer for the host. The caller waits for [`HostAccess::after`] before it touches memory.
    pub(crate) fn take_for_host<'a>(&'a self, uses: &'a Uses, is_write: bool) -> HostAccess<'a> {
        let mut state = self.lock();
        let is_taken = |held: u32| if is_write { held != 0 } else { held >= HOST_WRITER - 1 };
        while is_taken(uses.host.load(Relaxed)) || uses.is_held_by_other() {
            state = self.host_done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let (held, after) = match is_write {
            true => (HOST_WRITER, &uses.all),
            false => (uses.host.load(Relaxed) + 1, &uses.writes),
        };
        uses.host.store(held, Relaxed);
        HostAccess {
            schedule: self,
            uses,
            is_view: false,
            after: std::array::from_fn(|queue| after[queue].load(Relaxed)),
        }
    }

    /// As [`take_for_host`](Self::take_for_host), for as long as a user wants: submissions do not wait for it, they fail.
    pub(crate) fn map_for_host<'a>(&'a self, uses: &'a Uses, is_write: bool) -> HostAccess<'a> {
        let mut access = self.take_for_host(uses, is_write);
        access.is_view = true;
        let state = self.lock();
        uses.views.fetch_add(1, Relaxed);
        drop(state);
        // Who waits for it already has to be told.
        self.host_done.notify_all();
        access
    }

    /// Takes buffers for a run, all at once, when no other run has any of them; tells which are new to it. A run that is started by
    /// another's call of the host belongs to that one.
    pub(crate) fn hold<'u>(
        &self,
        new: impl FnOnce() -> u64,
        uses: impl Iterator<Item = &'u Uses> + Clone,
        mut newly: impl FnMut(bool),
    ) -> Holder {
        let holder = match WORKS_FOR.get() {
            0 => new(),
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
    fn missing<'u>(&self, state: &State, queue: usize, uses: impl Iterator<Item = (&'u Uses, bool)>) -> Marks {
        let (seen, mut missing) = (&state.seen[queue], Marks::default());
        for (uses, is_write) in uses {
            for other in 0..self.queues {
                // A completed write still has to be made visible; a completed read is over.
                let written = uses.writes[other].load(Relaxed);
                let used = if is_write { uses.all[other].load(Relaxed) } else { 0 };
                if used > seen[other].max(self.completed[other].load(Relaxed)) {
                    missing[other] = missing[other].max(used);
                }
                if written > seen[other] {
                    missing[other] = missing[other].max(written);
                }
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

    fn note(&self, queues: usize, Ticket { queue, number }: Ticket, is_write: bool) {
        self.all[queue].store(number, Relaxed);
        if is_write {
            // It came after all that others did with the buffer: who comes after it comes after them.
            for other in (0..queues).filter(|other| *other != queue) {
                self.all[other].store(0, Relaxed);
                self.writes[other].store(0, Relaxed);
            }
            self.writes[queue].store(number, Relaxed);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Submits to a queue; gives whether a barrier was asked for, and the waits.
    fn submit_to(schedule: &Schedule, queue: usize, uses: &[(&Uses, bool)]) -> (bool, Marks) {
        let mut told = None;
        let noted = schedule.submit(queue, uses.iter().copied(), &Marks::default(), false, |submission| {
            told = Some((submission.needs_barrier, submission.waits));
            Ok(())
        });
        noted.unwrap();
        told.unwrap()
    }

    fn submit(schedule: &Schedule, uses: &[(&Uses, bool)]) -> bool {
        let (barrier, waits) = submit_to(schedule, 0, uses);
        assert_eq!(waits, Marks::default(), "there is no other queue");
        barrier
    }

    fn marks(of: &[u64]) -> Marks {
        std::array::from_fn(|queue| of.get(queue).copied().unwrap_or(0))
    }

    #[test]
    fn a_barrier_only_where_a_buffer_ties_submissions() {
        let schedule = Schedule::default();
        let [a, b, c] = [(); 3].map(|()| schedule.new_uses());
        assert!(!submit(&schedule, &[(&a, false), (&b, true)]), "nothing came before");
        assert!(!submit(&schedule, &[(&a, false), (&c, true)]), "two readers of one buffer");
        assert!(submit(&schedule, &[(&b, false)]), "read after write");
        assert!(!submit(&schedule, &[(&c, false)]), "that barrier served this one too");
        assert!(submit(&schedule, &[(&a, true), (&c, true)]), "write after read");
    }

    #[test]
    fn queues_wait_for_each_other_only_where_a_buffer_ties_them() {
        let schedule = Schedule::new(3);
        let [a, b, c] = [(); 3].map(|()| schedule.new_uses());
        let none = (false, Marks::default());
        assert_eq!(submit_to(&schedule, 0, &[(&a, false), (&b, true)]), none);
        assert_eq!(submit_to(&schedule, 1, &[(&a, false), (&c, true)]), none, "two readers of one buffer");
        assert_eq!(submit_to(&schedule, 1, &[(&b, false)]), (false, marks(&[1])), "read after write");
        assert_eq!(submit_to(&schedule, 1, &[(&b, false)]), none, "it has waited for that");
        assert_eq!(
            submit_to(&schedule, 0, &[(&c, false)]),
            (false, marks(&[0, 1])),
            "for the write, not for what came later"
        );
        assert_eq!(submit_to(&schedule, 2, &[(&a, true)]), (false, marks(&[1, 1])), "write after both reads");
        assert_eq!(
            submit_to(&schedule, 1, &[(&a, false)]),
            (false, marks(&[0, 0, 1])),
            "the write stands for the reads"
        );
        assert_eq!(submit_to(&schedule, 2, &[(&a, false)]), (true, Marks::default()), "its own write takes a barrier");
    }

    #[test]
    fn hand_overs_to_and_fro_wait_each_time() {
        let schedule = Schedule::new(2);
        let a = schedule.new_uses();
        submit_to(&schedule, 0, &[(&a, true)]);
        for round in 1..5 {
            assert_eq!(submit_to(&schedule, 1, &[(&a, true)]), (false, marks(&[round])));
            assert_eq!(submit_to(&schedule, 0, &[(&a, true)]), (false, marks(&[0, round])));
        }
    }

    #[test]
    fn new_buffers_wait_for_nobody_who_runs() {
        let schedule = Schedule::new(2);
        let a = schedule.new_uses();
        submit_to(&schedule, 1, &[(&a, true)]);
        let b = schedule.new_uses();
        assert_eq!(submit_to(&schedule, 0, &[(&b, true)]), (false, Marks::default()));
        schedule.note_completed(Ticket { queue: 1, number: 1 });
        // Its memory may have been that of a buffer that queue 1 wrote.
        let c = schedule.new_uses();
        assert_eq!(submit_to(&schedule, 0, &[(&c, true)]), (false, marks(&[0, 1])));
    }

    #[test]
    fn what_is_asked_for_is_waited_for_once() {
        let schedule = Schedule::new(2);
        let [a, b] = [(); 2].map(|()| schedule.new_uses());
        submit_to(&schedule, 0, &[(&a, true)]);
        let submit = |queue| {
            let mut told = None;
            let noted = schedule.submit(queue, [(&b, false)].into_iter(), &marks(&[1]), false, |submission| {
                told = Some((submission.needs_barrier, submission.waits));
                Ok(())
            });
            noted.map(|_| told.unwrap()).unwrap()
        };
        assert_eq!(submit(1), (false, marks(&[1])));
        assert_eq!(submit(1), (false, Marks::default()));
        assert_eq!(submit(0), (true, Marks::default()));
        assert_eq!(submit(0), (false, Marks::default()));
    }

    #[test]
    fn work_that_brings_its_barrier_serves_others_too() {
        let schedule = Schedule::default();
        let [a, b] = [(); 2].map(|()| schedule.new_uses());
        submit(&schedule, &[(&a, true)]);
        assert!(schedule.needs_barrier(0, [(&a, false)].into_iter()));
        let mut extra = true;
        let brought = schedule.submit(0, [(&b, true)].into_iter(), &Marks::default(), true, |submission| {
            extra = submission.needs_barrier;
            Ok(())
        });
        assert!(brought.is_ok() && !extra);
        assert!(!schedule.needs_barrier(0, [(&a, false)].into_iter()));
        assert!(schedule.needs_barrier(0, [(&b, false)].into_iter()));
    }

    #[test]
    fn a_completed_read_is_over_but_a_completed_write_must_be_made_visible() {
        let schedule = Schedule::new(2);
        let [a, b] = [(); 2].map(|()| schedule.new_uses());
        submit(&schedule, &[(&a, false), (&b, true)]);
        schedule.note_completed(Ticket { queue: 0, number: 1 });
        assert_eq!(submit_to(&schedule, 1, &[(&a, true)]), (false, Marks::default()));
        assert_eq!(submit_to(&schedule, 1, &[(&b, false)]), (false, marks(&[1])));
        assert_eq!(submit_to(&schedule, 0, &[(&b, false)]), (true, Marks::default()));
    }

    #[test]
    fn failed_submissions_leave_no_trace() {
        let schedule = Schedule::default();
        let a = schedule.new_uses();
        let none = Marks::default();
        let failed = schedule
            .submit(0, [(&a, true)].into_iter(), &none, false, |_| Err(crate::Error::DeviceLost { operation: "test" }));
        assert!(failed.is_err());
        assert_eq!(schedule.take_for_host(&a, true).after, none);
        assert_eq!(schedule.submit(0, [(&a, true)].into_iter(), &none, false, |_| Ok(())).unwrap().unwrap().number, 1);
    }

    #[test]
    fn the_host_reads_after_writes_and_writes_after_everything() {
        let schedule = Schedule::new(2);
        let a = schedule.new_uses();
        submit_to(&schedule, 0, &[(&a, true)]);
        submit_to(&schedule, 1, &[(&a, false)]);
        submit_to(&schedule, 0, &[(&a, false)]);
        assert_eq!(schedule.take_for_host(&a, false).after, marks(&[1]));
        assert_eq!(schedule.take_for_host(&a, true).after, marks(&[2, 1]));
    }

    #[test]
    fn submissions_wait_for_the_host() {
        let schedule = Schedule::default();
        let a = schedule.new_uses();
        let reader = schedule.take_for_host(&a, false);
        assert!(!submit(&schedule, &[(&a, false)]), "both read");
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| submit(&schedule, &[(&a, true)]));
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert!(!writer.is_finished());
            drop(reader);
            assert!(writer.join().unwrap());
        });
    }

    #[test]
    fn submissions_do_not_wait_for_views() {
        let schedule = Schedule::default();
        let (a, b) = (schedule.new_uses().named(&Arc::from("a")), schedule.new_uses());
        let submit = |uses: &Uses, is_write| {
            schedule.submit(0, [(uses, is_write)].into_iter(), &Marks::default(), false, |_| Ok(()))
        };
        let view = schedule.map_for_host(&a, false);
        let refused = submit(&a, true);
        assert!(matches!(refused, Err(Error::TensorMapped { tensor }) if tensor == "a"));
        submit(&a, false).unwrap();
        submit(&b, true).unwrap();
        drop(view);
        submit(&a, true).unwrap();
        let view = schedule.map_for_host(&a, true);
        assert!(submit(&a, false).is_err());
        drop(view);
        submit(&a, false).unwrap();
    }

    #[test]
    fn a_run_has_its_buffers_to_itself() {
        let schedule = Schedule::default();
        let [a, b] = [(); 2].map(|()| schedule.new_uses());
        let hold = |number, uses: &[&Uses]| {
            let mut newly = Vec::new();
            (schedule.hold(|| number, uses.iter().copied(), |is_new| newly.push(is_new)), newly)
        };
        let (holder, newly) = hold(7, &[&a]);
        assert_eq!(newly, [true]);
        {
            let _inside = enter(holder);
            submit(&schedule, &[(&a, true)]);
            assert_eq!(schedule.take_for_host(&a, true).after, marks(&[1]));
            let (inner, newly) = hold(8, &[&a, &b]);
            assert_eq!((inner, newly), (holder, vec![false, true]));
            schedule.release([&b].into_iter());
        }
        submit(&schedule, &[(&b, true)]);
        std::thread::scope(|scope| {
            let others = [
                scope.spawn(|| schedule.wait_until_free([&a].into_iter())),
                scope.spawn(|| drop(schedule.take_for_host(&a, false))),
                scope.spawn(|| {
                    assert_eq!(hold(9, &[&b, &a]).1, [true, true]);
                    // Whoever of the others comes later than this one waits for it.
                    schedule.release([&b, &a].into_iter());
                }),
            ];
            std::thread::sleep(std::time::Duration::from_millis(20));
            let refused = schedule.submit(0, [(&a, false)].into_iter(), &Marks::default(), false, |_| Ok(()));
            assert_eq!(refused.unwrap(), None);
            assert!(others.iter().all(|other| !other.is_finished()));
            schedule.release([&a].into_iter());
        });
    }

    /// Queue, uses, and which earlier submissions come before it.
    type Submitted = (usize, Vec<(usize, bool)>, Vec<bool>);

    /// Random submissions to three queues, against a model that knows for each pair of submissions whether one comes after the
    /// other: all that share a buffer must, and a wait is asked for only where it adds to that.
    #[test]
    fn random_submissions_are_ordered_exactly_where_they_share() {
        let mut seed = 12_345u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..200 {
            let schedule = Schedule::new(3);
            let buffers: Vec<Uses> = (0..4).map(|_| schedule.new_uses()).collect();
            let mut all: Vec<Submitted> = Vec::new();
            // By queue: what comes before all its later submissions.
            let mut before: Vec<Vec<bool>> = vec![Vec::new(); 3];
            for at in 0..40 {
                let queue = random(3) as usize;
                let mut uses: Vec<(usize, bool)> =
                    (0..1 + random(2)).map(|_| (random(4) as usize, random(3) == 0)).collect();
                uses.sort_unstable_by_key(|(buffer, is_write)| (*buffer, !is_write));
                uses.dedup_by_key(|(buffer, _)| *buffer);
                let named: Vec<_> = uses.iter().map(|(buffer, is_write)| (&buffers[*buffer], *is_write)).collect();
                let (barrier, waits) = submit_to(&schedule, queue, &named);
                before[queue].resize(at, false);
                let conflicts = |earlier: &Submitted| {
                    let meets = |(a, wa): &(usize, bool)| uses.iter().any(|(b, wb)| a == b && (*wa || *wb));
                    earlier.1.iter().any(meets)
                };
                let must: Vec<bool> = all.iter().map(conflicts).collect();
                let numbers: Vec<u64> = (0..at)
                    .map(|index| all[..=index].iter().filter(|(other, ..)| *other == all[index].0).count() as u64)
                    .collect();
                for index in 0..at {
                    let other = all[index].0;
                    if (other == queue && barrier) || (other != queue && numbers[index] <= waits[other]) {
                        before[queue][index] = true;
                        for (earlier, comes_before) in all[index].2.iter().enumerate() {
                            before[queue][earlier] |= *comes_before;
                        }
                    }
                }
                for index in 0..at {
                    assert!(!must[index] || before[queue][index], "{at} shares with {index} and may overlap it");
                }
                for other in (0..3).filter(|other| waits[*other] > 0) {
                    let ties = (0..at).any(|index| all[index].0 == other && must[index]);
                    assert!(ties, "{at} waits for queue {other} and shares nothing with it");
                }
                assert!(!barrier || (0..at).any(|index| all[index].0 == queue && must[index]));
                all.push((queue, uses, before[queue].clone()));
            }
        }
    }
}
