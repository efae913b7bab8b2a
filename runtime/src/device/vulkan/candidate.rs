//! The properties of a physical device, before it is chosen.

use std::ffi::CStr;

use ash::{ext, khr, vk};
use gridwise_ir::descriptor::{Feature, FloatAtomics, SubgroupOperations};
use gridwise_ir::faults::{Driver, Faults};

use super::foreign::has_exports;
use super::matrices::query_matrices;
use super::spirv::{FloatControls, WidthControls};
use super::usages::{BUFFER_USAGES, HOST_POINTER};
use crate::core::error::{Error, Result};
use crate::device::address::{DeviceUuid, PciAddress};
use crate::device::cache::Identity;
use crate::device::subnormals::Width;
use crate::device::{DeviceInfo, DeviceKind, ExistingVulkan, Limits, QueueFamily, QueueKind, SubgroupLimits};

/// A physical device, usable or not.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) physical: vk::PhysicalDevice,
    pub(crate) info: DeviceInfo,
    pub(crate) caps: Caps,
}

/// The capabilities of a device that the runtime itself uses.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Caps {
    /// Nanoseconds of a tick of timestamps.
    pub(crate) timestamp_period: f32,
    /// Most descriptors of a push descriptor set; zero without the extension.
    pub(crate) max_push_descriptors: u32,
    pub(crate) has_portability_subset: bool,
    pub(crate) float_controls: FloatControls,
    /// Atomic floats that the device adds to.
    pub(crate) float_atomics: FloatAtomics,
    /// Those of them that are as exact as its other additions.
    pub(crate) exact_float_atomics: FloatAtomics,
    /// Whether small launches run several items per invocation, too.
    pub(crate) batches_small: bool,
    pub(crate) storage_alignment: u64,
    /// Bytes of the largest memory allocation.
    pub(crate) max_allocation: u64,
    /// Whether large buffers get memory of their own: a GPU with memory of its own that lets many allocations live.
    pub(crate) allocates_apart: bool,
    /// Workgroups along x in one dispatch; never zero.
    pub(crate) max_groups_x: u32,
    pub(crate) is_cpu: bool,
    /// Whether the queue can scale images.
    pub(crate) can_blit: bool,
    /// Whether the driver tells how much of each heap there is for this process.
    pub(crate) has_memory_budget: bool,
    /// Whether modules may order memory among all invocations of the device; ours never do.
    pub(crate) has_device_scope: bool,
    /// Invocations of a subgroup, when nothing is asked for.
    pub(crate) subgroup_size: u32,
    /// Whether pipelines may ask for a subgroup size.
    pub(crate) has_subgroup_sizes: bool,
    /// Whether that takes an extension.
    pub(crate) subgroup_sizes_by_extension: bool,
    /// Whether pipelines may ask for subgroups without idle invocations.
    pub(crate) has_full_subgroups: bool,
    /// Whether subgroups do atomic additions of floats together.
    pub(crate) gathers: bool,
    /// Whether modules may ask that invocations which went apart go on together where the source says so.
    pub(crate) reconverges: bool,
    /// The driver's faults that kernels avoid.
    pub(crate) faults: Faults,
    /// Whether buffers have addresses, by which kernels reach those of lists.
    pub(crate) has_addresses: bool,
    /// Whether kernels find their own buffers by addresses, too.
    pub(crate) by_address: bool,
    /// Whether memory can be had by file descriptors.
    pub(crate) has_memory_fds: bool,
    /// Whether timelines can be had by file descriptors.
    pub(crate) has_semaphore_fds: bool,
    /// Memory of the host that buffers can lie in begins and ends at multiples of so many bytes; zero where none can.
    pub(crate) host_pointer_alignment: u64,
    /// Whether the driver tells what it made of pipelines.
    pub(crate) has_executables: bool,
    /// Whether tensors are out of the host's reach even where they are not.
    pub(crate) hides_memory: bool,
    /// The device and its driver, as kept pipelines name them.
    pub(crate) identity: Identity,
}

/// Allocations that may live at once, from which on nobody needs to be sparing with them.
const MANY_ALLOCATIONS: u32 = 1 << 16;

impl Caps {
    /// The same without anything that devices may lack.
    pub(crate) fn without_extras(self) -> Self {
        Self {
            max_push_descriptors: 0,
            float_controls: FloatControls::default(),
            float_atomics: FloatAtomics::default(),
            exact_float_atomics: FloatAtomics::default(),
            hides_memory: true,
            has_memory_fds: false,
            gathers: false,
            has_semaphore_fds: false,
            reconverges: false,
            by_address: false,
            ..self
        }
    }
}

impl Candidate {
    /// Asks the driver about a device that an application has made: without what it was not made with.
    pub(crate) fn of_existing(existing: &ExistingVulkan) -> Result<Self> {
        let mut candidate = Self::new(&existing.entry, &existing.instance, existing.physical_device)?;
        let Self { info, caps, .. } = &mut candidate;
        // A driver's promises about floats need no asking for.
        info.features.retain(|feature| existing.features.contains(feature) || Width::of(*feature).is_some());
        *caps = Caps {
            max_push_descriptors: if existing.has_push_descriptors { caps.max_push_descriptors } else { 0 },
            has_subgroup_sizes: false,
            has_full_subgroups: false,
            reconverges: false,
            has_device_scope: false,
            has_addresses: info.has(Feature::BufferAddresses),
            by_address: caps.by_address && info.has(Feature::BufferAddresses),
            has_executables: false,
            has_memory_fds: false,
            has_semaphore_fds: false,
            host_pointer_alignment: 0,
            float_atomics: FloatAtomics::default(),
            exact_float_atomics: FloatAtomics::default(),
            ..*caps
        };
        let size = caps.subgroup_size.max(1);
        (info.limits.subgroup.min_size, info.limits.subgroup.max_size) = (size, size);
        for queue in existing.all_queues() {
            let family = info.queue_families.get(queue.family as usize).map(|family| family.kind);
            if !matches!(family, Some(QueueKind::Compute | QueueKind::Transfer)) {
                info.missing.push(format!("compute and transfers on its queue family {}", queue.family));
            }
        }
        let main = info.queue_families.get(existing.queue_family as usize);
        caps.can_blit = main.is_some_and(|family| family.can_blit);
        if main.is_none_or(|family| family.kind != QueueKind::Compute) {
            info.missing.push(format!("compute on its queue family {}", existing.queue_family));
        }
        match info.is_suitable() {
            true => Ok(candidate),
            false => Err(Error::DeviceNotSuitable { name: info.name.clone(), missing: info.missing.join(", ") }),
        }
    }

    /// Asks the driver about a device.
    ///
    /// # Errors
    /// When the driver fails.
    pub(crate) fn new(entry: &ash::Entry, instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<Self> {
        // SAFETY: `physical` is of `instance`, which is alive; so for all queries below.
        let base = unsafe { instance.get_physical_device_properties(physical) };
        let version = base.api_version;
        let has_1_2 = version >= vk::API_VERSION_1_2;
        // SAFETY: as above.
        let extensions = unsafe { instance.enumerate_device_extension_properties(physical) };
        let extensions = extensions.map_err(Error::vulkan("vkEnumerateDeviceExtensionProperties"))?;
        let has = |name: &CStr| extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name));
        let mut missing = Vec::new();
        let mut caps = Caps { is_cpu: base.device_type == vk::PhysicalDeviceType::CPU, ..Caps::default() };
        caps.has_portability_subset = has(khr::portability_subset::NAME);
        caps.has_memory_fds = cfg!(unix) && has(khr::external_memory_fd::NAME);
        caps.has_semaphore_fds =
            cfg!(unix) && has_1_2 && has(khr::external_semaphore_fd::NAME) && has_exports(instance, physical);
        caps.has_memory_budget = has(ext::memory_budget::NAME);
        caps.storage_alignment = base.limits.min_storage_buffer_offset_alignment.max(4);
        caps.max_allocation = 1 << 30;
        caps.allocates_apart = base.device_type == vk::PhysicalDeviceType::DISCRETE_GPU
            && base.limits.max_memory_allocation_count >= MANY_ALLOCATIONS;
        caps.max_groups_x = base.limits.max_compute_work_group_count[0].max(1);
        let mut driver = format!("driver {:#x}", base.driver_version);
        let mut features = Vec::new();
        let mut subgroup =
            SubgroupLimits { size: 1, min_size: 1, max_size: 1, max_subgroups: 0, operations: NO_OPERATIONS };
        if has_1_2 {
            caps.subgroup_sizes_by_extension = version < vk::API_VERSION_1_3;
            if version >= vk::API_VERSION_1_3 || has(ext::subgroup_size_control::NAME) {
                query_subgroup_control(instance, physical, &mut caps);
            }
            subgroup = query_subgroups(instance, physical, &mut caps);
            if has(ext::shader_atomic_float::NAME) {
                caps.float_atomics = query_float_atomics(instance, physical);
            }
            caps.identity = query_identity(instance, physical, &base);
            if has(ext::external_memory_host::NAME) {
                caps.host_pointer_alignment = query_host_pointers(instance, physical);
            }
            driver = query_properties(instance, physical, has(khr::push_descriptor::NAME), &mut caps);
            caps.reconverges = has(khr::shader_maximal_reconvergence::NAME) && query_reconvergence(instance, physical);
            caps.has_executables =
                has(khr::pipeline_executable_properties::NAME) && query_executables(instance, physical);
            query_features(instance, physical, &mut caps, &mut features, &mut missing);
            features.extend(kept_subnormals(&caps.float_controls));
            features.extend(query_matrices(entry, instance, physical, version, has)?);
        } else {
            missing.push("Vulkan 1.2".to_owned());
        }
        // SAFETY: as above.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let queue_families: Vec<_> = families.iter().map(queue_family).collect();
        caps.timestamp_period = base.limits.timestamp_period;
        let main = queue_families.iter().find(|family| family.kind == QueueKind::Compute);
        caps.can_blit = main.is_some_and(|family| family.can_blit);
        if !queue_families.iter().any(|family| family.kind == QueueKind::Compute && family.count > 0) {
            missing.push("a compute queue".to_owned());
        }
        let pci = (has_1_2 && has(ext::pci_bus_info::NAME)).then(|| query_pci(instance, physical));
        let info = DeviceInfo {
            name: base.device_name_as_c_str().map_or_else(|_| "?".into(), CStr::to_string_lossy).into_owned(),
            kind: kind(base.device_type),
            driver,
            api_version: Some([
                vk::api_version_major(version),
                vk::api_version_minor(version),
                vk::api_version_patch(version),
            ]),
            uuid: has_1_2.then_some(DeviceUuid(caps.identity.uuids[1])),
            pci,
            numa_node: pci.and_then(|address| address.numa_node()),
            limits: limits(&base.limits, subgroup),
            features,
            queue_families,
            missing,
        };
        Ok(Self { physical, info, caps })
    }
}

fn queue_family(family: &vk::QueueFamilyProperties) -> QueueFamily {
    use vk::QueueFlags as Flags;
    let transfers_only = |flags: Flags| {
        flags.contains(Flags::TRANSFER)
            && (flags & !(Flags::TRANSFER | Flags::SPARSE_BINDING | Flags::PROTECTED)).is_empty()
    };
    let kind = match family.queue_flags {
        flags if flags.contains(Flags::COMPUTE) => QueueKind::Compute,
        flags if transfers_only(flags) => QueueKind::Transfer,
        _ => QueueKind::Other,
    };
    let can_blit = family.queue_flags.contains(Flags::GRAPHICS);
    QueueFamily { kind, count: family.queue_count, timestamp_bits: family.timestamp_valid_bits, can_blit }
}

fn kind(kind: vk::PhysicalDeviceType) -> DeviceKind {
    match kind {
        vk::PhysicalDeviceType::DISCRETE_GPU => DeviceKind::DiscreteGpu,
        vk::PhysicalDeviceType::INTEGRATED_GPU => DeviceKind::IntegratedGpu,
        vk::PhysicalDeviceType::VIRTUAL_GPU => DeviceKind::VirtualGpu,
        vk::PhysicalDeviceType::CPU => DeviceKind::Cpu,
        _ => DeviceKind::Other,
    }
}

/// The state before anything was asked.
const NO_OPERATIONS: SubgroupOperations = SubgroupOperations(0);

/// Whether pipelines can ask for subgroup sizes.
fn query_subgroup_control(instance: &ash::Instance, physical: vk::PhysicalDevice, caps: &mut Caps) {
    let mut control = vk::PhysicalDeviceSubgroupSizeControlFeatures::default();
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut control);
    // SAFETY: the device speaks Vulkan 1.3, or 1.2 with the extension that the structure is of.
    unsafe { instance.get_physical_device_features2(physical, &mut all) };
    caps.has_subgroup_sizes = control.subgroup_size_control == vk::TRUE;
    caps.has_full_subgroups = caps.has_subgroup_sizes && control.compute_full_subgroups == vk::TRUE;
}

/// Whether pipelines can be asked about; the device has the extension.
fn query_executables(instance: &ash::Instance, physical: vk::PhysicalDevice) -> bool {
    let mut executables = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default();
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut executables);
    // SAFETY: the device speaks Vulkan 1.2 and has the extension that the structure is of.
    unsafe { instance.get_physical_device_features2(physical, &mut all) };
    executables.pipeline_executable_info == vk::TRUE
}

/// Whether modules may ask for maximal reconvergence; the device has the extension.
fn query_reconvergence(instance: &ash::Instance, physical: vk::PhysicalDevice) -> bool {
    let mut reconvergence = vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR::default();
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut reconvergence);
    // SAFETY: the device speaks Vulkan 1.2 and has the extension that the structure is of.
    unsafe { instance.get_physical_device_features2(physical, &mut all) };
    reconvergence.shader_maximal_reconvergence == vk::TRUE
}

fn query_subgroups(instance: &ash::Instance, physical: vk::PhysicalDevice, caps: &mut Caps) -> SubgroupLimits {
    let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
    let mut control = vk::PhysicalDeviceSubgroupSizeControlProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup);
    if caps.has_subgroup_sizes {
        properties = properties.push_next(&mut control);
    }
    // SAFETY: the device speaks Vulkan 1.2, and has what the second structure is of when that is there.
    unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
    let size = subgroup.subgroup_size.max(1);
    caps.has_subgroup_sizes &= control.required_subgroup_size_stages.contains(vk::ShaderStageFlags::COMPUTE);
    caps.has_full_subgroups &= caps.has_subgroup_sizes;
    caps.subgroup_size = size;
    let (min_size, max_size, max_subgroups) = match caps.has_subgroup_sizes {
        true => (control.min_subgroup_size, control.max_subgroup_size, control.max_compute_workgroup_subgroups),
        false => (size, size, u32::MAX),
    };
    let operations = match subgroup.supported_stages.contains(vk::ShaderStageFlags::COMPUTE) {
        true => SubgroupOperations(subgroup.supported_operations.as_raw()),
        false => NO_OPERATIONS,
    };
    caps.gathers = operations.contains(SubgroupOperations::GATHERING);
    SubgroupLimits { size, min_size, max_size, max_subgroups, operations }
}

fn limits(limits: &vk::PhysicalDeviceLimits, subgroup: SubgroupLimits) -> Limits {
    Limits {
        max_shared_bytes: limits.max_compute_shared_memory_size,
        subgroup,
        max_groups: limits.max_compute_work_group_count,
        max_workgroup: limits.max_compute_work_group_size,
        max_workgroup_invocations: limits.max_compute_work_group_invocations,
        max_push_constants: limits.max_push_constants_size,
        max_buffers: limits
            .max_per_stage_descriptor_storage_buffers
            .min(limits.max_descriptor_set_storage_buffers)
            .min(limits.max_per_stage_resources),
        max_buffer_bytes: limits.max_storage_buffer_range.into(),
        part_alignment: limits.min_storage_buffer_offset_alignment.max(4),
        max_texels: limits.max_texel_buffer_elements,
        texel_alignment: limits.min_texel_buffer_offset_alignment.max(4),
        max_images: limits
            .max_per_stage_descriptor_storage_images
            .min(limits.max_descriptor_set_storage_images)
            .min(limits.max_per_stage_resources),
        max_sampled_images: limits
            .max_per_stage_descriptor_sampled_images
            .min(limits.max_per_stage_descriptor_samplers)
            .min(limits.max_descriptor_set_sampled_images)
            .min(limits.max_descriptor_set_samplers),
    }
}

/// The device and driver that compiled pipelines depend on.
fn query_identity(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    base: &vk::PhysicalDeviceProperties,
) -> Identity {
    let mut ids = vk::PhysicalDeviceIDProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
    // SAFETY: the device speaks Vulkan 1.1.
    unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
    Identity {
        vendor: base.vendor_id,
        device: base.device_id,
        driver_version: base.driver_version,
        uuids: [base.pipeline_cache_uuid, ids.device_uuid, ids.driver_uuid],
    }
}

/// The alignment of memory of the host that buffers of ours can lie in.
fn query_host_pointers(instance: &ash::Instance, physical: vk::PhysicalDevice) -> u64 {
    let mut pointers = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut pointers);
    let info = vk::PhysicalDeviceExternalBufferInfo::default().usage(BUFFER_USAGES).handle_type(HOST_POINTER);
    let mut external = vk::ExternalBufferProperties::default();
    // SAFETY: the device speaks Vulkan 1.2, and has the extension that the structure and the type of handle are of.
    unsafe {
        instance.get_physical_device_properties2(physical, &mut properties);
        instance.get_physical_device_external_buffer_properties(physical, &info, &mut external);
    }
    let features = external.external_memory_properties.external_memory_features;
    match features.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE) {
        true => pointers.min_imported_host_pointer_alignment.max(1),
        false => 0,
    }
}

fn query_pci(instance: &ash::Instance, physical: vk::PhysicalDevice) -> PciAddress {
    let mut pci = vk::PhysicalDevicePCIBusInfoPropertiesEXT::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut pci);
    // SAFETY: the device speaks Vulkan 1.1, and has the extension that the structure is of.
    unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
    PciAddress { domain: pci.pci_domain, bus: pci.pci_bus, device: pci.pci_device, function: pci.pci_function }
}

/// Fills in `caps` and gives the driver's name.
fn query_properties(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    has_push_descriptors: bool,
    caps: &mut Caps,
) -> String {
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut floats = vk::PhysicalDeviceFloatControlsProperties::default();
    let mut maintenance = vk::PhysicalDeviceMaintenance3Properties::default();
    let mut push = vk::PhysicalDevicePushDescriptorPropertiesKHR::default();
    let mut properties = vk::PhysicalDeviceProperties2::default()
        .push_next(&mut driver)
        .push_next(&mut floats)
        .push_next(&mut maintenance);
    if has_push_descriptors {
        properties = properties.push_next(&mut push);
    }
    // SAFETY: the device speaks Vulkan 1.2, and the chain's structures are of it or of an extension it has.
    unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
    // It compares each access with the size in a descriptor, and writes a branch around each store of a byte.
    caps.by_address = driver.driver_id == vk::DriverId::NVIDIA_PROPRIETARY;
    caps.faults = Faults::of(match driver.driver_id {
        vk::DriverId::NVIDIA_PROPRIETARY => Driver::Nvidia,
        vk::DriverId::MESA_LLVMPIPE => Driver::Llvmpipe(caps.identity.driver_version),
        _ => Driver::Other,
    });
    caps.max_push_descriptors = push.max_push_descriptors;
    caps.max_allocation = maintenance.max_memory_allocation_size;
    caps.float_controls = FloatControls {
        float16: WidthControls {
            signed_zero_inf_nan_preserve: floats.shader_signed_zero_inf_nan_preserve_float16 == vk::TRUE,
            rounding_mode_rte: floats.shader_rounding_mode_rte_float16 == vk::TRUE,
            denorm_preserve: floats.shader_denorm_preserve_float16 == vk::TRUE,
        },
        float32: WidthControls {
            signed_zero_inf_nan_preserve: floats.shader_signed_zero_inf_nan_preserve_float32 == vk::TRUE,
            rounding_mode_rte: floats.shader_rounding_mode_rte_float32 == vk::TRUE,
            denorm_preserve: floats.shader_denorm_preserve_float32 == vk::TRUE,
        },
        float64: WidthControls {
            signed_zero_inf_nan_preserve: floats.shader_signed_zero_inf_nan_preserve_float64 == vk::TRUE,
            rounding_mode_rte: floats.shader_rounding_mode_rte_float64 == vk::TRUE,
            denorm_preserve: floats.shader_denorm_preserve_float64 == vk::TRUE,
        },
    };
    caps.exact_float_atomics = exact_float_atomics(caps);
    let [name, version] = [driver.driver_name_as_c_str(), driver.driver_info_as_c_str()]
        .map(|text| text.map_or("?".into(), CStr::to_string_lossy));
    format!("{name} {version}").trim().to_owned()
}

/// The widths of floats whose subnormal numbers the driver promises to keep.
fn kept_subnormals(controls: &FloatControls) -> impl Iterator<Item = Feature> {
    let kept = [
        (Feature::SubnormalsF16, controls.float16),
        (Feature::SubnormalsF32, controls.float32),
        (Feature::SubnormalsF64, controls.float64),
    ];
    kept.into_iter().filter(|(_, controls)| controls.denorm_preserve).map(|(feature, _)| feature)
}

fn query_float_atomics(instance: &ash::Instance, physical: vk::PhysicalDevice) -> FloatAtomics {
    let mut has = vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT::default();
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut has);
    // SAFETY: the device has the extension that the structure is of.
    unsafe { instance.get_physical_device_features2(physical, &mut all) };
    let kinds = [
        (FloatAtomics::BUFFER_F32, has.shader_buffer_float32_atomics & has.shader_buffer_float32_atomic_add),
        (FloatAtomics::SHARED_F32, has.shader_shared_float32_atomics & has.shader_shared_float32_atomic_add),
        (FloatAtomics::BUFFER_F64, has.shader_buffer_float64_atomics & has.shader_buffer_float64_atomic_add),
        (FloatAtomics::SHARED_F64, has.shader_shared_float64_atomics & has.shader_shared_float64_atomic_add),
    ];
    let present = kinds.into_iter().filter(|(_, has)| *has == vk::TRUE);
    present.fold(FloatAtomics::default(), |all, (kind, _)| all.union(kind))
}

/// The atomic additions that give what the device's additions give. Atomic ones may take subnormal numbers for zero, whatever
/// the module asks for; so may the others where the device does not promise to keep these.
fn exact_float_atomics(caps: &Caps) -> FloatAtomics {
    let kinds = [
        (FloatAtomics::BUFFER_F32.union(FloatAtomics::SHARED_F32), caps.float_controls.float32),
        (FloatAtomics::BUFFER_F64.union(FloatAtomics::SHARED_F64), caps.float_controls.float64),
    ];
    let inexact = kinds.into_iter().filter(|(_, controls)| controls.denorm_preserve);
    inexact.fold(caps.float_atomics, |exact, (kinds, _)| exact.without(kinds))
}

fn query_features(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    caps: &mut Caps,
    features: &mut Vec<Feature>,
    missing: &mut Vec<String>,
) {
    let mut vulkan_1_1 = vk::PhysicalDeviceVulkan11Features::default();
    let mut vulkan_1_2 = vk::PhysicalDeviceVulkan12Features::default();
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut vulkan_1_1).push_next(&mut vulkan_1_2);
    // SAFETY: the device speaks Vulkan 1.2.
    unsafe { instance.get_physical_device_features2(physical, &mut all) };
    let base = all.features;
    caps.has_addresses = vulkan_1_2.buffer_device_address == vk::TRUE;
    caps.has_device_scope = vulkan_1_2.vulkan_memory_model_device_scope == vk::TRUE;
    let required = [
        ("vulkanMemoryModel", vulkan_1_2.vulkan_memory_model),
        ("scalarBlockLayout", vulkan_1_2.scalar_block_layout),
        ("timelineSemaphore", vulkan_1_2.timeline_semaphore),
    ];
    missing.extend(required.iter().filter(|(_, has)| *has == vk::FALSE).map(|(name, _)| (*name).to_owned()));
    let arrays = vulkan_1_2.runtime_descriptor_array & vulkan_1_2.descriptor_binding_partially_bound;
    let optional = [
        (Feature::Float64, base.shader_float64),
        (Feature::Int64, base.shader_int64),
        (Feature::Int16, base.shader_int16),
        (Feature::Int8, vulkan_1_2.shader_int8),
        (Feature::Float16, vulkan_1_2.shader_float16),
        (Feature::Storage8, vulkan_1_2.storage_buffer8_bit_access),
        (Feature::Storage16, vulkan_1_1.storage_buffer16_bit_access),
        (Feature::PushConstant8, vulkan_1_2.storage_push_constant8),
        (Feature::PushConstant16, vulkan_1_1.storage_push_constant16),
        (Feature::BufferInt64Atomics, vulkan_1_2.shader_buffer_int64_atomics),
        (Feature::SharedInt64Atomics, vulkan_1_2.shader_shared_int64_atomics),
        (Feature::SubgroupExtendedTypes, vulkan_1_2.shader_subgroup_extended_types),
        (Feature::ExtendedImageFormats, base.shader_storage_image_extended_formats),
        (Feature::BufferAddresses, vulkan_1_2.buffer_device_address),
        (Feature::StorageImageLists, arrays & vulkan_1_2.shader_storage_image_array_non_uniform_indexing),
        (Feature::SampledImageLists, arrays & vulkan_1_2.shader_sampled_image_array_non_uniform_indexing),
    ];
    features.extend(optional.iter().filter(|(_, has)| *has == vk::TRUE).map(|(feature, _)| *feature));
}
