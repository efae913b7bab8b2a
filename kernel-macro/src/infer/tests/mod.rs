//! In-process tests of inference: caret tests of types, message tests of every code.

mod carets;
mod chains;
mod characters;
mod choices;
mod constants;
mod conversions;
mod firsts;
mod flow;
mod generics;
mod habits;
pub(crate) mod harness;
mod members;
mod mismatches;
mod names;
mod operators;
mod parallel;
mod patterns;
mod places;
mod references;
mod reports;
mod slices;
mod slips;
mod types;
