//! A tensor's memory for other managers, also in different processes.

use crate::core::error::{Error, Result};
use crate::device::vulkan::SharedMemory;
use crate::memory::data::GpuData;
use crate::memory::tensor::Tensor;

impl<T: GpuData> Tensor<T> {
    /// The tensor's memory for another manager; of tensors made by [`Manager::shareable_tensor`](crate::Manager::shareable_tensor). Each call gives a file
    /// descriptor of its own.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::Error;
    ///
    /// let manager = gridwise::Manager::new()?;
    /// match manager.tensor(&[1.0f32])?.share() {
    ///     Err(Error::NotShareable { .. }) => {} // it is not of `shareable_tensor`
    ///     Err(Error::OnHostDevice { .. }) => {} // there is no Vulkan device
    ///     other => panic!("{other:?}"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotShareable`] for other tensors and for parts, [`Error::OnHostDevice`] where there is no Vulkan device, and when the system has no
    /// descriptors left.
    pub fn share(&self) -> Result<SharedMemory> {
        let on_host = Error::OnHostDevice { operation: "sharing a tensor" };
        let buffer = self.buffer.vulkan().ok_or(on_host)?;
        if self.buffer.is_part() {
            // Whoever got it would get all of it.
            return Err(Error::NotShareable { tensor: self.name().to_owned() });
        }
        buffer.share(self.buffer.bytes(), self.name())
    }
}
