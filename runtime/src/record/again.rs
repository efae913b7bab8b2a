//! Decisions on launches, and memory, which recordings leave for the next one. Programs record the same launches again and again, and
//! those differ most often in a tensor or a number only. Nothing here changes what a launch does, or which one is refused.

use std::cell::RefCell;
use std::sync::Arc;

use gridwise_ir::descriptor::{KernelDescriptor, LaunchWord, ParamKind};

use crate::core::error::Result;
use crate::core::grid::Grid;
use crate::device::Device;
use crate::device::vulkan::Pipeline;
use crate::record::algorithm::{Variant, have_addresses};
use crate::record::args::Filled;
use crate::record::kernels;
use crate::record::launch::{Extent, PushBlock};
use crate::record::proven::Proven;
use crate::record::steps::{BufferArg, DispatchStep, Step};

/// The decisions on launches and the memory that a recording leaves for the next.
#[derive(Debug, Default)]
pub(crate) struct Again {
    /// The launches of the recording before, the first one last.
    spares: Vec<Spare>,
    /// The last decisions that were made.
    last: Option<Arc<Settled>>,
}

/// A launch that there is no more.
#[derive(Debug)]
struct Spare {
    settled: Arc<Settled>,
    /// Without anything in them.
    args: Box<Filled>,
}

/// The decisions on a launch.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) descriptor: &'static KernelDescriptor,
    /// The values of the kernel's const parameters.
    pub(crate) constants: &'static [u64],
    /// The workgroups that run.
    pub(crate) extent: Extent,
    /// The checks that the host made, which its pipeline leaves out.
    pub(crate) proven: Proven,
    /// The variant of the module.
    pub(crate) variant: Variant,
    /// `None` on the host device.
    pub(crate) pipeline: Option<Arc<Pipeline>>,
    /// All else that they follow from; none where more takes part in them.
    pub(crate) cause: Option<Cause>,
}

/// The cause of decisions on a launch, beside its kernel.
#[derive(Debug)]
pub(crate) struct Cause {
    grid: Grid,
    /// Whether the launch is all that is recorded of it: claims are cleared before.
    is_one_step: bool,
    /// Elements of each buffer.
    lens: Vec<u32>,
    /// The size of each image.
    extents: Vec<[u32; 3]>,
    /// The launch words that follow from all this, with their offsets.
    words: Vec<(u32, u32)>,
    /// The values, where a decision may depend on them.
    values: Option<PushBlock>,
}

impl Again {
    /// The most launches that are kept.
    const MOST: usize = 1024;

    /// Keeps what was not needed.
    pub(crate) fn give_back(&mut self, other: Self) {
        // Where there are some, they are of a newer recording.
        if self.spares.is_empty() {
            self.spares = other.spares;
        }
        self.last = other.last;
    }

    /// Keeps the launches among steps that there are no more, without all that they use.
    pub(crate) fn keep(&mut self, steps: &mut Vec<Step>) {
        self.spares.clear();
        for step in steps.drain(..) {
            if let (Step::Dispatch(DispatchStep { settled, mut args, .. }), true) =
                (step, self.spares.len() < Self::MOST)
            {
                args.clear();
                self.spares.push(Spare { settled, args });
            }
        }
        // The first that is recorded next is compared with the first of these.
        self.spares.reverse();
    }

    /// The launch in whose place the next one is recorded.
    pub(crate) fn next(&self) -> Option<&Arc<Settled>> {
        self.spares.last().map(|spare| &spare.settled)
    }

    /// The decisions on a launch that is like `first`, or like the last one that was decided on.
    pub(crate) fn known(
        &self,
        first: Option<&Arc<Settled>>,
        (descriptor, constants): (&'static KernelDescriptor, &'static [u64]),
        grid: &Grid,
        args: &Filled,
    ) -> Option<Arc<Settled>> {
        let is_like = |known: &&Arc<Settled>| known.are_of(descriptor, constants, grid, args);
        first.filter(is_like).or_else(|| self.last.as_ref().filter(is_like)).cloned()
    }

    /// Notes decisions.
    pub(crate) fn set_last(&mut self, settled: &Arc<Settled>) {
        self.last = Some(settled.clone());
    }

    /// Goes on to the next place.
    pub(crate) fn step(&mut self) {
        if let Some(Spare { args, .. }) = self.spares.pop() {
            args.let_go();
        }
    }
}

/// Memory for the arguments of launches.
#[expect(clippy::vec_box, reason = "the boxes are what is kept")]
struct Arguments(Vec<Box<Filled>>);

thread_local! {
    /// For the next launches that this thread records.
    static ARGUMENTS: RefCell<Arguments> = const { RefCell::new(Arguments(Vec::new())) };
}

/// The most that a thread keeps.
const MOST_ARGUMENTS: usize = 8;

impl Filled {
    /// No arguments, in memory that there is if possible.
    pub(crate) fn empty() -> Box<Self> {
        // A destructor of another thread-local may record when this one has run already.
        let kept = ARGUMENTS.try_with(|all| all.borrow_mut().0.pop());
        kept.ok().flatten().unwrap_or_default()
    }

    /// Keeps the memory for the next launch.
    fn let_go(self: Box<Self>) {
        let _ = ARGUMENTS.try_with(|all| {
            let all = &mut all.borrow_mut().0;
            if all.len() < MOST_ARGUMENTS {
                all.push(self);
            }
        });
    }

    fn clear(&mut self) {
        self.buffers.clear();
        self.parameters.clear();
        self.tables.clear();
    }
}

impl Settled {
    /// Adds the launch words to the arguments of a launch that has these decisions, too.
    pub(crate) fn tell(&self, args: &mut Filled) {
        let words = self.cause.as_ref().map_or(&[][..], |cause| &cause.words);
        words.iter().for_each(|(offset, word)| args.push.set_word(*offset, *word));
    }

    /// The same for a launch with a buffer that has no address.
    ///
    /// # Errors
    /// When the driver fails.
    pub(crate) fn without_addresses(&self, device: &Device) -> Result<Self> {
        let &Self { descriptor, constants, proven, .. } = self;
        let variant = Variant { by_address: false, ..self.variant };
        let pipeline = kernels::prepare(device, descriptor, constants, variant)?.pipeline.clone();
        Ok(Self { descriptor, constants, extent: self.extent, proven, variant, pipeline, cause: None })
    }

    /// Whether a launch like this is one step.
    pub(crate) fn is_one_step(&self) -> bool {
        self.cause.as_ref().is_some_and(|cause| cause.is_one_step)
    }

    /// Whether a launch has the same decisions.
    pub(crate) fn are_of(
        &self,
        descriptor: &'static KernelDescriptor,
        constants: &'static [u64],
        grid: &Grid,
        filled: &Filled,
    ) -> bool {
        let Some(Cause { grid: known, lens, extents, values, .. }) = &self.cause else { return false };
        let Filled { push, buffers, parameters, tables: _ } = filled;
        std::ptr::eq(self.descriptor, descriptor)
            && std::ptr::eq(self.constants, constants)
            && known == grid
            && parameters.is_empty()
            && (!self.variant.by_address || have_addresses(buffers))
            && lens.len() == buffers.len()
            && lens.iter().zip(buffers).all(|(len, argument)| *len == argument.buffer.len())
            && (extents.is_empty() || extents_of(buffers).eq(extents.iter().copied()))
            && values.as_ref().is_none_or(|values| values.bytes() == push.bytes())
    }
}

/// The sizes of the images among arguments. Which of these are images, the kernel says.
fn extents_of(buffers: &[BufferArg]) -> impl Iterator<Item = [u32; 3]> {
    buffers.iter().filter(|argument| argument.buffer.is_image()).map(|image| image.buffer.image_layout().extent)
}

impl Cause {
    /// The same with the launch words that a launch was told.
    pub(crate) fn with_words(self, descriptor: &KernelDescriptor, push: &PushBlock) -> Self {
        let word = |word: &LaunchWord| (word.offset, push.number(word.offset as u8, 4) as u32);
        Self { words: descriptor.launch_words.iter().map(word).collect(), ..self }
    }

    /// The cause of the decisions on a launch; none where more takes part in them. `filled` are its arguments as given.
    pub(crate) fn of(descriptor: &'static KernelDescriptor, grid: Grid, filled: &Filled) -> Option<Self> {
        let is_list = |kind: &ParamKind| matches!(kind, ParamKind::List { .. } | ParamKind::Images { .. });
        if !filled.parameters.is_empty() || descriptor.params.iter().any(|param| is_list(&param.kind)) {
            return None;
        }
        let batch = descriptor.batch.is_some_and(|batch| batch.obligations.asks_for_values());
        let asks_for_values =
            batch || descriptor.obligations.asks_for_values() || descriptor.conditions.asks_for_values();
        let values = asks_for_values.then_some(filled.push);
        let lens = filled.buffers.iter().map(|argument| argument.buffer.len()).collect();
        let extents = extents_of(&filled.buffers).collect();
        let has_claims = descriptor.params.iter().any(|param| matches!(param.kind, ParamKind::Claims { .. }));
        Some(Self { grid, is_one_step: !has_claims, lens, extents, words: Vec::new(), values })
    }
}
