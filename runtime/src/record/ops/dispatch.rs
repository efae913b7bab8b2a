//! The operation that launches a kernel.

use super::{Access, Op, Recorder};
use crate::core::error::Result;
use crate::memory::tensor::TensorRef;
use crate::record::args::KernelArgs;
use crate::record::indirect::{AnyGrid, GridSource};

/// Launches a kernel; [`Sequence::dispatch`](crate::Sequence::dispatch) is the short way to record it.
///
/// ```standalone_crate
/// # #[path = "../../../tests/devices/kernels.rs"]
/// # mod kernels;
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Grid, KernelArgs, ops::OpDispatch};
/// # use kernels::Saxpy;
///
/// # let manager = gridwise::Manager::host();
/// let (x, mut y) = (manager.tensor(&[1.0f32, 2.0])?, manager.tensor(&[10.0f32, 20.0])?);
/// let args = KernelArgs::new::<Saxpy>().value(3.0f32).read(&x).write(&mut y);
/// let launch = OpDispatch::new(Grid::items(2), args); // may be kept, and recorded in several sequences
/// manager.sequence()?.record(launch.clone())?.record(launch)?.eval()?;
/// assert_eq!(y.to_vec()?, [16.0, 32.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpDispatch {
    grid: AnyGrid,
    args: KernelArgs,
}

impl OpDispatch {
    /// A launch of `args`' kernel over `grid`.
    ///
    /// ```standalone_crate
    /// # #[path = "../../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Grid, KernelArgs, Op, ops::OpDispatch};
    /// # use kernels::Saxpy;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (x, mut y) = (manager.tensor(&[1.0f32])?, manager.tensor(&[2.0f32])?);
    /// let launch = OpDispatch::new(Grid::items(1), KernelArgs::new::<Saxpy>().value(1.0f32).read(&x).write(&mut y));
    /// assert_eq!((launch.name(), launch.accesses().len()), ("saxpy", 2));
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(grid: impl Into<AnyGrid>, args: KernelArgs) -> Self {
        Self { grid: grid.into(), args }
    }
}

impl Op for OpDispatch {
    fn name(&self) -> &str {
        self.args.descriptor.name
    }

    fn accesses(&self) -> Vec<Access> {
        let access = |buffer: &crate::record::steps::BufferArg| Access {
            tensor: TensorRef { buffer: buffer.buffer.clone() },
            is_write: buffer.is_written,
        };
        let arguments = self.args.buffers().iter().map(access);
        let grid = match &self.grid.0 {
            GridSource::Indirect(grid) => Some(Access::read(TensorRef { buffer: grid.counts().clone() })),
            GridSource::Known(_) => None,
        };
        arguments.chain(grid).collect()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        recorder.dispatch(self.grid.clone(), self.args.clone())
    }
}
