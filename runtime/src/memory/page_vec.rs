//! Elements in whole pages of the host's memory, which devices can work on in place.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use crate::core::error::Result;
use crate::device::host::{HostMemory, HostPages};
use crate::memory::data::GpuData;
use crate::memory::padding;

/// Page-aligned elements in host memory: [`Manager::tensor_over`](crate::Manager::tensor_over) makes a tensor of them without a copy.
///
/// It takes a multiple of 64 KiB, the largest alignment that Vulkan lets a device ask for.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Manager, PageVec};
///
/// let mut samples = PageVec::<f32>::zeros(1000)?;
/// for (i, sample) in samples.iter_mut().enumerate() {
///     *sample = i as f32; // as a decoder or a file would fill it
/// }
/// let tensor = Manager::new()?.tensor_over("samples", samples)?;
/// assert_eq!(tensor.map()?[999], 999.0); // in place
/// # Ok(())
/// # }
/// ```
pub struct PageVec<T: GpuData> {
    pages: HostPages,
    len: usize,
    marker: PhantomData<T>,
}

impl<T: GpuData> PageVec<T> {
    /// This number of zeros.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// assert_eq!(*gridwise::PageVec::<u32>::zeros(3)?, [0; 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn zeros(len: usize) -> Result<Self> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        Ok(Self { pages: HostPages::new("pages", bytes)?, len, marker: PhantomData })
    }

    /// Copies of these elements.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// assert_eq!(*gridwise::PageVec::from_slice(&[1u8, 2, 3])?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    pub fn from_slice(elements: &[T]) -> Result<Self> {
        let mut copy = Self::zeros(elements.len())?;
        copy.copy_from_slice(elements);
        Ok(copy)
    }

    /// The memory, whose padding is zeros.
    pub(crate) fn into_memory(self) -> HostMemory {
        // SAFETY: the elements, which nobody else has.
        unsafe { padding::clear::<T>(self.pages.data().as_ptr(), self.len) };
        HostMemory::of_user(self.pages.data(), Box::new(self.pages))
    }
}

impl<T: GpuData> Deref for PageVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the memory is aligned and has as many elements, and any bits are a valid `T`.
        unsafe { std::slice::from_raw_parts(self.pages.data().as_ptr().cast(), self.len) }
    }
}

impl<T: GpuData> DerefMut for PageVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and nobody else has them.
        unsafe { std::slice::from_raw_parts_mut(self.pages.data().as_ptr().cast(), self.len) }
    }
}

impl<T: GpuData + fmt::Debug> fmt::Debug for PageVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
