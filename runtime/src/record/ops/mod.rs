//! Operations that sequences record. Each declares the tensors it reads and writes; users add their own by [`Op`].

mod barrier;
mod commands;
mod copy;
mod copy_box;
mod dispatch;
mod event;
mod fill;
mod guard;
mod host;
mod image;
mod launches;
mod multiply;
mod recorder;
mod sync;

pub use barrier::OpBarrier;
pub(crate) use commands::CommandsStep;
pub use commands::VulkanCommands;
pub use copy::OpCopy;
pub use copy_box::{BoxIn, OpCopyBox};
pub use dispatch::OpDispatch;
pub use event::{OpSignal, OpWait};
pub use fill::OpFill;
pub use host::OpHost;
pub use image::{OpClearImage, OpCopyImage, OpGenerateLevels};
pub use multiply::OpMultiply;
pub use recorder::Recorder;
pub use sync::{OpSyncDevice, OpSyncHost};

use crate::core::error::Result;
use crate::memory::tensor::TensorRef;

/// Something a [`Sequence`](crate::Sequence) can record.
///
/// An operation consists of steps that it gives to a [`Recorder`]. It may access only the tensors that it declares.
///
/// ```
/// use gridwise::{Manager, Result, TensorRef, ops::{Access, Op, Recorder}};
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
    ///
    /// ```
    /// use gridwise::{Op, ops::OpBarrier};
    ///
    /// assert_eq!(OpBarrier.name(), "barrier");
    /// ```
    fn name(&self) -> &str;

    /// Every tensor that the operation uses, with the kind of access.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Op, ops::OpFill};
    ///
    /// let mut tensor = gridwise::Manager::host().tensor(&[1u32])?;
    /// let accesses = OpFill::new(&mut tensor, 0).accesses();
    /// assert!(accesses.len() == 1 && accesses[0].is_write);
    /// # Ok(())
    /// # }
    /// ```
    fn accesses(&self) -> Vec<Access>;

    /// Adds the operation's steps to a recording.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Op, Result, ops::{Access, OpCopy, OpFill, Recorder}};
    ///
    /// /// One operation made of two.
    /// struct FillAndCopy(OpFill<f32>, OpCopy);
    ///
    /// impl Op for FillAndCopy {
    ///     fn name(&self) -> &str { "fill and copy" }
    ///     fn accesses(&self) -> Vec<Access> { [self.0.accesses(), self.1.accesses()].concat() }
    ///     fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
    ///         self.0.record(recorder)?;
    ///         self.1.record(recorder)
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of the recorder's methods. Then the sequence keeps none of the steps.
    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()>;
}

/// An operation's read or write of a tensor.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::ops::Access;
///
/// # let manager = gridwise::Manager::host();
/// let (from, to) = (manager.tensor(&[1u32])?, manager.tensor(&[2u32])?);
/// let accesses = [Access::read(&from), Access::write(&to)]; // what an `Op` that copies declares
/// assert_eq!(accesses.map(|access| access.is_write), [false, true]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Access {
    /// The tensor.
    pub tensor: TensorRef,
    /// Whether it is written.
    pub is_write: bool,
}

impl Access {
    /// Reads `tensor`.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::Access;
    ///
    /// let tensor = gridwise::Manager::host().tensor(&[1u32])?;
    /// assert!(!Access::read(&tensor).is_write);
    /// # Ok(())
    /// # }
    /// ```
    pub fn read(tensor: impl Into<TensorRef>) -> Self {
        Self { tensor: tensor.into(), is_write: false }
    }

    /// Writes `tensor`.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::Access;
    ///
    /// let tensor = gridwise::Manager::host().tensor(&[1u32])?;
    /// // A tensor that is read as well is declared twice: once so, once by `Access::read`.
    /// assert!(Access::write(&tensor).is_write);
    /// # Ok(())
    /// # }
    /// ```
    pub fn write(tensor: impl Into<TensorRef>) -> Self {
        Self { tensor: tensor.into(), is_write: true }
    }
}

impl From<&TensorRef> for TensorRef {
    fn from(tensor: &TensorRef) -> Self {
        tensor.clone()
    }
}
