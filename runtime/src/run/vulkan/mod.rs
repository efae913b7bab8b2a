//! Recordings on Vulkan: command buffers, and what launches left in their records.

mod blocks;
mod decisions;
mod encoder;
mod recording;
mod signature;

pub(crate) use recording::Recording;
