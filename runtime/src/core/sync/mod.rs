//! The order of work: hazards within a recording, and the schedule of submissions, with the ones that each waits for.
//! No Vulkan calls here.
//!
//! Each queue has a timeline of its own. Buffers are shared by all families (`CONCURRENT`), so that no ownership moves
//! between queues. The host device runs all submissions in one order.

pub(crate) mod hazard;
pub(crate) mod levels;
pub(crate) mod numbering;
mod pasts;
pub(crate) mod schedule;
pub(crate) mod tasks;
