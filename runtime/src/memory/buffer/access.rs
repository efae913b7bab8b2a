//! The host's reads and writes of a buffer, each after the submissions that it has to wait for. Nothing is made here.

use std::ops::Range;

use super::contents::copy_of;
use super::{Buffer, Memory};
use crate::core::error::{Error, Result};
use crate::core::span::span;
use crate::core::sync::schedule::{Schedule, WHOLE};
use crate::device::Backend;
use crate::device::vulkan::{Place, Target};
use crate::memory::host_copies::{Contents, marks_of};

impl Buffer {
    /// Lets `transfer` have the memory on the device, which nothing else uses meanwhile.
    pub(super) fn transfer<R>(&self, transfer: impl FnOnce(&Schedule, Target<'_>) -> Result<R>) -> Result<R> {
        let memory = match (self.vulkan(), self.vulkan_image()) {
            (Some(buffer), _) => Place::Buffer { buffer, offset: self.vulkan_offset(), bytes: self.bytes() },
            (None, Some(image)) => Place::Image { image },
            (None, None) => return Err(Error::OnHostDevice { operation: "a transfer through staging memory" }),
        };
        let _reserved = self.device.reserve(&self.uses);
        transfer(
            &self.device.schedule,
            Target { memory, uses: &self.uses, part: self.part_of_transfer(), is_shared: self.is_shared() },
        )
    }

    /// The bytes of the memory with its id that the host uses of it: what others share is used as a whole.
    pub(crate) fn part(&self) -> Range<u64> {
        if self.is_part() && !self.is_shared() { self.in_memory(0..self.bytes()) } else { WHOLE }
    }

    fn part_of_transfer(&self) -> (u64, u64) {
        let Range { start, end } = self.part();
        (start, end)
    }

    /// Lets `look` have the memory for reading, after all submitted writes; `None` where the host cannot read it in place.
    pub(crate) fn with_mapped<R>(&self, look: impl FnOnce(*const u8) -> R) -> Result<Option<R>> {
        let Some(data) = self.mapped(false) else { return Ok(None) };
        let access = self.device.schedule.take_for_host(&self.uses, &self.part(), false)?;
        self.device.wait_all(&access.after)?;
        let _looking = self.uses.look_at();
        Ok(Some(look(data)))
    }

    /// Lets `change` have the memory for reading and writing, after all submitted uses; `None` where the host does not reach it.
    pub(crate) fn with_mapped_mut<R>(&self, change: impl FnOnce(*mut u8) -> R) -> Result<Option<R>> {
        let Some(data) = self.reached() else { return Ok(None) };
        let access = self.device.schedule.take_for_host(&self.uses, &self.part(), true)?;
        self.device.wait_all(&access.after)?;
        let _looking = self.uses.look_at();
        Ok(Some(change(data)))
    }

    /// Copies the whole buffer to `into`, after all submitted writes.
    ///
    /// # Safety
    /// `into` is valid for writes of [`Buffer::bytes`] bytes.
    pub(crate) unsafe fn read(&self, into: *mut u8) -> Result<()> {
        let bytes = self.bytes() as usize;
        if bytes == 0 {
            return Ok(());
        }
        span!("download", tensor = self.name(), bytes = bytes);
        let before = self.uses.written();
        match (self.mapped(false), &self.device.backend) {
            (Some(data), _) => {
                let access = self.device.schedule.take_for_host(&self.uses, &self.part(), false)?;
                self.device.wait_all(&access.after)?;
                // SAFETY: `data` is valid for the buffer's size, and nobody writes it while `access` lives.
                unsafe { std::ptr::copy_nonoverlapping(data, into, bytes) };
            }
            (None, Backend::Vulkan(vulkan)) => self.transfer(|schedule, target| {
                // SAFETY: the caller's promise.
                unsafe { vulkan.download(schedule, target, into) }
            })?,
            (None, Backend::Host(_)) => {}
        }
        if matches!(self.memory, Memory::Seen(..)) {
            return Ok(());
        }
        // SAFETY: so many bytes were written there.
        self.keep(before, None, || copy_of(unsafe { std::slice::from_raw_parts(into, bytes) }));
        Ok(())
    }

    /// Replaces the whole buffer by what lies at `from`, after all submitted uses.
    ///
    /// # Safety
    /// `from` is valid for reads of [`Buffer::bytes`] bytes.
    pub(crate) unsafe fn write(&self, from: *const u8) -> Result<()> {
        let bytes = self.bytes() as usize;
        if bytes == 0 {
            return Ok(());
        }
        span!("upload", tensor = self.name(), bytes = bytes);
        let before = self.uses.written();
        let ticket = match (self.mapped(true), &self.device.backend) {
            (Some(data), _) => {
                let access = self.device.schedule.take_for_host(&self.uses, &self.part(), true)?;
                self.device.wait_all(&access.after)?;
                // SAFETY: `data` is valid for the buffer's size, and nobody uses it while `access` lives.
                unsafe { std::ptr::copy_nonoverlapping(from, data, bytes) };
                None
            }
            (None, Backend::Vulkan(vulkan)) => Some(self.transfer(|schedule, target| {
                // SAFETY: the caller's promise.
                unsafe { vulkan.upload(schedule, target, from) }
            })?),
            (None, Backend::Host(_)) => None,
        };
        // SAFETY: the caller's promise.
        self.keep(before, ticket, || copy_of(unsafe { std::slice::from_raw_parts(from, bytes) }));
        Ok(())
    }

    /// Replaces the whole buffer by the bytes of another one, which has as many, is of another device, and is read straight into this
    /// one's memory; false where the host does not write that in place.
    pub(crate) fn write_from(&self, from: &Self) -> Result<bool> {
        let Some(data) = self.mapped(true) else { return Ok(false) };
        let before = self.uses.written();
        let read = {
            let access = self.device.schedule.take_for_host(&self.uses, &self.part(), true)?;
            self.device.wait_all(&access.after)?;
            // SAFETY: `data` is valid for the buffer's size, and nobody uses it while `access` lives.
            unsafe { from.read(data) }
        };
        if read.is_err() {
            self.forget();
            return read.map(|()| true);
        }
        // SAFETY: as many bytes were written there, and the caller has reserved both buffers.
        let written = unsafe { std::slice::from_raw_parts(data, self.bytes() as usize) };
        self.keep(before, None, || copy_of(written));
        Ok(true)
    }

    /// Copies the texels of a level to `into`, after all submitted writes.
    ///
    /// # Safety
    /// `into` is valid for writes of the level's bytes.
    pub(crate) unsafe fn read_level(&self, level: u32, into: *mut u8) -> Result<()> {
        let bytes = self.image_layout().bytes_of(level);
        span!("download", image = self.name(), bytes = bytes.end - bytes.start);
        let before = self.uses.written();
        match (self.mapped(false), &self.device.backend) {
            (Some(data), _) => {
                let access = self.device.schedule.take_for_host(&self.uses, &self.part(), false)?;
                self.device.wait_all(&access.after)?;
                let from = data.wrapping_add(bytes.start as usize);
                // SAFETY: the level lies in the memory, and nobody writes it while `access` lives; the caller's promise.
                unsafe { std::ptr::copy_nonoverlapping(from, into, (bytes.end - bytes.start) as usize) };
                Ok(())
            }
            (None, Backend::Vulkan(vulkan)) => {
                let layout = self.image_layout();
                // SAFETY: the caller's promise.
                self.transfer(|schedule, target| unsafe {
                    vulkan.download_level(schedule, (target, layout), level, into)
                })?;
                if self.uses.written() == before {
                    // SAFETY: so many bytes were written there.
                    unsafe { self.keep_level(level, into, before, before) };
                }
                Ok(())
            }
            (None, Backend::Host(_)) => Ok(()),
        }
    }

    /// Replaces the texels of a level by what lies at `from`, after all submitted uses.
    ///
    /// # Safety
    /// `from` is valid for reads of the level's bytes.
    pub(crate) unsafe fn write_level(&self, level: u32, from: *const u8) -> Result<()> {
        let bytes = self.image_layout().bytes_of(level);
        span!("upload", image = self.name(), bytes = bytes.end - bytes.start);
        match (self.mapped(true), &self.device.backend) {
            (Some(data), _) => {
                let access = self.device.schedule.take_for_host(&self.uses, &self.part(), true)?;
                self.device.wait_all(&access.after)?;
                let into = data.wrapping_add(bytes.start as usize);
                // SAFETY: the level lies in the memory, and nobody uses it while `access` lives; the caller's promise.
                unsafe { std::ptr::copy_nonoverlapping(from, into, (bytes.end - bytes.start) as usize) };
                Ok(())
            }
            (None, Backend::Vulkan(vulkan)) => {
                let layout = self.image_layout();
                // SAFETY: the caller's promise.
                let upload = |schedule: &Schedule, target: Target<'_>| unsafe {
                    vulkan.upload_level(schedule, (target, layout), level, from)
                };
                let (before, last) = self.transfer(upload)?;
                // SAFETY: likewise.
                unsafe { self.keep_level(level, from, before, marks_of(last)) };
                Ok(())
            }
            (None, Backend::Host(_)) => Ok(()),
        }
    }

    /// Sets a buffer to zero that was made just now. Memory of the host device is zero then.
    pub(crate) fn zero_new(&self) -> Result<()> {
        match &self.memory {
            Memory::Host(_) => {
                self.keep(self.uses.written(), None, || Some(Contents::Zeros));
                Ok(())
            }
            Memory::Vulkan(_) | Memory::Image(_) | Memory::Seen(..) => self.zero(),
        }
    }

    /// Sets the whole buffer to zero, after all submitted uses.
    pub(crate) fn zero(&self) -> Result<()> {
        let bytes = self.bytes() as usize;
        // Memory that is not cached is cleared faster by the device.
        span!("clear", tensor = self.name(), bytes = bytes);
        let before = self.uses.written();
        let ticket = match (self.mapped(false), &self.device.backend) {
            (Some(data), _) => {
                let access = self.device.schedule.take_for_host(&self.uses, &self.part(), true)?;
                self.device.wait_all(&access.after)?;
                // SAFETY: as in `write`.
                unsafe { std::ptr::write_bytes(data, 0, bytes) };
                None
            }
            (None, Backend::Vulkan(vulkan)) => Some(self.transfer(|schedule, target| vulkan.clear(schedule, target))?),
            (None, Backend::Host(_)) => None,
        };
        self.keep(before, ticket, || Some(Contents::Zeros));
        Ok(())
    }
}
