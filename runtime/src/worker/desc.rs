//! What is said of workers when they are started.

use std::ffi::OsString;
use std::time::Duration;

/// How modules run that nobody vouches for.
///
/// ```
/// use std::time::Duration;
/// use gridwise_runtime::WorkerDesc;
///
/// let desc = WorkerDesc { time_limit: Duration::from_secs(2), ..WorkerDesc::default() };
/// assert!(desc.time_limit < WorkerDesc::default().time_limit);
/// ```
#[derive(Debug, Clone)]
pub struct WorkerDesc {
    /// How long the module of a call may run, the copies back included; then the process is ended.
    pub time_limit: Duration,
    /// How long a call may take until the module can run; then the process is ended. Where the process before was ended, that takes until
    /// the system has done so and another has opened the device; always, the copies to it and the pipeline.
    pub load_limit: Duration,
    /// The process's program and its arguments; if there is none, the file of this program. Of use where that is not what was started, as
    /// below a loader: `["/lib/ld.so", "--library-path", "lib", "program"]`.
    pub command: Vec<OsString>,
}

impl Default for WorkerDesc {
    fn default() -> Self {
        Self { time_limit: Duration::from_secs(30), load_limit: Duration::from_secs(120), command: Vec::new() }
    }
}
