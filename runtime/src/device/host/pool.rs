//! The threads of the host device.

use std::sync::OnceLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads of a host device; started by the first launch that is large enough.
#[derive(Debug, Default)]
pub(crate) struct HostPool {
    pool: OnceLock<Option<ThreadPool>>,
}

impl HostPool {
    /// The threads, if they could be started.
    pub(crate) fn get(&self) -> Option<&ThreadPool> {
        // Without threads the caller does all the work.
        let build = || ThreadPoolBuilder::new().thread_name(|index| format!("gridwise-host-{index}")).build().ok();
        self.pool.get_or_init(build).as_ref()
    }
}
