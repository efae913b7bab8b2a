//! A run of a sequence that is under way.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::error::Result;
use crate::print::LaunchPrints;
use crate::profile::Spans;
use crate::sequence::Inner;

/// A run of a sequence; made by [`Sequence::eval_async`](crate::Sequence::eval_async).
///
/// Dropping it does not stop the run, nor wait for it: the sequence keeps everything alive until the device is done.
#[must_use = "the run goes on by itself, but nobody will see its errors"]
pub struct Evaluation {
    sequence: Arc<Inner>,
    number: u64,
    outcome: Arc<Outcome>,
}

/// How a run ended. The first failure counts.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    result: Mutex<Option<Result<()>>>,
    /// What its launches printed and nobody has been told yet.
    printed: Mutex<Vec<LaunchPrints>>,
    /// When its operations ran, if that was asked for.
    times: Mutex<Option<Result<Spans>>>,
}

impl Outcome {
    /// The outcome of nothing.
    pub(crate) fn settled() -> Self {
        Self { result: Mutex::new(Some(Ok(()))), ..Self::default() }
    }

    /// Notes how the run ended, unless a failure is noted already.
    pub(crate) fn set(&self, new: Result<()>) {
        let mut result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(&*result, Some(Err(_))) {
            *result = Some(new);
        }
    }

    /// Adds what launches printed.
    pub(crate) fn add_prints(&self, mut printed: Vec<LaunchPrints>) {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner).append(&mut printed);
    }

    /// What launches printed since the last call.
    pub(crate) fn take_prints(&self) -> Vec<LaunchPrints> {
        std::mem::take(&mut *self.printed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes when the operations ran.
    pub(crate) fn set_times(&self, times: Result<Spans>) {
        *self.times.lock().unwrap_or_else(PoisonError::into_inner) = Some(times);
    }

    /// When the operations ran, once.
    pub(crate) fn take_times(&self) -> Option<Result<Spans>> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// How the run ended.
    pub(crate) fn result(&self) -> Result<()> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or(Ok(()))
    }
}

impl Evaluation {
    pub(crate) fn new(sequence: Arc<Inner>, number: u64, outcome: Arc<Outcome>) -> Self {
        Self { sequence, number, outcome }
    }

    /// Waits until the run is complete.
    ///
    /// # Errors
    /// When a kernel panicked, or the device failed.
    pub fn wait(self) -> Result<()> {
        self.sequence.shared.wait(self.number)?;
        self.sequence.settle(self.number);
        self.outcome.result()
    }

    /// Waits until the run is complete or the time is over: true when it is complete.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn wait_timeout(&self, timeout: Duration) -> Result<bool> {
        if !self.sequence.shared.wait_timeout(self.number, Some(timeout))? {
            return Ok(false);
        }
        self.sequence.settle(self.number);
        self.outcome.result().map(|()| true)
    }

    /// Whether the run is complete.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn is_complete(&self) -> Result<bool> {
        self.wait_timeout(Duration::ZERO)
    }
}

impl fmt::Debug for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evaluation").field("number", &self.number).finish_non_exhaustive()
    }
}
