//! What orders work: hazards within a recording, and the schedule of submissions. No Vulkan calls here.

pub(crate) mod hazard;
pub(crate) mod schedule;
