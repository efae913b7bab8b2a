//! What orders work: hazards within a recording, and the schedule of submissions, who waits for them. No Vulkan calls here.

pub(crate) mod hazard;
pub(crate) mod schedule;
pub(crate) mod tasks;
