//! The end of an invocation that panics: recorded first, then unwound to where it began, without a word on the console.

use std::any::Any;
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

/// Gives each number below `count` to `turn`, and those of invocations that end with [`stop`] to `stopped`, too. Another panic ends it.
#[inline]
pub(super) fn take_turns<S>(
    count: usize,
    state: &mut S,
    mut turn: impl FnMut(&mut S, usize),
    mut stopped: impl FnMut(&mut S, usize),
) -> Result<(), Box<dyn Any + Send>> {
    let mut next = 0;
    loop {
        // One `catch_unwind` for all turns: only a panic, which is rare, needs another.
        let run = || {
            while next < count {
                next += 1;
                turn(state, next - 1);
            }
        };
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(()) => return Ok(()),
            Err(payload) if payload.is::<Stopped>() => stopped(state, next - 1),
            Err(payload) => return Err(payload),
        }
    }
}
