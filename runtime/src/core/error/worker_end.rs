//! The end of a worker process, in the words of errors.

use std::time::Duration;

/// How a worker ended.
///
/// ```
/// use gridwise::WorkerEnd;
///
/// assert_eq!(WorkerEnd::Signal(11).to_string(), "was ended by signal 11 (SIGSEGV)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkerEnd {
    /// By a signal, as a driver that crashes does.
    Signal(i32),
    /// With an exit status.
    Exit(i32),
    /// It did not answer in this time, and was killed.
    TimeLimit(Duration),
    /// It closed its line, as one does that ends, but the system still had it a minute later: a driver may keep a process until its
    /// device has done what it was told.
    Unfinished,
}

impl WorkerEnd {
    /// The advice for a worker that was ended for its time, behind other advice.
    pub(super) fn more_time(&self, doing: &str) -> &'static str {
        match (self, doing) {
            (Self::TimeLimit(_), "loading") => " or set a longer `load_limit`",
            (Self::TimeLimit(_), _) => " or set a longer `time_limit`",
            _ => "",
        }
    }
}

impl std::fmt::Display for WorkerEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Signal(number) => {
                write!(f, "was ended by signal {number}")?;
                // The same on all systems.
                let name = match number {
                    4 => " (SIGILL)",
                    6 => " (SIGABRT)",
                    8 => " (SIGFPE)",
                    9 => " (SIGKILL)",
                    11 => " (SIGSEGV)",
                    15 => " (SIGTERM)",
                    _ => "",
                };
                f.write_str(name)
            }
            Self::Exit(status) => write!(f, "ended with status {status}"),
            Self::TimeLimit(limit) => write!(f, "took more than {limit:?} and was ended"),
            Self::Unfinished => f.write_str("stopped answering, and the system has not ended it yet"),
        }
    }
}
