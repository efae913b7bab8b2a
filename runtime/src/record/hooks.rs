//! Hooks: the work of operations on the host before and after each run of their sequence.

use std::cell::RefCell;
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::thread::{self, ThreadId};

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
    /// The only thread that may call it, if there is one.
    thread: Option<ThreadId>,
    call: Arc<dyn Fn() -> Result<(), String> + Send + Sync>,
}

impl HostCall {
    pub(crate) fn new(name: &'static str, call: impl Fn() -> Result<(), String> + Send + Sync + 'static) -> Self {
        Self { name, thread: None, call: Arc::new(call) }
    }

    /// A call that stays on this thread.
    pub(crate) fn local(name: &'static str, call: impl Fn() -> Result<(), String> + 'static) -> Self {
        let local = Local { thread: thread::current().id(), call: ManuallyDrop::new(call) };
        Self { name, thread: Some(local.thread), call: Arc::new(move || local.call()) }
    }

    /// Whether a thread may call it.
    pub(crate) fn may_run_on(&self, thread: ThreadId) -> bool {
        self.thread.is_none_or(|only| only == thread)
    }

    /// Whether it stays on one thread.
    pub(crate) fn is_local(&self) -> bool {
        self.thread.is_some()
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn call(&self) -> Result<(), String> {
        (self.call)()
    }
}

/// A function that only its own thread calls and drops.
struct Local<F> {
    thread: ThreadId,
    call: ManuallyDrop<F>,
}

// SAFETY: each access to the function is behind a check that this is its thread; numbers of threads are never used again.
unsafe impl<F> Send for Local<F> {}
// SAFETY: likewise.
unsafe impl<F> Sync for Local<F> {}

impl<F: Fn() -> Result<(), String>> Local<F> {
    fn call(&self) -> Result<(), String> {
        if thread::current().id() != self.thread {
            return Err("it stays on the thread that recorded it".to_owned());
        }
        (self.call)()
    }
}

impl<F> Drop for Local<F> {
    fn drop(&mut self) {
        if thread::current().id() == self.thread {
            // SAFETY: its own thread, once.
            unsafe { ManuallyDrop::drop(&mut self.call) };
        } else {
            tracing::warn!("a host call that stays on its thread was dropped on another one: what it holds is leaked");
        }
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
