//! Descriptor sets for devices without push descriptors: pools that a recording owns and empties as a whole.

use std::sync::Arc;

use ash::vk;

use super::device::VulkanDevice;
use crate::error::{Error, Result};

const SETS_PER_POOL: u32 = 64;
const DESCRIPTORS_PER_POOL: u32 = 512;
const IMAGES_PER_POOL: u32 = 64;

/// Pools of descriptor sets.
pub(crate) struct DescriptorPools {
    pools: Vec<vk::DescriptorPool>,
    /// The pool to allocate from; those before are full.
    current: usize,
    device: Arc<VulkanDevice>,
}

impl DescriptorPools {
    /// No pools yet.
    pub(crate) fn new(device: &Arc<VulkanDevice>) -> Self {
        Self { pools: Vec::new(), current: 0, device: device.clone() }
    }

    /// Gives back all sets; nothing pending may use them.
    pub(crate) fn reset(&mut self) -> Result<()> {
        self.current = 0;
        for pool in &self.pools {
            // SAFETY: a live pool, whose sets are not in use.
            let reset = unsafe { self.device.raw.reset_descriptor_pool(*pool, vk::DescriptorPoolResetFlags::empty()) };
            reset.map_err(Error::vulkan("vkResetDescriptorPool"))?;
        }
        Ok(())
    }

    /// A set of a layout with `descriptors` buffers and images.
    pub(crate) fn allocate(&mut self, layout: vk::DescriptorSetLayout, descriptors: u32) -> Result<vk::DescriptorSet> {
        loop {
            let is_new = self.current == self.pools.len();
            if is_new {
                let pool = self.create_pool(descriptors)?;
                self.pools.push(pool);
            }
            let layouts = [layout];
            let pool = self.pools[self.current];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            // SAFETY: live pool and layout.
            match unsafe { self.device.raw.allocate_descriptor_sets(&info) } {
                Ok(sets) => return Ok(sets[0]),
                Err(vk::Result::ERROR_OUT_OF_POOL_MEMORY | vk::Result::ERROR_FRAGMENTED_POOL) if !is_new => {
                    self.current += 1;
                }
                Err(result) => return Err(Error::vulkan("vkAllocateDescriptorSets")(result)),
            }
        }
    }

    fn create_pool(&self, descriptors: u32) -> Result<vk::DescriptorPool> {
        let size = |ty, least: u32| vk::DescriptorPoolSize::default().ty(ty).descriptor_count(least.max(descriptors));
        let sizes = [
            size(vk::DescriptorType::STORAGE_BUFFER, DESCRIPTORS_PER_POOL),
            size(vk::DescriptorType::STORAGE_IMAGE, IMAGES_PER_POOL),
            size(vk::DescriptorType::COMBINED_IMAGE_SAMPLER, IMAGES_PER_POOL),
        ];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(SETS_PER_POOL).pool_sizes(&sizes);
        // SAFETY: a valid info.
        let pool = unsafe { self.device.raw.create_descriptor_pool(&info, None) };
        pool.map_err(Error::vulkan("vkCreateDescriptorPool"))
    }
}

impl Drop for DescriptorPools {
    fn drop(&mut self) {
        if self.device.health.is_abandoned() {
            return;
        }
        for pool in &self.pools {
            // SAFETY: the recording that owns it is complete.
            unsafe { self.device.raw.destroy_descriptor_pool(*pool, None) };
        }
    }
}
