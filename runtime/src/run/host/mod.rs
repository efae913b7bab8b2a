//! Recordings on the host device: launches by their twins or in the interpreter, copies, images.

mod image;
mod run;
#[cfg(feature = "sanitizer")]
mod sanitizer;

pub(crate) use run::{run_steps, run_timed};
