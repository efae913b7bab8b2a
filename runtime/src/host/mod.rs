//! The host device: memory and kernels on the processor, with no driver.

mod image;
mod memory;
mod queue;
mod run;
#[cfg(feature = "sanitizer")]
mod sanitizer;

pub(crate) use memory::HostMemory;
pub(crate) use queue::HostQueue;
pub(crate) use run::{HostPool, run_steps, run_timed};

use crate::cache::PipelineCache;
use crate::twin::HostOptions;

/// The host device.
#[derive(Debug, Default)]
pub(crate) struct HostDevice {
    pub(crate) options: HostOptions,
    /// Where what tuning found out is kept.
    pub(crate) cache: PipelineCache,
    pub(crate) queue: HostQueue,
    pub(crate) pool: HostPool,
    /// Whether kernels run in the interpreter, not as their twins.
    #[cfg(feature = "sanitizer")]
    pub(crate) is_sanitizer: bool,
}
