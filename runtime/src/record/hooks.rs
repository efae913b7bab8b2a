//! Hooks: the work of operations on the host before and after each run of their sequence.

use std::cell::RefCell;
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

thread_local! {
    /// The sequences whose hooks this thread is in.
    static INSIDE: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Calls hooks of the sequence at an address, in the order they were recorded.
pub(crate) fn call(sequence: usize, hooks: &[Hook]) {
    struct Inside;
    impl Drop for Inside {
        fn drop(&mut self) {
            let _ = INSIDE.try_with(|inside| inside.borrow_mut().pop());
        }
    }
    if hooks.is_empty() {
        return;
    }
    // There is no such list where a thread ends.
    let _ = INSIDE.try_with(|inside| inside.borrow_mut().push(sequence));
    let _inside = Inside;
    hooks.iter().for_each(|hook| hook());
}

/// Whether this is called by a hook of the sequence at an address, which would be called again by each run that it starts.
pub(crate) fn is_inside(sequence: usize) -> bool {
    INSIDE.try_with(|inside| inside.borrow().contains(&sequence)).unwrap_or(false)
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("before", &self.before.len()).field("after", &self.after.len()).finish()
    }
}
