//! The raw side's device: the one the runtime runs on, opened a second time, with as little as peers' modules need.

use std::ffi::CStr;

use ash::{khr, vk};

use super::vulkan;
use crate::Error;

/// Instance, device and queue.
#[expect(missing_debug_implementations, reason = "the functions of a device have none")]
pub struct RawDevice {
    /// The functions of the device.
    pub raw: ash::Device,
    /// Push descriptors, where a GPU has them: drivers for processors make sets of them each time the commands run.
    pub push_descriptors: Option<khr::push_descriptor::Device>,
    /// Whether shaders have cooperative matrices.
    pub has_matrices: bool,
    /// Its only queue.
    pub queue: vk::Queue,
    /// The queue's family.
    pub family: u32,
    /// Kinds of memory.
    pub memory: vk::PhysicalDeviceMemoryProperties,
    /// Alignment of offsets into storage buffers.
    pub storage_alignment: u64,
    /// Nanoseconds of a tick of the queue's timestamps.
    pub timestamp_period: f32,
    /// Whether the device is a GPU, so that spinning for its answer takes no work from it.
    pub is_gpu: bool,
    instance: ash::Instance,
    /// The loaded library; dropped last.
    _entry: ash::Entry,
}

impl RawDevice {
    /// Opens the device of this name.
    ///
    /// # Errors
    /// When there is none, or the driver fails.
    pub fn open(name: &str) -> Result<Self, Error> {
        // SAFETY: the loader is the system's.
        let entry = unsafe { ash::Entry::load() }?;
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
        let info = vk::InstanceCreateInfo::default().application_info(&app);
        // SAFETY: a valid info.
        let instance = unsafe { entry.create_instance(&info, None) }.map_err(vulkan("vkCreateInstance"))?;
        match Self::create(&instance, name) {
            Ok((raw, physical, family)) => Ok(Self::finish(entry, instance, raw, physical, family)),
            Err(error) => {
                // SAFETY: nothing of the instance is left.
                unsafe { instance.destroy_instance(None) };
                Err(error)
            }
        }
    }

    fn create(instance: &ash::Instance, name: &str) -> Result<(ash::Device, vk::PhysicalDevice, u32), Error> {
        let physical = find(instance, name)?;
        // SAFETY: `physical` is of the instance, here and below.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let has_compute = |family: &vk::QueueFamilyProperties| family.queue_flags.contains(vk::QueueFlags::COMPUTE);
        let family = families.iter().position(has_compute).ok_or_else(|| Error::Missing(name.to_owned()))? as u32;
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
        let has_matrices = has_extension(instance, physical, khr::cooperative_matrix::NAME);
        let mut extensions = Vec::new();
        if has_extension(instance, physical, khr::push_descriptor::NAME) {
            extensions.push(khr::push_descriptor::NAME.as_ptr());
        }
        let mut there = vk::PhysicalDeviceVulkan12Features::default();
        let mut halves = vk::PhysicalDevice16BitStorageFeatures::default();
        let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut there).push_next(&mut halves);
        // SAFETY: as above; the chain is valid.
        unsafe { instance.get_physical_device_features2(physical, &mut all) };
        let wide = vk::PhysicalDeviceFeatures {
            shader_float64: all.features.shader_float64,
            shader_int64: all.features.shader_int64,
            shader_int16: all.features.shader_int16,
            ..Default::default()
        };
        let mut features = vk::PhysicalDeviceVulkan12Features::default()
            .vulkan_memory_model(true)
            .scalar_block_layout(true)
            .timeline_semaphore(true)
            .shader_float16(has_matrices || there.shader_float16 != 0)
            .shader_int8(there.shader_int8 != 0)
            .storage_buffer8_bit_access(there.storage_buffer8_bit_access != 0);
        let mut halves = vk::PhysicalDevice16BitStorageFeatures::default()
            .storage_buffer16_bit_access(halves.storage_buffer16_bit_access != 0);
        let mut matrices = vk::PhysicalDeviceCooperativeMatrixFeaturesKHR::default().cooperative_matrix(true);
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_features(&wide);
        let mut info = info.push_next(&mut features).push_next(&mut halves);
        if has_matrices {
            extensions.push(khr::cooperative_matrix::NAME.as_ptr());
            info = info.push_next(&mut matrices);
        }
        let info = info.enabled_extension_names(&extensions);
        // SAFETY: the runtime runs on this device, with these features.
        let raw = unsafe { instance.create_device(physical, &info, None) }.map_err(vulkan("vkCreateDevice"))?;
        Ok((raw, physical, family))
    }

    fn finish(
        entry: ash::Entry,
        instance: ash::Instance,
        raw: ash::Device,
        physical: vk::PhysicalDevice,
        family: u32,
    ) -> Self {
        let has_push = has_extension(&instance, physical, khr::push_descriptor::NAME);
        // SAFETY: `physical` is of the instance; the device has one queue of the family.
        let (memory, properties, queue) = unsafe {
            (
                instance.get_physical_device_memory_properties(physical),
                instance.get_physical_device_properties(physical),
                raw.get_device_queue(family, 0),
            )
        };
        let is_gpu = properties.device_type != vk::PhysicalDeviceType::CPU;
        Self {
            has_matrices: has_extension(&instance, physical, khr::cooperative_matrix::NAME),
            push_descriptors: (has_push && is_gpu).then(|| khr::push_descriptor::Device::new(&instance, &raw)),
            raw,
            queue,
            family,
            memory,
            storage_alignment: properties.limits.min_storage_buffer_offset_alignment.max(4),
            timestamp_period: properties.limits.timestamp_period,
            is_gpu,
            instance,
            _entry: entry,
        }
    }
}

fn find(instance: &ash::Instance, name: &str) -> Result<vk::PhysicalDevice, Error> {
    // SAFETY: a live instance, whose devices are asked.
    let devices = unsafe { instance.enumerate_physical_devices() }.map_err(vulkan("vkEnumeratePhysicalDevices"))?;
    let is_named = |device: &vk::PhysicalDevice| {
        // SAFETY: as above.
        let properties = unsafe { instance.get_physical_device_properties(*device) };
        properties.device_name_as_c_str().is_ok_and(|found| found.to_string_lossy() == name)
    };
    devices.into_iter().find(is_named).ok_or_else(|| Error::Missing(name.to_owned()))
}

fn has_extension(instance: &ash::Instance, physical: vk::PhysicalDevice, name: &CStr) -> bool {
    // SAFETY: `physical` is of the live instance.
    let extensions = unsafe { instance.enumerate_device_extension_properties(physical) }.unwrap_or_default();
    extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name))
}

impl Drop for RawDevice {
    fn drop(&mut self) {
        // SAFETY: who made objects of the device has destroyed them.
        unsafe {
            self.raw.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}
