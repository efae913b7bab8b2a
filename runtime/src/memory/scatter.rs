//! Tensors whose elements are claimed before they are written, with the memory for the claims. Nothing here claims any.

use std::fmt;

use crate::core::error::Result;
use crate::memory::data::GpuData;
use crate::memory::tensor::Tensor;

/// A tensor with a word for each element, by which a launch tells who wrote it: the argument for a kernel's parameter
/// `&mut Scatter<T>`; made by [`Manager::scatter`](crate::Manager::scatter).
///
/// Each launch begins without claims, so that it may write elements that another launch wrote.
///
/// ```
/// use gridwise::prelude::*;
///
/// #[kernel(workgroup = 64)]
/// fn permute(to: &[u32], y: &mut Scatter<u32>) {
///     let i = global_id().x;
///     y[to[i]] = i;
/// }
///
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::host();
/// let to = mgr.tensor(&[2u32, 0, 1])?;
/// let mut y = mgr.scatter(mgr.tensor_of_len::<u32>(3)?)?;
/// let seq = mgr.sequence()?;
/// Permute::dispatch(&seq, Grid::items(3), &to, &mut y)?.eval()?;
/// seq.eval()?;
/// assert_eq!(y.into_tensor().to_vec()?, [1, 2, 0]);
/// # Ok(())
/// # }
/// ```
pub struct ScatterTensor<T: GpuData> {
    tensor: Tensor<T>,
    claims: Tensor<u32>,
}

impl<T: GpuData> ScatterTensor<T> {
    /// Takes a tensor, and claims of which there is no other handle, as many as elements.
    pub(crate) fn new(tensor: Tensor<T>, claims: Tensor<u32>) -> Self {
        debug_assert_eq!(tensor.len(), claims.len());
        Self { tensor, claims }
    }

    /// The words of the claims.
    pub(crate) fn claims(&self) -> &Tensor<u32> {
        &self.claims
    }

    /// The elements.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = gridwise::Manager::host();
    /// assert_eq!(mgr.scatter(mgr.tensor(&[5u32, 7])?)?.tensor().len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn tensor(&self) -> &Tensor<T> {
        &self.tensor
    }

    /// The elements, without the claims.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = gridwise::Manager::host();
    /// assert_eq!(mgr.scatter(mgr.tensor(&[5u32, 7])?)?.into_tensor().to_vec()?, [5, 7]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn into_tensor(self) -> Tensor<T> {
        self.tensor
    }

    /// Copies all elements to a new vector.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = gridwise::Manager::host();
    /// assert_eq!(mgr.scatter(mgr.tensor(&[5u32, 7])?)?.to_vec()?, [5, 7]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the device fails, or the memory for the vector.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.tensor.to_vec()
    }
}

impl<T: GpuData> fmt::Debug for ScatterTensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScatterTensor").field("tensor", &self.tensor).finish_non_exhaustive()
    }
}
