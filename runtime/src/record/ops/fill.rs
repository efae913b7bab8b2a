//! The operation that sets all elements of a tensor.

use super::{Access, Op, Recorder};
use crate::core::error::Result;
use crate::memory::data::GpuData;
use crate::memory::tensor::{Tensor, TensorRef};

/// Sets every element of a tensor to one value, on the device.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{glam::Vec4, ops::OpFill};
///
/// # let manager = gridwise::Manager::host();
/// let mut colours = manager.tensor_of_len::<Vec4>(2)?;
/// manager.sequence()?.record(OpFill::new(&mut colours, Vec4::ONE))?.eval()?; // any element type
/// assert_eq!(colours.to_vec()?, [Vec4::ONE; 2]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpFill<T> {
    tensor: TensorRef,
    value: T,
}

impl<T: GpuData> OpFill<T> {
    /// Sets the elements of `tensor` to `value`.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut smallest = manager.tensor(&[1.0f32, 2.0])?;
    /// // Before a kernel that takes minima.
    /// manager.sequence()?.record(OpFill::new(&mut smallest, f32::INFINITY))?.eval()?;
    /// assert_eq!(smallest.to_vec()?, [f32::INFINITY; 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(tensor: &mut Tensor<T>, value: T) -> Self {
        Self { tensor: tensor.handle(), value }
    }
}

impl<T: GpuData> Op for OpFill<T> {
    fn name(&self) -> &str {
        "fill"
    }

    fn accesses(&self) -> Vec<Access> {
        vec![Access::write(&self.tensor)]
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        recorder.fill(&self.tensor, self.value)
    }
}
