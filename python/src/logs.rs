//! Events of `tracing` for Python's `logging`. They wait here until a thread with the interpreter's lock passes them on, because the thread
//! that logs may hold locks of the runtime.

use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

static WAITING: Mutex<Vec<(Level, String)>> = Mutex::new(Vec::new());
static IS_ANY: AtomicBool = AtomicBool::new(false);
/// Messages beyond so many are dropped, as nobody asks for them.
const MOST: usize = 10_000;

struct Logger;

/// The message of an event, and its fields behind it.
struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = &mut self.0;
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(text, "{value:?}"),
            name => write!(text, " {name}={value:?}"),
        };
    }
}

impl Subscriber for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event()
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < MOST {
            waiting.push((*event.metadata().level(), text.0));
        }
        IS_ANY.store(true, Ordering::Release);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Listens from now on, unless the program has a listener.
pub(crate) fn listen() {
    // Another module with gridwise in it has its own `tracing`; one that is loaded twice listens already.
    let _ = tracing::subscriber::set_global_default(Logger);
}

/// Passes on what was said since the last call.
pub(crate) fn flush(py: Python<'_>) {
    if !IS_ANY.swap(false, Ordering::Acquire) {
        return;
    }
    let messages = std::mem::take(&mut *WAITING.lock().unwrap_or_else(PoisonError::into_inner));
    // A logger that raises must not fail the call that was made.
    let _ = (|| -> PyResult<()> {
        let logger = py.import("logging")?.call_method1("getLogger", ("kp",))?;
        for (level, text) in messages {
            let method = match level {
                Level::ERROR => "error",
                Level::WARN => "warning",
                Level::INFO => "info",
                Level::DEBUG | Level::TRACE => "debug",
            };
            logger.call_method1(method, ("%s", text))?;
        }
        Ok(())
    })();
}
