//! The corpus of kernels, each with input and what its outputs may differ by; every executor runs it.

pub mod case;
#[path = "kernels/mod.rs"]
pub mod kernels;
