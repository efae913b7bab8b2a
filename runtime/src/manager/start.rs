//! The makers of managers: of a device that a description chooses, of an application's own, of the host.

use std::sync::Arc;

use super::Manager;
use crate::core::error::{Error, Result};
use crate::core::print::{PrintSink, capacity_of};
use crate::core::span::span;
use crate::device::host::HostDevice;
use crate::device::host::HostOptions;
use crate::device::vulkan::{Candidate, VulkanBackend, VulkanDevice, VulkanInstance};
use crate::device::{Backend, Device, DeviceChoice, DeviceInfo, ExistingVulkan, ManagerDesc, QueueInfo, queues};

/// Vulkan and its devices; `None` where there is none.
fn find_vulkan(validation: bool) -> Result<Option<(Arc<VulkanInstance>, Vec<Candidate>)>> {
    let Some(instance) = VulkanInstance::new(validation)? else { return Ok(None) };
    let candidates = instance.candidates()?;
    Ok(Some((Arc::new(instance), candidates)))
}

/// The host device, with the subgroups asked for.
fn host_info(options: HostOptions) -> DeviceInfo {
    let mut info = DeviceInfo::host();
    info.limits.subgroup.size = options.subgroup_size;
    info
}

/// Invocations of the largest subgroup that Vulkan knows.
const MAX_SUBGROUP: u32 = 128;

impl Manager {
    /// Opens the device that `GRIDWISE_DEVICE` names; if it is not set, the best Vulkan device; without Vulkan, the host device.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let manager = gridwise::Manager::new()?;
    /// println!("{}", manager.device());
    /// assert!(manager.device().is_suitable());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When `GRIDWISE_DEVICE` names no usable device, another variable has an invalid value, or the device fails to start.
    pub fn new() -> Result<Self> {
        Self::with(ManagerDesc::from_env()?)
    }

    /// A manager by description. It ignores the environment variables.
    ///
    /// ```
    /// use gridwise::{DeviceChoice, Error, Manager, ManagerDesc};
    ///
    /// let desc = ManagerDesc { device: DeviceChoice::Name("no such card".to_owned()), ..ManagerDesc::default() };
    /// let error = Manager::with(desc).unwrap_err();
    /// assert!(matches!(error, Error::NoDevice { .. }));
    /// println!("{error}"); // lists what there is
    /// ```
    ///
    /// # Errors
    /// When no device fits, or the device lacks the requested queues; when the validation layer is requested but not installed,
    /// or the sanitizer but not built in; when the host device cannot have the requested subgroup size; and when the device fails
    /// to start.
    pub fn with(desc: ManagerDesc) -> Result<Self> {
        // A broken installation does not stand in the way of the host device, unless a device was asked for by name.
        let may_do_without = desc.device == DeviceChoice::Best && !desc.validation;
        Self::start(desc, may_do_without)
    }

    /// As [`with`](Self::with); whether the host device is used where Vulkan does not start, is told.
    pub(crate) fn start(desc: ManagerDesc, may_do_without: bool) -> Result<Self> {
        span!("create_manager", device = tracing::field::debug(&desc.device));
        let size = desc.host.subgroup_size;
        if !size.is_power_of_two() || size > MAX_SUBGROUP {
            return Err(Error::BadSubgroupSize { size });
        }
        if desc.device == DeviceChoice::Sanitizer {
            return Self::sanitizer_with(desc);
        }
        let (capacity, sink) = (capacity_of(desc.print_bytes), desc.print.clone());
        let host = || {
            let cache = desc.pipeline_cache.clone();
            Backend::Host(HostDevice { options: desc.host, cache, ..HostDevice::default() })
        };
        if desc.device == DeviceChoice::Host {
            let info = host_info(desc.host);
            let queues = desc.queues.plan(&info.queue_families)?;
            return Ok(Self::of(Device::new(info, queues, host(), capacity, sink)));
        }
        let vulkan = match find_vulkan(desc.validation) {
            Ok(vulkan) => vulkan,
            Err(error) if may_do_without => {
                tracing::warn!(%error, "Vulkan does not start; using the host device");
                None
            }
            Err(error) => return Err(error),
        };
        let (instance, candidates) = vulkan.unzip();
        let candidates = candidates.unwrap_or_default();
        let mut infos: Vec<_> = candidates.iter().map(|candidate| candidate.info.clone()).collect();
        infos.push(DeviceInfo::host());
        let chosen = desc.device.choose(&infos)?;
        let mut made = match (instance, candidates.into_iter().nth(chosen)) {
            (Some(instance), Some(candidate)) => {
                let queues = desc.queues.plan(&candidate.info.queue_families)?;
                let device = VulkanDevice::new(instance, &candidate, &queues, &desc)?;
                Device::new(candidate.info, queues, Backend::Vulkan(VulkanBackend::new(device)), capacity, sink)
            }
            _ => {
                let info = host_info(desc.host);
                let queues = desc.queues.plan(&info.queue_families)?;
                Device::new(info, queues, host(), capacity, sink)
            }
        };
        made.desc = Some(desc);
        tracing::info!(device = %made.info, "device chosen");
        Ok(Self::of(made))
    }

    /// A manager on an application's own Vulkan device. It submits to the given queue, which the application may use as well, and
    /// never destroys the instance or the device. It ignores the fields of `desc` that choose and create devices.
    ///
    /// The manager orders its own work as usual. The application orders its work with the manager's by waiting: when
    /// [`Sequence::eval`](crate::Sequence::eval) returns, the run is complete and its writes are available to the device. Share
    /// data by [`tensor_from_buffer`](Self::tensor_from_buffer) and [`Tensor::vulkan_buffer`](crate::Tensor::vulkan_buffer).
    ///
    /// ```no_run
    /// # use ash::{Device, Entry, Instance, vk::{PhysicalDevice, Queue}};
    /// # fn application() -> (Entry, Instance, PhysicalDevice, Device, Queue) { todo!() }
    /// use gridwise::{ExistingVulkan, Manager, ManagerDesc, descriptor::Feature};
    ///
    /// # fn main() -> gridwise::Result<()> {
    /// let (entry, instance, physical_device, device, queue) = application();
    /// let mut vulkan = ExistingVulkan::new(entry, instance, physical_device, device, queue, 0);
    /// vulkan.features = vec![Feature::Int64]; // the device was created with `shaderInt64`
    /// // SAFETY: the device has what kernels need and the features listed, and outlives all that the manager makes.
    /// let manager = unsafe { Manager::from_vulkan(vulkan, ManagerDesc::default()) }?;
    /// assert_eq!(manager.tensor(&[1.0f32])?.to_vec()?, [1.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the device lacks a feature that every kernel needs, or the given queues, or fails.
    ///
    /// # Safety
    /// The handles belong together, and stay valid until the manager and all its objects have been dropped. The device was
    /// created with `vulkanMemoryModel`, `scalarBlockLayout`, `timelineSemaphore` and the features listed in `vulkan`. No thread
    /// uses the queue without holding the lock.
    pub unsafe fn from_vulkan(vulkan: ExistingVulkan, desc: ManagerDesc) -> Result<Self> {
        let candidate = Candidate::of_existing(&vulkan)?;
        let queues = queues::of_existing(&vulkan, &candidate.info.queue_families)?;
        let device = VulkanDevice::borrow(vulkan, &candidate, &queues, &desc)?;
        let capacity = capacity_of(desc.print_bytes);
        let backend = Backend::Vulkan(VulkanBackend::new(device));
        Ok(Self::of(Device::new(candidate.info, queues, backend, capacity, desc.print)))
    }

    /// Opens the host device: kernels run on the CPU, as rustc compiled them.
    ///
    /// ```
    /// use gridwise::{DeviceKind, Manager};
    ///
    /// let manager = Manager::host(); // needs no driver, and a debugger can step through kernels
    /// assert_eq!(manager.device().kind, DeviceKind::Host);
    /// ```
    pub fn host() -> Self {
        let (capacity, sink) = (capacity_of(None), PrintSink::default());
        let (info, backend) = (DeviceInfo::host(), Backend::Host(HostDevice::default()));
        let queues = vec![QueueInfo::of_host()];
        Self::of(Device::new(info, queues, backend, capacity, sink))
    }

    /// A manager of the sanitizer: kernels run in an interpreter, and a launch with data races, divergent barriers or accesses
    /// out of range is an [`Error::KernelFaults`] that names both places in the source. Slow; [`HostOptions`] have seeds for
    /// other orders of invocations.
    #[cfg(feature = "sanitizer")]
    pub fn sanitizer() -> Self {
        Self::make_sanitizer(ManagerDesc::default(), vec![QueueInfo::of_host()])
    }

    #[cfg(feature = "sanitizer")]
    fn sanitizer_with(desc: ManagerDesc) -> Result<Self> {
        let queues = desc.queues.plan(&DeviceInfo::sanitizer().queue_families)?;
        Ok(Self::make_sanitizer(desc, queues))
    }

    #[cfg(feature = "sanitizer")]
    fn make_sanitizer(desc: ManagerDesc, queues: Vec<QueueInfo>) -> Self {
        let host = HostDevice { options: desc.host, is_sanitizer: true, ..HostDevice::default() };
        let capacity = capacity_of(desc.print_bytes);
        let made = Device::new(DeviceInfo::sanitizer(), queues, Backend::Host(host), capacity, desc.print);
        Self::of(made)
    }

    #[cfg(not(feature = "sanitizer"))]
    fn sanitizer_with(_: ManagerDesc) -> Result<Self> {
        Err(Error::NoSanitizer)
    }

    /// All devices of the machine, usable or not; the host device is the last. Without a Vulkan loader it is the only one.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{DeviceChoice, Manager, ManagerDesc};
    ///
    /// let devices = Manager::list_devices();
    /// for (index, device) in devices.iter().enumerate() {
    ///     println!("{index}: {device}");
    /// }
    /// let last = DeviceChoice::Index(devices.len() - 1);
    /// assert_eq!(Manager::with(ManagerDesc { device: last, ..ManagerDesc::default() })?.device().name, "host");
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_devices() -> Vec<DeviceInfo> {
        let vulkan = find_vulkan(false).ok().flatten();
        let candidates = vulkan.into_iter().flat_map(|(_, candidates)| candidates);
        candidates.map(|candidate| candidate.info).chain([DeviceInfo::host()]).collect()
    }
}
