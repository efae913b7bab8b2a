//! Transfers between the host and memory it cannot reach: mapped slots in turns, some being copied by the device while others are
//! filled or emptied.

use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;

use super::buffer::{MemoryUse, VulkanBuffer};
use super::copier::Copier;
use super::device::VulkanDevice;
use super::image::VulkanImage;
use super::ownership::SharedBuffers;
use super::waiter::Waiter;
use crate::buffer::Buffer;
use crate::error::{Error, Result};
use crate::image::Piece;
use crate::manager::Shared;
use crate::sync::schedule::{Marks, Submission, Ticket};

/// Bytes of a slot: large enough to hide the cost of a submission, small enough to stay in cache.
const SLOT: u64 = 8 << 20;

/// Slots: enough that the device has work while a submission is on its way.
const SLOTS: usize = 4;

/// The queue of transfers: the first, where most tensors are used. Another would cost each a wait between queues.
const QUEUE: usize = 0;

/// The Vulkan device with its staging.
pub(crate) struct VulkanBackend {
    /// Made by the first transfer that needs it. Dropped before the device.
    staging: Mutex<Option<Staging>>,
    pub(crate) waiter: Waiter,
    pub(crate) device: Arc<VulkanDevice>,
}

struct Staging {
    slots: [Slot; SLOTS],
    copier: Copier,
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

impl VulkanBackend {
    pub(crate) fn new(device: Arc<VulkanDevice>) -> Box<Self> {
        Box::new(Self { staging: Mutex::new(None), waiter: Waiter::new(), device })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Staging>> {
        self.staging.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn staging<'a>(&self, shared: &'a Shared, guard: &'a mut Option<Staging>) -> Result<InUse<'a>> {
        let staging = match guard {
            Some(staging) => staging,
            None => guard.insert(Staging::new(&self.device)?),
        };
        Ok(InUse { staging, shared })
    }

    /// Gives back the memory that transfers go through; the next transfer takes it anew.
    pub(crate) fn trim(&self) {
        let staging = self.lock().take();
        drop(staging);
    }

    /// Copies host memory to a whole buffer; gives the last submission, which is complete.
    ///
    /// # Safety
    /// `from` is valid for reads of the buffer's bytes.
    pub(crate) unsafe fn upload(&self, shared: &Shared, buffer: &Buffer, from: *const u8) -> Result<Ticket> {
        let _reserved = shared.reserve(buffer);
        let mut guard = self.lock();
        let mut staging = self.staging(shared, &mut guard)?;
        let mut last = Ticket::default();
        for index in 0..pieces(buffer.bytes()) {
            let (slot, (offset, bytes)) = (index % SLOTS, piece(buffer.bytes(), index));
            shared.wait(staging.slots[slot].pending)?;
            // SAFETY: the piece lies in both; the slot is not in use.
            unsafe { staging.copier.copy(from.add(offset as usize), staging.data(slot), bytes as usize) };
            last = staging.submit(shared, slot, buffer, Transfer::Up { offset, bytes })?;
        }
        // The caller's data was copied; but only a wait tells of a lost device.
        shared.wait(last)?;
        Ok(last)
    }

    /// Copies a whole buffer to host memory.
    ///
    /// # Safety
    /// `into` is valid for writes of the buffer's bytes.
    pub(crate) unsafe fn download(&self, shared: &Shared, buffer: &Buffer, into: *mut u8) -> Result<()> {
        let _reserved = shared.reserve(buffer);
        let mut guard = self.lock();
        let mut staging = self.staging(shared, &mut guard)?;
        let count = pieces(buffer.bytes());
        for index in 0..count + AHEAD {
            if index < count {
                let (slot, (offset, bytes)) = (index % SLOTS, piece(buffer.bytes(), index));
                shared.wait(staging.slots[slot].pending)?;
                staging.submit(shared, slot, buffer, Transfer::Down { offset, bytes })?;
            }
            if let Some(done) = index.checked_sub(AHEAD).filter(|done| *done < count) {
                let (offset, bytes) = piece(buffer.bytes(), done);
                // SAFETY: the caller's promise.
                unsafe { staging.take(shared, (done % SLOTS, offset, bytes), into) }?;
            }
        }
        Ok(())
    }

    /// Copies host memory to a level of an image; gives who had written the image before, and the last submission, which is
    /// complete.
    ///
    /// # Safety
    /// `from` is valid for reads of the level's bytes.
    pub(crate) unsafe fn upload_level(
        &self,
        shared: &Shared,
        image: &Buffer,
        level: u32,
        from: *const u8,
    ) -> Result<(Marks, Ticket)> {
        let _reserved = shared.reserve(image);
        let before = image.uses.written();
        let mut guard = self.lock();
        let mut staging = self.staging(shared, &mut guard)?;
        let (layout, mut last) = (image.image_layout(), Ticket::default());
        let first = layout.bytes_of(level).start;
        for (index, piece) in layout.pieces(level, SLOT).into_iter().enumerate() {
            let slot = index % SLOTS;
            shared.wait(staging.slots[slot].pending)?;
            let start = (piece.start - first) as usize;
            // SAFETY: the piece lies in both; the slot is not in use.
            unsafe { staging.copier.copy(from.add(start), staging.data(slot), piece.bytes as usize) };
            last = staging.submit(shared, slot, image, Transfer::ImageUp(piece))?;
        }
        shared.wait(last)?;
        Ok((before, last))
    }

    /// Copies a level of an image to host memory.
    ///
    /// # Safety
    /// `into` is valid for writes of the level's bytes.
    pub(crate) unsafe fn download_level(
        &self,
        shared: &Shared,
        image: &Buffer,
        level: u32,
        into: *mut u8,
    ) -> Result<()> {
        let _reserved = shared.reserve(image);
        let mut guard = self.lock();
        let mut staging = self.staging(shared, &mut guard)?;
        let layout = image.image_layout();
        let first = layout.bytes_of(level).start;
        let pieces = layout.pieces(level, SLOT);
        for index in 0..pieces.len() + AHEAD {
            if let Some(piece) = pieces.get(index) {
                let slot = index % SLOTS;
                shared.wait(staging.slots[slot].pending)?;
                staging.submit(shared, slot, image, Transfer::ImageDown(*piece))?;
            }
            if let Some((done, piece)) = index.checked_sub(AHEAD).and_then(|done| Some((done, pieces.get(done)?))) {
                // SAFETY: the caller's promise.
                unsafe { staging.take(shared, (done % SLOTS, piece.start - first, piece.bytes), into) }?;
            }
        }
        Ok(())
    }

    /// Makes an image ready for use, with zeros for texels; gives the submission, which is complete.
    pub(crate) fn start_image(&self, shared: &Shared, image: &Buffer) -> Result<Ticket> {
        let _reserved = shared.reserve(image);
        let mut guard = self.lock();
        let mut staging = self.staging(shared, &mut guard)?;
        shared.wait(staging.slots[0].pending)?;
        let last = staging.submit(shared, 0, image, Transfer::Start)?;
        shared.wait(last)?;
        Ok(last)
    }

    /// Sets a whole buffer to zero; gives the submission, which is complete.
    pub(crate) fn clear(&self, shared: &Shared, buffer: &Buffer) -> Result<Ticket> {
        let _reserved = shared.reserve(buffer);
        let mut guard = self.lock();
        let mut staging = self.staging(shared, &mut guard)?;
        shared.wait(staging.slots[0].pending)?;
        let last = staging.submit(shared, 0, buffer, Transfer::Clear)?;
        shared.wait(last)?;
        Ok(last)
    }
}

/// The staging during one transfer. When it is over, also by an error, the device is done with it: whoever asked for the
/// transfer may drop the tensor then.
struct InUse<'a> {
    staging: &'a mut Staging,
    shared: &'a Shared,
}

impl std::ops::Deref for InUse<'_> {
    type Target = Staging;

    fn deref(&self) -> &Staging {
        self.staging
    }
}

impl std::ops::DerefMut for InUse<'_> {
    fn deref_mut(&mut self) -> &mut Staging {
        self.staging
    }
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        for slot in &self.staging.slots {
            if !self.shared.schedule.is_completed(slot.pending) && self.staging.device.wait_out(slot.pending) {
                self.shared.schedule.note_completed(slot.pending);
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Transfer {
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

/// Pieces on their way down before the first is taken: then its slot is the next one's.
const AHEAD: usize = SLOTS - 1;

/// How many slots a transfer of so many bytes fills.
fn pieces(bytes: u64) -> usize {
    bytes.div_ceil(SLOT) as usize
}

/// Offset and size of a piece.
fn piece(bytes: u64, index: usize) -> (u64, u64) {
    let offset = index as u64 * SLOT;
    (offset, SLOT.min(bytes - offset))
}

impl Staging {
    fn new(device: &Arc<VulkanDevice>) -> Result<Self> {
        let buffer = VulkanBuffer::new(device, "staging", SLOTS as u64 * SLOT, MemoryUse::Staging)?;
        let data = buffer.mapped_anyhow().ok_or_else(|| Error::OutOfMemory {
            object: "staging".to_owned(),
            bytes: SLOTS as u64 * SLOT,
            cause: "the memory is not mapped".to_owned(),
        })?;
        let pool = device.create_command_pool(QUEUE, vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)?;
        // Dropping the half-made staging on an error frees the pool.
        let (slots, copier) = (Default::default(), Copier::new());
        let mut staging = Self { slots, copier, buffer, data, pool, device: device.clone() };
        for slot in 0..SLOTS {
            staging.slots[slot].commands = device.allocate_commands(pool)?;
        }
        Ok(staging)
    }

    fn data(&self, slot: usize) -> *mut u8 {
        self.data.as_ptr().wrapping_add(slot * SLOT as usize)
    }

    /// Records and submits a transfer through a slot that is not in use.
    fn submit(&mut self, shared: &Shared, slot: usize, buffer: &Buffer, transfer: Transfer) -> Result<Ticket> {
        let device = &self.device;
        let commands = self.slots[slot].commands;
        let slot_offset = slot as u64 * SLOT;
        device.begin(commands, vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT)?;
        match (buffer.vulkan(), buffer.vulkan_image()) {
            (Some(target), _) => {
                let shared = SharedBuffers::of_buffer(target);
                shared.take(device, QUEUE, commands);
                self.record(commands, slot_offset, target, transfer);
                shared.give(device, QUEUE, commands);
            }
            (None, Some(image)) => self.record_image(commands, slot_offset, image, transfer),
            (None, None) => {}
        }
        device.end(commands)?;
        let is_write = !matches!(transfer, Transfer::Down { .. } | Transfer::ImageDown(_));
        let uses = std::iter::once((&*buffer.uses, is_write));
        let submit = |submission: Submission| device.submit(commands, &submission);
        let ticket = shared.schedule.submit(QUEUE, uses, &Marks::default(), false, submit)?;
        // The transfer has the buffer to itself, so that no run does.
        let ticket = ticket.unwrap_or_default();
        self.slots[slot].pending = ticket;
        Ok(ticket)
    }

    fn record(&self, commands: vk::CommandBuffer, slot_offset: u64, target: &VulkanBuffer, transfer: Transfer) {
        let device = &self.device;
        let all = (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_WRITE);
        // SAFETY: live buffers, ranges within them, a command buffer in the recording state.
        unsafe {
            match transfer {
                Transfer::Up { offset, bytes } => {
                    let region =
                        vk::BufferCopy { src_offset: slot_offset, dst_offset: target.offset + offset, size: bytes };
                    device.raw.cmd_copy_buffer(commands, self.buffer.raw, target.raw, &[region]);
                }
                Transfer::Down { offset, bytes } => {
                    // What the slot held before was read long ago, but the device has to be told.
                    device.memory_barrier(commands, all, all);
                    let region =
                        vk::BufferCopy { src_offset: target.offset + offset, dst_offset: slot_offset, size: bytes };
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

    /// Takes a downloaded piece out of its slot.
    ///
    /// # Safety
    /// `into` is valid for writes of the piece at its offset.
    unsafe fn take(&self, shared: &Shared, (slot, offset, bytes): (usize, u64, u64), into: *mut u8) -> Result<()> {
        shared.wait(self.slots[slot].pending)?;
        // SAFETY: the copy into the slot is complete and visible; the caller's promise.
        unsafe { self.copier.copy(self.data(slot), into.add(offset as usize), bytes as usize) };
        Ok(())
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

impl Drop for VulkanBackend {
    fn drop(&mut self) {
        self.waiter.close(&self.device);
    }
}

impl fmt::Debug for VulkanBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VulkanBackend").field("device", &self.device).finish_non_exhaustive()
    }
}
