//! `Atomic<T>`, and the types that can be atomic.

use std::sync::atomic::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering,
};

use half::f16;

use super::outside_of_kernels;
use crate::memory::data::{GpuData, Value};

/// A number in a buffer or in shared memory that many invocations may modify concurrently.
///
/// Kernels take `&[Atomic<T>]`, for which a `Tensor<T>` is passed; shared memory may be `Shared<[Atomic<T>; N]>`, and
/// `GpuData` structs may have atomic fields, of 32 and 64 bits. For 8 and 16 bits, the device exchanges the 32-bit word
/// that contains them, so neighbours contend with each other. The methods are those of Rust's atomics. `SeqCst` is not
/// available: Vulkan's memory model has no single order of all operations.
///
/// On the host, in a struct that lies in a tensor, it is a number like any other.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::Atomic;
///
/// # let manager = gridwise::Manager::host();
/// // A tensor of numbers is what a kernel takes as `&[Atomic<u32>]`; in a struct the fields say so themselves.
/// let bins = manager.tensor(&[Atomic::new(0u32); 16])?;
/// assert_eq!(bins.to_vec()?[3].into_inner(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Atomic<T>(T);

impl<T> Atomic<T> {
    /// An atomic number for a tensor.
    ///
    /// ```
    /// use gridwise::Atomic;
    ///
    /// const EMPTY: Atomic<u32> = Atomic::new(u32::MAX);
    /// assert_eq!(EMPTY.into_inner(), u32::MAX);
    /// ```
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// The number.
    ///
    /// ```
    /// use gridwise::Atomic;
    ///
    /// assert_eq!(Atomic::new(7i64).into_inner(), 7);
    /// ```
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> From<T> for Atomic<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T: AtomicValue> Value for Atomic<T> {
    const ZEROED: Self = Self(T::ZEROED);
}

// SAFETY: a transparent wrapper of a `GpuData`; without interior mutability, because the twin reaches it by pointers only.
unsafe impl<T: AtomicValue> GpuData for Atomic<T> {}

macro_rules! methods {
    ($bound:ident: $($(#[doc = $doc:literal])+ fn $name:ident($($arg:ident: $ty:ty),*) $(-> $result:ty)?;)+) => {
        impl<T: $bound> Atomic<T> {
            $(
                $(#[doc = $doc])+
                ///
                /// # Panics
                /// Outside of kernels.
                pub fn $name(&self, $($arg: $ty),*) $(-> $result)? {
                    let _ = ($($arg,)*);
                    outside_of_kernels(concat!("Atomic::", stringify!($name)))
                }
            )+
        }
    };
}

methods! { AtomicValue:
    /// Loads the value. Orderings: `Relaxed`, `Acquire`.
    ///
    /// ```
    /// use std::sync::atomic::Ordering::Relaxed;
    /// use gridwise::Atomic;
    ///
    /// /// In a kernel: whether some invocation has found it.
    /// fn is_found(found: &Atomic<u32>) -> bool {
    ///     found.load(Relaxed) != 0
    /// }
    /// ```
    fn load(order: Ordering) -> T;
    /// Stores `value`. Orderings: `Relaxed`, `Release`.
    ///
    /// ```
    /// use std::sync::atomic::Ordering::Relaxed;
    /// use gridwise::Atomic;
    ///
    /// /// In a kernel: says that it is found, whoever else says so.
    /// fn tell(found: &Atomic<u32>) {
    ///     found.store(1, Relaxed);
    /// }
    /// ```
    fn store(value: T, order: Ordering);
    /// Stores `value` and returns the old value.
    ///
    /// ```
    /// use std::sync::atomic::Ordering::Relaxed;
    /// use gridwise::Atomic;
    ///
    /// /// In a kernel: puts a new head before a list, and gives the old one.
    /// fn push(head: &Atomic<u32>, node: u32) -> u32 {
    ///     head.swap(node, Relaxed)
    /// }
    /// ```
    fn swap(value: T, order: Ordering) -> T;
    /// Stores `new` if the bits of the value equal those of `current`. Returns the old value, as `Ok` if it was
    /// replaced.
    ///
    /// ```
    /// use std::sync::atomic::Ordering::Relaxed;
    /// use gridwise::Atomic;
    ///
    /// /// In a kernel: takes a place that is free, which is one that has zero.
    /// fn take(place: &Atomic<u32>, key: u32) -> bool {
    ///     place.compare_exchange(0, key, Relaxed, Relaxed).is_ok()
    /// }
    /// ```
    fn compare_exchange(current: T, new: T, success: Ordering, failure: Ordering) -> Result<T, T>;
    /// Adds, wrapping around, and returns the old value.
    ///
    /// ```
    /// use std::sync::atomic::Ordering::Relaxed;
    /// use gridwise::Atomic;
    ///
    /// /// In a kernel: a place of the own in a list, and room for the next.
    /// fn reserve(len: &Atomic<u32>) -> u32 {
    ///     len.fetch_add(1, Relaxed)
    /// }
    /// ```
    fn fetch_add(value: T, order: Ordering) -> T;
    /// Subtracts, wrapping around, and returns the old value.
    ///
    /// ```
    /// use std::sync::atomic::Ordering::Relaxed;
    /// use gridwise::Atomic;
    ///
    /// /// In a kernel: whether this was the last that was not done.
    /// fn is_last(remaining: &Atomic<u32>) -> bool {
    ///     remaining.fetch_sub(1, Relaxed) == 1
    /// }
    /// ```
    fn fetch_sub(value: T, order: Ordering) -> T;
    /// Stores the minimum and returns the old value.
    ///
    /// ```
    /// use std::sync::atomic::Ordering::Relaxed;
    /// use gridwise::Atomic;
    ///
    /// /// In a kernel: the smallest of what all invocations have.
    /// fn note(smallest: &Atomic<u32>, value: u32) {
    ///     smallest.fetch_min(value, Relaxed);
    /// }
    /// ```
    fn fetch_min(value: T, order: Ordering) -> T;
    /// Stores the maximum and returns the old value.
    ///
    /// ```
    /// use std::sync::atomic::Ordering::Relaxed;
    /// use gridwise::Atomic;
    ///
    /// /// In a kernel: the largest of what all invocations have.
    /// fn note(largest: &Atomic<i32>, value: i32) {
    ///     largest.fetch_max(value, Relaxed);
    /// }
    /// ```
    fn fetch_max(value: T, order: Ordering) -> T;
}

methods! { AtomicInt:
    /// Bitwise and; returns the old value.
    ///
    /// ```
    /// use std::sync::atomic::Ordering::Relaxed;
    /// use gridwise::Atomic;
    ///
    /// /// In a kernel: marks a bit as free.
    /// fn free(bits: &Atomic<u32>, bit: u32) {
    ///     bits.fetch_and(!(1 << bit), Relaxed);
    /// }
    /// ```
    fn fetch_and(value: T, order: Ordering) -> T;
    /// Bitwise or; returns the old value.
    ///
    /// ```
    /// use std::sync::atomic::Ordering::Relaxed;
    /// use gridwise::Atomic;
    ///
    /// /// In a kernel: whether a bit was set, which it now is.
    /// fn visit(bits: &Atomic<u32>, bit: u32) -> bool {
    ///     bits.fetch_or(1 << bit, Relaxed) & (1 << bit) != 0
    /// }
    /// ```
    fn fetch_or(value: T, order: Ordering) -> T;
    /// Bitwise exclusive or; returns the old value.
    ///
    /// ```
    /// use std::sync::atomic::Ordering::Relaxed;
    /// use gridwise::Atomic;
    ///
    /// /// In a kernel: a checksum in which order does not matter.
    /// fn mix(sum: &Atomic<u32>, value: u32) {
    ///     sum.fetch_xor(value, Relaxed);
    /// }
    /// ```
    fn fetch_xor(value: T, order: Ordering) -> T;
}

/// A type that [`Atomic`] can hold.
///
/// # Safety
/// `Word` has the size and alignment of the type, and any bits are valid for both.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be atomic",
    label = "not an atomic number",
    note = "supported are `Atomic<T>` of integers of 8 to 64 bits, `f16`, `f32` and `f64`"
)]
#[doc(hidden)]
pub unsafe trait AtomicValue: GpuData {
    type Word;

    fn same(a: Self, b: Self) -> bool;
    fn load(word: &Self::Word, order: Ordering) -> Self;
    fn store(word: &Self::Word, value: Self, order: Ordering);
    fn swap(word: &Self::Word, value: Self, order: Ordering) -> Self;
    fn compare_exchange(
        word: &Self::Word,
        current: Self,
        new: Self,
        success: Ordering,
        failure: Ordering,
    ) -> Result<Self, Self>;
    fn fetch_add(word: &Self::Word, value: Self, order: Ordering) -> Self;
    fn fetch_sub(word: &Self::Word, value: Self, order: Ordering) -> Self;
    fn fetch_min(word: &Self::Word, value: Self, order: Ordering) -> Self;
    fn fetch_max(word: &Self::Word, value: Self, order: Ordering) -> Self;
}

/// An integer that [`Atomic`] can hold.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no bitwise operations",
    label = "not an integer",
    note = "`fetch_and`, `fetch_or` and `fetch_xor` are for integers"
)]
#[doc(hidden)]
pub trait AtomicInt: AtomicValue {
    fn fetch_and(word: &Self::Word, value: Self, order: Ordering) -> Self;
    fn fetch_or(word: &Self::Word, value: Self, order: Ordering) -> Self;
    fn fetch_xor(word: &Self::Word, value: Self, order: Ordering) -> Self;
}

macro_rules! delegate {
    ($word:ty: $($name:ident),+) => {
        $(#[inline]
        fn $name(word: &$word, value: Self, order: Ordering) -> Self {
            word.$name(value, order)
        })+
    };
}

macro_rules! ints {
    ($($ty:ty: $word:ty),+) => { $(
        // SAFETY: Rust's atomic has the size of its integer, and no more alignment on the platforms there are.
        unsafe impl AtomicValue for $ty {
            type Word = $word;

            #[inline]
            fn same(a: Self, b: Self) -> bool {
                a == b
            }

            #[inline]
            fn load(word: &$word, order: Ordering) -> Self {
                word.load(order)
            }

            #[inline]
            fn store(word: &$word, value: Self, order: Ordering) {
                word.store(value, order);
            }

            #[inline]
            fn compare_exchange(
                word: &$word,
                current: Self,
                new: Self,
                success: Ordering,
                failure: Ordering,
            ) -> Result<Self, Self> {
                word.compare_exchange(current, new, success, failure)
            }

            delegate!($word: swap, fetch_add, fetch_sub, fetch_min, fetch_max);
        }

        impl AtomicInt for $ty {
            delegate!($word: fetch_and, fetch_or, fetch_xor);
        }

        const _: () = assert!(align_of::<$ty>() == align_of::<$word>());
    )+ };
}

ints! {
    u8: AtomicU8, i8: AtomicI8, u16: AtomicU16, i16: AtomicI16, u32: AtomicU32, i32: AtomicI32, u64: AtomicU64, i64: AtomicI64
}

macro_rules! floats {
    ($($float:ty: $word:ty),+) => { $(
        // SAFETY: as of the integer.
        unsafe impl AtomicValue for $float {
            type Word = $word;

            #[inline]
            fn same(a: Self, b: Self) -> bool {
                a.to_bits() == b.to_bits()
            }

            #[inline]
            fn load(word: &$word, order: Ordering) -> Self {
                Self::from_bits(word.load(order))
            }

            #[inline]
            fn store(word: &$word, value: Self, order: Ordering) {
                word.store(value.to_bits(), order);
            }

            #[inline]
            fn swap(word: &$word, value: Self, order: Ordering) -> Self {
                Self::from_bits(word.swap(value.to_bits(), order))
            }

            #[inline]
            fn compare_exchange(
                word: &$word,
                current: Self,
                new: Self,
                success: Ordering,
                failure: Ordering,
            ) -> Result<Self, Self> {
                let exchanged = word.compare_exchange(current.to_bits(), new.to_bits(), success, failure);
                exchanged.map(Self::from_bits).map_err(Self::from_bits)
            }

            #[inline]
            fn fetch_add(word: &$word, value: Self, order: Ordering) -> Self {
                <Self as Updated>::update(word, order, |old| old + value)
            }

            #[inline]
            fn fetch_sub(word: &$word, value: Self, order: Ordering) -> Self {
                <Self as Updated>::update(word, order, |old| old - value)
            }

            #[inline]
            fn fetch_min(word: &$word, value: Self, order: Ordering) -> Self {
                <Self as Updated>::update(word, order, |old| old.min(value))
            }

            #[inline]
            fn fetch_max(word: &$word, value: Self, order: Ordering) -> Self {
                <Self as Updated>::update(word, order, |old| old.max(value))
            }
        }

        impl Updated for $float {
            type Word = $word;

            #[inline]
            fn update(word: &$word, order: Ordering, new: impl Fn(Self) -> Self) -> Self {
                let change = |bits| Some(new(Self::from_bits(bits)).to_bits());
                let updated = word.fetch_update(order, Ordering::Relaxed, change);
                Self::from_bits(updated.unwrap_or_else(|bits| bits))
            }
        }
    )+ };
}

/// A float whose cell is changed by exchanges.
trait Updated: Sized {
    type Word;

    fn update(word: &Self::Word, order: Ordering, new: impl Fn(Self) -> Self) -> Self;
}

floats! { f16: AtomicU16, f32: AtomicU32, f64: AtomicU64 }
