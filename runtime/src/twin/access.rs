//! Checked indexing of arrays and read-only buffers.

use core::array::TryFromSliceError;
use core::ops::{Bound, Range, RangeBounds, RangeInclusive};

use gridwise_ir::descriptor::Site;

use super::launch::TrapSink;
use crate::memory::data::Value;

/// `slice.try_into()`: an array of as many values.
///
/// # Errors
/// The array, if the values are exactly `LEN`; else the same panic as Rust's own conversion.
#[inline]
pub fn to_array<T: Value + Copy, const LEN: usize>(
    values: impl ExactSizeIterator<Item = T>,
) -> Result<[T; LEN], TryFromSliceError> {
    if values.len() != LEN {
        // The error has one value, whatever the types are.
        <[u8; 1]>::try_from([].as_slice())?;
    }
    let mut array = [T::ZEROED; LEN];
    array.iter_mut().zip(values).for_each(|(element, value)| *element = value);
    Ok(array)
}

/// A row of a table of sites. rustc takes a third less time for a call than for a reference to an element.
#[inline(always)]
pub const fn row(sites: &'static [Site], row: usize) -> &'static Site {
    &sites[row]
}

/// Element `index`, or zero after a trap.
#[inline]
#[track_caller]
pub fn at<T: Value + Copy>(sink: impl TrapSink, site: &'static Site, elements: &[T], index: usize) -> T {
    match elements.get(index) {
        Some(element) => *element,
        None => {
            sink.trap(site, [index as u32, elements.len() as u32]);
            T::ZEROED
        }
    }
}

/// The elements from `start` to before `end`.
#[inline]
pub fn range<'a, T>(
    sink: impl TrapSink,
    site: &'static Site,
    elements: &'a [T],
    start: usize,
    end: Option<usize>,
) -> &'a [T] {
    let (start, end) = ends(sink, site, elements.len(), start, end);
    &elements[start..end]
}

/// The elements from `start` to before `end`, to be written.
#[inline]
pub fn range_mut<'a, T>(
    sink: impl TrapSink,
    site: &'static Site,
    elements: &'a mut [T],
    start: usize,
    end: Option<usize>,
) -> &'a mut [T] {
    let (start, end) = ends(sink, site, elements.len(), start, end);
    &mut elements[start..end]
}

/// Exchanges two elements; nothing after a trap when there is none.
#[inline]
pub fn swap<T>(sink: impl TrapSink, site: &'static Site, elements: &mut [T], a: usize, b: usize) {
    if are_inside(sink, site, elements.len(), a, b) {
        elements.swap(a, b);
    }
}

/// Moves elements by `count` to the front; panics where there are fewer.
#[inline]
pub fn rotate_left<T>(sink: impl TrapSink, site: &'static Site, elements: &mut [T], count: usize) {
    check_left(sink, site, elements.len(), count);
    elements.rotate_left(count);
}

/// Moves elements by `count` to the end; panics where there are fewer.
#[inline]
pub fn rotate_right<T>(sink: impl TrapSink, site: &'static Site, elements: &mut [T], count: usize) {
    check_right(sink, site, elements.len(), count);
    elements.rotate_right(count);
}

/// Panics as `rotate_left` does.
#[inline]
pub(super) fn check_left(sink: impl TrapSink, site: &'static Site, len: usize, count: usize) {
    if count > len {
        sink.panic(site, format_args!("assertion failed: mid <= self.len()"));
    }
}

/// Panics as `rotate_right` does.
#[inline]
pub(super) fn check_right(sink: impl TrapSink, site: &'static Site, len: usize, count: usize) {
    if count > len {
        sink.panic(site, format_args!("assertion failed: k <= self.len()"));
    }
}

/// Whether there are elements at both positions; a trap for each where there is none.
#[inline]
pub(super) fn are_inside(sink: impl TrapSink, site: &'static Site, len: usize, a: usize, b: usize) -> bool {
    for index in [a, b] {
        if index >= len {
            sink.trap(site, [index as u32, len as u32]);
        }
    }
    a < len && b < len
}

/// Copies as many values as there are elements; panics where there are more or fewer.
#[inline]
pub fn copy_from<T>(
    sink: impl TrapSink,
    site: &'static Site,
    elements: &mut [T],
    values: impl ExactSizeIterator<Item = T>,
) {
    check_lengths(sink, site, values.len(), elements.len());
    for (element, value) in elements.iter_mut().zip(values) {
        *element = value;
    }
}

/// Panics where a copy has another length than what it is copied to.
#[inline]
pub(super) fn check_lengths(sink: impl TrapSink, site: &'static Site, source: usize, target: usize) {
    if source != target {
        sink.panic(
            site,
            format_args!(
                "copy_from_slice: source slice length ({source}) does not match destination slice length ({target})"
            ),
        );
    }
}

/// Both ends of a part of something with `len` elements.
#[inline]
pub(super) fn ends(
    sink: impl TrapSink,
    site: &'static Site,
    len: usize,
    start: usize,
    end: Option<usize>,
) -> (usize, usize) {
    if start > len {
        sink.panic(site, format_args!("range start index {start} out of range for slice of length {len}"));
    }
    let end = end.unwrap_or(len);
    if end > len {
        sink.panic(site, format_args!("range end index {end} out of range for slice of length {len}"));
    }
    if start > end {
        sink.panic(site, format_args!("slice index starts at {start} but ends at {end}"));
    }
    (start, end)
}

/// The position behind another one, as far as the device's 32 bits reach: no slice does.
#[inline]
pub fn behind(last: usize) -> usize {
    last.min(u32::MAX as usize - 1) + 1
}

/// The start of a range, and its end.
#[inline]
pub fn range_ends<T: Copy>(range: &Range<T>, position: impl Fn(T) -> usize) -> (usize, Option<usize>) {
    (position(range.start), Some(position(range.end)))
}

/// As [`range_ends`], of a range with its last position in it; of one that has given all, nothing is left.
#[inline]
pub fn inclusive_ends<T: Copy>(range: &RangeInclusive<T>, position: impl Fn(T) -> usize) -> (usize, Option<usize>) {
    let end = behind(position(*range.end()));
    let is_exhausted = matches!(range.end_bound(), Bound::Excluded(_));
    (if is_exhausted { end } else { position(*range.start()) }, Some(end))
}

/// Element `index`, or `None` after a trap.
#[inline]
#[track_caller]
pub fn index_ref<'a, T>(sink: impl TrapSink, site: &'static Site, elements: &'a [T], index: usize) -> Option<&'a T> {
    let element = elements.get(index);
    if element.is_none() {
        sink.trap(site, [index as u32, elements.len() as u32]);
    }
    element
}

/// Element `index` to write, or `None` after a trap.
#[inline]
#[track_caller]
pub fn index_mut<'a, T>(
    sink: impl TrapSink,
    site: &'static Site,
    elements: &'a mut [T],
    index: usize,
) -> Option<&'a mut T> {
    let len = elements.len();
    let element = elements.get_mut(index);
    if element.is_none() {
        sink.trap(site, [index as u32, len as u32]);
    }
    element
}

/// `elements[index] = value`, or a trap.
#[inline]
#[track_caller]
pub fn put<T>(sink: impl TrapSink, site: &'static Site, value: T, index: usize, elements: &mut [T]) {
    if let Some(element) = index_mut(sink, site, elements, index) {
        *element = value;
    }
}

/// A matrix as its columns.
pub trait Columns {
    /// An array of vectors.
    type Array;
    /// The columns from the first to the last.
    fn columns(&self) -> Self::Array;
}

macro_rules! matrices {
    ($($matrix:ty = $count:literal $column:ty: $($axis:ident),+;)+) => { $(
        impl Columns for $matrix {
            type Array = [$column; $count];
            #[inline]
            fn columns(&self) -> Self::Array {
                [$(self.$axis),+]
            }
        }
    )+ };
}

matrices! {
    glam::Mat2 = 2 glam::Vec2: x_axis, y_axis;
    glam::Mat3 = 3 glam::Vec3: x_axis, y_axis, z_axis;
    glam::Mat4 = 4 glam::Vec4: x_axis, y_axis, z_axis, w_axis;
}

/// The columns of a matrix, to be indexed.
#[inline]
pub fn columns<M: Columns>(matrix: M) -> M::Array {
    matrix.columns()
}

/// A reference to element `index`, or to a zero of its own after a trap.
#[inline]
#[track_caller]
pub fn element_ref<'a, T: Value>(sink: impl TrapSink, site: &'static Site, elements: &'a [T], index: usize) -> &'a T {
    match index_ref(sink, site, elements, index) {
        Some(element) => element,
        None => nowhere(),
    }
}

/// A reference to element `index` to write through, or to a zero of its own after a trap.
#[inline]
#[track_caller]
pub fn element_mut<'a, T: Value>(
    sink: impl TrapSink,
    site: &'static Site,
    elements: &'a mut [T],
    index: usize,
) -> &'a mut T {
    match index_mut(sink, site, elements, index) {
        Some(element) => element,
        None => nowhere(),
    }
}

/// A zero that nobody else sees. It is never freed: after a trap the launch is a failure anyway.
#[cold]
fn nowhere<'a, T: Value>() -> &'a mut T {
    Box::leak(Box::new(T::ZEROED))
}
