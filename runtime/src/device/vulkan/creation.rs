//! Creating a device: all of its features and extensions that kernels may need, and none besides.

use std::ffi::c_char;

use ash::{ext, khr, vk};
use gridwise_ir::descriptor::{Feature, FloatAtomics};

use super::candidate::{Candidate, Caps};
use super::matrices::{BFLOAT16_EXTENSION, Bfloat16Features, LATER_EXTENSION, LaterFeatures};
use crate::core::error::{Error, Result};
use crate::core::sync::schedule::MAX_QUEUES;
use crate::device::QueueInfo;

/// Creates the device.
///
/// # Errors
/// When the driver does not.
pub(super) fn create_device(
    instance: &ash::Instance,
    candidate: &Candidate,
    queues: &[QueueInfo],
    caps: &Caps,
    keeps_statistics: bool,
) -> Result<ash::Device> {
    let asked = Asked::of(candidate, caps, keeps_statistics);
    let priorities = [1.0; MAX_QUEUES];
    let count_of =
        |family: u32| queues.iter().filter(|queue| queue.family == family).map(|queue| queue.index + 1).max();
    let families =
        (0..candidate.info.queue_families.len() as u32).filter_map(|family| Some((family, count_of(family)?)));
    let queues: Vec<_> = families
        .map(|(family, count)| {
            let priorities = &priorities[..(count as usize).min(MAX_QUEUES)];
            vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(priorities)
        })
        .collect();
    let extensions = asked.extensions();
    let mut executables =
        vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default().pipeline_executable_info(true);
    let mut reconvergence =
        vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR::default().shader_maximal_reconvergence(true);
    let mut matrices = vk::PhysicalDeviceCooperativeMatrixFeaturesKHR::default().cooperative_matrix(true);
    let mut bfloat16 = Bfloat16Features::new(true);
    let mut later = LaterFeatures::new(asked.later[0], asked.later[1]);
    let mut float_atomics = float_atomics(caps.float_atomics);
    let mut subgroup_sizes = vk::PhysicalDeviceSubgroupSizeControlFeatures::default()
        .subgroup_size_control(caps.has_subgroup_sizes)
        .compute_full_subgroups(caps.has_full_subgroups);
    let mut vulkan_1_2 = asked.vulkan_1_2();
    let mut vulkan_1_1 = vk::PhysicalDeviceVulkan11Features::default()
        .storage_buffer16_bit_access(asked.has(Feature::Storage16))
        .storage_push_constant16(asked.has(Feature::PushConstant16));
    let base = vk::PhysicalDeviceFeatures::default()
        .shader_float64(asked.has(Feature::Float64))
        .shader_int64(asked.has(Feature::Int64))
        .shader_int16(asked.has(Feature::Int16))
        .shader_storage_image_extended_formats(asked.has(Feature::ExtendedImageFormats));
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions)
        .enabled_features(&base)
        .push_next(&mut vulkan_1_1)
        .push_next(&mut vulkan_1_2);
    let info = if caps.has_subgroup_sizes { info.push_next(&mut subgroup_sizes) } else { info };
    let info = if asked.keeps_statistics { info.push_next(&mut executables) } else { info };
    let info = if caps.float_atomics.is_empty() { info } else { info.push_next(&mut float_atomics) };
    let info = if asked.has_matrices { info.push_next(&mut matrices) } else { info };
    let info = if caps.reconverges { info.push_next(&mut reconvergence) } else { info };
    let info = if asked.has(Feature::CooperativeBfloat16) { info.push_next(&mut bfloat16) } else { info };
    let info = if asked.later.contains(&true) { info.push_next(&mut later) } else { info };
    // SAFETY: the device has the family, extensions and features asked for; all pointers live until after the call.
    unsafe { instance.create_device(candidate.physical, &info, None) }.map_err(Error::vulkan("vkCreateDevice"))
}

/// The features and extensions that a device is asked for.
struct Asked<'a> {
    features: &'a [Feature],
    caps: &'a Caps,
    keeps_statistics: bool,
    has_matrices: bool,
    /// Reductions and conversions of matrices.
    later: [bool; 2],
}

impl<'a> Asked<'a> {
    fn of(candidate: &'a Candidate, caps: &'a Caps, keeps_statistics: bool) -> Self {
        let features = &candidate.info.features;
        Self {
            features,
            caps,
            keeps_statistics: keeps_statistics && caps.has_executables,
            has_matrices: features.iter().any(|feature| matches!(feature, Feature::CooperativeMatrix(_))),
            later: [Feature::CooperativeReductions, Feature::CooperativeConversions].map(|it| features.contains(&it)),
        }
    }

    fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    fn extensions(&self) -> Vec<*const c_char> {
        let caps = self.caps;
        let all = [
            (caps.max_push_descriptors > 0, khr::push_descriptor::NAME),
            (caps.has_portability_subset, khr::portability_subset::NAME),
            (caps.has_subgroup_sizes && caps.subgroup_sizes_by_extension, ext::subgroup_size_control::NAME),
            (!caps.float_atomics.is_empty(), ext::shader_atomic_float::NAME),
            (caps.has_memory_fds, khr::external_memory_fd::NAME),
            (caps.has_semaphore_fds, khr::external_semaphore_fd::NAME),
            (caps.host_pointer_alignment > 0, ext::external_memory_host::NAME),
            (self.keeps_statistics, khr::pipeline_executable_properties::NAME),
            (caps.reconverges, khr::shader_maximal_reconvergence::NAME),
            (self.has_matrices, khr::cooperative_matrix::NAME),
            (self.has(Feature::CooperativeBfloat16), BFLOAT16_EXTENSION),
            (self.later.contains(&true), LATER_EXTENSION),
        ];
        all.into_iter().filter(|(is_asked_for, _)| *is_asked_for).map(|(_, name)| name.as_ptr()).collect()
    }

    fn vulkan_1_2(&self) -> vk::PhysicalDeviceVulkan12Features<'static> {
        let has = |feature| self.has(feature);
        let has_image_lists = has(Feature::StorageImageLists) || has(Feature::SampledImageLists);
        vk::PhysicalDeviceVulkan12Features::default()
            .vulkan_memory_model(true)
            .vulkan_memory_model_device_scope(self.caps.has_device_scope)
            .scalar_block_layout(true)
            .timeline_semaphore(true)
            .shader_int8(has(Feature::Int8))
            .shader_float16(has(Feature::Float16))
            .storage_buffer8_bit_access(has(Feature::Storage8))
            .storage_push_constant8(has(Feature::PushConstant8))
            .shader_buffer_int64_atomics(has(Feature::BufferInt64Atomics))
            .shader_shared_int64_atomics(has(Feature::SharedInt64Atomics))
            .shader_subgroup_extended_types(has(Feature::SubgroupExtendedTypes))
            .buffer_device_address(has(Feature::BufferAddresses))
            .shader_storage_image_array_non_uniform_indexing(has(Feature::StorageImageLists))
            .shader_sampled_image_array_non_uniform_indexing(has(Feature::SampledImageLists))
            .runtime_descriptor_array(has_image_lists)
            .descriptor_binding_partially_bound(has_image_lists)
    }
}

/// The kinds of atomic floats that a device adds to.
fn float_atomics(kinds: FloatAtomics) -> vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT<'static> {
    let adds_to = |kind| kinds.contains(kind);
    vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT::default()
        .shader_buffer_float32_atomics(adds_to(FloatAtomics::BUFFER_F32))
        .shader_buffer_float32_atomic_add(adds_to(FloatAtomics::BUFFER_F32))
        .shader_shared_float32_atomics(adds_to(FloatAtomics::SHARED_F32))
        .shader_shared_float32_atomic_add(adds_to(FloatAtomics::SHARED_F32))
        .shader_buffer_float64_atomics(adds_to(FloatAtomics::BUFFER_F64))
        .shader_buffer_float64_atomic_add(adds_to(FloatAtomics::BUFFER_F64))
        .shader_shared_float64_atomics(adds_to(FloatAtomics::SHARED_F64))
        .shader_shared_float64_atomic_add(adds_to(FloatAtomics::SHARED_F64))
}
