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

/// Waits until all invocations of the workgroup are here; what they did to shared memory and buffers before, all see
/// after.
///
/// All invocations of a workgroup must come to the same barrier, equally often: it may not stand where only some of them
/// come. The compiler refuses what it cannot see to be so; [`workgroup_uniform`] vouches for it.
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

/// `value`, which the author of the kernel says is the same in all invocations of the workgroup, where the compiler cannot see
/// it: a condition or a bound on the way to a [`barrier`].
///
/// ```text
/// while workgroup_uniform(remaining[0].load(Relaxed) > 0) {
///     …
///     barrier();
/// }
/// ```
///
/// If it differs, some invocations do not come to the barrier: the host device and the sanitizer report that, a GPU may
/// hang. A value that all invocations read at one index needs no such assurance, as long as nobody writes it meanwhile.
///
/// # Panics
/// Outside of kernels.
pub fn workgroup_uniform<T>(value: T) -> T {
    let _ = value;
    outside_of_kernels("workgroup_uniform")
}

/// Orders memory accesses before it with those after it, as seen by the invocations of `scope`; waits for nobody.
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
