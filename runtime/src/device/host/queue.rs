//! The host device's queue: numbered submissions run one at a time, in order, whichever queue of the manager they were put on.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use crate::core::sync::schedule::{MAX_QUEUES, Ticket};
use crate::core::sync::tasks::{Tasks, wake_all};

/// The submissions, and which of them have run.
#[derive(Debug, Default)]
pub(crate) struct HostQueue {
    state: Mutex<State>,
    advanced: Condvar,
}

#[derive(Debug, Default)]
struct State {
    completed: u64,
    tasks: Tasks,
}

impl HostQueue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a submission on this thread when its turn comes. Each number from 1 must come exactly once.
    pub(crate) fn run(&self, number: u64, work: impl FnOnce()) {
        let mut state = self.lock();
        while state.completed + 1 != number {
            state = self.advanced.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        // The turn passes on even if the work panics.
        let _turn = Turn { queue: self, number };
        work();
    }

    /// Waits for a submission; false when the time is over first.
    pub(crate) fn wait(&self, number: u64, timeout: Option<Duration>) -> bool {
        // A deadline too far away to express is none.
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut state = self.lock();
        while state.completed < number {
            let Some(deadline) = deadline else {
                state = self.advanced.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.advanced.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Wakes `waker` once a submission is complete.
    pub(crate) fn watch(&self, key: u64, number: u64, waker: &Waker) {
        let mut state = self.lock();
        let is_complete = state.completed >= number;
        let left = if is_complete { None } else { state.tasks.set(key, Ticket { queue: 0, number }, waker.clone()) };
        drop(state);
        drop(left);
        if is_complete {
            waker.wake_by_ref();
        }
    }

    /// Forgets a task.
    pub(crate) fn forget(&self, key: u64) {
        let left = self.lock().tasks.remove(key);
        drop(left);
    }
}

struct Turn<'a> {
    queue: &'a HostQueue,
    number: u64,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.completed = self.number;
        let ready = state.tasks.take_ready(&[self.number; MAX_QUEUES]);
        drop(state);
        self.queue.advanced.notify_all();
        wake_all(ready);
    }
}
