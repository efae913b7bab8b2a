//! Staging memory of transfers: mapped slots in turns, some being copied by the device while others are filled or
//! emptied. It must not know what is transferred when.

use std::ptr::NonNull;
use std::sync::Arc;

use ash::vk;

use super::buffer::{MemoryUse, VulkanBuffer};
use super::device::VulkanDevice;
use super::image::VulkanImage;
use super::ownership::SharedBuffers;
use super::relay::{LANES as SLOTS, Relay};
use super::transfer::{Place, Target};
use crate::core::error::{Error, Result};
use crate::core::sync::schedule::{Marks, Schedule, Submission, Ticket, Use};
use crate::device::image_layout::Piece;

/// The queue of transfers: the first, where most tensors are used. Another would cost each a wait between queues, and gains nothing
/// where pieces are large.
const QUEUE: usize = 0;

/// Slots, with the threads that fill and empty them.
pub(super) struct Staging {
    slots: [Slot; SLOTS],
    slot_bytes: u64,
    /// A lane for each slot.
    pub(super) relay: Relay,
    buffer: VulkanBuffer,
    data: NonNull<u8>,
    pool: vk::CommandPool,
    device: Arc<VulkanDevice>,
}

// SAFETY: the pointer is to the buffer's mapped memory, which goes where the staging goes.
unsafe impl Send for Staging {}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    commands: vk::CommandBuffer,
    /// The last submission that uses the slot.
    pending: Ticket,
}

/// The device's work on a slot.
#[derive(Debug, Clone, Copy)]
pub(super) enum Transfer {
    Up {
        offset: u64,
        bytes: u64,
    },
    Down {
        offset: u64,
        bytes: u64,
    },
    Clear,
    ImageUp(Piece),
    ImageDown(Piece),
    /// Before any other use of an image.
    Start,
}

impl Staging {
    /// With slots of so many bytes.
    pub(super) fn new(device: &Arc<VulkanDevice>, slot_bytes: u64) -> Result<Self> {
        let bytes = SLOTS as u64 * slot_bytes;
        let buffer = VulkanBuffer::new(device, "staging", bytes, MemoryUse::Staging)?;
        let data = buffer.mapped_anyhow().ok_or_else(|| Error::OutOfMemory {
            object: "staging".to_owned(),
            bytes,
            cause: "the memory is not mapped".to_owned(),
        })?;
        let pool = device.create_command_pool(QUEUE, vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)?;
        // Dropping the half-made staging on an error frees the pool.
        let (slots, relay) = (Default::default(), Relay::new());
        let mut staging = Self { slots, slot_bytes, relay, buffer, data, pool, device: device.clone() };
        for slot in 0..SLOTS {
            staging.slots[slot].commands = device.allocate_commands(pool)?;
        }
        Ok(staging)
    }

    /// Bytes of a slot.
    pub(super) fn slot_bytes(&self) -> u64 {
        self.slot_bytes
    }

    /// A slot's memory.
    pub(super) fn data(&self, slot: usize) -> *mut u8 {
        self.data.as_ptr().wrapping_add(slot * self.slot_bytes as usize)
    }

    /// The last submission that uses a slot.
    pub(super) fn pending(&self, slot: usize) -> Ticket {
        self.slots[slot].pending
    }

    /// Records and submits a transfer through a slot that is not in use.
    pub(super) fn submit(
        &mut self,
        schedule: &Schedule,
        slot: usize,
        target: Target<'_>,
        transfer: Transfer,
    ) -> Result<Ticket> {
        let device = &self.device;
        let commands = self.slots[slot].commands;
        let slot_offset = slot as u64 * self.slot_bytes;
        device.begin(commands, vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT)?;
        match target.memory {
            Place::Buffer { buffer, offset, .. } => {
                let shared = SharedBuffers::of_buffer(buffer);
                shared.take(device, QUEUE, commands);
                self.record(commands, slot_offset, (buffer, offset), transfer);
                shared.give(device, QUEUE, commands);
            }
            Place::Image { image } => self.record_image(commands, slot_offset, image, transfer),
        }
        device.end(commands)?;
        let is_write = !matches!(transfer, Transfer::Down { .. } | Transfer::ImageDown(_)) || target.is_shared;
        let uses = std::iter::once(Use { uses: target.uses, bytes: target.part.0..target.part.1, is_write });
        let submit = |submission: Submission| device.submit(commands, &submission);
        let ticket = schedule.submit(QUEUE, uses, &Marks::default(), false, submit)?;
        // The transfer has the buffer to itself, so that no run does.
        let ticket = ticket.unwrap_or_default();
        self.slots[slot].pending = ticket;
        Ok(ticket)
    }

    fn record(
        &self,
        commands: vk::CommandBuffer,
        slot_offset: u64,
        (target, first): (&VulkanBuffer, u64),
        transfer: Transfer,
    ) {
        let device = &self.device;
        let all = (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_WRITE);
        // SAFETY: live buffers, ranges within them, a command buffer in the recording state.
        unsafe {
            match transfer {
                Transfer::Up { offset, bytes } => {
                    let region = vk::BufferCopy { src_offset: slot_offset, dst_offset: first + offset, size: bytes };
                    device.raw.cmd_copy_buffer(commands, self.buffer.raw, target.raw, &[region]);
                }
                Transfer::Down { offset, bytes } => {
                    // The slot's last contents were read long ago, but the device has to be told.
                    device.memory_barrier(commands, all, all);
                    let region = vk::BufferCopy { src_offset: first + offset, dst_offset: slot_offset, size: bytes };
                    device.raw.cmd_copy_buffer(commands, target.raw, self.buffer.raw, &[region]);
                    let host = (vk::PipelineStageFlags::HOST, vk::AccessFlags::HOST_READ);
                    device.memory_barrier(commands, all, host);
                }
                Transfer::Clear => {
                    device.raw.cmd_fill_buffer(commands, target.raw, target.offset, target.size, 0);
                }
                // Those are for images.
                Transfer::ImageUp(_) | Transfer::ImageDown(_) | Transfer::Start => {}
            }
        }
    }

    fn record_image(&self, commands: vk::CommandBuffer, slot_offset: u64, image: &VulkanImage, transfer: Transfer) {
        let device = &self.device;
        let all = (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_WRITE);
        match transfer {
            Transfer::ImageUp(piece) => image.copy_from(commands, (self.buffer.raw, slot_offset), 0, &piece),
            Transfer::ImageDown(piece) => {
                device.memory_barrier(commands, all, all);
                image.copy_to(commands, (self.buffer.raw, slot_offset), 0, &piece);
                let host = (vk::PipelineStageFlags::HOST, vk::AccessFlags::HOST_READ);
                device.memory_barrier(commands, all, host);
            }
            Transfer::Start => {
                image.start(commands);
                image.clear(commands, [0; 4]);
            }
            // Those are for buffers.
            Transfer::Up { .. } | Transfer::Down { .. } | Transfer::Clear => {}
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if self.device.health.is_abandoned() {
            return;
        }
        // SAFETY: nothing of the pool is pending after a transfer.
        unsafe { self.device.raw.destroy_command_pool(self.pool, None) };
    }
}
