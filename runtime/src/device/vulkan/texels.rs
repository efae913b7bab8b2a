//! Views of a buffer as texels, which kernels fetch through the texture unit.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ash::vk;

use super::buffer::VulkanBuffer;
use super::device::VulkanDevice;
use crate::core::error::{Error, Result};

/// Counts the views that there were in this process: sets are kept by such numbers, as handles come back.
static VIEWS: AtomicU64 = AtomicU64::new(0);

/// A part of a buffer as texels.
pub(crate) struct TexelView {
    pub(crate) raw: vk::BufferView,
    /// As no other view has, or had, of any device.
    pub(crate) id: u64,
    device: Arc<VulkanDevice>,
}

impl TexelView {
    /// A view of some bytes of a buffer that lie in it, as texels of `stride` bytes: 4, 8 or 16.
    pub(crate) fn new(buffer: &VulkanBuffer, offset: u64, bytes: u64, stride: u32) -> Result<Self> {
        // Every device reads these as texels.
        let format = match stride {
            4 => vk::Format::R32_UINT,
            8 => vk::Format::R32G32_UINT,
            _ => vk::Format::R32G32B32A32_UINT,
        };
        let info = vk::BufferViewCreateInfo::default().buffer(buffer.raw).format(format).offset(offset).range(bytes);
        // SAFETY: a live buffer that was made for it; the recorder saw that texels may begin there, and that they are not too many.
        let raw = unsafe { buffer.device.raw.create_buffer_view(&info, None) };
        let raw = raw.map_err(Error::vulkan("vkCreateBufferView"))?;
        Ok(Self { raw, id: VIEWS.fetch_add(1, Relaxed), device: buffer.device.clone() })
    }
}

impl Drop for TexelView {
    fn drop(&mut self) {
        if !self.device.health.is_abandoned() {
            // SAFETY: who submitted work with the buffer held it, and so the view, until the work was complete.
            unsafe { self.device.raw.destroy_buffer_view(self.raw, None) };
        }
    }
}

impl fmt::Debug for TexelView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TexelView").field("raw", &self.raw).finish_non_exhaustive()
    }
}
