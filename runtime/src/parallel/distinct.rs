//! A kernel's parameter whose elements all differ.

use std::ops::Deref;

/// A slice whose elements all differ: `&Distinct<u32>` is a `&[u32]` without duplicates. A launch takes a
/// [`DistinctTensor`](crate::DistinctTensor) for it.
///
/// The compiler concludes that `y[ix[i]]` is another element for each `i` within `ix`:
///
/// ```
/// use gridwise::prelude::*;
///
/// #[kernel(workgroup = 64)]
/// fn add_at(ix: &Distinct<u32>, x: &[f32], y: &mut [f32]) {
///     let i = global_id().x;
///     if i < ix.len() as u32 {
///         y[ix[i]] += x[i];
///     }
/// }
///
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::host();
/// let ix = mgr.distinct(&mgr.tensor(&[3u32, 0])?)?;
/// let (x, mut y) = (mgr.tensor(&[1.0f32, 2.0])?, mgr.tensor(&[10.0f32; 4])?);
/// let seq = mgr.sequence()?;
/// AddAt::dispatch(&seq, Grid::items(2), &ix, &x, &mut y)?.eval()?;
/// assert_eq!(y.to_vec()?, [12.0, 10.0, 10.0, 11.0]);
/// # Ok(())
/// # }
/// ```
///
/// Elsewhere than in the parameters of a kernel it is a slice: a `#[device]` fn takes `&[u32]`.
#[repr(transparent)]
#[derive(Debug)]
pub struct Distinct<T>([T]);

impl<T> Deref for Distinct<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'a, T> IntoIterator for &'a Distinct<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
