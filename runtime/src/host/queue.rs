//! The host device's queue: numbered submissions run one at a time, in order.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Which submissions have run.
#[derive(Debug, Default)]
pub(crate) struct HostQueue {
    completed: Mutex<u64>,
    advanced: Condvar,
}

impl HostQueue {
    fn lock(&self) -> MutexGuard<'_, u64> {
        self.completed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a submission on this thread when its turn comes. Each number from 1 must come exactly once.
    pub(crate) fn run(&self, number: u64, work: impl FnOnce()) {
        let mut completed = self.lock();
        while *completed + 1 != number {
            completed = self.advanced.wait(completed).unwrap_or_else(PoisonError::into_inner);
        }
        drop(completed);
        // The turn passes on even if the work panics.
        let _turn = Turn { queue: self, number };
        work();
    }

    /// Waits for a submission; false when the time is over first.
    pub(crate) fn wait(&self, number: u64, timeout: Option<Duration>) -> bool {
        // A deadline too far away to express is none.
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut completed = self.lock();
        while *completed < number {
            let Some(deadline) = deadline else {
                completed = self.advanced.wait(completed).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            completed = self.advanced.wait_timeout(completed, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

struct Turn<'a> {
    queue: &'a HostQueue,
    number: u64,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.queue.lock() = self.number;
        self.queue.advanced.notify_all();
    }
}
