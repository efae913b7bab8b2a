//! Vulkan buffers, sub-allocated from memory of a fitting type.

use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, PoisonError};

use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};

use super::device::VulkanDevice;
use super::usages::BUFFER_USAGES;
use crate::core::error::{Error, Result};
use crate::device::MAX_ALIGNMENT;
use crate::device::host::HostMemory;

/// Bytes up to which a tensor behind the bus is written by the host itself: beyond, copies by the device are faster (H200: one
/// thread writes 10 GB/s there, its copies reach 50).
const IN_PLACE: u64 = 2 << 20;

/// Bytes from which on a tensor has memory of its own. NVIDIA's driver (580.159) maps an allocation that is dedicated to a buffer by
/// pages of 2 MiB and all others by small ones: gathers from those take up to 2.2 times as long.
const APART: u64 = 2 << 20;

/// The use of a buffer's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryUse {
    /// Kernels work on it: fast for the device, and in the host's reach where that costs nothing.
    Device,
    /// The host reads and writes it.
    Staging,
    /// The host writes it, and kernels read it.
    Upload,
}

/// The memory types for each use, best first.
#[derive(Debug, Clone)]
pub(crate) struct MemoryTypes {
    device: Vec<u32>,
    staging: Vec<u32>,
    upload: Vec<u32>,
}

/// A range of a Vulkan buffer.
///
/// ```
/// use gridwise::{BufferRange, ash::vk};
///
/// # let buffer = vk::Buffer::null();
/// // The second kilobyte of an application's buffer.
/// let range = BufferRange { buffer, offset: 1024, bytes: 1024 };
/// assert_eq!(range.offset + range.bytes, 2048);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferRange {
    /// The buffer.
    pub buffer: vk::Buffer,
    /// The first byte.
    pub offset: u64,
    /// Bytes from there.
    pub bytes: u64,
}

/// Memory of one buffer alone.
#[derive(Debug)]
#[cfg_attr(not(unix), expect(dead_code, reason = "elsewhere no descriptor is given out, which is what they are for"))]
pub(super) struct OwnMemory {
    pub(super) memory: vk::DeviceMemory,
    pub(super) ty: u32,
    pub(super) bytes: u64,
    pub(super) sharer: Sharer,
}

/// The other holder of a buffer's memory.
#[derive(Debug)]
#[cfg_attr(not(unix), expect(dead_code, reason = "elsewhere no descriptor is given out or taken"))]
pub(super) enum Sharer {
    /// Anybody who gets a descriptor of it.
    Asker,
    /// The giver of the descriptor that it was made of.
    Giver,
    /// The host, whose memory it is.
    Host(HostMemory),
}

/// A buffer and its memory.
pub(crate) struct VulkanBuffer {
    pub(crate) raw: vk::Buffer,
    /// The first byte; zero unless the buffer is an application's.
    pub(crate) offset: u64,
    /// Whether it is an application's, which destroys it.
    is_borrowed: bool,
    /// The device address of its own first byte; none where it has none.
    address: Option<u64>,
    /// Bytes; never zero.
    pub(crate) size: u64,
    allocation: Allocation,
    pub(crate) usage: MemoryUse,
    /// Memory of its own, in place of the allocation.
    pub(super) own: Option<OwnMemory>,
    /// Whether the host must not use the memory even where it could.
    pub(super) is_hidden: bool,
    pub(super) device: Arc<VulkanDevice>,
}

impl MemoryTypes {
    /// Sorts a device's memory types.
    pub(crate) fn new(memory: &vk::PhysicalDeviceMemoryProperties) -> Self {
        use vk::MemoryPropertyFlags as Flags;
        let types = memory.memory_types_as_slice();
        let heap_size = |index: u32| memory.memory_heaps[types[index as usize].heap_index as usize].size;
        let has = |index: u32, flags: Flags| types[index as usize].property_flags.contains(flags);
        let host = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let all = 0..types.len() as u32;
        let largest = all.clone().filter(|index| has(*index, Flags::DEVICE_LOCAL)).map(heap_size).max().unwrap_or(0);
        // A small window into device memory is for drivers and their streaming; only a full one holds tensors.
        let rank_device = |index: u32| match (has(index, Flags::DEVICE_LOCAL), has(index, host)) {
            (true, true) if heap_size(index) == largest => Some(0),
            (true, false) => Some(1),
            (true, true) => Some(2),
            (false, true) => Some(3),
            (false, false) => None,
        };
        let rank_staging = |index: u32| match (has(index, host), has(index, Flags::HOST_CACHED)) {
            (true, true) => Some(u8::from(has(index, Flags::DEVICE_LOCAL))),
            (true, false) => Some(2 + u8::from(has(index, Flags::DEVICE_LOCAL))),
            (false, _) => None,
        };
        let rank_upload = |index: u32| match (has(index, host), has(index, Flags::DEVICE_LOCAL)) {
            (true, true) => Some(u8::from(has(index, Flags::HOST_CACHED))),
            (true, false) => Some(2 + u8::from(has(index, Flags::HOST_CACHED))),
            (false, _) => None,
        };
        // Types that are for special purposes only.
        let odd = Flags::PROTECTED | Flags::LAZILY_ALLOCATED | Flags::DEVICE_COHERENT_AMD;
        let sorted = |rank: &dyn Fn(u32) -> Option<u8>| {
            let usual = all.clone().filter(|index| !types[*index as usize].property_flags.intersects(odd));
            let mut ranked: Vec<_> = usual.filter_map(|index| Some((rank(index)?, index))).collect();
            ranked.sort_unstable();
            ranked.into_iter().map(|(_, index)| index).collect()
        };
        Self { device: sorted(&rank_device), staging: sorted(&rank_staging), upload: sorted(&rank_upload) }
    }

    pub(crate) fn for_use(&self, usage: MemoryUse) -> &[u32] {
        match usage {
            MemoryUse::Device => &self.device,
            MemoryUse::Staging => &self.staging,
            MemoryUse::Upload => &self.upload,
        }
    }
}

impl VulkanBuffer {
    /// A buffer of at least `bytes` bytes.
    pub(crate) fn new(device: &Arc<VulkanDevice>, name: &str, bytes: u64, usage: MemoryUse) -> Result<Self> {
        let mut buffer = Self::unbound(device, bytes, usage, None)?;
        // Dropping the buffer on an error frees what there is of it.
        buffer.allocation = buffer.allocate(name, usage)?;
        // SAFETY: memory of a type and size that the buffer asked for, bound once.
        let bound = unsafe {
            device.raw.bind_buffer_memory(buffer.raw, buffer.allocation.memory(), buffer.allocation.offset())
        };
        bound.map_err(Error::vulkan("vkBindBufferMemory"))?;
        if device.caps.has_addresses {
            let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.raw);
            // SAFETY: a live buffer with memory, both made for addresses, on a device with the feature.
            buffer.address = Some(unsafe { device.raw.get_buffer_device_address(&info) });
        }
        device.name_object(buffer.raw, name);
        Ok(buffer)
    }

    /// A buffer without memory.
    pub(super) fn unbound(
        device: &Arc<VulkanDevice>,
        bytes: u64,
        usage: MemoryUse,
        external: Option<&mut vk::ExternalMemoryBufferCreateInfo<'_>>,
    ) -> Result<Self> {
        // Fills work on whole words.
        let size = bytes.max(16).next_multiple_of(4);
        // Buffers that are shared with others lie in memory without addresses.
        let addressed = match device.caps.has_addresses && external.is_none() {
            true => vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS,
            false => vk::BufferUsageFlags::empty(),
        };
        let mut info = vk::BufferCreateInfo::default().size(size).usage(BUFFER_USAGES | addressed);
        // No queue owns it: drivers keep buffers as they are whoever uses them, so that this costs nothing, and handing them over would
        // take commands on both queues.
        if device.families.len() > 1 {
            info = info.sharing_mode(vk::SharingMode::CONCURRENT).queue_family_indices(&device.families);
        }
        if let Some(external) = external {
            info = info.push_next(external);
        }
        let is_hidden = device.caps.hides_memory && usage == MemoryUse::Device;
        // SAFETY: a valid info.
        let raw = unsafe { device.raw.create_buffer(&info, None) }.map_err(Error::vulkan("vkCreateBuffer"))?;
        Ok(Self {
            raw,
            offset: 0,
            is_borrowed: false,
            address: None,
            size,
            allocation: Allocation::default(),
            usage,
            own: None,
            is_hidden,
            device: device.clone(),
        })
    }

    /// Gives the buffer its own memory.
    pub(super) fn bind_own(&self) -> Result<()> {
        let Some(own) = &self.own else { return Ok(()) };
        // SAFETY: the buffer has no memory yet, and this was allocated for it.
        let bound = unsafe { self.device.raw.bind_buffer_memory(self.raw, own.memory, 0) };
        bound.map_err(Error::vulkan("vkBindBufferMemory"))
    }

    /// A buffer of an application, for so many bytes.
    pub(crate) fn borrow(device: &Arc<VulkanDevice>, name: &str, range: BufferRange, bytes: u64) -> Result<Self> {
        let BufferRange { buffer: raw, offset, bytes: size } = range;
        let needed = bytes.max(4).next_multiple_of(4);
        if needed > size {
            let (operation, tensor) = ("making a tensor of an existing buffer", name.into());
            return Err(Error::OutOfRange { operation, tensor, offset, bytes: needed, size });
        }
        let alignment = device.caps.storage_alignment;
        if !offset.is_multiple_of(alignment) {
            return Err(Error::Misaligned { tensor: name.into(), offset, alignment });
        }
        let size = size & !3;
        Ok(Self {
            raw,
            offset,
            is_borrowed: true,
            address: None,
            size,
            allocation: Allocation::default(),
            usage: MemoryUse::Device,
            own: None,
            is_hidden: true,
            device: device.clone(),
        })
    }

    fn allocate(&self, name: &str, usage: MemoryUse) -> Result<Allocation> {
        // SAFETY: a live buffer.
        let requirements = unsafe { self.device.raw.get_buffer_memory_requirements(self.raw) };
        // Kernels find members of lists by addresses, and the host looks at mapped elements in place.
        let alignment = requirements.alignment.max(MAX_ALIGNMENT);
        let mut cause = "no fitting memory type".to_owned();
        let is_apart = self.device.caps.allocates_apart && usage == MemoryUse::Device && self.size >= APART;
        let apart = is_apart.then_some(AllocationScheme::DedicatedBuffer(self.raw));
        let mut allocator = self.device.allocator.lock().unwrap_or_else(PoisonError::into_inner);
        for memory_type in self.device.memory_types.for_use(usage) {
            let memory_type_bits = requirements.memory_type_bits & 1 << memory_type;
            if memory_type_bits == 0 {
                continue;
            }
            for allocation_scheme in apart.into_iter().chain([AllocationScheme::GpuAllocatorManaged]) {
                let allocated = allocator.allocate(&AllocationCreateDesc {
                    name,
                    requirements: vk::MemoryRequirements { memory_type_bits, alignment, ..requirements },
                    location: MemoryLocation::Unknown,
                    linear: true,
                    allocation_scheme,
                });
                match allocated {
                    Ok(allocation) => return Ok(allocation),
                    Err(error) => cause = error.to_string(),
                }
            }
        }
        Err(Error::OutOfMemory { object: name.to_owned(), bytes: self.size, cause })
    }

    /// The buffer's memory, where the host may read or write it in place at full speed.
    pub(crate) fn mapped(&self, is_write: bool) -> Option<*mut u8> {
        if let Some(memory) = self.host_memory() {
            return Some(memory.data().as_ptr());
        }
        // Memory that is not cached lies behind a bus: what reads there, or writes much, is slower than a copy by the device.
        let is_cached = self.allocation.memory_properties().contains(vk::MemoryPropertyFlags::HOST_CACHED);
        let is_for_writing = self.usage == MemoryUse::Upload || self.size <= IN_PLACE;
        if is_cached || is_write && is_for_writing { self.mapped_anyhow().map(NonNull::as_ptr) } else { None }
    }

    /// The buffer's memory, where the host can reach it.
    pub(crate) fn mapped_anyhow(&self) -> Option<NonNull<u8>> {
        if let Some(memory) = self.host_memory() {
            return Some(memory.data());
        }
        if self.is_hidden { None } else { self.allocation.mapped_ptr().map(NonNull::cast) }
    }

    /// The host's memory that the buffer lies in, if it does.
    pub(crate) fn host_memory(&self) -> Option<&HostMemory> {
        match &self.own.as_ref()?.sharer {
            Sharer::Host(memory) => Some(memory),
            Sharer::Asker | Sharer::Giver => None,
        }
    }

    /// The device address of the first byte. `None` without the feature, and for buffers that were not made for it: an
    /// application's, shared ones, and those in the host's memory.
    pub(crate) fn address(&self) -> Option<u64> {
        self.address
    }

    /// Whether other devices, or other processes, may have the buffer's memory.
    pub(crate) fn is_shared(&self) -> bool {
        self.own.as_ref().is_some_and(|own| !matches!(own.sharer, Sharer::Host(_)))
    }

    /// Whether the host can see the buffer's memory.
    pub(crate) fn is_mapped(&self) -> bool {
        self.mapped_anyhow().is_some()
    }
}

impl Drop for VulkanBuffer {
    fn drop(&mut self) {
        if self.device.health.is_abandoned() {
            std::mem::forget((std::mem::take(&mut self.allocation), self.own.take()));
            return;
        }
        let allocation = std::mem::take(&mut self.allocation);
        if !self.is_borrowed {
            // SAFETY: who submitted work with the buffer held it until the work was complete.
            unsafe { self.device.raw.destroy_buffer(self.raw, None) };
        }
        if let Some(own) = &self.own {
            // SAFETY: as above; nothing else lies in it.
            unsafe { self.device.raw.free_memory(own.memory, None) };
        }
        if !allocation.is_null() {
            let mut allocator = self.device.allocator.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = allocator.free(allocation) {
                tracing::error!(%error, "freeing a buffer");
            }
        }
    }
}

impl fmt::Debug for VulkanBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VulkanBuffer").field("raw", &self.raw).field("size", &self.size).finish_non_exhaustive()
    }
}
