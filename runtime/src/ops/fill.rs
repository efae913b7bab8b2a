//! The operation that sets all elements of a tensor.

use super::{Access, Op, Recorder};
use crate::data::GpuData;
use crate::error::Result;
use crate::tensor::{Tensor, TensorRef};

/// Sets every element of a tensor to one value, on the device.
#[derive(Debug, Clone)]
pub struct OpFill<T> {
    tensor: TensorRef,
    value: T,
}

impl<T: GpuData> OpFill<T> {
    /// Sets the elements of `tensor` to `value`.
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
