//! Compute pipelines, one per module, constants and flags, whoever asks for it; kept on disk between runs.

use std::collections::HashMap;
use std::ffi::CString;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ash::vk;
use gridwise_ir::descriptor::ImageAccess;

use super::descriptors::SetLayout;
use super::device::VulkanDevice;
use crate::core::error::{Error, Result};
use crate::device::cache::{Digest, Store};

/// The description of a pipeline; limits and features were checked.
#[derive(Debug)]
pub(crate) struct PipelineDesc<'a> {
    /// For errors and the driver's tools.
    pub(crate) name: &'a str,
    /// A whole, valid module.
    pub(crate) words: &'a [u32],
    pub(crate) entry_point: &'a str,
    /// Storage buffers and images in set 0, each once.
    pub(crate) bindings: &'a [Binding],
    pub(crate) push_constant_size: u32,
    pub(crate) constants: Constants,
    /// Invocations per workgroup along x.
    pub(crate) width: u32,
    pub(crate) uses_subgroups: bool,
    /// The lanes a subgroup must have, if that matters.
    pub(crate) subgroup_size: Option<u32>,
    /// The binding of the word that tells whether a loop was stopped.
    pub(crate) watch: Option<u32>,
    /// The binding of the buffer that has the values in place of push constants.
    pub(crate) parameters: Option<u32>,
    /// The buffers that are found by addresses.
    pub(crate) addresses: Option<Addresses>,
}

/// Buffers that a module finds by addresses among its push constants.
#[derive(Debug, Clone, Default)]
pub(crate) struct Addresses {
    /// The bindings that they would have, in the order of their addresses.
    pub(crate) bindings: Vec<u32>,
    /// The first address, in bytes.
    pub(crate) offset: u32,
}

/// A binding of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) number: u32,
    /// The access to the image, if it is one.
    pub(crate) image: Option<ImageAccess>,
    /// How many images there can be, if it is a list of them.
    pub(crate) list: Option<u32>,
    /// Whether it is a buffer that is read as texels.
    pub(crate) is_texels: bool,
}

impl Binding {
    /// A storage buffer.
    pub(crate) fn buffer(number: u32) -> Self {
        Self { number, image: None, list: None, is_texels: false }
    }

    /// An image.
    pub(crate) fn image(number: u32, access: ImageAccess) -> Self {
        Self { number, image: Some(access), list: None, is_texels: false }
    }

    /// How many descriptors it has.
    pub(crate) fn count(self) -> u32 {
        self.list.unwrap_or(1)
    }

    pub(super) fn ty(self) -> vk::DescriptorType {
        match self.image {
            None if self.is_texels => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            None => vk::DescriptorType::STORAGE_BUFFER,
            Some(ImageAccess::Sample) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            Some(_) => vk::DescriptorType::STORAGE_IMAGE,
        }
    }
}

/// Values of specialization constants: each where its entry says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Constants {
    entries: Vec<vk::SpecializationMapEntry>,
    data: Vec<u8>,
}

impl Constants {
    /// Adds the value of a constant with this id, by the lowest `size` bytes of its bits; `size` is 1, 2, 4 or 8.
    pub(crate) fn push(&mut self, id: u32, size: usize, bits: u64) {
        let offset = self.data.len() as u32;
        self.entries.push(vk::SpecializationMapEntry { constant_id: id, offset, size });
        match size {
            1 => self.data.extend((bits as u8).to_ne_bytes()),
            2 => self.data.extend((bits as u16).to_ne_bytes()),
            4 => self.data.extend((bits as u32).to_ne_bytes()),
            _ => self.data.extend(bits.to_ne_bytes()),
        }
        // Each at a multiple of the largest size.
        self.data.resize(self.data.len().next_multiple_of(8), 0);
    }
}

impl PipelineDesc<'_> {
    /// The identity of the pipeline, whatever its name.
    fn key(&self) -> u128 {
        let mut digest = Digest::new().words(self.words).bytes(self.entry_point.as_bytes());
        // Whether it is a buffer or which image is told by the words of the module.
        for binding in self.bindings {
            digest = digest.words(&[binding.number, binding.count()]);
        }
        for entry in &self.constants.entries {
            digest = digest.words(&[entry.constant_id, entry.offset, entry.size as u32]);
        }
        let subgroup = self.subgroup_size.map_or([0, 0], |size| [1, size]);
        let rest = [self.push_constant_size, self.width, self.uses_subgroups.into(), subgroup[0], subgroup[1]];
        digest.bytes(&self.constants.data).words(&rest).finish()
    }
}

/// The pipelines of a device.
#[derive(Debug)]
pub(crate) struct Pipelines {
    slots: Mutex<HashMap<u128, Slot>>,
    pub(crate) store: Store,
    compiled: AtomicU64,
    loaded: AtomicU64,
}

/// A pipeline, or being made so by whoever holds the lock.
type Slot = Arc<Mutex<Weak<Pipeline>>>;

impl Pipelines {
    pub(crate) fn new(store: Store) -> Self {
        Self { slots: Mutex::default(), store, compiled: AtomicU64::new(0), loaded: AtomicU64::new(0) }
    }

    /// Pipelines that were compiled, and those that were made from what an earlier run kept.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.compiled.load(Relaxed), self.loaded.load(Relaxed))
    }
}

/// Counts the layouts that there were in this process: sets are kept by such numbers, as handles come back.
static LAYOUTS: AtomicU64 = AtomicU64::new(0);

/// A compute pipeline and the layouts that go with it.
pub(crate) struct Pipeline {
    pub(crate) raw: vk::Pipeline,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) set_layout: SetLayout,
    /// How many descriptors a set has.
    pub(crate) descriptors: u32,
    /// Whether buffers are bound without a descriptor set.
    pub(crate) pushes_descriptors: bool,
    /// The binding of the word that tells whether a loop was stopped.
    pub(crate) watch: Option<u32>,
    /// The binding of the buffer that has the values in place of push constants.
    pub(crate) parameters: Option<u32>,
    /// The buffers that are found by addresses.
    pub(crate) addresses: Option<Addresses>,
    device: Arc<VulkanDevice>,
}

impl Pipeline {
    /// The pipeline, made now or before. Different pipelines are made in parallel.
    pub(crate) fn get(device: &Arc<VulkanDevice>, desc: &PipelineDesc<'_>) -> Result<Arc<Self>> {
        let key = desc.key();
        let slot = {
            let mut slots = device.pipelines.slots.lock().unwrap_or_else(PoisonError::into_inner);
            // Whoever waits for a slot holds it, so it stays.
            let is_used = |slot: &Slot| {
                Arc::strong_count(slot) > 1 || slot.try_lock().is_ok_and(|pipeline| pipeline.strong_count() > 0)
            };
            if !slots.contains_key(&key) {
                slots.retain(|_, slot| is_used(slot));
            }
            slots.entry(key).or_default().clone()
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = slot.upgrade() {
            return Ok(pipeline);
        }
        let pipeline = Arc::new(Self::new(device, desc, key)?);
        *slot = Arc::downgrade(&pipeline);
        Ok(pipeline)
    }

    fn new(device: &Arc<VulkanDevice>, desc: &PipelineDesc<'_>, key: u128) -> Result<Self> {
        // Dropping the half-made pipeline on an error frees what there is of it.
        let mut pipeline = Self {
            raw: vk::Pipeline::null(),
            layout: vk::PipelineLayout::null(),
            set_layout: SetLayout { raw: vk::DescriptorSetLayout::null(), id: LAYOUTS.fetch_add(1, Relaxed) },
            descriptors: desc.bindings.iter().map(|binding| binding.count()).fold(0, u32::saturating_add),
            pushes_descriptors: desc.bindings.len() <= device.caps.max_push_descriptors as usize
                && desc.bindings.iter().all(|binding| binding.list.is_none()),
            watch: desc.watch,
            parameters: desc.parameters,
            addresses: desc.addresses.clone(),
            device: device.clone(),
        };
        pipeline.create_layouts(desc)?;
        pipeline.create_with_store(desc, key)?;
        device.name_object(pipeline.raw, desc.name);
        Ok(pipeline)
    }

    /// The device it is of.
    pub(super) fn device(&self) -> &VulkanDevice {
        &self.device
    }

    fn create_layouts(&mut self, desc: &PipelineDesc<'_>) -> Result<()> {
        let raw = &self.device.raw;
        let binding = |binding: &Binding| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding.number)
                .descriptor_type(binding.ty())
                .descriptor_count(binding.count())
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let bindings: Vec<_> = desc.bindings.iter().map(binding).collect();
        let flags = match self.pushes_descriptors && self.device.push_descriptors.is_some() {
            true => vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR,
            false => vk::DescriptorSetLayoutCreateFlags::empty(),
        };
        self.pushes_descriptors = !flags.is_empty();
        let info = vk::DescriptorSetLayoutCreateInfo::default().flags(flags).bindings(&bindings);
        // Of a list, there are as many as the launch has.
        let list_flags: Vec<_> = desc
            .bindings
            .iter()
            .map(|binding| match binding.list {
                Some(_) => vk::DescriptorBindingFlags::PARTIALLY_BOUND,
                None => vk::DescriptorBindingFlags::empty(),
            })
            .collect();
        let mut partly = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&list_flags);
        let has_lists = desc.bindings.iter().any(|binding| binding.list.is_some());
        let info = if has_lists { info.push_next(&mut partly) } else { info };
        // SAFETY: a valid info; likewise below.
        let made = unsafe { raw.create_descriptor_set_layout(&info, None) };
        self.set_layout.raw = made.map_err(Error::vulkan("vkCreateDescriptorSetLayout"))?;
        let sets = [self.set_layout.raw];
        let ranges =
            [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(desc.push_constant_size)];
        let ranges = if desc.push_constant_size > 0 { &ranges[..] } else { &[] };
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(ranges);
        // SAFETY: the layout is live, the range within the limits.
        let made = unsafe { raw.create_pipeline_layout(&info, None) };
        self.layout = made.map_err(Error::vulkan("vkCreatePipelineLayout"))?;
        Ok(())
    }

    /// Creates the pipeline with the help of what an earlier run kept; keeps it for later runs if there was nothing.
    fn create_with_store(&mut self, desc: &PipelineDesc<'_>, key: u128) -> Result<()> {
        let (raw, pipelines) = (&self.device.raw, &self.device.pipelines);
        let kept = pipelines.store.load(key);
        let mut cache = vk::PipelineCache::null();
        if pipelines.store.is_on() {
            let info = vk::PipelineCacheCreateInfo::default().initial_data(kept.as_deref().unwrap_or_default());
            // SAFETY: a valid info; the data was checked to be this driver's. Without a cache it takes longer, that is all.
            cache = unsafe { raw.create_pipeline_cache(&info, None) }.unwrap_or_default();
        }
        let created = self.create_pipeline(desc, cache);
        let (raw, pipelines) = (&self.device.raw, &self.device.pipelines);
        if created.is_ok() {
            let count = if kept.is_some() { &pipelines.loaded } else { &pipelines.compiled };
            count.fetch_add(1, Relaxed);
        }
        if cache != vk::PipelineCache::null() {
            if kept.is_none() && created.is_ok() {
                // SAFETY: a live cache that nobody else uses; likewise below.
                match unsafe { raw.get_pipeline_cache_data(cache) } {
                    Ok(data) => pipelines.store.keep(key, data),
                    Err(error) => tracing::debug!(%error, "a compiled pipeline is not kept"),
                }
            }
            // SAFETY: as above.
            unsafe { raw.destroy_pipeline_cache(cache, None) };
        }
        created
    }

    fn create_pipeline(&mut self, desc: &PipelineDesc<'_>, cache: vk::PipelineCache) -> Result<()> {
        let (raw, caps) = (&self.device.raw, &self.device.caps);
        let entry = CString::new(desc.entry_point).map_err(|_| Error::InvalidModule {
            kernel: desc.name.to_owned().into(),
            cause: "the entry point's name has a zero",
        })?;
        let info = vk::ShaderModuleCreateInfo::default().code(desc.words);
        // SAFETY: the words are a whole, valid module.
        let module = unsafe { raw.create_shader_module(&info, None) }.map_err(Error::vulkan("vkCreateShaderModule"))?;
        let asked = desc.subgroup_size;
        let mut required = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
            .required_subgroup_size(asked.unwrap_or_default());
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(&entry);
        let Constants { entries, data } = &desc.constants;
        let specialization = vk::SpecializationInfo::default().map_entries(entries).data(data);
        let stage = if entries.is_empty() { stage } else { stage.specialization_info(&specialization) };
        // A size that is the device's only one needs no asking.
        let asks = asked.is_some() && caps.has_subgroup_sizes;
        let lanes = asked.unwrap_or(caps.subgroup_size).max(1);
        let fills_subgroups = desc.width.is_multiple_of(lanes) && caps.has_full_subgroups;
        let stage = match desc.uses_subgroups && fills_subgroups {
            true => stage.flags(vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS),
            false => stage,
        };
        let stage = if asks { stage.push_next(&mut required) } else { stage };
        let flags = match self.device.executables {
            Some(_) => vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR,
            None => vk::PipelineCreateFlags::empty(),
        };
        let info = vk::ComputePipelineCreateInfo::default().flags(flags).stage(stage).layout(self.layout);
        // SAFETY: module and layout are live and of one kernel; the module is not used after.
        let made = unsafe {
            let made = raw.create_compute_pipelines(cache, &[info], None);
            raw.destroy_shader_module(module, None);
            made
        };
        // A failed creation leaves a null handle.
        let made = made.map_err(|(_, result)| Error::vulkan("vkCreateComputePipelines")(result))?;
        self.raw = made.first().copied().unwrap_or_default();
        Ok(())
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        if self.device.health.is_abandoned() {
            return;
        }
        let raw = &self.device.raw;
        // SAFETY: recordings that use the pipeline hold it until they are complete. Null handles are allowed.
        unsafe {
            raw.destroy_pipeline(self.raw, None);
            raw.destroy_pipeline_layout(self.layout, None);
            raw.destroy_descriptor_set_layout(self.set_layout.raw, None);
        }
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline").field("raw", &self.raw).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each way in which two pipelines differ tells their keys apart; a name does not.
    #[test]
    fn keys_tell_pipelines_apart() {
        let constants = |list: &[(u32, usize, u64)]| {
            let mut constants = Constants::default();
            list.iter().for_each(|(id, size, bits)| constants.push(*id, *size, *bits));
            constants
        };
        let [one, two] = [[Binding::buffer(0)], [Binding::buffer(1)]];
        let (both, list) = ([one[0], two[0]], [Binding { list: Some(8), ..one[0] }]);
        let plain = || PipelineDesc {
            name: "a",
            words: &[1, 2, 3],
            entry_point: "main",
            bindings: &one,
            push_constant_size: 8,
            constants: constants(&[(0, 4, 7)]),
            width: 64,
            uses_subgroups: false,
            subgroup_size: None,
            watch: None,
            parameters: None,
            addresses: None,
        };
        let all = [
            plain(),
            PipelineDesc { words: &[1, 2, 4], ..plain() },
            PipelineDesc { words: &[1, 2], ..plain() },
            PipelineDesc { entry_point: "other", ..plain() },
            PipelineDesc { bindings: &two, ..plain() },
            PipelineDesc { bindings: &both, ..plain() },
            PipelineDesc { bindings: &list, ..plain() },
            PipelineDesc { bindings: &[], ..plain() },
            PipelineDesc { push_constant_size: 12, ..plain() },
            PipelineDesc { constants: constants(&[]), ..plain() },
            PipelineDesc { constants: constants(&[(0, 4, 8)]), ..plain() },
            PipelineDesc { constants: constants(&[(1, 4, 7)]), ..plain() },
            PipelineDesc { constants: constants(&[(0, 8, 7)]), ..plain() },
            PipelineDesc { constants: constants(&[(0, 8, 7 << 32)]), ..plain() },
            PipelineDesc { constants: constants(&[(0, 4, 7), (1, 4, 0)]), ..plain() },
            PipelineDesc { constants: constants(&[(0, 4, 7), (1, 4, 1)]), ..plain() },
            PipelineDesc { width: 32, ..plain() },
            PipelineDesc { uses_subgroups: true, ..plain() },
            PipelineDesc { subgroup_size: Some(0), ..plain() },
            PipelineDesc { subgroup_size: Some(32), ..plain() },
        ];
        let keys: std::collections::HashSet<u128> = all.iter().map(PipelineDesc::key).collect();
        assert_eq!(keys.len(), all.len());
        assert_eq!(PipelineDesc { name: "b", ..plain() }.key(), plain().key());
    }
}
