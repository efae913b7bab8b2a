//! Buffers of the raw side, each with memory of its own: nobody measures how they are made.

use ash::vk;

use super::device::RawDevice;
use super::vulkan;
use crate::Error;

/// A buffer.
#[derive(Debug, Clone, Copy)]
pub struct RawBuffer {
    /// Its handle.
    pub raw: vk::Buffer,
    memory: vk::DeviceMemory,
    /// Its bytes.
    pub size: u64,
}

impl RawBuffer {
    /// A buffer in memory of a type that has all of `wanted`.
    ///
    /// # Errors
    /// When there is no such memory, or no more of it.
    pub fn new(device: &RawDevice, size: u64, wanted: vk::MemoryPropertyFlags) -> Result<Self, Error> {
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
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(raw);
        let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index as u32);
        let info = info.push_next(&mut dedicated);
        // SAFETY: as above; the memory is as large as the buffer needs.
        unsafe {
            let memory = device.raw.allocate_memory(&info, None).map_err(vulkan("vkAllocateMemory"))?;
            device.raw.bind_buffer_memory(raw, memory, 0).map_err(vulkan("vkBindBufferMemory"))?;
            Ok(Self { raw, memory, size })
        }
    }

    /// The numbers in a buffer that the host sees.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn read<T: bytemuck::Pod>(&self, device: &RawDevice) -> Result<Vec<T>, Error> {
        let mut values = vec![T::zeroed(); self.size as usize / size_of::<T>()];
        let data = self.map(device)?;
        // SAFETY: coherent memory of this size that the device does not write now; the pointer is used while it is mapped.
        unsafe {
            std::ptr::copy_nonoverlapping(data.cast(), values.as_mut_ptr(), values.len());
            device.raw.unmap_memory(self.memory);
        }
        Ok(values)
    }

    /// Writes numbers at the start of a buffer that the host sees.
    ///
    /// # Errors
    /// When the driver fails.
    ///
    /// # Panics
    /// When they do not fit.
    pub fn write<T: bytemuck::Pod>(&self, device: &RawDevice, values: &[T]) -> Result<(), Error> {
        assert!(size_of_val(values) as u64 <= self.size, "the numbers fit");
        let data = self.map(device)?;
        // SAFETY: coherent memory of at least this size that the device does not use now.
        unsafe {
            std::ptr::copy_nonoverlapping(values.as_ptr(), data.cast(), values.len());
            device.raw.unmap_memory(self.memory);
        }
        Ok(())
    }

    /// The address of a buffer that the host sees, mapped until the buffer is destroyed.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn map(&self, device: &RawDevice) -> Result<*mut u8, Error> {
        // SAFETY: memory that the host sees and that is not mapped; the range is all of it.
        let data = unsafe { device.raw.map_memory(self.memory, 0, self.size, vk::MemoryMapFlags::empty()) };
        data.map(|data| data.cast()).map_err(vulkan("vkMapMemory"))
    }

    /// Frees the buffer; nothing pending may use it.
    pub fn destroy(&self, device: &RawDevice) {
        // SAFETY: the caller's promise.
        unsafe {
            device.raw.destroy_buffer(self.raw, None);
            device.raw.free_memory(self.memory, None);
        }
    }
}
