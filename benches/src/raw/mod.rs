//! Vulkan by hand, for the peers' side: as little of it as a program can do with.

mod buffer;
mod device;
mod pipelines;
mod reference;

use ash::vk;

pub use buffer::RawBuffer;
pub use device::RawDevice;
pub use pipelines::PipelineTimer;
pub use reference::{Reference, Stage};

use crate::Error;

/// Names the call that failed.
pub fn vulkan(call: &'static str) -> impl FnOnce(vk::Result) -> Error {
    move |result| Error::Vulkan { call, result }
}
