//! The Vulkan device: all driver calls are made in this folder.

mod bridge;
pub(crate) mod buffer;
mod candidate;
mod creation;
pub(crate) mod descriptors;
pub(crate) mod device;
mod executables;
#[cfg(unix)]
mod external;
mod foreign;
mod host_pointer;
mod image;
mod instance;
mod matrices;
mod ownership;
mod pieces;
pub(crate) mod pipeline;
mod probe;
mod queue;
mod relay;
mod sampler;
mod spirv;
mod staging;
mod texels;
pub(crate) mod timestamps;
mod transfer;
mod usages;
mod validation;
mod waiter;

#[cfg(unix)]
pub(crate) use bridge::Reach;
pub(crate) use bridge::{Bridge, Side, Span};
pub use buffer::BufferRange;
pub(crate) use buffer::{MemoryUse, VulkanBuffer};
pub(crate) use candidate::{Candidate, Caps};
pub(crate) use device::VulkanDevice;
#[cfg(unix)]
pub use external::{SharedLayout, SharedMemory};
pub(crate) use foreign::{Across, ForeignWait};
pub(crate) use image::VulkanImage;
pub(crate) use instance::VulkanInstance;
pub(crate) use ownership::SharedBuffers;
pub(crate) use pipeline::{Binding, Constants, Pipeline, PipelineDesc};
pub(crate) use probe::run_probe;
pub(crate) use spirv::{addressed, buffered, watched, words_for};
pub(crate) use texels::TexelView;
pub(crate) use transfer::{Place, Target, VulkanBackend};
