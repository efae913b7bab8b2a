//! Snapshots of the IR of small kernels.
