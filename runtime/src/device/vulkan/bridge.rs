//! A bridge: slots of memory that two devices reach, through which one writes and the other reads. It must not know what goes over
//! it, or why.
//!
//! The caller's thread waits for the first device before it submits to the second, and for both before it returns.

use std::any::Any;
use std::sync::Arc;

use ash::vk;

use super::buffer::VulkanBuffer;
use super::device::VulkanDevice;
use super::ownership::SharedBuffers;
use crate::core::error::{Error, Result};
use crate::core::sync::schedule::{Marks, Schedule, Submission, Ticket, Use};
use crate::device::host::{HostMemory, HostPages};

/// The queue of the copies: the first, where most tensors are used.
const QUEUE: usize = 0;

/// One is filled and one emptied, while the host submits for a third.
const SLOTS: usize = 3;

/// Bytes of a slot for short copies.
const SMALL: u64 = 1 << 20;

/// Bytes of a slot for long ones: so many that the waits between two count little.
const LARGE: u64 = 16 << 20;

/// The memory of a bridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    /// Of the one device that both managers have.
    #[cfg_attr(not(unix), expect(dead_code, reason = "only descriptors of memory share it"))]
    SharedMemory,
    /// Of the host.
    HostMemory,
}

/// Slots of memory, with one end on each device.
pub(crate) struct Bridge {
    /// The end that writes, and the one that reads.
    ends: [End; 2],
    slot_bytes: u64,
    pub(crate) span: Span,
}

/// A device's side.
struct End {
    buffer: VulkanBuffer,
    pool: vk::CommandPool,
    commands: [vk::CommandBuffer; SLOTS],
    /// The last submission that uses each slot.
    pending: [Ticket; SLOTS],
    device: Arc<VulkanDevice>,
}

/// The elements to read or to write. The caller has reserved them: nothing else uses them meanwhile.
#[derive(Clone)]
pub(crate) struct Side<'a> {
    pub(crate) schedule: &'a Schedule,
    pub(crate) buffer: &'a VulkanBuffer,
    /// The first byte in the buffer.
    pub(crate) offset: u64,
    /// The access, as the schedule has it.
    pub(crate) used: Use<'a>,
}

impl Bridge {
    /// Between two devices, for copies of so many bytes.
    ///
    /// # Errors
    /// When the devices have no memory in common.
    pub(crate) fn new(from: &Arc<VulkanDevice>, to: &Arc<VulkanDevice>, bytes: u64) -> Result<Self> {
        let slot_bytes = slot_for(bytes);
        match Self::shared(from, to, slot_bytes) {
            Err(Error::CannotShare { .. }) => {}
            made => return made,
        }
        let pages = Arc::new(HostPages::new("bridge", SLOTS as u64 * slot_bytes)?);
        let end = |device: &Arc<VulkanDevice>| {
            let owner: Box<dyn Any + Send + Sync> = Box::new(pages.clone());
            let memory = HostMemory::of_user(pages.data(), owner);
            End::new(device, VulkanBuffer::in_host_memory(device, "bridge", SLOTS as u64 * slot_bytes, memory)?)
        };
        Ok(Self { ends: [end(from)?, end(to)?], slot_bytes, span: Span::HostMemory })
    }

    #[cfg(unix)]
    fn shared(from: &Arc<VulkanDevice>, to: &Arc<VulkanDevice>, slot_bytes: u64) -> Result<Self> {
        let bytes = SLOTS as u64 * slot_bytes;
        if super::external::uuids(from) != super::external::uuids(to) {
            let why = "the other manager has another device";
            return Err(Error::CannotShare { device: from.name.clone(), why });
        }
        let own = VulkanBuffer::shareable(from, "bridge", bytes)?;
        let others = VulkanBuffer::import(to, "bridge", own.share(bytes, "bridge")?)?;
        let ends = [End::new(from, own)?, End::new(to, others)?];
        Ok(Self { ends, slot_bytes, span: Span::SharedMemory })
    }

    #[cfg(not(unix))]
    fn shared(from: &Arc<VulkanDevice>, _to: &Arc<VulkanDevice>, _slot_bytes: u64) -> Result<Self> {
        Err(Error::CannotShare { device: from.name.clone(), why: "no descriptors of memory on this system" })
    }

    /// Whether it is made for copies of so many bytes.
    pub(crate) fn suits(&self, bytes: u64) -> bool {
        self.slot_bytes >= slot_for(bytes)
    }

    /// Whether one of its devices works no more.
    pub(crate) fn is_broken(&self) -> bool {
        self.ends.iter().any(|end| end.device.health.is_gone())
    }

    /// Copies bytes from a buffer of the first device to one of the second. When it returns, also with an error, neither device uses
    /// the buffers for it any more.
    pub(crate) fn copy(&mut self, from: &Side<'_>, to: &Side<'_>, bytes: u64) -> Result<()> {
        let copied = self.copy_pieces(from, to, bytes);
        if copied.is_err() {
            // Work that was lost on one device is still under way on the other.
            self.ends[0].wait_out(from.schedule);
            self.ends[1].wait_out(to.schedule);
        }
        copied
    }

    fn copy_pieces(&mut self, from: &Side<'_>, to: &Side<'_>, bytes: u64) -> Result<()> {
        let [writer, reader] = &mut self.ends;
        let (slot_bytes, count) = (self.slot_bytes, bytes.div_ceil(self.slot_bytes));
        let piece = |index: u64| (index * slot_bytes, slot_bytes.min(bytes - index * slot_bytes));
        let (mut written, mut read) = (0, 0);
        while read < count {
            if written < count && written - read < SLOTS as u64 {
                let (slot, (start, bytes)) = ((written % SLOTS as u64) as usize, piece(written));
                reader.wait(to.schedule, slot)?;
                writer.submit(from, slot, (slot as u64 * slot_bytes, start, bytes), Way::In)?;
                written += 1;
            } else {
                let (slot, (start, bytes)) = ((read % SLOTS as u64) as usize, piece(read));
                writer.wait(from.schedule, slot)?;
                reader.submit(to, slot, (slot as u64 * slot_bytes, start, bytes), Way::Out)?;
                read += 1;
            }
        }
        // The last submission of a queue is complete after all before it; and only a wait tells of a lost device.
        (0..SLOTS).try_for_each(|slot| reader.wait(to.schedule, slot))
    }
}

fn slot_for(bytes: u64) -> u64 {
    if bytes <= SMALL { SMALL } else { LARGE }
}

/// The way of a copy: into the bridge, or out of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

impl End {
    fn new(device: &Arc<VulkanDevice>, buffer: VulkanBuffer) -> Result<Self> {
        let pool = device.create_command_pool(QUEUE, vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)?;
        // Dropping the half-made end on an error frees the pool.
        let (commands, pending) = Default::default();
        let mut end = Self { buffer, pool, commands, pending, device: device.clone() };
        for commands in &mut end.commands {
            *commands = device.allocate_commands(pool)?;
        }
        Ok(end)
    }

    /// Copies a piece: where it begins in the bridge and among the elements, and its bytes.
    fn submit(
        &mut self,
        side: &Side<'_>,
        slot: usize,
        (in_bridge, start, bytes): (u64, u64, u64),
        way: Way,
    ) -> Result<()> {
        let (device, commands) = (&*self.device, self.commands[slot]);
        device.begin(commands, vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT)?;
        let mut shared = SharedBuffers::of_buffer(&self.buffer);
        shared.add(Some(side.buffer));
        shared.take(device, QUEUE, commands);
        let here = (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_WRITE);
        let (in_bridge, outside) = ((self.buffer.raw, in_bridge), (side.buffer.raw, side.offset + start));
        let (from, to) = if way == Way::In { (outside, in_bridge) } else { (in_bridge, outside) };
        let region = vk::BufferCopy { src_offset: from.1, dst_offset: to.1, size: bytes };
        if way == Way::In {
            // The slot was written before, and read since: but the device has to be told.
            device.memory_barrier(commands, here, here);
        }
        // SAFETY: live buffers, ranges within them, a command buffer in the recording state.
        unsafe { device.raw.cmd_copy_buffer(commands, from.0, to.0, &[region]) };
        if way == Way::In {
            device.memory_barrier(commands, here, (vk::PipelineStageFlags::HOST, vk::AccessFlags::HOST_READ));
        }
        shared.give(device, QUEUE, commands);
        device.end(commands)?;
        let submit = |submission: Submission| device.submit(commands, &submission);
        let uses = std::iter::once(side.used.clone());
        let ticket = side.schedule.submit(QUEUE, uses, &Marks::default(), false, submit)?;
        // The caller has the buffer to itself, so that no run does.
        self.pending[slot] = ticket.unwrap_or_default();
        Ok(())
    }

    /// Waits until the device is done with a slot.
    fn wait(&self, schedule: &Schedule, slot: usize) -> Result<()> {
        let ticket = self.pending[slot];
        if !schedule.is_completed(ticket) && self.device.wait(ticket, None)? {
            schedule.note_completed(ticket);
        }
        Ok(())
    }

    /// Waits until the device is done with all slots, whatever fails meanwhile.
    fn wait_out(&self, schedule: &Schedule) {
        for ticket in self.pending {
            if !schedule.is_completed(ticket) && self.device.wait_out(ticket) {
                schedule.note_completed(ticket);
            }
        }
    }
}

impl Drop for End {
    fn drop(&mut self) {
        if self.device.health.is_abandoned() {
            return;
        }
        // SAFETY: nothing of the pool is pending after a copy.
        unsafe { self.device.raw.destroy_command_pool(self.pool, None) };
    }
}

/// Memory of another manager of the same device, which this device copies from or to without a bridge.
#[cfg(unix)]
pub(crate) struct Reach(End);

#[cfg(unix)]
impl Reach {
    /// So many bytes of memory that can be shared, for copies of this device.
    ///
    /// # Errors
    /// When the memory cannot be shared with it.
    pub(crate) fn new(device: &Arc<VulkanDevice>, theirs: &VulkanBuffer, bytes: u64) -> Result<Self> {
        let memory = theirs.share(bytes, "another manager's tensor")?;
        Ok(Self(End::new(device, VulkanBuffer::import(device, "another manager's tensor", memory)?)?))
    }

    /// Copies bytes from a buffer of this device to a place of the memory, or from there, and waits for it. Nothing else uses the memory.
    pub(crate) fn copy(&mut self, own: &Side<'_>, place: u64, bytes: u64, is_sent: bool) -> Result<()> {
        let (Self(end), way) = (self, if is_sent { Way::In } else { Way::Out });
        let submitted = end.submit(own, 0, (place, 0, bytes), way);
        let copied = submitted.and_then(|()| end.wait(own.schedule, 0));
        if copied.is_err() {
            end.wait_out(own.schedule);
        }
        copied
    }
}

impl std::fmt::Debug for Bridge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bridge").field("span", &self.span).field("slot_bytes", &self.slot_bytes).finish_non_exhaustive()
    }
}
