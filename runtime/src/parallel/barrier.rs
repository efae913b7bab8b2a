//! Barriers and fences, as kernels write them.

use std::sync::atomic::Ordering;

use super::outside_of_kernels;

/// The invocations that see the effects which a fence orders.
///
/// ```
/// use std::sync::atomic::Ordering::{Relaxed, Release};
/// use gridwise::{Atomic, Scope, fence};
///
/// /// In a kernel: who sees the flag sees what was written before.
/// fn publish(data: &mut u32, flag: &Atomic<u32>) {
///     *data = 7;
///     fence(Scope::Device, Release);
///     flag.store(1, Relaxed);
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The invocations of the subgroup.
    Subgroup,
    /// The invocations of the workgroup.
    Workgroup,
    /// All invocations on the device.
    Device,
}

/// Waits until all invocations of the workgroup have reached it. Their earlier writes to shared memory and buffers are
/// visible to all of them afterwards.
///
/// All invocations of a workgroup must reach the same barrier, equally often: it must not be in divergent control flow.
/// The compiler rejects a barrier if it cannot prove that; [`workgroup_uniform`] vouches for a condition.
///
/// ```
/// use gridwise::barrier;
///
/// /// In a kernel with workgroups of 64: the value of the neighbour.
/// fn neighbour(tile: &mut [f32; 64], id: usize, own: f32) -> f32 {
///     tile[id] = own;
///     barrier(); // now all of the tile is written
///     tile[(id + 1) % 64]
/// }
/// ```
///
/// # Panics
/// Outside of kernels.
pub fn barrier() {
    outside_of_kernels("barrier")
}

/// Returns `value`, and asserts that it is uniform in the workgroup. Use it for conditions and loop bounds around a
/// [`barrier`] that the compiler cannot prove to be uniform.
///
/// ```text
/// while workgroup_uniform(remaining[0].load(Relaxed) > 0) {
///     …
///     barrier();
/// }
/// ```
///
/// If the value differs, some invocations do not reach the barrier: the host device and the sanitizer report that; a
/// GPU may hang. A value that all invocations read at one index needs no assertion, as long as no invocation writes it
/// meanwhile.
///
/// # Panics
/// Outside of kernels.
pub fn workgroup_uniform<T>(value: T) -> T {
    let _ = value;
    outside_of_kernels("workgroup_uniform")
}

/// Orders the memory accesses before it with the accesses after it, as seen by the invocations of `scope`. It does not
/// wait for other invocations.
///
/// The orderings are `Acquire`, `Release` and `AcqRel`.
///
/// ```
/// use std::sync::atomic::Ordering::{Acquire, Relaxed};
/// use gridwise::{Atomic, Scope, fence};
///
/// /// In a kernel: what the invocation that set the flag wrote before.
/// fn receive(data: &u32, flag: &Atomic<u32>) -> Option<u32> {
///     let is_set = flag.load(Relaxed) == 1;
///     fence(Scope::Device, Acquire);
///     is_set.then_some(*data)
/// }
/// ```
///
/// # Panics
/// Outside of kernels.
pub fn fence(scope: Scope, order: Ordering) {
    let _ = (scope, order);
    outside_of_kernels("fence")
}
