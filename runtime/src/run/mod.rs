//! Running: sequences, their evaluations, and how both devices carry out what was recorded. It must not know the manager.

pub(crate) mod evaluation;
pub(crate) mod graph;
pub(crate) mod host;
pub(crate) mod host_calls;
pub(crate) mod profile;
pub(crate) mod recovery;
pub(crate) mod sequence;
pub(crate) mod stream;
pub(crate) mod tune;
pub(crate) mod vulkan;
