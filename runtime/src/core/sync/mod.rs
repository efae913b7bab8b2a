//! The order of work: hazards within a recording, and the schedule of submissions, with the ones that each waits for.
//! No Vulkan calls here.

pub(crate) mod hazard;
pub(crate) mod levels;
pub(crate) mod schedule;
pub(crate) mod tasks;
