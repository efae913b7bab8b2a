//! The corpus of kernels, each with input and what its outputs may differ by; every executor runs it.

// Kernels say things in roundabout ways on purpose, and inputs are written for reading.
#![allow(
    clippy::useless_vec,
    clippy::reversed_empty_ranges,
    clippy::manual_is_multiple_of,
    clippy::needless_range_loop,
    clippy::nonminimal_bool,
    clippy::erasing_op,
    clippy::identity_op,
    clippy::while_immutable_condition,
    clippy::precedence,
    clippy::op_ref
)]

pub mod case;
#[path = "kernels/mod.rs"]
pub mod kernels;
