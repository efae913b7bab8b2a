//! A module that is run once to find out what a device does: raw calls, with memory and commands of their own. It must not know
//! tensors or recordings, so that it may run while one is made.

use std::sync::Arc;

use ash::vk;
use gridwise_ir::descriptor::KernelDescriptor;
use gridwise_ir::variant::VariantDesc;

use super::buffer::{MemoryUse, VulkanBuffer};
use super::descriptors::DescriptorSets;
use super::device::VulkanDevice;
use super::pipeline::{Binding, Constants, Pipeline, PipelineDesc};
use super::spirv::words_for;
use crate::core::error::{Error, Result};
use crate::core::sync::schedule::{Marks, Schedule};

/// The queue of probes: the first, which computes.
const QUEUE: usize = 0;

/// Runs a kernel of one line over so many items, with one buffer that it reads and one that it writes, and the number of items as its
/// only launch word; gives what it wrote.
///
/// # Errors
/// When the device fails.
pub(crate) fn run_probe(
    (device, schedule): (&Arc<VulkanDevice>, &Schedule),
    kernel: &'static KernelDescriptor,
    items: u32,
    operands: &[u8],
    results: usize,
) -> Result<Vec<u8>> {
    let variant = VariantDesc {
        entry_point: kernel.entry_point,
        constants: &[],
        keeps_names: device.has_tools(),
        faults: device.caps.faults,
    };
    let words = words_for(kernel, &device.caps, &variant)?;
    let pipeline = Pipeline::get(
        device,
        &PipelineDesc {
            name: kernel.name,
            words: &words,
            entry_point: kernel.entry_point,
            bindings: &[Binding::buffer(0), Binding::buffer(1)],
            watch: None,
            parameters: None,
            addresses: None,
            push_constant_size: kernel.push_constant_size,
            constants: Constants::default(),
            width: kernel.workgroup_with(&[])[0],
            uses_subgroups: false,
            subgroup_size: None,
        },
    )?;
    let from = HostVisible::new(device, "operands of a probe", operands.len())?;
    let to = HostVisible::new(device, "results of a probe", results)?;
    from.write(operands);
    let mut sets = DescriptorSets::new(device);
    sets.begin()?;
    let commands = Commands::new(device)?;
    device.begin(commands.raw, vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT)?;
    bind(device, commands.raw, &pipeline, &mut sets, [&from, &to])?;
    let groups = items.div_ceil(kernel.workgroup_with(&[])[0].max(1));
    // SAFETY: a command buffer in the recording state, with the pipeline's buffers bound; the layout has a word for the items.
    unsafe {
        let stages = vk::ShaderStageFlags::COMPUTE;
        device.raw.cmd_push_constants(commands.raw, pipeline.layout, stages, 0, &items.to_ne_bytes());
        device.raw.cmd_dispatch(commands.raw, groups, 1, 1);
    }
    let written = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::AccessFlags::SHADER_WRITE);
    device.memory_barrier(commands.raw, written, (vk::PipelineStageFlags::HOST, vk::AccessFlags::HOST_READ));
    device.end(commands.raw)?;
    let submit = |submission| device.submit(commands.raw, &submission);
    let ticket = schedule.submit(QUEUE, std::iter::empty(), &Marks::default(), false, submit)?.unwrap_or_default();
    let waited = device.wait(ticket, None);
    // Where the wait failed: nothing below is freed while the device may use it.
    if device.wait_out(ticket) {
        schedule.note_completed(ticket);
    }
    waited?;
    Ok(to.read())
}

/// Binds the pipeline and both buffers.
fn bind(
    device: &VulkanDevice,
    commands: vk::CommandBuffer,
    pipeline: &Pipeline,
    sets: &mut DescriptorSets,
    buffers: [&HostVisible; 2],
) -> Result<()> {
    let infos = buffers.map(|buffer| {
        [vk::DescriptorBufferInfo {
            buffer: buffer.memory.raw,
            offset: buffer.memory.offset,
            range: buffer.bytes as u64,
        }]
    });
    let write = |set, binding: usize| {
        vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(binding as u32)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(&infos[binding])
    };
    let (point, layout) = (vk::PipelineBindPoint::COMPUTE, pipeline.layout);
    // SAFETY: live objects of the device, and a command buffer in the recording state.
    unsafe { device.raw.cmd_bind_pipeline(commands, point, pipeline.raw) };
    if let Some(push) = device.push_descriptors.as_ref().filter(|_| pipeline.pushes_descriptors) {
        let none = vk::DescriptorSet::null();
        // SAFETY: live buffers in bindings of the layout.
        unsafe { push.cmd_push_descriptor_set(commands, point, layout, 0, &[write(none, 0), write(none, 1)]) };
        return Ok(());
    }
    let (set, _) = sets.get(pipeline.set_layout, &[pipeline.set_layout.id], pipeline.descriptors)?;
    // SAFETY: a new set of the pipeline's layout, which nothing uses yet, and live buffers.
    unsafe {
        device.raw.update_descriptor_sets(&[write(set, 0), write(set, 1)], &[]);
        device.raw.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
    }
    Ok(())
}

/// Memory that both the host and the device reach.
struct HostVisible {
    memory: VulkanBuffer,
    data: *mut u8,
    bytes: usize,
}

impl HostVisible {
    fn new(device: &Arc<VulkanDevice>, name: &str, bytes: usize) -> Result<Self> {
        let memory = VulkanBuffer::new(device, name, bytes as u64, MemoryUse::Staging)?;
        let data = memory.mapped_anyhow().ok_or_else(|| Error::OutOfMemory {
            object: name.to_owned(),
            bytes: bytes as u64,
            cause: "the memory is not mapped".to_owned(),
        })?;
        Ok(Self { memory, data: data.as_ptr(), bytes })
    }

    fn write(&self, from: &[u8]) {
        // SAFETY: the memory has as many bytes as it was made for, and the device does not use it yet.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), self.data, from.len().min(self.bytes)) };
    }

    fn read(&self) -> Vec<u8> {
        let mut into = vec![0; self.bytes];
        // SAFETY: as above; the device is done with it, and what it wrote is visible to the host.
        unsafe { std::ptr::copy_nonoverlapping(self.data, into.as_mut_ptr(), self.bytes) };
        into
    }
}

/// A command buffer in a pool of its own. Its owner drops it only when it is not pending.
struct Commands<'a> {
    pool: vk::CommandPool,
    raw: vk::CommandBuffer,
    device: &'a VulkanDevice,
}

impl<'a> Commands<'a> {
    fn new(device: &'a VulkanDevice) -> Result<Self> {
        let pool = device.create_command_pool(QUEUE, vk::CommandPoolCreateFlags::TRANSIENT)?;
        // Dropping it on an error frees the pool.
        let mut commands = Self { pool, raw: vk::CommandBuffer::null(), device };
        commands.raw = device.allocate_commands(pool)?;
        Ok(commands)
    }
}

impl Drop for Commands<'_> {
    fn drop(&mut self) {
        if self.device.health.is_abandoned() {
            return;
        }
        // SAFETY: nothing of the pool is pending.
        unsafe { self.device.raw.destroy_command_pool(self.pool, None) };
    }
}
