//! Creating a device: all of its features and extensions that kernels may need, and none besides.

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
    let has = |feature| candidate.info.features.contains(&feature);
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
    let mut extensions = Vec::new();
    if caps.max_push_descriptors > 0 {
        extensions.push(khr::push_descriptor::NAME.as_ptr());
    }
    if caps.has_portability_subset {
        extensions.push(khr::portability_subset::NAME.as_ptr());
    }
    if caps.has_subgroup_sizes && caps.subgroup_sizes_by_extension {
        extensions.push(ext::subgroup_size_control::NAME.as_ptr());
    }
    if !caps.float_atomics.is_empty() {
        extensions.push(ext::shader_atomic_float::NAME.as_ptr());
    }
    if caps.has_memory_fds {
        extensions.push(khr::external_memory_fd::NAME.as_ptr());
    }
    if caps.has_semaphore_fds {
        extensions.push(khr::external_semaphore_fd::NAME.as_ptr());
    }
    if caps.host_pointer_alignment > 0 {
        extensions.push(ext::external_memory_host::NAME.as_ptr());
    }
    let keeps_statistics = keeps_statistics && caps.has_executables;
    if keeps_statistics {
        extensions.push(khr::pipeline_executable_properties::NAME.as_ptr());
    }
    let mut executables =
        vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default().pipeline_executable_info(true);
    if caps.reconverges {
        extensions.push(khr::shader_maximal_reconvergence::NAME.as_ptr());
    }
    let mut reconvergence =
        vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR::default().shader_maximal_reconvergence(true);
    let has_matrices = candidate.info.features.iter().any(|feature| matches!(feature, Feature::CooperativeMatrix(_)));
    let has_bfloat16 = has(Feature::CooperativeBfloat16);
    if has_matrices {
        extensions.push(khr::cooperative_matrix::NAME.as_ptr());
    }
    if has_bfloat16 {
        extensions.push(BFLOAT16_EXTENSION.as_ptr());
    }
    let mut matrices = vk::PhysicalDeviceCooperativeMatrixFeaturesKHR::default().cooperative_matrix(true);
    let mut bfloat16 = Bfloat16Features::new(true);
    let has_later = [Feature::CooperativeReductions, Feature::CooperativeConversions].map(has);
    let mut later = LaterFeatures::new(has_later[0], has_later[1]);
    if has_later.contains(&true) {
        extensions.push(LATER_EXTENSION.as_ptr());
    }
    let adds_to = |kind| caps.float_atomics.contains(kind);
    let mut float_atomics = vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT::default()
        .shader_buffer_float32_atomics(adds_to(FloatAtomics::BUFFER_F32))
        .shader_buffer_float32_atomic_add(adds_to(FloatAtomics::BUFFER_F32))
        .shader_shared_float32_atomics(adds_to(FloatAtomics::SHARED_F32))
        .shader_shared_float32_atomic_add(adds_to(FloatAtomics::SHARED_F32))
        .shader_buffer_float64_atomics(adds_to(FloatAtomics::BUFFER_F64))
        .shader_buffer_float64_atomic_add(adds_to(FloatAtomics::BUFFER_F64))
        .shader_shared_float64_atomics(adds_to(FloatAtomics::SHARED_F64))
        .shader_shared_float64_atomic_add(adds_to(FloatAtomics::SHARED_F64));
    let mut subgroup_sizes = vk::PhysicalDeviceSubgroupSizeControlFeatures::default()
        .subgroup_size_control(caps.has_subgroup_sizes)
        .compute_full_subgroups(caps.has_full_subgroups);
    let has_image_lists = has(Feature::StorageImageLists) || has(Feature::SampledImageLists);
    let mut vulkan_1_2 = vk::PhysicalDeviceVulkan12Features::default()
        .vulkan_memory_model(true)
        .vulkan_memory_model_device_scope(caps.has_device_scope)
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
        .descriptor_binding_partially_bound(has_image_lists);
    let mut vulkan_1_1 = vk::PhysicalDeviceVulkan11Features::default()
        .storage_buffer16_bit_access(has(Feature::Storage16))
        .storage_push_constant16(has(Feature::PushConstant16));
    let base = vk::PhysicalDeviceFeatures::default()
        .shader_float64(has(Feature::Float64))
        .shader_int64(has(Feature::Int64))
        .shader_int16(has(Feature::Int16))
        .shader_storage_image_extended_formats(has(Feature::ExtendedImageFormats));
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions)
        .enabled_features(&base)
        .push_next(&mut vulkan_1_1)
        .push_next(&mut vulkan_1_2);
    let info = if caps.has_subgroup_sizes { info.push_next(&mut subgroup_sizes) } else { info };
    let info = if keeps_statistics { info.push_next(&mut executables) } else { info };
    let info = if caps.float_atomics.is_empty() { info } else { info.push_next(&mut float_atomics) };
    let info = if has_matrices { info.push_next(&mut matrices) } else { info };
    let info = if caps.reconverges { info.push_next(&mut reconvergence) } else { info };
    let info = if has_bfloat16 { info.push_next(&mut bfloat16) } else { info };
    let info = if has_later.contains(&true) { info.push_next(&mut later) } else { info };
    // SAFETY: the device has the family, extensions and features asked for; all pointers live until after the call.
    unsafe { instance.create_device(candidate.physical, &info, None) }.map_err(Error::vulkan("vkCreateDevice"))
}
