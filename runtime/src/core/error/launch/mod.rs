//! Errors of launches: grids beyond tensors, invocations that may race, images that are used in two ways.

mod beyond;
mod image_use;
mod may_race;

pub use beyond::GridBeyondTensor;
pub use image_use::ImageUse;
pub use may_race::MayRace;
