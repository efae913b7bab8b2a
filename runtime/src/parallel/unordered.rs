//! Accesses whose order nothing tells: the method by which a kernel's author vouches for them.

/// Elements that invocations may access in any order.
///
/// A kernel that may race does not compile, unless its author vouches for the racing accesses:
/// `unsafe { y.unordered()[i] = v; }`.
///
/// ```
/// use gridwise::prelude::*;
///
/// /// Whether any element is negative.
/// #[kernel]
/// fn any_negative(x: &[f32], found: &mut [u32]) {
///     if x[global_id().x] < 0.0 {
///         // SAFETY: all invocations that write here write the same.
///         unsafe { found.unordered()[0] = 1 };
///     }
/// }
///
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::host();
/// let (x, mut found) = (mgr.tensor(&[1.0f32, -2.0, -3.0])?, mgr.tensor(&[0u32])?);
/// let seq = mgr.sequence()?;
/// AnyNegative::dispatch(&seq, Grid::items(3), &x, &mut found)?.eval()?;
/// assert_eq!(found.to_vec()?, [1]);
/// # Ok(())
/// # }
/// ```
///
/// It is a method of slices, of the arrays in [`Shared`](super::Shared) and of the buffers of a list. A value that a kernel reads
/// in this way, or from any element of the same buffer, counts as divergent. A read happens exactly once, at its place in the
/// source.
pub trait Unordered {
    /// The same elements, for accesses in any order.
    ///
    /// # Safety
    /// The result must not depend on the order, or the order must be certain for a reason that the compiler does not see. An invocation
    /// that reads what another one writes without an order may get either value of a number of at most 32 bits; of anything larger it
    /// may get a part of each.
    unsafe fn unordered(&mut self) -> &mut Self;
}

impl<T> Unordered for [T] {
    unsafe fn unordered(&mut self) -> &mut Self {
        self
    }
}
