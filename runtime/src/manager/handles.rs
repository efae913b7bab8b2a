//! The Vulkan objects of a manager, for an application's own calls. It must not hand out queues, which the manager uses under its locks.

use std::fmt;

use ash::vk;

use super::Manager;
use crate::device::Backend;

/// A manager's instance and device; made by [`Manager::vulkan`].
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// let manager = gridwise::Manager::new()?;
/// if let Some(vulkan) = manager.vulkan() {
///     // SAFETY: a physical device of the instance.
///     let properties = unsafe { vulkan.instance.get_physical_device_properties(vulkan.physical_device) };
///     println!("{:?}", properties.device_name_as_c_str());
/// }
/// # Ok(())
/// # }
/// ```
///
/// The manager destroys the instance and device that it created when the manager and all its objects have been dropped. Clones of
/// `instance` and `device` do not keep them alive.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct VulkanHandles<'a> {
    /// The loaded functions.
    pub entry: &'a ash::Entry,
    /// The instance: the manager's own, or the application's.
    pub instance: &'a ash::Instance,
    /// The physical device.
    pub physical_device: vk::PhysicalDevice,
    /// The device.
    pub device: &'a ash::Device,
}

impl Manager {
    /// The Vulkan instance and device; `None` on the host device. To submit work itself, the application needs its own queues: see
    /// [`Manager::from_vulkan`]. [`Recorder::vulkan`](crate::ops::Recorder::vulkan) records its commands within a sequence.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let manager = gridwise::Manager::new()?;
    /// assert_eq!(manager.vulkan().is_some(), manager.device().api_version.is_some());
    /// # Ok(())
    /// # }
    /// ```
    pub fn vulkan(&self) -> Option<VulkanHandles<'_>> {
        match &self.shared_device().backend {
            Backend::Vulkan(vulkan) => {
                let device = &vulkan.device;
                let (entry, instance) = (device.instance.entry(), &device.instance.raw);
                Some(VulkanHandles { entry, instance, physical_device: device.physical(), device: &device.raw })
            }
            Backend::Host(_) => None,
        }
    }
}

impl fmt::Debug for VulkanHandles<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VulkanHandles").field("device", &self.device.handle()).finish_non_exhaustive()
    }
}
