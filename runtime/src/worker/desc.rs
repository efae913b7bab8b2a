//! The description of workers, given when they are started.

use std::ffi::OsString;
use std::time::Duration;

/// How modules run that nobody vouches for.
///
/// ```
/// use std::time::Duration;
/// use gridwise::WorkerDesc;
///
/// let desc = WorkerDesc { time_limit: Duration::from_secs(2), ..WorkerDesc::default() };
/// assert!(desc.time_limit < WorkerDesc::default().time_limit);
/// ```
#[derive(Debug, Clone)]
pub struct WorkerDesc {
    /// How long the module of a call may run, the copies back included; then the process is ended.
    pub time_limit: Duration,
    /// The longest time of a call until the module can run; then the process is ended. It includes the copies to the
    /// process and the pipeline. After a process that was ended it also includes the time until the system has done so
    /// and another process has opened the device.
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
