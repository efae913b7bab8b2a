//! Handles of tensors and images for front ends that know types only at run time: typed views, host memory, bindings and copies. It must
//! not read or write memory itself.

use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::core::error::{Error, RecordingError, Result};
use crate::memory::data::Plain;
use crate::memory::image::{Dimension, Format, Image};
use crate::memory::tensor::{Tensor, TensorRef};
use crate::record::module::{BindingPlace, ModuleLaunch};
use crate::record::ops::OpCopyImage;

impl TensorRef {
    /// The tensor with elements of type `T`, which share its memory. The last elements that do not fill a `T` are left out.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// use gridwise_runtime::glam::Vec2;
    ///
    /// let handle = gridwise_runtime::Manager::host().tensor(&[1.0f32, 2.0, 3.0, 4.0])?.handle();
    /// let points = handle.typed::<Vec2>()?;
    /// assert_eq!(points.to_vec()?, [Vec2::new(1.0, 2.0), Vec2::new(3.0, 4.0)]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Misaligned`] where the tensor begins where no `T` can, and [`Error::NotATensor`] for the handle of an image;
    /// [`RecordingError::ReadOnly`] for one of a [`DistinctTensor`](crate::DistinctTensor).
    pub fn typed<T: Plain>(&self) -> Result<Tensor<T>> {
        if self.buffer.is_image() {
            let (operation, image) = ("typed view".to_owned(), self.name().to_owned());
            return Err(Error::NotATensor { operation, image });
        }
        if self.buffer.is_sealed() {
            let (operation, tensor) = ("typed view".to_owned(), self.name().into());
            return Err(Error::Recording(RecordingError::ReadOnly { operation, tensor }));
        }
        if self.buffer.stride() as usize == size_of::<T>() {
            return Ok(Tensor { buffer: self.buffer.clone(), marker: PhantomData });
        }
        let (offset, alignment) = (self.buffer.vulkan_offset(), align_of::<T>() as u64);
        if !offset.is_multiple_of(alignment) {
            return Err(Error::Misaligned { tensor: self.name().into(), offset, alignment });
        }
        let buffer = Arc::new(self.buffer.seen_as(size_of::<T>())?);
        Ok(Tensor { buffer, marker: PhantomData })
    }

    /// The image with its type.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// use gridwise_runtime::image::{R8Unorm, R32Float};
    ///
    /// let handle = gridwise_runtime::Manager::host().image_2d::<R8Unorm>(4, 2)?.handle();
    /// assert_eq!(handle.image::<R8Unorm, 2>()?.extent(), [4, 2]);
    /// assert!(handle.image::<R32Float, 2>().is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::ImageMismatch`] when the image has another format or other dimensions, or the handle is a tensor's.
    pub fn image<F: Format, const D: usize>(&self) -> Result<Image<F, D>>
    where
        Image<F, D>: Dimension,
    {
        let layout = self.buffer.image_layout();
        if self.buffer.is_image() && (layout.format, layout.dimensions as usize) == (F::FORMAT, D) {
            return Ok(Image::of_buffer(self.buffer.clone()));
        }
        let found = match self.buffer.is_image() {
            true => format!("format {} in {} dimensions", layout.format, layout.dimensions),
            false => "elements, and no texels".to_owned(),
        };
        Err(Error::ImageMismatch {
            operation: "taking a handle for an image",
            from: self.name().to_owned(),
            to: "the type that is asked for".to_owned(),
            expected: found,
            found: format!("format {} in {D} dimensions", F::FORMAT),
        })
    }

    /// The address of the tensor's first byte in the host's memory, where the host reaches it; `None` elsewhere. It stays valid as long
    /// as any handle of the tensor exists.
    ///
    /// Accesses through it are ordered with nothing: whoever uses it waits for the evaluations that use the tensor.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// let tensor = gridwise_runtime::Manager::host().tensor(&[7u32, 8])?;
    /// let staged = tensor.handle().staged()?; // the host-side copy is always within reach
    /// let address = staged.host_address().expect("a host-side copy").cast::<u32>();
    /// // SAFETY: there are two elements, and no evaluation uses them.
    /// assert_eq!(unsafe { address.read() }, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn host_address(&self) -> Option<NonNull<u8>> {
        self.buffer.reached().and_then(NonNull::new)
    }
}

impl ModuleLaunch {
    /// Gives the tensor or the image of a handle for a binding, which the module may read and write.
    ///
    /// ```
    /// use gridwise_runtime::{Grid, Result, Sequence, SpirvAlgorithm, TensorRef};
    ///
    /// /// Gives tensors for the bindings 0, 1, 2, and so on.
    /// fn launch(sequence: &Sequence, module: &SpirvAlgorithm, grid: Grid, tensors: &[TensorRef]) -> Result<()> {
    ///     let launch = (0..).zip(tensors).fold(module.launch(grid), |launch, (at, tensor)| launch.bind_handle(at, tensor));
    ///     sequence.record(launch).map(drop)
    /// }
    /// ```
    pub fn bind_handle(self, binding: impl Into<BindingPlace>, handle: &TensorRef) -> Self {
        match handle.buffer.is_image() {
            true => self.bind_any_image(binding.into(), &handle.buffer),
            false => self.bind(binding.into(), handle.buffer.clone(), true),
        }
    }
}

impl OpCopyImage {
    /// Copies between tensors and images by their handles. Texels are copied as they lie in memory.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// use gridwise_runtime::{image::R32Float, ops::OpCopyImage};
    ///
    /// # let manager = gridwise_runtime::Manager::host();
    /// let (from, to) = (manager.tensor(&[0.5f32, 1.5])?, manager.image_2d::<R32Float>(2, 1)?);
    /// manager.sequence()?.record(OpCopyImage::of_handles(&from.handle(), &to.handle()))?.eval()?;
    /// assert_eq!(to.to_vec()?, [0.5, 1.5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn of_handles(from: &TensorRef, to: &TensorRef) -> Self {
        Self::between(&from.buffer, &to.buffer)
    }
}
