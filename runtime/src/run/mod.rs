//! Running: sequences, their evaluations, and how both devices carry out what was recorded. It must not know the manager.

pub(crate) mod copy_between;
pub(crate) mod evaluation;
pub(crate) mod graph;
pub(crate) mod host;
pub(crate) mod host_calls;
pub(crate) mod lost;
pub(crate) mod profile;
pub(crate) mod sequence;
pub(crate) mod vulkan;
