//! What operations do on the host around each run of their sequence.

use std::fmt;
use std::sync::Arc;

type Hook = Arc<dyn Fn() + Send + Sync>;

/// Functions to call before each submission, and after each run.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) before: Vec<Hook>,
    pub(crate) after: Vec<Hook>,
}

impl Hooks {
    pub(crate) fn append(&mut self, mut other: Self) {
        self.before.append(&mut other.before);
        self.after.append(&mut other.after);
    }

    pub(crate) fn clear(&mut self) {
        self.before.clear();
        self.after.clear();
    }
}

/// Calls hooks, in the order they were recorded.
pub(crate) fn call(hooks: &[Hook]) {
    hooks.iter().for_each(|hook| hook());
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("before", &self.before.len()).field("after", &self.after.len()).finish()
    }
}
