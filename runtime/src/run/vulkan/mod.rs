//! Recordings on Vulkan: command buffers, and what launches left in their records.

mod encoder;
mod recording;

pub(crate) use recording::Recording;
