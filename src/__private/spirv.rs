//! What `include_spirv!` generates calls for. It must not know any module.

use crate::GpuData;

/// Writes a push constant to its place, which has its size.
pub fn put<T: GpuData>(place: &mut [u8], value: T) {
    gridwise_runtime::ValueArg::put(value, place);
}
