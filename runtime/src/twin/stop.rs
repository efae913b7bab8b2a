//! The end of an invocation that panics: recorded first, then unwound to where it began, without a word on the console.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The payload that unwinds an invocation whose panic is recorded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopped;

/// Ends the running invocation.
pub(super) fn stop() -> ! {
    resume_unwind(Box::new(Stopped))
}

/// Runs one invocation of a kernel that may end with [`stop`].
pub(super) fn run_to_stop(run: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(run))
        && !payload.is::<Stopped>()
    {
        resume_unwind(payload);
    }
}
