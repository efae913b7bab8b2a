//! The gridwise runtime: `Manager`, `Tensor`, `Sequence`, `Algorithm`, on Vulkan or on the host device.
