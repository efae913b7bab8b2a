//! Memory that other managers and processes can have, by file descriptors (`VK_KHR_external_memory_fd`). The host never maps it: who
//! else writes it cannot be known.
//!
//! A submission takes such buffers over from `VK_QUEUE_FAMILY_EXTERNAL` and hands them back at its end (`ownership`),
//! because Vulkan leaves their contents undefined otherwise. So no two managers use them at once, even if both only
//! read. The sharers decide who goes first.

use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::sync::Arc;

use ash::vk;

use super::buffer::{MemoryUse, OwnMemory, Sharer, VulkanBuffer};
use super::device::VulkanDevice;
use super::usages::BUFFER_USAGES;
use crate::core::error::{Error, Result};

const FD: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// A tensor's memory as others can have it: a file descriptor, and what has to be known to use it. Made by
/// [`Tensor::share`](crate::Tensor::share), taken by [`Manager::tensor_from_shared`](crate::Manager::tensor_from_shared).
///
/// In another process, which got the descriptor by a socket or by inheritance, it is put together again from
/// [`into_parts`](Self::into_parts) by [`from_parts`](Self::from_parts).
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Manager, Result, Tensor};
///
/// /// The same elements for a second manager of the device.
/// fn lend(tensor: &Tensor<f32>, other: &Manager) -> Result<Tensor<f32>> {
///     other.tensor_from_shared("borrowed", tensor.share()?)
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SharedMemory {
    fd: OwnedFd,
    layout: SharedLayout,
}

/// The facts about shared memory besides its descriptor. Plain data, to be sent along with it.
///
/// ```
/// use gridwise::{SharedLayout, SharedMemory};
///
/// /// How many elements of so many bytes there are.
/// fn elements(memory: &SharedMemory, bytes: u64) -> u64 {
///     let layout: &SharedLayout = memory.layout();
///     layout.bytes / bytes
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedLayout {
    /// Bytes of the tensor's elements.
    pub bytes: u64,
    /// Bytes of the memory.
    pub allocated: u64,
    /// The number of the memory's type on the device.
    pub memory_type: u32,
    /// `deviceUUID` and `driverUUID`: others can use it through the same driver on the same device only.
    pub uuids: [[u8; 16]; 2],
}

impl SharedMemory {
    /// The descriptor and the rest, to be sent to another process.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use std::os::fd::OwnedFd;
    /// use gridwise::{Result, SharedLayout, Tensor};
    ///
    /// /// The contents of a socket's `SCM_RIGHTS` message, and the plain data beside it.
    /// fn parts(tensor: &Tensor<f32>) -> Result<(OwnedFd, SharedLayout)> {
    ///     Ok(tensor.share()?.into_parts())
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn into_parts(self) -> (OwnedFd, SharedLayout) {
        (self.fd, self.layout)
    }

    /// Puts the parts that [`into_parts`](Self::into_parts) gave together again.
    ///
    /// ```
    /// use std::os::fd::OwnedFd;
    /// use gridwise::{Manager, Result, SharedLayout, SharedMemory, Tensor};
    ///
    /// /// Takes what the other process sent.
    /// fn receive(manager: &Manager, fd: OwnedFd, layout: SharedLayout) -> Result<Tensor<f32>> {
    ///     // SAFETY: the other process sent both parts of one `SharedMemory`.
    ///     manager.tensor_from_shared("theirs", unsafe { SharedMemory::from_parts(fd, layout) })
    /// }
    /// ```
    ///
    /// # Safety
    /// Both are of one `SharedMemory`.
    pub unsafe fn from_parts(fd: OwnedFd, layout: SharedLayout) -> Self {
        Self { fd, layout }
    }

    /// The layout, which is needed besides the descriptor.
    ///
    /// ```
    /// fn bytes(memory: &gridwise::SharedMemory) -> u64 {
    ///     memory.layout().bytes
    /// }
    /// ```
    pub fn layout(&self) -> &SharedLayout {
        &self.layout
    }
}

/// Whether buffers of the device can be shared.
fn check(device: &VulkanDevice) -> Result<()> {
    let refused = |why| Err(Error::CannotShare { device: device.name.clone(), why });
    if device.memory_fds.is_none() {
        return refused("it has no `VK_KHR_external_memory_fd`, or was not made with it");
    }
    let info = vk::PhysicalDeviceExternalBufferInfo::default().usage(BUFFER_USAGES).handle_type(FD);
    let mut properties = vk::ExternalBufferProperties::default();
    // SAFETY: the device speaks Vulkan 1.2.
    unsafe {
        let instance = &device.instance.raw;
        instance.get_physical_device_external_buffer_properties(device.physical(), &info, &mut properties);
    }
    let found = properties.external_memory_properties.external_memory_features;
    match found.contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE | vk::ExternalMemoryFeatureFlags::IMPORTABLE) {
        true => Ok(()),
        false => refused("its buffers cannot be exported and imported"),
    }
}

pub(super) fn uuids(device: &VulkanDevice) -> [[u8; 16]; 2] {
    let [_, device, driver] = device.caps.identity.uuids;
    [device, driver]
}

impl VulkanBuffer {
    /// A buffer whose memory can be shared.
    pub(crate) fn shareable(device: &Arc<VulkanDevice>, name: &str, bytes: u64) -> Result<Self> {
        check(device)?;
        let mut buffer = Self::external(device, bytes)?;
        // SAFETY: a live buffer.
        let needs = unsafe { device.raw.get_buffer_memory_requirements(buffer.raw) };
        let types = device.memory_types.for_use(MemoryUse::Device).iter();
        let mut cause =
            Error::OutOfMemory { object: name.to_owned(), bytes, cause: "no fitting memory type".to_owned() };
        for ty in types.filter(|ty| needs.memory_type_bits & 1 << **ty != 0) {
            let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(FD);
            match buffer.allocate_own(needs.size, *ty, Sharer::Asker, &mut export) {
                Ok(()) => {
                    buffer.bind_own()?;
                    device.name_object(buffer.raw, name);
                    return Ok(buffer);
                }
                Err(error) => cause = error,
            }
        }
        Err(cause)
    }

    /// A buffer in memory that another manager shares.
    pub(crate) fn import(device: &Arc<VulkanDevice>, name: &str, memory: SharedMemory) -> Result<Self> {
        check(device)?;
        let SharedMemory { fd, layout } = memory;
        let refused = |why| Err(Error::CannotShare { device: device.name.clone(), why });
        if layout.uuids != uuids(device) {
            return refused("the memory is of another device or driver");
        }
        let mut buffer = Self::external(device, layout.bytes)?;
        // SAFETY: a live buffer.
        let needs = unsafe { device.raw.get_buffer_memory_requirements(buffer.raw) };
        let has_type = layout.memory_type < 32 && needs.memory_type_bits & 1 << layout.memory_type != 0;
        if !has_type || needs.size != layout.allocated {
            return refused("the memory does not fit a buffer of its size");
        }
        let mut import = vk::ImportMemoryFdInfoKHR::default().handle_type(FD).fd(fd.as_raw_fd());
        buffer.allocate_own(layout.allocated, layout.memory_type, Sharer::Giver, &mut import)?;
        // The driver has it now.
        let _ = fd.into_raw_fd();
        buffer.bind_own()?;
        device.name_object(buffer.raw, name);
        Ok(buffer)
    }

    /// A buffer for memory that comes from elsewhere or goes there.
    fn external(device: &Arc<VulkanDevice>, bytes: u64) -> Result<Self> {
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(FD);
        let mut buffer = Self::unbound(device, bytes, MemoryUse::Device, Some(&mut external))?;
        buffer.is_hidden = true;
        Ok(buffer)
    }

    /// Allocates memory for the buffer alone.
    fn allocate_own(
        &mut self,
        bytes: u64,
        ty: u32,
        sharer: Sharer,
        how: &mut impl vk::ExtendsMemoryAllocateInfo,
    ) -> Result<()> {
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(self.raw);
        let info = vk::MemoryAllocateInfo::default().allocation_size(bytes).memory_type_index(ty);
        let info = info.push_next(&mut dedicated).push_next(how);
        // SAFETY: a type and a size that the buffer asks for; what is imported was exported with the same.
        let memory = unsafe { self.device.raw.allocate_memory(&info, None) };
        let memory = memory.map_err(Error::vulkan("vkAllocateMemory"))?;
        self.own = Some(OwnMemory { memory, ty, bytes, sharer });
        Ok(())
    }

    /// The memory as others can have it.
    pub(crate) fn share(&self, bytes: u64, tensor: &str) -> Result<SharedMemory> {
        let own = self.own.as_ref().filter(|own| matches!(own.sharer, Sharer::Asker));
        let (Some(fds), Some(own)) = (&self.device.memory_fds, own) else {
            return Err(Error::NotShareable { tensor: tensor.to_owned() });
        };
        let info = vk::MemoryGetFdInfoKHR::default().memory(own.memory).handle_type(FD);
        // SAFETY: memory that was allocated to be exported, or imported so.
        let fd = unsafe { fds.get_memory_fd(&info) }.map_err(Error::vulkan("vkGetMemoryFdKHR"))?;
        // SAFETY: a new descriptor, which nobody else has.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(SharedMemory {
            fd,
            layout: SharedLayout { bytes, allocated: own.bytes, memory_type: own.ty, uuids: uuids(&self.device) },
        })
    }
}
