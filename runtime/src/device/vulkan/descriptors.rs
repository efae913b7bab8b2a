//! Descriptor sets for devices without push descriptors: a recording owns them, and keeps them for the next time it is recorded.
//!
//! Drivers on processors take longer to make a set than for all else of a launch. So launches with the same arguments have one
//! set, and what is recorded anew finds the sets of the time before. It must not outlive its recording.

use std::sync::Arc;

use ash::vk;
use rustc_hash::FxHashMap;

use super::device::VulkanDevice;
use crate::core::error::{Error, Result};

const SETS_PER_POOL: u32 = 64;
const DESCRIPTORS_PER_POOL: u32 = 512;
const IMAGES_PER_POOL: u32 = 64;

/// The most sets that are kept without use, beside as many as are in use.
const MOST_FREE: usize = 64;

/// Descriptor sets by what they hold.
pub(crate) struct DescriptorSets {
    pools: Vec<Pool>,
    /// The pool to allocate from; those before are full.
    current: usize,
    sets: FxHashMap<Box<[u64]>, Kept>,
    /// Sets without use, by the layout they are of.
    free: FxHashMap<u64, Vec<vk::DescriptorSet>>,
    /// Counts the times that the recording was recorded.
    round: u64,
    device: Arc<VulkanDevice>,
}

/// Memory for sets.
struct Pool {
    raw: vk::DescriptorPool,
    /// The most images that a set of it can have.
    images: u32,
}

/// A set that was written.
struct Kept {
    set: vk::DescriptorSet,
    /// When it was used last.
    round: u64,
}

/// A layout of sets.
#[derive(Clone, Copy)]
pub(crate) struct SetLayout {
    pub(crate) raw: vk::DescriptorSetLayout,
    /// As no other layout has, or had, of any device.
    pub(crate) id: u64,
}

impl DescriptorSets {
    /// No sets yet.
    pub(crate) fn new(device: &Arc<VulkanDevice>) -> Self {
        let (sets, free) = (FxHashMap::default(), FxHashMap::default());
        Self { pools: Vec::new(), current: 0, sets, free, round: 0, device: device.clone() }
    }

    /// Begins to record anew: sets that the last time did not use may be written again. Nothing pending may use any.
    pub(crate) fn begin(&mut self) -> Result<()> {
        let (last, free) = (self.round, &mut self.free);
        self.round += 1;
        self.sets.retain(|key, kept| {
            if kept.round != last {
                free.entry(key[0]).or_default().push(kept.set);
            }
            kept.round == last
        });
        let unused: usize = self.free.values().map(Vec::len).sum();
        if unused > self.sets.len() + MOST_FREE { self.reset() } else { Ok(()) }
    }

    /// Gives back all sets.
    fn reset(&mut self) -> Result<()> {
        self.current = 0;
        self.sets.clear();
        self.free.clear();
        for pool in &self.pools {
            // SAFETY: a live pool, whose sets are not in use.
            let reset =
                unsafe { self.device.raw.reset_descriptor_pool(pool.raw, vk::DescriptorPoolResetFlags::empty()) };
            reset.map_err(Error::vulkan("vkResetDescriptorPool"))?;
        }
        Ok(())
    }

    /// The set of a layout with this content, and whether it has to be written yet. `content` tells contents apart, for as long as
    /// the recording lives: what is gone is never told by the same words as what came after it.
    pub(crate) fn get(
        &mut self,
        layout: SetLayout,
        content: &[u64],
        descriptors: u32,
    ) -> Result<(vk::DescriptorSet, bool)> {
        debug_assert_eq!(content.first(), Some(&layout.id), "a content begins with its layout");
        if let Some(kept) = self.sets.get_mut(content) {
            kept.round = self.round;
            return Ok((kept.set, false));
        }
        let set = match self.free.get_mut(&layout.id).and_then(Vec::pop) {
            Some(set) => set,
            None => self.allocate(layout.raw, descriptors)?,
        };
        self.sets.insert(content.into(), Kept { set, round: self.round });
        Ok((set, true))
    }

    /// A set of a layout with `descriptors` buffers and images.
    fn allocate(&mut self, layout: vk::DescriptorSetLayout, descriptors: u32) -> Result<vk::DescriptorSet> {
        loop {
            let is_new = self.current == self.pools.len();
            if is_new {
                let raw = self.create_pool(descriptors)?;
                self.pools.push(Pool { raw, images: descriptors.max(IMAGES_PER_POOL) });
            }
            let layouts = [layout];
            let pool = &self.pools[self.current];
            if descriptors > pool.images {
                // Made for sets without long lists of images.
                self.current += 1;
                continue;
            }
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool.raw).set_layouts(&layouts);
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
            size(vk::DescriptorType::UNIFORM_TEXEL_BUFFER, IMAGES_PER_POOL),
        ];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(SETS_PER_POOL).pool_sizes(&sizes);
        // SAFETY: a valid info.
        let pool = unsafe { self.device.raw.create_descriptor_pool(&info, None) };
        pool.map_err(Error::vulkan("vkCreateDescriptorPool"))
    }
}

impl Drop for DescriptorSets {
    fn drop(&mut self) {
        if self.device.health.is_abandoned() {
            return;
        }
        for pool in &self.pools {
            // SAFETY: the recording that owns it is complete.
            unsafe { self.device.raw.destroy_descriptor_pool(pool.raw, None) };
        }
    }
}
