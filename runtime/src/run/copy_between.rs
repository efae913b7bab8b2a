//! Copies of tensors that are not recorded, of one manager or of two.

use std::sync::Arc;

use crate::core::error::{Error, Result};
use crate::memory::crossing::{self, CopyWay};
use crate::memory::data::GpuData;
use crate::memory::tensor::Tensor;
use crate::record::ops::OpCopy;
use crate::run::sequence::Sequence;

impl<T: GpuData> Tensor<T> {
    /// Copies all elements to a tensor of this or another manager, and waits for it; tells the way that was taken. It comes after all
    /// evaluations of both managers that were started before and use the tensors, as reads and writes of the host do.
    ///
    /// In a recording, [`OpCopy`] does the same between other operations.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Manager, Tensor};
    ///
    /// let (gpu, host) = (Manager::new()?, Manager::host());
    /// let weights = gpu.tensor(&[0.5f32, 1.5])?;
    /// let mut copy = host.tensor_of_len::<f32>(2)?;
    /// let way = weights.copy_to(&mut copy)?;
    /// println!("by way of {way:?}");
    /// assert_eq!(copy.to_vec()?, [0.5, 1.5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], [`Error::TensorMapped`] while a view of one is held, and when a device fails: where that is one of two,
    /// the other manager goes on, and the target holds some of the elements.
    pub fn copy_to(&self, to: &mut Tensor<T>) -> Result<CopyWay> {
        if Arc::ptr_eq(&self.buffer.device, &to.buffer.device) {
            let sequence = Sequence::new(self.buffer.device.clone(), 0);
            sequence.record(OpCopy::new(self, to))?.eval()?;
            return Ok(CopyWay::OneManager);
        }
        let (expected, found) = (to.len(), self.len());
        if expected != found {
            return Err(Error::LengthMismatch { operation: "copying to", tensor: to.name().into(), expected, found });
        }
        crossing::copy(&self.buffer, &to.buffer)
    }
}
