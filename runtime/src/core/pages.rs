//! Large allocations in huge pages, where the operating system has them. Nothing here knows what the memory is for.
//!
//! The first touch of each page of fresh memory is a page fault, in which the operating system clears the page. For 64 MiB in pages of
//! 4 KiB the faults take several times as long as a copy into memory that was touched before.

use std::alloc::Layout;
use std::collections::TryReserveError;

/// Bytes of a huge page on the processors that have them.
const HUGE: usize = 2 << 20;

/// An empty vector with room for `len` elements.
pub(crate) fn reserve<T>(len: usize) -> Result<Vec<T>, TryReserveError> {
    let mut elements: Vec<T> = Vec::new();
    elements.try_reserve_exact(len)?;
    let bytes = Layout::array::<T>(elements.capacity()).map_or(0, |layout| layout.size());
    advise(elements.as_ptr().cast(), bytes);
    Ok(elements)
}

/// Asks for huge pages in all of these bytes that are whole huge pages: its owner's alone, whatever lies beside them.
pub(crate) fn advise(data: *const u8, bytes: usize) {
    let start = data.addr().next_multiple_of(HUGE);
    let end = data.addr().saturating_add(bytes) & !(HUGE - 1);
    if start < end {
        advise_pages(data.wrapping_add(start - data.addr()), end - start);
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
fn advise_pages(data: *const u8, bytes: usize) {
    // SAFETY: the advice changes no contents, whatever the memory is; the kernel refuses what is not mapped.
    let advised = unsafe { libc::madvise(data.cast_mut().cast(), bytes, libc::MADV_HUGEPAGE) };
    // A kernel without huge pages refuses; then the copy takes longer, that is all.
    if advised != 0 {
        tracing::trace!(bytes, "no huge pages");
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn advise_pages(_data: *const u8, _bytes: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reserved_has_room_and_is_empty() {
        for len in [0, 1, HUGE / 4, HUGE, 5 * HUGE + 3] {
            let mut elements = reserve::<u32>(len).unwrap();
            assert!(elements.is_empty() && elements.capacity() >= len);
            let before = elements.as_ptr();
            elements.resize(len, 7);
            assert!(elements.as_ptr() == before && elements.iter().all(|element| *element == 7));
        }
        assert!(reserve::<u64>(usize::MAX).is_err());
        assert!(reserve::<()>(usize::MAX).is_ok(), "no bytes");
    }
}
