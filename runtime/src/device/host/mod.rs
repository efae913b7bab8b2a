//! The host device: memory and kernels on the processor, with no driver.

mod memory;
mod options;
mod pages;
mod pool;
mod queue;

pub(crate) use memory::HostMemory;
pub use options::HostOptions;
pub(crate) use pages::HostPages;
pub(crate) use pool::HostPool;
pub(crate) use queue::HostQueue;

use crate::device::cache::PipelineCache;

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
