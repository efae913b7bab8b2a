//! The types and functions with which kernels work together: shared memory, atomics, barriers, subgroup operations.
//! rustc checks a kernel against these signatures; the device's code runs, or the twin's.

mod atomic;
mod barrier;
mod coop;
mod distinct;
mod offsets;
mod scatter;
mod shared;
mod slope;
pub mod subgroup;
mod unordered;

pub use atomic::{Atomic, AtomicInt, AtomicValue};
pub use barrier::{Scope, barrier, fence, workgroup_uniform};
pub use coop::{
    Accumulator, ConvertsTo, CoopElement, CoopMatrix, MatrixA, MatrixB, MatrixLayout, MatrixRole, MultipliesInto,
};
pub use distinct::Distinct;
pub use offsets::Offsets;
pub use scatter::Scatter;
pub use shared::{Shared, held};
pub use slope::{detach, with_slope};
pub use unordered::Unordered;

/// The end of everything here that only a running kernel can do.
#[cold]
#[track_caller]
fn outside_of_kernels(name: &str) -> ! {
    panic!("`{name}` was used outside of a running kernel; use it in a `#[kernel]` or `#[device]` fn")
}
