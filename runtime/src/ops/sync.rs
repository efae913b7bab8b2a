//! Recorded transfers between a tensor and its host-side copy.
//!
//! [`Tensor::write`] and [`Tensor::to_vec`] transfer at once, and wait for the device. These operations transfer when
//! their sequence runs, in order with its other operations, so that a replayed sequence can take new input and leave
//! its output without any further call in between: [`Tensor::stage`] before, [`Tensor::staged`] after.

use super::{Access, Op, Recorder};
use crate::data::GpuData;
use crate::error::Result;
use crate::tensor::{Tensor, TensorRef};

/// Uploads a tensor's host-side copy, filled by [`Tensor::stage`], to the device.
#[derive(Debug, Clone)]
pub struct OpSyncDevice {
    pairs: Result<Vec<Transfer>>,
}

/// Downloads a tensor to its host-side copy, for [`Tensor::staged`].
#[derive(Debug, Clone)]
pub struct OpSyncHost {
    pairs: Result<Vec<Transfer>>,
}

#[derive(Debug, Clone)]
struct Transfer {
    from: TensorRef,
    to: TensorRef,
}

impl OpSyncDevice {
    /// Uploads `tensor`.
    pub fn new<T: GpuData>(tensor: &Tensor<T>) -> Self {
        Self::all([tensor.handle()])
    }

    /// Uploads several tensors, also of different types; none is allowed.
    pub fn all(tensors: impl IntoIterator<Item = TensorRef>) -> Self {
        let pair = |tensor: TensorRef| Ok(Transfer { from: tensor.staged()?, to: tensor });
        Self { pairs: tensors.into_iter().map(pair).collect() }
    }
}

impl OpSyncHost {
    /// Downloads `tensor`.
    pub fn new<T: GpuData>(tensor: &Tensor<T>) -> Self {
        Self::all([tensor.handle()])
    }

    /// Downloads several tensors, also of different types; none is allowed.
    pub fn all(tensors: impl IntoIterator<Item = TensorRef>) -> Self {
        let pair = |tensor: TensorRef| Ok(Transfer { to: tensor.staged()?, from: tensor });
        Self { pairs: tensors.into_iter().map(pair).collect() }
    }
}

macro_rules! transfer_op {
    ($ty:ty, $name:literal) => {
        impl Op for $ty {
            fn name(&self) -> &str {
                $name
            }

            fn accesses(&self) -> Vec<Access> {
                accesses(&self.pairs)
            }

            fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
                record(&self.pairs, recorder)
            }
        }
    };
}

transfer_op!(OpSyncDevice, "sync to device");
transfer_op!(OpSyncHost, "sync to host");

fn accesses(pairs: &Result<Vec<Transfer>>) -> Vec<Access> {
    let pairs = pairs.iter().flatten();
    pairs.flat_map(|pair| [Access::read(&pair.from), Access::write(&pair.to)]).collect()
}

fn record(pairs: &Result<Vec<Transfer>>, recorder: &mut Recorder<'_>) -> Result<()> {
    let pairs = pairs.as_ref().map_err(Clone::clone)?;
    pairs.iter().try_for_each(|pair| recorder.copy(&pair.from, &pair.to))
}
