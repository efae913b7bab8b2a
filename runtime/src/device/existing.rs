//! A manager within an application that has Vulkan already: its instance, device and queue stay its own.
//!
//! The application's objects are never destroyed here, and its queue is used under a lock that it shares. Features that
//! its device was not created with count as missing.

use std::fmt;
use std::sync::{Arc, Mutex};

use ash::vk;
use gridwise_ir::descriptor::Feature;

/// Vulkan objects of an application, for [`Manager::from_vulkan`](crate::Manager::from_vulkan).
///
/// ```no_run
/// # fn application() -> (ash::Entry, ash::Instance, ash::vk::PhysicalDevice, ash::Device, ash::vk::Queue) { todo!() }
/// use gridwise::{ExistingVulkan, Manager, ManagerDesc, ash};
///
/// # fn main() -> gridwise::Result<()> {
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
    /// Further queues, for [`Manager::sequence_on`](crate::Manager::sequence_on), where they have the numbers from 1; none unless
    /// said.
    pub more_queues: Vec<ExistingQueue>,
    /// The optional features that the device was created with; none unless said.
    pub features: Vec<Feature>,
    /// Whether the device was created with `VK_KHR_push_descriptor`; not unless said.
    pub has_push_descriptors: bool,
}

impl ExistingVulkan {
    /// These objects, without optional features.
    ///
    /// ```no_run
    /// # use ash::{Device, Entry, Instance, vk::{PhysicalDevice, Queue}};
    /// # fn application() -> (Entry, Instance, PhysicalDevice, Device, [Queue; 2]) { todo!() }
    /// use gridwise::{ExistingQueue, ExistingVulkan};
    ///
    /// # fn main() {
    /// let (entry, instance, physical_device, device, [compute, transfer]) = application();
    /// let mut vulkan = ExistingVulkan::new(entry, instance, physical_device, device, compute, 0);
    /// vulkan.more_queues = vec![ExistingQueue::new(transfer, 1)];
    /// # }
    /// ```
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
            more_queues: Vec::new(),
            features: Vec::new(),
            has_push_descriptors: false,
        }
    }
}

/// A queue of an application's device, with compute or only for transfers.
///
/// ```
/// use gridwise::{ExistingQueue, ash::vk};
///
/// # let queue = vk::Queue::null();
/// let transfers = ExistingQueue::new(queue, 1); // in place of a lock of its own it may have one that the application has already
/// # let _ = transfers;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ExistingQueue {
    /// The queue.
    pub queue: vk::Queue,
    /// Its family.
    pub family: u32,
    /// Held by the manager while it uses the queue; the application holds it while it does so itself.
    pub lock: Arc<Mutex<()>>,
}

impl ExistingQueue {
    /// A queue of a family, with a new lock.
    ///
    /// ```
    /// use gridwise::{ExistingQueue, ash::vk};
    ///
    /// # let raw = vk::Queue::null();
    /// let queue = ExistingQueue::new(raw, 2);
    /// let lock = queue.lock.clone(); // held by the application when it submits to this queue itself
    /// assert_eq!((queue.family, lock.try_lock().is_ok()), (2, true));
    /// ```
    pub fn new(queue: vk::Queue, family: u32) -> Self {
        Self { queue, family, lock: Arc::default() }
    }
}

impl ExistingVulkan {
    /// The first queue and the others.
    pub(crate) fn all_queues(&self) -> impl Iterator<Item = ExistingQueue> + '_ {
        let lock = self.queue_lock.clone();
        let first = ExistingQueue { queue: self.queue, family: self.queue_family, lock };
        std::iter::once(first).chain(self.more_queues.iter().cloned())
    }
}

impl fmt::Debug for ExistingVulkan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExistingVulkan").field("device", &self.device.handle()).finish_non_exhaustive()
    }
}
