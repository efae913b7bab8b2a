//! Whole pages of the host's memory, aligned so that every device can work on them in place.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use crate::core::error::{Error, Result};
use crate::core::pages;

/// The most that Vulkan lets a device ask for: memory that begins and ends at its multiples serves them all.
const ALIGNMENT: u64 = 1 << 16;

/// Whole pages, all of whose bytes have values.
#[derive(Debug)]
pub(crate) struct HostPages {
    data: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a pointer to memory that it owns; who dereferences it answers for the sharing.
unsafe impl Send for HostPages {}
// SAFETY: as above.
unsafe impl Sync for HostPages {}

impl HostPages {
    /// At least `bytes` bytes of zeros.
    pub(crate) fn new(name: &str, bytes: u64) -> Result<Self> {
        let out_of_memory =
            |cause: &str| Error::OutOfMemory { object: name.to_owned(), bytes, cause: cause.to_owned() };
        let layout = bytes.max(1).checked_next_multiple_of(ALIGNMENT);
        let layout = layout.and_then(|bytes| usize::try_from(bytes).ok());
        let layout = layout.and_then(|bytes| Layout::from_size_align(bytes, ALIGNMENT as usize).ok());
        let layout = layout.ok_or_else(|| out_of_memory("larger than the address space"))?;
        // SAFETY: the size is not zero.
        let data = unsafe { alloc_zeroed(layout) };
        let data = NonNull::new(data).ok_or_else(|| out_of_memory("the allocator has none"))?;
        pages::advise(data.as_ptr(), layout.size());
        Ok(Self { data, layout })
    }

    /// The first byte.
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.data
    }
}

impl Drop for HostPages {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.data.as_ptr(), self.layout) };
    }
}
