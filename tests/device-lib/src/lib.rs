//! Device items that the kernels of another crate use.
