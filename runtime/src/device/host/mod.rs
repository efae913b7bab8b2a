//! The host device: memory and kernels on the processor, with no driver.

mod memory;
mod queue;

pub(crate) use memory::HostMemory;
pub(crate) use queue::HostQueue;

use crate::device::cache::PipelineCache;
use crate::run::host::HostPool;
use crate::twin::HostOptions;

/// The host device.
#[derive(Debug, Default)]
pub(crate) struct HostDevice {
    pub(crate) options: HostOptions,
    /// The cache for the choices of tuning.
    pub(crate) cache: PipelineCache,
    pub(crate) queue: HostQueue,
    pub(crate) pool: HostPool,
    /// Whether kernels run in the interpreter, not as their twins.
    #[cfg(feature = "sanitizer")]
    pub(crate) is_sanitizer: bool,
}
