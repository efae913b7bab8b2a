//! The operation that copies one tensor to others.

use super::{Access, Op, Recorder};
use crate::core::error::Result;
use crate::memory::data::GpuData;
use crate::memory::tensor::{Tensor, TensorRef};

/// Copies a tensor to one or more others of the same length, on the device.
///
/// Either tensor may belong to another manager. Then the host divides the recording there, as for an [`OpHost`](super::OpHost): it waits
/// for the earlier operations, and copies in one of the ways of [`CopyWay`](crate::CopyWay). The run reserves the other manager's tensor
/// until it is over.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::ops::OpCopy;
///
/// # let manager = gridwise::Manager::host();
/// let from = manager.tensor(&[1u32, 2])?;
/// let mut to = manager.tensor_of_len(2)?;
/// manager.sequence()?.record(OpCopy::new(&from, &mut to))?.eval()?;
/// assert_eq!(to.to_vec()?, [1, 2]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpCopy {
    from: TensorRef,
    to: Vec<TensorRef>,
}

impl OpCopy {
    /// Copies `from` to `to`.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpCopy;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (mut state, mut saved) = (manager.tensor(&[1.5f32])?, manager.tensor(&[0.0f32])?);
    /// let save = manager.sequence()?;
    /// save.record(OpCopy::new(&state, &mut saved))?.eval()?;
    /// state.write(&[9.0])?;
    /// manager.sequence()?.record(OpCopy::new(&saved, &mut state))?.eval()?; // back to what was saved
    /// assert_eq!(state.to_vec()?, [1.5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new<T: GpuData>(from: &Tensor<T>, to: &mut Tensor<T>) -> Self {
        Self { from: from.handle(), to: vec![to.handle()] }
    }

    /// Copies `from` to each of `to`; to none is allowed.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpCopy;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let from = manager.tensor(&[1u32, 2])?;
    /// let (mut one, mut other) = (manager.tensor_of_len(2)?, manager.tensor_of_len(2)?);
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpCopy::to_all(&from, &mut [&mut one, &mut other]))?.eval()?;
    /// assert_eq!((one.to_vec()?, other.to_vec()?), (vec![1, 2], vec![1, 2]));
    /// # Ok(())
    /// # }
    /// ```
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
        let place = |at: usize| match self.to.len() {
            1 => "argument 2, `to`, of `OpCopy`".to_owned(),
            _ => format!("argument 2, `to[{at}]`, of `OpCopy`"),
        };
        let mut to = self.to.iter().enumerate();
        to.try_for_each(|(at, to)| recorder.copy(&self.from, to).map_err(|error| error.of_target(|| place(at))))
    }
}
