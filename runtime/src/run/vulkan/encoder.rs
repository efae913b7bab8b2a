//! Turns steps into Vulkan commands, with a barrier wherever one step depends on an earlier one and nowhere else.

use std::ops::Range;
use std::sync::Arc;

use ash::vk;

use crate::core::error::Result;
use crate::core::sync::hazard::{STAGES, Stage, Touch};
use crate::device::vulkan::buffer::VulkanBuffer;
use crate::device::vulkan::descriptors::DescriptorSets;
use crate::device::vulkan::device::VulkanDevice;
use crate::device::vulkan::pipeline::{Addresses, Pipeline};
use crate::device::vulkan::timestamps::Timestamps;
use crate::memory::buffer::Buffer;
use crate::record::algorithm::MOST_WITH_ADDRESSES;
use crate::record::indirect::Indirect;
use crate::record::launch::first_group_offset;
use crate::record::ops::{CommandsStep, VulkanCommands};
use crate::record::steps::{BufferArg, CopyBoxStep, DispatchStep, ImageStep, ModuleStep, Role, Row, Step};
use crate::run::vulkan::decisions::Decisions;
use crate::run::vulkan::recording::{NextRecords, Told};

/// The most that `vkCmdUpdateBuffer` takes.
const MAX_UPDATE: u64 = 65536;

/// Writes one command buffer.
pub(crate) struct Encoder<'a> {
    device: &'a VulkanDevice,
    queue: usize,
    commands: vk::CommandBuffer,
    descriptors: &'a mut DescriptorSets,
    told: Told<'a>,
    next: NextRecords,
    decisions: &'a mut Decisions,
    touches: Vec<Touch>,
    bound: vk::Pipeline,
    /// The set that is bound, with the layout it was bound for.
    bound_set: (vk::PipelineLayout, vk::DescriptorSet),
    /// The contents of the next set; here for its memory.
    content: Vec<u64>,
    /// The buffers of the next set; here for its memory.
    buffers: Vec<BufferDescriptor>,
    /// The addresses of the next launch; here for their memory.
    addresses: Vec<u64>,
    timestamps: Option<&'a Timestamps>,
    /// The operation whose first command comes next.
    starting: Option<usize>,
    /// Stages that wrote memory the host can see.
    host_visible: (vk::PipelineStageFlags, vk::AccessFlags),
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(
        device: &'a VulkanDevice,
        (queue, commands): (usize, vk::CommandBuffer),
        (descriptors, decisions): (&'a mut DescriptorSets, &'a mut Decisions),
        told: Told<'a>,
        timestamps: Option<&'a Timestamps>,
    ) -> Self {
        Self {
            device,
            queue,
            commands,
            descriptors,
            told,
            next: NextRecords::default(),
            decisions,
            touches: Vec::new(),
            bound: vk::Pipeline::null(),
            bound_set: Default::default(),
            content: Vec::new(),
            buffers: Vec::new(),
            addresses: Vec::new(),
            timestamps,
            starting: None,
            host_visible: Default::default(),
        }
    }

    /// Writes a step.
    pub(crate) fn step(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Dispatch(dispatch) => self.dispatch(dispatch)?,
            Step::Module(module) => self.module(module)?,
            // Submissions do these.
            Step::Host(_) | Step::Between(_) | Step::Signal(_) | Step::WaitFor(_) => {}
            Step::Barrier => {
                self.device.barrier_behind_everything(self.queue, self.commands);
                self.decisions.order_all();
            }
            Step::Copy { from, from_offset, to, to_offset, bytes } => {
                self.touch(from, *from_offset..from_offset + bytes, false);
                self.touch(to, *to_offset..to_offset + bytes, true);
                self.copy(from, *from_offset, to, *to_offset, *bytes);
            }
            Step::CopyBox(step) => self.copy_box(step),
            Step::Fill { buffer, pattern, bytes } => self.fill(buffer, pattern, *bytes),
            Step::Image(image) => self.image(image),
            Step::Commands(commands) => self.commands(commands)?,
        }
        Ok(())
    }

    /// Lets an application record, between two barriers, as nothing is known of its commands.
    fn commands(&mut self, step: &CommandsStep) -> Result<()> {
        let queue = &self.device.queues[self.queue];
        self.device.barrier_behind_everything(self.queue, self.commands);
        self.note_start();
        let (device, queue_family) = (&self.device.raw, queue.family);
        step.record(VulkanCommands { device, command_buffer: self.commands, queue_family })?;
        self.device.barrier_behind_everything(self.queue, self.commands);
        self.decisions.order_all();
        (self.bound, self.bound_set) = Default::default();
        self.host_visible.0 |= queue.stages;
        self.host_visible.1 |= queue.accesses()[0];
        Ok(())
    }

    /// Begins operation `op`, whose time is taken from the next command on. Its first launches have the trap record, the print buffer and the
    /// watch of `records`, if they have any; those next in turn where that says nothing.
    pub(crate) fn begin_op(&mut self, op: usize, records: Option<NextRecords>) {
        self.starting = Some(op);
        self.next = records.unwrap_or(self.next);
    }

    /// Takes the time of operation `op` up to here.
    pub(crate) fn end_op(&mut self, op: usize) {
        // Nothing was recorded: then start and end are one.
        self.note_start();
        if let Some(timestamps) = self.timestamps {
            timestamps.end(self.commands, op);
        }
    }

    fn note_start(&mut self) {
        if let (Some(op), Some(timestamps)) = (self.starting.take(), self.timestamps) {
            timestamps.start(self.commands, op);
        }
    }

    /// Makes what the host can see visible to it.
    pub(crate) fn finish(self) {
        if !self.host_visible.0.is_empty() {
            let host = (vk::PipelineStageFlags::HOST, vk::AccessFlags::HOST_READ);
            self.device.memory_barrier(self.commands, self.host_visible, host);
        }
    }

    fn touch(&mut self, buffer: &Arc<Buffer>, bytes: Range<u64>, is_write: bool) {
        if self.decisions.ask_for_touches() {
            self.touches.push(buffer.touch(bytes, is_write));
        }
    }

    /// Puts the barrier that the next command needs, by what it touches.
    fn order(&mut self, stage: Stage) {
        if let Some(barrier) = self.decisions.command(stage, &self.touches) {
            let before = scope(barrier.before, false);
            let after = scope(barrier.after, true);
            self.device.memory_barrier(self.commands, before, after);
        }
        // Behind the barrier: what an operation waits for is not its own time.
        self.note_start();
        self.touches.clear();
    }

    fn note_host_visible(&mut self, stage: Stage) {
        let (stages, accesses) = scope([stage == Stage::Compute, stage == Stage::Transfer, false], false);
        self.host_visible.0 |= stages;
        self.host_visible.1 |= accesses;
    }

    fn dispatch(&mut self, dispatch: &DispatchStep) -> Result<()> {
        let Some(pipeline) = &dispatch.settled.pipeline else { return Ok(()) };
        self.begin_launch(&dispatch.args.buffers, dispatch.indirect.as_deref(), pipeline);
        let records = self.next;
        self.bind_buffers(dispatch, pipeline, 0)?;
        let push = dispatch.args.push.bytes();
        match &pipeline.addresses {
            Some(Addresses { offset, .. }) => {
                let mut block = [0; MOST_WITH_ADDRESSES];
                let at = *offset as usize;
                block[..push.len()].copy_from_slice(push);
                let addresses: &[u8] = bytemuck::cast_slice(&self.addresses);
                let end = at + addresses.len();
                block[at..end].copy_from_slice(addresses);
                self.push_constants(pipeline, 0, &block[..end]);
            }
            None if !push.is_empty() && pipeline.parameters.is_none() => self.push_constants(pipeline, 0, push),
            None => {}
        }
        if let Some(indirect) = &dispatch.indirect {
            self.dispatch_indirect(indirect);
            return Ok(());
        }
        let [x, y, z] = dispatch.settled.extent.groups;
        let first_group = first_group_offset(dispatch.settled.descriptor);
        let most = self.device.caps.max_groups_x;
        let (mut start, mut part) = (0, 0);
        while start < x {
            if start > 0 {
                // The parts of a launch write elements of their own, which validation cannot know; among parts as large
                // as a dispatch can be, a barrier costs nothing.
                let access = vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE;
                let stage = (vk::PipelineStageFlags::COMPUTE_SHADER, access);
                self.device.memory_barrier(self.commands, stage, stage);
                if pipeline.parameters.is_some() {
                    self.next = records;
                    self.bind_buffers(dispatch, pipeline, part)?;
                } else if let Some(offset) = first_group {
                    self.push_constants(pipeline, offset, &start.to_ne_bytes());
                }
            }
            let width = most.min(x - start);
            // SAFETY: everything the pipeline needs is bound, and the size is within the limits.
            unsafe { self.device.raw.cmd_dispatch(self.commands, width, y, z) };
            (start, part) = (start + width, part + 1);
        }
        Ok(())
    }

    fn module(&mut self, module: &ModuleStep) -> Result<()> {
        let pipeline = &module.loaded.pipeline;
        self.begin_launch(&module.buffers, module.indirect.as_ref(), pipeline);
        let mut buffers = self.buffer_descriptors(&module.buffers, pipeline);
        self.watch(&mut buffers, pipeline);
        self.bind(buffers, &module.buffers, pipeline)?;
        if !module.push.is_empty() {
            self.push_constants(pipeline, 0, &module.push);
        }
        if let Some(indirect) = &module.indirect {
            self.dispatch_indirect(indirect);
            return Ok(());
        }
        let [x, y, z] = module.groups;
        // SAFETY: everything the pipeline needs is bound, and the size is within the limits.
        unsafe { self.device.raw.cmd_dispatch(self.commands, x, y, z) };
        Ok(())
    }

    /// Launches what a guard found to be within the limits.
    fn dispatch_indirect(&self, indirect: &Indirect) {
        let Some(command) = indirect.command.vulkan() else { return };
        let offset = indirect.command.vulkan_offset() + indirect.bytes().start;
        // SAFETY: everything the pipeline needs is bound; the buffer is one of ours, made for such commands, and what lies there
        // is within the limits.
        unsafe { self.device.raw.cmd_dispatch_indirect(self.commands, command.raw, offset) };
    }

    /// Puts the barriers before a launch, and binds its pipeline.
    fn begin_launch(&mut self, buffers: &[BufferArg], indirect: Option<&Indirect>, pipeline: &Pipeline) {
        if let Some(indirect) = indirect {
            self.touches.push(indirect.touch());
            self.order(Stage::Indirect);
        }
        if self.decisions.ask_for_touches() {
            self.touches.extend(buffers.iter().map(BufferArg::touch));
        }
        self.order(Stage::Compute);
        if self.bound != pipeline.raw {
            self.bound = pipeline.raw;
            // SAFETY: a live pipeline, and a command buffer in the recording state.
            unsafe {
                self.device.raw.cmd_bind_pipeline(self.commands, vk::PipelineBindPoint::COMPUTE, pipeline.raw);
            }
        }
    }

    fn push_constants(&self, pipeline: &Pipeline, offset: u32, bytes: &[u8]) {
        // SAFETY: within the layout's range.
        unsafe {
            let stage = vk::ShaderStageFlags::COMPUTE;
            self.device.raw.cmd_push_constants(self.commands, pipeline.layout, stage, offset, bytes);
        }
    }

    /// Binds the buffers of a launch, of which each part has a block of push constants if they are in a buffer.
    fn bind_buffers(&mut self, dispatch: &DispatchStep, pipeline: &Pipeline, part: u32) -> Result<()> {
        let mut buffers = self.buffer_descriptors(&dispatch.args.buffers, pipeline);
        if let Some(binding) = pipeline.parameters {
            let block = self.told.blocks.block(self.next.block, part);
            buffers.extend(block.map(|(info, id)| BufferDescriptor { binding, id, info }));
            self.next.block += 1;
        }
        if let Some(binding) = dispatch.settled.descriptor.trap_binding {
            let record = self.told.traps.record(self.next.trap);
            buffers.extend(record.map(|(info, id)| BufferDescriptor { binding, id, info }));
            self.next.trap += 1;
            if dispatch.can_trap() {
                self.note_host_visible(Stage::Compute);
            }
        }
        if let Some(binding) = dispatch.settled.descriptor.print_binding {
            let record = self.told.prints.record(self.next.print);
            buffers.extend(record.map(|(info, id)| BufferDescriptor { binding, id, info }));
            self.next.print += 1;
            self.note_host_visible(Stage::Compute);
        }
        self.watch(&mut buffers, pipeline);
        self.bind(buffers, &dispatch.args.buffers, pipeline)
    }

    /// Buffers among arguments as descriptors, in the memory of those before; the addresses of those that the pipeline finds by these are
    /// noted.
    fn buffer_descriptors(&mut self, arguments: &[BufferArg], pipeline: &Pipeline) -> Vec<BufferDescriptor> {
        let mut descriptors = std::mem::take(&mut self.buffers);
        descriptors.clear();
        let by_address = pipeline.addresses.as_ref().map_or(&[][..], |found| &found.bindings);
        self.addresses.clear();
        self.addresses.resize(by_address.len(), 0);
        for BufferArg { buffer, binding, is_written, role, .. } in arguments {
            let Some(vulkan) = buffer.vulkan() else { continue };
            if *is_written && vulkan.is_mapped() {
                self.note_host_visible(Stage::Compute);
            }
            if matches!(role, Role::Whole | Role::Table) {
                // An empty tensor has a small buffer too; kernels know its length. Atomics of 8 and 16 bits are exchanged by words.
                let start = buffer.start();
                if let Some(at) = by_address.iter().position(|found| found == binding) {
                    // A load may read the first element of an empty tensor, to forget it.
                    let start = if buffer.bytes() == 0 { 0 } else { start };
                    self.addresses[at] = vulkan.address().unwrap_or(0) + start;
                    continue;
                }
                let range = buffer.bytes().next_multiple_of(4).clamp(4, vulkan.size - start);
                let info = vk::DescriptorBufferInfo { buffer: vulkan.raw, offset: vulkan.offset + start, range };
                descriptors.push(BufferDescriptor { binding: *binding, id: buffer.id, info });
            }
        }
        descriptors
    }

    /// Adds the word that tells whether a loop was stopped, where that is watched.
    fn watch(&mut self, buffers: &mut Vec<BufferDescriptor>, pipeline: &Pipeline) {
        let Some(binding) = pipeline.watch else { return };
        let record = self.told.watches.record(self.next.watch);
        buffers.extend(record.map(|(info, id)| BufferDescriptor { binding, id, info }));
        self.next.watch += 1;
        self.note_host_visible(Stage::Compute);
    }

    /// Binds buffers, and the images among the arguments, to their bindings.
    fn bind(&mut self, buffers: Vec<BufferDescriptor>, arguments: &[BufferArg], pipeline: &Pipeline) -> Result<()> {
        self.bind_all(&buffers, arguments, pipeline)?;
        self.buffers = buffers;
        Ok(())
    }

    fn bind_all(&mut self, buffers: &[BufferDescriptor], arguments: &[BufferArg], pipeline: &Pipeline) -> Result<()> {
        let (images, texels) = match buffers.len() < pipeline.descriptors as usize {
            true => (self.image_descriptors(arguments)?, texel_descriptors(arguments)?),
            false => Default::default(),
        };
        if pipeline.descriptors == 0 {
            return Ok(());
        }
        let (commands, layout, point) = (self.commands, pipeline.layout, vk::PipelineBindPoint::COMPUTE);
        if let Some(push) = self.device.push_descriptors.as_ref().filter(|_| pipeline.pushes_descriptors) {
            with_writes((buffers, &images, &texels), vk::DescriptorSet::null(), |writes| {
                // SAFETY: live buffers that the recording's owner keeps, in bindings of the layout.
                unsafe { push.cmd_push_descriptor_set(commands, point, layout, 0, writes) };
            });
            self.bound_set = Default::default();
            return Ok(());
        }
        self.content.clear();
        self.content.push(pipeline.set_layout.id);
        buffers.iter().for_each(|buffer| self.content.extend(buffer.content()));
        images.iter().for_each(|image| self.content.extend(image.content()));
        texels.iter().for_each(|texels| self.content.extend([texels.binding.into(), texels.id]));
        let (set, is_new) = self.descriptors.get(pipeline.set_layout, &self.content, pipeline.descriptors)?;
        if is_new {
            with_writes((buffers, &images, &texels), set, |writes| {
                // SAFETY: as above; nothing uses the set now.
                unsafe { self.device.raw.update_descriptor_sets(writes, &[]) };
            });
        }
        if self.bound_set != (layout, set) {
            self.bound_set = (layout, set);
            // SAFETY: a live set of the pipeline's layout.
            unsafe { self.device.raw.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]) };
        }
        Ok(())
    }

    /// The images among arguments as descriptors.
    fn image_descriptors(&self, arguments: &[BufferArg]) -> Result<Vec<ImageDescriptor>> {
        let mut descriptors: Vec<ImageDescriptor> = Vec::new();
        for argument in arguments {
            let Some(image) = argument.buffer.vulkan_image() else { continue };
            let image_layout = vk::ImageLayout::GENERAL;
            let (ty, sampler, image_view) = match argument.sampler {
                Some(sampler) => {
                    let sampler = self.device.samplers.get(&self.device.raw, sampler)?;
                    (vk::DescriptorType::COMBINED_IMAGE_SAMPLER, sampler, image.sampled)
                }
                None => (vk::DescriptorType::STORAGE_IMAGE, vk::Sampler::null(), image.storage),
            };
            let info = vk::DescriptorImageInfo { sampler, image_view, image_layout };
            let (binding, id) = (argument.binding, argument.buffer.id);
            // Those of a list are beside each other.
            let before = descriptors.last().filter(|last| last.binding == binding);
            let position = before.map_or(0, |last| last.position + 1);
            descriptors.push(ImageDescriptor { binding, position, id, ty, info });
        }
        Ok(descriptors)
    }

    /// Writes a copy whose touches are noted.
    fn copy(&mut self, from: &Buffer, from_offset: u64, to: &Buffer, to_offset: u64, bytes: u64) {
        self.order(Stage::Transfer);
        let (from_offset, to_offset) = (from.vulkan_offset() + from_offset, to.vulkan_offset() + to_offset);
        let (Some(from), Some(to)) = (from.vulkan(), to.vulkan()) else { return };
        if to.is_mapped() {
            self.note_host_visible(Stage::Transfer);
        }
        let region = vk::BufferCopy::default().src_offset(from_offset).dst_offset(to_offset).size(bytes);
        // SAFETY: live buffers; the ranges lie in them and do not overlap.
        unsafe { self.device.raw.cmd_copy_buffer(self.commands, from.raw, to.raw, &[region]) };
    }

    fn copy_box(&mut self, CopyBoxStep { from, to, rows }: &CopyBoxStep) {
        self.touch(&from.0, from.1.clone(), false);
        self.touch(&to.0, to.1.clone(), true);
        self.order(Stage::Transfer);
        let (from_offset, to_offset) = (from.0.vulkan_offset(), to.0.vulkan_offset());
        let (Some(from), Some(to)) = (from.0.vulkan(), to.0.vulkan()) else { return };
        if to.is_mapped() {
            self.note_host_visible(Stage::Transfer);
        }
        let region = |row: &Row| vk::BufferCopy {
            src_offset: from_offset + row.from,
            dst_offset: to_offset + row.to,
            size: row.bytes,
        };
        let regions: Vec<_> = rows.iter().map(region).collect();
        // SAFETY: live buffers; the rows lie in them, and none that is written overlaps another.
        unsafe { self.device.raw.cmd_copy_buffer(self.commands, from.raw, to.raw, &regions) };
    }

    fn image(&mut self, step: &ImageStep) {
        self.touches.extend(step.touches());
        self.order(Stage::Transfer);
        let commands = self.commands;
        let whole = |image: &Buffer, level| image.image_layout().whole(level);
        match step {
            ImageStep::In { tensor, row_length, image, level, .. } => {
                let (Some(buffer), Some(vulkan)) = (tensor.vulkan(), image.vulkan_image()) else { return };
                vulkan.copy_from(commands, (buffer.raw, tensor.vulkan_offset()), *row_length, &whole(image, *level));
            }
            ImageStep::Out { image, level, row_length, tensor, .. } => {
                let (Some(buffer), Some(vulkan)) = (tensor.vulkan(), image.vulkan_image()) else { return };
                if buffer.is_mapped() {
                    self.note_host_visible(Stage::Transfer);
                }
                vulkan.copy_to(commands, (buffer.raw, tensor.vulkan_offset()), *row_length, &whole(image, *level));
            }
            ImageStep::Copy { from, to, level } => {
                let extent = from.image_layout().extent_of(*level);
                let (Some(from), Some(to)) = (from.vulkan_image(), to.vulkan_image()) else { return };
                from.copy_level(commands, *level, extent, to, *level);
            }
            ImageStep::Clear { image, texel } => {
                let Some(vulkan) = image.vulkan_image() else { return };
                vulkan.clear(commands, *texel);
            }
            ImageStep::Shrink { image, level } => {
                let Some(vulkan) = image.vulkan_image() else { return };
                let layout = image.image_layout();
                vulkan.shrink(commands, layout.extent_of(level - 1), layout.extent_of(*level), *level);
            }
        }
    }

    fn fill(&mut self, buffer: &Arc<Buffer>, pattern: &[u32], bytes: u64) {
        let Some(vulkan) = buffer.vulkan() else { return };
        if vulkan.is_mapped() {
            self.note_host_visible(Stage::Transfer);
        }
        if pattern.iter().all(|word| *word == pattern[0]) {
            self.touch(buffer, 0..bytes, true);
            self.order(Stage::Transfer);
            // SAFETY: a live buffer of a multiple of 4 bytes.
            unsafe {
                self.device.raw.cmd_fill_buffer(self.commands, vulkan.raw, buffer.vulkan_offset(), bytes, pattern[0]);
            }
            return;
        }
        // A first piece goes with the command buffer; the rest is copied from what is there, twice as much each time.
        let element = 4 * pattern.len() as u64;
        let mut done =
            if element > MAX_UPDATE { MAX_UPDATE.min(bytes) } else { (MAX_UPDATE / element * element).min(bytes) };
        let words: Vec<u32> = pattern.iter().copied().cycle().take((done / 4) as usize).collect();
        self.update(buffer, vulkan, 0, &words);
        while done < element.min(bytes) {
            let start = (done / 4) as usize;
            let piece = &pattern[start..pattern.len().min(start + (MAX_UPDATE / 4) as usize)];
            self.update(buffer, vulkan, done, piece);
            done += 4 * piece.len() as u64;
        }
        while done < bytes {
            let step = done.min(bytes - done);
            self.touch(buffer, 0..step, false);
            self.touch(buffer, done..done + step, true);
            self.copy(buffer, 0, buffer, done, step);
            done += step;
        }
    }

    fn update(&mut self, buffer: &Arc<Buffer>, vulkan: &VulkanBuffer, offset: u64, words: &[u32]) {
        self.touch(buffer, offset..offset + 4 * words.len() as u64, true);
        self.order(Stage::Transfer);
        // SAFETY: a live buffer; the range lies in it and is within the command's limit.
        unsafe {
            let (offset, bytes) = (buffer.vulkan_offset() + offset, bytemuck::cast_slice(words));
            self.device.raw.cmd_update_buffer(self.commands, vulkan.raw, offset, bytes);
        }
    }
}

/// A buffer in a set.
struct BufferDescriptor {
    binding: u32,
    /// As no other buffer has that this binding ever had.
    id: u64,
    info: vk::DescriptorBufferInfo,
}

impl BufferDescriptor {
    /// The identity of the descriptor.
    fn content(&self) -> [u64; 4] {
        [self.binding.into(), self.id, self.info.offset, self.info.range]
    }
}

/// An image in a set.
struct ImageDescriptor {
    binding: u32,
    /// The position in its list.
    position: u32,
    id: u64,
    ty: vk::DescriptorType,
    info: vk::DescriptorImageInfo,
}

impl ImageDescriptor {
    /// The identity of the descriptor. A device keeps its samplers.
    fn content(&self) -> [u64; 4] {
        [self.binding.into(), self.id, self.ty.as_raw() as u64, vk::Handle::as_raw(self.info.sampler)]
    }
}

/// A buffer in a set that is read as texels.
struct TexelDescriptor {
    binding: u32,
    raw: vk::BufferView,
    id: u64,
}

/// Calls `f` with the writes of a set.
fn with_writes(
    (buffers, images, texels): (&[BufferDescriptor], &[ImageDescriptor], &[TexelDescriptor]),
    set: vk::DescriptorSet,
    f: impl FnOnce(&[vk::WriteDescriptorSet<'_>]),
) {
    // Most launches have few buffers and nothing else, and need no memory then.
    match (buffers, images, texels) {
        ([a], [], []) => f(&[a].map(|buffer| buffer_write(buffer, set))),
        ([a, b], [], []) => f(&[a, b].map(|buffer| buffer_write(buffer, set))),
        ([a, b, c], [], []) => f(&[a, b, c].map(|buffer| buffer_write(buffer, set))),
        ([a, b, c, d], [], []) => f(&[a, b, c, d].map(|buffer| buffer_write(buffer, set))),
        ([a, b, c, d, e], [], []) => f(&[a, b, c, d, e].map(|buffer| buffer_write(buffer, set))),
        _ => {
            let images = images.iter().map(|image| image_write(image, set));
            let texels = texels.iter().map(|texels| texel_write(texels, set));
            let buffers = buffers.iter().map(|buffer| buffer_write(buffer, set));
            f(&buffers.chain(images).chain(texels).collect::<Vec<_>>());
        }
    }
}

fn buffer_write(buffer: &BufferDescriptor, set: vk::DescriptorSet) -> vk::WriteDescriptorSet<'_> {
    let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(buffer.binding);
    write.descriptor_type(vk::DescriptorType::STORAGE_BUFFER).buffer_info(std::slice::from_ref(&buffer.info))
}

fn image_write(image: &ImageDescriptor, set: vk::DescriptorSet) -> vk::WriteDescriptorSet<'_> {
    let write =
        vk::WriteDescriptorSet::default().dst_set(set).dst_binding(image.binding).dst_array_element(image.position);
    write.descriptor_type(image.ty).image_info(std::slice::from_ref(&image.info))
}

fn texel_write(texels: &TexelDescriptor, set: vk::DescriptorSet) -> vk::WriteDescriptorSet<'_> {
    let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(texels.binding);
    let ty = vk::DescriptorType::UNIFORM_TEXEL_BUFFER;
    write.descriptor_type(ty).texel_buffer_view(std::slice::from_ref(&texels.raw))
}

/// The arguments that are read as texels, as descriptors.
fn texel_descriptors(arguments: &[BufferArg]) -> Result<Vec<TexelDescriptor>> {
    let mut descriptors = Vec::new();
    for BufferArg { buffer, binding, role, .. } in arguments {
        let (Role::Texels, Some(vulkan)) = (role, buffer.vulkan()) else { continue };
        let view = buffer.texels(vulkan)?;
        descriptors.push(TexelDescriptor { binding: *binding, raw: view.raw, id: view.id });
    }
    Ok(descriptors)
}

/// The stages and accesses of one side of a barrier.
fn scope(stages: [bool; STAGES], with_reads: bool) -> (vk::PipelineStageFlags, vk::AccessFlags) {
    let [compute, transfer, indirect] = stages;
    let mut scope = (vk::PipelineStageFlags::empty(), vk::AccessFlags::empty());
    if compute {
        scope.0 |= vk::PipelineStageFlags::COMPUTE_SHADER;
        scope.1 |= vk::AccessFlags::SHADER_WRITE;
    }
    if transfer {
        scope.0 |= vk::PipelineStageFlags::TRANSFER;
        scope.1 |= vk::AccessFlags::TRANSFER_WRITE;
    }
    if indirect {
        scope.0 |= vk::PipelineStageFlags::DRAW_INDIRECT;
    }
    if with_reads && indirect {
        scope.1 |= vk::AccessFlags::INDIRECT_COMMAND_READ;
    }
    if with_reads && compute {
        scope.1 |= vk::AccessFlags::SHADER_READ;
    }
    if with_reads && transfer {
        scope.1 |= vk::AccessFlags::TRANSFER_READ;
    }
    scope
}
