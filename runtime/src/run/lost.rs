//! Notes for the day a device is lost: the sequences that exist, and the evaluations that nobody was told about.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

use crate::run::sequence::Inner;

/// An evaluation of which nobody knows how far it came.
///
/// ```
/// use gridwise::{LostEvaluation, Recovery};
///
/// /// Whether the contents of what `kernel` writes may be half old, half new.
/// fn is_suspect(recovery: &Recovery, kernel: &str) -> bool {
///     let names = |lost: &LostEvaluation| lost.operations.iter().any(|name| name == kernel);
///     recovery.lost_evaluations().iter().any(names)
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostEvaluation {
    /// The names of its operations, in order.
    pub operations: Vec<String>,
}

/// The notes on a device for the day it is lost.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    /// The sequences that exist.
    sequences: Mutex<HashMap<u64, Weak<Inner>>>,
    /// Evaluations that were lost with their sequences.
    unreported: Mutex<Vec<LostEvaluation>>,
}

impl Journal {
    fn sequences(&self) -> MutexGuard<'_, HashMap<u64, Weak<Inner>>> {
        self.sequences.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, id: u64, sequence: Weak<Inner>) {
        self.sequences().insert(id, sequence);
    }

    pub(crate) fn remove(&self, id: u64) {
        self.sequences().remove(&id);
    }

    /// Notes an evaluation that nobody will be told about otherwise.
    pub(crate) fn report(&self, evaluation: LostEvaluation) {
        self.unreported.lock().unwrap_or_else(PoisonError::into_inner).push(evaluation);
    }

    /// The evaluations that nobody was told about: each once.
    pub(crate) fn take_lost(&self) -> Vec<LostEvaluation> {
        let mut alive: Vec<_> = self.sequences().iter().filter_map(|(id, weak)| Some((*id, weak.upgrade()?))).collect();
        alive.sort_unstable_by_key(|(id, _)| *id);
        // Not under the lock: the last of a sequence may go here.
        let running: Vec<_> = alive.iter().filter_map(|(_, sequence)| sequence.take_lost()).collect();
        let mut lost = std::mem::take(&mut *self.unreported.lock().unwrap_or_else(PoisonError::into_inner));
        lost.extend(running);
        lost
    }
}
