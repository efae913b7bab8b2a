//! Memory for claims of elements.

use std::sync::Arc;

use crate::core::error::{Error, Result};
use crate::manager::Manager;
use crate::memory::data::GpuData;
use crate::memory::scatter::ScatterTensor;
use crate::memory::tensor::{Contents, Tensor, TensorDesc};

impl Manager {
    /// A tensor for kernels that write elements at any index, by a parameter `&mut Scatter<T>`. Each element has an extra word, in which a
    /// launch records the element's writer. A second writer is a kernel panic that names both invocations.
    ///
    /// A launch sets these words to zero, and each write needs an additional atomic operation. If many launches use the same indices,
    /// [`distinct`](Self::distinct) checks them once.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = gridwise::Manager::host();
    /// let y = mgr.scatter(mgr.tensor(&[0.0f32; 4])?)?;
    /// assert_eq!(y.tensor().len(), 4);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::ForeignTensor`] for a tensor of another manager, and when memory is exhausted.
    pub fn scatter<T: GpuData>(&self, tensor: Tensor<T>) -> Result<ScatterTensor<T>> {
        if !Arc::ptr_eq(&tensor.buffer.device, &self.device) {
            return Err(Error::ForeignTensor { operation: "scatter".to_owned(), tensor: tensor.name().into() });
        }
        let claims = self.tensor_with(TensorDesc { name: tensor.name(), contents: Contents::Uninit(tensor.len()) })?;
        Ok(ScatterTensor::new(tensor, claims))
    }
}
