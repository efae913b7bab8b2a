//! The order of submissions on a device, and of host accesses between them. It must not know what a submission is.
//!
//! Submissions are numbered from 1. A submission waits until the host is done with the tensors it uses; the host waits
//! until the submissions that use a tensor are complete. Within the device, submissions overlap unless a tensor ties them.

use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::Result;

/// The submissions of one device.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    state: Mutex<State>,
    host_done: Condvar,
    /// Submissions up to this one are known to be complete; who reads that sees what they wrote.
    completed: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    submitted: u64,
    /// Submissions up to this one come before all later ones, by a barrier that was submitted.
    ordered: u64,
}

/// Who used a buffer last. Invariant: changed only under the lock of its schedule.
#[derive(Debug)]
pub(crate) struct Uses {
    last_write: AtomicU64,
    last_use: AtomicU64,
    /// Host accesses under way: their number, or [`HOST_WRITER`].
    host: AtomicU32,
}

const HOST_WRITER: u32 = u32::MAX;

/// The host's access to a buffer; the device keeps off until it is dropped.
#[derive(Debug)]
pub(crate) struct HostAccess<'a> {
    schedule: &'a Schedule,
    uses: &'a Uses,
    /// The submission that must be complete before the buffer is touched.
    pub(crate) after: u64,
}

impl Schedule {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many submissions there were.
    pub(crate) fn submitted(&self) -> u64 {
        self.lock().submitted
    }

    /// The marks of a new buffer. Its memory may have been another's: it counts as used by all that was submitted.
    pub(crate) fn new_uses(&self) -> Uses {
        let submitted = self.lock().submitted;
        Uses { last_write: submitted.into(), last_use: submitted.into(), host: 0.into() }
    }

    /// Whether work that uses these buffers (true: writes) would need a barrier if it were submitted now. Advice only: by
    /// the time it is submitted, more may have happened.
    pub(crate) fn needs_barrier<'u>(&self, uses: impl Iterator<Item = (&'u Uses, bool)>) -> bool {
        self.lock().needs_barrier(uses, self.completed.load(Relaxed))
    }

    /// Submits work that uses these buffers (true: writes). `brings_barrier` says that it begins with a barrier behind all
    /// earlier work. `submit` is told the number, and whether it must put such a barrier itself.
    ///
    /// # Errors
    /// Those of `submit`; nothing is noted then.
    pub(crate) fn submit<'u>(
        &self,
        uses: impl Iterator<Item = (&'u Uses, bool)> + Clone,
        brings_barrier: bool,
        submit: impl FnOnce(u64, bool) -> Result<()>,
    ) -> Result<u64> {
        let mut state = self.lock();
        while uses.clone().any(|(uses, is_write)| uses.is_held_by_host(is_write)) {
            state = self.host_done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let needs_barrier = state.needs_barrier(uses.clone(), self.completed.load(Relaxed));
        let number = state.submitted + 1;
        submit(number, needs_barrier && !brings_barrier)?;
        if needs_barrier || brings_barrier {
            state.ordered = state.submitted;
        }
        state.submitted = number;
        for (uses, is_write) in uses {
            uses.last_use.store(number, Relaxed);
            if is_write {
                uses.last_write.store(number, Relaxed);
            }
        }
        Ok(number)
    }

    /// Notes that a submission, and so all before it, is complete.
    pub(crate) fn note_completed(&self, number: u64) {
        self.completed.fetch_max(number, Release);
    }

    /// Whether a submission is known to be complete.
    pub(crate) fn is_completed(&self, number: u64) -> bool {
        self.completed.load(Acquire) >= number
    }

    /// Takes a buffer for the host. The caller waits for [`HostAccess::after`] before it touches memory.
    pub(crate) fn take_for_host<'a>(&'a self, uses: &'a Uses, is_write: bool) -> HostAccess<'a> {
        let mut state = self.lock();
        let is_taken = |held: u32| if is_write { held != 0 } else { held >= HOST_WRITER - 1 };
        while is_taken(uses.host.load(Relaxed)) {
            state = self.host_done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let (held, after) = match is_write {
            true => (HOST_WRITER, uses.last_use.load(Relaxed)),
            false => (uses.host.load(Relaxed) + 1, uses.last_write.load(Relaxed)),
        };
        uses.host.store(held, Relaxed);
        HostAccess { schedule: self, uses, after }
    }
}

impl State {
    fn needs_barrier<'u>(&self, mut uses: impl Iterator<Item = (&'u Uses, bool)>, completed: u64) -> bool {
        // A completed write still has to be made visible; a completed read is over.
        let read_until = self.ordered.max(completed);
        uses.any(|(uses, is_write)| {
            uses.last_write.load(Relaxed) > self.ordered || (is_write && uses.last_use.load(Relaxed) > read_until)
        })
    }
}

impl Uses {
    fn is_held_by_host(&self, is_write: bool) -> bool {
        match self.host.load(Relaxed) {
            0 => false,
            HOST_WRITER => true,
            _ => is_write,
        }
    }
}

impl Drop for HostAccess<'_> {
    fn drop(&mut self) {
        let state = self.schedule.lock();
        let held = self.uses.host.load(Relaxed);
        self.uses.host.store(if held == HOST_WRITER { 0 } else { held.saturating_sub(1) }, Relaxed);
        drop(state);
        self.schedule.host_done.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submit(schedule: &Schedule, uses: &[(&Uses, bool)]) -> bool {
        let mut barrier = false;
        let noted = schedule.submit(uses.iter().copied(), false, |_, needs| {
            barrier = needs;
            Ok(())
        });
        noted.unwrap();
        barrier
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
    fn work_that_brings_its_barrier_serves_others_too() {
        let schedule = Schedule::default();
        let [a, b] = [(); 2].map(|()| schedule.new_uses());
        submit(&schedule, &[(&a, true)]);
        assert!(schedule.needs_barrier([(&a, false)].into_iter()));
        let mut extra = true;
        let brought = schedule.submit([(&b, true)].into_iter(), true, |_, needs| {
            extra = needs;
            Ok(())
        });
        assert!(brought.is_ok() && !extra);
        assert!(!schedule.needs_barrier([(&a, false)].into_iter()));
        assert!(schedule.needs_barrier([(&b, false)].into_iter()));
    }

    #[test]
    fn a_completed_read_is_over_but_a_completed_write_must_be_made_visible() {
        let schedule = Schedule::default();
        let [a, b] = [(); 2].map(|()| schedule.new_uses());
        submit(&schedule, &[(&a, false), (&b, true)]);
        schedule.note_completed(1);
        assert!(!submit(&schedule, &[(&a, true)]));
        assert!(submit(&schedule, &[(&b, false)]));
    }

    #[test]
    fn failed_submissions_leave_no_trace() {
        let schedule = Schedule::default();
        let a = schedule.new_uses();
        let failed = schedule
            .submit([(&a, true)].into_iter(), false, |_, _| Err(crate::Error::DeviceLost { operation: "test" }));
        assert!(failed.is_err());
        assert_eq!(schedule.take_for_host(&a, true).after, 0);
        assert_eq!(schedule.submit([(&a, true)].into_iter(), false, |_, _| Ok(())).unwrap(), 1);
    }

    #[test]
    fn the_host_reads_after_writes_and_writes_after_everything() {
        let schedule = Schedule::default();
        let a = schedule.new_uses();
        submit(&schedule, &[(&a, true)]);
        submit(&schedule, &[(&a, false)]);
        assert_eq!(schedule.take_for_host(&a, false).after, 1);
        assert_eq!(schedule.take_for_host(&a, true).after, 2);
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
}
