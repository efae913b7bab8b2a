//! The arguments of a launch, as the twin takes them out.

use std::marker::PhantomData;

use gridwise_ir::descriptor::ParamKind;

use super::image::{HostImage, ImageParam};
use super::launch::LaunchContext;
use super::list::{ImageList, List, ListMut};
use super::slice::{Slice, SliceMut};
use crate::memory::data::GpuData;

/// A buffer argument: where its elements lie and how many there are.
#[derive(Debug, Clone, Copy)]
pub struct HostBuffer {
    /// First byte; aligned for the element type (at least 16).
    pub data: *mut u8,
    /// Number of elements.
    pub len: u32,
}

// SAFETY: a pointer and a length; whoever dereferences it answers for the sharing.
unsafe impl Send for HostBuffer {}
// SAFETY: as above.
unsafe impl Sync for HostBuffer {}

/// The arguments of one launch.
#[derive(Debug, Clone, Copy)]
pub struct HostArgs<'a> {
    launch: &'a LaunchContext,
    buffers: &'a [HostBuffer],
    push_constants: &'a [u8],
    images: &'a [HostImage],
    lists: &'a [HostList],
}

/// A list argument.
#[derive(Debug, Clone)]
pub struct HostList {
    /// Binding of the parameter.
    pub binding: u32,
    /// Its buffers in order.
    pub members: Vec<HostBuffer>,
}

impl<'a> HostArgs<'a> {
    /// Arguments for `launch`.
    ///
    /// # Safety
    /// `buffers` holds one entry per buffer parameter of the descriptor, in binding order, each valid for `len * stride`
    /// bytes for `'a`; writable ones are accessed by this launch only, read-only ones are not written during it.
    /// `push_constants` is the push-constant block of the descriptor.
    pub unsafe fn new(launch: &'a LaunchContext, buffers: &'a [HostBuffer], push_constants: &'a [u8]) -> Self {
        Self { launch, buffers, push_constants, images: &[], lists: &[] }
    }

    /// The same with list arguments.
    ///
    /// # Safety
    /// Each of their buffers is valid for `len * stride` bytes for `'a`; those of writable lists are accessed by this launch only, others
    /// are not written during it.
    #[must_use]
    pub unsafe fn with_lists(self, lists: &'a [HostList]) -> Self {
        Self { lists, ..self }
    }

    /// The `&[&[T]]` parameter at position `param`.
    ///
    /// # Panics
    /// When the parameter is of another kind or stride.
    pub fn list<T: GpuData>(&self, param: usize) -> List<'a, T> {
        List { members: self.members::<T>(param, false), marker: PhantomData }
    }

    /// The `&mut [&mut [T]]` parameter at position `param`.
    ///
    /// # Panics
    /// When the parameter is of another kind or stride.
    pub fn list_mut<T: GpuData>(&self, param: usize) -> ListMut<'a, T> {
        ListMut { members: self.members::<T>(param, true), marker: PhantomData }
    }

    fn members<T>(&self, param: usize, mutable: bool) -> &'a [HostBuffer] {
        let ParamKind::List { binding, writable, stride, .. } = self.launch.descriptor.params[param].kind else {
            panic!("parameter {param} is no list");
        };
        assert_eq!(stride as usize, size_of::<T>(), "parameter {param} has another stride");
        assert_eq!(writable, mutable, "parameter {param} has another mutability");
        let list = self.lists.iter().find(|list| list.binding == binding);
        let members = list.map_or(&[][..], |list| &list.members);
        debug_assert!(
            members.iter().all(|member| member.data.cast::<T>().is_aligned()),
            "a member of parameter {param} begins where no element can"
        );
        members
    }

    /// The same with image arguments.
    ///
    /// # Safety
    /// Each is valid for the texels of all its levels for `'a`; those of `&mut` parameters are accessed by this launch only, others
    /// are not written during it.
    #[must_use]
    pub unsafe fn with_images(self, images: &'a [HostImage]) -> Self {
        Self { images, ..self }
    }

    /// The image at position `param`.
    ///
    /// # Panics
    /// When the parameter is of another kind.
    pub fn image<I: ImageParam>(&self, param: usize) -> I {
        let ParamKind::Image { binding, .. } = self.launch.descriptor.params[param].kind else {
            panic!("parameter {param} is no image");
        };
        let image = self.images.iter().find(|image| image.binding == binding);
        I::of_host(*image.expect("there is an argument for each parameter"))
    }

    /// The list of images at position `param`.
    ///
    /// # Panics
    /// When the parameter is of another kind.
    pub fn images<I: ImageParam>(&self, param: usize) -> ImageList<'a, I> {
        let ParamKind::Images { binding, .. } = self.launch.descriptor.params[param].kind else {
            panic!("parameter {param} is no list of images");
        };
        let mut of_one = self.images.chunk_by(|a, b| a.binding == b.binding);
        let members = of_one.find(|images| images[0].binding == binding).unwrap_or_default();
        ImageList { members, marker: PhantomData }
    }

    /// The by-value parameter at position `param` of the function.
    ///
    /// # Panics
    /// When the parameter is of another kind or size: the macro's descriptor and twin disagree.
    #[inline]
    pub fn value<T: GpuData>(&self, param: usize) -> T {
        let (offset, size) = self.value_place(param);
        assert_eq!(size, size_of::<T>(), "parameter {param} has another size");
        let bytes = &self.push_constants[offset..offset + size];
        // SAFETY: `bytes` has the size of `T`, and any bits are a valid `GpuData`.
        unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
    }

    /// As [`value`](Self::value), for `bool`, which travels as a `u32`.
    ///
    /// # Panics
    /// As [`value`](Self::value).
    #[inline]
    pub fn value_bool<T: From<bool>>(&self, param: usize) -> T {
        T::from(self.value::<u32>(param) != 0)
    }

    /// The `&[T]` parameter at position `param`.
    ///
    /// # Panics
    /// When the parameter is of another kind or stride.
    #[inline]
    pub fn slice<T: GpuData>(&self, param: usize) -> &'a [T] {
        let buffer = self.buffer::<T>(param, false);
        if buffer.len == 0 {
            return &[];
        }
        // SAFETY: by `new`'s contract the buffer holds `len` elements that nothing writes during `'a`.
        unsafe { std::slice::from_raw_parts(buffer.data.cast::<T>(), buffer.len as usize) }
    }

    /// The `&mut [T]` parameter at position `param`.
    ///
    /// # Panics
    /// When the parameter is of another kind or stride.
    #[inline]
    pub fn slice_mut<T: GpuData>(&self, param: usize) -> SliceMut<'a, T> {
        let buffer = self.buffer::<T>(param, true);
        SliceMut(Slice { data: buffer.data.cast(), len: buffer.len as usize, marker: PhantomData })
    }

    fn value_place(&self, param: usize) -> (usize, usize) {
        match self.launch.descriptor.params[param].kind {
            ParamKind::Value { offset, size } => (offset as usize, size as usize),
            _ => panic!("parameter {param} is no value"),
        }
    }

    /// A buffer that begins where its elements can, as was checked when the launch was recorded.
    fn aligned<T>(&self, param: usize, binding: u32) -> HostBuffer {
        let buffer = self.buffers[binding as usize];
        assert!(buffer.data.cast::<T>().is_aligned(), "parameter {param} begins where no element can");
        buffer
    }

    fn buffer<T>(&self, param: usize, mutable: bool) -> HostBuffer {
        match self.launch.descriptor.params[param].kind {
            ParamKind::Buffer { binding, writable, stride, .. } => {
                assert_eq!(stride as usize, size_of::<T>(), "parameter {param} has another stride");
                assert_eq!(writable, mutable, "parameter {param} has another mutability");
                self.aligned::<T>(param, binding)
            }
            ParamKind::Texels { binding, stride, .. } => {
                assert_eq!(stride as usize, size_of::<T>(), "parameter {param} has another stride");
                assert!(!mutable, "parameter {param} has another mutability");
                self.aligned::<T>(param, binding)
            }
            ParamKind::Distinct { binding } | ParamKind::Offsets { binding } => {
                assert_eq!(4, size_of::<T>(), "parameter {param} has another stride");
                assert!(!mutable, "parameter {param} has another mutability");
                self.aligned::<T>(param, binding)
            }
            // A kernel that writes no element claims none.
            ParamKind::Claims { binding } => {
                assert_eq!(4, size_of::<T>(), "parameter {param} has another stride");
                self.aligned::<T>(param, binding)
            }
            ParamKind::Value { .. } | ParamKind::List { .. } | ParamKind::Image { .. } | ParamKind::Images { .. } => {
                panic!("parameter {param} is no buffer")
            }
        }
    }
}
