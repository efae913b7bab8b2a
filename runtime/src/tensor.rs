//! Typed tensors: data on a device. It must not hand out references to device memory, which kernels may be using.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::buffer::Buffer;
use crate::data::GpuData;
use crate::error::{Error, Result};
use crate::manager::Shared;
use crate::vulkan::{BufferRange, MemoryUse};

/// Elements of type `T` that lie on a device; made by [`Manager::tensor`](crate::Manager::tensor).
///
/// ```
/// # fn main() -> gridwise_runtime::Result<()> {
/// let manager = gridwise_runtime::Manager::host();
/// let mut tensor = manager.tensor(&[1.0f32, 2.0])?;
/// tensor.write(&[3.0, 4.0])?;
/// assert_eq!(tensor.to_vec()?, [3.0, 4.0]);
/// # Ok(())
/// # }
/// ```
///
/// Reads and writes from the host come after all evaluations that were started before and use the tensor. Dropping a
/// tensor is always allowed: its memory is freed once no recording holds it.
pub struct Tensor<T: GpuData> {
    pub(crate) buffer: Arc<Buffer>,
    pub(crate) marker: PhantomData<T>,
}

/// Names a tensor without its type, to declare and record accesses in an [`Op`](crate::ops::Op).
#[derive(Clone)]
pub struct TensorRef {
    pub(crate) buffer: Arc<Buffer>,
}

/// How to make a tensor.
#[derive(Debug, Clone, Copy)]
pub struct TensorDesc<'a, T> {
    /// Its name, in errors and in the driver's tools.
    pub name: &'a str,
    /// What it holds at first.
    pub contents: Contents<'a, T>,
}

/// What a new tensor holds.
#[derive(Debug, Clone, Copy)]
pub enum Contents<'a, T> {
    /// Copies of these elements.
    Data(&'a [T]),
    /// So many zeros.
    Zeros(usize),
    /// So many elements that hold anything at all: for what is written before it is read.
    Uninit(usize),
}

impl<T: GpuData> Tensor<T> {
    pub(crate) fn new(shared: &Arc<Shared>, usage: MemoryUse, desc: TensorDesc<'_, T>) -> Result<Self> {
        let len = match desc.contents {
            Contents::Data(data) => data.len(),
            Contents::Zeros(len) | Contents::Uninit(len) => len,
        };
        let buffer = Buffer::new(shared, desc.name, len, size_of::<T>(), usage)?;
        Self::filled(buffer, desc.contents)
    }

    /// A tensor of a new buffer.
    pub(crate) fn filled(buffer: Buffer, contents: Contents<'_, T>) -> Result<Self> {
        match contents {
            // SAFETY: a slice is valid for reads of its bytes, and its length is the buffer's.
            Contents::Data(data) => unsafe { buffer.write(data.as_ptr().cast()) }?,
            Contents::Zeros(_) => buffer.zero()?,
            Contents::Uninit(_) => buffer.leave_undefined(),
        }
        Ok(Self { buffer: Arc::new(buffer), marker: PhantomData })
    }

    pub(crate) fn from_buffer(shared: &Arc<Shared>, name: &str, range: BufferRange, len: usize) -> Result<Self> {
        let buffer = Buffer::borrow(shared, name, range, len, size_of::<T>())?;
        Ok(Self { buffer: Arc::new(buffer), marker: PhantomData })
    }

    /// A tensor like this one of a lost device, on another.
    pub(crate) fn restore(&self, shared: &Arc<Shared>) -> Result<Self> {
        Ok(Self { buffer: Arc::new(self.buffer.restore(shared)?), marker: PhantomData })
    }

    /// Makes the tensor anew, of any length, with copies of `data`. Sequences that were recorded with it keep what it was.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// let manager = gridwise_runtime::Manager::host();
    /// let mut tensor = manager.tensor(&[1u32, 2])?;
    /// tensor.rebuild(&[3, 4, 5])?;
    /// assert_eq!(tensor.to_vec()?, [3, 4, 5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Manager::tensor`](crate::Manager::tensor); the tensor is then as it was.
    pub fn rebuild(&mut self, data: &[T]) -> Result<()> {
        let name = self.name().to_owned();
        let desc = TensorDesc { name: &name, contents: Contents::Data(data) };
        *self = Self::new(&self.buffer.shared, self.buffer.usage(), desc)?;
        Ok(())
    }

    /// Lets `look` see the elements: in place, where the host reads the tensor's memory at full speed; else in a copy. Evaluations
    /// that write the tensor wait until it is done.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// let tensor = gridwise_runtime::Manager::host().tensor(&[1.0f32, 2.0, 3.0])?;
    /// assert_eq!(tensor.view(|values| values.iter().sum::<f32>())?, 6.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec).
    pub fn view<R>(&self, look: impl FnOnce(&[T]) -> R) -> Result<R> {
        let mut look = Some(look);
        let seen = self.buffer.with_mapped(|data| {
            let data = data.cast::<T>();
            let look = if data.is_aligned() { look.take() } else { None };
            // SAFETY: the memory is aligned, has the tensor's elements, and nobody writes it now; any bits are a valid `T`.
            look.map(|look| look(unsafe { std::slice::from_raw_parts(data, self.len()) }))
        })?;
        match (seen.flatten(), look) {
            (None, Some(look)) => self.to_vec().map(|elements| look(&elements)),
            (seen, _) => seen.ok_or(Error::OnHostDevice { operation: "viewing a tensor" }),
        }
    }

    /// Where the tensor lies in Vulkan, for an application's own commands; `None` on the host device. It stays there as long
    /// as the tensor exists. Whoever uses it by commands of their own orders these with evaluations that name the tensor.
    pub fn vulkan_buffer(&self) -> Option<BufferRange> {
        let buffer = self.buffer.vulkan()?;
        Some(BufferRange { buffer: buffer.raw, offset: buffer.offset, bytes: self.buffer.bytes() })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.buffer.len() as usize
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name, as errors give it.
    pub fn name(&self) -> &str {
        self.buffer.name()
    }

    /// This tensor without its type.
    pub fn handle(&self) -> TensorRef {
        TensorRef { buffer: self.buffer.clone() }
    }

    /// Replaces all elements.
    ///
    /// # Errors
    /// When `data` has another length than the tensor, and when the device fails.
    pub fn write(&mut self, data: &[T]) -> Result<()> {
        self.check_len("writing", data.len())?;
        // SAFETY: `data` is as long as the buffer.
        unsafe { self.buffer.write(data.as_ptr().cast()) }
    }

    /// Copies all elements to a new vector.
    ///
    /// # Errors
    /// When the device fails, or the memory for the vector.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        read_vec(&self.buffer)
    }

    /// Copies all elements into a slice.
    ///
    /// # Errors
    /// When `into` has another length than the tensor, and when the device fails.
    pub fn read_into(&self, into: &mut [T]) -> Result<()> {
        self.check_len("reading", into.len())?;
        // SAFETY: `into` is as long as the buffer, and any bits are a valid `T`.
        unsafe { self.buffer.read(into.as_mut_ptr().cast()) }
    }

    /// Puts data into the tensor's host-side copy, which [`OpSyncDevice`](crate::ops::OpSyncDevice) uploads when its
    /// sequence runs. The tensor itself does not change before.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn stage(&mut self, data: &[T]) -> Result<()> {
        self.check_len("staging", data.len())?;
        // SAFETY: the host-side copy is as long as the tensor, and so is `data`.
        unsafe { self.buffer.staged()?.write(data.as_ptr().cast()) }
    }

    /// Copies the host-side copy to a vector: what the last [`OpSyncHost`](crate::ops::OpSyncHost) downloaded, or what was
    /// staged last; zeros at first.
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec).
    pub fn staged(&self) -> Result<Vec<T>> {
        read_vec(&*self.buffer.staged()?)
    }

    /// Lets `fill` write the host-side copy in place.
    pub(crate) fn fill_staged<R>(&self, fill: impl FnOnce(&mut [T]) -> R) -> Result<R> {
        let (staged, len) = (self.buffer.staged()?, self.len());
        // SAFETY: memory for staging is mapped and aligned to more than any element; it has these elements, any bits are a valid `T`,
        // and nobody else uses it now.
        let filled =
            staged.with_mapped_mut(|data| fill(unsafe { std::slice::from_raw_parts_mut(data.cast::<T>(), len) }))?;
        filled.ok_or_else(|| unreachable_memory(self.name()))
    }

    /// Lets `look` see the host-side copy in place.
    pub(crate) fn view_staged<R>(&self, look: impl FnOnce(&[T]) -> R) -> Result<R> {
        let (staged, len) = (self.buffer.staged()?, self.len());
        // SAFETY: as above.
        let seen = staged.with_mapped_mut(|data| look(unsafe { std::slice::from_raw_parts(data.cast::<T>(), len) }))?;
        seen.ok_or_else(|| unreachable_memory(self.name()))
    }

    fn check_len(&self, operation: &'static str, found: usize) -> Result<()> {
        let expected = self.len();
        if expected == found {
            return Ok(());
        }
        Err(Error::LengthMismatch { operation, tensor: self.name().to_owned(), expected, found })
    }
}

fn unreachable_memory(name: &str) -> Error {
    let cause = "the host does not reach the memory".to_owned();
    Error::OutOfMemory { object: format!("host-side copy of {name}"), bytes: 0, cause }
}

fn read_vec<T: GpuData>(buffer: &Buffer) -> Result<Vec<T>> {
    let len = buffer.len() as usize;
    let mut elements: Vec<T> = Vec::new();
    elements.try_reserve_exact(len).map_err(|cause| Error::OutOfMemory {
        object: format!("copy of tensor {}", buffer.name()),
        bytes: buffer.bytes(),
        cause: cause.to_string(),
    })?;
    // SAFETY: `len` elements are reserved; after the read they are initialised, and any bits are a valid `T`.
    unsafe {
        buffer.read(elements.as_mut_ptr().cast())?;
        elements.set_len(len);
    }
    Ok(elements)
}

impl TensorRef {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.buffer.len() as usize
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> u64 {
        self.buffer.bytes()
    }

    /// Bytes of one element.
    pub fn stride(&self) -> u32 {
        self.buffer.stride()
    }

    /// The tensor's name.
    pub fn name(&self) -> &str {
        self.buffer.name()
    }

    /// The tensor's host-side copy, as a tensor of its own.
    ///
    /// # Errors
    /// When the memory for it cannot be had.
    pub fn staged(&self) -> Result<TensorRef> {
        Ok(TensorRef { buffer: self.buffer.staged()? })
    }
}

impl<T: GpuData> fmt::Debug for Tensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        f.debug_struct("Tensor")
            .field("name", &self.name())
            .field("element", &element)
            .field("len", &self.len())
            .finish()
    }
}

impl fmt::Debug for TensorRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorRef").field("name", &self.name()).field("bytes", &self.bytes()).finish()
    }
}

impl<T: GpuData> From<&Tensor<T>> for TensorRef {
    fn from(tensor: &Tensor<T>) -> Self {
        tensor.handle()
    }
}
