//! Arguments by value: any `GpuData`, and `bool`.

use crate::memory::data::GpuData;
use crate::memory::padding;

/// A by-value argument: any [`GpuData`], or a `bool`, which travels as a `u32` of 0 or 1.
///
/// ```
/// use gridwise::ValueArg;
///
/// fn bytes<V: ValueArg>(_: V) -> usize {
///     V::SIZE
/// }
/// assert_eq!((bytes(1.0f32), bytes([1u16; 3]), bytes(true)), (4, 6, 4));
/// ```
pub trait ValueArg: Copy {
    /// Bytes of the argument as it travels.
    ///
    /// ```
    /// use gridwise::ValueArg;
    ///
    /// assert_eq!(<bool as ValueArg>::SIZE, 4); // a `u32` of 0 or 1
    /// ```
    const SIZE: usize;

    /// Writes the argument; `slot` has [`SIZE`](Self::SIZE) bytes.
    ///
    /// ```
    /// use gridwise::ValueArg;
    ///
    /// let mut slot = [0xff; 4];
    /// true.put(&mut slot);
    /// assert_eq!(u32::from_ne_bytes(slot), 1);
    /// ```
    fn put(self, slot: &mut [u8]);
}

impl<T: GpuData> ValueArg for T {
    const SIZE: usize = size_of::<T>();

    fn put(self, slot: &mut [u8]) {
        assert_eq!(slot.len(), Self::SIZE, "the slot has the argument's size");
        // SAFETY: `slot` is as long as the value, and plain bytes.
        unsafe {
            std::ptr::copy_nonoverlapping((&raw const self).cast(), slot.as_mut_ptr(), Self::SIZE);
            padding::clear::<T>(slot.as_mut_ptr(), 1);
        }
    }
}

impl ValueArg for bool {
    const SIZE: usize = 4;

    fn put(self, slot: &mut [u8]) {
        u32::from(self).put(slot);
    }
}
