//! `Shared<T>`, as kernels write it.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use super::outside_of_kernels;
use crate::memory::data::GpuData;

/// Memory that the invocations of one workgroup share; zero-initialized when the workgroup begins.
///
/// It is declared by a `let` at the top of a kernel's body, and each workgroup has its own:
///
/// ```text
/// let tile = Shared::<[f32; 256]>::new();
/// tile[local_id().x] = x[global_id().x];
/// barrier();
/// ```
///
/// Elements are read and written like those of a local array, without `mut`. Other invocations see a write after a
/// [`barrier`](super::barrier()).
#[derive(Debug)]
pub struct Shared<T>(PhantomData<T>);

impl<T: GpuData> Shared<T> {
    /// The workgroup's memory.
    ///
    /// ```
    /// use gridwise::{Atomic, Shared};
    ///
    /// /// At the top of a kernel: 16 counters for the workgroup, all of them zero.
    /// fn counters() -> Shared<[Atomic<u32>; 16]> {
    ///     Shared::new()
    /// }
    /// ```
    ///
    /// # Panics
    /// Outside of kernels.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        outside_of_kernels("Shared::new")
    }
}

/// The value in the memory, for a form of the kernel that rustc checks and nobody calls.
pub fn held<T>(_memory: Shared<T>) -> T {
    outside_of_kernels("Shared")
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        outside_of_kernels("Shared")
    }
}

impl<T> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        outside_of_kernels("Shared")
    }
}
