//! Memory that many threads access, in atomic units: the atomic pieces of 1, 2 or 4 bytes in which all of a buffer is read and written.
//!
//! A buffer has one size of atomic unit, that of its elements' alignment (4 at most), so that no two accesses to the same bytes
//! are atomic ones of different sizes. A part smaller than a atomic unit is exchanged within it; its neighbours stay as they are.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering::Relaxed};

use crate::memory::data::GpuData;
use crate::memory::padding;

/// Bytes of a atomic unit of buffers of `T`.
pub(super) const fn atomic_unit<T>() -> usize {
    let align = align_of::<T>();
    if align < 4 { align } else { 4 }
}

/// Reads a `F` that lies in an element of type `T`, at `at`.
///
/// # Safety
/// All atomic units of `T` that hold the `F` are valid, and all threads access them as here. Any bits are a valid `F`.
#[inline]
pub(super) unsafe fn load<T, F: Copy>(at: *const u8) -> F {
    let mut value = MaybeUninit::<F>::uninit();
    let target = value.as_mut_ptr().cast::<u8>();
    let size = atomic_unit::<T>();
    if size_of::<F>().is_multiple_of(size) && align_of::<F>() >= size {
        for start in (0..size_of::<F>()).step_by(size) {
            // SAFETY: `start` is within the `F` on both sides, and aligned there.
            unsafe {
                match size {
                    1 => target.add(start).write(load_u8(at.add(start))),
                    2 => target.add(start).cast::<u16>().write(load_u16(at.add(start))),
                    _ => target.add(start).cast::<u32>().write(load_u32(at.add(start))),
                }
            }
        }
    } else {
        for position in 0..size_of::<F>() {
            let inside = (at.addr() + position) % size;
            // SAFETY: the atomic unit that holds the byte is valid; the target is a byte of the `F`.
            unsafe {
                let first = at.add(position).sub(inside);
                let byte = match size {
                    2 => load_u16(first).to_ne_bytes()[inside],
                    _ => load_u32(first).to_ne_bytes()[inside],
                };
                target.add(position).write(byte);
            }
        }
    }
    // SAFETY: all bytes were written; the caller's promise.
    unsafe { value.assume_init() }
}

/// Writes a `F` that lies in an element of type `T`, at `at`.
///
/// # Safety
/// As [`load`].
#[inline]
pub(super) unsafe fn store<T, F: GpuData>(at: *const u8, mut value: F) {
    let source = std::ptr::from_mut(&mut value).cast::<u8>();
    // SAFETY: a value of this function's own.
    unsafe { padding::clear::<F>(source, 1) };
    let size = atomic_unit::<T>();
    if size_of::<F>().is_multiple_of(size) && align_of::<F>() >= size {
        for start in (0..size_of::<F>()).step_by(size) {
            // SAFETY: `start` is within the `F` on both sides, and aligned there.
            unsafe {
                let (from, to) = (source.add(start), at.add(start));
                match size {
                    1 => (*to.cast::<AtomicU8>()).store(from.read(), Relaxed),
                    2 => (*to.cast::<AtomicU16>()).store(from.cast::<u16>().read(), Relaxed),
                    _ => (*to.cast::<AtomicU32>()).store(from.cast::<u32>().read(), Relaxed),
                }
            }
        }
    } else {
        for position in 0..size_of::<F>() {
            let inside = (at.addr() + position) % size;
            // SAFETY: the atomic unit that holds the byte is valid; the source is a byte of the `F`.
            unsafe {
                let (first, byte) = (at.add(position).sub(inside), source.add(position).read());
                match size {
                    2 => exchange_u16(first, |bytes| bytes[inside] = byte),
                    _ => exchange_u32(first, |bytes| bytes[inside] = byte),
                }
            }
        }
    }
}

/// # Safety
/// A valid byte that all threads access atomically.
#[inline]
unsafe fn load_u8(at: *const u8) -> u8 {
    // SAFETY: the caller's promise.
    unsafe { (*at.cast::<AtomicU8>()).load(Relaxed) }
}

/// # Safety
/// Two valid bytes, aligned, that all threads access atomically together.
#[inline]
unsafe fn load_u16(at: *const u8) -> u16 {
    // SAFETY: the caller's promise.
    unsafe { (*at.cast::<AtomicU16>()).load(Relaxed) }
}

/// # Safety
/// Four valid bytes, aligned, that all threads access atomically together.
#[inline]
unsafe fn load_u32(at: *const u8) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { (*at.cast::<AtomicU32>()).load(Relaxed) }
}

/// # Safety
/// As [`load_u16`].
unsafe fn exchange_u16(at: *const u8, change: impl Fn(&mut [u8; 2])) {
    let changed = |old: u16| {
        let mut bytes = old.to_ne_bytes();
        change(&mut bytes);
        Some(u16::from_ne_bytes(bytes))
    };
    // SAFETY: the caller's promise. The closure always gives a value, so that this ends with an exchange.
    let _ = unsafe { (*at.cast::<AtomicU16>()).fetch_update(Relaxed, Relaxed, changed) };
}

/// # Safety
/// As [`load_u32`].
unsafe fn exchange_u32(at: *const u8, change: impl Fn(&mut [u8; 4])) {
    let changed = |old: u32| {
        let mut bytes = old.to_ne_bytes();
        change(&mut bytes);
        Some(u32::from_ne_bytes(bytes))
    };
    // SAFETY: the caller's promise. The closure always gives a value, so that this ends with an exchange.
    let _ = unsafe { (*at.cast::<AtomicU32>()).fetch_update(Relaxed, Relaxed, changed) };
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::memory::data::Field;

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Mixed {
        a: u8,
        b: u16,
        c: u32,
        d: [u8; 4],
    }

    impl crate::memory::data::Value for Mixed {
        const ZEROED: Self = Self { a: 0, b: 0, c: 0, d: [0; 4] };
    }

    // SAFETY: `repr(C)` with fields that are `GpuData`.
    unsafe impl GpuData for Mixed {
        const FIELDS: &'static [Field] = &[
            Field::new(offset_of!(Mixed, a), 1, &[]),
            Field::new(offset_of!(Mixed, b), 2, &[]),
            Field::new(offset_of!(Mixed, c), 4, &[]),
            Field::new(offset_of!(Mixed, d), 4, &[]),
        ];
    }

    #[test]
    fn parts_change_alone() {
        // With zeros between the fields: all words have values.
        let mut words = [0u32; 6];
        let elements = words.as_mut_ptr().cast::<Mixed>();
        for element in [elements, elements.wrapping_add(1)] {
            // SAFETY: a place in the words, which are aligned alike; no field has an invalid value.
            let Mixed { a, b, c, d } = unsafe { &mut *element };
            (*a, *b, *c, *d) = (1, 2, 3, [4, 5, 6, 7]);
        }
        let atomics = [const { AtomicU32::new(0) }; 6];
        let data = atomics.as_ptr().cast::<u8>();
        // SAFETY: as many bytes, aligned alike; only this thread accesses them.
        unsafe {
            for (word, atomic) in words.iter().zip(&atomics) {
                atomic.store(*word, Relaxed);
            }
            let second = data.add(size_of::<Mixed>());
            store::<Mixed, u8>(second, 9);
            store::<Mixed, u16>(second.add(2), 0x1234);
            store::<Mixed, u8>(second.add(10), 8);
            assert_eq!(load::<Mixed, Mixed>(second), Mixed { a: 9, b: 0x1234, c: 3, d: [4, 5, 8, 7] });
            assert_eq!(load::<Mixed, Mixed>(data), Mixed { a: 1, b: 2, c: 3, d: [4, 5, 6, 7] });
            assert_eq!((load::<Mixed, u8>(second), load::<Mixed, u16>(second.add(2))), (9, 0x1234));
            assert_eq!(load::<Mixed, [u8; 4]>(second.add(8)), [4, 5, 8, 7]);
        }
    }

    #[test]
    fn small_elements_have_small_units() {
        let bytes = [const { AtomicU8::new(0) }; 3];
        let at = bytes.as_ptr().cast::<u8>();
        // SAFETY: three bytes that only this thread accesses.
        unsafe {
            store::<u8, u8>(at.add(1), 7);
            store::<[u8; 3], [u8; 3]>(at, [load::<u8, u8>(at.add(1)), 1, 2]);
            assert_eq!(load::<[u8; 3], [u8; 3]>(at), [7, 1, 2]);
        }
    }
}
