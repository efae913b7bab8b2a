//! The host forms of `&[&[T]]`, `&mut [&mut [T]]`, `&[&Image2D<F>]` and `&mut [&mut Image2D<F>]`: buffers and images found by their positions.

use std::marker::PhantomData;

use gridwise_ir::descriptor::Site;

use super::args::HostBuffer;
use super::image::{HostImage, ImageParam};
use super::launch::TrapSink;
use super::slice::{Slice, SliceMut};
use crate::memory::data::GpuData;

/// Memory of the host's, of which a kernel sees each as an `I`.
#[derive(Debug)]
pub struct Members<'a, M, I> {
    /// Invariant: each is valid as an `I` for `'a`.
    pub(super) members: &'a [M],
    pub(super) marker: PhantomData<fn() -> I>,
}

/// Buffers that nobody writes during the launch.
pub type List<'a, T> = Members<'a, HostBuffer, &'a [T]>;

/// Buffers that all invocations of a launch may write; only this launch accesses them, as [`SliceMut`] does.
pub type ListMut<'a, T> = Members<'a, HostBuffer, SliceMut<'a, T>>;

/// Images that nobody writes during the launch, or of which each is only this launch's, as a `&mut` image is.
pub type ImageList<'a, I> = Members<'a, HostImage, I>;

impl<M, I> Clone for Members<'_, M, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, I> Copy for Members<'_, M, I> {}

impl<'a, M, I> Members<'a, M, I> {
    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// One of them; `None` after a trap when there is none.
    #[inline]
    fn found(&self, sink: impl TrapSink, site: &'static Site, index: usize) -> Option<&'a M> {
        let found = self.members.get(index);
        if found.is_none() {
            sink.trap(site, [index as u32, self.members.len() as u32]);
        }
        found
    }
}

impl<'a, T: GpuData> List<'a, T> {
    /// One of the buffers; one without elements after a trap when there is none.
    #[inline]
    pub fn member(&self, sink: impl TrapSink, site: &'static Site, index: usize) -> &'a [T] {
        match self.found(sink, site, index) {
            None | Some(HostBuffer { len: 0, .. }) => &[],
            // SAFETY: by the invariant it has `len` elements that nothing writes during `'a`.
            Some(buffer) => unsafe { std::slice::from_raw_parts(buffer.data.cast::<T>(), buffer.len as usize) },
        }
    }
}

impl<I: ImageParam> ImageList<'_, I> {
    /// One of the images; one without texels after a trap when there is none.
    #[inline]
    pub fn member(&self, sink: impl TrapSink, site: &'static Site, index: usize) -> I {
        I::of_host(self.found(sink, site, index).copied().unwrap_or(HostImage::NONE))
    }
}

impl<'a, T: GpuData> ListMut<'a, T> {
    /// One of the buffers; one without elements after a trap when there is none.
    #[inline]
    pub fn member(&self, sink: impl TrapSink, site: &'static Site, index: usize) -> SliceMut<'a, T> {
        match self.found(sink, site, index) {
            Some(buffer) => SliceMut(Slice { data: buffer.data.cast(), len: buffer.len as usize, marker: PhantomData }),
            None => SliceMut::new(&mut []),
        }
    }
}
