//! Samplers of a device: each made when first asked for, and kept as long as the device.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ash::vk;
use gridwise_ir::descriptor::{Edge, Filter, Sampler};

use crate::core::error::{Error, Result};

/// The samplers made so far.
#[derive(Debug, Default)]
pub(crate) struct Samplers {
    made: Mutex<HashMap<Sampler, vk::Sampler>>,
}

impl Samplers {
    /// The sampler of a description.
    pub(crate) fn get(&self, device: &ash::Device, sampler: Sampler) -> Result<vk::Sampler> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(raw) = made.get(&sampler) {
            return Ok(*raw);
        }
        let filter = match sampler.filter {
            Filter::Nearest => vk::Filter::NEAREST,
            Filter::Linear => vk::Filter::LINEAR,
        };
        let between = match sampler.levels {
            Filter::Nearest => vk::SamplerMipmapMode::NEAREST,
            Filter::Linear => vk::SamplerMipmapMode::LINEAR,
        };
        let edge = match sampler.edge {
            Edge::Clamp => vk::SamplerAddressMode::CLAMP_TO_EDGE,
            Edge::Repeat => vk::SamplerAddressMode::REPEAT,
            Edge::Mirror => vk::SamplerAddressMode::MIRRORED_REPEAT,
            Edge::Zero => vk::SamplerAddressMode::CLAMP_TO_BORDER,
        };
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(filter)
            .min_filter(filter)
            .mipmap_mode(between)
            .address_mode_u(edge)
            .address_mode_v(edge)
            .address_mode_w(edge)
            .max_lod(vk::LOD_CLAMP_NONE)
            .border_color(vk::BorderColor::FLOAT_TRANSPARENT_BLACK);
        // SAFETY: a valid info.
        let raw = unsafe { device.create_sampler(&info, None) }.map_err(Error::vulkan("vkCreateSampler"))?;
        made.insert(sampler, raw);
        Ok(raw)
    }

    /// Destroys all of them.
    ///
    /// # Safety
    /// They are the device's, and nobody uses them any more.
    pub(crate) unsafe fn destroy(&self, device: &ash::Device) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, raw) in made.drain() {
            // SAFETY: the caller's promise.
            unsafe { device.destroy_sampler(raw, None) };
        }
    }
}
