//! The operation that launches a kernel.

use super::{Access, Op, Recorder};
use crate::args::KernelArgs;
use crate::error::Result;
use crate::grid::Grid;
use crate::tensor::TensorRef;

/// Launches a kernel; [`Sequence::dispatch`](crate::Sequence::dispatch) is the short way to record it.
#[derive(Debug, Clone)]
pub struct OpDispatch {
    grid: Grid,
    args: KernelArgs,
}

impl OpDispatch {
    /// A launch of `args`' kernel over `grid`.
    pub fn new(grid: Grid, args: KernelArgs) -> Self {
        Self { grid, args }
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
        self.args.buffers().iter().map(access).collect()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        recorder.dispatch(self.grid, self.args.clone())
    }
}
