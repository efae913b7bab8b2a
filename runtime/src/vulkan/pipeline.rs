//! Compute pipelines, one per kernel and values of its const parameters.

use std::ffi::CString;
use std::fmt;
use std::sync::Arc;

use ash::vk;
use gridwise_ir::descriptor::{HAS_FMA, IS_PROVEN, KernelDescriptor, ParamKind, SubgroupOperations};

use super::device::VulkanDevice;
use super::spirv;
use crate::algorithm::Flags;
use crate::error::{Error, Result};

/// A kernel's pipeline and the layouts that go with it.
pub(crate) struct Pipeline {
    pub(crate) raw: vk::Pipeline,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) set_layout: vk::DescriptorSetLayout,
    /// Whether buffers are bound without a descriptor set.
    pub(crate) pushes_descriptors: bool,
    device: Arc<VulkanDevice>,
}

impl Pipeline {
    /// Creates a kernel's pipeline; limits and features were checked.
    pub(crate) fn new(
        device: &Arc<VulkanDevice>,
        descriptor: &KernelDescriptor,
        constants: &[u64],
        flags: Flags,
    ) -> Result<Self> {
        let words = spirv::words(descriptor, device.caps.float_atomics)?;
        let words = spirv::strip_float_controls(words.into(), device.caps.float_controls);
        let mut bindings: Vec<u32> = descriptor.params.iter().filter_map(|param| binding_of(param.kind)).collect();
        bindings.extend(descriptor.trap_binding);
        bindings.extend(descriptor.print_binding);
        // Dropping the half-made pipeline on an error frees what there is of it.
        let mut pipeline = Self {
            raw: vk::Pipeline::null(),
            layout: vk::PipelineLayout::null(),
            set_layout: vk::DescriptorSetLayout::null(),
            pushes_descriptors: bindings.len() <= device.caps.max_push_descriptors as usize,
            device: device.clone(),
        };
        pipeline.create_layouts(descriptor, &bindings)?;
        pipeline.create_pipeline(descriptor, constants, flags, &words)?;
        device.name_object(pipeline.raw, descriptor.name);
        Ok(pipeline)
    }

    fn create_layouts(&mut self, descriptor: &KernelDescriptor, bindings: &[u32]) -> Result<()> {
        let raw = &self.device.raw;
        let binding = |binding: &u32| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(*binding)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let bindings: Vec<_> = bindings.iter().map(binding).collect();
        let flags = match self.pushes_descriptors && self.device.push_descriptors.is_some() {
            true => vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR,
            false => vk::DescriptorSetLayoutCreateFlags::empty(),
        };
        self.pushes_descriptors = !flags.is_empty();
        let info = vk::DescriptorSetLayoutCreateInfo::default().flags(flags).bindings(&bindings);
        // SAFETY: a valid info; likewise below.
        let made = unsafe { raw.create_descriptor_set_layout(&info, None) };
        self.set_layout = made.map_err(Error::vulkan("vkCreateDescriptorSetLayout"))?;
        let sets = [self.set_layout];
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
            .size(descriptor.push_constant_size)];
        let ranges = if descriptor.push_constant_size > 0 { &ranges[..] } else { &[] };
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(ranges);
        // SAFETY: the layout is live, the range within the limits.
        let made = unsafe { raw.create_pipeline_layout(&info, None) };
        self.layout = made.map_err(Error::vulkan("vkCreatePipelineLayout"))?;
        Ok(())
    }

    fn create_pipeline(
        &mut self,
        descriptor: &KernelDescriptor,
        constants: &[u64],
        flags: Flags,
        words: &[u32],
    ) -> Result<()> {
        let raw = &self.device.raw;
        let entry = CString::new(descriptor.entry_point).map_err(|_| Error::InvalidModule {
            kernel: descriptor.name,
            cause: "the entry point's name has a zero",
        })?;
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the words are a whole module as the compiler made it.
        let module = unsafe { raw.create_shader_module(&info, None) }.map_err(Error::vulkan("vkCreateShaderModule"))?;
        let asked = descriptor.parallel.subgroup_size;
        let mut required = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
            .required_subgroup_size(asked.unwrap_or_default());
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(&entry);
        let (entries, data) = specialization(descriptor, constants, flags);
        let specialization = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let stage = if entries.is_empty() { stage } else { stage.specialization_info(&specialization) };
        // A size that is the device's only one needs no asking.
        let asks = asked.is_some() && self.device.caps.has_subgroup_sizes;
        let lanes = asked.unwrap_or(self.device.caps.subgroup_size).max(1);
        let uses_subgroups = descriptor.parallel.subgroup_operations != SubgroupOperations(0);
        let fills_subgroups =
            descriptor.workgroup_with(constants)[0].is_multiple_of(lanes) && self.device.caps.has_full_subgroups;
        let stage = match uses_subgroups && fills_subgroups {
            true => stage.flags(vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS),
            false => stage,
        };
        let stage = if asks { stage.push_next(&mut required) } else { stage };
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout);
        // SAFETY: module and layout are live and of one kernel; the module is not used after.
        let made = unsafe {
            let made = raw.create_compute_pipelines(self.device.pipeline_cache, &[info], None);
            raw.destroy_shader_module(module, None);
            made
        };
        // A failed creation leaves a null handle.
        let made = made.map_err(|(_, result)| Error::vulkan("vkCreateComputePipelines")(result))?;
        self.raw = made.first().copied().unwrap_or_default();
        Ok(())
    }
}

/// The values of the const parameters, and the flags that are set: each where its entry says.
fn specialization(
    descriptor: &KernelDescriptor,
    constants: &[u64],
    flags: Flags,
) -> (Vec<vk::SpecializationMapEntry>, Vec<u8>) {
    let (mut entries, mut data) = (Vec::new(), Vec::new());
    for ((id, param), value) in (0..).zip(descriptor.constants).zip(constants) {
        let size = param.ty.size() as usize;
        let offset = data.len() as u32;
        entries.push(vk::SpecializationMapEntry { constant_id: id, offset, size });
        let bytes = match size {
            1 => (*value as u8).to_ne_bytes().to_vec(),
            2 => (*value as u16).to_ne_bytes().to_vec(),
            4 => (*value as u32).to_ne_bytes().to_vec(),
            _ => value.to_ne_bytes().to_vec(),
        };
        data.extend(bytes);
        // Each at a multiple of the largest size.
        data.resize(data.len().next_multiple_of(8), 0);
    }
    for (constant_id, is_set) in [(IS_PROVEN, flags.is_proven), (HAS_FMA, flags.has_fma)] {
        if is_set {
            let (offset, size) = (data.len() as u32, size_of::<vk::Bool32>());
            entries.push(vk::SpecializationMapEntry { constant_id, offset, size });
            data.extend(vk::TRUE.to_ne_bytes());
        }
    }
    (entries, data)
}

fn binding_of(kind: ParamKind) -> Option<u32> {
    match kind {
        ParamKind::Buffer { binding, .. } => Some(binding),
        ParamKind::Value { .. } => None,
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let raw = &self.device.raw;
        // SAFETY: recordings that use the pipeline hold it until they are complete. Null handles are allowed.
        unsafe {
            raw.destroy_pipeline(self.raw, None);
            raw.destroy_pipeline_layout(self.layout, None);
            raw.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline").field("raw", &self.raw).finish_non_exhaustive()
    }
}
