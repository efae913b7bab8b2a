//! What orders work: hazards and order within a recording, and the schedule of submissions, who waits for them. No Vulkan calls here.

pub(crate) mod hazard;
pub(crate) mod levels;
pub(crate) mod schedule;
pub(crate) mod tasks;
