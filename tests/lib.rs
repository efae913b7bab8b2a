//! The corpus of kernels, each with input and what its outputs may differ by; every executor runs it.

// Kernels say things in roundabout ways on purpose, and inputs are written for reading. Clippy would take as long for them as
// for all else. It still sees what the macro writes for the algorithms, examples and benches.
#![allow(clippy::all)]

pub mod case;
#[path = "kernels/mod.rs"]
pub mod kernels;
