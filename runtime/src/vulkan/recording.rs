//! A sequence's command buffer: steps recorded with the barriers they need, and the trap records of its launches.

use std::sync::Arc;

use ash::vk;
use gridwise_ir::descriptor::{KernelDescriptor, TrapRecord};

use super::buffer::{MemoryUse, VulkanBuffer};
use super::descriptors::DescriptorPools;
use super::device::VulkanDevice;
use super::encoder::Encoder;
use crate::error::{Error, Result};
use crate::steps::Step;
use crate::trap::{panic_error, read_record};

/// A recorded command buffer. Its owner keeps the steps, and drops it only when it is not pending.
pub(crate) struct Recording {
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    /// Whether it begins with a barrier behind all work submitted before.
    begins_with_barrier: bool,
    descriptors: DescriptorPools,
    traps: Traps,
    device: Arc<VulkanDevice>,
}

/// The trap records of a recording: one for each launch that can trap.
pub(crate) struct Traps {
    buffer: Option<VulkanBuffer>,
    /// The kernel of each record, in order of launches.
    kernels: Vec<&'static KernelDescriptor>,
    /// Bytes from one record to the next.
    stride: u64,
}

impl Recording {
    /// An empty recording.
    pub(crate) fn new(device: &Arc<VulkanDevice>) -> Result<Self> {
        let alignment = device.caps.storage_alignment;
        let stride = (size_of::<TrapRecord>() as u64).next_multiple_of(alignment);
        let mut recording = Self {
            pool: device.create_command_pool(vk::CommandPoolCreateFlags::empty())?,
            commands: vk::CommandBuffer::null(),
            begins_with_barrier: false,
            descriptors: DescriptorPools::new(device),
            traps: Traps { buffer: None, kernels: Vec::new(), stride },
            device: device.clone(),
        };
        recording.commands = device.allocate_commands(recording.pool)?;
        Ok(recording)
    }

    /// Whether the recording begins with a barrier behind all work submitted before.
    pub(crate) fn begins_with_barrier(&self) -> bool {
        self.begins_with_barrier
    }

    /// Records steps, in place of those before, with or without a barrier at the beginning. The recording is not pending.
    pub(crate) fn record(&mut self, steps: &[Step], begin_with_barrier: bool) -> Result<()> {
        self.begins_with_barrier = begin_with_barrier;
        let device = &self.device;
        self.traps.prepare(device, steps)?;
        self.descriptors.reset()?;
        // SAFETY: the pool's only command buffer is not pending.
        let reset = unsafe { device.raw.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty()) };
        reset.map_err(Error::vulkan("vkResetCommandPool"))?;
        device.begin(self.commands, vk::CommandBufferUsageFlags::empty())?;
        if begin_with_barrier {
            device.barrier_behind_everything(self.commands);
        }
        let mut encoder = Encoder::new(device, self.commands, &mut self.descriptors, &self.traps);
        for step in steps {
            encoder.step(step)?;
        }
        encoder.finish();
        device.end(self.commands)
    }

    /// The command buffer.
    pub(crate) fn commands(&self) -> vk::CommandBuffer {
        self.commands
    }

    /// Clears the trap records. The recording is not pending.
    pub(crate) fn reset_traps(&mut self) {
        let Some(data) = self.traps.data() else { return };
        let bytes = self.traps.kernels.len() * self.traps.stride as usize;
        // SAFETY: the buffer has a record for each kernel, and the device does not use it now.
        unsafe { data.write_bytes(0, bytes) };
    }

    /// The error of the first launch that trapped. The recording is complete.
    pub(crate) fn read_traps(&self) -> Option<Error> {
        let data = self.traps.data()?;
        self.traps.kernels.iter().enumerate().find_map(|(index, descriptor)| {
            let offset = index * self.traps.stride as usize;
            // SAFETY: the buffer has a record for each kernel, aligned by its stride; the device has written it, and a
            // barrier has made that visible.
            let record = unsafe { data.add(offset).cast::<TrapRecord>().read() };
            read_record(descriptor, &record).map(|trap| panic_error(descriptor.name, &trap))
        })
    }
}

impl Traps {
    fn prepare(&mut self, device: &Arc<VulkanDevice>, steps: &[Step]) -> Result<()> {
        self.kernels.clear();
        for step in steps {
            if let Step::Dispatch(dispatch) = step
                && dispatch.descriptor.trap_binding.is_some()
            {
                self.kernels.push(dispatch.descriptor);
            }
        }
        let bytes = self.kernels.len() as u64 * self.stride;
        let has_room = self.buffer.as_ref().is_some_and(|buffer| buffer.size >= bytes);
        if bytes > 0 && !has_room {
            self.buffer = None;
            // Room to grow: sequences are often extended step by step.
            let bytes = bytes.next_power_of_two();
            self.buffer = Some(VulkanBuffer::new(device, "trap records", bytes, MemoryUse::Staging)?);
        }
        Ok(())
    }

    fn data(&self) -> Option<*mut u8> {
        let buffer = if self.kernels.is_empty() { None } else { self.buffer.as_ref() };
        buffer?.mapped_anyhow().map(|data| data.as_ptr())
    }

    /// The record of the launch with this number among those that can trap.
    pub(crate) fn record(&self, index: u64) -> Option<vk::DescriptorBufferInfo> {
        let buffer = self.buffer.as_ref()?;
        Some(vk::DescriptorBufferInfo {
            buffer: buffer.raw,
            offset: index * self.stride,
            range: size_of::<TrapRecord>() as u64,
        })
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // SAFETY: the owner waited for the recording; freeing the pool frees its command buffer.
        unsafe { self.device.raw.destroy_command_pool(self.pool, None) };
    }
}
