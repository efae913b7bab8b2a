//! The start of a generated `dispatch`: with its kernel, or, while the kernel has errors, with a stand-in that
//! compiles.

use std::marker::PhantomData;

use gridwise_runtime::descriptor::{KernelDescriptor, Location};
use gridwise_runtime::{Kernel, KernelArgs};

/// The descriptor of a kernel with errors, so that it is a kernel wherever one is asked for.
pub const NO_DESCRIPTOR: &KernelDescriptor =
    &KernelDescriptor::new("", Location { file: "", line: 0, column: 0 }, &[], "", [1; 3], 0);

/// The arguments of a launch of `K`, to be filled.
#[derive(Debug)]
pub struct LaunchOf<K>(PhantomData<K>);

impl<K> LaunchOf<K> {
    /// The only value.
    pub const NEW: Self = Self(PhantomData);
}

impl<K: Kernel> LaunchOf<K> {
    /// No arguments yet. For a type that is no kernel, Rust takes the method of [`NoKernel`] instead.
    pub fn args(&self) -> KernelArgs {
        KernelArgs::new::<K>()
    }

    /// No arguments yet, for a launch of a kernel that is an `unsafe fn`.
    ///
    /// # Safety
    /// As [`KernelArgs::new_unchecked`].
    pub unsafe fn args_of_unsafe(&self) -> KernelArgs {
        // SAFETY: the caller's promise.
        unsafe { KernelArgs::new_unchecked::<K>() }
    }
}

/// The fallback for kernels with errors: nothing runs it, because the crate does not compile.
pub trait NoKernel {
    /// Never called.
    fn args(&self) -> KernelArgs {
        unreachable!("a kernel with errors does not compile")
    }

    /// Never called.
    ///
    /// # Safety
    /// None is asked for.
    unsafe fn args_of_unsafe(&self) -> KernelArgs {
        unreachable!("a kernel with errors does not compile")
    }
}

impl<K> NoKernel for LaunchOf<K> {}
