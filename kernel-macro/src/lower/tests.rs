//! Tests of the lowering: snapshots of small kernels' IR, and Rust code run both by rustc and by evaluating its IR.

mod chains;
mod characters;
mod edge;
mod eval;
mod harness;
mod intrinsics;
mod language;
mod operations;
mod patterns;
mod random;
mod snapshots;
mod twin;
