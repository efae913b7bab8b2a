//! Errors of launches: grids beyond tensors, invocations that may race, elements that are equal, images that are used in two ways.

mod beyond;
mod image_use;
mod may_race;
mod not_distinct;
mod not_offsets;

pub use beyond::GridBeyondTensor;
pub use image_use::ImageUse;
pub use may_race::MayRace;
pub use not_distinct::NotDistinct;
pub use not_offsets::NotOffsets;
