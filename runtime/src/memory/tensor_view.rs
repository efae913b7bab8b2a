//! A tensor's memory seen otherwise: some of its elements, or elements of another type. It must not let bytes be seen that are padding.
//!
//! A view is a buffer of its own length and stride with the memory, the id and the schedule of the tensor, and the byte
//! where it begins (`Buffer::start`). Barriers within a recording, the order of submissions, and what the host waits for compare byte
//! ranges. Nothing rests on lifetimes: overlapping arguments are found when a launch is
//! recorded. Kernels may exchange whole words, so a part counts as all words of 4 bytes that it has bytes of. Recording
//! checks the alignment of every buffer and every member of a list.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, Deref, DerefMut, RangeBounds};
use std::sync::Arc;

use crate::core::error::{Error, Result};
use crate::memory::data::{GpuData, Plain};
use crate::memory::tensor::Tensor;

/// A tensor's memory as elements of type `T`; made by [`Tensor::part`] and [`Tensor::cast`].
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{glam::Vec4, ops::OpCopy};
///
/// # let manager = gridwise::Manager::host();
/// let numbers = manager.tensor(&[1.0f32; 8])?;
/// let mut vectors = manager.tensor_of_len::<Vec4>(2)?;
/// let cast = numbers.cast::<Vec4>()?; // wherever a `&Tensor<Vec4>` is wanted
/// manager.sequence()?.record(OpCopy::new(&cast, &mut vectors))?.eval()?;
/// assert_eq!(vectors.to_vec()?, [Vec4::ONE; 2]);
/// # Ok(())
/// # }
/// ```
pub struct TensorView<'a, T: GpuData> {
    tensor: Tensor<T>,
    whole: PhantomData<&'a ()>,
}

/// A tensor's memory as elements of type `T`, to be written; made by [`Tensor::part_mut`], [`Tensor::split_at_mut`] and
/// [`Tensor::cast_mut`].
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::ops::OpFill;
///
/// # let manager = gridwise::Manager::host();
/// let mut words = manager.tensor_of_len::<u32>(2)?;
/// let mut bytes = words.cast_mut::<u8>()?; // wherever a `&mut Tensor<u8>` is wanted
/// manager.sequence()?.record(OpFill::new(&mut bytes, 0x11))?.eval()?;
/// assert_eq!(words.to_vec()?, [0x1111_1111; 2]);
/// # Ok(())
/// # }
/// ```
pub struct TensorViewMut<'a, T: GpuData> {
    tensor: Tensor<T>,
    whole: PhantomData<&'a mut ()>,
}

impl<T: GpuData> Tensor<T> {
    /// A range of the elements, as a tensor. Kernels, operations and the host can use it; a kernel's slice then has the length
    /// and bounds of the part.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # use kernels::Saxpy;
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::Grid;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let x = manager.tensor(&[1.0f32; 128])?;
    /// let mut y = manager.tensor_of_len::<f32>(192)?;
    /// let sequence = manager.sequence()?;
    /// let (half, mut third) = (x.part(64..)?, y.part_mut(0..64)?);
    /// Saxpy::dispatch(&sequence, Grid::items(64), 3.0, &half, &mut third)?; // at once: `&*x.part(64..)?, &mut *y.part_mut(0..64)?`
    /// sequence.eval()?;
    /// assert_eq!(y.part(62..66)?.to_vec()?, [3.0, 3.0, 0.0, 0.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A recording keeps the whole tensor alive. Operations and evaluations wait for each other only if their parts overlap. Host
    /// reads and writes of a part wait for the evaluations that use it. Parts that one launch only reads may overlap; a part that
    /// it writes must share no 4-byte word with another.
    ///
    /// A kernel on a Vulkan device gets only parts that begin at a multiple of [`Limits::part_alignment`](crate::Limits::part_alignment)
    /// bytes (most devices: 16 to 64, at most 256); recording another launch ends with [`Error::Misaligned`]. Lists of tensors take parts
    /// that begin wherever an element of the parameter's type can, as every kernel on the host device does. Operations and the host take
    /// parts that begin anywhere.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the tensor does not have all these elements.
    pub fn part(&self, range: impl RangeBounds<usize>) -> Result<TensorView<'_, T>> {
        Ok(TensorView { tensor: self.elements(range)?, whole: PhantomData })
    }

    /// As [`part`](Self::part), to be written.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// let mut values = manager.tensor(&[1u8, 2, 3, 4, 5])?;
    /// values.part_mut(1..=2)?.write(&[7, 8])?;
    /// assert_eq!(values.to_vec()?, [1, 7, 8, 4, 5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`part`](Self::part).
    pub fn part_mut(&mut self, range: impl RangeBounds<usize>) -> Result<TensorViewMut<'_, T>> {
        Ok(TensorViewMut { tensor: self.elements(range)?, whole: PhantomData })
    }

    /// The elements before `middle` and the elements from `middle` on, both to be written. So one launch can read one part of a
    /// tensor and write the other.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpCopy;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut values = manager.tensor(&[1u32, 2, 0, 0])?;
    /// let (from, mut to) = values.split_at_mut(2)?;
    /// manager.sequence()?.record(OpCopy::new(&from, &mut to))?.eval()?;
    /// assert_eq!(values.to_vec()?, [1, 2, 1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`part`](Self::part).
    pub fn split_at_mut(&mut self, middle: usize) -> Result<(TensorViewMut<'_, T>, TensorViewMut<'_, T>)> {
        let (first, second) = (self.elements(..middle)?, self.elements(middle..)?);
        let view = |tensor| TensorViewMut { tensor, whole: PhantomData };
        Ok((view(first), view(second)))
    }

    fn elements(&self, range: impl RangeBounds<usize>) -> Result<Self> {
        let start = match range.start_bound() {
            Bound::Included(start) => Some(*start),
            Bound::Excluded(before) => before.checked_add(1),
            Bound::Unbounded => Some(0),
        };
        let end = match range.end_bound() {
            Bound::Included(last) => last.checked_add(1),
            Bound::Excluded(end) => Some(*end),
            Bound::Unbounded => Some(self.len()),
        };
        let (stride, size) = (size_of::<T>() as u64, self.buffer.bytes());
        match (start, end) {
            (Some(start), Some(end)) if start <= end && end <= self.len() => {
                // Where nothing is shown, it begins with the memory: behind its end, nothing could be bound.
                let first = if start == end { 0 } else { start as u64 * stride };
                let buffer = Arc::new(self.buffer.seen(first, (end - start) as u32, stride as u32));
                Ok(Self { buffer, marker: PhantomData })
            }
            (start, end) => {
                let bytes_of = |elements: Option<usize>| (elements.unwrap_or(usize::MAX) as u64).saturating_mul(stride);
                let (tensor, offset, end) = (self.name().into(), bytes_of(start), bytes_of(end));
                let operation = if end < offset { "taking a part that ends before it begins" } else { "taking a part" };
                Err(Error::OutOfRange { operation, tensor, offset, bytes: end.saturating_sub(offset), size })
            }
        }
    }
}

impl<T: Plain> Tensor<T> {
    /// The same memory as elements of another type: numbers as vectors, for kernels that read 16 bytes at a time, or words as
    /// bytes. Bytes at the end that make no whole element are left out.
    ///
    /// ```
    /// # use gridwise::glam::{Vec4, vec4};
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = gridwise::Manager::host();
    /// let numbers = mgr.tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0])?;
    /// let vectors = numbers.cast::<Vec4>()?;
    /// assert_eq!(vectors.to_vec()?, [vec4(1.0, 2.0, 3.0, 4.0)]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Hazard tracking treats both types as one tensor: a launch that reads it under one type and writes it under the other is
    /// refused.
    ///
    /// # Errors
    /// When there are more elements than can be counted, or a part or an application's buffer is not aligned for `U`.
    pub fn cast<U: Plain>(&self) -> Result<TensorView<'_, U>> {
        Ok(TensorView { tensor: self.seen_as()?, whole: PhantomData })
    }

    /// As [`cast`](Self::cast), to be written.
    ///
    /// ```
    /// # use gridwise::glam::uvec2;
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = gridwise::Manager::host();
    /// let mut words = mgr.tensor(&[1u32, 2, 3])?;
    /// words.cast_mut()?.write(&[uvec2(7, 8)])?;
    /// assert_eq!(words.to_vec()?, [7, 8, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`cast`](Self::cast).
    pub fn cast_mut<U: Plain>(&mut self) -> Result<TensorViewMut<'_, U>> {
        Ok(TensorViewMut { tensor: self.seen_as()?, whole: PhantomData })
    }
}

impl<T: GpuData> Tensor<T> {
    // Of an adjoint whose elements consist of these floats, and of integers of the same size. Derived kernels add to the floats only, so
    // that an element stays a `T`. Not part of the interface.
    #[doc(hidden)]
    pub fn __floats<U: Plain>(&mut self) -> Result<TensorView<'_, U>> {
        Ok(TensorView { tensor: self.seen_as()?, whole: PhantomData })
    }

    fn seen_as<U: Plain>(&self) -> Result<Tensor<U>> {
        // On the host device, memory begins where any element can.
        let (offset, alignment) = (self.buffer.vulkan_offset(), align_of::<U>() as u64);
        if !offset.is_multiple_of(alignment) {
            return Err(Error::Misaligned { tensor: self.name().into(), offset, alignment });
        }
        let buffer = Arc::new(self.buffer.seen_as(size_of::<U>())?);
        Ok(Tensor { buffer, marker: PhantomData })
    }
}

impl<T: GpuData> Deref for TensorView<'_, T> {
    type Target = Tensor<T>;

    fn deref(&self) -> &Tensor<T> {
        &self.tensor
    }
}

impl<T: GpuData> Deref for TensorViewMut<'_, T> {
    type Target = Tensor<T>;

    fn deref(&self) -> &Tensor<T> {
        &self.tensor
    }
}

impl<T: GpuData> DerefMut for TensorViewMut<'_, T> {
    fn deref_mut(&mut self) -> &mut Tensor<T> {
        &mut self.tensor
    }
}

impl<T: GpuData> fmt::Debug for TensorView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tensor.fmt(f)
    }
}

impl<T: GpuData> fmt::Debug for TensorViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tensor.fmt(f)
    }
}
