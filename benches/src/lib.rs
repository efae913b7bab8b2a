//! Tools that the benches share: samples, tables, verdicts, and the file each run leaves. It measures nothing itself.

mod error;
mod machine;
mod options;
mod picture;
mod pin;
pub mod raw;
mod report;
mod samples;

pub use error::Error;
pub use machine::Machine;
pub use options::Options;
pub use pin::pin_to_this_core;
pub use report::{Figure, Goal, Report, Stage};
pub use samples::{Samples, Summary, interleave, time};
