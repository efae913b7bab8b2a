//! Memory that others have, too, is theirs between uses: Vulkan leaves its contents undefined for whoever did not take the buffer
//! over from the family of queues that stands for all queues elsewhere. It must not know when others use it: that is told by the
//! one who shares it.

use ash::vk;

use super::buffer::VulkanBuffer;
use super::device::VulkanDevice;

/// Buffers of a command buffer that others have, too, each once.
#[derive(Default)]
pub(crate) struct SharedBuffers(Vec<vk::Buffer>);

impl SharedBuffers {
    /// The only one of a transfer, if it is one.
    pub(crate) fn of_buffer(buffer: &VulkanBuffer) -> Self {
        let mut shared = Self::default();
        shared.add(Some(buffer));
        shared
    }

    /// Adds a buffer, if others have it.
    pub(crate) fn add(&mut self, buffer: Option<&VulkanBuffer>) {
        let shared = buffer.filter(|buffer| buffer.is_shared()).map(|buffer| buffer.raw);
        self.0.extend(shared.filter(|raw| !self.0.contains(raw)));
    }

    /// Records that a queue takes them over, before anything uses them.
    pub(crate) fn take(&self, device: &VulkanDevice, queue: usize, commands: vk::CommandBuffer) {
        let owner = device.queues[queue].as_owner(device.families.len());
        let [_, all] = device.queues[queue].accesses();
        let barrier = vk::BufferMemoryBarrier::default()
            .dst_access_mask(all)
            .src_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL)
            .dst_queue_family_index(owner);
        self.record(device, commands, barrier, [vk::PipelineStageFlags::ALL_COMMANDS, device.queues[queue].stages]);
    }

    /// Records that a queue hands them over, when all that uses them is complete.
    pub(crate) fn give(&self, device: &VulkanDevice, queue: usize, commands: vk::CommandBuffer) {
        let owner = device.queues[queue].as_owner(device.families.len());
        let [writes, _] = device.queues[queue].accesses();
        let barrier = vk::BufferMemoryBarrier::default()
            .src_access_mask(writes)
            .src_queue_family_index(owner)
            .dst_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL);
        self.record(device, commands, barrier, [device.queues[queue].stages, vk::PipelineStageFlags::ALL_COMMANDS]);
    }

    fn record(
        &self,
        device: &VulkanDevice,
        commands: vk::CommandBuffer,
        barrier: vk::BufferMemoryBarrier<'_>,
        [before, after]: [vk::PipelineStageFlags; 2],
    ) {
        if self.0.is_empty() {
            return;
        }
        let barriers: Vec<_> = self.0.iter().map(|buffer| barrier.buffer(*buffer).size(vk::WHOLE_SIZE)).collect();
        let none = vk::DependencyFlags::empty();
        // SAFETY: live buffers, a command buffer in the recording state, stages and accesses of its queue.
        unsafe { device.raw.cmd_pipeline_barrier(commands, before, after, none, &[], &barriers, &[]) };
    }
}
