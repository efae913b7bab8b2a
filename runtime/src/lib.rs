//! The gridwise runtime: `Manager`, `Tensor`, `Sequence`, `Algorithm`, on Vulkan or on the host device.

pub mod data;
pub mod kernel;
pub mod twin;
