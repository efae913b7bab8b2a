//! The Vulkan device: all driver calls are made in this folder.

mod buffer;
mod candidate;
mod creation;
mod descriptors;
mod device;
mod encoder;
mod executables;
#[cfg(unix)]
mod external;
mod health;
mod image;
mod instance;
mod matrices;
mod ownership;
mod pieces;
mod pipeline;
mod queue;
mod recording;
mod relay;
mod sampler;
mod spirv;
mod staging;
mod texels;
mod timestamps;
mod transfer;
mod validation;
mod waiter;

pub use buffer::BufferRange;
pub(crate) use buffer::{MemoryUse, VulkanBuffer};
pub(crate) use candidate::{Candidate, Caps};
pub(crate) use device::VulkanDevice;
#[cfg(unix)]
pub use external::{SharedLayout, SharedMemory};
pub(crate) use image::VulkanImage;
pub(crate) use instance::VulkanInstance;
pub(crate) use pipeline::{Binding, Constants, Pipeline, PipelineDesc};
pub(crate) use recording::Recording;
pub(crate) use spirv::{watched, words_for};
pub(crate) use texels::TexelView;
pub(crate) use transfer::VulkanBackend;
