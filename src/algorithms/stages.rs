//! The stages of an algorithm: launches and fills, put together when it is made and recorded as one operation. Each
//! algorithm wraps them in a type of its own.

use crate::ops::{Access, OpDispatch, OpFill, Recorder};
use crate::{Grid, Kernel, KernelArgs, Op, Result, Tensor, TensorRef};

/// Steps in the order in which they run.
#[derive(Debug)]
pub struct Stages {
    name: &'static str,
    stages: Vec<Stage>,
}

#[derive(Debug)]
enum Stage {
    Launch(Box<OpDispatch>),
    Words(TensorRef, OpFill<u32>),
}

impl Stages {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, stages: Vec::new() }
    }

    /// Appends a launch.
    pub(super) fn launch<K: Kernel>(&mut self, grid: Grid, arguments: impl FnOnce(KernelArgs) -> KernelArgs) {
        let launch = OpDispatch::new(grid, arguments(KernelArgs::new::<K>()));
        self.stages.push(Stage::Launch(Box::new(launch)));
    }

    /// Appends the stages of another algorithm.
    pub(super) fn append(&mut self, other: Self) {
        self.stages.extend(other.stages);
    }

    /// Appends setting every element of a tensor.
    pub(super) fn fill(&mut self, tensor: &mut Tensor<u32>, value: u32) {
        self.stages.push(Stage::Words(tensor.handle(), OpFill::new(tensor, value)));
    }
}

impl Op for Stages {
    fn name(&self) -> &str {
        self.name
    }

    fn accesses(&self) -> Vec<Access> {
        let of = |stage: &Stage| match stage {
            Stage::Launch(launch) => launch.accesses(),
            Stage::Words(tensor, _) => vec![Access::write(tensor)],
        };
        self.stages.iter().flat_map(of).collect()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        self.stages.iter().try_for_each(|stage| match stage {
            Stage::Launch(launch) => launch.record(recorder),
            Stage::Words(_, fill) => fill.record(recorder),
        })
    }
}
