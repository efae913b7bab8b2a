//! `#[kernel]`, `#[device]` and `#[derive(GpuData)]`.
