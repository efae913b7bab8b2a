//! A kernel's parameter whose elements an invocation claims before it writes them.

use std::ops::{Deref, DerefMut};

/// Elements that a kernel writes at any index: `y[k] = v`, where `y` is a `&mut Scatter<T>`. A launch takes a
/// [`ScatterTensor`](crate::ScatterTensor) for it.
///
/// Each element has one writer in a launch. The device checks that: an invocation claims an element before it writes it. A write by a
/// second invocation is dropped, and the launch ends with a panic that names both invocations and the source location. One invocation may
/// write an element several times.
///
/// ```
/// use gridwise::prelude::*;
/// use gridwise::Error;
///
/// #[kernel(workgroup = 64)]
/// fn permute(to: &[u32], x: &[f32], y: &mut Scatter<f32>) {
///     let i = global_id().x;
///     y[to[i]] = x[i];
/// }
///
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::host();
/// let x = mgr.tensor(&[1.0f32, 2.0, 3.0])?;
/// let mut y = mgr.scatter(mgr.tensor(&[0.0f32; 3])?)?;
/// let seq = mgr.sequence()?;
/// Permute::dispatch(&seq, Grid::items(3), &mgr.tensor(&[2u32, 0, 1])?, &x, &mut y)?.eval()?;
/// assert_eq!(y.to_vec()?, [2.0, 3.0, 1.0]);
///
/// let twice = mgr.tensor(&[2u32, 0, 2])?;
/// match Permute::dispatch(&seq, Grid::items(3), &twice, &x, &mut y)?.eval() {
///     Err(Error::KernelPanic { message, .. }) => {
///         assert!(message.ends_with("both write element 2 of `y`"), "{message}");
///     }
///     other => panic!("{other:?}"),
/// }
/// # Ok(())
/// # }
/// ```
///
/// Nothing in a kernel reads the elements, and only the kernel itself writes them: a `#[device]` fn takes no `Scatter`.
#[repr(transparent)]
#[derive(Debug)]
pub struct Scatter<T>([T]);

impl<T> Scatter<T> {
    /// The elements, for an invocation that claimed the one it writes. Kernels are checked with it, and none calls it.
    #[doc(hidden)]
    pub fn __claimed(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T> Deref for Scatter<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for Scatter<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}
