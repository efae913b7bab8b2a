//! Tensors in memory that the host reaches: which memory to ask for, and views of the elements in place. While a view lives, the
//! device must not use what it shows: evaluations that would are refused.
//!
//! A view is an access of the host that lasts. Submissions wait for other accesses of the host, which end by
//! themselves. For a view they fail, because its holder may be the one who submits. So does an access of the host to
//! another part of the tensor.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::core::error::{Error, Result};
use crate::core::sync::schedule::{HostAccess, Marks};
use crate::device::vulkan::MemoryUse;
use crate::memory::buffer::Buffer;
use crate::memory::data::GpuData;
use crate::memory::padding;
use crate::memory::tensor::Tensor;

/// The intended use of a tensor's memory; an argument of [`Manager::tensor_in`](crate::Manager::tensor_in). All kinds
/// work on all devices: they differ in speed, and in whether [`Tensor::map`] works. On the host device all are alike.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Contents, MemoryKind, TensorDesc};
///
/// # let manager = gridwise::Manager::host();
/// let desc = TensorDesc { name: "sums", contents: Contents::<f64>::Zeros(16) };
/// let sums = manager.tensor_in(MemoryKind::Readback, desc)?; // kernels add to it, the host looks at it in place
/// assert_eq!(sums.map()?.len(), 16);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum MemoryKind {
    /// For kernels: the device's own memory, host-visible only if that costs kernels nothing.
    #[default]
    Device,
    /// For small or frequent writes by the host and reads by kernels. Reads by the host are slow.
    Upload,
    /// For writes by kernels and reads by the host.
    Readback,
}

impl MemoryKind {
    pub(crate) fn usage(self) -> MemoryUse {
        match self {
            Self::Device => MemoryUse::Device,
            Self::Upload => MemoryUse::Upload,
            Self::Readback => MemoryUse::Staging,
        }
    }
}

/// The elements of a tensor in place, to be read; made by [`Tensor::map`].
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Error, ops::OpFill};
///
/// # let manager = gridwise::Manager::host();
/// let mut values = manager.tensor(&[1.0f32, 2.0])?;
/// let sequence = manager.sequence()?;
/// sequence.record(OpFill::new(&mut values, 0.0))?;
/// let view = values.map()?; // as a `&[f32]`, until it is dropped
/// assert_eq!(view.iter().sum::<f32>(), 3.0);
/// assert!(matches!(sequence.eval(), Err(Error::TensorMapped { .. })));
/// # Ok(())
/// # }
/// ```
#[must_use = "what is mapped is let go of when this is dropped"]
pub struct Mapped<'a, T: GpuData> {
    elements: &'a [T],
    _access: HostAccess<'a>,
}

/// The elements of a tensor in place; made by [`Tensor::map_mut`].
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// # let manager = gridwise::Manager::host();
/// let mut values = manager.tensor(&[3u32, 1, 2])?;
/// let mut view = values.map_mut()?; // as a `&mut [u32]`
/// view.sort();
/// drop(view);
/// assert_eq!(values.to_vec()?, [1, 2, 3]);
/// # Ok(())
/// # }
/// ```
#[must_use = "what is mapped is let go of when this is dropped"]
pub struct MappedMut<'a, T: GpuData> {
    elements: &'a mut [T],
    buffer: &'a Buffer,
    /// The last writer of the buffer before.
    before: Marks,
    _access: HostAccess<'a>,
}

impl<T: GpuData> Tensor<T> {
    /// The elements in place, without a copy. The call waits for all earlier evaluations that write the tensor.
    ///
    /// While the view is held, evaluations may read the tensor. An evaluation that would write it is refused with
    /// [`Error::TensorMapped`].
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Contents, Manager, MemoryKind, TensorDesc, ops::OpFill};
    ///
    /// let manager = Manager::new()?;
    /// let desc = TensorDesc { name: "results", contents: Contents::Zeros(1000) };
    /// let mut results = manager.tensor_in::<f32>(MemoryKind::Readback, desc)?;
    /// manager.sequence()?.record(OpFill::new(&mut results, 0.5))?.eval()?;
    /// assert_eq!(results.map()?.iter().sum::<f32>(), 500.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotMappable`] if the memory is not host-visible, and when the device fails.
    pub fn map(&self) -> Result<Mapped<'_, T>> {
        let (data, access) = self.reach(false)?;
        // SAFETY: the memory is aligned and has the tensor's elements, any bits are a valid `T`, and nobody writes them as long as
        // the access lives.
        let elements = unsafe { std::slice::from_raw_parts(data, self.len()) };
        Ok(Mapped { elements, _access: access })
    }

    /// The elements in place, to be written. The call waits for all earlier evaluations that use the tensor. While the
    /// view is held, evaluations that use the tensor are refused with [`Error::TensorMapped`].
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Contents, Manager, MemoryKind, TensorDesc};
    ///
    /// let manager = Manager::new()?;
    /// let desc = TensorDesc { name: "input", contents: Contents::Uninit(4) };
    /// let mut input = manager.tensor_in::<u32>(MemoryKind::Upload, desc)?;
    /// for (i, element) in input.map_mut()?.iter_mut().enumerate() {
    ///     *element = i as u32;
    /// }
    /// assert_eq!(input.to_vec()?, [0, 1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`map`](Self::map).
    pub fn map_mut(&mut self) -> Result<MappedMut<'_, T>> {
        let (data, access) = self.reach(true)?;
        let buffer = &*self.buffer;
        // SAFETY: as above, and nobody reads them either.
        let elements = unsafe { std::slice::from_raw_parts_mut(data, buffer.len() as usize) };
        Ok(MappedMut { elements, buffer, before: buffer.uses.written(), _access: access })
    }

    fn reach(&self, is_write: bool) -> Result<(*mut T, HostAccess<'_>)> {
        let data = self.buffer.reached().map(<*mut u8>::cast::<T>).filter(|data| data.is_aligned());
        let data = data.ok_or_else(|| Error::NotMappable { tensor: self.name().to_owned() })?;
        let device = &self.buffer.device;
        let access = device.schedule.map_for_host(&self.buffer.uses, &self.buffer.part(), is_write)?;
        device.wait_all(&access.after)?;
        Ok((data, access))
    }
}

impl<T: GpuData> Drop for MappedMut<'_, T> {
    fn drop(&mut self) {
        let (data, len) = (self.elements.as_mut_ptr().cast::<u8>(), size_of_val(&*self.elements));
        // SAFETY: the elements, which nobody else uses now.
        unsafe { padding::clear::<T>(data, self.elements.len()) };
        // SAFETY: the elements' bytes, which the host and the device have in memory as they are.
        self.buffer.note_written(self.before, || unsafe { std::slice::from_raw_parts(data, len) });
    }
}

impl<T: GpuData> Deref for Mapped<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.elements
    }
}

impl<T: GpuData> Deref for MappedMut<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.elements
    }
}

impl<T: GpuData> DerefMut for MappedMut<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.elements
    }
}

impl<T: GpuData + fmt::Debug> fmt::Debug for Mapped<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.elements.fmt(f)
    }
}

impl<T: GpuData + fmt::Debug> fmt::Debug for MappedMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.elements.fmt(f)
    }
}
