//! Transfers between the host and memory it cannot reach: what is copied by whom and when. It must not know how the device is told.
//!
//! The caller's thread submits and waits; the threads of the relay fill or empty slots meanwhile, without waiting for each other.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::buffer::VulkanBuffer;
use super::device::VulkanDevice;
use super::image::VulkanImage;
use super::pieces::{Pieces, SMALLEST};
use super::relay::LANES as SLOTS;
use super::staging::{Staging, Transfer};
use super::waiter::Waiter;
use crate::core::error::Result;
use crate::core::span::span;
use crate::core::sync::schedule::{Marks, Schedule, Ticket, Uses};
use crate::device::image_layout::ImageLayout;

/// Bytes of a slot for large transfers: so many that the device's rest between two counts little.
const LARGE: u64 = 16 << 20;

/// Bytes of a transfer from which the memory for large slots is worth having: a driver takes 20 ms to pin it.
const LARGE_FROM: u64 = 8 << 20;

/// The memory of a transfer on the device. The caller has reserved it: nothing else uses it meanwhile.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) memory: Place<'a>,
    pub(crate) uses: &'a Uses,
    /// The first byte that is transferred, and the one behind the last, counted from the first of the memory; all of them where it is used
    /// as a whole.
    pub(crate) part: (u64, u64),
    /// Whether others than the manager may have the memory, so that also a reader counts as a writer.
    pub(crate) is_shared: bool,
}

/// A range of a buffer, or an image.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// So many bytes of a buffer, from an offset on.
    Buffer {
        buffer: &'a VulkanBuffer,
        offset: u64,
        bytes: u64,
    },
    Image {
        image: &'a VulkanImage,
    },
}

impl Target<'_> {
    /// Bytes of a buffer; of an image none are transferred as a whole.
    fn bytes(&self) -> u64 {
        match self.memory {
            Place::Buffer { bytes, .. } => bytes,
            Place::Image { .. } => 0,
        }
    }
}

/// The Vulkan device with its staging.
pub(crate) struct VulkanBackend {
    /// Made by the first transfer that needs it. Dropped before the device.
    staging: Mutex<Option<Staging>>,
    pub(crate) waiter: Waiter,
    pub(crate) device: Arc<VulkanDevice>,
}

impl VulkanBackend {
    pub(crate) fn new(device: Arc<VulkanDevice>) -> Box<Self> {
        Box::new(Self { staging: Mutex::new(None), waiter: Waiter::new(), device })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Staging>> {
        self.staging.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Transfers so many bytes by staging with slots that suit.
    fn with_staging<T>(
        &self,
        schedule: &Schedule,
        bytes: u64,
        transfer: impl FnOnce(&mut InUse<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut guard = self.lock();
        let slot = if bytes < LARGE_FROM { SMALLEST } else { LARGE };
        if guard.as_ref().is_some_and(|staging| staging.slot_bytes() < slot) {
            // Nothing uses it between transfers.
            *guard = None;
        }
        let staging = match &mut *guard {
            Some(staging) => staging,
            none => none.insert(Staging::new(&self.device, slot)?),
        };
        staging.relay.begin(bytes);
        transfer(&mut InUse { staging, schedule, device: &self.device })
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
    pub(crate) unsafe fn upload(&self, schedule: &Schedule, target: Target<'_>, from: *const u8) -> Result<Ticket> {
        self.with_staging(schedule, target.bytes(), |staging| {
            let pieces = Pieces::growing(target.bytes(), staging.staging.slot_bytes());
            let part = |index: usize| {
                let (offset, bytes) = pieces.get(index);
                Part { start: offset, bytes, transfer: Transfer::Up { offset, bytes } }
            };
            // SAFETY: the pieces lie in the buffer.
            unsafe { staging.fill(target, pieces.count(), part, from) }
        })
    }

    /// Copies a whole buffer to host memory.
    ///
    /// # Safety
    /// `into` is valid for writes of the buffer's bytes.
    pub(crate) unsafe fn download(&self, schedule: &Schedule, target: Target<'_>, into: *mut u8) -> Result<()> {
        self.with_staging(schedule, target.bytes(), |staging| {
            let pieces = Pieces::shrinking(target.bytes(), staging.staging.slot_bytes());
            let part = |index: usize| {
                let (offset, bytes) = pieces.get(index);
                Part { start: offset, bytes, transfer: Transfer::Down { offset, bytes } }
            };
            // SAFETY: the pieces lie in the buffer.
            unsafe { staging.empty(target, pieces.count(), part, into) }
        })
    }

    /// Copies host memory to a level of an image; gives who had written the image before, and the last submission, which is
    /// complete.
    ///
    /// # Safety
    /// `from` is valid for reads of the level's bytes.
    pub(crate) unsafe fn upload_level(
        &self,
        schedule: &Schedule,
        (target, layout): (Target<'_>, &ImageLayout),
        level: u32,
        from: *const u8,
    ) -> Result<(Marks, Ticket)> {
        let range = layout.bytes_of(level);
        self.with_staging(schedule, range.end - range.start, |staging| {
            let before = target.uses.written();
            let pieces = layout.pieces(level, staging.staging.slot_bytes());
            let part = |index: usize| {
                let piece = pieces[index];
                Part { start: piece.start - range.start, bytes: piece.bytes, transfer: Transfer::ImageUp(piece) }
            };
            // SAFETY: the pieces lie in the level.
            let last = unsafe { staging.fill(target, pieces.len(), part, from) }?;
            Ok((before, last))
        })
    }

    /// Copies a level of an image to host memory.
    ///
    /// # Safety
    /// `into` is valid for writes of the level's bytes.
    pub(crate) unsafe fn download_level(
        &self,
        schedule: &Schedule,
        (target, layout): (Target<'_>, &ImageLayout),
        level: u32,
        into: *mut u8,
    ) -> Result<()> {
        let range = layout.bytes_of(level);
        self.with_staging(schedule, range.end - range.start, |staging| {
            let pieces = layout.pieces(level, staging.staging.slot_bytes());
            let part = |index: usize| {
                let piece = pieces[index];
                Part { start: piece.start - range.start, bytes: piece.bytes, transfer: Transfer::ImageDown(piece) }
            };
            // SAFETY: the pieces lie in the level.
            unsafe { staging.empty(target, pieces.len(), part, into) }
        })
    }

    /// Makes an image ready for use, with zeros for texels; gives the submission, which is complete.
    pub(crate) fn start_image(&self, schedule: &Schedule, target: Target<'_>) -> Result<Ticket> {
        self.once(schedule, target, Transfer::Start)
    }

    /// Sets a whole buffer to zero; gives the submission, which is complete.
    pub(crate) fn clear(&self, schedule: &Schedule, target: Target<'_>) -> Result<Ticket> {
        self.once(schedule, target, Transfer::Clear)
    }

    /// A transfer that takes no slot's memory.
    fn once(&self, schedule: &Schedule, target: Target<'_>, transfer: Transfer) -> Result<Ticket> {
        self.with_staging(schedule, 0, |staging| {
            staging.wait(staging.staging.pending(0))?;
            let last = staging.staging.submit(schedule, 0, target, transfer)?;
            staging.wait(last)?;
            Ok(last)
        })
    }
}

/// A piece of a transfer: where its bytes are in host memory, and what the device does with them.
#[derive(Debug, Clone, Copy)]
struct Part {
    start: u64,
    bytes: u64,
    transfer: Transfer,
}

/// The staging during one transfer. When it is over, also by an error, the device and the relay are done with it: whoever asked
/// for the transfer may drop the tensor and the host's memory then.
struct InUse<'a> {
    staging: &'a mut Staging,
    schedule: &'a Schedule,
    device: &'a VulkanDevice,
}

impl InUse<'_> {
    /// Sends pieces to the device; gives the last submission, which is complete.
    ///
    /// # Safety
    /// `from` is valid for reads of all pieces.
    unsafe fn fill(
        &mut self,
        target: Target<'_>,
        count: usize,
        part: impl Fn(usize) -> Part,
        from: *const u8,
    ) -> Result<Ticket> {
        let (mut opened, mut sent, mut last) = (0, 0, Ticket::default());
        while sent < count {
            if opened < count && opened - sent < SLOTS && self.is_free(opened)? {
                let (slot, Part { start, bytes, .. }) = (opened % SLOTS, part(opened));
                // SAFETY: the caller's promise; the device does not use the slot, and its last piece was copied before it was sent.
                unsafe {
                    let to = self.staging.data(slot);
                    self.staging.relay.open(slot, from.add(start as usize), to, bytes as usize);
                }
                opened += 1;
            } else if opened == sent {
                self.wait(self.staging.pending(opened % SLOTS))?;
            } else if self.staging.relay.is_copied(sent % SLOTS) {
                last = self.staging.submit(self.schedule, sent % SLOTS, target, part(sent).transfer)?;
                sent += 1;
            } else {
                self.staging.relay.pass_time();
            }
        }
        // The caller's data was copied; but only a wait tells of a lost device.
        self.wait(last)?;
        Ok(last)
    }

    /// Takes pieces from the device.
    ///
    /// # Safety
    /// `into` is valid for writes of all pieces.
    unsafe fn empty(
        &mut self,
        target: Target<'_>,
        count: usize,
        part: impl Fn(usize) -> Part,
        into: *mut u8,
    ) -> Result<()> {
        let (mut sent, mut opened, mut emptied) = (0, 0, 0);
        while emptied < count {
            if sent < count && sent - emptied < SLOTS {
                // Long complete, unless an earlier transfer failed.
                self.wait(self.staging.pending(sent % SLOTS))?;
                self.staging.submit(self.schedule, sent % SLOTS, target, part(sent).transfer)?;
                sent += 1;
            } else if opened < sent && self.is_free(opened)? {
                let (slot, Part { start, bytes, .. }) = (opened % SLOTS, part(opened));
                // SAFETY: the caller's promise; the device's copy into the slot is complete and visible, and the slot's last piece was
                // emptied before this one was sent.
                unsafe {
                    let from = self.staging.data(slot);
                    self.staging.relay.open(slot, from, into.add(start as usize), bytes as usize);
                }
                opened += 1;
            } else if opened == emptied {
                self.wait(self.staging.pending(opened % SLOTS))?;
            } else if self.staging.relay.is_copied(emptied % SLOTS) {
                emptied += 1;
            } else {
                self.staging.relay.pass_time();
            }
        }
        Ok(())
    }

    /// Waits until a submission is complete.
    fn wait(&self, ticket: Ticket) -> Result<()> {
        if self.schedule.is_completed(ticket) {
            return Ok(());
        }
        span!("wait", queue = ticket.queue, number = ticket.number);
        self.wait_timeout(ticket, None).map(drop)
    }

    fn wait_timeout(&self, ticket: Ticket, timeout: Option<Duration>) -> Result<bool> {
        if self.schedule.is_completed(ticket) {
            return Ok(true);
        }
        let is_complete = self.device.wait(ticket, timeout)?;
        if is_complete {
            self.schedule.note_completed(ticket);
        }
        Ok(is_complete)
    }

    /// Whether the device is done with a piece's slot.
    fn is_free(&self, piece: usize) -> Result<bool> {
        self.wait_timeout(self.staging.pending(piece % SLOTS), Some(Duration::ZERO))
    }
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        self.staging.relay.finish();
        for slot in 0..SLOTS {
            let pending = self.staging.pending(slot);
            if !self.schedule.is_completed(pending) && self.device.wait_out(pending) {
                self.schedule.note_completed(pending);
            }
        }
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
