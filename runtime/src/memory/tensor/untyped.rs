//! Tensors without their type, for operations that take any. It must not read or write elements.

use std::fmt;
use std::sync::Arc;

use crate::core::error::Result;
use crate::device::vulkan::BufferRange;
use crate::memory::buffer::Buffer;
use crate::memory::data::GpuData;

use super::Tensor;

/// Names a tensor without its type, to declare and record accesses in an [`Op`](crate::ops::Op).
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{TensorRef, ops::OpSyncHost};
///
/// # let manager = gridwise::Manager::host();
/// let (weights, counts) = (manager.tensor(&[0.5f32, 1.5])?, manager.tensor(&[7u64])?);
/// // Tensors of different types, all of which are wanted on the host.
/// let wanted: Vec<TensorRef> = vec![weights.handle(), counts.handle()];
/// manager.sequence()?.record(OpSyncHost::all(wanted))?.eval()?;
/// assert_eq!((weights.staged()?, counts.staged()?), (vec![0.5, 1.5], vec![7]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TensorRef {
    pub(crate) buffer: Arc<Buffer>,
}

impl TensorRef {
    /// Number of elements.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let handle = gridwise::Manager::host().tensor(&[1.0f64, 2.0, 3.0])?.handle();
    /// assert_eq!(handle.len(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn len(&self) -> usize {
        self.buffer.len() as usize
    }

    /// Whether there are no elements.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let handle = gridwise::Manager::host().tensor::<u8>(&[])?.handle();
    /// assert!(handle.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all elements.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let handle = gridwise::Manager::host().tensor(&[1.0f64, 2.0, 3.0])?.handle();
    /// assert_eq!(handle.bytes(), 24);
    /// # Ok(())
    /// # }
    /// ```
    pub fn bytes(&self) -> u64 {
        self.buffer.bytes()
    }

    /// Bytes of one element.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let handle = gridwise::Manager::host().tensor(&[[1u8, 2, 3], [4, 5, 6]])?.handle();
    /// assert_eq!(handle.stride(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn stride(&self) -> u32 {
        self.buffer.stride()
    }

    /// The tensor's name.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let handle = gridwise::Manager::host().tensor_named("weights", &[1.0f32])?.handle();
    /// assert_eq!(handle.name(), "weights");
    /// # Ok(())
    /// # }
    /// ```
    pub fn name(&self) -> &str {
        self.buffer.name()
    }

    /// As [`Tensor::vulkan_buffer`].
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let handle = gridwise::Manager::host().tensor(&[1.0f32])?.handle();
    /// assert!(handle.vulkan_buffer().is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub fn vulkan_buffer(&self) -> Option<BufferRange> {
        let buffer = self.buffer.vulkan()?;
        Some(BufferRange { buffer: buffer.raw, offset: self.buffer.vulkan_offset(), bytes: self.buffer.bytes() })
    }

    /// The tensor's host-side copy, as a tensor of its own.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// let mut tensor = manager.tensor(&[0u32; 4])?;
    /// tensor.stage(&[1, 2, 3, 4])?;
    /// let staged = tensor.handle().staged()?; // for an `Op` that copies from it
    /// assert_eq!((staged.len(), staged.bytes()), (4, 16));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the memory for it cannot be had.
    pub fn staged(&self) -> Result<TensorRef> {
        Ok(TensorRef { buffer: self.buffer.staged()? })
    }
}

impl fmt::Debug for TensorRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorRef").field("name", &self.name()).field("bytes", &self.bytes()).finish()
    }
}

impl<T: GpuData> From<&Tensor<T>> for TensorRef {
    fn from(tensor: &Tensor<T>) -> Self {
        tensor.handle()
    }
}
