//! Bytes of a value that belong to no field. They are whatever memory held before, so nobody may read them: they are cleared on every way
//! into a buffer, so that all bytes that are copied, compared or kept there have values.

use std::marker::PhantomData;

use crate::core::error::{Error, Result};
use crate::core::pages;
use crate::memory::data::GpuData;

/// The place of a struct's field, and its own fields; told by `#[derive(GpuData)]`.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    offset: usize,
    /// Bytes of it, or of each of its elements.
    size: usize,
    count: usize,
    fields: &'static [Field],
}

impl Field {
    /// A field of `size` bytes with these fields in turn.
    pub const fn new(offset: usize, size: usize, fields: &'static [Field]) -> Self {
        Self { offset, size, count: 1, fields }
    }

    /// The elements of an array.
    pub(crate) const fn elements<T: GpuData>(count: usize) -> Self {
        Self { offset: 0, size: size_of::<T>(), count, fields: T::FIELDS }
    }
}

/// The fields of `T`, if it is [`GpuData`]; none by [`NotData`] if it is not, which the derive reports in words of its own.
#[derive(Debug)]
pub struct FieldsOf<T>(PhantomData<T>);

impl<T: GpuData> FieldsOf<T> {
    /// The fields.
    pub const FIELDS: &'static [Field] = T::FIELDS;
}

/// See [`FieldsOf`].
pub trait NotData {
    /// No fields.
    const FIELDS: &'static [Field] = &[];
}

impl<T> NotData for FieldsOf<T> {}

/// Whether values of `T` have padding.
pub(crate) const fn is_padded<T: GpuData>() -> bool {
    has_gap(size_of::<T>(), T::FIELDS)
}

/// Whether there are bytes between or behind fields, or in them. A type without fields is a number or a vector, and has
/// no gaps.
const fn has_gap(size: usize, fields: &[Field]) -> bool {
    let (mut end, mut index) = (0, 0);
    while index < fields.len() {
        let field = fields[index];
        if field.offset != end || (field.count > 0 && has_gap(field.size, field.fields)) {
            return true;
        }
        end = field.offset + field.size * field.count;
        index += 1;
    }
    !fields.is_empty() && end != size
}

/// Writes zeros over the padding of `count` values; nothing where `T` has none.
///
/// # Safety
/// `values` is valid for writes of `count` values of type `T`, aligned or not.
#[inline]
pub(crate) unsafe fn clear<T: GpuData>(values: *mut u8, count: usize) {
    if const { is_padded::<T>() } {
        for index in 0..count {
            // SAFETY: one of the values; the derive asserts that its fields lie in it.
            unsafe { clear_gaps(values.add(index * size_of::<T>()), size_of::<T>(), T::FIELDS) };
        }
    }
}

/// # Safety
/// `at` is valid for writes of `size` bytes, in which the fields lie in this order.
unsafe fn clear_gaps(at: *mut u8, size: usize, fields: &[Field]) {
    if fields.is_empty() {
        return;
    }
    let mut end = 0;
    for field in fields {
        // SAFETY: bytes between two fields, or elements of a field: all within the value.
        unsafe {
            at.add(end).write_bytes(0, field.offset - end);
            for index in 0..field.count {
                clear_gaps(at.add(field.offset + index * field.size), field.size, field.fields);
            }
        }
        end = field.offset + field.size * field.count;
    }
    // SAFETY: the bytes behind the last field.
    unsafe { at.add(end).write_bytes(0, size - end) };
}

/// Lets `read` have the bytes of these values, of which none is padding that was not cleared. It gets as many bytes as the values have: their own,
/// or a copy where `T` has padding.
///
/// # Errors
/// When there is no memory for the copy, which is for `object`.
pub(crate) fn with_bytes<T: GpuData, R>(values: &[T], object: &str, read: impl FnOnce(&[u8]) -> R) -> Result<R> {
    let bytes = size_of_val(values);
    if const { !is_padded::<T>() } {
        // SAFETY: plain data without padding is valid for reads of its bytes.
        return Ok(read(unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), bytes) }));
    }
    let mut copy: Vec<u8> = pages::reserve(bytes).map_err(|cause| Error::OutOfMemory {
        object: format!("copy of the data for {object}"),
        bytes: bytes as u64,
        cause: cause.to_string(),
    })?;
    append(values, &mut copy);
    Ok(read(&copy))
}

/// Appends the bytes of these values; those of padding are zeros.
pub(crate) fn append<T: GpuData>(values: &[T], to: &mut Vec<u8>) {
    let (start, bytes) = (to.len(), size_of_val(values));
    to.reserve(bytes);
    // SAFETY: there is room for so many bytes. Fields have values, and what is between them gets some.
    unsafe {
        let target = to.as_mut_ptr().add(start);
        std::ptr::copy_nonoverlapping(values.as_ptr().cast(), target, bytes);
        clear::<T>(target, values.len());
        to.set_len(start + bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::memory::data::Value;

    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Inner {
        a: u16,
        b: u8,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Outer {
        a: u8,
        b: [Inner; 2],
        c: u64,
        d: u8,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Full {
        a: [u8; 2],
        b: u16,
    }

    macro_rules! data {
        ($($name:ident { $($field:ident: $ty:ty),* })*) => {
            $(
                impl Value for $name {
                    // SAFETY: all fields are numbers.
                    const ZEROED: Self = unsafe { std::mem::zeroed() };
                }
                // SAFETY: `repr(C)` with fields that are `GpuData`.
                unsafe impl GpuData for $name {
                    const FIELDS: &'static [Field] =
                        &[$(Field::new(offset_of!($name, $field), size_of::<$ty>(), FieldsOf::<$ty>::FIELDS)),*];
                }
            )*
        };
    }

    data! {
        Inner { a: u16, b: u8 }
        Outer { a: u8, b: [Inner; 2], c: u64, d: u8 }
        Full { a: [u8; 2], b: u16 }
    }

    #[test]
    fn what_is_padded_is_known() {
        const { assert!(is_padded::<Inner>() && is_padded::<Outer>() && is_padded::<[Inner; 3]>()) };
        const { assert!(!is_padded::<Full>() && !is_padded::<[Full; 2]>() && !is_padded::<[Inner; 0]>()) };
        const { assert!(!is_padded::<glam::Vec3>() && !is_padded::<u8>()) };
    }

    #[test]
    fn what_belongs_to_no_field_is_cleared() {
        let mut bytes = [0xff_u8; 2 * size_of::<Outer>()];
        // SAFETY: room for two values.
        unsafe { clear::<Outer>(bytes.as_mut_ptr(), 2) };
        let value = [
            [0xff, 0, 0xff, 0xff, 0xff, 0, 0xff, 0xff],
            [0xff, 0, 0, 0, 0, 0, 0, 0],
            [0xff; 8],
            [0xff, 0, 0, 0, 0, 0, 0, 0],
        ];
        assert_eq!(bytes, [value, value].concat().concat()[..]);
        let inner = Inner { a: 0x0102, b: 3 };
        let seen = with_bytes(&[inner; 2], "x", <[u8]>::to_vec).unwrap();
        let [low, high] = 0x0102_u16.to_ne_bytes();
        assert_eq!(seen, [low, high, 3, 0, low, high, 3, 0]);
    }
}
