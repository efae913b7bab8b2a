//! Buffers of the raw side, each with memory of its own: nobody measures how they are made.

use ash::vk;

use super::device::RawDevice;
use crate::error::{Error, vulkan};

/// A buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawBuffer {
    pub(crate) raw: vk::Buffer,
    memory: vk::DeviceMemory,
    pub(crate) size: u64,
}

impl RawBuffer {
    /// A buffer in memory of a type that has all of `wanted`.
    pub(crate) fn new(device: &RawDevice, size: u64, wanted: vk::MemoryPropertyFlags) -> Result<Self, Error> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: valid infos, here and below; a failure ends the program, and what was made with it.
        let raw = unsafe { device.raw.create_buffer(&info, None) }.map_err(vulkan("vkCreateBuffer"))?;
        // SAFETY: a live buffer.
        let needs = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        let types = device.memory.memory_types_as_slice().iter().enumerate();
        let fits = |(index, ty): &(usize, &vk::MemoryType)| {
            needs.memory_type_bits >> index & 1 == 1 && ty.property_flags.contains(wanted)
        };
        let (index, _) = types.into_iter().find(fits).ok_or_else(|| Error::Missing(format!("memory {wanted:?}")))?;
        let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index as u32);
        // SAFETY: as above; the memory is as large as the buffer needs.
        unsafe {
            let memory = device.raw.allocate_memory(&info, None).map_err(vulkan("vkAllocateMemory"))?;
            device.raw.bind_buffer_memory(raw, memory, 0).map_err(vulkan("vkBindBufferMemory"))?;
            Ok(Self { raw, memory, size })
        }
    }

    /// The numbers in a buffer that the host sees.
    pub(crate) fn read(&self, device: &RawDevice) -> Result<Vec<f32>, Error> {
        let flags = vk::MemoryMapFlags::empty();
        // SAFETY: coherent memory that the device does not write now; the pointer is used while it is mapped.
        unsafe {
            let data = device.raw.map_memory(self.memory, 0, self.size, flags).map_err(vulkan("vkMapMemory"))?;
            let values = std::slice::from_raw_parts(data.cast::<f32>(), self.size as usize / size_of::<f32>()).to_vec();
            device.raw.unmap_memory(self.memory);
            Ok(values)
        }
    }

    /// Frees the buffer; nothing pending may use it.
    pub(crate) fn destroy(&self, device: &RawDevice) {
        // SAFETY: the caller's promise.
        unsafe {
            device.raw.destroy_buffer(self.raw, None);
            device.raw.free_memory(self.memory, None);
        }
    }
}
