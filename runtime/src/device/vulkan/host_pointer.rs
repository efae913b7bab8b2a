//! Buffers in memory of the host (`VK_EXT_external_memory_host`): the device works on it in place. It must not know whose memory
//! that is.

use std::sync::Arc;

use ash::vk;

use super::buffer::{MemoryUse, OwnMemory, Sharer, VulkanBuffer};
use super::device::VulkanDevice;
use super::usages::HOST_POINTER;
use crate::core::error::{Error, Result};
use crate::device::host::HostMemory;

impl VulkanBuffer {
    /// A buffer of `bytes` bytes in memory of the host, which has them up to the next multiple of
    /// [`host_pointer_alignment`](super::Caps::host_pointer_alignment).
    ///
    /// # Errors
    /// When the device cannot work on it.
    pub(crate) fn in_host_memory(
        device: &Arc<VulkanDevice>,
        name: &str,
        bytes: u64,
        memory: HostMemory,
    ) -> Result<Self> {
        let refused = |why| Err(Error::CannotShare { device: device.name.clone(), why });
        let alignment = device.caps.host_pointer_alignment;
        let Some(pointers) = device.host_pointers.as_ref().filter(|_| alignment > 0) else {
            return refused("it has no `VK_EXT_external_memory_host`, or was not made with it");
        };
        let data = memory.data();
        if !(data.addr().get() as u64).is_multiple_of(alignment) {
            return refused("the memory does not begin at a multiple of `Manager::host_memory_alignment`");
        }
        let mut found = vk::MemoryHostPointerPropertiesEXT::default();
        // SAFETY: a live device with the extension, and an address of the host's memory.
        let result = unsafe {
            let get = pointers.fp().get_memory_host_pointer_properties_ext;
            get(device.raw.handle(), HOST_POINTER, data.as_ptr().cast(), &raw mut found)
        };
        result.result().map_err(Error::vulkan("vkGetMemoryHostPointerPropertiesEXT"))?;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(HOST_POINTER);
        let mut buffer = Self::unbound(device, bytes, MemoryUse::Staging, Some(&mut external))?;
        let size = buffer.size.next_multiple_of(alignment);
        // SAFETY: a live buffer.
        let needs = unsafe { device.raw.get_buffer_memory_requirements(buffer.raw) };
        if needs.size > size || !(data.addr().get() as u64).is_multiple_of(needs.alignment.max(1)) {
            return refused("its buffers need more memory, or another alignment, than there is");
        }
        let allowed = needs.memory_type_bits & found.memory_type_bits;
        let types = device.memory_types.for_use(MemoryUse::Staging).iter();
        let Some(ty) = types.copied().find(|ty| allowed & 1 << ty != 0) else {
            return refused("the host and the device would not see what the other wrote");
        };
        let mut import = vk::ImportMemoryHostPointerInfoEXT::default().handle_type(HOST_POINTER);
        import = import.host_pointer(data.as_ptr().cast());
        let info = vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(ty).push_next(&mut import);
        // SAFETY: whole pages that stay until the buffer is gone, of a type that the device takes them for.
        let allocated = unsafe { device.raw.allocate_memory(&info, None) };
        let allocated = allocated.map_err(Error::vulkan("vkAllocateMemory"))?;
        buffer.own = Some(OwnMemory { memory: allocated, ty, bytes: size, sharer: Sharer::Host(memory) });
        buffer.bind_own()?;
        device.name_object(buffer.raw, name);
        Ok(buffer)
    }
}
