//! Untyped buffers on either device: how they are made, which memory they are or see, and what is asked of them. The host reads and
//! writes them in `access`.

mod access;
mod contents;
mod rebuilt;

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use gridwise_ir::descriptor::ImageFormat;

use crate::core::error::{Error, Result};
use crate::core::sync::hazard::Touch;
use crate::core::sync::schedule::{Marks, Uses, WHOLE};
use crate::device::host::HostMemory;
use crate::device::image_layout::ImageLayout;
#[cfg(unix)]
use crate::device::vulkan::SharedMemory;
use crate::device::vulkan::{BufferRange, MemoryUse, TexelView, VulkanBuffer, VulkanImage};
use crate::device::{Backend, Device};
use crate::memory::host_copies::{Contents, Kept};

/// A buffer of elements of one size, owned by a tensor and kept alive by recordings. Others may see the same memory, or
/// a range of it, as elements of the same or another size: they have its id, and are ordered by the bytes they are of
/// it.
#[derive(Debug)]
pub(crate) struct Buffer {
    /// Its elements as texels, once a kernel has read them so. Before the memory, so that it goes first.
    texels: OnceLock<TexelView>,
    // Here, so that it is freed before the device can go.
    memory: Memory,
    pub(crate) id: u64,
    name: Arc<str>,
    len: u32,
    stride: u32,
    /// The layout of its texels, if it is an image.
    image: Option<Box<ImageLayout>>,
    pub(crate) uses: Arc<Uses>,
    /// The host's copy of the contents, if the manager keeps one.
    kept: Kept,
    /// The host-side copy for recorded transfers; made when first asked for.
    staged: Mutex<Option<Arc<Buffer>>>,
    /// The buffers that its tensor has had, if that was rebuilt.
    lineage: OnceLock<Arc<rebuilt::Lineage>>,
    /// Whether nobody may write any more.
    sealed: OnceLock<()>,
    /// Imports of its memory by other managers, which go with it.
    imports: Mutex<Vec<Weak<dyn LetGo>>>,
    pub(crate) device: Arc<Device>,
}

/// Something that is of no use without a buffer's memory, and must not keep it.
pub(crate) trait LetGo: Send + Sync {
    /// The buffer is gone.
    fn let_go(&self);
}

#[derive(Debug)]
enum Memory {
    Vulkan(VulkanBuffer),
    /// Texels that only the device can reach.
    Image(Box<VulkanImage>),
    Host(HostMemory),
    /// The memory of another buffer, from such a byte on.
    Seen(Arc<Buffer>, u64),
}

/// The elements of a buffer, and the bytes of each.
#[derive(Debug, Clone, Copy)]
struct Size {
    len: u32,
    stride: u32,
}

impl Size {
    /// The size of `len` elements of `stride` bytes.
    ///
    /// # Errors
    /// When 32 bits cannot count the elements, or the bytes of one.
    fn of(name: &str, len: usize, stride: usize) -> Result<Self> {
        let counted = |asked: usize, unit| {
            let too_large = |_| {
                let (tensor, asked, limit) = (name.into(), asked as u64, u32::MAX.into());
                Error::BufferTooLarge { tensor, asked, limit, unit }
            };
            u32::try_from(asked).map_err(too_large)
        };
        Ok(Self { len: counted(len, "elements")?, stride: counted(stride, "bytes per element")? })
    }

    /// Refuses more bytes than the limit.
    fn check(self, name: &str, limit: u64) -> Result<()> {
        match self.bytes() {
            asked if asked > limit => Err(Error::BufferTooLarge { tensor: name.into(), asked, limit, unit: "bytes" }),
            _ => Ok(()),
        }
    }

    fn bytes(self) -> u64 {
        u64::from(self.len) * u64::from(self.stride)
    }
}

impl Buffer {
    /// A buffer of `len` elements of `stride` bytes; its contents are zero on the host device and undefined on others.
    pub(crate) fn new(device: &Arc<Device>, name: &str, len: usize, stride: usize, usage: MemoryUse) -> Result<Self> {
        let size = Size::of(name, len, stride)?;
        let memory = match &device.backend {
            Backend::Vulkan(vulkan) => {
                size.check(name, vulkan.device.caps.max_allocation)?;
                Memory::Vulkan(VulkanBuffer::new(&vulkan.device, name, size.bytes(), usage)?)
            }
            Backend::Host(_) => Memory::Host(HostMemory::new(name, size.bytes())?),
        };
        Ok(Self::of_memory(device, name, memory, size))
    }

    /// An image, as a buffer of all texels of all levels; they are zero.
    pub(crate) fn new_image(device: &Arc<Device>, name: &str, layout: ImageLayout) -> Result<Self> {
        let texels = layout.texels().ok_or_else(|| Error::BufferTooLarge {
            tensor: name.into(),
            asked: u64::MAX,
            limit: u32::MAX.into(),
            unit: "texels",
        })?;
        let stride = layout.format.bytes();
        let memory = match &device.backend {
            Backend::Vulkan(vulkan) => Memory::Image(Box::new(VulkanImage::new(&vulkan.device, name, &layout)?)),
            Backend::Host(_) => Memory::Host(HostMemory::new(name, u64::from(texels) * u64::from(stride))?),
        };
        let mut image = Self::of_memory(device, name, memory, Size { len: texels, stride });
        image.image = Some(Box::new(layout));
        if let Backend::Vulkan(vulkan) = &device.backend {
            let started = image.transfer(|schedule, target| vulkan.start_image(schedule, target))?;
            image.keep(Marks::default(), Some(started), || Some(Contents::Zeros));
        }
        Ok(image)
    }

    /// A buffer in a range of an application's.
    pub(crate) fn borrow(
        device: &Arc<Device>,
        name: &str,
        range: BufferRange,
        len: usize,
        stride: usize,
    ) -> Result<Self> {
        let Backend::Vulkan(vulkan) = &device.backend else {
            return Err(Error::OnHostDevice { operation: "making a tensor of an existing buffer" });
        };
        let size = Size::of(name, len, stride)?;
        let memory = Memory::Vulkan(VulkanBuffer::borrow(&vulkan.device, name, range, size.bytes())?);
        Ok(Self::of_memory(device, name, memory, size))
    }

    /// A buffer of `len` elements of `stride` bytes whose memory can be shared, or is what another manager shares.
    #[cfg(unix)]
    pub(crate) fn of_shared(
        device: &Arc<Device>,
        name: &str,
        (len, stride): (usize, usize),
        imported: Option<SharedMemory>,
    ) -> Result<Self> {
        let Backend::Vulkan(vulkan) = &device.backend else {
            return Err(Error::OnHostDevice { operation: "sharing memory" });
        };
        let size = Size::of(name, len, stride)?;
        size.check(name, vulkan.device.caps.max_allocation)?;
        let memory = match imported {
            Some(memory) => VulkanBuffer::import(&vulkan.device, name, memory)?,
            None => VulkanBuffer::shareable(&vulkan.device, name, size.bytes())?,
        };
        Ok(Self::of_memory(device, name, Memory::Vulkan(memory), size))
    }

    /// A buffer of `len` elements of `stride` bytes in a user's memory.
    ///
    /// # Errors
    /// When the device cannot work on it.
    pub(crate) fn of_user(
        device: &Arc<Device>,
        name: &str,
        (len, stride): (usize, usize),
        memory: HostMemory,
    ) -> Result<Self> {
        let size = Size::of(name, len, stride)?;
        let memory = match &device.backend {
            Backend::Vulkan(vulkan) => {
                size.check(name, vulkan.device.caps.max_allocation)?;
                Memory::Vulkan(VulkanBuffer::in_host_memory(&vulkan.device, name, size.bytes(), memory)?)
            }
            Backend::Host(_) => Memory::Host(memory),
        };
        Ok(Self::of_memory(device, name, memory, size))
    }

    fn of_memory(device: &Arc<Device>, name: &str, memory: Memory, size: Size) -> Self {
        let (id, name) = (device.new_id(), Arc::from(name));
        let uses = Arc::new(device.schedule.new_uses().named(&name));
        device.live.add(id, &name, size.bytes());
        let Size { len, stride } = size;
        Self {
            memory,
            id,
            name,
            len,
            stride,
            image: None,
            texels: OnceLock::new(),
            uses,
            kept: Kept::default(),
            staged: Mutex::new(None),
            lineage: OnceLock::new(),
            sealed: OnceLock::new(),
            imports: Mutex::default(),
            device: device.clone(),
        }
    }

    /// The same memory as elements of `stride` bytes, as many as there are whole ones.
    ///
    /// # Errors
    /// When smaller elements are more than can be counted.
    pub(crate) fn seen_as(self: &Arc<Self>, stride: usize) -> Result<Self> {
        let elements = self.bytes().checked_div(stride as u64).unwrap_or(0);
        let len = u32::try_from(elements).map_err(|_| Error::BufferTooLarge {
            tensor: (&*self.name).into(),
            asked: elements,
            limit: u32::MAX.into(),
            unit: "elements",
        })?;
        Ok(self.seen(0, len, stride as u32))
    }

    /// Lets go of something when the buffer is dropped. It is a buffer with memory.
    #[cfg_attr(not(unix), expect(dead_code, reason = "only descriptors of memory share it"))]
    pub(crate) fn take_along(&self, import: Weak<dyn LetGo>) {
        let mut imports = self.imports.lock().unwrap_or_else(PoisonError::into_inner);
        imports.retain(|import| import.strong_count() > 0);
        imports.push(import);
    }

    /// Says that nobody may write any more. Recording checks it, and no typed handle is made anew.
    pub(crate) fn seal(&self) {
        // It was sealed before if this fails.
        let _ = self.sealed.set(());
    }

    /// Whether nobody may write.
    pub(crate) fn is_sealed(&self) -> bool {
        match &self.memory {
            Memory::Seen(whole, _) => whole.is_sealed(),
            _ => self.sealed.get().is_some(),
        }
    }

    /// The memory from byte `start` on as `len` elements of `stride` bytes, all of which lie in the buffer.
    pub(crate) fn seen(self: &Arc<Self>, start: u64, len: u32, stride: u32) -> Self {
        debug_assert!(start + u64::from(len) * u64::from(stride) <= self.bytes(), "checked by the caller");
        let memory = match &self.memory {
            Memory::Seen(whole, before) => Memory::Seen(whole.clone(), before + start),
            _ => Memory::Seen(self.clone(), start),
        };
        Self {
            memory,
            image: None,
            texels: OnceLock::new(),
            kept: Kept::default(),
            id: self.id,
            name: self.name.clone(),
            len,
            stride,
            uses: self.uses.clone(),
            staged: Mutex::new(None),
            lineage: OnceLock::new(),
            sealed: OnceLock::new(),
            imports: Mutex::default(),
            device: self.device.clone(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The first byte, counted from the first of the memory with its id.
    pub(crate) fn start(&self) -> u64 {
        match &self.memory {
            Memory::Seen(_, start) => *start,
            Memory::Vulkan(_) | Memory::Image(_) | Memory::Host(_) => 0,
        }
    }

    /// Some of its bytes, counted from the first of the memory with its id.
    pub(crate) fn in_memory(&self, bytes: Range<u64>) -> Range<u64> {
        self.start() + bytes.start..self.start() + bytes.end
    }

    /// A command's access to some of its bytes.
    pub(crate) fn touch(&self, bytes: Range<u64>, is_write: bool) -> Touch {
        Touch { resource: self.id, bytes: self.in_memory(bytes), is_write }
    }

    /// The words of its memory that kernels may touch: atomics of 8 and 16 bits are exchanged by words, and validation takes what is bound
    /// for a small buffer that is empty to be used.
    pub(crate) fn words(&self) -> Range<u64> {
        let bytes = self.in_memory(0..self.bytes().max(1));
        bytes.start & !3..bytes.end.next_multiple_of(4)
    }

    /// The bytes of its memory that the schedule takes a launch with it to use.
    pub(crate) fn used(&self) -> Range<u64> {
        if self.is_image() { WHOLE } else { self.words() }
    }

    /// Whether both see the same memory; numbers of buffers are their manager's own.
    pub(crate) fn is_same_memory(&self, other: &Self) -> bool {
        self.id == other.id && Arc::ptr_eq(&self.device, &other.device)
    }

    /// Whether a kernel could reach elements of both by the same words.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        if !self.is_same_memory(other) {
            return false;
        }
        let (own, others) = (self.words(), other.words());
        // Of one without elements, kernels reach none.
        let have_elements = self.bytes() > 0 && other.bytes() > 0;
        have_elements && own.start < others.end && others.start < own.end
    }

    /// Whether all of the other's bytes are its own.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        let (own, others) = (self.in_memory(0..self.bytes()), other.in_memory(0..other.bytes()));
        self.is_same_memory(other) && own.start <= others.start && others.end <= own.end
    }

    /// Number of elements.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Bytes of all elements.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.len) * u64::from(self.stride)
    }

    /// Bytes of all the memory with its id.
    pub(crate) fn memory_bytes(&self) -> u64 {
        match &self.memory {
            Memory::Seen(whole, _) => whole.bytes(),
            Memory::Vulkan(_) | Memory::Image(_) | Memory::Host(_) => self.bytes(),
        }
    }

    /// Bytes of one element.
    pub(crate) fn stride(&self) -> u32 {
        self.stride
    }

    /// Whether it shows memory of another buffer.
    pub(crate) fn is_view(&self) -> bool {
        matches!(&self.memory, Memory::Seen(..))
    }

    /// The buffer that has the memory which it shows.
    pub(crate) fn with_memory(self: &Arc<Self>) -> &Arc<Self> {
        match &self.memory {
            Memory::Seen(whole, _) => whole,
            Memory::Vulkan(_) | Memory::Image(_) | Memory::Host(_) => self,
        }
    }

    /// The same elements in the memory of another buffer, which is as long as its own.
    pub(crate) fn moved_to(&self, to: &Arc<Self>) -> Arc<Self> {
        match &self.memory {
            Memory::Seen(_, start) => Arc::new(to.seen(*start, self.len, self.stride)),
            Memory::Vulkan(_) | Memory::Image(_) | Memory::Host(_) => to.clone(),
        }
    }

    /// Whether there is more of its memory than it shows.
    pub(crate) fn is_part(&self) -> bool {
        matches!(&self.memory, Memory::Seen(whole, _) if whole.bytes() != self.bytes())
    }

    /// The Vulkan buffer, of which it may be a part; `None` on the host device.
    pub(crate) fn vulkan(&self) -> Option<&VulkanBuffer> {
        match &self.memory {
            Memory::Vulkan(buffer) => Some(buffer),
            Memory::Image(_) | Memory::Host(_) => None,
            Memory::Seen(whole, _) => whole.vulkan(),
        }
    }

    /// Its elements as texels, in the memory that it has on the device.
    pub(crate) fn texels(&self, memory: &VulkanBuffer) -> Result<&TexelView> {
        if let Some(view) = self.texels.get() {
            return Ok(view);
        }
        // Of an empty tensor kernels fetch nothing, but one texel is bound.
        let (offset, bytes) = match self.bytes() {
            0 => (memory.offset, self.stride.into()),
            bytes => (self.vulkan_offset(), bytes),
        };
        let alignment = self.device.info.limits.texel_alignment;
        // Buffers of ours have room for it; of an application's the tensor may see less, or from elsewhere on.
        if bytes > memory.size {
            let (operation, tensor, size) = ("reading texels", (&*self.name).into(), memory.size);
            return Err(Error::OutOfRange { operation, tensor, offset, bytes, size });
        }
        if !offset.is_multiple_of(alignment) {
            return Err(Error::Misaligned { tensor: (&*self.name).into(), offset, alignment });
        }
        let view = TexelView::new(memory, offset, bytes, self.stride)?;
        // Where two threads made one, the first counts.
        Ok(self.texels.get_or_init(|| view))
    }

    /// The first byte in the Vulkan buffer.
    pub(crate) fn vulkan_offset(&self) -> u64 {
        self.vulkan().map_or(0, |buffer| buffer.offset) + self.start()
    }

    /// Checks that the first byte is a multiple of an alignment, a power of two. Its memory begins at a multiple of
    /// [`MAX_ALIGNMENT`](crate::device::MAX_ALIGNMENT).
    pub(crate) fn check_start(&self, alignment: u64) -> Result<()> {
        let offset = self.vulkan_offset();
        // No division: each argument of each launch comes here.
        match offset & alignment.wrapping_sub(1) == 0 {
            true => Ok(()),
            false => Err(Error::Misaligned { tensor: self.name().into(), offset, alignment }),
        }
    }

    /// Whether others than the manager may have the buffer's memory. Then every submission takes it over and hands it back, which no two do
    /// at once: to the schedule each of them writes.
    pub(crate) fn is_shared(&self) -> bool {
        self.vulkan().is_some_and(VulkanBuffer::is_shared)
    }

    /// Whether the memory is a user's, who may know it by other ways.
    pub(crate) fn is_users(&self) -> bool {
        match &self.memory {
            Memory::Vulkan(buffer) => buffer.host_memory().is_some(),
            Memory::Host(memory) => memory.is_users(),
            Memory::Image(_) => false,
            Memory::Seen(whole, _) => whole.is_users(),
        }
    }

    /// The Vulkan image; `None` on the host device, and for tensors.
    pub(crate) fn vulkan_image(&self) -> Option<&VulkanImage> {
        match &self.memory {
            Memory::Image(image) => Some(image),
            Memory::Vulkan(_) | Memory::Host(_) | Memory::Seen(..) => None,
        }
    }

    /// Whether it is an image.
    pub(crate) fn is_image(&self) -> bool {
        self.image.is_some()
    }

    /// The layout of its texels; for tensors, which are never asked, that of a single byte.
    pub(crate) fn image_layout(&self) -> &ImageLayout {
        const NONE: ImageLayout = ImageLayout { format: ImageFormat::R8Uint, dimensions: 1, extent: [1; 3], levels: 1 };
        self.image.as_deref().unwrap_or(&NONE)
    }

    /// The address of a byte on the host device; dangling for buffers of other devices, which never come here.
    pub(crate) fn host_data(&self, offset: u64) -> *mut u8 {
        match &self.memory {
            Memory::Host(memory) => memory.data().as_ptr().wrapping_add(offset as usize),
            Memory::Vulkan(_) | Memory::Image(_) => std::ptr::NonNull::<u128>::dangling().as_ptr().cast(),
            Memory::Seen(whole, start) => whole.host_data(start + offset),
        }
    }

    /// The host-side copy, if anybody asked for it.
    pub(crate) fn staged_if_made(&self) -> Option<Arc<Buffer>> {
        self.staged.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes the host-side copy of another buffer of as many bytes its own.
    pub(crate) fn take_over_staged(&self, staged: Arc<Buffer>) {
        *self.staged.lock().unwrap_or_else(PoisonError::into_inner) = Some(staged);
    }

    /// The host-side copy of this buffer.
    pub(crate) fn staged(&self) -> Result<Arc<Buffer>> {
        let mut staged = self.staged.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(staged) = &*staged {
            return Ok(staged.clone());
        }
        let made = match &self.memory {
            Memory::Seen(whole, start) => whole.staged()?.seen(*start, self.len, self.stride),
            Memory::Vulkan(_) | Memory::Image(_) | Memory::Host(_) => {
                let name = format!("{} (staged)", self.name);
                // Of an image the first level is transferred, as it is written and read.
                let len = self.image.as_ref().map_or(u64::from(self.len), |layout| layout.texels_of(0)) as usize;
                let stride = self.stride as usize;
                let made = Buffer::new(&self.device, &name, len, stride, MemoryUse::Staging)?;
                made.zero_new()?;
                made
            }
        };
        Ok(staged.insert(Arc::new(made)).clone())
    }

    /// The address for reads or writes of the host in place, if it can make them.
    fn mapped(&self, is_write: bool) -> Option<*mut u8> {
        match &self.memory {
            Memory::Host(memory) => Some(memory.data().as_ptr()),
            Memory::Vulkan(buffer) => buffer.mapped(is_write),
            Memory::Image(_) => None,
            Memory::Seen(whole, start) => Some(whole.mapped(is_write)?.wrapping_add(*start as usize)),
        }
    }

    /// The address at which the host reaches the memory, fast or not.
    pub(crate) fn reached(&self) -> Option<*mut u8> {
        match &self.memory {
            Memory::Vulkan(buffer) => buffer.mapped_anyhow().map(std::ptr::NonNull::as_ptr),
            Memory::Host(memory) => Some(memory.data().as_ptr()),
            Memory::Image(_) => None,
            Memory::Seen(whole, start) => Some(whole.reached()?.wrapping_add(*start as usize)),
        }
    }

    /// The use of the memory.
    pub(crate) fn usage(&self) -> MemoryUse {
        match &self.memory {
            Memory::Vulkan(buffer) => buffer.usage,
            Memory::Image(_) | Memory::Host(_) => MemoryUse::Device,
            Memory::Seen(whole, _) => whole.usage(),
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let imports = std::mem::take(self.imports.get_mut().unwrap_or_else(PoisonError::into_inner));
        imports.iter().filter_map(Weak::upgrade).for_each(|import| import.let_go());
        if !matches!(self.memory, Memory::Seen(..)) {
            self.device.live.remove(self.id);
        }
    }
}
