//! The steps of a recording, for both devices: dispatches, copies, fills; all checked when recorded.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use gridwise_ir::descriptor::{KernelDescriptor, Sampler};

use crate::core::error::{Error, KernelName, Result};
use crate::core::sync::hazard::{Stage, Touch};
use crate::core::sync::levels;
use crate::core::sync::schedule::WHOLE;
use crate::device::Device;
use crate::memory::buffer::Buffer;
use crate::record::again::Settled;
use crate::record::algorithm::have_addresses;
use crate::record::args::Filled;
use crate::record::event::Mark;
use crate::record::hooks::HostCall;
use crate::record::indirect::Indirect;
use crate::record::kernel::HostFn;
use crate::record::launch::PushBlock;
use crate::record::mismatch::place_of;
use crate::record::module::Loaded;
use crate::record::ops::CommandsStep;

/// One step of a recording.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Dispatch(DispatchStep),
    Module(Box<ModuleStep>),
    /// All before, then all after.
    Barrier,
    /// All before, then a call of the host, then all after. Whoever runs a recording divides it there.
    Host(HostCall),
    /// All before, then something that takes another manager's part, then all after. Divided likewise.
    Between(Between),
    /// The run sets an event.
    Signal(Arc<Mark>),
    /// The run begins behind what set an event last.
    WaitFor(Arc<Mark>),
    /// Invariant: both ranges lie in their buffers.
    Copy {
        from: Arc<Buffer>,
        from_offset: u64,
        to: Arc<Buffer>,
        to_offset: u64,
        bytes: u64,
    },
    CopyBox(Box<CopyBoxStep>),
    /// Invariant: `bytes` are whole words of the buffer's memory, and a multiple of the pattern's, which is not empty.
    Fill {
        buffer: Arc<Buffer>,
        pattern: Vec<u32>,
        bytes: u64,
    },
    Image(ImageStep),
    /// All before, then commands of an application's own, then all after; never on the host device.
    Commands(Box<CommandsStep>),
}

/// A step that takes another manager's part.
#[derive(Debug, Clone)]
pub(crate) enum Between {
    /// A copy of a whole tensor to another manager's, or from there. Invariant: both have as many bytes.
    Copy { own: Arc<Buffer>, foreign: Arc<Buffer>, is_sent: bool },
    /// The run goes on behind what set another manager's event last.
    WaitFor(Arc<Mark>),
}

/// A copy of rows that lie apart. Invariant: they lie in the spans, and none that is written has a byte in common with another.
#[derive(Debug, Clone)]
pub(crate) struct CopyBoxStep {
    /// The buffer, and the bytes from the first to behind the last that is read.
    pub(crate) from: (Arc<Buffer>, Range<u64>),
    /// The same of those that are written.
    pub(crate) to: (Arc<Buffer>, Range<u64>),
    pub(crate) rows: Vec<Row>,
}

/// Bytes that lie beside each other in both buffers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) bytes: u64,
}

/// An operation of a recording, with its steps.
#[derive(Debug, Clone)]
pub(crate) struct RecordedOp {
    pub(crate) name: Cow<'static, str>,
    pub(crate) steps: Range<usize>,
}

/// Numbers of the operations in the order in which they are best encoded; `None` for the order of the recording.
pub(crate) fn by_level(steps: &[Step], ops: &[RecordedOp]) -> Option<Vec<usize>> {
    levels::by_level(ops.len(), |op, touches| {
        let mut is_barrier = false;
        for step in &steps[ops[op].steps.clone()] {
            is_barrier |= !step.for_each_touch(|_, touch| touches.push(touch));
        }
        is_barrier
    })
}

/// A step on the texels of images. Invariant: levels exist, tensors have the bytes that are told, and formats are
/// alike.
#[derive(Debug, Clone)]
pub(crate) enum ImageStep {
    /// From a tensor, whose rows begin `row_length` texels apart.
    In {
        tensor: Arc<Buffer>,
        bytes: u64,
        row_length: u32,
        image: Arc<Buffer>,
        level: u32,
    },
    /// To a tensor.
    Out {
        image: Arc<Buffer>,
        level: u32,
        row_length: u32,
        tensor: Arc<Buffer>,
        bytes: u64,
    },
    /// From image to image: never the same.
    Copy {
        from: Arc<Buffer>,
        to: Arc<Buffer>,
        level: u32,
    },
    Clear {
        image: Arc<Buffer>,
        texel: [u32; 4],
    },
    /// A level from the one before.
    Shrink {
        image: Arc<Buffer>,
        level: u32,
    },
}

impl ImageStep {
    /// Calls `f` for each buffer or image the step uses, with what it uses of it and whether it writes that: images as a whole.
    pub(crate) fn for_each_use(&self, mut f: impl FnMut(&Arc<Buffer>, Range<u64>, bool)) {
        match self {
            Self::In { tensor, bytes, image, .. } => {
                f(tensor, tensor.in_memory(0..*bytes), false);
                f(image, WHOLE, true);
            }
            Self::Out { image, tensor, bytes, .. } => {
                f(image, WHOLE, false);
                f(tensor, tensor.in_memory(0..*bytes), true);
            }
            Self::Copy { from, to, .. } => {
                f(from, WHOLE, false);
                f(to, WHOLE, true);
            }
            Self::Clear { image, .. } | Self::Shrink { image, .. } => f(image, WHOLE, true),
        }
    }

    /// The accesses of the step to memory; the bytes of an image are those of its texels one after the other.
    pub(crate) fn touches(&self) -> Vec<Touch> {
        let tensor = |buffer: &Buffer, bytes, is_write| buffer.touch(0..bytes, is_write);
        let image = |buffer: &Buffer, level, is_write| buffer.touch(buffer.image_layout().bytes_of(level), is_write);
        match self {
            Self::In { tensor: from, bytes, image: to, level, .. } => {
                vec![tensor(from, *bytes, false), image(to, *level, true)]
            }
            Self::Out { image: from, level, tensor: to, bytes, .. } => {
                vec![image(from, *level, false), tensor(to, *bytes, true)]
            }
            Self::Copy { from, to, level } => vec![image(from, *level, false), image(to, *level, true)],
            Self::Clear { image, .. } => vec![tensor(image, image.bytes(), true)],
            Self::Shrink { image: all, level } => vec![image(all, level - 1, false), image(all, *level, true)],
        }
    }
}

/// One launch of a kernel. Invariant: not empty, and within the device's limits.
#[derive(Debug, Clone)]
pub(crate) struct DispatchStep {
    /// The kernel, and what was decided; the same for many launches.
    pub(crate) settled: Arc<Settled>,
    pub(crate) host: HostFn,
    pub(crate) args: Box<Filled>,
    /// The place of the grid, if it is not the settled extent, which is the largest there can be then.
    pub(crate) indirect: Option<Box<Indirect>>,
    /// The launch whose grid this one checks.
    pub(crate) guards: Option<Box<Guarded>>,
}

/// A launch whose grid another one checks.
#[derive(Debug, Clone)]
pub(crate) struct Guarded {
    pub(crate) kernel: KernelName,
    pub(crate) limit: [u32; 3],
}

impl DispatchStep {
    /// The push constants of a run on the host device, which has begun.
    pub(crate) fn push_of_run(&self) -> PushBlock {
        let mut push = self.args.push;
        self.args.parameters.iter().for_each(|parameter| parameter.put(&mut push));
        push
    }

    /// Whether the launch can trap, and so needs a record.
    pub(crate) fn can_trap(&self) -> bool {
        let Settled { descriptor, proven, .. } = &*self.settled;
        descriptor.trap_binding.is_some() && (descriptor.traps_anyway || !proven.is_all())
    }
}

impl Step {
    /// Whether it launches a kernel with checks that the kernel has only where a launch does not meet some condition.
    pub(crate) fn keeps_checks(&self) -> bool {
        self.dispatch().is_some_and(|dispatch| {
            let Settled { descriptor, proven, .. } = &*dispatch.settled;
            !descriptor.obligations.is_empty() && !proven.is_all()
        })
    }
}

/// One launch of a module that was loaded. Invariant: not empty, within the device's limits, and never on the host device.
#[derive(Debug, Clone)]
pub(crate) struct ModuleStep {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) buffers: Vec<BufferArg>,
    pub(crate) push: Vec<u8>,
    pub(crate) groups: [u32; 3],
    /// The place of the grid, if it is not `groups`.
    pub(crate) indirect: Option<Indirect>,
}

/// A buffer argument of a launch.
#[derive(Debug, Clone)]
pub(crate) struct BufferArg {
    pub(crate) buffer: Arc<Buffer>,
    /// Position of the parameter in the kernel's signature.
    pub(crate) param: u32,
    pub(crate) binding: u32,
    pub(crate) is_written: bool,
    /// How an image is sampled, if it is.
    pub(crate) sampler: Option<Sampler>,
    pub(crate) role: Role,
}

/// The role of a buffer for its parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The argument itself.
    Whole,
    /// The argument itself, whose elements are fetched as texels.
    Texels,
    /// One of a list, in order. Nothing is bound for it: kernels find it by the list's table.
    Member,
    /// The table of a list.
    Table,
}

/// Elements of the argument for a parameter, or of a list the buffers; zero without one.
pub(crate) fn len_of(arguments: &[BufferArg], param: u32) -> u32 {
    let mut own = arguments.iter().filter(|argument| argument.param == param);
    match own.next() {
        Some(BufferArg { role: Role::Whole | Role::Texels, buffer, .. }) => buffer.len(),
        Some(first) => {
            let others = own.filter(|argument| argument.role == Role::Member).count() as u32;
            others + u32::from(first.role == Role::Member)
        }
        None => 0,
    }
}

/// The size of the image for a parameter, in its first level; zeros where it is none.
pub(crate) fn extent_of(arguments: &[BufferArg], param: u32) -> [u32; 3] {
    let image = arguments.iter().find(|argument| argument.param == param && argument.role == Role::Whole);
    image.filter(|image| image.buffer.is_image()).map_or([0; 3], |image| image.buffer.image_layout().extent)
}

impl BufferArg {
    /// The accesses that the launch may make to it; for storage images to the first level.
    pub(crate) fn touch(&self) -> Touch {
        let bytes = match self.buffer.is_image() && self.sampler.is_none() {
            true => self.buffer.image_layout().bytes_of(0),
            false => self.buffer.words(),
        };
        Touch { resource: self.buffer.id, bytes, is_write: self.is_written }
    }
}

impl DispatchStep {
    /// Invocations per workgroup.
    pub(crate) fn workgroup(&self) -> [u32; 3] {
        self.settled.descriptor.workgroup_with(self.settled.constants)
    }
}

/// The place of a grid in a tensor, in errors.
pub(crate) const GRID: &str = "the grid";

/// Tells the buffer that takes another's place; `None` where that one stays.
pub(crate) type Follow<'f> = &'f dyn Fn(&Arc<Buffer>) -> Result<Option<Arc<Buffer>>>;

/// Names the argument at a position, in errors.
type PlaceOf<'p> = &'p dyn Fn(&[BufferArg], usize) -> String;

/// Puts buffers in the place of arguments, and makes the tables of lists anew.
fn follow_all(
    arguments: &mut Vec<BufferArg>,
    indirect: Option<&mut Indirect>,
    lists: Option<(&Arc<Device>, &'static KernelDescriptor)>,
    (by, place): (Follow<'_>, PlaceOf<'_>),
) -> Result<()> {
    let mut is_changed = false;
    for at in 0..arguments.len() {
        let followed = follow(&mut arguments[at].buffer, by);
        is_changed |= followed.map_err(|error| error.of_argument(|| place(arguments, at)))?;
    }
    if let Some(indirect) = indirect {
        follow(&mut indirect.command, by).map_err(|error| error.of_argument(|| GRID.to_owned()))?;
    }
    match lists {
        Some((device, descriptor)) if is_changed && arguments.iter().any(|argument| argument.role == Role::Table) => {
            let mut given = std::mem::take(arguments);
            given.retain(|argument| argument.role != Role::Table);
            *arguments = crate::record::lists::with_tables(device, descriptor, given)?;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Whether there is another buffer in the place of this one, which it then is.
fn follow(buffer: &mut Arc<Buffer>, by: Follow<'_>) -> Result<bool> {
    let followed = by(buffer)?;
    let is_changed = followed.is_some();
    if let Some(followed) = followed {
        *buffer = followed;
    }
    Ok(is_changed)
}

impl Step {
    /// Puts the memory that rebuilt tensors have by now in the place of what they had.
    ///
    /// # Errors
    /// When a tensor has another length.
    pub(crate) fn follow_rebuilt(&mut self, device: &Arc<Device>) -> Result<()> {
        if let Self::Commands(step) = self {
            // Commands that the application recorded have the memory that there was.
            return step.uses.iter().try_for_each(|(buffer, _)| match buffer.current()? {
                None => Ok(()),
                Some(current) => {
                    let (tensor, recorded) = (buffer.name().into(), buffer.len() as usize);
                    Err(Error::TensorRebuilt { tensor, recorded, now: Some(current.len() as usize) })
                }
            });
        }
        self.follow(device, &|buffer| buffer.current())
    }

    /// Puts other buffers in the place of those that it uses; commands of an application's own stay as they are.
    ///
    /// # Errors
    /// Those of `by`, and when there is no memory for the table of a list.
    pub(crate) fn follow(&mut self, device: &Arc<Device>, by: Follow<'_>) -> Result<()> {
        match self {
            Self::Dispatch(step) => {
                let descriptor = step.settled.descriptor;
                let lists = Some((device, descriptor));
                let place = |arguments: &[BufferArg], at| place_of(descriptor, arguments, at);
                follow_all(&mut step.args.buffers, step.indirect.as_deref_mut(), lists, (by, &place))?;
                if step.settled.variant.by_address && !have_addresses(&step.args.buffers) {
                    step.settled = Arc::new(step.settled.without_addresses(device)?);
                }
                Ok(())
            }
            Self::Module(step) => {
                let loaded = step.loaded.clone();
                let place = |arguments: &[BufferArg], at: usize| loaded.place_of(&arguments[at]);
                follow_all(&mut step.buffers, step.indirect.as_mut(), None, (by, &place))
            }
            Self::Copy { from, to, .. } | Self::Image(ImageStep::Copy { from, to, .. }) => {
                follow(from, by).and_then(|_| follow(to, by)).map(drop)
            }
            Self::Between(Between::Copy { own, foreign, .. }) => {
                // Another manager's tensor changes no places here, and its number is another's here.
                follow(own, by).and_then(|_| follow(foreign, &|buffer| buffer.current())).map(drop)
            }
            Self::CopyBox(step) => follow(&mut step.from.0, by).and_then(|_| follow(&mut step.to.0, by)).map(drop),
            Self::Fill { buffer, .. } => follow(buffer, by).map(drop),
            Self::Image(ImageStep::In { tensor, image, .. } | ImageStep::Out { tensor, image, .. }) => {
                follow(tensor, by).and_then(|_| follow(image, by)).map(drop)
            }
            Self::Image(ImageStep::Clear { image, .. } | ImageStep::Shrink { image, .. }) => {
                follow(image, by).map(drop)
            }
            Self::Barrier
            | Self::Host(_)
            | Self::Between(Between::WaitFor(_))
            | Self::Signal(_)
            | Self::WaitFor(_)
            | Self::Commands(_) => Ok(()),
        }
    }

    /// The argument of the launch that some buffer is, in the words of errors; `None` where it is none.
    pub(crate) fn place_of(&self, is_meant: impl Fn(&Buffer) -> bool) -> Option<String> {
        let at = |arguments: &[BufferArg]| arguments.iter().position(|argument| is_meant(&argument.buffer));
        let (place, indirect) = match self {
            Self::Dispatch(step) => {
                let buffers = &step.args.buffers;
                let place = at(buffers).map(|at| place_of(step.settled.descriptor, buffers, at));
                (place, step.indirect.as_deref())
            }
            Self::Module(step) => {
                (at(&step.buffers).map(|at| step.loaded.place_of(&step.buffers[at])), step.indirect.as_ref())
            }
            _ => return None,
        };
        place.or_else(|| indirect.filter(|grid| is_meant(&grid.command)).map(|_| GRID.to_owned()))
    }

    /// The launch, if it is one.
    pub(crate) fn dispatch(&self) -> Option<&DispatchStep> {
        match self {
            Self::Dispatch(dispatch) => Some(dispatch),
            _ => None,
        }
    }

    /// Whether the host divides recordings here.
    pub(crate) fn is_divider(&self) -> bool {
        matches!(self, Self::Host(_) | Self::Between(_))
    }

    /// The tensor of another manager that it uses.
    pub(crate) fn foreign(&self) -> Option<&Arc<Buffer>> {
        match self {
            Self::Between(Between::Copy { foreign, .. }) => Some(foreign),
            _ => None,
        }
    }

    /// Calls `f` for each buffer of the recording's device that the step uses, with what it uses of its memory and whether it writes that.
    pub(crate) fn for_each_use(&self, mut f: impl FnMut(&Arc<Buffer>, Range<u64>, bool)) {
        let mut of_launch = |arguments: &[BufferArg], indirect: Option<&Indirect>| {
            for argument in arguments {
                f(&argument.buffer, argument.buffer.used(), argument.is_written);
            }
            indirect.iter().for_each(|indirect| f(&indirect.command, indirect.touch().bytes, false));
        };
        match self {
            Self::Dispatch(dispatch) => of_launch(&dispatch.args.buffers, dispatch.indirect.as_deref()),
            Self::Module(module) => of_launch(&module.buffers, module.indirect.as_ref()),
            Self::Copy { from, from_offset, to, to_offset, bytes } => {
                f(from, from.in_memory(*from_offset..from_offset + bytes), false);
                f(to, to.in_memory(*to_offset..to_offset + bytes), true);
            }
            Self::CopyBox(step) => {
                f(&step.from.0, step.from.0.in_memory(step.from.1.clone()), false);
                f(&step.to.0, step.to.0.in_memory(step.to.1.clone()), true);
            }
            Self::Fill { buffer, bytes, .. } => f(buffer, buffer.in_memory(0..*bytes), true),
            Self::Image(image) => image.for_each_use(f),
            Self::Commands(commands) => commands.uses.iter().for_each(|(buffer, is_write)| {
                f(buffer, buffer.used(), *is_write);
            }),
            Self::Between(Between::Copy { own, is_sent, .. }) => f(own, own.in_memory(0..own.bytes()), !is_sent),
            Self::Barrier | Self::Host(_) | Self::Between(Between::WaitFor(_)) | Self::Signal(_) | Self::WaitFor(_) => {
            }
        }
    }

    /// The accesses of the step to memory, with the stage, by command; nothing for a barrier.
    pub(crate) fn touches(&self) -> Option<Vec<(Stage, Vec<Touch>)>> {
        let mut commands: Vec<(Stage, Vec<Touch>)> = Vec::new();
        let is_told = self.for_each_touch(|stage, touch| match commands.last_mut() {
            Some((last, touches)) if *last == stage => touches.push(touch),
            _ => commands.push((stage, vec![touch])),
        });
        is_told.then_some(commands)
    }

    /// Calls `f` for all that the step does to memory, and where on the device; gives whether that is all, which it is not for a barrier.
    pub(crate) fn for_each_touch(&self, mut f: impl FnMut(Stage, Touch)) -> bool {
        let mut of_launch = |arguments: &[BufferArg], indirect: Option<&Indirect>| {
            indirect.iter().for_each(|grid| f(Stage::Indirect, grid.touch()));
            arguments.iter().for_each(|argument| f(Stage::Compute, argument.touch()));
        };
        match self {
            Self::Dispatch(dispatch) => of_launch(&dispatch.args.buffers, dispatch.indirect.as_deref()),
            Self::Module(module) => of_launch(&module.buffers, module.indirect.as_ref()),
            Self::Copy { from, from_offset, to, to_offset, bytes } => {
                f(Stage::Transfer, from.touch(*from_offset..from_offset + bytes, false));
                f(Stage::Transfer, to.touch(*to_offset..to_offset + bytes, true));
            }
            Self::CopyBox(step) => {
                f(Stage::Transfer, step.from.0.touch(step.from.1.clone(), false));
                f(Stage::Transfer, step.to.0.touch(step.to.1.clone(), true));
            }
            Self::Fill { buffer, bytes, .. } => f(Stage::Transfer, buffer.touch(0..*bytes, true)),
            Self::Image(image) => image.touches().into_iter().for_each(|touch| f(Stage::Transfer, touch)),
            Self::Barrier | Self::Host(_) | Self::Between(_) | Self::Commands(_) => return false,
            Self::Signal(_) | Self::WaitFor(_) => {}
        }
        true
    }
}
