//! The host forms of `&[&[T]]`, `&mut [&mut [T]]`, `&[&Image2D<F>]` and `&mut [&mut Image2D<F>]`: buffers and images found by their positions.

use std::marker::PhantomData;

use gridwise_ir::descriptor::Site;

use super::args::HostBuffer;
use super::image::{HostImage, ImageParam};
use super::launch::TrapSink;
use super::slice::SliceMut;
use crate::memory::data::GpuData;

/// Buffers that nobody writes during the launch.
#[derive(Debug)]
pub struct List<'a, T> {
    /// Invariant: each is valid for its elements of `T` for `'a`, during which nobody writes them.
    pub(super) members: &'a [HostBuffer],
    pub(super) marker: PhantomData<&'a [T]>,
}

impl<T> Clone for List<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<'_, T> {}

impl<'a, T: GpuData> List<'a, T> {
    /// How many buffers there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// One of the buffers; one without elements after a trap when there is none.
    #[inline]
    pub fn member(&self, sink: impl TrapSink, site: &'static Site, index: usize) -> &'a [T] {
        match self.members.get(index) {
            Some(HostBuffer { len: 0, .. }) => &[],
            // SAFETY: by the invariant it has `len` elements that nothing writes during `'a`.
            Some(buffer) => unsafe { std::slice::from_raw_parts(buffer.data.cast::<T>(), buffer.len as usize) },
            None => {
                sink.trap(site, [index as u32, self.members.len() as u32]);
                &[]
            }
        }
    }
}

/// Images that nobody writes during the launch, or of which each is only this launch's, as a `&mut` image is.
#[derive(Debug)]
pub struct ImageList<'a, I> {
    pub(super) members: &'a [HostImage],
    pub(super) marker: PhantomData<fn() -> I>,
}

impl<I> Clone for ImageList<'_, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I> Copy for ImageList<'_, I> {}

impl<I: ImageParam> ImageList<'_, I> {
    /// How many images there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// One of the images; one without texels after a trap when there is none.
    #[inline]
    pub fn member(&self, sink: impl TrapSink, site: &'static Site, index: usize) -> I {
        I::of_host(self.members.get(index).copied().unwrap_or_else(|| {
            sink.trap(site, [index as u32, self.members.len() as u32]);
            HostImage::NONE
        }))
    }
}

/// Buffers that all invocations of a launch may write.
#[derive(Debug)]
pub struct ListMut<'a, T> {
    /// Invariant: each is valid for its elements of `T` for `'a`, during which only this launch accesses them, as [`SliceMut`] does.
    pub(super) members: &'a [HostBuffer],
    pub(super) marker: PhantomData<&'a [T]>,
}

impl<T> Clone for ListMut<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ListMut<'_, T> {}

impl<'a, T: GpuData> ListMut<'a, T> {
    /// How many buffers there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// One of the buffers; one without elements after a trap when there is none.
    #[inline]
    pub fn member(&self, sink: impl TrapSink, site: &'static Site, index: usize) -> SliceMut<'a, T> {
        match self.members.get(index) {
            Some(buffer) => SliceMut { data: buffer.data.cast(), len: buffer.len as usize, marker: PhantomData },
            None => {
                sink.trap(site, [index as u32, self.members.len() as u32]);
                SliceMut::new(&mut [])
            }
        }
    }
}
