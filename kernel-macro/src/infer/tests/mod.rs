//! In-process tests of inference: caret tests of types, message tests of every code.

mod carets;
mod constants;
pub(crate) mod harness;
mod messages;
mod more_messages;
mod types;
