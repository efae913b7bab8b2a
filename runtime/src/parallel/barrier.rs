//! Barriers and fences, as kernels write them.

use std::sync::atomic::Ordering;

use super::outside_of_kernels;

/// Who sees the effects that a fence orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The invocations of the subgroup.
    Subgroup,
    /// The invocations of the workgroup.
    Workgroup,
    /// All invocations on the device.
    Device,
}

/// Waits until all invocations of the workgroup are here; what they did to shared memory and buffers before, all see
/// after.
///
/// All invocations of a workgroup must come to the same barrier, equally often: it may not stand where only some of them
/// come.
///
/// # Panics
/// Outside of kernels.
pub fn barrier() {
    outside_of_kernels("barrier")
}

/// Orders memory accesses before it with those after it, as seen by the invocations of `scope`; waits for nobody.
///
/// The orderings are `Acquire`, `Release` and `AcqRel`.
///
/// # Panics
/// Outside of kernels.
pub fn fence(scope: Scope, order: Ordering) {
    let _ = (scope, order);
    outside_of_kernels("fence")
}
