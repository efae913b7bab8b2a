//! Tensors whose elements never fall, which was checked when they were made. Nothing here checks it.

use std::fmt;

use crate::core::error::Result;
use crate::memory::data::GpuData;
use crate::memory::tensor::Tensor;

/// Elements on a device that never fall: the argument for a kernel's parameter `&Offsets<u32>`; made by
/// [`Manager::offsets`](crate::Manager::offsets).
///
/// It has memory of its own, which nobody writes: it stays as it was checked.
///
/// ```
/// use gridwise::prelude::*;
///
/// #[kernel(workgroup = 64)]
/// fn ranks(starts: &Offsets<u32>, y: &mut [u32]) {
///     let row = global_id().x as usize;
///     if row + 1 < starts.len() {
///         for (rank, place) in (starts[row]..starts[row + 1]).enumerate() {
///             y[place] = rank as u32;
///         }
///     }
/// }
///
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::host();
/// let starts = mgr.offsets(&mgr.tensor(&[0u32, 2, 2, 5])?)?;
/// let mut y = mgr.tensor_of_len::<u32>(5)?;
/// let seq = mgr.sequence()?;
/// Ranks::dispatch(&seq, Grid::items(3), &starts, &mut y)?.eval()?;
/// assert_eq!(y.to_vec()?, [0, 1, 0, 1, 2]);
/// # Ok(())
/// # }
/// ```
pub struct OffsetsTensor<T: GpuData> {
    tensor: Tensor<T>,
}

impl<T: GpuData> OffsetsTensor<T> {
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
    /// assert_eq!(mgr.offsets(&mgr.tensor(&[5u32, 7])?)?.len(), 2);
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
    /// assert!(mgr.offsets(&mgr.tensor(&[])?)?.is_empty());
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
    /// assert_eq!(mgr.offsets(&mgr.tensor_named("rows", &[0u32, 1])?)?.name(), "rows");
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
    /// assert_eq!(mgr.offsets(&mgr.tensor(&[5u32, 7])?)?.to_vec()?, [5, 7]);
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

impl<T: GpuData> fmt::Debug for OffsetsTensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OffsetsTensor").field("tensor", &self.tensor).finish()
    }
}
