//! The operation that copies one tensor to others.

use super::{Access, Op, Recorder};
use crate::data::GpuData;
use crate::error::Result;
use crate::tensor::{Tensor, TensorRef};

/// Copies a tensor to one or more others of the same length, on the device.
#[derive(Debug, Clone)]
pub struct OpCopy {
    from: TensorRef,
    to: Vec<TensorRef>,
}

impl OpCopy {
    /// Copies `from` to `to`.
    pub fn new<T: GpuData>(from: &Tensor<T>, to: &mut Tensor<T>) -> Self {
        Self { from: from.handle(), to: vec![to.handle()] }
    }

    /// Copies `from` to each of `to`; to none is allowed.
    pub fn to_all<T: GpuData>(from: &Tensor<T>, to: &mut [&mut Tensor<T>]) -> Self {
        Self { from: from.handle(), to: to.iter().map(|to| to.handle()).collect() }
    }
}

impl Op for OpCopy {
    fn name(&self) -> &str {
        "copy"
    }

    fn accesses(&self) -> Vec<Access> {
        std::iter::once(Access::read(&self.from)).chain(self.to.iter().map(Access::write)).collect()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        self.to.iter().try_for_each(|to| recorder.copy(&self.from, to))
    }
}
