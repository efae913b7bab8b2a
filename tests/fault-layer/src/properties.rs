//! The properties that a physical device reports: limits lowered, features and extensions hidden.

use std::ffi::{CStr, c_char, c_void};

use ash::vk::{self, Handle};

use crate::calls::judge;
use crate::chain::next_of_instance;
use crate::{lend, plan};

type Void = unsafe extern "system" fn();

/// The layer's own function of this name.
pub(crate) fn own(name: &CStr) -> Option<Void> {
    let address = match name.to_str().ok()? {
        "vkGetPhysicalDeviceProperties" => get_properties as *const c_void,
        "vkGetPhysicalDeviceProperties2" | "vkGetPhysicalDeviceProperties2KHR" => get_properties2 as *const c_void,
        "vkGetPhysicalDeviceFeatures2" | "vkGetPhysicalDeviceFeatures2KHR" => get_features2 as *const c_void,
        "vkGetPhysicalDeviceQueueFamilyProperties" => get_queue_families as *const c_void,
        "vkGetPhysicalDeviceExternalSemaphoreProperties" | "vkGetPhysicalDeviceExternalSemaphorePropertiesKHR" => {
            get_external_semaphore_properties as *const c_void
        }
        "vkEnumerateDeviceExtensionProperties" => enumerate_extensions as *const c_void,
        _ => return None,
    };
    // SAFETY: the address of a function; whoever calls it casts it to its type again.
    Some(unsafe { std::mem::transmute::<*const c_void, Void>(address) })
}

fn is_hidden(name: &str) -> bool {
    plan::with(|plan| plan.hidden.iter().any(|hidden| hidden == name))
}

fn lower(limits: &mut vk::PhysicalDeviceLimits) {
    let lowered = plan::with(|plan| plan.limits.clone());
    for (name, value) in lowered {
        let small = u32::try_from(value).unwrap_or(u32::MAX);
        match name.as_str() {
            "maxComputeWorkGroupCount" => limits.max_compute_work_group_count = [small; 3],
            "maxComputeWorkGroupSize" => limits.max_compute_work_group_size = [small; 3],
            "maxComputeWorkGroupInvocations" => limits.max_compute_work_group_invocations = small,
            "maxComputeSharedMemorySize" => limits.max_compute_shared_memory_size = small,
            "maxPushConstantsSize" => limits.max_push_constants_size = small,
            "maxPerStageDescriptorStorageBuffers" => limits.max_per_stage_descriptor_storage_buffers = small,
            "maxStorageBufferRange" => limits.max_storage_buffer_range = small,
            "minStorageBufferOffsetAlignment" => limits.min_storage_buffer_offset_alignment = value,
            _ => {}
        }
    }
}

unsafe extern "system" fn get_properties(physical: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceProperties) {
    let Some(next) = next_of_instance(physical.as_raw(), c"vkGetPhysicalDeviceProperties") else { return };
    // SAFETY: the next layer's function; the caller's arguments, of which the last is written.
    unsafe {
        std::mem::transmute::<Void, vk::PFN_vkGetPhysicalDeviceProperties>(next)(physical, out);
        lower(&mut (*out).limits);
        if is_hidden("Vulkan 1.2") {
            (*out).api_version = vk::API_VERSION_1_1;
        }
    }
}

/// The structures of a chain, by type and address.
///
/// # Safety
/// A valid chain.
unsafe fn chained(first: *mut c_void) -> impl Iterator<Item = (vk::StructureType, *mut c_void)> {
    let mut at = first.cast::<vk::BaseOutStructure<'static>>();
    std::iter::from_fn(move || {
        // SAFETY: every structure of a chain begins so.
        let structure = unsafe { at.as_ref() }?;
        let here = at.cast();
        at = structure.p_next;
        Some((structure.s_type, here))
    })
}

unsafe extern "system" fn get_properties2(physical: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceProperties2<'_>) {
    let Some(next) = next_of_instance(physical.as_raw(), c"vkGetPhysicalDeviceProperties2") else { return };
    // SAFETY: as above; a structure of a type is of that type.
    unsafe {
        std::mem::transmute::<Void, vk::PFN_vkGetPhysicalDeviceProperties2>(next)(physical, out);
        lower(&mut (*out).properties.limits);
        let lowered = plan::with(|plan| plan.limits.clone());
        for (kind, structure) in chained((*out).p_next) {
            for (name, value) in &lowered {
                match (kind, name.as_str()) {
                    (vk::StructureType::PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, "maxMemoryAllocationSize") => {
                        let properties = structure.cast::<vk::PhysicalDeviceMaintenance3Properties<'_>>();
                        (*properties).max_memory_allocation_size = *value;
                    }
                    (vk::StructureType::PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR, "maxPushDescriptors") => {
                        let properties = structure.cast::<vk::PhysicalDevicePushDescriptorPropertiesKHR<'_>>();
                        (*properties).max_push_descriptors = *value as u32;
                    }
                    (vk::StructureType::PHYSICAL_DEVICE_DRIVER_PROPERTIES, "driverID") => {
                        let properties = structure.cast::<vk::PhysicalDeviceDriverProperties<'_>>();
                        (*properties).driver_id = vk::DriverId::from_raw(*value as i32);
                    }
                    (vk::StructureType::PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, "supportedOperations") => {
                        let properties = structure.cast::<vk::PhysicalDeviceSubgroupProperties<'_>>();
                        (*properties).supported_operations = vk::SubgroupFeatureFlags::from_raw(*value as u32);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Hides the fields of a structure that the plan names.
macro_rules! hide {
    ($structure:expr; $($name:literal $field:ident)*) => {
        $( if is_hidden($name) { $structure.$field = vk::FALSE; } )*
    };
}

unsafe extern "system" fn get_features2(physical: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceFeatures2<'_>) {
    let Some(next) = next_of_instance(physical.as_raw(), c"vkGetPhysicalDeviceFeatures2") else { return };
    // SAFETY: as above.
    unsafe {
        std::mem::transmute::<Void, vk::PFN_vkGetPhysicalDeviceFeatures2>(next)(physical, out);
        let base = &mut (*out).features;
        hide!(base; "shaderFloat64" shader_float64 "shaderInt64" shader_int64 "shaderInt16" shader_int16);
        for (kind, structure) in chained((*out).p_next) {
            match kind {
                vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_1_FEATURES => {
                    let features = &mut *structure.cast::<vk::PhysicalDeviceVulkan11Features<'_>>();
                    hide!(features; "storageBuffer16BitAccess" storage_buffer16_bit_access
                        "storagePushConstant16" storage_push_constant16);
                }
                vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_2_FEATURES => {
                    let features = &mut *structure.cast::<vk::PhysicalDeviceVulkan12Features<'_>>();
                    hide!(features; "vulkanMemoryModel" vulkan_memory_model "scalarBlockLayout" scalar_block_layout
                        "timelineSemaphore" timeline_semaphore "shaderInt8" shader_int8 "shaderFloat16" shader_float16
                        "storageBuffer8BitAccess" storage_buffer8_bit_access
                        "storagePushConstant8" storage_push_constant8
                        "shaderBufferInt64Atomics" shader_buffer_int64_atomics
                        "shaderSharedInt64Atomics" shader_shared_int64_atomics
                        "shaderSubgroupExtendedTypes" shader_subgroup_extended_types
                        "bufferDeviceAddress" buffer_device_address);
                }
                vk::StructureType::PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES => {
                    let features = &mut *structure.cast::<vk::PhysicalDeviceSubgroupSizeControlFeatures<'_>>();
                    hide!(features; "subgroupSizeControl" subgroup_size_control
                        "computeFullSubgroups" compute_full_subgroups);
                }
                _ => {}
            }
        }
    }
}

unsafe extern "system" fn get_queue_families(
    physical: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::QueueFamilyProperties,
) {
    let Some(next) = next_of_instance(physical.as_raw(), c"vkGetPhysicalDeviceQueueFamilyProperties") else { return };
    // SAFETY: as above; so many elements were written.
    unsafe {
        std::mem::transmute::<Void, vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties>(next)(physical, count, out);
        if out.is_null() {
            return;
        }
        for family in std::slice::from_raw_parts_mut(out, *count as usize) {
            if is_hidden("compute queue") {
                family.queue_flags &= !vk::QueueFlags::COMPUTE;
            }
            if is_hidden("timestamps") {
                family.timestamp_valid_bits = 0;
            }
        }
    }
}

unsafe extern "system" fn get_external_semaphore_properties(
    physical: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceExternalSemaphoreInfo<'_>,
    out: *mut vk::ExternalSemaphoreProperties<'_>,
) {
    let name = c"vkGetPhysicalDeviceExternalSemaphoreProperties";
    let Some(next) = next_of_instance(physical.as_raw(), name) else { return };
    // SAFETY: as above.
    unsafe {
        let next = std::mem::transmute::<Void, vk::PFN_vkGetPhysicalDeviceExternalSemaphoreProperties>(next);
        next(physical, info, out);
        if lend::is_on() && (*info).handle_type == vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD {
            let both = vk::ExternalSemaphoreFeatureFlags::EXPORTABLE | vk::ExternalSemaphoreFeatureFlags::IMPORTABLE;
            (*out).external_semaphore_features = both;
        }
    }
}

fn write_name(extension: &mut vk::ExtensionProperties, name: &str) {
    extension.extension_name = [0; vk::MAX_EXTENSION_NAME_SIZE];
    extension.extension_name.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from as c_char);
}

unsafe extern "system" fn enumerate_extensions(
    physical: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    if let Some(failure) = judge(c"vkEnumerateDeviceExtensionProperties") {
        return failure;
    }
    let Some(next) = next_of_instance(physical.as_raw(), c"vkEnumerateDeviceExtensionProperties") else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: as above.
    unsafe {
        let next = std::mem::transmute::<Void, vk::PFN_vkEnumerateDeviceExtensionProperties>(next);
        let result = next(physical, layer, count, out);
        if result == vk::Result::SUCCESS && !out.is_null() {
            // One that is hidden gets a name that nobody asks for; its place stays.
            for extension in std::slice::from_raw_parts_mut(out, *count as usize) {
                let name = extension.extension_name_as_c_str().unwrap_or_default().to_string_lossy().into_owned();
                if lend::is_on() && name == "VK_KHR_external_semaphore" {
                    // Of Vulkan 1.1, so that nobody asks for it.
                    write_name(extension, lend::EXTENSION);
                }
                if is_hidden(&name) {
                    extension.extension_name = [0; vk::MAX_EXTENSION_NAME_SIZE];
                }
            }
        }
        result
    }
}
