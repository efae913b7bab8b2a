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

/// A function that is called between operations; an error is told by its text.
#[derive(Clone)]
pub(crate) struct HostCall {
    name: &'static str,
    call: Arc<dyn Fn() -> Result<(), String> + Send + Sync>,
}

impl HostCall {
    pub(crate) fn new(name: &'static str, call: impl Fn() -> Result<(), String> + Send + Sync + 'static) -> Self {
        Self { name, call: Arc::new(call) }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn call(&self) -> Result<(), String> {
        (self.call)()
    }
}

impl fmt::Debug for HostCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostCall").field("name", &self.name).finish_non_exhaustive()
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
