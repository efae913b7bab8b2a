//! Tensors in memory of the host that a user has already.

use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

use super::Manager;
use crate::core::error::{Error, Result};
use crate::device::host::HostMemory;
use crate::device::{Backend, MAX_ALIGNMENT};
use crate::memory::buffer::Buffer;
use crate::memory::data::GpuData;
use crate::memory::mapped::MemoryKind;
use crate::memory::padding;
use crate::memory::page_vec::PageVec;
use crate::memory::tensor::{Contents, Tensor, TensorDesc};

impl Manager {
    /// The alignment of host memory that the device can access in place: such memory begins and ends at multiples of it. `None` if the
    /// device lacks `VK_EXT_external_memory_host`.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let manager = gridwise::Manager::new()?;
    /// match manager.host_memory_alignment() {
    ///     Some(bytes) => println!("works on multiples of {bytes} bytes in place"), // mostly pages of 4096
    ///     None => println!("copies all that it works on"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn host_memory_alignment(&self) -> Option<u64> {
        match &self.shared_device().backend {
            Backend::Vulkan(vulkan) => Some(vulkan.device.caps.host_pointer_alignment).filter(|bytes| *bytes > 0),
            Backend::Host(_) => Some(MAX_ALIGNMENT),
        }
    }

    /// A tensor of elements that stay in place: the device accesses the host's memory, and [`Tensor::map`] shows it. Kernels on a GPU
    /// access it over the bus, so use it for data that is read or written once.
    ///
    /// If the device cannot do that, the elements are copied to memory of [`MemoryKind::Readback`], which `map` shows as well.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Manager, PageVec, ops::OpFill};
    ///
    /// let manager = Manager::new()?;
    /// let mut values = manager.tensor_over("values", PageVec::from_slice(&[1u32, 2, 3])?)?;
    /// manager.sequence()?.record(OpFill::new(&mut values, 7))?.eval()?;
    /// assert_eq!(*values.map()?, [7; 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Kernels do not take such a tensor in lists, and a manager with `keeps_contents` does not keep its contents.
    ///
    /// # Errors
    /// As [`tensor`](Self::tensor).
    pub fn tensor_over<T: GpuData>(&self, name: &str, elements: PageVec<T>) -> Result<Tensor<T>> {
        if self.host_memory_alignment().is_none() {
            return self.tensor_in(MemoryKind::Readback, TensorDesc { name, contents: Contents::Data(&elements) });
        }
        let shape = (elements.len(), size_of::<T>());
        let buffer = Buffer::of_user(self.shared_device(), name, shape, elements.into_memory())?;
        Ok(Tensor { buffer: Arc::new(buffer), marker: PhantomData })
    }

    /// A tensor of elements in any memory of the host, such as a mapped file or a window of MPI. `owner` keeps the memory: it is dropped
    /// when the tensor and all recordings of it are gone, and no device uses it any more.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use std::ptr::NonNull;
    /// use gridwise::{Error, Manager};
    ///
    /// /// A page, as another library gives it.
    /// #[derive(Clone)]
    /// #[repr(align(4096))]
    /// struct Page([f32; 1024]);
    ///
    /// let manager = Manager::new()?;
    /// let mut pages = vec![Page([1.0; 1024]); 16];
    /// let data = NonNull::new(pages.as_mut_ptr().cast::<f32>()).expect("a vector has an address");
    /// // SAFETY: the vector keeps the memory, which is whole pages, and nobody else uses it meanwhile.
    /// let tensor = match unsafe { manager.tensor_over_raw("pages", data, 1000, pages) } {
    ///     Err(Error::CannotShare { .. }) => return Ok(()), // the device has no such extension, or larger pages
    ///     made => made?,
    /// };
    /// assert_eq!(tensor.to_vec()?, [1.0; 1000]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::CannotShare`] where the device cannot work on it, also because its address is no multiple of
    /// [`host_memory_alignment`](Self::host_memory_alignment); and as [`tensor`](Self::tensor).
    ///
    /// # Safety
    /// All bytes from `data` up to the next multiple of [`host_memory_alignment`](Self::host_memory_alignment) behind the elements have
    /// values, may be read and written, and belong to the tensor until `owner` is dropped. Others read and write them only while no
    /// evaluation that names the tensor runs and no view of it lives.
    pub unsafe fn tensor_over_raw<T: GpuData>(
        &self,
        name: &str,
        data: NonNull<T>,
        len: usize,
        owner: impl Send + Sync + 'static,
    ) -> Result<Tensor<T>> {
        if !data.is_aligned() || !(data.addr().get() as u64).is_multiple_of(MAX_ALIGNMENT) {
            let why = "the memory does not begin at a multiple of `Manager::host_memory_alignment`";
            return Err(Error::CannotShare { device: self.device().name.clone(), why });
        }
        let memory = HostMemory::of_user(data.cast(), Box::new(owner));
        let buffer = Buffer::of_user(self.shared_device(), name, (len, size_of::<T>()), memory)?;
        // SAFETY: the elements, which nobody else uses.
        unsafe { padding::clear::<T>(data.as_ptr().cast(), len) };
        Ok(Tensor { buffer: Arc::new(buffer), marker: PhantomData })
    }
}
