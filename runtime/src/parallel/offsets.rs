//! A kernel's parameter whose elements never fall.

use std::ops::Deref;

/// A slice whose elements never fall: where rows of different lengths begin that lie one behind the other. A launch takes an
/// [`OffsetsTensor`](crate::OffsetsTensor) for it.
///
/// The compiler concludes that what lies from `starts[i]` up to `starts[i + 1]` belongs to `i` only:
///
/// ```
/// use gridwise::prelude::*;
///
/// /// Divides the weights of each row by their sum.
/// #[kernel(workgroup = 64)]
/// fn normalize(starts: &Offsets<u32>, weights: &mut [f32]) {
///     let row = global_id().x as usize;
///     if row + 1 < starts.len() {
///         let row = &mut weights[starts[row] as usize..starts[row + 1] as usize];
///         let sum: f32 = row.iter().sum();
///         for weight in row.iter_mut() {
///             *weight /= sum;
///         }
///     }
/// }
///
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::host();
/// let starts = mgr.offsets(&mgr.tensor(&[0u32, 2, 2, 3])?)?;
/// let mut weights = mgr.tensor(&[1.0f32, 3.0, 5.0])?;
/// let seq = mgr.sequence()?;
/// Normalize::dispatch(&seq, Grid::items(3), &starts, &mut weights)?.eval()?;
/// assert_eq!(weights.to_vec()?, [0.25, 0.75, 1.0]);
/// # Ok(())
/// # }
/// ```
///
/// Elsewhere than in the parameters of a kernel it is a slice: a `#[device]` fn takes `&[u32]`.
#[repr(transparent)]
#[derive(Debug)]
pub struct Offsets<T>([T]);

impl<T> Deref for Offsets<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'a, T> IntoIterator for &'a Offsets<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
