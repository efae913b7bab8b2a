//! A queue of the device with its timeline. It must not know what its submissions are ordered by.

use std::sync::{Arc, Mutex};

use ash::vk;

use super::foreign::Exported;
use super::timestamps::Clock;
use crate::device::{QueueInfo, QueueKind};

/// A queue. Several may be one queue of the driver's: the schedule's lock, under which all submit, is theirs too.
pub(crate) struct DeviceQueue {
    pub(super) raw: vk::Queue,
    pub(crate) family: u32,
    /// Held while the queue is used, where an application uses it, too.
    pub(super) lock: Option<Arc<Mutex<()>>>,
    /// Counts completed submissions.
    pub(super) timeline: vk::Semaphore,
    /// The same for other devices.
    pub(super) exported: Exported,
    /// A command buffer with nothing but a barrier between all earlier and all later work.
    pub(super) barrier_pool: vk::CommandPool,
    pub(super) barrier: vk::CommandBuffer,
    /// The stages in which it has work at all.
    pub(crate) stages: vk::PipelineStageFlags,
    /// Of its timestamps.
    pub(crate) clock: Clock,
}

impl DeviceQueue {
    /// A queue whose objects are still to be made.
    pub(super) fn new(raw: vk::Queue, info: &QueueInfo, lock: Option<Arc<Mutex<()>>>, period: f32) -> Self {
        let compute = match info.kind {
            QueueKind::Compute => vk::PipelineStageFlags::COMPUTE_SHADER,
            _ => vk::PipelineStageFlags::empty(),
        };
        Self {
            raw,
            family: info.family,
            lock,
            timeline: vk::Semaphore::null(),
            exported: Exported::default(),
            barrier_pool: vk::CommandPool::null(),
            barrier: vk::CommandBuffer::null(),
            stages: compute | vk::PipelineStageFlags::TRANSFER,
            clock: Clock { valid_bits: info.timestamp_bits, period },
        }
    }

    /// Its family, for barriers that change the owner of a buffer; none where buffers are of all families of the device.
    pub(super) fn as_owner(&self, families: usize) -> u32 {
        if families > 1 { vk::QUEUE_FAMILY_IGNORED } else { self.family }
    }

    /// The accesses of its work: writes, and all.
    pub(crate) fn accesses(&self) -> [vk::AccessFlags; 2] {
        let (mut writes, mut reads) = (vk::AccessFlags::TRANSFER_WRITE, vk::AccessFlags::TRANSFER_READ);
        if self.stages.contains(vk::PipelineStageFlags::COMPUTE_SHADER) {
            writes |= vk::AccessFlags::SHADER_WRITE;
            reads |= vk::AccessFlags::SHADER_READ;
        }
        [writes, writes | reads]
    }
}
