//! Tensors whose elements all differ, which was checked when they were made. Nothing here checks it.

use std::fmt;

use crate::core::error::Result;
use crate::memory::data::GpuData;
use crate::memory::tensor::Tensor;

/// Elements on a device that all differ: the argument for a kernel's parameter `&Distinct<u32>`; made by
/// [`Manager::distinct`](crate::Manager::distinct).
///
/// It has memory of its own, which nobody writes: it stays as it was checked.
///
/// ```
/// use gridwise::prelude::*;
///
/// #[kernel(workgroup = 64)]
/// fn permute(to: &Distinct<u32>, x: &[f32], y: &mut [f32]) {
///     let i = global_id().x;
///     y[to[i]] = x[i];
/// }
///
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::host();
/// let to = mgr.distinct(&mgr.tensor(&[2u32, 0, 1])?)?;
/// let (x, mut y) = (mgr.tensor(&[1.0f32, 2.0, 3.0])?, mgr.tensor_of_len::<f32>(3)?);
/// let seq = mgr.sequence()?;
/// Permute::dispatch(&seq, Grid::items(3), &to, &x, &mut y)?.eval()?;
/// assert_eq!(y.to_vec()?, [2.0, 3.0, 1.0]);
/// # Ok(())
/// # }
/// ```
pub struct DistinctTensor<T: GpuData> {
    tensor: Tensor<T>,
}

impl<T: GpuData> DistinctTensor<T> {
    /// Takes a tensor whose elements were checked, of which there is no other handle.
    pub(crate) fn new(tensor: Tensor<T>) -> Self {
        tensor.buffer.seal();
        Self { tensor }
    }

    pub(crate) fn tensor(&self) -> &Tensor<T> {
        &self.tensor
    }

    /// Number of elements.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = gridwise::Manager::host();
    /// assert_eq!(mgr.distinct(&mgr.tensor(&[5u32, 7])?)?.len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn len(&self) -> usize {
        self.tensor.len()
    }

    /// Whether there are no elements.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = gridwise::Manager::host();
    /// assert!(mgr.distinct(&mgr.tensor(&[])?)?.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_empty(&self) -> bool {
        self.tensor.is_empty()
    }

    /// The name of the tensor that was checked.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = gridwise::Manager::host();
    /// assert_eq!(mgr.distinct(&mgr.tensor_named("order", &[1u32, 0])?)?.name(), "order");
    /// # Ok(())
    /// # }
    /// ```
    pub fn name(&self) -> &str {
        self.tensor.name()
    }

    /// Copies all elements to a new vector.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = gridwise::Manager::host();
    /// assert_eq!(mgr.distinct(&mgr.tensor(&[5u32, 7])?)?.to_vec()?, [5, 7]);
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

impl<T: GpuData> fmt::Debug for DistinctTensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DistinctTensor").field("tensor", &self.tensor).finish()
    }
}
