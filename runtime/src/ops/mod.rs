//! Operations that sequences record. Each declares the tensors it reads and writes; users add their own by [`Op`].

mod barrier;
mod copy;
mod dispatch;
mod event;
mod fill;
mod host;
mod image;
mod multiply;
mod recorder;
mod sync;

pub use barrier::OpBarrier;
pub use copy::OpCopy;
pub use dispatch::OpDispatch;
pub use event::{OpSignal, OpWait};
pub use fill::OpFill;
pub use host::OpHost;
pub use image::{OpClearImage, OpCopyImage, OpGenerateLevels};
pub use multiply::OpMultiply;
pub use recorder::Recorder;
pub use sync::{OpSyncDevice, OpSyncHost};

use crate::error::Result;
use crate::tensor::TensorRef;

/// Something a [`Sequence`](crate::Sequence) can record.
///
/// An operation is built of the steps a [`Recorder`] offers. It may touch only the tensors it declares.
///
/// ```
/// use gridwise_runtime::{Manager, Result, TensorRef, ops::{Access, Op, Recorder}};
///
/// /// Exchanges two tensors by way of a third.
/// struct Swap { a: TensorRef, b: TensorRef, spare: TensorRef }
///
/// impl Op for Swap {
///     fn name(&self) -> &str {
///         "swap"
///     }
///
///     fn accesses(&self) -> Vec<Access> {
///         [&self.a, &self.b, &self.spare].into_iter().flat_map(|t| [Access::read(t), Access::write(t)]).collect()
///     }
///
///     fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
///         recorder.copy(&self.a, &self.spare)?;
///         recorder.copy(&self.b, &self.a)?;
///         recorder.copy(&self.spare, &self.b)
///     }
/// }
///
/// # fn main() -> Result<()> {
/// let manager = Manager::host();
/// let (a, b, spare) = (manager.tensor(&[1u32])?, manager.tensor(&[2u32])?, manager.tensor_of_len::<u32>(1)?);
/// let sequence = manager.sequence()?;
/// sequence.record(Swap { a: a.handle(), b: b.handle(), spare: spare.handle() })?;
/// sequence.eval()?;
/// assert_eq!((a.to_vec()?, b.to_vec()?), (vec![2], vec![1]));
/// # Ok(())
/// # }
/// ```
pub trait Op {
    /// A name for errors.
    fn name(&self) -> &str;

    /// Every tensor the operation uses, and how.
    fn accesses(&self) -> Vec<Access>;

    /// Adds the operation's steps to a recording.
    ///
    /// # Errors
    /// Those of the recorder; the sequence then keeps none of the steps.
    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()>;
}

/// That an operation reads or writes a tensor.
#[derive(Debug, Clone)]
pub struct Access {
    /// The tensor.
    pub tensor: TensorRef,
    /// Whether it is written.
    pub is_write: bool,
}

impl Access {
    /// Reads `tensor`.
    pub fn read(tensor: impl Into<TensorRef>) -> Self {
        Self { tensor: tensor.into(), is_write: false }
    }

    /// Writes `tensor`.
    pub fn write(tensor: impl Into<TensorRef>) -> Self {
        Self { tensor: tensor.into(), is_write: true }
    }
}

impl From<&TensorRef> for TensorRef {
    fn from(tensor: &TensorRef) -> Self {
        tensor.clone()
    }
}
