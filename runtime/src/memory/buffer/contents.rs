//! The host's copy of a buffer's contents, and the buffer on another device that is made from it.

use std::sync::{Arc, PoisonError};

use super::{Buffer, Memory};
use crate::core::error::{Error, Result};
use crate::core::pages;
use crate::core::sync::schedule::{Marks, Ticket};
use crate::device::Device;
use crate::memory::host_copies::{Contents, Level};

impl Buffer {
    /// Notes what the host wrote in place, after these writes.
    pub(crate) fn note_written<'b>(&self, before: Marks, bytes: impl FnOnce() -> &'b [u8]) {
        self.keep(before, None, || copy_of(bytes()));
    }

    /// Notes that nobody cares what the buffer holds.
    pub(crate) fn leave_undefined(&self) {
        self.keep(self.uses.written(), None, || Some(Contents::Anything));
    }

    /// Notes the contents, which a submission brought, or the host saw or wrote in place.
    pub(super) fn keep(&self, before: Marks, ticket: Option<Ticket>, contents: impl FnOnce() -> Option<Contents>) {
        // Memory that is shared, or a user's, may be written by others, of whom nothing is known.
        if !self.device.keeps_contents() || self.is_shared() || self.is_users() {
            return;
        }
        if let Memory::Seen(whole, _) = &self.memory {
            // It is a part of what the other holds, whose contents are no longer what they were.
            return whole.forget();
        }
        match (contents(), ticket) {
            (Some(contents), Some(ticket)) => self.kept.set_by(ticket, contents),
            (Some(contents), None) => self.kept.set_in_place(&self.uses, before, contents),
            (None, _) => {}
        }
    }

    /// Notes the texels that a level has after these writes; the others are as they were `before`.
    ///
    /// # Safety
    /// `texels` is valid for reads of the level's bytes.
    pub(super) unsafe fn keep_level(&self, level: u32, texels: *const u8, before: Marks, after: Marks) {
        if !self.device.keeps_contents() {
            return;
        }
        let layout = self.image_layout();
        let bytes = (layout.bytes_of(level).end - layout.bytes_of(level).start) as usize;
        if let Ok(mut copy) = pages::reserve(bytes) {
            // SAFETY: the caller's promise.
            copy.extend_from_slice(unsafe { std::slice::from_raw_parts(texels, bytes) });
            self.kept.set_level((level, layout.levels), copy, before, after);
        }
    }

    /// Notes that nobody knows what the buffer holds.
    pub(crate) fn forget(&self) {
        match &self.memory {
            Memory::Seen(whole, _) => whole.forget(),
            _ => self.kept.forget(),
        }
    }

    /// A buffer like this one of a lost device, on another, with what the host knows of its contents.
    pub(crate) fn restore(&self, device: &Arc<Device>) -> Result<Self> {
        let contents = if self.bytes() == 0 { Some(Contents::Anything) } else { self.kept.get(&self.uses) };
        let contents = contents.ok_or_else(|| Error::ContentsLost { tensor: self.name().into() })?;
        let (len, stride) = (self.len as usize, self.stride as usize);
        let restored = Self::new(device, &self.name, len, stride, self.usage())?;
        restored.fill_with(&contents)?;
        self.restore_staged(&restored)?;
        Ok(restored)
    }

    /// Gives another the host-side copy, as far as the host knows it.
    fn restore_staged(&self, restored: &Self) -> Result<()> {
        let staged = self.staged.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match staged.and_then(|staged| staged.kept.get(&staged.uses)) {
            Some(contents) => restored.staged()?.fill_with(&contents),
            None => Ok(()),
        }
    }

    /// An image like this one of a lost device, on another, with what the host knows of its texels.
    pub(crate) fn restore_image(&self, device: &Arc<Device>) -> Result<Self> {
        let lost = || Error::ContentsLost { tensor: self.name().into() };
        let levels = match self.kept.get(&self.uses) {
            Some(Contents::Zeros) => Vec::new(),
            Some(Contents::Levels(levels)) => levels,
            _ => return Err(lost()),
        };
        if levels.iter().any(|level| matches!(level, Level::Unknown)) {
            return Err(lost());
        }
        let restored = Self::new_image(device, &self.name, *self.image_layout())?;
        for (number, level) in levels.iter().enumerate() {
            if let Level::Bytes(bytes) = level {
                // SAFETY: as many bytes as the level's, of which they are a copy.
                unsafe { restored.write_level(number as u32, bytes.as_ptr()) }?;
            }
        }
        self.restore_staged(&restored)?;
        Ok(restored)
    }

    fn fill_with(&self, contents: &Contents) -> Result<()> {
        match contents {
            Contents::Anything => self.leave_undefined(),
            Contents::Zeros => self.zero_new()?,
            // SAFETY: as many bytes as the buffer's, of which they are a copy.
            Contents::Bytes(bytes) => unsafe { self.write(bytes.as_ptr()) }?,
            // Those are of images.
            Contents::Levels(_) => {}
        }
        Ok(())
    }
}

/// A copy, where there is memory for it.
pub(super) fn copy_of(bytes: &[u8]) -> Option<Contents> {
    let mut copy = pages::reserve(bytes.len()).ok()?;
    copy.extend_from_slice(bytes);
    Some(Contents::Bytes(copy))
}
