//! Devices: Vulkan's and the host's, their descriptions, their caches. It must not know tensors, recordings or managers.

mod address;
mod caches;
mod choice;
mod desc;
mod existing;
mod info;
pub(crate) mod queues;
mod state;
mod statistics;

pub(crate) mod cache;
pub(crate) mod executable;
pub(crate) mod host;
pub(crate) mod image_layout;
pub(crate) mod native;
pub(crate) mod subnormals;
pub(crate) mod vulkan;

pub use address::{DeviceUuid, NotAUuid, PciAddress};
pub use choice::DeviceChoice;
pub use desc::ManagerDesc;
pub use existing::{ExistingQueue, ExistingVulkan};
pub(crate) use info::MAX_PUSH_BYTES;
pub use info::{DeviceInfo, DeviceKind, Limits, QueueFamily, QueueKind, SubgroupLimits};
pub use queues::{QueueChoice, QueueInfo};
pub(crate) use state::{Backend, Device};
pub use statistics::{LiveTensor, MemoryHeap, Statistics};

/// The largest alignment that an element has, in bytes: all memory of tensors begins at a multiple of it.
pub(crate) const MAX_ALIGNMENT: u64 = 16;
