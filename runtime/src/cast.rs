//! A tensor's memory seen as elements of another type. It must not let bytes be seen that are padding.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::data::{GpuData, Plain};
use crate::error::{Error, Result};
use crate::tensor::Tensor;

/// A tensor seen as elements of type `T`; made by [`Tensor::cast`].
///
/// ```
/// # fn main() -> gridwise_runtime::Result<()> {
/// use gridwise_runtime::{glam::Vec4, ops::OpCopy};
///
/// # let manager = gridwise_runtime::Manager::host();
/// let numbers = manager.tensor(&[1.0f32; 8])?;
/// let mut vectors = manager.tensor_of_len::<Vec4>(2)?;
/// let cast = numbers.cast::<Vec4>()?; // wherever a `&Tensor<Vec4>` is wanted
/// manager.sequence()?.record(OpCopy::new(&cast, &mut vectors))?.eval()?;
/// assert_eq!(vectors.to_vec()?, [Vec4::ONE; 2]);
/// # Ok(())
/// # }
/// ```
pub struct Cast<'a, T: GpuData> {
    tensor: Tensor<T>,
    whole: PhantomData<&'a ()>,
}

/// A tensor seen as elements of type `T`, to be written; made by [`Tensor::cast_mut`].
///
/// ```
/// # fn main() -> gridwise_runtime::Result<()> {
/// use gridwise_runtime::ops::OpFill;
///
/// # let manager = gridwise_runtime::Manager::host();
/// let mut words = manager.tensor_of_len::<u32>(2)?;
/// let mut bytes = words.cast_mut::<u8>()?; // wherever a `&mut Tensor<u8>` is wanted
/// manager.sequence()?.record(OpFill::new(&mut bytes, 0x11))?.eval()?;
/// assert_eq!(words.to_vec()?, [0x1111_1111; 2]);
/// # Ok(())
/// # }
/// ```
pub struct CastMut<'a, T: GpuData> {
    tensor: Tensor<T>,
    whole: PhantomData<&'a mut ()>,
}

impl<T: Plain> Tensor<T> {
    /// The same memory as elements of another type, as many as there are whole ones: numbers as vectors, for kernels that
    /// read 16 bytes at a time, or words as bytes. What is left at the end is not among them.
    ///
    /// ```
    /// # use gridwise_runtime::glam::{Vec4, vec4};
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// let mgr = gridwise_runtime::Manager::host();
    /// let numbers = mgr.tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0])?;
    /// let vectors = numbers.cast::<Vec4>()?;
    /// assert_eq!(vectors.to_vec()?, [vec4(1.0, 2.0, 3.0, 4.0)]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// To an operation it is one tensor under both types: a launch that reads it as one and writes it as the other is refused.
    ///
    /// # Errors
    /// When smaller elements are more than can be counted, or an application's buffer begins where no `U` can.
    pub fn cast<U: Plain>(&self) -> Result<Cast<'_, U>> {
        Ok(Cast { tensor: self.seen_as()?, whole: PhantomData })
    }

    /// As [`cast`](Self::cast), to be written.
    ///
    /// ```
    /// # use gridwise_runtime::glam::uvec2;
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// let mgr = gridwise_runtime::Manager::host();
    /// let mut words = mgr.tensor(&[1u32, 2, 3])?;
    /// words.cast_mut()?.write(&[uvec2(7, 8)])?;
    /// assert_eq!(words.to_vec()?, [7, 8, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`cast`](Self::cast).
    pub fn cast_mut<U: Plain>(&mut self) -> Result<CastMut<'_, U>> {
        Ok(CastMut { tensor: self.seen_as()?, whole: PhantomData })
    }

    fn seen_as<U: Plain>(&self) -> Result<Tensor<U>> {
        let (offset, alignment) = (self.vulkan_buffer().map_or(0, |range| range.offset), align_of::<U>() as u64);
        if !offset.is_multiple_of(alignment) {
            return Err(Error::Misaligned { tensor: self.name().to_owned(), offset, alignment });
        }
        let buffer = Arc::new(self.buffer.seen_as(size_of::<U>())?);
        Ok(Tensor { buffer, marker: PhantomData })
    }
}

impl<T: GpuData> Deref for Cast<'_, T> {
    type Target = Tensor<T>;

    fn deref(&self) -> &Tensor<T> {
        &self.tensor
    }
}

impl<T: GpuData> Deref for CastMut<'_, T> {
    type Target = Tensor<T>;

    fn deref(&self) -> &Tensor<T> {
        &self.tensor
    }
}

impl<T: GpuData> DerefMut for CastMut<'_, T> {
    fn deref_mut(&mut self) -> &mut Tensor<T> {
        &mut self.tensor
    }
}

impl<T: GpuData> fmt::Debug for Cast<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tensor.fmt(f)
    }
}

impl<T: GpuData> fmt::Debug for CastMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tensor.fmt(f)
    }
}
