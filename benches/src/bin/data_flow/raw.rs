//! One copy between memory of the host and memory of the device, recorded once: as fast as the bus is.

use ash::vk;
use gridwise_benches::Error;
use gridwise_benches::raw::{RawBuffer, RawDevice, vulkan};

/// A recorded copy. Its Vulkan objects live as long as the program.
pub(crate) struct RawCopy<'a> {
    device: &'a RawDevice,
    commands: vk::CommandBuffer,
    pool: vk::CommandPool,
    buffers: [RawBuffer; 2],
    fence: vk::Fence,
}

impl<'a> RawCopy<'a> {
    /// A copy of so many bytes to the device, or from it.
    pub(crate) fn new(device: &'a RawDevice, bytes: u64, is_up: bool) -> Result<Self, Error> {
        use vk::MemoryPropertyFlags as Flags;
        let host = RawBuffer::new(device, bytes, Flags::HOST_VISIBLE | Flags::HOST_COHERENT | Flags::HOST_CACHED)?;
        let own = RawBuffer::new(device, bytes, Flags::DEVICE_LOCAL)?;
        let (from, to) = if is_up { (host, own) } else { (own, host) };
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.family);
        // SAFETY: plain Vulkan, by the book; a failure ends the program.
        unsafe {
            let raw = &device.raw;
            let pool = raw.create_command_pool(&info, None).map_err(vulkan("vkCreateCommandPool"))?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = raw.allocate_command_buffers(&info).map_err(vulkan("vkAllocateCommandBuffers"))?[0];
            let begin = vk::CommandBufferBeginInfo::default();
            raw.begin_command_buffer(commands, &begin).map_err(vulkan("vkBeginCommandBuffer"))?;
            raw.cmd_copy_buffer(commands, from.raw, to.raw, &[vk::BufferCopy::default().size(bytes)]);
            raw.end_command_buffer(commands).map_err(vulkan("vkEndCommandBuffer"))?;
            let fence = raw.create_fence(&vk::FenceCreateInfo::default(), None).map_err(vulkan("vkCreateFence"))?;
            Ok(Self { device, commands, pool, buffers: [from, to], fence })
        }
    }

    /// Submits it, and waits.
    pub(crate) fn run(&self) -> Result<(), Box<dyn std::error::Error>> {
        let (raw, commands) = (&self.device.raw, [self.commands]);
        let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
        // SAFETY: as above; nothing is pending before or after.
        unsafe {
            raw.queue_submit(self.device.queue, &submit, self.fence).map_err(vulkan("vkQueueSubmit"))?;
            raw.wait_for_fences(&[self.fence], true, u64::MAX).map_err(vulkan("vkWaitForFences"))?;
            raw.reset_fences(&[self.fence]).map_err(vulkan("vkResetFences"))?;
        }
        Ok(())
    }
}

impl Drop for RawCopy<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing is pending.
        unsafe {
            self.device.raw.destroy_fence(self.fence, None);
            self.device.raw.destroy_command_pool(self.pool, None);
        }
        self.buffers.iter().for_each(|buffer| buffer.destroy(self.device));
    }
}
