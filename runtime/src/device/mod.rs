//! Devices: Vulkan's and the host's, their descriptions, their caches. It must not know tensors, recordings or managers.

mod address;
mod choice;
mod desc;
mod existing;
mod info;
pub(crate) mod queues;
mod shared;
mod statistics;

pub(crate) mod cache;
pub(crate) mod executable;
pub(crate) mod fma;
pub(crate) mod host;
pub(crate) mod subnormals;
pub(crate) mod vulkan;

pub use address::{DeviceUuid, NotAUuid, PciAddress};
pub use choice::DeviceChoice;
pub use desc::ManagerDesc;
pub use existing::{ExistingQueue, ExistingVulkan};
pub use info::{DeviceInfo, DeviceKind, Limits, QueueFamily, QueueKind, SubgroupLimits};
pub use queues::{QueueChoice, QueueInfo};
pub(crate) use shared::{Backend, Device};
pub use statistics::{LiveTensor, MemoryHeap, Statistics};
