//! A manager within an application that has Vulkan already: its instance, device and queue stay its own.

use std::fmt;
use std::sync::{Arc, Mutex};

use ash::vk;
use gridwise_ir::descriptor::Feature;

/// Vulkan objects of an application, for [`Manager::from_vulkan`](crate::Manager::from_vulkan).
///
/// ```no_run
/// # fn application() -> (ash::Entry, ash::Instance, ash::vk::PhysicalDevice, ash::Device, ash::vk::Queue) { todo!() }
/// use gridwise_runtime::{ExistingVulkan, Manager, ManagerDesc, ash};
///
/// # fn main() -> gridwise_runtime::Result<()> {
/// let (entry, instance, physical_device, device, queue) = application();
/// let vulkan = ExistingVulkan::new(entry, instance, physical_device, device, queue, 0);
/// let queue_lock = vulkan.queue_lock.clone(); // for the application's own submissions to this queue
/// // SAFETY: the device has the features, and outlives the manager and all that it makes.
/// let manager = unsafe { Manager::from_vulkan(vulkan, ManagerDesc::default()) }?;
/// # drop((manager, queue_lock));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct ExistingVulkan {
    /// The loaded functions.
    pub entry: ash::Entry,
    /// The instance, of Vulkan 1.2 or later.
    pub instance: ash::Instance,
    /// The physical device.
    pub physical_device: vk::PhysicalDevice,
    /// The device.
    pub device: ash::Device,
    /// A queue with compute of the device.
    pub queue: vk::Queue,
    /// The family of the queue.
    pub queue_family: u32,
    /// Held by the manager while it uses the queue. The application holds it while it does so itself.
    pub queue_lock: Arc<Mutex<()>>,
    /// The optional features that the device was created with; none unless said.
    pub features: Vec<Feature>,
    /// Whether the device was created with `VK_KHR_push_descriptor`; not unless said.
    pub has_push_descriptors: bool,
}

impl ExistingVulkan {
    /// These objects, without optional features.
    pub fn new(
        entry: ash::Entry,
        instance: ash::Instance,
        physical_device: vk::PhysicalDevice,
        device: ash::Device,
        queue: vk::Queue,
        queue_family: u32,
    ) -> Self {
        let queue_lock = Arc::default();
        Self {
            entry,
            instance,
            physical_device,
            device,
            queue,
            queue_family,
            queue_lock,
            features: Vec::new(),
            has_push_descriptors: false,
        }
    }
}

impl fmt::Debug for ExistingVulkan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExistingVulkan").field("device", &self.device.handle()).finish_non_exhaustive()
    }
}
