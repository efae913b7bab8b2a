//! Launches of kernels among the steps of a recording: their arguments and grids are checked, and the variant of the module is chosen.

use std::sync::Arc;

use gridwise_ir::descriptor::{Broken, KernelDescriptor, LaunchWord, LaunchWordKind, ParamKind, Verdict};

use super::guard;
use super::recorder::Recorder;
use crate::core::error::{Error, GridBeyondTensor, ImageUse, KernelName, RecordingError, Result, TensorName};
use crate::core::grid::Grid;
use crate::device::Backend;
use crate::record::again::{Cause, Settled};
use crate::record::algorithm::{Variant, has_mask, listed_images, takes_addresses};
use crate::record::args::{Filled, KernelArgs};
use crate::record::indirect::{self, AnyGrid, GridSource, Indirect, IndirectGrid, limit_of};
use crate::record::kernel::HostFn;
use crate::record::kernels;
use crate::record::launch::{Extent, Numbers};
use crate::record::lists;
use crate::record::mismatch::place_of;
use crate::record::parameter::ParameterUse;
use crate::record::proven::Proven;
use crate::record::races;
use crate::record::steps::{BufferArg, DispatchStep, GRID, Guarded, Role, Step, len_of};

impl Recorder<'_> {
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
        let mut args = self.check_arguments(args)?;
        let workgroup = descriptor.workgroup_with(constants);
        // The largest counts depend on it; it is checked with the kernel all the same.
        let asks_for_groups = |word: &LaunchWord| matches!(word.kind, LaunchWordKind::Groups(_));
        let is_indirect = descriptor.launch_words.iter().any(asks_for_groups);
        args.buffers = lists::with_tables(self.device, descriptor, std::mem::take(&mut args.buffers))?;
        let Filled { push, buffers, parameters, tables } = &mut *args;
        let limit = limit_of(workgroup, self.device.info.limits.max_groups);
        let largest = Extent::of_groups(workgroup, limit);
        let numbers = Numbers { extent: &largest, push, parameters, tables, buffers, constants };
        // Obligations about the grid stay with the device, and so do the items of a batch.
        let obligations = descriptor.obligations;
        let proven =
            if obligations.is_empty() { Proven::NONE } else { Proven::by(obligations.verdict_of_any_grid(&numbers)) };
        let (listed_images, has_parameters) = (listed_images(buffers), !parameters.is_empty());
        let by_address = !has_parameters && takes_addresses(self.device, descriptor, buffers);
        let variant = Variant { proven, is_indirect, listed_images, has_parameters, by_address, ..Variant::default() };
        let pipeline = kernels::prepare(self.device, descriptor, constants, variant)?.pipeline.clone();
        let limit = races::limit_of(descriptor, &numbers, workgroup, limit)?;
        let indirect = self.guarded(grid, &KernelName::from(descriptor.name), limit)?;
        // No invocation is idle: ids stay below the largest number.
        let extent = Extent { items: [u32::MAX; 3], groups: indirect.limit };
        extent.fill_words(descriptor, push, |param| len_of(buffers, param));
        let settled = Arc::new(Settled { descriptor, constants, extent, proven, variant, pipeline, cause: None });
        let indirect = Some(Box::new(indirect));
        self.push_dispatch(DispatchStep { settled, host, args, indirect, guards: None });
        Ok(())
    }

    /// Adds a launch, which begins without claims.
    fn push_dispatch(&mut self, step: DispatchStep) {
        for argument in step.args.buffers.iter().filter(|argument| argument.buffer.bytes() > 0) {
            let param = step.settled.descriptor.params.get(argument.param as usize);
            if param.is_some_and(|param| matches!(param.kind, ParamKind::Claims { .. })) {
                let (buffer, bytes) = (argument.buffer.clone(), argument.buffer.bytes());
                self.steps.push(Step::Fill { buffer, pattern: vec![0], bytes });
            }
        }
        self.again.step();
        self.steps.push(Step::Dispatch(step));
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
            guard.guards = Some(Box::new(Guarded { kernel: kernel.clone(), limit }));
        }
        Ok(checked)
    }

    /// Checks that the queue runs kernels, and that the arguments are all there and belong here.
    pub(crate) fn check_arguments(&self, args: KernelArgs) -> Result<Box<Filled>> {
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
    #[inline]
    pub(super) fn check_argument(&self, argument: &BufferArg, align: u64) -> Result<()> {
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
        let args = self.check_arguments(args)?;
        self.dispatch_checked(grid, (descriptor, constants, host), args)
    }

    /// Launches a kernel with arguments that were checked.
    pub(crate) fn dispatch_checked(
        &mut self,
        grid: Grid,
        (descriptor, constants, host): (&'static KernelDescriptor, &'static [u64], HostFn),
        mut args: Box<Filled>,
    ) -> Result<()> {
        let settled = match self.again.known(self.again.next(), (descriptor, constants), &grid, &args) {
            Some(known) => {
                known.tell(&mut args);
                known
            }
            None => {
                let Some(settled) = self.settle(grid, (descriptor, constants), &mut args)? else { return Ok(()) };
                let settled = Arc::new(settled);
                self.again.set_last(&settled);
                settled
            }
        };
        self.push_dispatch(DispatchStep { settled, host, args, indirect: None, guards: None });
        Ok(())
    }

    /// Decides on a launch, and adds the tables of its lists and its launch words; `None` where nothing runs.
    fn settle(
        &self,
        grid: Grid,
        (descriptor, constants): (&'static KernelDescriptor, &'static [u64]),
        filled: &mut Filled,
    ) -> Result<Option<Settled>> {
        let cause = Cause::of(descriptor, grid, filled);
        let workgroup = descriptor.workgroup_with(constants);
        let mut extent = Extent::new(descriptor, workgroup, grid, self.device.info.limits.max_groups)?;
        if extent.is_empty() {
            // Faults of the kernel are told all the same.
            kernels::prepare(self.device, descriptor, constants, Variant::default())?;
            return Ok(None);
        }
        filled.buffers = lists::with_tables(self.device, descriptor, std::mem::take(&mut filled.buffers))?;
        let Filled { push, buffers, parameters, tables } = filled;
        extent.fill_words(descriptor, push, |param| len_of(buffers, param));
        let obligations = descriptor.obligations;
        let numbers = Numbers { extent: &extent, push, parameters, tables, buffers, constants };
        let proven = match obligations.is_empty() {
            true => Proven::NONE,
            false => match obligations.verdict(&numbers) {
                Verdict::Broken(broken) => return Err(beyond(descriptor, extent.items, buffers, broken)),
                verdict => Proven::by(verdict),
            },
        };
        races::check(descriptor, &numbers)?;
        let batch = match &self.device.backend {
            Backend::Vulkan(vulkan) => {
                extent.batch(descriptor, (proven.is_all(), vulkan.device.caps.batches_small), &numbers)
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
            proven,
            is_batched: batch.is_some(),
            is_whole,
            is_full,
            is_indirect: false,
            is_split: extent.groups[0] > self.device.info.limits.max_groups[0],
            listed_images: listed_images(buffers),
            has_parameters: !parameters.is_empty(),
            by_address: parameters.is_empty() && takes_addresses(self.device, descriptor, buffers),
        };
        let pipeline = kernels::prepare(self.device, descriptor, constants, variant)?.pipeline.clone();
        let cause = cause.map(|cause| cause.with_words(descriptor, push));
        Ok(Some(Settled { descriptor, constants, extent, proven, variant, pipeline, cause }))
    }
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
