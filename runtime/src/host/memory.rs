//! Memory of the host device.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use crate::data::MAX_ALIGNMENT;
use crate::error::{Error, Result};

/// A cache line, which keeps tensors apart; no less than any element needs.
const ALIGNMENT: usize = 64;

const _: () = assert!(ALIGNMENT as u64 >= MAX_ALIGNMENT);

/// Zeroed memory that many threads may use by pointer.
#[derive(Debug)]
pub(crate) struct HostMemory {
    data: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a pointer to memory it owns; who dereferences it answers for the sharing.
unsafe impl Send for HostMemory {}
// SAFETY: as above.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// At least `bytes` bytes of zeros.
    pub(crate) fn new(name: &str, bytes: u64) -> Result<Self> {
        let out_of_memory =
            |cause: &str| Error::OutOfMemory { object: name.to_owned(), bytes, cause: cause.to_owned() };
        let layout = usize::try_from(bytes.max(4))
            .ok()
            .and_then(|size| size.checked_next_multiple_of(4))
            .and_then(|size| Layout::from_size_align(size, ALIGNMENT).ok());
        let layout = layout.ok_or_else(|| out_of_memory("larger than the address space"))?;
        // SAFETY: the size is not zero.
        let data = unsafe { alloc_zeroed(layout) };
        let data = NonNull::new(data).ok_or_else(|| out_of_memory("the allocator has none"))?;
        Ok(Self { data, layout })
    }

    /// The first byte.
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.data
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.data.as_ptr(), self.layout) };
    }
}
