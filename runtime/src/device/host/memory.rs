//! Memory of the host: that of the host device, and what users lend to any device.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::fmt;
use std::ptr::NonNull;

use crate::core::error::{Error, Result};
use crate::core::pages;
use crate::device::MAX_ALIGNMENT;

/// A cache line, which keeps tensors apart; no less than any element needs.
const ALIGNMENT: usize = 64;
/// The alignment that is asked for. For a greater one the allocator would clear memory by hand, page after page,
/// although the operating system gives zeros.
const ALLOCATED: usize = 16;

const _: () = assert!(ALIGNMENT as u64 >= MAX_ALIGNMENT);

/// Memory that many threads may use by pointer. All of its bytes have values.
pub(crate) struct HostMemory {
    data: NonNull<u8>,
    owner: Owner,
}

/// The one that frees the memory.
enum Owner {
    Allocator(NonNull<u8>, Layout),
    /// Dropped when nobody uses the memory any more.
    User(#[expect(dead_code, reason = "held for its drop")] Box<dyn Any + Send + Sync>),
}

// SAFETY: a pointer to memory that it or its owner, which is `Send`, keeps; who dereferences it answers for the sharing.
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
            .and_then(|size| size.checked_next_multiple_of(4)?.checked_add(ALIGNMENT - ALLOCATED))
            .and_then(|size| Layout::from_size_align(size, ALLOCATED).ok());
        let layout = layout.ok_or_else(|| out_of_memory("larger than the address space"))?;
        // SAFETY: the size is not zero.
        let allocated = unsafe { alloc_zeroed(layout) };
        let allocated = NonNull::new(allocated).ok_or_else(|| out_of_memory("the allocator has none"))?;
        let skipped = allocated.as_ptr().addr().next_multiple_of(ALIGNMENT) - allocated.as_ptr().addr();
        // SAFETY: addresses are multiples of `ALLOCATED`, so that at most as many bytes are skipped as there are to spare.
        let data = unsafe { allocated.add(skipped) };
        pages::advise(data.as_ptr(), layout.size() - skipped);
        Ok(Self { data, owner: Owner::Allocator(allocated, layout) })
    }

    /// A user's memory, which `owner` keeps until it is dropped.
    pub(crate) fn of_user(data: NonNull<u8>, owner: Box<dyn Any + Send + Sync>) -> Self {
        Self { data, owner: Owner::User(owner) }
    }

    /// The first byte.
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.data
    }

    /// Whether it is a user's.
    pub(crate) fn is_users(&self) -> bool {
        matches!(self.owner, Owner::User(_))
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        if let Owner::Allocator(allocated, layout) = self.owner {
            // SAFETY: allocated in `new` with this layout.
            unsafe { dealloc(allocated.as_ptr(), layout) };
        }
    }
}

impl fmt::Debug for HostMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostMemory").field("data", &self.data).finish_non_exhaustive()
    }
}
