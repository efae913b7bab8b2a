//! Checks the steps of operations and adds them to a recording.

use std::sync::Arc;

use super::{Access, guard};
use gridwise_ir::descriptor::{Broken, KernelDescriptor, LaunchWord, LaunchWordKind, ParamKind, Verdict};
use gridwise_ir::reflect::Interface;

use crate::core::error::{Error, GridBeyondTensor, ImageUse, KernelName, RecordingError, Result, TensorName};
use crate::core::grid::Grid;
use crate::device::vulkan::MemoryUse;
use crate::device::{Backend, Device, QueueKind};
use crate::memory::buffer::Buffer;
use crate::memory::data::GpuData;
use crate::memory::padding;
use crate::memory::tensor::TensorRef;
use crate::record::again::{Again, LastLaunch, Settled};
use crate::record::algorithm::{Variant, has_mask, listed_images};
use crate::record::args::{Filled, KernelArgs, place_of};
use crate::record::event::{Event, Mark, WaitWay};
use crate::record::hooks::{Hooks, HostCall};
use crate::record::indirect::{self, AnyGrid, GridSource, Indirect, IndirectGrid, limit_of};
use crate::record::kernels;
use crate::record::launch::{Extent, Numbers};
use crate::record::lists;
use crate::record::parameter::{Owner, ParameterUse};
use crate::record::races;
use crate::record::steps::{
    Between, BufferArg, DispatchStep, GRID, Guarded, ImageStep, ModuleStep, Role, Step, len_of,
};

/// Takes the steps of one operation. The steps run in order; where one depends on another, the sequence puts a barrier.
///
/// ```
/// use gridwise::{Op, Result, TensorRef, ops::{Access, Recorder}};
///
/// /// Copies the first half of a tensor to the second.
/// struct Mirror(TensorRef, TensorRef);
///
/// impl Op for Mirror {
///     fn name(&self) -> &str { "mirror" }
///     fn accesses(&self) -> Vec<Access> { vec![Access::read(&self.0), Access::write(&self.1)] }
///     fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
///         let half = self.1.bytes() / 2;
///         recorder.copy_bytes(&self.0, 0, &self.1, half, half)
///     }
/// }
///
/// # fn main() -> Result<()> {
/// # let manager = gridwise::Manager::host();
/// let (from, to) = (manager.tensor(&[1u32, 2])?, manager.tensor(&[0u32; 4])?);
/// manager.sequence()?.record(Mirror(from.handle(), to.handle()))?.eval()?;
/// assert_eq!(to.to_vec()?, [0, 0, 1, 2]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Recorder<'a> {
    pub(super) device: &'a Arc<Device>,
    /// The queue that the steps are for.
    queue: usize,
    /// The identity of the sequence that the steps are for.
    sequence: &'a Owner,
    pub(super) steps: &'a mut Vec<Step>,
    /// Memory of launches that there are no more, and the last one.
    again: &'a mut Again,
    hooks: &'a mut Hooks,
    pub(super) operation: &'a str,
    /// The accesses that the operation declared; `None` if it can access nothing else.
    pub(super) declared: Option<&'a [Access]>,
}

/// The error of a launch whose last invocation would use what a tensor does not have.
#[cold]
fn beyond(descriptor: &KernelDescriptor, items: [u32; 3], buffers: &[BufferArg], broken: Broken) -> Error {
    let Broken { site, param, index, len } = broken;
    let (location, text) = match descriptor.sites.get(usize::from(site)) {
        Some(site) => (site.location, site.text),
        None => (descriptor.location, descriptor.name),
    };
    let at = buffers.iter().position(|buffer| buffer.param == u32::from(param));
    let tensor = at.map(|at| TensorName::from(buffers[at].buffer.name()).at(place_of(descriptor, buffers, at)));
    let (kernel, tensor) = (descriptor.name.into(), tensor.unwrap_or_else(|| "tensor".into()));
    let (file, line, column) = (location.file, location.line, location.column);
    Error::GridBeyondTensor(Box::new(GridBeyondTensor { kernel, items, tensor, index, len, text, file, line, column }))
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(
        device: &'a Arc<Device>,
        (queue, sequence): (usize, &'a Owner),
        (steps, again): (&'a mut Vec<Step>, &'a mut Again),
        hooks: &'a mut Hooks,
        operation: &'a str,
        declared: Option<&'a [Access]>,
    ) -> Self {
        Self { device, queue, sequence, steps, again, hooks, operation, declared }
    }

    /// Launches a kernel.
    ///
    /// ```
    /// use gridwise::{Grid, Kernel, KernelArgs, Result, Tensor, ops::Recorder};
    ///
    /// /// Part of an operation: a launch of any kernel that takes one tensor.
    /// fn launch<K: Kernel>(recorder: &mut Recorder<'_>, data: &mut Tensor<f32>) -> Result<()> {
    ///     recorder.dispatch(Grid::items(data.len()), KernelArgs::new::<K>().write(data))
    /// }
    /// ```
    ///
    /// # Errors
    /// When an argument does not fit, is of another manager or was not declared, the queue runs no kernels, the kernel or the grid
    /// exceeds what the device can do, or the grid reaches beyond a tensor.
    pub fn dispatch(&mut self, grid: impl Into<AnyGrid>, args: KernelArgs) -> Result<()> {
        match grid.into().0 {
            GridSource::Known(grid) => self.dispatch_known(grid, args),
            GridSource::Indirect(grid) => self.dispatch_indirect(&grid, args),
        }
    }

    /// Launches a kernel over a grid that the device finds.
    fn dispatch_indirect(&mut self, grid: &IndirectGrid, args: KernelArgs) -> Result<()> {
        let (descriptor, constants, host) = (args.descriptor, args.constants, args.host);
        let filled = self.check_arguments(args)?;
        let workgroup = descriptor.workgroup_with(constants);
        // What counts may be depends on it; it is checked with the kernel all the same.
        let asks_for_groups = |word: &LaunchWord| matches!(word.kind, LaunchWordKind::Groups(_));
        let is_indirect = descriptor.launch_words.iter().any(asks_for_groups);
        // Nothing is known of the grid that an obligation could be about, or a batch.
        let listed_images = listed_images(&filled.buffers);
        let has_parameters = !filled.parameters.is_empty();
        let variant = Variant { is_indirect, listed_images, has_parameters, ..Variant::default() };
        let pipeline = kernels::prepare(self.device, descriptor, constants, variant)?.pipeline.clone();
        let (mut push, parameters, tables) = (filled.push, filled.parameters, filled.tables);
        let buffers = lists::with_tables(self.device, descriptor, filled.buffers)?;
        let limit = limit_of(workgroup, self.device.info.limits.max_groups);
        let len = |param| len_of(&buffers, param);
        let largest = Extent::of_groups(workgroup, limit);
        let numbers = Numbers { extent: &largest, push: &push, parameters: &parameters, len: &len, constants };
        let limit = races::limit_of(descriptor, &numbers, workgroup, limit)?;
        let indirect = self.guarded(grid, &KernelName::from(descriptor.name), limit)?;
        // No invocation is idle: ids stay below the largest number.
        let extent = Extent { items: [u32::MAX; 3], groups: indirect.limit };
        extent.fill_words(descriptor, &mut push, |param| len_of(&buffers, param));
        let step = DispatchStep {
            descriptor,
            constants,
            host,
            pipeline,
            buffers,
            push,
            parameters,
            tables,
            extent,
            is_proven: false,
            indirect: Some(indirect),
            guards: None,
        };
        self.clear_claims(&step);
        self.steps.push(Step::Dispatch(self.again.steps.take(step)));
        Ok(())
    }

    /// Lets a launch begin without claims.
    fn clear_claims(&mut self, step: &DispatchStep) {
        for argument in step.buffers.iter().filter(|argument| argument.buffer.bytes() > 0) {
            let param = step.descriptor.params.get(argument.param as usize);
            if param.is_some_and(|param| matches!(param.kind, ParamKind::Claims { .. })) {
                let (buffer, bytes) = (argument.buffer.clone(), argument.buffer.bytes());
                self.steps.push(Step::Fill { buffer, pattern: vec![0], bytes });
            }
        }
    }

    /// A grid in a tensor for a launch with such workgroups, checked on the device before the launch.
    pub(crate) fn guarded(&mut self, grid: &IndirectGrid, kernel: &KernelName, limit: [u32; 3]) -> Result<Indirect> {
        self.check(grid.counts(), false)?;
        let place = || format!("{GRID} of kernel `{kernel}`");
        let unchecked = indirect::in_tensor(grid, limit).map_err(|error| error.of_argument(place))?;
        if matches!(self.device.backend, Backend::Host(_)) {
            return Ok(unchecked);
        }
        let (checked, args) = guard::guard(self.device, &unchecked)?;
        // The place of the checked grid is nobody's to declare.
        let declared = self.declared.take();
        let recorded = self.dispatch_known(Grid::groups(1), args);
        self.declared = declared;
        recorded?;
        if let Some(Step::Dispatch(guard)) = self.steps.last_mut() {
            guard.guards = Some(Guarded { kernel: kernel.clone(), limit });
        }
        Ok(checked)
    }

    /// Checks that the queue runs kernels, and that the arguments are all there and belong here.
    fn check_arguments(&self, args: KernelArgs) -> Result<Filled> {
        let descriptor = args.descriptor;
        self.check_computes(descriptor.name)?;
        let filled = args.finish()?;
        self.check_buffers(descriptor, &filled.buffers)?;
        match filled.parameters.iter().find(|parameter| !parameter.cell.is_of(self.sequence)) {
            None => Ok(filled),
            Some(ParameterUse { param, .. }) => {
                let argument = descriptor.params.get(*param as usize).map_or("", |param| param.name);
                let kernel = descriptor.name.into();
                Err(Error::Recording(RecordingError::ForeignParameter { kernel, argument }))
            }
        }
    }

    /// Checks that the buffers of a launch belong here, and that the device can bind them.
    pub(crate) fn check_buffers(&self, descriptor: &KernelDescriptor, buffers: &[BufferArg]) -> Result<()> {
        for (at, argument) in buffers.iter().enumerate() {
            let kind = descriptor.params.get(argument.param as usize).map(|param| param.kind);
            let checked = self.check_argument(argument, kind.map_or(1, |kind| kind.align().into()));
            checked.map_err(|error| error.of_argument(|| place_of(descriptor, buffers, at)))?;
        }
        Ok(())
    }

    /// Checks that an argument belongs here, that the device can bind it, and that it begins where its elements can: at a multiple of
    /// `align` bytes.
    fn check_argument(&self, argument: &BufferArg, align: u64) -> Result<()> {
        let (buffer, limits) = (&argument.buffer, &self.device.info.limits);
        self.check(buffer, argument.is_written)?;
        if buffer.is_image() {
            return check_storage(argument);
        }
        if buffer.bytes() > limits.max_buffer_bytes {
            let (tensor, asked) = (buffer.name().into(), buffer.bytes());
            return Err(Error::BufferTooLarge { tensor, asked, limit: limits.max_buffer_bytes, unit: "bytes" });
        }
        match argument.role {
            // All are powers of two.
            Role::Whole => buffer.check_start(limits.part_alignment.max(align)),
            Role::Texels if buffer.len() > limits.max_texels => {
                let (tensor, asked) = (buffer.name().into(), buffer.len().into());
                Err(Error::BufferTooLarge { tensor, asked, limit: limits.max_texels.into(), unit: "texels" })
            }
            Role::Texels => buffer.check_start(limits.texel_alignment.max(align)),
            // Those of lists are found by addresses, which bind nothing.
            Role::Member | Role::Table => buffer.check_start(align),
        }
    }

    fn dispatch_known(&mut self, grid: Grid, args: KernelArgs) -> Result<()> {
        let (descriptor, constants, host) = (args.descriptor, args.constants, args.host);
        let mut filled = self.check_arguments(args)?;
        let last = self.again.last.as_ref();
        let settled = match last.filter(|last| last.is_like(descriptor, constants, grid, &filled)) {
            Some(last) => {
                let settled = last.settled.clone();
                let Filled { push, buffers, .. } = &mut filled;
                settled.asked.fill_words(descriptor, push, |param| len_of(buffers, param));
                settled
            }
            None => {
                let like = LastLaunch::of(descriptor, constants, grid, &filled);
                let Some(settled) = self.settle(grid, (descriptor, constants), &mut filled)? else { return Ok(()) };
                if let Some(like) = like {
                    self.again.last = Some(Box::new(like(settled.clone())));
                }
                settled
            }
        };
        let (Filled { push, buffers, parameters, tables }, Settled { extent, is_proven, pipeline, .. }) =
            (filled, settled);
        let step = DispatchStep {
            descriptor,
            constants,
            host,
            pipeline,
            buffers,
            push,
            parameters,
            tables,
            extent,
            is_proven,
            indirect: None,
            guards: None,
        };
        self.clear_claims(&step);
        self.steps.push(Step::Dispatch(self.again.steps.take(step)));
        Ok(())
    }

    /// Decides on a launch, and adds the tables of its lists and its launch words; `None` where nothing runs.
    fn settle(
        &self,
        grid: Grid,
        (descriptor, constants): (&'static KernelDescriptor, &'static [u64]),
        filled: &mut Filled,
    ) -> Result<Option<Settled>> {
        let workgroup = descriptor.workgroup_with(constants);
        let mut extent = Extent::new(descriptor, workgroup, grid, self.device.info.limits.max_groups)?;
        if extent.is_empty() {
            // What is wrong with the kernel is told all the same.
            kernels::prepare(self.device, descriptor, constants, Variant::default())?;
            return Ok(None);
        }
        let asked = extent;
        filled.buffers = lists::with_tables(self.device, descriptor, std::mem::take(&mut filled.buffers))?;
        let Filled { push, buffers, parameters, tables: _ } = filled;
        let len = |param| len_of(buffers, param);
        extent.fill_words(descriptor, push, len);
        let obligations = descriptor.obligations;
        let numbers = Numbers { extent: &extent, push, parameters, len: &len, constants };
        let is_proven = !obligations.is_empty()
            && match obligations.verdict(&numbers) {
                Verdict::Hold => true,
                Verdict::Open => false,
                Verdict::Broken(broken) => return Err(beyond(descriptor, extent.items, buffers, broken)),
            };
        races::check(descriptor, &numbers)?;
        let batch = match &self.device.backend {
            Backend::Vulkan(vulkan) => {
                extent.batch(descriptor, (is_proven, vulkan.device.caps.batches_small), &numbers)
            }
            // The host runs the twin, an item at a time.
            Backend::Host(_) => None,
        };
        let is_whole = batch.is_some_and(|batch| batch.is_whole(extent.items[0]));
        let is_full = has_mask(descriptor) && extent.is_full(workgroup, batch);
        if let Some(batch) = batch {
            extent.gather(batch, workgroup[0]);
        }
        let variant = Variant {
            is_proven,
            is_batched: batch.is_some(),
            is_whole,
            is_full,
            is_indirect: false,
            is_split: extent.groups[0] > self.device.info.limits.max_groups[0],
            listed_images: listed_images(buffers),
            has_parameters: !parameters.is_empty(),
        };
        let pipeline = kernels::prepare(self.device, descriptor, constants, variant)?.pipeline.clone();
        Ok(Some(Settled { asked, extent, is_proven, pipeline }))
    }

    /// Lets everything before be complete before anything after begins.
    ///
    /// ```
    /// use gridwise::{Result, TensorRef, ops::Recorder};
    ///
    /// /// Part of an operation: a copy that begins when all before is complete, whatever it depends on.
    /// fn copy_apart(recorder: &mut Recorder<'_>, from: &TensorRef, to: &TensorRef) -> Result<()> {
    ///     recorder.barrier();
    ///     recorder.copy(from, to)
    /// }
    /// ```
    pub fn barrier(&mut self) {
        self.steps.push(Step::Barrier);
    }

    /// Calls the host when all before is complete, and before anything after begins: what [`OpHost`](super::OpHost) does.
    pub(crate) fn host(&mut self, call: HostCall) {
        self.steps.push(Step::Host(call));
    }

    /// Sets an event.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Event, Result, TensorRef, ops::Recorder};
    ///
    /// /// Part of an operation: a copy, and word of it.
    /// fn copy_and_tell(recorder: &mut Recorder<'_>, from: &TensorRef, to: &TensorRef, done: &Event) -> Result<()> {
    ///     recorder.copy(from, to)?;
    ///     recorder.signal(done)
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the event belongs to another manager.
    pub fn signal(&mut self, event: &Event) -> Result<()> {
        let mark = self.check_event(event)?;
        self.steps.push(Step::Signal(mark));
        Ok(())
    }

    /// Lets the run begin behind what set an event last.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Event, Result, TensorRef, ops::Recorder};
    ///
    /// /// Part of an operation: a copy, in a run that comes behind `done`.
    /// fn copy_behind(recorder: &mut Recorder<'_>, done: &Event, from: &TensorRef, to: &TensorRef) -> Result<()> {
    ///     recorder.wait_for(done)?;
    ///     recorder.copy(from, to)
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// An event of another manager is waited for as [`OpWait`](super::OpWait) says.
    ///
    /// # Errors
    /// None yet.
    pub fn wait_for(&mut self, event: &Event) -> Result<()> {
        let mark = event.mark.clone();
        self.steps.push(match mark.way_of(self.device) {
            WaitWay::Host => Step::Between(Between::WaitFor(mark)),
            WaitWay::OneManager | WaitWay::SharedSemaphore => Step::WaitFor(mark),
        });
        Ok(())
    }

    fn check_event(&self, event: &Event) -> Result<Arc<Mark>> {
        match Arc::ptr_eq(&event.mark.device, self.device) {
            true => Ok(event.mark.clone()),
            false => Err(Error::ForeignEvent { operation: self.operation.to_owned() }),
        }
    }

    /// Calls `hook` on the host before each submission of the sequence, on the thread that submits. It may write tensors: what
    /// it writes, the run sees.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use std::sync::{Arc, atomic::{AtomicU32, Ordering::Relaxed}};
    /// use gridwise::{Manager, Op, Result, ops::{Access, Recorder}};
    ///
    /// /// Counts runs that begin, and runs that are complete.
    /// struct Count { begun: Arc<AtomicU32>, complete: Arc<AtomicU32> }
    ///
    /// impl Op for Count {
    ///     fn name(&self) -> &str { "count" }
    ///     fn accesses(&self) -> Vec<Access> { Vec::new() }
    ///     fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
    ///         let (begun, complete) = (self.begun.clone(), self.complete.clone());
    ///         recorder.before_submit(move || { begun.fetch_add(1, Relaxed); });
    ///         recorder.after_wait(move || { complete.fetch_add(1, Relaxed); });
    ///         recorder.barrier();
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let (begun, complete) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    /// let sequence = Manager::host().sequence()?;
    /// sequence.record(Count { begun: begun.clone(), complete: complete.clone() })?;
    /// sequence.eval()?;
    /// sequence.eval_async()?.wait()?;
    /// assert_eq!((begun.load(Relaxed), complete.load(Relaxed)), (2, 2));
    /// # Ok(())
    /// # }
    /// ```
    pub fn before_submit(&mut self, hook: impl Fn() + Send + Sync + 'static) {
        self.hooks.before.push(Arc::new(hook));
    }

    /// Calls `hook` on the host once each run is known to be complete, on the thread that finds out.
    ///
    /// ```
    /// use std::sync::mpsc::Sender;
    /// use gridwise::ops::Recorder;
    ///
    /// /// Part of an operation: word to another thread of each run that is complete.
    /// fn tell(recorder: &mut Recorder<'_>, done: Sender<()>) {
    ///     recorder.after_wait(move || drop(done.send(()))); // whether it still listens does not matter
    /// }
    /// ```
    ///
    /// Neither kind of hook may evaluate the sequence it is of, which would call it again: that is
    /// [`Error::SequenceInFlight`].
    pub fn after_wait(&mut self, hook: impl Fn() + Send + Sync + 'static) {
        self.hooks.after.push(Arc::new(hook));
    }

    /// Launches a module, unless nothing is to run.
    pub(crate) fn module(&mut self, step: ModuleStep, is_empty: bool) -> Result<()> {
        if !Arc::ptr_eq(&step.loaded.device, self.device) {
            return Err(Error::ForeignAlgorithm { algorithm: step.loaded.name.clone() });
        }
        self.check_computes(&step.loaded.name)?;
        for argument in &step.buffers {
            let align = element_alignment(&step.loaded.interface, argument.binding);
            let checked = self.check_argument(argument, align);
            checked.map_err(|error| error.of_argument(|| step.loaded.place_of(argument)))?;
        }
        if !is_empty {
            self.steps.push(Step::Module(Box::new(step)));
        }
        Ok(())
    }

    /// Copies, clears or scales texels.
    pub(crate) fn image(&mut self, step: ImageStep) -> Result<()> {
        let (kind, can_blit) =
            self.device.queues.get(self.queue).map_or((QueueKind::Other, false), |q| (q.kind, q.can_blit));
        let can = match &step {
            ImageStep::Clear { .. } => kind == QueueKind::Compute,
            ImageStep::Shrink { .. } => can_blit,
            ImageStep::In { .. } | ImageStep::Out { .. } | ImageStep::Copy { .. } => true,
        };
        if !can {
            return Err(Error::QueueCannot { queue: self.queue, operation: self.operation.to_owned() });
        }
        let mut checked = Ok(());
        step.for_each_use(|buffer, _, is_write| {
            if checked.is_ok() {
                checked = self.check(buffer, is_write);
            }
        });
        checked?;
        if let ImageStep::Copy { from, to, .. } = &step
            && from.id == to.id
        {
            return Err(Error::AliasedTensor { operation: self.operation.to_owned(), tensor: to.name().into() });
        }
        self.steps.push(Step::Image(step));
        Ok(())
    }

    /// Copies a tensor to another of the same size in bytes.
    ///
    /// ```
    /// use gridwise::{Result, TensorRef, ops::Recorder};
    ///
    /// /// Part of an operation: two copies, of which neither waits for the other.
    /// fn copy_both(recorder: &mut Recorder<'_>, from: &TensorRef, to: [&TensorRef; 2]) -> Result<()> {
    ///     to.into_iter().try_for_each(|to| recorder.copy(from, to))
    /// }
    /// ```
    ///
    /// # Errors
    /// When the sizes differ, both are the same memory, one was not declared, or both are of another manager.
    pub fn copy(&mut self, from: &TensorRef, to: &TensorRef) -> Result<()> {
        if from.bytes() != to.bytes() {
            let (expected, found) = (to.len(), (from.bytes() / u64::from(to.stride()).max(1)) as usize);
            return Err(Error::LengthMismatch { operation: "copying to", tensor: to.name().into(), expected, found });
        }
        let [is_from_own, is_to_own] = [from, to].map(|tensor| Arc::ptr_eq(&tensor.buffer.device, self.device));
        if is_from_own != is_to_own {
            return self.copy_between(&from.buffer, &to.buffer, is_from_own);
        }
        self.copy_bytes(from, 0, to, 0, from.bytes())
    }

    /// Copies a tensor to another manager's, or from there.
    fn copy_between(&mut self, from: &Arc<Buffer>, to: &Arc<Buffer>, is_sent: bool) -> Result<()> {
        for (buffer, is_write) in [(from, false), (to, true)] {
            self.check_tensor(buffer)?;
            self.check_declared(buffer, is_write)?;
        }
        let (own, foreign) = if is_sent { (from.clone(), to.clone()) } else { (to.clone(), from.clone()) };
        self.steps.push(Step::Between(Between::Copy { own, foreign, is_sent }));
        Ok(())
    }

    /// Copies bytes of a tensor to another.
    ///
    /// ```
    /// use gridwise::{Result, TensorRef, ops::Recorder};
    ///
    /// /// Part of an operation: one element of a tensor, to the beginning of another.
    /// fn pick(recorder: &mut Recorder<'_>, from: &TensorRef, index: u64, to: &TensorRef) -> Result<()> {
    ///     let bytes = u64::from(from.stride());
    ///     recorder.copy_bytes(from, index * bytes, to, 0, bytes)
    /// }
    /// ```
    ///
    /// # Errors
    /// When a range reaches past the end of its tensor, both ranges have bytes in common, or a tensor was not declared or is of another
    /// manager.
    pub fn copy_bytes(
        &mut self,
        from: &TensorRef,
        from_offset: u64,
        to: &TensorRef,
        to_offset: u64,
        bytes: u64,
    ) -> Result<()> {
        let (from, to) = (&from.buffer, &to.buffer);
        self.check_bytes(from, false)?;
        self.check_bytes(to, true)?;
        for (buffer, offset) in [(from, from_offset), (to, to_offset)] {
            if offset.checked_add(bytes).is_none_or(|end| end > buffer.bytes()) {
                let (tensor, size) = (buffer.name().into(), buffer.bytes());
                return Err(Error::OutOfRange { operation: "copying", tensor, offset, bytes, size });
            }
        }
        let read = from.in_memory(from_offset..from_offset + bytes);
        let written = to.in_memory(to_offset..to_offset + bytes);
        if from.id == to.id && read.start < written.end && written.start < read.end {
            return Err(Error::AliasedTensor { operation: "copying".to_owned(), tensor: to.name().into() });
        }
        if bytes > 0 {
            let (from, to) = (from.clone(), to.clone());
            self.steps.push(Step::Copy { from, from_offset, to, to_offset, bytes });
        }
        Ok(())
    }

    /// Sets every element of a tensor to `value`.
    ///
    /// ```
    /// use gridwise::{Result, TensorRef, ops::Recorder};
    ///
    /// /// Part of an operation: counters that begin at zero.
    /// fn reset(recorder: &mut Recorder<'_>, counters: &[TensorRef]) -> Result<()> {
    ///     counters.iter().try_for_each(|counter| recorder.fill(counter, 0u32))
    /// }
    /// ```
    ///
    /// # Errors
    /// When the tensor's elements have another size than `value`, or it was not declared or is of another manager.
    pub fn fill<T: GpuData>(&mut self, tensor: &TensorRef, value: T) -> Result<()> {
        let buffer = &tensor.buffer;
        self.check_bytes(buffer, true)?;
        let (expected, found) = (buffer.stride() as usize, size_of::<T>());
        if expected != found {
            return Err(Error::LengthMismatch {
                operation: "filling, by its bytes per element,",
                tensor: buffer.name().into(),
                expected,
                found,
            });
        }
        if buffer.bytes() > 0 {
            // As many elements as fill whole words.
            let count = [1, 2, 4].into_iter().find(|count| (found * count).is_multiple_of(4)).unwrap_or(4);
            let mut pattern = vec![0u32; found * count / 4];
            for index in 0..count {
                let target = pattern.as_mut_ptr().cast::<u8>().wrapping_add(index * found);
                // SAFETY: the pattern has room for `count` values, and is plain words.
                unsafe {
                    std::ptr::copy_nonoverlapping((&raw const value).cast(), target, found);
                    padding::clear::<T>(target, 1);
                }
            }
            if buffer.is_part() {
                return self.fill_part(buffer, &pattern);
            }
            // Buffers are whole words on either device, with room behind the last element.
            let bytes = buffer.bytes().next_multiple_of(4);
            self.steps.push(Step::Fill { buffer: buffer.clone(), pattern, bytes });
        }
        Ok(())
    }

    /// Fills a part: its whole words at once, and the bytes before and behind them by copies, as they share words with neighbours.
    fn fill_part(&mut self, buffer: &Arc<Buffer>, pattern: &[u32]) -> Result<()> {
        let mut pattern: Vec<u8> = pattern.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let all = buffer.bytes();
        let head = (buffer.start().next_multiple_of(4) - buffer.start()).min(all);
        let tail = (all - head) % 4;
        let words = all - head - tail;
        for (offset, bytes) in [(0, head), (all - tail, tail)].into_iter().filter(|(_, bytes)| *bytes > 0) {
            let edge: Vec<u8> =
                (offset..offset + bytes).map(|at| pattern[(at % pattern.len() as u64) as usize]).collect();
            let from = Arc::new(Buffer::new(self.device, "edge of a fill", edge.len(), 1, MemoryUse::Upload)?);
            // SAFETY: as many bytes as the buffer's.
            unsafe { from.write(edge.as_ptr()) }?;
            self.steps.push(Step::Copy { from, from_offset: 0, to: buffer.clone(), to_offset: offset, bytes });
        }
        if words > 0 {
            let period = pattern.len();
            pattern.rotate_left(head as usize % period);
            let words_of = |bytes: &[u8]| u32::from_ne_bytes(bytes.try_into().unwrap_or_default());
            let pattern = pattern.chunks(4).map(words_of).collect();
            // The step knows how many bytes there are.
            let inner = Arc::new(buffer.seen(head, u32::try_from(words / 4).unwrap_or(u32::MAX), 4));
            self.steps.push(Step::Fill { buffer: inner, pattern, bytes: words });
        }
        Ok(())
    }

    /// Checks that the queue runs kernels.
    fn check_computes(&self, kernel: &str) -> Result<()> {
        match self.device.queues.get(self.queue).map(|queue| queue.kind) {
            Some(QueueKind::Compute) => Ok(()),
            _ => Err(Error::QueueCannot { queue: self.queue, operation: format!("kernel `{kernel}`") }),
        }
    }

    /// As [`check`](Self::check), for what works on bytes: images have none that a device would tell.
    pub(super) fn check_bytes(&self, buffer: &Arc<Buffer>, is_write: bool) -> Result<()> {
        self.check(buffer, is_write)?;
        self.check_tensor(buffer)
    }

    fn check_tensor(&self, buffer: &Arc<Buffer>) -> Result<()> {
        match buffer.is_image() {
            true => Err(Error::NotATensor { operation: self.operation.to_owned(), image: buffer.name().to_owned() }),
            false => Ok(()),
        }
    }

    /// Checks that a tensor is of this manager and was declared.
    pub(super) fn check(&self, buffer: &Arc<Buffer>, is_write: bool) -> Result<()> {
        if !Arc::ptr_eq(&buffer.device, self.device) {
            let (operation, tensor) = (self.operation.to_owned(), buffer.name().into());
            return Err(Error::ForeignTensor { operation, tensor });
        }
        self.check_declared(buffer, is_write)
    }

    /// Checks that a tensor was declared.
    fn check_declared(&self, buffer: &Arc<Buffer>, is_write: bool) -> Result<()> {
        if is_write && buffer.is_sealed() {
            let (operation, tensor) = (self.operation.to_owned(), buffer.name().into());
            return Err(Error::Recording(RecordingError::ReadOnly { operation, tensor }));
        }
        let is_declared = |access: &Access| access.is_write == is_write && access.tensor.buffer.contains(buffer);
        match self.declared {
            Some(declared) if !declared.iter().any(is_declared) => {
                let (operation, tensor) = (self.operation.to_owned(), buffer.name().into());
                Err(Error::UndeclaredAccess { operation, tensor })
            }
            _ => Ok(()),
        }
    }
}

/// The alignment of the elements of a module's binding: numbers lie at multiples of their size.
fn element_alignment(interface: &Interface, binding: u32) -> u64 {
    let declared = interface.buffers.iter().find(|declared| declared.binding == binding);
    let element = declared.and_then(|declared| declared.element.as_ref()?.ty);
    element.map_or(1, |ty| ty.scalar.size().max(1).into())
}

/// Checks that the device has images of an argument's format for kernels that load and store.
fn check_storage(argument: &BufferArg) -> Result<()> {
    let image = &argument.buffer;
    match image.vulkan_image() {
        Some(vulkan) if argument.sampler.is_none() && vulkan.storage == ash::vk::ImageView::null() => {
            Err(Error::ImageUnsupported {
                image: image.name().into(),
                format: image.image_layout().format,
                usage: ImageUse::Storage,
                device: image.device.info.name.clone(),
            })
        }
        _ => Ok(()),
    }
}
