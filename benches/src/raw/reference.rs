//! A peer's shaders as one piece of work: pipelines, buffers, and timestamps around as many repetitions as wanted.

use std::time::Duration;

use ash::vk;

use super::{RawBuffer, RawDevice, vulkan};
use crate::Error;

/// One launch of a shader.
#[derive(Debug)]
pub struct Stage<'a> {
    /// The module.
    pub spirv: &'a [u8],
    /// Specialization constants, by id.
    pub constants: &'a [(u32, u32)],
    /// The push-constant block.
    pub push: Vec<u8>,
    /// For each binding from 0, the number of its buffer.
    pub buffers: &'a [usize],
    /// Workgroups.
    pub groups: [u32; 3],
}

/// Shaders that run one after the other, with a barrier between any two.
pub struct Reference<'d> {
    device: &'d RawDevice,
    buffers: Vec<RawBuffer>,
    staging: RawBuffer,
    stages: Vec<Ready>,
    commands_pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    queries: vk::QueryPool,
    fence: vk::Fence,
}

/// A stage that can be recorded.
struct Ready {
    pipeline: vk::Pipeline,
    layout: vk::PipelineLayout,
    set_layout: vk::DescriptorSetLayout,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    push: Vec<u8>,
    groups: [u32; 3],
    /// Buffers that are set to zero before it.
    zeroed: Vec<vk::Buffer>,
}

/// Bytes that go to the device or back at once.
const CHUNK: u64 = 64 << 20;

impl<'d> Reference<'d> {
    /// Makes buffers of so many bytes, and the pipelines of all stages. A failure ends the program, and what was made with
    /// it.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn new(device: &'d RawDevice, sizes: &[u64], stages: &[Stage<'_>]) -> Result<Self, Error> {
        let raw = &device.raw;
        let local = |size: &u64| RawBuffer::new(device, *size, vk::MemoryPropertyFlags::DEVICE_LOCAL);
        let buffers = sizes.iter().map(local).collect::<Result<Vec<_>, _>>()?;
        let seen = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let staging = RawBuffer::new(device, CHUNK.min(largest).max(16), seen)?;
        let stages = stages.iter().map(|stage| Ready::new(device, &buffers, stage)).collect::<Result<_, _>>()?;
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(device.family);
        let queries = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2);
        // SAFETY: valid infos; the queue takes timestamps.
        unsafe {
            let pool = raw.create_command_pool(&pool, None).map_err(vulkan("vkCreateCommandPool"))?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = raw.allocate_command_buffers(&info).map_err(vulkan("vkAllocateCommandBuffers"))?[0];
            let queries = raw.create_query_pool(&queries, None).map_err(vulkan("vkCreateQueryPool"))?;
            let fence = raw.create_fence(&Default::default(), None).map_err(vulkan("vkCreateFence"))?;
            Ok(Self { device, buffers, staging, stages, commands_pool: pool, commands, queries, fence })
        }
    }

    /// Sets buffers to zero before each run of a stage.
    pub fn zero_before(&mut self, stage: usize, buffers: &[usize]) {
        self.stages[stage].zeroed = buffers.iter().map(|index| self.buffers[*index].raw).collect();
    }

    /// Fills a buffer.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn write<T: bytemuck::Pod>(&self, buffer: usize, values: &[T]) -> Result<(), Error> {
        let per_chunk = (self.staging.size as usize / size_of::<T>()).max(1);
        for (index, chunk) in values.chunks(per_chunk).enumerate() {
            self.staging.write(self.device, chunk)?;
            let offset = (index * per_chunk * size_of::<T>()) as u64;
            self.copy(self.staging.raw, self.buffers[buffer].raw, 0, offset, size_of_val(chunk) as u64)?;
        }
        Ok(())
    }

    /// Reads a buffer.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn read<T: bytemuck::Pod>(&self, buffer: usize) -> Result<Vec<T>, Error> {
        let from = &self.buffers[buffer];
        let mut values: Vec<T> = Vec::with_capacity(from.size as usize / size_of::<T>());
        let chunk = self.staging.size / size_of::<T>() as u64 * size_of::<T>() as u64;
        let mut offset = 0;
        while offset < from.size {
            let bytes = chunk.min(from.size - offset);
            self.copy(from.raw, self.staging.raw, offset, 0, bytes)?;
            let read = self.staging.read::<T>(self.device)?;
            values.extend(&read[..bytes as usize / size_of::<T>()]);
            offset += bytes;
        }
        Ok(values)
    }

    /// Runs all stages so many times and tells what one time took on the device.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn run(&self, times: u32) -> Result<Duration, Error> {
        let raw = &self.device.raw;
        self.submit(|commands| {
            // SAFETY: live objects of this device; each query is written once after the reset.
            unsafe {
                raw.cmd_reset_query_pool(commands, self.queries, 0, 2);
                raw.cmd_write_timestamp(commands, vk::PipelineStageFlags::TOP_OF_PIPE, self.queries, 0);
                for _ in 0..times {
                    self.stages.iter().for_each(|stage| stage.record(raw, commands));
                }
                raw.cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, self.queries, 1);
            }
        })?;
        let mut ticks = [0u64; 2];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: both queries were written by what was waited for.
        unsafe { raw.get_query_pool_results(self.queries, 0, &mut ticks, flags) }
            .map_err(vulkan("vkGetQueryPoolResults"))?;
        let nanoseconds = ticks[1].wrapping_sub(ticks[0]) as f64 * f64::from(self.device.timestamp_period);
        Ok(Duration::from_nanos((nanoseconds / f64::from(times.max(1))) as u64))
    }

    fn copy(&self, from: vk::Buffer, to: vk::Buffer, start: u64, end: u64, bytes: u64) -> Result<(), Error> {
        let region = vk::BufferCopy::default().src_offset(start).dst_offset(end).size(bytes);
        // SAFETY: live buffers that have these ranges.
        self.submit(|commands| unsafe { self.device.raw.cmd_copy_buffer(commands, from, to, &[region]) })
    }

    /// Records commands behind a barrier, submits them and waits.
    fn submit(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<(), Error> {
        let (raw, commands) = (&self.device.raw, self.commands);
        // SAFETY: the only command buffer of the pool, which is not pending: every submission is waited for.
        unsafe {
            raw.reset_command_pool(self.commands_pool, vk::CommandPoolResetFlags::empty())
                .map_err(vulkan("vkResetCommandPool"))?;
            raw.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())
                .map_err(vulkan("vkBeginCommandBuffer"))?;
            order(raw, commands);
            record(commands);
            order(raw, commands);
            raw.end_command_buffer(commands).map_err(vulkan("vkEndCommandBuffer"))?;
            let buffers = [commands];
            let submit = vk::SubmitInfo::default().command_buffers(&buffers);
            raw.queue_submit(self.device.queue, &[submit], self.fence).map_err(vulkan("vkQueueSubmit"))?;
            raw.wait_for_fences(&[self.fence], true, u64::MAX).map_err(vulkan("vkWaitForFences"))?;
            raw.reset_fences(&[self.fence]).map_err(vulkan("vkResetFences"))
        }
    }
}

/// A barrier between everything before and everything after.
fn order(raw: &ash::Device, commands: vk::CommandBuffer) {
    let stages = vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER;
    let writes = vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE;
    let all = writes | vk::AccessFlags::SHADER_READ | vk::AccessFlags::TRANSFER_READ;
    let barrier = vk::MemoryBarrier::default().src_access_mask(writes).dst_access_mask(all);
    let host = vk::MemoryBarrier::default().src_access_mask(writes).dst_access_mask(vk::AccessFlags::HOST_READ);
    let after = stages | vk::PipelineStageFlags::HOST;
    // SAFETY: the command buffer is being recorded.
    unsafe {
        raw.cmd_pipeline_barrier(commands, stages, after, vk::DependencyFlags::empty(), &[barrier, host], &[], &[]);
    }
}

impl Ready {
    fn new(device: &RawDevice, buffers: &[RawBuffer], stage: &Stage<'_>) -> Result<Self, Error> {
        let raw = &device.raw;
        let kind = vk::DescriptorType::STORAGE_BUFFER;
        let count = stage.buffers.len() as u32;
        let binding = |number: u32| {
            let binding = vk::DescriptorSetLayoutBinding::default().binding(number).descriptor_type(kind);
            binding.descriptor_count(1).stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let bindings: Vec<_> = (0..count).map(binding).collect();
        let set_info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let sizes = [vk::DescriptorPoolSize::default().ty(kind).descriptor_count(count.max(1))];
        let pool_info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let infos: Vec<vk::DescriptorBufferInfo> =
            stage.buffers.iter().map(|index| buffers[*index].raw).map(whole).collect();
        // SAFETY: valid infos and live objects.
        unsafe {
            let set_layout =
                raw.create_descriptor_set_layout(&set_info, None).map_err(vulkan("vkCreateDescriptorSetLayout"))?;
            let pool = raw.create_descriptor_pool(&pool_info, None).map_err(vulkan("vkCreateDescriptorPool"))?;
            let layouts = [set_layout];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let set = raw.allocate_descriptor_sets(&info).map_err(vulkan("vkAllocateDescriptorSets"))?[0];
            let write = |(number, info): (usize, &'_ vk::DescriptorBufferInfo)| vk::WriteDescriptorSet {
                dst_set: set,
                dst_binding: number as u32,
                descriptor_count: 1,
                descriptor_type: kind,
                p_buffer_info: info,
                ..Default::default()
            };
            let writes: Vec<_> = infos.iter().enumerate().map(write).collect();
            raw.update_descriptor_sets(&writes, &[]);
            let size = stage.push.len() as u32;
            let ranges = [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(size)];
            let ranges = if size == 0 { &[][..] } else { &ranges };
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(ranges);
            let layout = raw.create_pipeline_layout(&info, None).map_err(vulkan("vkCreatePipelineLayout"))?;
            let pipeline = create_pipeline(raw, layout, stage)?;
            Ok(Self {
                pipeline,
                layout,
                set_layout,
                pool,
                set,
                push: stage.push.clone(),
                groups: stage.groups,
                zeroed: Vec::new(),
            })
        }
    }

    /// # Safety
    /// The command buffer is being recorded.
    unsafe fn record(&self, raw: &ash::Device, commands: vk::CommandBuffer) {
        let [x, y, z] = self.groups;
        let point = vk::PipelineBindPoint::COMPUTE;
        order(raw, commands);
        if !self.zeroed.is_empty() {
            for buffer in &self.zeroed {
                // SAFETY: the caller's promise; a live buffer.
                unsafe { raw.cmd_fill_buffer(commands, *buffer, 0, vk::WHOLE_SIZE, 0) };
            }
            order(raw, commands);
        }
        // SAFETY: the caller's promise; live objects that fit each other.
        unsafe {
            raw.cmd_bind_pipeline(commands, point, self.pipeline);
            raw.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
            if !self.push.is_empty() {
                raw.cmd_push_constants(commands, self.layout, vk::ShaderStageFlags::COMPUTE, 0, &self.push);
            }
            raw.cmd_dispatch(commands, x, y, z);
        }
    }
}

fn whole(buffer: vk::Buffer) -> vk::DescriptorBufferInfo {
    vk::DescriptorBufferInfo { buffer, offset: 0, range: vk::WHOLE_SIZE }
}

fn create_pipeline(raw: &ash::Device, layout: vk::PipelineLayout, stage: &Stage<'_>) -> Result<vk::Pipeline, Error> {
    let words: Vec<u32> = stage.spirv.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let info = vk::ShaderModuleCreateInfo::default().code(&words);
    let entry =
        |index: usize, id: u32| vk::SpecializationMapEntry::default().constant_id(id).offset(4 * index as u32).size(4);
    let entries: Vec<_> = stage.constants.iter().enumerate().map(|(index, (id, _))| entry(index, *id)).collect();
    let data: Vec<u8> = stage.constants.iter().flat_map(|(_, value)| value.to_ne_bytes()).collect();
    let constants = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
    // SAFETY: a valid module and valid infos; the module may go when the pipeline is made.
    unsafe {
        let module = raw.create_shader_module(&info, None).map_err(vulkan("vkCreateShaderModule"))?;
        let shader = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main")
            .specialization_info(&constants);
        let info = vk::ComputePipelineCreateInfo::default().stage(shader).layout(layout);
        let made = raw.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
        raw.destroy_shader_module(module, None);
        let made = made.map_err(|(_, result)| vulkan("vkCreateComputePipelines")(result))?;
        made.first().copied().ok_or_else(|| Error::Missing("pipeline".to_owned()))
    }
}

impl Drop for Reference<'_> {
    fn drop(&mut self) {
        let raw = &self.device.raw;
        // SAFETY: every submission was waited for, or failed; idle either way.
        unsafe {
            let _ = raw.device_wait_idle();
            for stage in &self.stages {
                raw.destroy_pipeline(stage.pipeline, None);
                raw.destroy_pipeline_layout(stage.layout, None);
                raw.destroy_descriptor_pool(stage.pool, None);
                raw.destroy_descriptor_set_layout(stage.set_layout, None);
            }
            raw.destroy_query_pool(self.queries, None);
            raw.destroy_fence(self.fence, None);
            raw.destroy_command_pool(self.commands_pool, None);
        }
        self.buffers.iter().chain([&self.staging]).for_each(|buffer| buffer.destroy(self.device));
    }
}

impl std::fmt::Debug for Reference<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reference").field("buffers", &self.buffers).finish_non_exhaustive()
    }
}
