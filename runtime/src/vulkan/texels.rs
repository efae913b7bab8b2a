//! Views of a buffer as texels, which kernels fetch through the texture unit. They live as long as the buffer.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ash::vk;

use crate::error::{Error, Result};

/// The views of a buffer that there are, by the first byte, the bytes, and the bytes of a texel.
#[derive(Debug, Default)]
pub(super) struct TexelViews(Mutex<HashMap<(u64, u64, u32), vk::BufferView>>);

impl TexelViews {
    /// The view of a part of a buffer, made when it is asked for first.
    pub(super) fn get(
        &self,
        device: &ash::Device,
        buffer: vk::Buffer,
        part: (u64, u64, u32),
    ) -> Result<vk::BufferView> {
        let mut views = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = views.get(&part) {
            return Ok(*view);
        }
        let (offset, range, stride) = part;
        // Every device reads these as texels.
        let format = match stride {
            4 => vk::Format::R32_UINT,
            8 => vk::Format::R32G32_UINT,
            _ => vk::Format::R32G32B32A32_UINT,
        };
        let info = vk::BufferViewCreateInfo::default().buffer(buffer).format(format).offset(offset).range(range);
        // SAFETY: a live buffer that was made for it; what is viewed lies in it, as the recorder saw.
        let view = unsafe { device.create_buffer_view(&info, None) }.map_err(Error::vulkan("vkCreateBufferView"))?;
        views.insert(part, view);
        Ok(view)
    }

    /// Destroys them; nothing uses them any more.
    pub(super) fn destroy(&mut self, device: &ash::Device) {
        for (_, view) in self.0.get_mut().unwrap_or_else(PoisonError::into_inner).drain() {
            // SAFETY: who submitted work with the buffer held it until the work was complete.
            unsafe { device.destroy_buffer_view(view, None) };
        }
    }
}
