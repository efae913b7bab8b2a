//! The raw side's pipeline, made of the very module that the runtime launches.

use ash::vk;
use gridwise::descriptor::{KernelDescriptor, LaunchWordKind, ParamKind};

use crate::plan::{A, LEN};
use gridwise_benches::Error;
use gridwise_benches::raw::{RawDevice, vulkan};

/// Pipeline and layouts.
#[derive(Debug)]
pub(crate) struct RawKernel {
    pub(crate) pipeline: vk::Pipeline,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) set_layout: vk::DescriptorSetLayout,
    /// Bindings of `x`, `y` and, if the module has one, the trap record.
    pub(crate) bindings: Vec<u32>,
    /// The push-constant block, filled in.
    pub(crate) push: Vec<u8>,
    /// Workgroups along x.
    pub(crate) groups: u32,
}

impl RawKernel {
    /// Makes the pipeline of `saxpy`.
    pub(crate) fn new(device: &RawDevice, descriptor: &'static KernelDescriptor) -> Result<Self, Error> {
        let buffers = descriptor.params.iter().filter_map(|param| match param.kind {
            ParamKind::Buffer { binding, .. } => Some(binding),
            ParamKind::Value { .. }
            | ParamKind::Distinct { .. }
            | ParamKind::Offsets { .. }
            | ParamKind::Claims { .. }
            | ParamKind::Texels { .. }
            | ParamKind::List { .. }
            | ParamKind::Image { .. }
            | ParamKind::Images { .. } => None,
        });
        let bindings: Vec<u32> = buffers.chain(descriptor.trap_binding).collect();
        let set_layout = create_set_layout(device, &bindings)?;
        let push = push_block(descriptor);
        let layout = create_layout(device, set_layout, push.len() as u32)?;
        let pipeline = create_pipeline(device, layout, descriptor)?;
        let groups = (LEN as u32).div_ceil(descriptor.workgroup_with(&[])[0].max(1));
        Ok(Self { pipeline, layout, set_layout, bindings, push, groups })
    }

    /// Destroys everything; nothing pending may use it.
    pub(crate) fn destroy(&self, device: &RawDevice) {
        // SAFETY: the caller's promise.
        unsafe {
            device.raw.destroy_pipeline(self.pipeline, None);
            device.raw.destroy_pipeline_layout(self.layout, None);
            device.raw.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

fn create_set_layout(device: &RawDevice, bindings: &[u32]) -> Result<vk::DescriptorSetLayout, Error> {
    let binding = |number: &u32| {
        vk::DescriptorSetLayoutBinding::default()
            .binding(*number)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
    };
    let bindings: Vec<_> = bindings.iter().map(binding).collect();
    let flags = match device.push_descriptors {
        Some(_) => vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR,
        None => vk::DescriptorSetLayoutCreateFlags::empty(),
    };
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings).flags(flags);
    // SAFETY: a valid info; push descriptors are enabled when the flag is set.
    unsafe { device.raw.create_descriptor_set_layout(&info, None) }.map_err(vulkan("vkCreateDescriptorSetLayout"))
}

fn create_layout(device: &RawDevice, set: vk::DescriptorSetLayout, push: u32) -> Result<vk::PipelineLayout, Error> {
    let sets = [set];
    let ranges = [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(push)];
    let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&ranges);
    // SAFETY: a valid info: the block is not empty, as `a` lies in it.
    unsafe { device.raw.create_pipeline_layout(&info, None) }.map_err(vulkan("vkCreatePipelineLayout"))
}

fn create_pipeline(
    device: &RawDevice,
    layout: vk::PipelineLayout,
    descriptor: &KernelDescriptor,
) -> Result<vk::Pipeline, Error> {
    let words = strip_float_controls(&descriptor.spirv.words().unwrap_or_default());
    let module = vk::ShaderModuleCreateInfo::default().code(&words);
    // SAFETY: a valid module; it may go when the pipeline is made.
    let module = unsafe { device.raw.create_shader_module(&module, None) }.map_err(vulkan("vkCreateShaderModule"))?;
    let name = std::ffi::CString::new(descriptor.entry_point).unwrap_or_default();
    let stage =
        vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE).module(module).name(&name);
    let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
    // SAFETY: valid infos and live objects.
    unsafe {
        let made = device.raw.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
        device.raw.destroy_shader_module(module, None);
        let made = made.map_err(|(_, result)| vulkan("vkCreateComputePipelines")(result))?;
        made.first().copied().ok_or_else(|| Error::Missing("pipeline".to_owned()))
    }
}

/// The module without the float controls, which a device may lack and this kernel's whole numbers do not need.
fn strip_float_controls(words: &[u32]) -> Vec<u32> {
    const CONTROLS: std::ops::RangeInclusive<u32> = 4459..=4468;
    let (header, mut rest) = words.split_at(words.len().min(5));
    let mut kept = header.to_vec();
    while let Some(&first) = rest.first() {
        let (instruction, after) = rest.split_at(((first >> 16) as usize).clamp(1, rest.len()));
        let is_control = match (first & 0xffff, instruction) {
            (17, [_, capability]) => CONTROLS.contains(capability),
            (16, [_, _, mode, ..]) => CONTROLS.contains(mode),
            _ => false,
        };
        if !is_control {
            kept.extend(instruction);
        }
        rest = after;
    }
    kept
}

fn push_block(descriptor: &KernelDescriptor) -> Vec<u8> {
    let mut block = vec![0; descriptor.push_constant_size as usize];
    let mut put = |offset: u32, bytes: [u8; 4]| {
        if let Some(slot) = block.get_mut(offset as usize..offset as usize + 4) {
            slot.copy_from_slice(&bytes);
        }
    };
    for param in descriptor.params {
        if let ParamKind::Value { offset, .. } = param.kind {
            put(offset, A.to_ne_bytes());
        }
    }
    for word in descriptor.launch_words {
        let value = match word.kind {
            LaunchWordKind::Items(0) | LaunchWordKind::Len(_) => LEN as u32,
            LaunchWordKind::Items(_) | LaunchWordKind::Groups(_) => 1,
            LaunchWordKind::FirstGroup => 0,
        };
        put(word.offset, value.to_ne_bytes());
    }
    block
}
