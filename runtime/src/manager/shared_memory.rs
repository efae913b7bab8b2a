//! Tensors in memory that several managers have. Nothing here orders their work.

use std::marker::PhantomData;
use std::sync::Arc;

use super::Manager;
use crate::core::error::Result;
use crate::device::vulkan::SharedMemory;
use crate::memory::buffer::Buffer;
use crate::memory::data::GpuData;
use crate::memory::tensor::{Contents, Tensor, TensorDesc};

impl Manager {
    /// A tensor by description, whose memory [`Tensor::share`] shares with other managers of the same device, in this process or
    /// another.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Contents, Error, Manager, TensorDesc};
    ///
    /// let (one, other) = (Manager::new()?, Manager::new()?);
    /// let desc = TensorDesc { name: "mine", contents: Contents::Data(&[1.0f32, 2.0]) };
    /// let mine = match one.shareable_tensor(desc) {
    ///     Err(Error::OnHostDevice { .. } | Error::CannotShare { .. }) => return Ok(()),
    ///     made => made?,
    /// };
    /// let yours = other.tensor_from_shared::<f32>("yours", mine.share()?)?;
    /// assert_eq!(yours.to_vec()?, [1.0, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Nothing orders the work of two managers: wait for an evaluation of one manager before you start one of the other.
    /// Concurrent accesses to the tensor are a race, and make its elements undefined. The host can copy to and from the tensor,
    /// but not map it.
    ///
    /// # Errors
    /// [`Error::CannotShare`](crate::Error::CannotShare) where the device lacks what it takes, [`Error::OnHostDevice`](crate::Error::OnHostDevice), and as
    /// [`tensor`](Self::tensor).
    pub fn shareable_tensor<T: GpuData>(&self, desc: TensorDesc<'_, T>) -> Result<Tensor<T>> {
        let len = match desc.contents {
            Contents::Data(data) => data.len(),
            Contents::Zeros(len) | Contents::Uninit(len) => len,
        };
        let buffer = Buffer::of_shared(self.shared_device(), desc.name, (len, size_of::<T>()), None)?;
        Tensor::filled(buffer, desc.contents)
    }

    /// A tensor in memory that another manager shares, with as many whole elements as fit. It keeps the memory alive.
    ///
    /// ```
    /// use gridwise::{Manager, Result, SharedMemory, Tensor};
    ///
    /// /// The memory that another process sent, as floats.
    /// fn receive(manager: &Manager, memory: SharedMemory) -> Result<Tensor<f32>> {
    ///     manager.tensor_from_shared("theirs", memory)
    /// }
    /// ```
    ///
    /// # Errors
    /// As [`shareable_tensor`](Self::shareable_tensor); also [`Error::CannotShare`](crate::Error::CannotShare) for memory of another device or driver.
    pub fn tensor_from_shared<T: GpuData>(&self, name: &str, memory: SharedMemory) -> Result<Tensor<T>> {
        let len = memory.layout().bytes.checked_div(size_of::<T>() as u64).unwrap_or(0);
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let buffer = Buffer::of_shared(self.shared_device(), name, (len, size_of::<T>()), Some(memory))?;
        Ok(Tensor { buffer: Arc::new(buffer), marker: PhantomData })
    }
}
