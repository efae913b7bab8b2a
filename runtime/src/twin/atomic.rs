//! The host form of atomic operations: real ones, on the words of buffers and of shared memory.

use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::Ordering;

use crate::parallel::{AtomicInt, AtomicValue};

/// The place of an atomic value; no place after a trap. Operations on no place give zero and change nothing.
#[derive(Debug, Clone, Copy)]
pub struct AtomicPlace<'a, T> {
    /// Invariant: valid for `T` for `'a`, and accessed by atomic operations of its size only while others may.
    place: Option<NonNull<T>>,
    marker: PhantomData<&'a T>,
}

/// Operations that give the value before; nowhere, zero.
macro_rules! fetches {
    ($($name:ident)+) => { $(
        #[doc = concat!("Rust's `", stringify!($name), "`.")]
        #[inline]
        pub fn $name(self, value: T, order: Ordering) -> T {
            self.with(T::ZEROED, |word| T::$name(word, value, order))
        }
    )+ };
}

impl<T: AtomicValue> AtomicPlace<'_, T> {
    /// The atomic value at `place`.
    ///
    /// # Safety
    /// `place` is aligned and valid for `'a`; while other threads may access it, all do so by atomic operations.
    pub(super) unsafe fn new(place: Option<NonNull<T>>) -> Self {
        Self { place, marker: PhantomData }
    }

    #[inline]
    fn with<R>(&self, otherwise: R, op: impl FnOnce(&T::Word) -> R) -> R {
        match self.place {
            // SAFETY: by the invariant of `place`; a word has the size and alignment of its `T`.
            Some(place) => op(unsafe { place.cast::<T::Word>().as_ref() }),
            None => otherwise,
        }
    }

    /// Rust's `load`.
    #[inline]
    pub fn load(self, order: Ordering) -> T {
        self.with(T::ZEROED, |word| T::load(word, order))
    }

    /// Rust's `store`.
    #[inline]
    pub fn store(self, value: T, order: Ordering) {
        self.with((), |word| T::store(word, value, order));
    }

    /// Rust's `compare_exchange`; compares bits.
    ///
    /// # Errors
    /// As Rust's: the value found, when it is not `current`.
    #[inline]
    pub fn compare_exchange(self, current: T, new: T, success: Ordering, failure: Ordering) -> Result<T, T> {
        // Nowhere holds zero, as on the device.
        let nowhere = if T::same(current, T::ZEROED) { Ok(T::ZEROED) } else { Err(T::ZEROED) };
        self.with(nowhere, |word| T::compare_exchange(word, current, new, success, failure))
    }

    // `fetch_add` and `fetch_sub` wrap.
    fetches! { swap fetch_add fetch_sub fetch_min fetch_max }
}

impl<T: AtomicInt> AtomicPlace<'_, T> {
    fetches! { fetch_and fetch_or fetch_xor }
}

#[cfg(test)]
mod tests {
    use Ordering::{AcqRel, Acquire, Relaxed};

    use super::*;

    #[test]
    fn floats_add_by_exchange() {
        let mut value = 1.5f32;
        // SAFETY: this thread's own variable.
        let place = unsafe { AtomicPlace::new(Some(NonNull::from(&mut value))) };
        assert_eq!(place.fetch_add(2.0, Relaxed), 1.5);
        assert_eq!(place.fetch_max(9.0, Relaxed), 3.5);
        assert_eq!(place.fetch_min(-0.0, AcqRel), 9.0);
        assert_eq!(place.load(Acquire), 0.0);
        assert_eq!(place.compare_exchange(0.0, 4.0, AcqRel, Acquire).map_err(f32::to_bits), Err(0x8000_0000));
        assert_eq!(place.compare_exchange(-0.0, 4.0, AcqRel, Acquire), Ok(-0.0));
        assert_eq!(value, 4.0);
    }

    #[test]
    fn nowhere_is_zero() {
        // SAFETY: no place at all.
        let place = unsafe { AtomicPlace::<u32>::new(None) };
        assert_eq!(place.fetch_add(2, Relaxed), 0);
        assert_eq!(place.compare_exchange(0, 1, AcqRel, Acquire), Ok(0));
        assert_eq!(place.compare_exchange(3, 1, AcqRel, Acquire), Err(0));
    }
}
