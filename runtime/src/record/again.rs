//! Memory of launches that there are no more, and the decisions on the last one: programs record the same launches again and again, and
//! those differ most often in a tensor or a number only. Nothing here changes what a launch does, or which one is refused.

use std::sync::Arc;

use gridwise_ir::descriptor::{KernelDescriptor, ParamKind};

use crate::core::grid::Grid;
use crate::device::vulkan::Pipeline;
use crate::record::args::Filled;
use crate::record::launch::{Extent, PushBlock};
use crate::record::steps::{DispatchStep, Step};

/// Memory and decisions that a recording leaves for the next.
#[derive(Debug, Default)]
pub(crate) struct Again {
    pub(crate) steps: SpareSteps,
    pub(crate) last: Option<Box<LastLaunch>>,
}

/// The memory of launches that there are no more.
#[derive(Debug, Default)]
#[expect(clippy::vec_box, reason = "the boxes are what is kept")]
pub(crate) struct SpareSteps(Vec<Box<DispatchStep>>);

/// The decisions on a launch, which follow from its kernel, its grid, the lengths of its arguments and some of its values.
#[derive(Debug, Clone)]
pub(crate) struct Settled {
    /// The grid as it was asked for, which the kernel is told.
    pub(crate) asked: Extent,
    /// The workgroups that run.
    pub(crate) extent: Extent,
    pub(crate) is_proven: bool,
    pub(crate) pipeline: Option<Arc<Pipeline>>,
}

/// The last launch, as far as its decisions depend on it.
#[derive(Debug)]
pub(crate) struct LastLaunch {
    descriptor: &'static KernelDescriptor,
    constants: &'static [u64],
    grid: Grid,
    /// Elements of each buffer.
    lens: Vec<u32>,
    /// The values, where a decision may depend on them.
    values: Option<PushBlock>,
    pub(crate) settled: Settled,
}

impl Again {
    /// Keeps what was not needed, beside what there is by now.
    pub(crate) fn give_back(&mut self, mut other: Self) {
        self.steps.append(&mut other.steps);
        self.last = other.last;
    }
}

impl SpareSteps {
    /// The most that are kept.
    const MOST: usize = 1024;

    /// Keeps the memory of steps, and lets go of all that they use.
    pub(crate) fn keep(&mut self, steps: &mut Vec<Step>) {
        for step in steps.drain(..) {
            if let (Step::Dispatch(mut launch), true) = (step, self.0.len() < Self::MOST) {
                launch.let_go();
                self.0.push(launch);
            }
        }
        // The first that is recorded next has the memory of the first of these.
        self.0.reverse();
    }

    /// Adds others, which are taken first.
    fn append(&mut self, others: &mut Self) {
        match self.0.is_empty() {
            true => std::mem::swap(self, others),
            false => self.0.append(&mut others.0),
        }
        self.0.truncate(Self::MOST);
    }

    /// A launch in such memory.
    pub(crate) fn take(&mut self, mut launch: DispatchStep) -> Box<DispatchStep> {
        let Some(mut spare) = self.0.pop() else { return Box::new(launch) };
        let mut buffers = std::mem::take(&mut spare.buffers);
        buffers.append(&mut launch.buffers);
        launch.buffers = buffers;
        *spare = launch;
        spare
    }
}

impl LastLaunch {
    /// The launch as the next ones are compared with; none where more takes part in its decisions. `filled` are its arguments as given.
    pub(crate) fn of(
        descriptor: &'static KernelDescriptor,
        constants: &'static [u64],
        grid: Grid,
        filled: &Filled,
    ) -> Option<impl FnOnce(Settled) -> Self + use<>> {
        let is_list = |kind: &ParamKind| matches!(kind, ParamKind::List { .. } | ParamKind::Images { .. });
        if !filled.parameters.is_empty() || descriptor.params.iter().any(|param| is_list(&param.kind)) {
            return None;
        }
        let batch = descriptor.batch.is_some_and(|batch| batch.obligations.asks_for_values());
        let asks_for_values =
            batch || descriptor.obligations.asks_for_values() || descriptor.conditions.asks_for_values();
        let values = asks_for_values.then_some(filled.push);
        let lens = filled.buffers.iter().map(|argument| argument.buffer.len()).collect();
        Some(move |settled| Self { descriptor, constants, grid, lens, values, settled })
    }

    /// Whether a launch has the same decisions.
    pub(crate) fn is_like(
        &self,
        descriptor: &'static KernelDescriptor,
        constants: &'static [u64],
        grid: Grid,
        filled: &Filled,
    ) -> bool {
        let Filled { push, buffers, parameters, tables: _ } = filled;
        std::ptr::eq(self.descriptor, descriptor)
            && std::ptr::eq(self.constants, constants)
            && self.grid == grid
            && parameters.is_empty()
            && self.lens.len() == buffers.len()
            && self.lens.iter().zip(buffers).all(|(len, argument)| *len == argument.buffer.len())
            && self.values.as_ref().is_none_or(|values| values.bytes() == push.bytes())
    }
}
