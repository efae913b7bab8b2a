//! Checked indexing of arrays and read-only buffers.

use gridwise_ir::descriptor::Site;

use super::launch::TrapSink;
use crate::data::Value;

/// Element `index`, or zero after a trap.
#[inline]
#[track_caller]
pub fn at<T: Value>(sink: impl TrapSink, site: &'static Site, elements: &[T], index: usize) -> T {
    match elements.get(index) {
        Some(element) => *element,
        None => {
            sink.trap(site, [index as u32, elements.len() as u32]);
            T::ZERO
        }
    }
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
