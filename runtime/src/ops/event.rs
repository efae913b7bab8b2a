//! Operations that set events, and wait for them.

use super::{Access, Op, Recorder};
use crate::error::Result;
use crate::event::Event;

/// Sets an [`Event`] each time its sequence is started; who waits for it waits for the whole run, or, where the sequence calls the
/// host, for the part before the next [`OpHost`](super::OpHost).
#[derive(Debug, Clone)]
pub struct OpSignal {
    event: Event,
}

/// Lets the run, or where the sequence calls the host the part behind the last [`OpHost`](super::OpHost), begin when what signalled an
/// [`Event`] last is complete.
#[derive(Debug, Clone)]
pub struct OpWait {
    event: Event,
}

impl OpSignal {
    /// Sets `event`.
    pub fn new(event: &Event) -> Self {
        Self { event: event.clone() }
    }
}

impl OpWait {
    /// Waits for `event`.
    pub fn new(event: &Event) -> Self {
        Self { event: event.clone() }
    }
}

impl Op for OpSignal {
    fn name(&self) -> &str {
        "signal"
    }

    fn accesses(&self) -> Vec<Access> {
        Vec::new()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        recorder.signal(&self.event)
    }
}

impl Op for OpWait {
    fn name(&self) -> &str {
        "wait"
    }

    fn accesses(&self) -> Vec<Access> {
        Vec::new()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        recorder.wait_for(&self.event)
    }
}
