//! The operation that launches a kernel.

use super::{Access, Op, Recorder};
use crate::args::KernelArgs;
use crate::error::Result;
use crate::indirect::{AnyGrid, GridSource};
use crate::tensor::TensorRef;

/// Launches a kernel; [`Sequence::dispatch`](crate::Sequence::dispatch) is the short way to record it.
#[derive(Debug, Clone)]
pub struct OpDispatch {
    grid: AnyGrid,
    args: KernelArgs,
}

impl OpDispatch {
    /// A launch of `args`' kernel over `grid`.
    pub fn new(grid: impl Into<AnyGrid>, args: KernelArgs) -> Self {
        Self { grid: grid.into(), args }
    }
}

impl Op for OpDispatch {
    fn name(&self) -> &str {
        self.args.descriptor.name
    }

    fn accesses(&self) -> Vec<Access> {
        let access = |buffer: &crate::steps::BufferArg| Access {
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
