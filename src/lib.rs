//! GPU kernels written as ordinary Rust functions: the facade that re-exports the macros and the runtime.
