//! The lowest floor: errors, grids, the order of work, the device's health. It must not know a device or its memory.

pub(crate) mod error;
pub(crate) mod grid;
pub(crate) mod health;
pub(crate) mod pages;
pub(crate) mod print;
pub(crate) mod span;
pub(crate) mod sync;
pub(crate) mod times;
pub(crate) mod trap;
